//! Momentum of all particles of a world.

use glam::DVec3;
use pliant::World;

/// Linear momentum, angular momentum about the center, and the sums of their sizes.
pub fn momentum(sim: &World) -> (DVec3, DVec3, f64, f64) {
    let mass = |i: usize| 1.0 / f64::from(sim.state().rows[i][3]);
    let all = || (0..sim.particles()).map(|i| (mass(i), sim.position(i).as_dvec3(), sim.velocity(i).as_dvec3()));
    let total: f64 = all().map(|(m, ..)| m).sum();
    let center = all().map(|(m, x, _)| x * m).sum::<DVec3>() / total;
    all().fold((DVec3::ZERO, DVec3::ZERO, 0.0, 0.0), |(p, l, ps, ls), (m, x, v)| {
        let r = x - center;
        (p + v * m, l + r.cross(v) * m, ps + v.length() * m, ls + r.length() * v.length() * m)
    })
}
