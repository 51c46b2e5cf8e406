//! Partitions compared on the same bodies: momentum, rest, convergence (S12, S13, T06, T08, E08).

use glam::{DVec3, Vec3};
use pliant::builder::NoMeshes;
use pliant::constraints::ConstraintKind;
use pliant::scene::{Format, Override, Scene};
use pliant::{Options, World};

fn build(text: &str, set: &[&str]) -> World {
    let set: Vec<Override> = set.iter().map(|s| s.parse().unwrap()).collect();
    let scene = Scene::parse_with(text, Format::Toml, &set).unwrap();
    // Tests run side by side.
    World::from_scene(&scene, &NoMeshes, Options { threads: 1, ..Options::default() }).unwrap()
}

fn mean(sim: &World, kind: ConstraintKind) -> f64 {
    sim.residuals()[kind.name()].mean
}

/// Pseudo-random numbers in −1..1 that are the same everywhere.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    }
    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }
}

/// A block afloat, particles of random mass and velocity.
fn shaken(set: &[&str]) -> World {
    let text = r#"
        solver = { iterations = 4, dt = 0.01 }
        world = { gravity = [0, 0, 0], air_density = 0 }
        [[soft]]
        block = { cells = [12, 12, 12], size = [1, 1, 1], tets = "six" }
        transform = { translate = [-0.5, -0.5, -0.5] }
        stretch = { compliance = 1e-4 }
        volume = { compliance = 1e-6 }
    "#;
    let mut sim = build(text, set);
    let mut noise = Noise(7);
    let n = sim.particles();
    let state = sim.state_mut();
    for i in 0..n {
        // One to ten: most unequal neighbors.
        state.rows[i][3] = 1.0 / (5.5 + 4.5 * noise.next());
        let v = noise.vector();
        state.velocities[i] = [v.x, v.y, v.z, 0.0];
    }
    sim
}

/// Change of linear and angular momentum over 1,000 steps, over the sums of magnitudes at the start.
fn momentum_lost(mut sim: World) -> (f64, f64) {
    let momenta = |sim: &World| {
        let (mut p, mut l, mut p_size, mut l_size) = (DVec3::ZERO, DVec3::ZERO, 0.0, 0.0);
        for i in 0..sim.particles() {
            let m = 1.0 / f64::from(sim.state().rows[i][3]);
            let (x, v) = (sim.position(i).as_dvec3(), sim.velocity(i).as_dvec3());
            p += m * v;
            l += m * x.cross(v);
            p_size += m * v.length();
            l_size += m * x.cross(v).length();
        }
        (p, l, p_size, l_size)
    };
    let (p, l, p_size, l_size) = momenta(&sim);
    for _ in 0..1000 {
        sim.step().unwrap();
    }
    let (p_after, l_after, ..) = momenta(&sim);
    ((p_after - p).length() / p_size, (l_after - l).length() / l_size)
}

#[test]
fn s12_e08_phantoms_keep_momentum_with_random_masses() {
    let (linear, angular) = momentum_lost(shaken(&["solver.partition=phantom", "solver.colors=4"]));
    let (plain_linear, plain_angular) = momentum_lost(shaken(&["solver.partition=color"]));
    println!("phantoms: linear {linear:.1e}, angular {angular:.1e}; colors: {plain_linear:.1e}, {plain_angular:.1e}");
    assert!(linear < 1e-5, "linear momentum is off by {linear}");
    // Angular momentum is lost to the directions in which Gauss–Seidel pushes while particles move, with
    // copies or without. Copies move farther before they are averaged, and no more is lost than that.
    assert!(angular < 2.0 * plain_angular, "angular momentum is off by {angular}, {plain_angular} without copies");
}

#[test]
fn s12_e08_seams_keep_linear_momentum_with_random_masses() {
    let sim = shaken(&["solver.partition=shared-patch", "solver.patch_particles=300"]);
    assert!(sim.model().phantoms.ties.iter().any(|t| t.count > 2), "no particle is in three pieces");
    let (linear, angular) = momentum_lost(sim);
    println!("seams: linear {linear:.1e}, angular {angular:.1e}");
    assert!(linear < 1e-5, "linear momentum is off by {linear}");
}

