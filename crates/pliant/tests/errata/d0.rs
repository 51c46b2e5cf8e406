//! D0: tetrahedral volume (8–13), projection without masses (3–4), figures and the cost of coloring.

use crate::samples::{Double, Rng, Sample, XPBD, sample};
use glam::DVec3;
use pliant::constraints::ConstraintKind;
use pliant::partition::color::smallest_last;

/// Corners of a random tetrahedron with random masses, away from its rest volume.
fn tetrahedron(seed: u64) -> Sample {
    sample(ConstraintKind::Volume, &mut Rng(seed))
}

fn corners(at: &Sample) -> [DVec3; 4] {
    [0, 1, 2, 3].map(|k| at.point(k))
}

fn volume(p: &[DVec3; 4]) -> f64 {
    (p[1] - p[0]).cross(p[2] - p[0]).dot(p[3] - p[0]) / 6.0
}

/// ∂V/∂pₖ by central differences; V is linear in each corner, so only rounding is left.
fn differences(p: &[DVec3; 4], corner: usize) -> DVec3 {
    let part = |axis: DVec3| {
        let at = |shift: f64| {
            let mut moved = *p;
            moved[corner] += axis * shift;
            volume(&moved)
        };
        (at(0.5) - at(-0.5)) / 1.0
    };
    DVec3::new(part(DVec3::X), part(DVec3::Y), part(DVec3::Z))
}

/// D0 8–11, D1 11–14.
fn printed_gradients(p: &[DVec3; 4]) -> [DVec3; 4] {
    let [e2, e3, e4] = [1, 2, 3].map(|k| p[k] - p[0]);
    let g = [e2.cross(e3) / 6.0, e3.cross(e4) / 6.0, e4.cross(e2) / 6.0];
    [-(g[0] + g[1] + g[2]), g[0], g[1], g[2]]
}

/// D0 12–13, D1 6–10, with the correct gradients: only the sign and the missing masses are as printed.
fn printed_correction(p: &[DVec3; 4], rest: f64) -> [DVec3; 4] {
    let g = [0, 1, 2, 3].map(|k| differences(p, k));
    let s = (volume(p) - rest) / g.iter().map(|g| g.length_squared()).sum::<f64>();
    g.map(|g| g * s)
}

/// D0 3–4: Δp = λ∇C with λ = −C/|∇C|², here for the distance of two points.
fn printed_projection(a: DVec3, b: DVec3, rest: f64) -> [DVec3; 2] {
    let n = (a - b).normalize();
    let lambda = -((a - b).length() - rest) / 2.0;
    [n * lambda, n * -lambda]
}

fn moves(outcome: &crate::samples::Outcome) -> Vec<DVec3> {
    outcome.rows.iter().map(|row| DVec3::from_slice(&row[..3])).collect()
}

#[test]
fn e01_printed_volume_gradients_are_permuted_and_the_kernels_are_the_differences() {
    for seed in 1..20 {
        let at = tetrahedron(seed);
        let p = corners(&at);
        let exact = [0, 1, 2, 3].map(|k| differences(&p, k));
        let off = |g: &[DVec3; 4]| (0..4).map(|k| g[k].distance(exact[k]) / exact[k].length()).fold(0.0, f64::max);
        let printed = off(&printed_gradients(&p));
        assert!(printed > 0.3, "seed {seed}: the printed gradients are off by {printed} only");
        // Δxₖ = wₖ·Δλ·∇ₖ from λ = 0.
        let outcome = at.project::<Double>(XPBD, &[0.0]);
        let step = moves(&outcome);
        let ours = off(&[0, 1, 2, 3].map(|k| step[k] / (at.weight(k) * outcome.lambda[0])));
        assert!(ours < 1e-6, "seed {seed}: the kernel's gradients are off by {ours}");
    }
}

