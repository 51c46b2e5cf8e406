//! Momentum of a free body: sweeps stop before forces balance to the last digit, and what is left would push it.

use crate::math::{RowData, position};
use glam::{DMat3, DVec3, Vec3};

/// Moves a body as a whole so that inner forces change neither its linear nor its angular momentum.
///
/// Inner forces sum to zero and have no torque at the end of the step, so Σ m(x − x̃) = 0 and Σ m x × (x − x̃) = 0.
pub(super) fn restore(x: &mut [RowData], target: &[RowData], masses: &[f32], turns: &[bool]) {
    let point = |r: RowData| position(r).as_dvec3();
    let vertices = || (0..x.len()).filter(|&v| !turns[v]);
    let (mut mass, mut center, mut drift) = (0.0, DVec3::ZERO, DVec3::ZERO);
    for v in vertices() {
        let m = f64::from(masses[v]);
        mass += m;
        center += m * point(x[v]);
        drift += m * (point(x[v]) - point(target[v]));
    }
    (center, drift) = (center / mass, drift / mass);
    // Orientations of rods carry angular momentum of their own; their torques balance in the exact step.
    let mut turn = DVec3::ZERO;
    if !turns.iter().any(|t| *t) {
        let (mut spin, mut inertia) = (DVec3::ZERO, DMat3::ZERO);
        for v in vertices() {
            let (m, r) = (f64::from(masses[v]), point(x[v]) - center);
            spin += m * r.cross(point(x[v]) - point(target[v]));
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
