//! Bitwise equal results for any number of threads, any lane width, in debug and in release (R01, R02), and
//! partitions compared with each other (S08, S09).

#![allow(missing_docs)]

use pliant::builder::NoMeshes;
use pliant::scene::{Format, Override, Scene};
use pliant::{Isa, Options, World};

const STEPS: usize = 300;
/// Steps with more threads than two: everything touches everything else by then, and another division of the work would show
/// from the first step on.
const FEW_STEPS: usize = 100;
const THREADS: [usize; 4] = [3, 4, 7, 8];

/// A sheet of 5,041 particles in gusts, falling over a turning ball: too large for an island, so its batches
/// and its contacts are cut for the threads.
const CLOTH: &str = r#"
    solver = { iterations = 2, substeps = 1 }
    world = { wind = { velocity = [2, 0, 1], gust = 0.5, period = 0.7 }, damping = 0.1 }
    [[cloth]]
    grid = { cells = [70, 70], size = [2, 2], plane = "xz" }
    transform = { translate = [-1, 0.6, -1] }
    stretch = { compliance = 1e-6 }
    bend = { compliance = 1 }
    pin = [{ at = "top left", motion = { oscillate = { amplitude = [0.1, 0, 0], period = 1.5 } } }]
    tether = 1.1
    [[collider]]
    sphere = { center = [0, 0, 0], radius = 0.4 }
    motion = { spin = { axis = [0, 1, 0], rate = 90 } }
"#;

/// A ring of tetrahedra dropped on the floor and a continuum block beside it, with second-order steps.
const TORUS: &str = r#"
    solver = { iterations = 4, integrator = "bdf2" }
    [[soft]]
    torus = { radius = 0.3, width = 0.1, cells = [40, 3] }
    transform = { translate = [0, 0.2, 0], rotate = { axis = [1, 0, 0], degrees = 20 } }
    stretch = { modulus = 1e5 }
    volume = { compliance = 0 }
    [[soft]]
    block = { cells = [4, 2, 2], size = [0.4, 0.2, 0.2] }
    transform = { translate = [1, 0.1, 0] }
    fem = { young = 1e5, poisson = 0.3 }
    [[collider]]
    plane = {}
"#;

/// A rope, a rod that is turned at its end, a balloon of 5,120 triangles and a patch of continuum cloth
/// with isometric bending.
const ROPES: &str = r#"
    solver = { iterations = 4 }
    [[rope]]
    path = [[0, 2, 0], [1, 2, 0], [1, 2, 1]]
    segments = 150
    stretch = { compliance = 1e-7 }
    bend = { modulus = 1e6 }
    pin = [{ at = "start" }]
    [[rope]]
    path = [[0, 1, 2], [1, 1, 2]]
    segments = 100
    bend = { modulus = 1e7 }
    twist = { modulus = 1e7 }
    pin = [{ at = "start", motion = { spin = { axis = [1, 0, 0], center = [0, 1, 2], rate = 90 } } }, { at = "end" }]
    [[inflatable]]
    name = "balloon"
    sphere = { radius = 0.3, subdivisions = 4 }
    transform = { translate = [-1, 0.5, 0] }
    pressure = 1.2
    stretch = { compliance = 1e-5 }
    bend = { compliance = 1 }
    [[cloth]]
    name = "patch"
    grid = { cells = [12, 12], size = [0.5, 0.5] }
    transform = { translate = [-2, 1, 0] }
    fem = { young = 1e6, poisson = 0.3 }
    bend = { modulus = 1e-4 }
    bend_model = "isometric"
    pin = [{ at = "top edge" }]
    [[collider]]
    plane = {}
    [[collider]]
    capsule = { from = [-1, 0.1, -0.3], to = [-1, 0.1, 0.3], radius = 0.1 }
    [[collider]]
    box = { center = [-2, 0.2, 0.1], size = [0.4, 0.4, 0.4] }
"#;

/// Name, text, and the state's hash after `STEPS` steps.
///
/// The hashes are the same for debug and release builds. They change whenever the physics or the order of its
/// sums changes on purpose: then copy the new ones from the failing test's message.
const SCENES: [(&str, &str, u64); 3] = [
    ("cloth", CLOTH, 0x2a41_700f_4c10_d79c),
    ("torus", TORUS, 0x9deb_2aa2_ae0d_e2b1),
    ("ropes", ROPES, 0x5678_d3f5_b529_6f47),
];

fn start(text: &str, set: &[&str], options: Options) -> World {
    let set: Vec<Override> = set.iter().map(|s| s.parse().unwrap()).collect();
    let scene = Scene::parse_with(text, Format::Toml, &set).unwrap();
    World::from_scene(&scene, &NoMeshes, options).unwrap()
}

fn run(text: &str, set: &[&str], steps: usize, options: Options) -> World {
    let mut sim = start(text, set, options);
    for _ in 0..steps {
        sim.step().unwrap();
    }
    sim
}

