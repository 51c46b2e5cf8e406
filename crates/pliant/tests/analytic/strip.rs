//! V18: a strip of cloth clamped at one end, by the solver.

use crate::support::{G, relative, simulate, step};

#[path = "../support/elastica.rs"]
mod elastica;

use elastica::elastica;

#[test]
fn v18_a_clamped_strip_of_cloth_hangs_as_the_heavy_elastica_when_refined() {
    let (along, across, cell, density) = (20, 4, 0.012, 0.25);
    let length = f64::from(along - 1) * cell;
    let rigidity = density * G * length.powi(3) / 4.0;
    // The hinges at the clamp bend over a whole cell, half of which lies within it.
    let exact = elastica(rigidity, density * G, length + 0.5 * cell);
    for model in ["dihedral", "isometric"] {
        let mut sim = simulate(&format!(
            "[solver]\ndt = 0.01\nsubsteps = 64\niterations = 4\n[world]\nair_density = 0\ndamping = 4\n[[cloth]]\n\
             grid = {{ cells = [{along}, {across}], size = [{}, {}], plane = \"xz\" }}\ndensity = {density}\n\
             stretch = {{ modulus = {} }}\nbend = {{ modulus = {rigidity} }}\nbend_model = \"{model}\"\n\
             pin = [{{ inside = {{ min = [-1, -1, -1], max = [{}, 1, 1] }} }}]\n",
            f64::from(along) * cell,
            f64::from(across) * cell,
            3000.0 * density * G * length,
            1.01 * cell
        ));
        let tip: Vec<usize> =
            (0..sim.particles()).filter(|&i| f64::from(sim.position(i).x) > (f64::from(along) - 0.5) * cell).collect();
        step(&mut sim, 300);
        let drop = -tip.iter().map(|&i| f64::from(sim.position(i).y)).sum::<f64>() / tip.len() as f64;
        eprintln!("strip, {model}: {:.1} mm against {:.1} mm", 1e3 * drop, 1e3 * exact);
        assert!(relative(drop, exact) < 0.05, "{model}: {drop} against {exact}");
    }
}
