//! R: reliability.

use crate::ids::{Requirement, met, open, partial};

pub const ALL: &[Requirement] = &[
    partial(
        "R01",
        "The state has the same bits for any number of threads, in repeated runs of many scenes over 1,000 steps.",
        "Fewer steps, scenes and threads than asked for.",
    ),
    partial(
        "R02",
        "The state has the same bits with every instruction set, in debug and in release.",
        "Scalar and AVX2 lanes are compared; debug against release is not, and the cost is not asserted.",
    ),
    partial(
        "R03",
        "Ten runs of 1,000 steps with contacts and liquid have the same bits on one GPU.",
        "Ten runs of 100 steps.",
    ),
    partial(
        "R04",
        "CPU and GPU agree to 1e-5 after a step, and their statistics to 1 % after five seconds.",
        "Built-in scenes without mesh files; long runs on hardware adapters only.",
    ),
    met(
        "R05",
        "A state can be saved and restored at any step, and the run goes on with the same hash; old files load or are \
         refused by name.",
    ),
    partial(
        "R06",
        "Numbers that are not finite, negative or huge are refused in every field and setter, with their place, and the \
         state stays as it was.",
        "All fields of scenes; the setters of `World` are not asked.",
    ),
    met("R07", "Broken meshes are repaired with a note or refused by a named error, and nothing panics."),
    partial(
        "R08",
        "Readers of scenes and meshes survive ten million random inputs each, with limits on size and memory.",
        "Thousands of mutated files per format in each run of the tests.",
    ),
    partial(
        "R09",
        "A run that diverges is found within a step and ends with an error and a dump, never with silent NaN.",
        "The error names stage, particle, object and time; there is no dump.",
    ),
    open(
        "R10",
        "Hours of a mixed scene raise memory by at most 1 % and the slowest steps by at most 5 %.",
        "Not measured.",
    ),
    partial(
        "R11",
        "Memory is limited on request, and the peak is within a tenth of what `check` foretells.",
        "The estimate before a build is within 15 %; memory of a device is not limited.",
    ),
    partial(
        "R12",
        "Miri or sanitizers find nothing in modules with `unsafe`.",
        "`.ci/run` runs `scripts/sanitize short` (address and thread sanitizer on a short set of tests) and one test covers a \
         state that was cut short; Miri and the full set are not run there.",
    ),
    met("R13", "Every finished frame is readable after a kill or a full disk."),
    met("R14", "Scenes reach no file outside of their folder, by path, link, recursion or decompression."),
    met("R15", "Lists of neighbors, contacts and particles grow or report, and never drop anything."),
    open("R16", "Tests cover 90 % of the engine's lines and kill 80 % of mutants.", "Not measured."),
];
