//! Solid particles much larger than those of the surrounding liquid (S23).

use crate::support::{compression, momentum, simulate, tank, with};
use pliant::Isa;
use pliant::neighbors::Search;

/// One grain in the middle of a place.
fn grain(name: &str, radius: f32, density: f32, [x, y, z]: [f32; 3]) -> String {
    let (low, high) = ([x, y, z].map(|c| c - radius), [x, y, z].map(|c| c + radius));
    format!(
        "[[grains]]\nname = \"{name}\"\nfill = {{ min = {low:?}, max = {high:?} }}\nradius = {radius}\njitter = 0\ndensity = {density}\n"
    )
}

/// Two liquids, three balls, 2, 3 and 7 times as large as their particles, and a body of three blocks fly at each other. So large
/// a ball wants a tree.
fn collision_scene() -> String {
    let head = "solver = { dt = 0.005, iterations = 3 }\nworld = { gravity = [0, 0, 0], damping = 0, air_density = 0 }
        fluid = { radius = 0.02 }
        [[liquid]]\nfill = { min = [-0.3, 0, 0], max = [-0.06, 0.24, 0.24] }\nvelocity = [1, 0, 0]\nviscosity = 1
        [[liquid]]\nname = \"oil\"\nfill = { min = [0.06, 0, 0], max = [0.3, 0.24, 0.24] }\nvelocity = [-1, 0, 0]\ndensity = 500
        viscosity = 20\n";
    head.to_owned()
        + &grain("small", 0.04, 3000.0, [0.0, 0.05, 0.06])
        + &grain("middle", 0.06, 200.0, [0.0, 0.16, 0.16])
        + &grain("large", 0.14, 800.0, [0.0, 0.4, 0.1])
        + "velocity = [0, -1.5, 0]\n[[body]]\nname = \"blocks\"\nbox = [0.24, 0.08, 0.08]\ngrid = 3\ndensity = 400\n"
        + "transform = { translate = [0, -0.1, 0.12] }\nvelocity = [0, 1, 0]\n"
}

#[test]
fn s23_large_balls_and_liquids_keep_momentum() {
    let mut sim = simulate(&collision_scene());
    let (before, size) = momentum(&sim);
    let fluid = sim.model().fluid.as_ref().unwrap();
    assert_eq!((0..sim.particles()).filter(|&i| fluid.large_particle(i).is_some()).count(), 6);
    assert_eq!(fluid.search(), Search::Tree);
    sim.advance(60).unwrap();
    let off = (momentum(&sim).0 - before).length() / size;
    println!("momentum is off by {off:.1e}");
    assert!(off < 1e-5, "{off}");
}

#[test]
fn r01_r02_large_balls_in_liquids_give_the_same_bits_on_any_number_of_threads_and_lanes() {
    let run = |threads: usize, isa: Isa| {
        let mut sim = with(&collision_scene(), threads, isa);
        sim.advance(20).unwrap();
        sim.state().hash()
    };
    let first = run(1, Isa::SCALAR);
    for isa in Isa::available() {
        for threads in [1, 3] {
            assert_eq!(run(threads, isa), first, "{isa:?}, {threads} threads");
        }
    }
}

/// How deep a ball floats in a tank of water, over its radius: 1 where its middle is at the surface.
fn draft(radius: f32, density: f32) -> f64 {
    let (half, steps) = (0.24, 40);
    let text = "solver = { dt = 0.01, substeps = 4, iterations = 3 }\nfluid = { radius = 0.02, xsph = 0.02 }
        [[liquid]]\nfill = { min = [-0.24, 0, -0.24], max = [0.24, 0.36, 0.24] }\n"
        .to_owned()
        + &grain("ball", radius, density, [0.0, 0.38 + radius, 0.0])
        + &tank([-half, 0.0, -half], [half, 0.0, half]);
    let mut sim = simulate(&text);
    sim.advance(140).unwrap();
    let mut sum = 0.0;
    for _ in 0..steps {
        sim.advance(1).unwrap();
        // The ball is the first particle. A tenth of the water is its topmost layer, of which this is well within.
        let mut heights: Vec<f32> = (1..sim.particles()).map(|i| sim.position(i).y).collect();
        heights.sort_by(f32::total_cmp);
        let surface = heights[heights.len() - heights.len() / 40] + 0.02;
        sum += f64::from((surface - (sim.position(0).y - radius)) / radius);
    }
    let found = sum / f64::from(steps);
    let (mean, most) = compression(&sim);
    println!(
        "radius {radius} m, {density} kg/m³: {found:.3} of the radius deep; compressed by {mean:.4}, {most:.4} at most"
    );
    assert!(most < 0.02, "{most}");
    found
}

/// A ball of half the density of water has its middle at the surface, one of 0.75 is 1.347 radii deep: d²·(3 − d)/4 is how much
/// of it is under water. With contacts alone they were 1.74 and 1.77 deep.
#[test]
fn s23_large_balls_float_as_deep_as_their_density_says() {
    for (radius, density, wanted) in [(0.04, 500.0, 1.0), (0.1, 750.0, 1.347)] {
        let off = (draft(radius, density) - wanted).abs() * f64::from(radius);
        // To half a particle of the water, of which the surface is made.
        assert!(off < 0.01, "{off} m");
    }
}
