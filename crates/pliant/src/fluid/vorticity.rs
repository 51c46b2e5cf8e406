//! Vorticity confinement (S24): gives back to vortices what the solver takes (Fedkiw et al. 2001, Macklin & Müller 2013).
//!
//! How fast a liquid turns around particle i is told by the rigid motion that fits its neighbors best: with weights
//! s_j = −V_j·(1/r)·dW/dr, x = x_i − x_j and v = v_i − v_j,
//!
//! J = Σ s_j·(|x|²·I − x·xᵀ),   L = Σ s_j·x × v,   ω_i = 2·J⁻¹·L   [1/s].
//!
//! Amid others J is 2·I, and ω_i = Σ V_j·∇_i W × (v_j − v_i), the curl of SPH; at surfaces, where that would see half of it,
//! ω of a body that turns is 2Ω nevertheless. Along η = Σ V_j·(|ω_j| − |ω_i|)·∇_i W vorticity rises, N is η's direction, and
//!
//! a_i = ε·2r·(N × ω_i)   [m/s²],   ε in 1/s,
//!
//! goes around the vortices with them. What turns as a rigid body has no N, and gets nothing. Only liquids turn: solids among
//! them are left out of all sums, so nothing acts on them.
//!
//! Nothing answers this force: it keeps neither linear nor angular momentum, only its parts around a vortex cancel. The forms
//! that do were weighed: the curl of a vector along ω, as forces of pairs (A_i + A_j) × ∇W, has the torque 2·∫A and spins up a
//! drop that turns as a rigid body; forces of pairs from the difference of the a_i leave of a vortex 32 radii wide a twentieth,
//! and of noise everything.

use crate::math::{Lane, V3};

/// Share of 2r·|ω|, the velocity across a particle, that a substep may add: ε·h at most.
pub const MOST: f32 = 0.1;

/// Least determinant of J, of 8 amid others, 1 at a plane surface and 0.1 in a corner: with fewer neighbors ω fades.
const LEAST: f32 = 0.05;

/// |η|·H/|ω| at which N is 0.7 long: less is noise, a vortex 32 radii wide has 0.8.
const NOISE: f32 = 0.2;

/// Sums over the neighbors of a particle, from which its vorticity comes.
#[derive(Clone, Copy, Debug)]
pub struct Spin<F> {
    /// J, as xx, yy, zz.
    pub across: V3<F>,
    /// J, as yz, zx, xy.
    pub beside: V3<F>,
    /// L [1/s].
    pub swirl: V3<F>,
}

impl<F: Lane> Spin<F> {
    /// Nothing yet.
    #[inline(always)]
    pub fn zero() -> Self {
        Self { across: V3::zero(), beside: V3::zero(), swirl: V3::zero() }
    }

    /// With one neighbor more: `apart` is x_i − x_j [m], `against` v_i − v_j [m/s], `weight` s_j [1/m²].
    #[inline(always)]
    pub fn with(self, apart: V3<F>, against: V3<F>, weight: F) -> Self {
        let V3 { x, y, z } = apart;
        let (xx, yy, zz) = (x * x, y * y, z * z);
        Self {
            across: self.across + V3::new(yy + zz, zz + xx, xx + yy) * weight,
            beside: self.beside - V3::new(y * z, z * x, x * y) * weight,
            swirl: self.swirl + apart.cross(against) * weight,
        }
    }
}

impl Spin<f32> {
    /// Vorticity [1/s]: 2·J⁻¹·L, by cofactors.
    #[inline(always)]
    pub fn curl(&self) -> V3<f32> {
        let (V3 { x: xx, y: yy, z: zz }, V3 { x: yz, y: zx, z: xy }) = (self.across, self.beside);
        let (a, b, c) = (
            V3::new(yy * zz - yz * yz, zx * yz - xy * zz, xy * yz - zx * yy),
            V3::new(zx * yz - xy * zz, zz * xx - zx * zx, xy * zx - xx * yz),
            V3::new(xy * yz - zx * yy, xy * zx - xx * yz, xx * yy - xy * xy),
        );
        let determinant = xx * a.x + xy * a.y + zx * a.z;
        V3::new(a.dot(self.swirl), b.dot(self.swirl), c.dot(self.swirl)) * (2.0 / determinant.max(LEAST))
    }
}

/// How vortices are driven in a substep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drive {
    /// h·ε·2r [m].
    pub strength: f32,
    /// |η|/|ω| that is noise [1/m].
    pub noise: f32,
}

impl Drive {
    /// For ε [1/s], in substeps of `h` seconds, a reach and a radius [m].
    pub fn new(epsilon: f32, h: f32, reach: f32, radius: f32) -> Self {
        Self { strength: (epsilon * h).min(MOST) * 2.0 * radius, noise: NOISE / reach }
    }

    /// Change of velocity in a substep [m/s] where vorticity is ω [1/s], and its size rises along η [1/(m·s)].
    #[inline(always)]
    pub fn push(&self, curl: V3<f32>, rise: V3<f32>) -> V3<f32> {
        let least = self.noise * self.noise * curl.length_squared();
        let length = (rise.length_squared() + least).sqrt();
        rise.cross(curl) * (self.strength / length.max(1e-30))
    }
}