fn check(number: usize) {
    let (name, text, expected) = SCENES[number];
    let hash = |options: Options| run(text, &[], STEPS, options).hash();
    let mut sim = run(text, &[], FEW_STEPS, Options { threads: 1, ..Options::default() });
    let sooner = sim.hash();
    sim.advance((STEPS - FEW_STEPS) as u32).unwrap();
    let first = sim.hash();
    assert_eq!(hash(Options { threads: 2, ..Options::default() }), first, "{name}: two threads differ from one");
    for threads in THREADS {
        let got = run(text, &[], FEW_STEPS, Options { threads, ..Options::default() }).hash();
        assert_eq!(got, sooner, "{name}: {threads} threads differ from one");
    }
    for isa in Isa::available().into_iter().filter(|&isa| isa != Isa::detect()) {
        // Two threads, so that lanes and chunks are combined.
        assert_eq!(
            hash(Options { threads: 2, isa, ..Options::default() }),
            first,
            "{name}: {isa:?} differs from {:?}",
            Isa::detect()
        );
    }
    assert_eq!(first, expected, "{name}: if the physics changed on purpose, the new hash is {first:#018x}");
}

#[test]
fn r01_r02_a_cloth_in_the_wind_has_the_same_bits_on_all_threads_and_lane_widths() {
    check(0);
}

#[test]
fn r01_r02_soft_bodies_have_the_same_bits_on_all_threads_and_lane_widths() {
    check(1);
}

#[test]
fn r01_r02_ropes_and_a_balloon_have_the_same_bits_on_all_threads_and_lane_widths() {
    check(2);
}

#[test]
fn r01_building_and_stepping_again_gives_the_same_bits() {
    for (name, text, _) in SCENES {
        let hash = || run(text, &[], 5, Options::default()).hash();
        assert_eq!(hash(), hash(), "{name}");
    }
}

#[test]
fn r01_r02_every_partition_has_the_same_bits_on_all_threads_and_lane_widths() {
    every_partition("xpbd");
}

#[test]
fn r01_r02_every_partition_has_the_same_bits_on_all_threads_and_lane_widths_with_pbd() {
    every_partition("pbd");
}

fn every_partition(method: &str) {
    for (name, text, _) in &SCENES {
        for partition in ["serial", "color", "phantom", "hybrid", "patch", "shared-patch", "jacobi", "jacobi-gather"] {
            let set = [&*format!("solver.partition={partition}"), &*format!("solver.method={method}")];
            let hash = |options: Options| run(text, &set, 6, options).hash();
            let first = hash(Options { threads: 1, isa: Isa::SCALAR, ..Options::default() });
            for threads in [2, 3, 7] {
                let options = Options { threads, ..Options::default() };
                assert_eq!(hash(options), first, "{name}, {partition}, {method}, {threads} threads");
            }
            for isa in Isa::available() {
                let options = Options { threads: 1, isa, ..Options::default() };
                assert_eq!(hash(options), first, "{name}, {partition}, {method}, {isa:?}");
            }
        }
    }
}

#[test]
fn s09_scattered_and_gathered_jacobi_agree_bit_for_bit() {
    for (name, text, _) in SCENES {
        for method in ["pbd", "xpbd"] {
            let sim = |partition: &str| {
                let set = [&*format!("solver.partition={partition}"), &*format!("solver.method={method}")];
                run(text, &set, 8, Options { threads: 2, ..Options::default() })
            };
            let (scatter, gather) = (sim("jacobi"), sim("jacobi-gather"));
            assert_eq!(scatter.hash(), gather.hash(), "{name}, {method}");
            let last = |s: &World| {
                let groups = s.model().groups.iter().map(|g| g.kind);
                groups.flat_map(|k| s.constraints(k).map(|c| c.multipliers).collect::<Vec<_>>()).collect::<Vec<_>>()
            };
            assert_eq!(last(&scatter), last(&gather), "{name}, {method}: multipliers");
        }
    }
}

#[test]
fn s08_s09_s12_s13_all_sweeps_come_to_the_same_rest() {
    // A soft sheet hung by its upper edge in a vacuum has one rest shape, which no order of projections can
    // change: XPBD's balance C = −α̃λ does not mention the order. What separates two solvers that have come
    // to rest is how far each is from convergence within a step; averaging over some twelve constraints on
    // a particle makes a Jacobi sweep about a tenth as effective, so it gets ten times as many.
    let text = r#"
        solver = { iterations = 20, dt = 0.01 }
        world = { air_density = 0, damping = 4 }
        [[cloth]]
        grid = { cells = [5, 5], size = [1, 1] }
        stretch = { compliance = 0.1 }
        bend = { compliance = 5 }
        pin = [{ at = "top edge" }]
    "#;
    let rest = |partition: &str, iterations: u32| {
        let set = [&*format!("solver.partition={partition}"), &*format!("solver.iterations={iterations}")];
        let small = ["solver.colors=3", "solver.patch_particles=9"];
        run(text, &[&set[..], &small].concat(), 700, Options { threads: 1, ..Options::default() })
    };
    let serial = rest("serial", 20);
    let drop = 1.0 - serial.position(0).y;
    assert!(drop > 1.05, "the sheet hardly stretches: {drop}");
    let others = [("color", 20), ("phantom", 40), ("hybrid", 40), ("patch", 20), ("shared-patch", 40), ("jacobi", 200)];
    for (partition, iterations) in others {
        let other = rest(partition, iterations);
        let most = (0..36).map(|i| serial.position(i).distance(other.position(i))).fold(0.0, f32::max);
        assert!(most < 1e-3, "{partition} rests {most} m from serial");
        let fastest = (0..36).map(|i| other.velocity(i).length()).fold(0.0, f32::max);
        assert!(fastest < 1e-3, "{partition} still moves at {fastest} m/s");
    }
}

