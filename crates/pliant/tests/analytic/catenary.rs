//! A chain hanging between two fixed points.

use crate::support::{left_to_hardware, relative, simulate, step};

#[test]
fn v03_catenary_of_length_2_over_span_1_sags_by_0_79639() {
    if left_to_hardware() {
        return;
    }
    // y = a·cosh(x/a) with 2a·sinh(½/a) = 2 gives a = 0.22965 and a sag of a·(cosh(½/a) − 1) = 0.79639.
    // Many small substeps with one iteration each converge far better than many iterations of a long one;
    // damping brings the chain to rest.
    let mut sim = simulate(
        "[solver]\ndt = 0.01\nsubsteps = 40\niterations = 1\n[world]\ndamping = 4\n[[rope]]\n\
         path = [[0, 0, 0], [0.5, -0.8660254, 0], [1, 0, 0]]\nsegments = 100\n\
         pin = [{ at = \"start\" }, { at = \"end\" }]\n",
    );
    step(&mut sim, 600);
    let sag = -f64::from((0..sim.particles()).map(|i| sim.position(i).y).fold(0.0, f32::min));
    let length: f32 = (1..=100).map(|i| sim.position(i).distance(sim.position(i - 1))).sum();
    let fastest = (0..101).map(|i| sim.velocity(i).length()).fold(0.0, f32::max);
    eprintln!("catenary: sag {sag:.5} against 0.79639, length {length:.5}, fastest {fastest:.1e} m/s");
    assert!(relative(sag, 0.79639) < 0.01, "sag {sag}");
    // The sag must be right because the chain keeps its length, not by chance.
    assert!((length - 2.0).abs() < 0.002, "length {length}");
    let (left, right) = (sim.position(30), sim.position(70));
    assert!((left.x + right.x - 1.0).abs() < 0.005 && (left.y - right.y).abs() < 0.005, "{left} {right}");
}