#[test]
fn s12_e08_particles_split_within_pieces_keep_linear_momentum() {
    let sim = shaken(&["solver.partition=shared-patch", "solver.patch_particles=300", "solver.colors=4"]);
    let phantoms = &sim.model().phantoms;
    assert!(phantoms.ties.iter().any(|tie| phantoms.on_seam(tie.owner)), "no copy on a seam is split again");
    let (linear, angular) = momentum_lost(sim);
    println!("split within pieces: linear {linear:.1e}, angular {angular:.1e}");
    assert!(linear < 1e-5, "linear momentum is off by {linear}");
}

#[test]
fn s12_s13_released_at_rest_nothing_moves() {
    let few = "solver.colors=2";
    let pieces = ["solver.partition=shared-patch", "solver.patch_particles=60"];
    for set in [["solver.partition=phantom", few], ["solver.partition=hybrid", few], pieces] {
        let text = r#"
            world = { gravity = [0, 0, 0], air_density = 0 }
            [[cloth]]
            grid = { cells = [16, 16], size = [2, 2] }
            bend = { compliance = 1 }
        "#;
        let mut sim = build(text, &set);
        assert!(!sim.model().phantoms.owners.is_empty());
        let before = sim.hash();
        for _ in 0..20 {
            sim.step().unwrap();
        }
        assert_eq!(sim.hash(), before, "{set:?}: something moved");
    }
}

#[test]
fn s12_s13_enough_colors_split_nothing_and_give_the_bits_of_plain_colors() {
    let run = |set: &[&str]| {
        let mut sim = shaken(set);
        for _ in 0..20 {
            sim.step().unwrap();
        }
        assert!(sim.model().phantoms.owners.is_empty());
        sim.hash()
    };
    let plain = run(&["solver.partition=color"]);
    assert_eq!(run(&["solver.partition=phantom", "solver.colors=60"]), plain);
    assert_eq!(run(&["solver.partition=hybrid", "solver.colors=60"]), plain);
}

/// D2 Fig 10: a cloth pulled to 16 times its area goes back without integration. Residual, drift of the
/// center [m] and rotation [rad] of a cloth of side 1 m.
fn released(partition: &str, method: &str) -> (f64, f64, f64) {
    let text = r#"
        solver = { iterations = 10, dt = 0.02, patch_particles = 64 }
        world = { gravity = [0, 0, 0], air_density = 0, damping = 1e4 }
        [[cloth]]
        grid = { cells = [19, 19], size = [1, 1] }
        transform = { translate = [-0.5, -0.5, 0] }
    "#;
    let softness = if method == "pbd" { "{ stiffness = 1 }" } else { "{ compliance = 0 }" };
    let set = [
        format!("solver.partition={partition}"),
        format!("solver.method={method}"),
        format!("cloth.0.stretch={softness}"),
    ];
    let mut sim = build(text, &set.each_ref().map(String::as_str));
    assert_eq!((sim.particles(), sim.model().count(ConstraintKind::Stretch)), (400, 1121));
    let rest: Vec<Vec3> = (0..400).map(|i| sim.position(i)).collect();
    for row in &mut sim.state_mut().rows[..400] {
        (row[0], row[1]) = (row[0] * 4.0, row[1] * 4.0);
    }
    let steps = if partition == "jacobi" { 1000 } else { 300 };
    for _ in 0..steps {
        sim.step().unwrap();
    }
    let (mut center, mut cross, mut dot) = (DVec3::ZERO, 0.0, 0.0);
    for (i, r) in rest.iter().enumerate() {
        let (r, x) = (r.as_dvec3(), sim.position(i).as_dvec3());
        center += x / 400.0;
        cross += r.x * x.y - r.y * x.x;
        dot += r.x * x.x + r.y * x.y;
    }
    (mean(&sim, ConstraintKind::Stretch), center.length(), cross.atan2(dot))
}

