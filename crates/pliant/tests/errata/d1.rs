//! D1: the stretch constraint (3–4).

use crate::samples::{Double, Sample, XPBD};
use glam::DVec3;
use pliant::constraints::ConstraintKind;

/// D1 3–4: no share of the masses, and divided by the length twice.
fn printed_stretch(a: DVec3, b: DVec3, rest: f64) -> [DVec3; 2] {
    let d = a - b;
    let step = d / d.length() * ((d.length() - rest) / d.length());
    [a - step, b + step]
}

#[test]
fn e03_printed_stretch_does_not_reach_its_length_and_the_kernel_does_in_one_step() {
    let (rest, weights) = (1.0, [3.0, 0.25]);
    // Stretched to four times the length it stops at 2.5 times; compressed to a quarter it overshoots to 6.25 times.
    for (length, after) in [(4.0, 2.5), (0.25, 6.25)] {
        let (a, b) = (DVec3::new(0.6, 0.8, 0.0) * length, DVec3::ZERO);
        let [pa, pb] = printed_stretch(a, b, rest);
        assert!((pa.distance(pb) - after).abs() < 1e-12, "{} from {length}", pa.distance(pb));
        let momentum = (pa - a) / weights[0] + (pb - b) / weights[1];
        assert!(momentum.length() > 1.0, "{momentum}");
        let rows = vec![[a.x, a.y, a.z, weights[0]], [b.x, b.y, b.z, weights[1]]];
        let mut at = Sample { kind: ConstraintKind::Stretch, params: vec![rest, 0.0], rows };
        let outcome = at.project::<Double>(XPBD, &[0.0]);
        at.apply(&outcome);
        assert!((at.point(0).distance(at.point(1)) - rest).abs() < 1e-12);
        let push = |k: usize| DVec3::from_slice(&outcome.rows[k][..3]) / weights[k];
        assert!((push(0) + push(1)).length() < 1e-12);
    }
}