#[test]
fn e02_printed_volume_correction_raises_the_error_and_loses_momentum_and_the_kernels_does_neither() {
    for seed in 1..20 {
        let at = tetrahedron(seed);
        let (p, rest) = (corners(&at), at.params[0]);
        let error = |step: &[DVec3]| (volume(&[0, 1, 2, 3].map(|k| p[k] + step[k])) - rest).abs();
        let momentum = |step: &[DVec3]| {
            let each = (0..4).map(|k| step[k] / at.weight(k));
            each.clone().sum::<DVec3>().length() / each.map(|v| v.length()).sum::<f64>()
        };
        let before = (volume(&p) - rest).abs();
        let printed = printed_correction(&p, rest);
        assert!(error(&printed) > before, "seed {seed}: {before} became {}", error(&printed));
        assert!(momentum(&printed) > 0.01, "seed {seed}: {}", momentum(&printed));
        let ours = moves(&at.project::<Double>(XPBD, &[0.0]));
        assert!(error(&ours) < before, "seed {seed}: {before} became {}", error(&ours));
        assert!(momentum(&ours) < 1e-12, "seed {seed}: {}", momentum(&ours));
    }
}

#[test]
fn e05_without_inverse_masses_momentum_is_lost_and_a_fixed_particle_moves() {
    let (rest, weights) = (1.0, [2.0, 0.5]);
    let (a, b) = (DVec3::new(3.0, 1.0, 0.0), DVec3::new(0.0, -3.0, 0.0));
    let momentum = |step: &[DVec3]| (step[0] / weights[0] + step[1] / weights[1]).length();
    let printed = printed_projection(a, b, rest);
    assert!(momentum(&printed) > 1.0, "{}", momentum(&printed));
    assert!(printed[1].length() > 1.0, "a fixed particle would move too: nothing in the formula says otherwise");
    let edge = |w: [f64; 2]| {
        let rows = vec![[a.x, a.y, a.z, w[0]], [b.x, b.y, b.z, w[1]]];
        let at = Sample { kind: ConstraintKind::Stretch, params: vec![rest, 0.0], rows };
        moves(&at.project::<Double>(XPBD, &[0.0]))
    };
    let ours = edge(weights);
    assert!(momentum(&ours) < 1e-12 && (ours[0].length() - 4.0 * ours[1].length()).abs() < 1e-12);
    let held = edge([weights[0], 0.0]);
    assert_eq!(held[1], DVec3::ZERO);
    assert!(((a + held[0] - b).length() - rest).abs() < 1e-12);
}

/// Neighbors that greedy coloring visits: pairs of constraints that share a particle, counted from both.
fn neighbor_visits(row_count: usize, edges: &[[u32; 2]]) -> usize {
    let on = |r: u32| edges.iter().filter(|e| e.contains(&r)).count();
    (0..row_count as u32).map(|r| on(r) * on(r).saturating_sub(1)).sum()
}

#[test]
fn e10_printed_step_time_contradicts_the_frame_rate_and_coloring_is_not_linear_in_nodes() {
    // Table 1 gives 1105 frames per second for the cloth whose caption claims 0.1 ms a step.
    let (printed_fps, printed_step) = (1105.0, 0.1e-3);
    assert!(1.0 / printed_fps > 9.0 * printed_step, "0.905 ms is nine times as long as printed");
    // Two constraint graphs with the same number of nodes: the number of visits depends on how many
    // constraints share a particle, so no bound in nodes alone holds.
    let n = 500_u32;
    let apart: Vec<[u32; 2]> = (0..n).map(|i| [2 * i, 2 * i + 1]).collect();
    let star: Vec<[u32; 2]> = (1..=n).map(|i| [0, i]).collect();
    assert_eq!(neighbor_visits(2 * n as usize, &apart), 0);
    assert_eq!(neighbor_visits(n as usize + 1, &star), (n * (n - 1)) as usize);
    assert_eq!(smallest_last(2, &apart.concat(), 2 * n as usize).len(), 1);
    assert_eq!(smallest_last(2, &star.concat(), n as usize + 1).len(), n as usize);
    // At a fixed number of constraints per particle it is linear: per incidence a chain costs the same at any length.
    let chain = |n: u32| (0..n).map(|i| [i, i + 1]).collect::<Vec<_>>();
    let cost = |n: u32| neighbor_visits(n as usize + 1, &chain(n)) as f64 / f64::from(2 * n);
    assert!((cost(400) / cost(100) - 1.0).abs() < 0.01);
    assert_eq!(smallest_last(2, &chain(100_000).concat(), 100_001).len(), 2);
}
