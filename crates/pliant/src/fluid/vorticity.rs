//! Vorticity confinement (S24): restores rotation that the solver damps (Fedkiw et al. 2001, Macklin & Müller 2013).
//!
//! The rotation of a fluid around particle i is that of the rigid motion that fits its neighbors best: with weights s_j
//! = −V_j·(1/r)·dW/dr, x = x_i − x_j and v = v_i − v_j,
//!
//! J = Σ s_j·(|x|²·I − x·xᵀ),   L = Σ s_j·x × v,   ω_i = 2·J⁻¹·L   [1/s].
//!
//! In the interior J is 2·I, and ω_i = Σ V_j·∇_i W × (v_j − v_i), the SPH curl; at surfaces, where that would give
//! half, ω of a rigid rotation is still 2Ω. η = Σ V_j·(|ω_j| − |ω_i|)·∇_i W is the gradient of the vorticity magnitude,
//! N its direction, and
//!
//! a_i = ε·2r·(N × ω_i)   [m/s²],   ε in 1/s,
//!
//! accelerates the fluid around vortices. A rigid rotation has no N, and no force. Solids are omitted from all sums, so
//! no force acts on them.
//!
//! The force has no reaction: it conserves neither linear nor angular momentum, only its parts around a vortex cancel.
//! Conservative forms were evaluated: the curl of a vector along ω, as pair forces (A_i + A_j) × ∇W, has the torque
//! 2·∫A and spins up a rigidly rotating drop; pair forces from the difference of the a_i retain a twentieth of a vortex
//! 32 radii wide, and all of the noise.

use crate::math::{Lane, V3};

/// Share of 2r·|ω|, the velocity difference across a particle, that a substep may add: upper limit of ε·h.
pub const MOST: f32 = 0.1;

/// Smallest determinant of J, which is 8 in the interior, 1 at a plane surface and 0.1 in a corner: with fewer
/// neighbors ω fades.
pub(crate) const VORTICITY_LEAST: f32 = 0.05;

/// |η|·H/|ω| at which |N| is 0.7: less is noise, a vortex 32 radii wide has 0.8.
const NOISE: f32 = 0.2;

/// Neighbor sums for the vorticity of a particle.
#[derive(Clone, Copy, Debug)]
pub struct RotationSums<F> {
    /// J, as xx, yy, zz.
    pub diagonal: V3<F>,
    /// J, as yz, zx, xy.
    pub off_diagonal: V3<F>,
    /// L [1/s].
    pub angular: V3<F>,
}

impl<F: Lane> RotationSums<F> {
    /// Zero sums.
    #[inline(always)]
    pub fn zero() -> Self {
        Self { diagonal: V3::zero(), off_diagonal: V3::zero(), angular: V3::zero() }
    }

    /// Adds one neighbor: `apart` is x_i − x_j [m], `against` v_i − v_j [m/s], `weight` s_j [1/m²].
    #[inline(always)]
    pub fn with(self, apart: V3<F>, against: V3<F>, weight: F) -> Self {
        let V3 { x, y, z } = apart;
        let (xx, yy, zz) = (x * x, y * y, z * z);
        Self {
            diagonal: self.diagonal + V3::new(yy + zz, zz + xx, xx + yy) * weight,
            off_diagonal: self.off_diagonal - V3::new(y * z, z * x, x * y) * weight,
            angular: self.angular + apart.cross(against) * weight,
        }
    }
}

impl RotationSums<f32> {
    /// Vorticity [1/s]: 2·J⁻¹·L, by cofactors.
    #[inline(always)]
    pub fn curl(&self) -> V3<f32> {
        let (V3 { x: xx, y: yy, z: zz }, V3 { x: yz, y: zx, z: xy }) = (self.diagonal, self.off_diagonal);
        let (a, b, c) = (
            V3::new(yy * zz - yz * yz, zx * yz - xy * zz, xy * yz - zx * yy),
            V3::new(zx * yz - xy * zz, zz * xx - zx * zx, xy * zx - xx * yz),
            V3::new(xy * yz - zx * yy, xy * zx - xx * yz, xx * yy - xy * xy),
        );
        let determinant = xx * a.x + xy * a.y + zx * a.z;
        V3::new(a.dot(self.angular), b.dot(self.angular), c.dot(self.angular))
            * (2.0 / determinant.max(VORTICITY_LEAST))
    }
}

/// Vorticity confinement parameters of a substep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Confinement {
    /// h·ε·2r [m].
    pub strength: f32,
    /// Noise threshold of |η|/|ω| [1/m].
    pub noise: f32,
}

impl Confinement {
    /// For ε [1/s], substeps of `h` seconds, a kernel radius and a particle radius [m].
    pub fn new(epsilon: f32, h: f32, reach: f32, radius: f32) -> Self {
        Self { strength: (epsilon * h).min(MOST) * 2.0 * radius, noise: NOISE / reach }
    }

    /// Change of velocity in a substep [m/s], for vorticity ω [1/s] with magnitude gradient η [1/(m·s)].
    #[inline(always)]
    pub fn velocity_change(&self, curl: V3<f32>, gradient: V3<f32>) -> V3<f32> {
        let least = self.noise * self.noise * curl.length_squared();
        let length = (gradient.length_squared() + least).sqrt();
        gradient.cross(curl) * (self.strength / length.max(1e-30))
    }
}