#[test]
fn s08_serial_gauss_seidel_uses_earlier_corrections_of_the_iteration() {
    // Two rigid links in a row, one projection each, by hand: x = 0, 2, 4 (rest 1, equal masses, no
    // gravity). Link 0–1 moves 0 → 0.5 and 2 → 1.5; link 1–2 then sees 1.5 and 4 and takes 0.75 from each.
    let text = r#"
        solver = { partition = "serial", iterations = 1, dt = 1 }
        world = { gravity = [0, 0, 0] }
        [[rope]]
        path = [[0, 0, 0], [4, 0, 0]]
        segments = 2
        slack = 0.5
        particle_mass = 1
    "#;
    let sim = run(text, &[], 1, Options::default());
    assert_eq!([0, 1, 2].map(|i| sim.position(i).x), [0.5, 2.25, 3.25]);
    // Averaged Jacobi, ω = 1, PBD: both links see x = 0, 2, 4; the middle one's pulls cancel.
    let set = ["solver.partition=jacobi", "solver.omega=1", "solver.method=pbd"];
    let sim = run(text, &set, 1, Options::default());
    assert_eq!([0, 1, 2].map(|i| sim.position(i).x), [0.5, 2.0, 3.5]);
}

#[test]
fn s09_jacobi_keeps_linear_momentum() {
    // Split masses make the average of corrections a sum of impulses: a thrown body without gravity keeps
    // Σmv to rounding. 8 steps of 1e-7 relative each.
    let text = r#"
        solver = { iterations = 6 }
        world = { gravity = [0, 0, 0] }
        [[soft]]
        block = { cells = [3, 3, 3], size = [0.3, 0.3, 0.3] }
        velocity = [1, 2, 3]
        squash = [1, 0.8, 1]
        stretch = { compliance = 1e-4 }
    "#;
    for partition in ["jacobi", "jacobi-gather", "color"] {
        let set = [&*format!("solver.partition={partition}")];
        let mut sim = start(text, &set, Options::default());
        let before = sim.probe();
        for _ in 0..8 {
            sim.step().unwrap();
        }
        let after = sim.probe();
        for c in 0..3 {
            let lost = (after.linear[c] - before.linear[c]).abs() / before.linear[2];
            assert!(lost < 1e-4, "{partition}: component {c} off by {lost}");
        }
    }
}

#[test]
fn r01_uncoupled_bodies_move_as_if_alone() {
    // Islands are solved by themselves and large bodies in passes; neither may notice the other.
    let bodies = [
        "[[soft]]\nname = \"block\"\nblock = { cells = [4, 4, 4], size = [0.4, 0.4, 0.4] }\n\
         transform = { translate = [0, 0.1, 0] }\nvolume = { modulus = 1e5 }\n",
        "[[rope]]\nname = \"rod\"\npath = [[0, 0.5, 2], [1, 0.5, 2]]\ntwist = { modulus = 1e7 }\n",
        "[[cloth]]\nname = \"sheet\"\ngrid = { cells = [70, 70], size = [2, 2], plane = \"xz\" }\n\
         transform = { translate = [3, 0.1, 0] }\nbend = { compliance = 1 }\ntether = 2\npin = [{ at = \"corners\" }]\n",
        "[[inflatable]]\nname = \"balloon\"\nsphere = { radius = 0.3, subdivisions = 2 }\n\
         transform = { translate = [-2, 0.3, 0] }\npressure = 1.1\n",
    ];
    let floor = "[[collider]]\nplane = {}\n";
    let positions = |text: &str, name: &str| {
        let sim = run(text, &["solver.iterations=3"], 25, Options { threads: 2, ..Options::default() });
        let number = sim.topology().object_names.iter().position(|n| n == name).unwrap() as u32;
        let own = (0..sim.particles()).filter(|&i| sim.topology().objects[i] == number);
        own.map(|i| sim.position(i).to_array().map(f32::to_bits)).collect::<Vec<_>>()
    };
    let together = format!("{}{floor}", bodies.concat());
    for (body, name) in bodies.iter().zip(["block", "rod", "sheet", "balloon"]) {
        // Kinds group the scenes' lists, so the order of the file is not that of the particles.
        assert!(positions(&format!("{body}{floor}"), name) == positions(&together, name), "{name} notices the others");
    }
}
