//! T07, T08: the built-in versions of D2's scenes have its counts and reproduce its results.

use pliant::builder::NoMeshes;
use pliant::scene::{Format, Override, Scene};
use pliant::{Options, World};

fn scene(name: &str, set: &[&str]) -> World {
    let path = format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let set: Vec<Override> = set.iter().map(|s| s.parse().unwrap()).collect();
    let scene = Scene::parse_with(&text, Format::Toml, &set).unwrap();
    // Tests run side by side.
    World::from_scene(&scene, &NoMeshes, Options { threads: 1, ..Options::default() }).unwrap()
}

/// D2 gives its numbers as about so many thousand.
fn assert_about(found: usize, wanted: usize, what: &str) {
    let error = found as f64 / wanted as f64 - 1.0;
    assert!(error.abs() < 0.02, "{found} {what} for {wanted}: {:.1} % off", 100.0 * error);
}

fn assert_counts(name: &str, stretch: usize, volume: usize, iterations: u32) {
    let sim = scene(name, &[]);
    let counts = sim.counts();
    assert_about(counts["stretch"], stretch, "stretch constraints");
    assert_about(counts["volume"], volume, "tetrahedra");
    assert_eq!(sim.model().settings.iterations, iterations);
}

#[test]
fn t07_the_squishy_ball_has_the_counts_of_d2() {
    assert_counts("squishy", 452_000, 250_000, 8);
}

#[test]
fn t07_the_omotondo_has_the_counts_of_d2() {
    assert_counts("omotondo", 80_000, 65_000, 16);
}

#[test]
fn t07_the_400_tori_have_the_counts_of_d2() {
    assert_counts("tori", 493_000, 313_000, 4);
    assert_eq!(scene("tori", &[]).topology().object_names.len(), 400);
}

#[test]
fn t07_the_flattened_omotondo_comes_back_to_its_volume() {
    let mut sim = scene("omotondo", &[]);
    let flat = sim.residuals()["volume"];
    // A tenth of the height is a tenth of the volume.
    assert!((flat.mean - 0.9).abs() < 1e-3 && (flat.max - 0.9).abs() < 1e-3, "{flat:?}");
    for _ in 0..60 {
        sim.step().unwrap();
    }
    // Errors fall by about a factor of ten every 0.3 s, from 1e-3 here, until rounding is left of them.
    for (kind, residual) in sim.residuals() {
        assert!(residual.mean < 5e-3 && residual.max < 0.1, "{kind}: {residual:?}");
    }
}

#[test]
fn t07_the_squishy_ball_and_the_tori_meet_the_ground_and_stay_finite() {
    // Higher up is only more of the same fall: the lowest particles start a hand's breadth above the ground.
    for (name, set) in [
        ("squishy", vec!["soft.0.transform.translate=[0, 1.65, 0]"]),
        ("tori", vec!["soft.0.transform.translate=[-10, 0.5, -10]", "soft.1.transform.translate=[-10, 0.5, -9]"]),
    ] {
        let mut sim = scene(name, &set);
        for _ in 0..25 {
            sim.step().unwrap();
        }
        assert!(sim.probe().contacts > 0, "{name} does not reach the ground");
        let mean = sim.residuals()["stretch"].mean;
        assert!(mean < 0.1, "{name}: edges are off by {mean} of their length");
    }
}

#[test]
fn t08_the_stretched_cloth_has_400_particles_1_121_constraints_and_16_times_its_area() {
    let sim = scene("stretched", &[]);
    assert_eq!((sim.particles(), sim.counts()["stretch"]), (400, 1_121));
    // Four times as long as at rest, every edge of it: 16 times the area, an error of 3.
    let stretch = sim.residuals()["stretch"];
    assert!((stretch.mean - 3.0).abs() < 1e-4 && (stretch.max - 3.0).abs() < 1e-4, "{stretch:?}");
}

#[test]
fn t08_the_stretched_cloth_goes_back_without_integration() {
    // e^(−10⁴/s · 0.02 s) is less than the smallest f32, so that a velocity moves nothing; pairs of equal mass
    // keep their middle.
    let mut sim = scene("stretched", &["cloth.0.velocity=[5, 0, 0]"]);
    let middle = sim.probe().center;
    for _ in 0..400 {
        sim.step().unwrap();
    }
    let moved = sim.probe().center.iter().zip(middle).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(moved < 1e-4, "the middle moved by {moved} m");
    // Gauss–Seidel takes hundreds of passes to carry lengths across 20 particles, but gets there.
    let stretch = sim.residuals()["stretch"];
    assert!(stretch.mean < 0.01 && stretch.max < 0.05, "{stretch:?}");
}
