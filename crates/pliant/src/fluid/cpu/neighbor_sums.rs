//! SIMD sums over the neighbors of a particle, eight at a time.
//!
//! Eight partial sums, by position in the list, are added in a fixed order at the end: bitwise equal for every width.

use crate::constraints::group::BLOCK;
use crate::fluid::density::{ArtificialPressure, Sums};
use crate::fluid::sph_kernels::{Cubic, Poly6, Smooth, Smoothing};
use crate::math::RowData;
use crate::math::V3;
use crate::runtime::cpu::isa::{Isa, LaneWidth};
use crate::runtime::cpu::simd::Pack;
use std::ops::Range;

/// A sweep over a run of particles, generic over kernels and SIMD widths.
pub trait Sweep {
    /// Runs the sweep. `EVEN`: all particles have the same volume.
    fn run<F: Pack, K: Smooth<F>, const EVEN: bool>(self, kernel: K);
}

/// Selects the instantiation of a sweep.
#[derive(Clone, Copy)]
pub struct SweepVariant {
    pub isa: Isa,
    pub smoothing: Smoothing,
    pub reach: f32,
    pub even: bool,
}

impl SweepVariant {
    /// Runs it with the widest available instructions.
    pub fn run(self, sweep: impl Sweep) {
        match self.isa.width() {
            LaneWidth::Scalar => self.pick::<f32>(sweep),
            #[cfg(not(target_arch = "x86_64"))]
            LaneWidth::Four => self.pick::<crate::runtime::cpu::simd::Four>(sweep),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an `Isa` of AVX2 only exists where the processor was seen to have it.
            LaneWidth::Avx2 => unsafe { self.pick_avx2(sweep) },
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn pick_avx2(self, sweep: impl Sweep) {
        self.pick::<crate::runtime::cpu::simd::Eight>(sweep);
    }

    #[inline(always)]
    fn pick<F: Pack>(self, sweep: impl Sweep) {
        match (self.smoothing, self.even) {
            (Smoothing::Cubic, true) => sweep.run::<F, Cubic<F>, true>(Cubic::new(self.reach)),
            (Smoothing::Cubic, false) => sweep.run::<F, Cubic<F>, false>(Cubic::new(self.reach)),
            (Smoothing::Poly6, true) => sweep.run::<F, Poly6<F>, true>(Poly6::new(self.reach)),
            (Smoothing::Poly6, false) => sweep.run::<F, Poly6<F>, false>(Poly6::new(self.reach)),
        }
    }
}

/// Neighbors of one particle in blocks of eight, padded with the particle itself at zero volume.
pub struct NeighborBlocks<'a> {
    list: &'a [u32],
    own: u32,
}

impl<'a> NeighborBlocks<'a> {
    /// Neighbors of particle `own`.
    #[inline(always)]
    pub fn new(list: &'a [u32], own: u32) -> Self {
        Self { list, own }
    }

    /// Number of blocks.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.list.len().div_ceil(BLOCK)
    }

    /// A block and its number of valid entries.
    #[inline(always)]
    pub fn get(&self, k: usize) -> ([u32; BLOCK], usize) {
        let rest = &self.list[k * BLOCK..];
        match rest.first_chunk() {
            Some(&eight) => (eight, BLOCK),
            None => {
                let mut eight = [self.own; BLOCK];
                eight[..rest.len()].copy_from_slice(rest);
                (eight, rest.len())
            }
        }
    }
}

/// Volume of each of eight particles [m³], 0 for padding.
#[inline(always)]
pub fn lane_volumes<const EVEN: bool>(volumes: &[f32], index: &[u32; BLOCK], live: usize) -> [f32; BLOCK] {
    let mut lane_volumes = [if EVEN { volumes[0] } else { 0.0 }; BLOCK];
    if !EVEN {
        for (space, &j) in lane_volumes.iter_mut().zip(index) {
            *space = volumes[j as usize];
        }
    }
    if live < BLOCK {
        lane_volumes[live..].fill(0.0);
    }
    lane_volumes
}

/// Pairwise sum of eight numbers.
#[inline(always)]
pub fn total<F: Pack>(parts: &[F; BLOCK]) -> f32 {
    let mut all = [0.0; BLOCK];
    for k in 0..BLOCK / F::WIDTH {
        parts[k].store(&mut all[k * F::WIDTH..]);
    }
    ((all[0] + all[4]) + (all[2] + all[6])) + ((all[1] + all[5]) + (all[3] + all[7]))
}

