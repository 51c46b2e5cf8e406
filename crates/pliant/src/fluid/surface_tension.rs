//! Surface tension (S24): a stress in the surface of a fluid.
//!
//! The color field of the fluid, c = Σ V_j·W, falls from 1 to 0 across its surface. Its gradient n_i = Σ_j V_j·∇_i
//! W_ij, computed by the density constraint, gives the surface normal, and ∫ |∇c| dz = 1 the surface area of a
//! particle. A surface of tension σ [N/m] has the stress T = (σ/a)·|n|·(I − n̂·n̂ᵀ), and
//!
//! F_i = V_i·Σ_j V_j·(T_i + T_j + p_i + p_j)·∇_i W_ij
//!
//! is its divergence: opposite for the two particles of a pair, so that momentum is conserved. p = k·σ/r is the
//! pressure of the air around the fluid: density constraints only push, and without it nothing would resist a surface
//! that stretches the fluid. Solids have neither T nor p, as they have no density constraint; near them n is that of
//! the fluid alone, parallel to their surface, and the contact angle is 90°. Adhesion gives solids a share of the
//! fluid's p, which wets them.
//!
//! Tried and rejected, each on drops of 500 to 4,000 particles: pairwise attraction (Akinci et al. 2013, and variants)
//! solidifies the drop, which stops at half of its deformation; with the gradient of an area Σ V·|n| particles
//! rearrange until n vanishes, and the tension with it.

use crate::fluid::boundary::solid_share;
use crate::fluid::sph_kernels::Smoothing;
use crate::math::{Lane, V3};

/// ε·H: a plane surface has |n|·H of about 2 in its first layer, the interior of a moving fluid 0.1 to 0.2.
const NOISE: f32 = 0.3;

/// a over H/r: calibrated so that drops of 1,000 to 10,000 particles oscillate with Rayleigh's period.
const SHARE: f32 = 0.05;

/// k·H/r: smaller values leave surfaces loose.
const AIR: f32 = 14.0;

/// Longest substep over √(ρ·r³/σ), the time in which its own surface moves a particle by its size.
const LONGEST: f32 = 0.2;

/// Surface tension parameters, the same for all fluids of a scene.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SurfaceTension {
    /// ε [1/m].
    pub noise: f32,
    /// 1/a.
    pub scale: f32,
    /// k/r [1/m].
    pub air: f32,
    /// Share of the kernel inside a boundary at the first layer of particles.
    pub close: f32,
}

/// Largest stable tension for substeps of `h` seconds [N/m], of a fluid of `density` [kg/m³] in particles of a radius
/// [m].
pub fn max_stable_tension(density: f32, radius: f32, h: f32) -> f32 {
    density * radius * (radius * LONGEST / h).powi(2)
}

impl SurfaceTension {
    /// For a kernel radius and a particle radius [m], with boundaries moved back by `setback` [m].
    pub fn new(smoothing: Smoothing, reach: f32, radius: f32, setback: f32) -> Self {
        let close = solid_share(smoothing, reach, radius + setback, 0.0).0;
        Self { noise: NOISE / reach, scale: radius / (SHARE * reach), air: AIR / reach, close }
    }

    /// Surface gradient n, from a gradient that includes solids, and their share of the kernel.
    #[inline(always)]
    pub fn surface_gradient(&self, n: V3<f32>, solid: V3<f32>, share: f32) -> V3<f32> {
        let own = n - solid;
        let near = (share / self.close).min(1.0);
        own - solid * (near * own.dot(solid) / solid.length_squared().max(1e-30))
    }

    /// Surface stress of a particle with tension σ [N/m] and gradient n [1/m]: n̂·√|T|, and p.
    #[inline(always)]
    pub fn stress(&self, tension: f32, n: V3<f32>) -> [f32; 4] {
        let square = n.length_squared();
        let most = (square + self.noise * self.noise).sqrt() - self.noise;
        let size = (tension * self.scale * most).max(0.0).sqrt() / square.max(1e-30).sqrt();
        [n.x * size, n.y * size, n.z * size, tension * self.air]
    }
}

/// (T_i + T_j + p_i + p_j)·g of a pair. Solids, marked by a negative pressure, have a share of the other particle's.
#[inline(always)]
pub fn pair_stress<F: Lane>((m, p): (V3<F>, F), (n, q): (V3<F>, F), g: V3<F>, adhesion: F) -> V3<F> {
    let zero = F::splat(0.0);
    let both = F::pick_gt(zero, p, adhesion * q, p) + F::pick_gt(zero, q, adhesion * p, q);
    g * (both + m.length_squared() + n.length_squared()) - m * m.dot(g) - n * n.dot(g)
}

/// Surface stress of solids.
pub const SOLID: [f32; 4] = [0.0, 0.0, 0.0, -1.0];
