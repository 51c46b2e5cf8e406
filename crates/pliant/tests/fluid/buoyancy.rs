//! Buoyancy: solids that float, their draft, and solids that sink (V09, S24).

use crate::support::{simulate, tank};
use pliant::World;

/// A box of 14 × 10 × 14 particles in a tank of water: wide enough to float upright (a cube would turn over).
fn boxed(density: f32) -> World {
    let text = format!(
        "solver = {{ dt = 0.01, substeps = 3, iterations = 3 }}\nfluid = {{ radius = 0.02, xsph = 0.05 }}
         [[liquid]]\nfill = {{ min = [-0.5, 0, -0.5], max = [0.5, 0.56, 0.5] }}
         [[body]]\nname = \"box\"\nbox = [0.56, 0.4, 0.56]\ngrid = 14\ndensity = {density}\ntransform = {{ translate = [0, 0.77, 0] }}\n"
    ) + &tank([-0.5, 0.0, -0.5], [0.5, 0.0, 0.5]);
    simulate(&text)
}

/// Height of the middle of the box, and of the water around it [m]: twice that of its center of mass, away from the box.
fn heights(sim: &World) -> (f64, f64) {
    let mean = |of: &dyn Fn(usize) -> bool| {
        let all: Vec<usize> = (0..sim.particles()).filter(|&i| of(i)).collect();
        all.iter().map(|&i| f64::from(sim.position(i).y)).sum::<f64>() / all.len() as f64
    };
    let body = |i: usize| sim.topology().objects[i] == 0;
    let away = |i: usize| !body(i) && sim.position(i).x.abs().max(sim.position(i).z.abs()) > 0.34;
    (mean(&body), 2.0 * mean(&away))
}

#[test]
fn v09_s24_a_box_floats_as_deep_as_its_density_says() {
    for density in [300.0, 600.0] {
        let mut sim = boxed(density);
        sim.advance(150).unwrap();
        let (mut draft, turns) = (0.0, 10);
        for _ in 0..turns {
            sim.advance(5).unwrap();
            let (middle, water) = heights(&sim);
            draft += (water - (middle - 0.2)) / 0.4 / f64::from(turns);
        }
        let wanted = f64::from(density) / 1000.0;
        println!("{density} kg/m³: {draft:.3} of its height under water, theory {wanted:.3}");
        assert!((draft / wanted - 1.0).abs() < 0.05, "{draft} {wanted}");
    }
}

#[test]
fn s24_a_box_denser_than_water_sinks_and_a_light_one_comes_up() {
    let mut heavy = boxed(2500.0);
    // It is down after 40 steps, and stays there.
    heavy.advance(60).unwrap();
    let (middle, _) = heights(&heavy);
    // A layer of water may be left beneath.
    assert!(middle < 0.25, "{middle}");
    let mut light = boxed(100.0);
    // Pushed under.
    for i in 0..light.particles() {
        if light.topology().objects[i] == 0 {
            light.state_mut().velocities[i][1] = -6.0;
        }
    }
    // It is out of the water after 10 steps and falls back at 80.
    light.advance(80).unwrap();
    let (middle, water) = heights(&light);
    assert!(middle > water, "{middle} {water}");
}