/// [`total`] of vectors.
#[inline(always)]
pub fn total3<F: Pack>(parts: &[V3<F>; BLOCK]) -> V3<f32> {
    let (mut x, mut y, mut z) = ([F::splat(0.0); BLOCK], [F::splat(0.0); BLOCK], [F::splat(0.0); BLOCK]);
    for k in 0..BLOCK / F::WIDTH {
        (x[k], y[k], z[k]) = (parts[k].x, parts[k].y, parts[k].z);
    }
    V3::new(total(&x), total(&y), total(&z))
}

/// Density sums of a particle at `x` over its neighbors.
///
/// # Safety
/// Neighbors are valid row indices, and no thread writes rows.
#[inline(always)]
pub unsafe fn densities<F: Pack, K: Smooth<F>, const EVEN: bool>(
    kernel: &K,
    rows: &[RowData],
    volumes: &[f32],
    near: &NeighborBlocks<'_>,
    x: V3<f32>,
) -> Sums<f32> {
    let here = V3::new(F::splat(x.x), F::splat(x.y), F::splat(x.z));
    let mut parts = [Sums::<F>::zero(); BLOCK];
    for k in 0..near.len() {
        let (index, live) = near.get(k);
        let volumes_here = lane_volumes::<EVEN>(volumes, &index, live);
        for p in 0..BLOCK / F::WIDTH {
            let at = p * F::WIDTH;
            // SAFETY: guaranteed by the caller.
            let row = unsafe { F::gather(rows, &index[at..]) };
            let apart = here - row.v;
            let square = apart.length_squared();
            parts[p] = parts[p].with(kernel.at(square), apart, square, F::load(&volumes_here[at..]), row.w);
        }
    }
    Sums {
        density: total(&parts.map(|s| s.density)),
        gradient: total3(&parts.map(|s| s.gradient)),
        squares: total(&parts.map(|s| s.squares)),
    }
}

/// Σ Δλ_j·∇_i W_ij over the neighbors of a particle at `x`; `packed` has positions with multipliers.
///
/// # Safety
/// As for [`densities`].
#[inline(always)]
pub unsafe fn multiplier_gradients<F: Pack, K: Smooth<F>>(
    kernel: &K,
    packed: &[RowData],
    near: &NeighborBlocks<'_>,
    x: V3<f32>,
) -> V3<f32> {
    let here = V3::new(F::splat(x.x), F::splat(x.y), F::splat(x.z));
    let mut parts = [V3::<F>::zero(); BLOCK];
    for k in 0..near.len() {
        let (index, _) = near.get(k);
        for p in 0..BLOCK / F::WIDTH {
            // SAFETY: guaranteed by the caller.
            let entry = unsafe { F::gather(packed, &index[p * F::WIDTH..]) };
            let apart = here - entry.v;
            // Padding is the particle itself, at distance 0.
            parts[p] = parts[p] + apart * (kernel.at(apart.length_squared()).1 * entry.w);
        }
    }
    total3(&parts)
}

/// Σ V_j·s_ij·∇_i W_ij over the neighbors of a particle at `x`: artificial pressure per unit volume.
///
/// # Safety
/// As for [`densities`].
#[inline(always)]
pub unsafe fn artificial_pressures<F: Pack, K: Smooth<F>, const EVEN: bool>(
    kernel: &K,
    packed: &[RowData],
    volumes: &[f32],
    near: &NeighborBlocks<'_>,
    (x, artificial_pressure): (V3<f32>, &ArtificialPressure),
) -> V3<f32> {
    let here = V3::new(F::splat(x.x), F::splat(x.y), F::splat(x.z));
    let mut parts = [V3::<F>::zero(); BLOCK];
    for k in 0..near.len() {
        let (index, live) = near.get(k);
        let volumes_here = lane_volumes::<EVEN>(volumes, &index, live);
        for p in 0..BLOCK / F::WIDTH {
            let at = p * F::WIDTH;
            // SAFETY: guaranteed by the caller.
            let entry = unsafe { F::gather(packed, &index[at..]) };
            let apart = here - entry.v;
            let (value, slope) = kernel.at(apart.length_squared());
            parts[p] = parts[p] + apart * (slope * artificial_pressure.of(value) * F::load(&volumes_here[at..]));
        }
    }
    total3(&parts)
}

/// Particles of one sweep call.
pub type Span = Range<usize>;
