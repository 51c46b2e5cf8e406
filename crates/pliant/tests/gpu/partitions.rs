//! R04, S14: every partition gives the same steps on the GPU as on the CPU.

use crate::repeat::MIXED;
use crate::simulations::{apart, bounds, pair, ready, scene};
use pliant::runtime::gpu::{Cap, GpuOptions};

const CLOTH: &str = r#"
    world = { wind = { velocity = [3, 0, 1], gust = 0.5, period = 0.7 } }
    [[cloth]]
    grid = { cells = [11, 11], size = [1, 1], plane = "xz" }
    transform = { translate = [-0.5, 0.21, -0.5] }
    stretch = { compliance = 1e-5 }
    bend = { compliance = 1 }
    tether = 1.1
    pin = [{ at = "top left", motion = { oscillate = { amplitude = [0.1, 0, 0], period = 0.5 } } }]
    [[collider]]
    sphere = { center = [0, 0, 0], radius = 0.2 }
    friction = { static = 0.5, kinetic = 0.4 }
    motion = { spin = { axis = [0, 1, 0], rate = 90 } }
"#;

const SOFT: &str = r#"
    [[soft]]
    block = { cells = [4, 3, 3], size = [0.4, 0.3, 0.3] }
    transform = { translate = [0, 0.005, 0] }
    velocity = [0.5, -1, 0]
    stretch = { compliance = 1e-5 }
    volume = { compliance = 0 }
    [[soft]]
    block = { cells = [2, 2, 2], size = [0.2, 0.2, 0.2] }
    transform = { translate = [1, 0.1, 0] }
    fem = { young = 1e5, poisson = 0.3 }
    [[collider]]
    plane = {}
    friction = { static = 0.6, kinetic = 0.5 }
    motion = { oscillate = { amplitude = [0.05, 0.01, 0], period = 0.4 } }
"#;

const ROPES: &str = r#"
    [[rope]]
    path = [[0, 2, 0], [1, 2, 0], [1, 2, 1]]
    segments = 30
    stretch = { compliance = 1e-6 }
    bend = { modulus = 1e6 }
    pin = [{ at = "start" }]
    [[rope]]
    path = [[0, 1, 2], [1, 1, 2]]
    segments = 20
    bend = { modulus = 1e7 }
    twist = { modulus = 1e7 }
    pin = [{ at = "start", motion = { spin = { axis = [1, 0, 0], center = [0, 1, 2], rate = 90 } } }, { at = "end" }]
    [[inflatable]]
    sphere = { radius = 0.3, subdivisions = 2 }
    transform = { translate = [-1, 0.3, 0] }
    pressure = 1.1
    stretch = { compliance = 1e-5 }
    [[collider]]
    plane = {}
"#;

const SOLVERS: [&str; 10] = [
    "partition=serial",
    "partition=color",
    "partition=color;solver.together=true",
    "partition=phantom;solver.colors=4",
    "partition=hybrid;solver.colors=4",
    "partition=patch",
    "partition=patch;solver.patch_particles=40",
    "partition=shared-patch;solver.patch_particles=40",
    "partition=jacobi",
    "partition=jacobi-gather",
];

/// After so many steps positions may be off by this part of the extent: single precision resolves 6e-8, a step of
/// some iterations multiplies that by tens, and contacts that close a bit sooner by tens again.
const STEPS: u32 = 3;
const MOST: f64 = 1e-5;

fn compare(what: &str, text: &str, set: &[&str], options: GpuOptions) -> Option<String> {
    let scene = scene(text, set);
    let (mut cpu, mut gpu) = pair(&scene, options);
    cpu.advance(STEPS).unwrap();
    gpu.advance(STEPS).unwrap();
    gpu.sync().unwrap();
    let off = apart(&cpu, &gpu) / bounds(&cpu).0;
    println!("{what}: {off:.1e}, {} passes", gpu.gpu().unwrap().stats(gpu.model()).passes);
    if off > MOST {
        return Some(format!("{what}: off by {off:e}"));
    }
    let (ours, theirs) = (gpu.probe().contacts, cpu.probe().contacts);
    // A contact that just closes may be open on the other side.
    let slack = theirs / 50 + 1;
    (ours.abs_diff(theirs) > slack).then(|| format!("{what}: {ours} contacts for {theirs}"))
}

#[test]
fn r04_s14_every_partition_method_and_integrator_takes_the_same_steps_on_the_gpu() {
    if !ready() {
        return;
    }
    let mut wrong = Vec::new();
    for (k, solver) in SOLVERS.into_iter().enumerate() {
        // All combinations would take minutes: every solver runs with every method, integrator and number of substeps,
        // once with bodies that fit a workgroup and once without (patches have sizes of their own).
        for (j, (name, text)) in [("cloth", CLOTH), ("soft", SOFT), ("ropes", ROPES)].into_iter().enumerate() {
            for half in 0..2 {
                let n = k + j + 3 * half;
                let method = ["pbd", "xpbd"][(n + half) % 2];
                let (integrator, substeps) = [("bdf1", 1), ("bdf2", 3), ("bdf1", 3), ("bdf2", 1)][n % 4];
                let all = format!(
                    "solver.{solver};solver.method={method};solver.integrator={integrator};\
                     solver.substeps={substeps};solver.iterations=3"
                );
                let mut set: Vec<&str> = all.split(';').collect();
                if half == 1 && !solver.contains("patch_particles") {
                    set.push("solver.patch_particles=10");
                }
                let what = format!("{name}, {solver}, {method}, {integrator}, {substeps} substeps");
                wrong.extend(compare(&what, text, &set, GpuOptions::default()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn r04_s14_pinned_wind_contact_and_rods_take_the_same_steps_with_every_cap() {
    if !ready() {
        return;
    }
    let browser = GpuOptions { cap: Some(Cap::BROWSER), ..GpuOptions::default() };
    let tight = Cap { workgroup_bytes: 2 << 10, ..Cap::BROWSER };
    let variants = [
        ("browser", browser),
        ("32 threads", GpuOptions { threads: Some(32), ..browser }),
        ("64 threads", GpuOptions { threads: Some(64), ..browser }),
        ("checks", GpuOptions { checks: true, ..browser }),
        ("2 KiB", GpuOptions { cap: Some(tight), ..GpuOptions::default() }),
    ];
    let mut wrong = Vec::new();
    for (name, options) in variants {
        for (what, text) in [("mixed", MIXED), ("cloth", CLOTH), ("soft", SOFT), ("ropes", ROPES)] {
            wrong.extend(compare(&format!("{what}, {name}"), text, &[], options));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
