//! Contacts that exist at the start give no energy, however short the time step.

use crate::rng::Rng;
use crate::support::simulate;

#[test]
fn v33_grains_that_touch_at_the_start_fall_freely_at_any_time_step() {
    let mut rng = Rng::of(33);
    for exponent in [-6.0, -5.5, -5.0, -4.4, -4.0, -3.5, -3.0, -2.5, -2.0] {
        for integrator in ["bdf1", "bdf2"] {
            let (dt, radius, n) = (10_f64.powf(exponent), rng.range(0.01, 0.05), rng.count(4, 7));
            let edge = 2.0 * radius * n as f64;
            let mut sim = simulate(&format!(
                "solver = {{ dt = {dt}, integrator = \"{integrator}\" }}\nworld = {{ air_density = 0 }}
                 [[grains]]\nradius = {radius}\nfill = {{ min = [0, 5, 0], max = [{edge}, {}, {edge}] }}\n",
                5.0 + edge
            ));
            sim.advance(20).unwrap();
            let square = (0..sim.particles()).map(|i| f64::from(sim.velocity(i).length_squared())).sum::<f64>();
            let found = (square / sim.particles() as f64).sqrt() / (9.81 * sim.time());
            println!("dt {dt:.1e}, {integrator}: {found:.5} of the speed of free fall");
            assert!((found - 1.0).abs() < 1e-3, "dt {dt}, {integrator}: {found} of the speed of free fall");
        }
    }
}
