//! Sums over neighbors of the projection of velocities.

use crate::fluid::cpu::pair_sums::{Pair, Terms};
use crate::math::{RowData, V3};
use crate::runtime::cpu::simd::Pack;

/// W, W'/r, ∇W and −∇W ⊗ x.
#[derive(Clone, Copy)]
pub struct Moments;

impl Terms<11> for Moments {
    #[inline(always)]
    fn of<F: Pack>(&self, _: usize, pair: &Pair<'_, F>) -> [F; 11] {
        let V3 { x, y, z } = pair.apart;
        let (gx, gy, gz) = (x * pair.slope, y * pair.slope, z * pair.slope);
        [pair.value, pair.slope, gx, gy, gz, -(gx * x), -(gx * y), -(gx * z), -(gy * y), -(gy * z), -(gz * z)]
    }
}

/// λ_j·L_j·∇W.
#[derive(Clone, Copy)]
pub struct PressureForce<'a> {
    pub first: &'a [RowData],
    pub second: &'a [RowData],
}

impl Terms<3> for PressureForce<'_> {
    #[inline(always)]
    fn of<F: Pack>(&self, _: usize, pair: &Pair<'_, F>) -> [F; 3] {
        // SAFETY: list entries are particle indices, and no thread writes these rows in the sweep.
        let (a, b) = unsafe { (F::gather(self.first, pair.index), F::gather(self.second, pair.index)) };
        let (V3 { x, y, z }, slope) = (pair.apart, pair.slope);
        [
            (a.v.x * x + a.v.y * y + a.v.z * z) * slope,
            (a.v.y * x + a.w * y + b.v.x * z) * slope,
            (a.v.z * x + b.v.x * y + b.v.y * z) * slope,
        ]
    }
}

impl<'a> PressureForce<'a> {
    /// With λ_j·∇W.
    pub fn with_gradient(self) -> PressureGradient<'a> {
        PressureGradient(self)
    }
}

/// λ_j·L_j·∇W and λ_j·∇W.
#[derive(Clone, Copy)]
pub struct PressureGradient<'a>(PressureForce<'a>);

impl Terms<6> for PressureGradient<'_> {
    #[inline(always)]
    fn of<F: Pack>(&self, own: usize, pair: &Pair<'_, F>) -> [F; 6] {
        let [fx, fy, fz] = self.0.of(own, pair);
        // SAFETY: as above.
        let scale = unsafe { F::gather(self.0.second, pair.index) }.v.z * pair.slope;
        [fx, fy, fz, pair.apart.x * scale, pair.apart.y * scale, pair.apart.z * scale]
    }
}

/// v_j·L_i·∇W.
#[derive(Clone, Copy)]
pub struct Compression<'a> {
    pub first: &'a [RowData],
    pub second: &'a [RowData],
    pub velocities: &'a [RowData],
}

impl Terms<1> for Compression<'_> {
    #[inline(always)]
    fn of<F: Pack>(&self, own: usize, pair: &Pair<'_, F>) -> [F; 1] {
        let [xx, xy, xz, yy] = self.first[own].map(F::splat);
        let (yz, zz) = (F::splat(self.second[own][0]), F::splat(self.second[own][1]));
        // SAFETY: as above.
        let v = unsafe { F::gather(self.velocities, pair.index) }.v;
        let V3 { x, y, z } = pair.apart;
        let along = v.x * (xx * x + xy * y + xz * z) + v.y * (xy * x + yy * y + yz * z);
        [(along + v.z * (xz * x + yz * y + zz * z)) * pair.slope]
    }
}

/// (v_i − v_j)·W.
#[derive(Clone, Copy)]
pub struct Difference<'a> {
    pub of: &'a [RowData],
}

impl Terms<3> for Difference<'_> {
    #[inline(always)]
    fn of<F: Pack>(&self, own: usize, pair: &Pair<'_, F>) -> [F; 3] {
        let [x, y, z, _] = self.of[own].map(F::splat);
        // SAFETY: as above.
        let v = unsafe { F::gather(self.of, pair.index) }.v;
        [(x - v.x) * pair.value, (y - v.y) * pair.value, (z - v.z) * pair.value]
    }
}

/// Δλ_j·W'/r.
#[derive(Clone, Copy)]
pub struct Laplacian<'a> {
    pub packed: &'a [RowData],
}

impl Terms<1> for Laplacian<'_> {
    #[inline(always)]
    fn of<F: Pack>(&self, _: usize, pair: &Pair<'_, F>) -> [F; 1] {
        // SAFETY: as above.
        [unsafe { F::gather(self.packed, pair.index) }.w * pair.slope]
    }
}

/// Δλ_j·∇W.
#[derive(Clone, Copy)]
pub struct Shift<'a> {
    pub packed: &'a [RowData],
}

impl Terms<3> for Shift<'_> {
    #[inline(always)]
    fn of<F: Pack>(&self, _: usize, pair: &Pair<'_, F>) -> [F; 3] {
        // SAFETY: as above.
        let scale = unsafe { F::gather(self.packed, pair.index) }.w * pair.slope;
        [pair.apart.x * scale, pair.apart.y * scale, pair.apart.z * scale]
    }
}
