//! Momentum of a free body: sweeps stop before forces balance to the last digit, and what is left would push it.

use crate::math::{RowData, position};
use glam::{DMat3, DVec3, Vec3};

/// Moves a body as a whole so that inner forces change neither its linear nor its angular momentum.
///
/// Inner forces sum to zero, so Σ m(x − x̃) = 0. Their torque vanishes at the end of the step, but the implicit step itself
/// turns a body that deforms: with `start`, the positions at the start of a first-order step, its angular momentum
/// Σ m r × (x − start) becomes what it was before, Σ m r₀ × (x̃ − start). Without it the torque is balanced.
pub(super) fn restore(
    x: &mut [RowData],
    target: &[RowData],
    start: Option<impl Fn(usize) -> RowData>,
    masses: &[f32],
    turns: &[bool],
) {
    let point = |r: RowData| position(r).as_dvec3();
    let vertices = || (0..x.len()).filter(|&v| !turns[v]);
    let (mut mass, mut center, mut drift, mut before) = (0.0, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
    for v in vertices() {
        let m = f64::from(masses[v]);
        mass += m;
        center += m * point(x[v]);
        drift += m * (point(x[v]) - point(target[v]));
        before += start.as_ref().map_or(DVec3::ZERO, |start| m * point(start(v)));
    }
    (center, drift, before) = (center / mass, drift / mass, before / mass);
    // Orientations of rods carry angular momentum of their own; their torques balance in the exact step.
    let mut turn = DVec3::ZERO;
    if !turns.iter().any(|t| *t) {
        let (mut spin, mut inertia) = (DVec3::ZERO, DMat3::ZERO);
        for v in vertices() {
            let (m, r) = (f64::from(masses[v]), point(x[v]) - center);
            spin += match &start {
                Some(start) => {
                    let (from, way) = (point(start(v)), point(target[v]) - point(start(v)));
                    m * (r.cross(point(x[v]) - from) - (from - before).cross(way))
                }
                None => m * r.cross(point(x[v]) - point(target[v])),
            };
            let square = r.length_squared();
            inertia +=
                DMat3::from_cols(DVec3::X * square - r * r.x, DVec3::Y * square - r * r.y, DVec3::Z * square - r * r.z)
                    * m;
        }
        let size = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
        inertia += DMat3::from_diagonal(DVec3::splat(1e-9 * size));
        if size > 0.0 {
            turn = inertia.inverse() * spin;
        }
    }
    for v in 0..x.len() {
        if !turns[v] {
            let way = drift + turn.cross(point(x[v]) - center);
            let next: Vec3 = (point(x[v]) - way).as_vec3();
            (x[v][0], x[v][1], x[v][2]) = (next.x, next.y, next.z);
        }
    }
}
