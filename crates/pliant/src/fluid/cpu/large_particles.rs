//! Large solid particles in fluids, as spheres; scalar, since few are near any particle.

use crate::fluid::density::Sums;
use crate::fluid::parameters::Fluid;
use crate::math::RowData;
use crate::math::V3;

/// Contribution of large particles to the sums of a fluid particle; rows have the inverse mass used in constraints.
#[inline]
pub fn density_sums(fluid: &Fluid, rows: &[RowData], near: &[u32], row: RowData) -> Sums<f32> {
    let mut sums = Sums::zero();
    if fluid.large_particles.is_empty() {
        return sums;
    }
    for j in near.iter().map(|&j| j as usize) {
        if let Some(ball) = fluid.large_particle(j) {
            let (apart, square) = offset(row, rows[j]);
            let kernel = ball.at(fluid.smoothing, fluid.reach, square);
            sums = sums.with(kernel, apart, square, 1.0, rows[j][3]);
        }
    }
    sums
}

/// Σ Δλ_j·∇ of the contributions of large particle `i` to the constraints around it; `packed` has positions with
/// multipliers.
#[inline]
pub fn multiplier_gradient(fluid: &Fluid, packed: &[RowData], near: &[u32], i: usize) -> V3<f32> {
    let mut push = V3::zero();
    let Some(ball) = fluid.large_particle(i) else { return push };
    for entry in near.iter().map(|&j| packed[j as usize]) {
        let (apart, square) = offset(packed[i], entry);
        push = push + apart * (ball.at(fluid.smoothing, fluid.reach, square).1 * entry[3]);
    }
    push
}

#[inline(always)]
fn offset(a: RowData, b: RowData) -> (V3<f32>, f32) {
    let apart = V3::new(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    (apart, apart.length_squared())
}
