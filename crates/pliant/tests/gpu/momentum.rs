//! Momentum of objects in free flight on the GPU.

use crate::momentum_sums::momentum;
use crate::simulations::{on_gpu, ready, scene, software};
use glam::Vec3;
use pliant::runtime::gpu::GpuOptions;

#[test]
fn v32_objects_in_free_flight_keep_linear_and_angular_momentum_on_the_gpu() {
    if !ready() {
        return;
    }
    let kinds = [
        "[[soft]]\nblock = { cells = [5, 5, 5], size = [0.3, 0.3, 0.3] }\nsquash = [1, 0.7, 1]\n",
        "[[soft]]\nblock = { cells = [4, 3, 3], size = [0.3, 0.3, 0.3] }\nsquash = [1, 0.7, 1]\nfem = { young = 2e5, poisson = 0.3 }\n",
        "[[cloth]]\ngrid = { cells = [12, 9], size = [0.5, 0.4] }\n",
        "[[body]]\nbox = [0.3, 0.2, 0.3]\nrecovery = 0.05\n",
    ];
    for (text, solver) in kinds.into_iter().flat_map(|text| ["bdf1", "bdf2"].map(|solver| (text, solver))) {
        let head =
            format!("solver = {{ integrator = \"{solver}\" }}\nworld = {{ gravity = [0, 0, 0], air_density = 0 }}\n");
        let mut sim = on_gpu(&scene(&(head + text), &[]), GpuOptions::default()).unwrap();
        let spin = Vec3::new(1.0, -2.0, 0.5);
        for i in 0..sim.particles() {
            let v = spin.cross(sim.position(i)) + Vec3::new(0.5, 0.2, -0.3);
            sim.state_mut().velocities[i] = v.extend(0.0).to_array();
        }
        let (p, l, ..) = momentum(&sim);
        sim.advance(if software() { 25 } else { 60 }).unwrap();
        sim.sync().unwrap();
        let (p2, l2, ps, ls) = momentum(&sim);
        let (linear, angular) = ((p2 - p).length() / ps, (l2 - l).length() / ls);
        println!("{solver}: linear momentum off by {linear:.1e}, angular by {angular:.1e}: {text}");
        assert!(linear < 1e-5 && angular < 1e-4, "{solver}: {linear}, {angular}: {text}");
    }
}