#[test]
fn t08_s13_all_solvers_bring_the_stretched_cloth_back_and_only_plain_hybrid_carries_it_away() {
    for method in ["pbd", "xpbd"] {
        for partition in ["serial", "color", "phantom", "hybrid", "patch", "shared-patch", "jacobi"] {
            let (residual, drift, turned) = released(partition, method);
            println!("{partition} {method}: residual {residual:.1e}, drift {drift:.1e} m, rotation {turned:.1e} rad");
            assert!(residual < 1e-4, "{partition} {method} stops {residual} from rest");
            if (partition, method) == ("hybrid", "pbd") {
                // Averaging with full masses is not an exchange of momentum: each particle divides by its own
                // number of constraints, so the parts of one constraint no longer cancel.
                assert!(drift > 1e-2, "the spurious mode is gone: {drift}");
            } else {
                assert!(drift < 1e-4, "{partition} {method} has drifted by {drift} m");
            }
        }
    }
}

fn scene(name: &str, set: &[&str]) -> World {
    let path = format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    build(&std::fs::read_to_string(path).unwrap(), set)
}

#[test]
fn t05_t06_s11_s12_gauss_seidel_variants_come_to_the_same_rest() {
    // Flattened and released in empty space, a body that keeps lengths and volumes has one shape to come back
    // to. The mean error says how far from it a solver stops; two of them differ by no more than the sum.
    // The slab is a ninth of the scene's: it has as many layers, and pieces of every kind.
    let slab = ["soft.0.block.cells=[24, 2, 24]", "soft.0.block.size=[1.2, 0.4, 1.2]", "solver.patch_particles=300"];
    let cases = [
        ("cube", "[1, 0.4, 1]", 150, &["solver.patch_particles=1500"][..]),
        ("flat_body", "[1, 0.3, 1]", 300, &slab[..]),
    ];
    for (name, squash, steps, more) in cases {
        for partition in ["serial", "color", "phantom", "patch", "shared-patch"] {
            let set = [
                format!("solver.partition={partition}"),
                format!("soft.0.squash={squash}"),
                "world.gravity=[0, 0, 0]".into(),
                "world.damping=8".into(),
            ];
            let mut sim = scene(name, &[&set.each_ref().map(String::as_str)[..], more].concat());
            let pressed = mean(&sim, ConstraintKind::Stretch);
            for _ in 0..steps {
                sim.step().unwrap();
            }
            let (stretch, volume) = (mean(&sim, ConstraintKind::Stretch), mean(&sim, ConstraintKind::Volume));
            let fastest = (0..sim.particles()).map(|i| sim.velocity(i).length()).fold(0.0, f32::max);
            println!(
                "{name} {partition}: stretch {pressed:.1e} to {stretch:.1e}, volume {volume:.1e}, {fastest:.1e} m/s"
            );
            assert!(stretch < 2e-4 && volume < 2e-4, "{name} {partition}: {stretch}, {volume} from rest");
            assert!(pressed > 0.1, "{name} was hardly pressed");
        }
    }
}

/// Mean error by kind, summed over the first steps of a scene.
fn errors(name: &str, steps: usize, partition: &str, patch: &str) -> std::collections::BTreeMap<&'static str, f64> {
    let (a, b) = (format!("solver.partition={partition}"), format!("solver.patch_particles={patch}"));
    let mut sim = scene(name, &[&a, &b]);
    let mut sums = std::collections::BTreeMap::new();
    for _ in 0..steps {
        sim.step().unwrap();
        for (kind, r) in sim.residuals() {
            *sums.entry(kind).or_insert(0.0) += r.mean;
        }
    }
    sums
}

#[test]
fn s11_s12_patches_are_within_half_again_of_colors_at_equal_iterations_and_shared_patches_within_twice() {
    for (name, steps) in [("peer_tet", 20), ("peer_cloth", 20), ("cube", 60)] {
        let colors = errors(name, steps, "color", "1000");
        for (partition, patch, most) in
            [("patch", "300", 1.5), ("patch", "1024", 1.5), ("patch", "3072", 1.5), ("shared-patch", "3072", 2.0)]
        {
            for (kind, sum) in &errors(name, steps, partition, patch) {
                let ratio = sum / colors[kind];
                println!("{name}, {partition} of {patch}, {kind}: {ratio:.2} of colors");
                assert!(ratio < most, "{name}, {partition} of {patch}: {kind} has {ratio} times the error of colors");
            }
        }
    }
}
