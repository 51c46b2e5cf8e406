//! Surface tension (S24): a stress in the surface of a liquid.
//!
//! The indicator of the liquid, c = Σ V_j·W, falls from 1 to 0 across its surface. Its gradient n_i = Σ_j V_j·∇_i W_ij, which
//! the density constraint has left, tells how the surface lies, and ∫ |∇c| dz = 1 how much of it a particle has. A surface
//! that pulls with σ [N/m] in all of its directions is the stress T = (σ/a)·|n|·(I − n̂·n̂ᵀ), and
//!
//! F_i = V_i·Σ_j V_j·(T_i + T_j + p_i + p_j)·∇_i W_ij
//!
//! its divergence: opposite for the two of a pair, so that momentum is kept. p = k·σ/r is the pressure of an air around
//! the liquid: densities only push, and without it nothing would answer a surface that stretches the liquid. Solids have
//! neither T nor p, as they have no density to keep; at them n is that of the liquid alone along their surface, and surfaces
//! meet them at right angles. Adhesion is a share of the liquid's p that solids have nevertheless, and draws it over them.
//!
//! Tried and left, each on drops of 500 to 4,000 particles: attraction of pairs (Akinci et al. 2013, and other shapes of it)
//! makes a solid of the drop, which stops at half of its deformation; the gradient of an area Σ V·|n| is answered by
//! particles that arrange until n is gone, and their tension with it.

use crate::fluid::boundary::beyond;
use crate::fluid::sph_kernels::Smoothing;
use crate::math::{Lane, V3};

/// ε·H: a plane surface has |n|·H of about 2 in its first layer, the inside of a liquid that moves 0.1 to 0.2.
const NOISE: f32 = 0.3;

/// a over H/r: so that drops of 1,000 to 10,000 particles swing with Rayleigh's period.
const SHARE: f32 = 0.05;

/// k·H/r: less leaves surfaces loose.
const AIR: f32 = 14.0;

/// Longest substep over √(ρ·r³/σ), the time in which a particle's own surface would move it by its size.
const LONGEST: f32 = 0.2;

/// How surfaces pull, the same for all liquids of a scene.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Skin {
    /// ε [1/m].
    pub noise: f32,
    /// 1/a.
    pub scale: f32,
    /// k/r [1/m].
    pub air: f32,
    /// Share of the kernel that a wall has where the first layer of particles is.
    pub close: f32,
}

/// Greatest tension that substeps of `h` seconds bear [N/m], of a liquid of `density` [kg/m³] in particles of a radius [m].
pub fn bearable(density: f32, radius: f32, h: f32) -> f32 {
    density * radius * (radius * LONGEST / h).powi(2)
}

impl Skin {
    /// For a reach and a radius [m], with walls taken farther off by `setback` [m].
    pub fn new(smoothing: Smoothing, reach: f32, radius: f32, setback: f32) -> Self {
        let close = beyond(smoothing, reach, radius + setback, 0.0).0;
        Self { noise: NOISE / reach, scale: radius / (SHARE * reach), air: AIR / reach, close }
    }

    /// n as the surface has it, from a gradient in which solids have a part, and a share of the kernel.
    #[inline(always)]
    pub fn mirrored(&self, n: V3<f32>, solid: V3<f32>, share: f32) -> V3<f32> {
        let own = n - solid;
        let near = (share / self.close).min(1.0);
        own - solid * (near * own.dot(solid) / solid.length_squared().max(1e-30))
    }

    /// What a particle of a liquid with tension σ [N/m] and gradient n [1/m] pulls with: n̂·√(T's size), and p.
    #[inline(always)]
    pub fn pull(&self, tension: f32, n: V3<f32>) -> [f32; 4] {
        let square = n.length_squared();
        let most = (square + self.noise * self.noise).sqrt() - self.noise;
        let size = (tension * self.scale * most).max(0.0).sqrt() / square.max(1e-30).sqrt();
        [n.x * size, n.y * size, n.z * size, tension * self.air]
    }
}

/// (T_i + T_j + p_i + p_j)·g of a pair. Solids, which are told by a negative pressure, have a share of the other's.
#[inline(always)]
pub fn tug<F: Lane>((m, p): (V3<F>, F), (n, q): (V3<F>, F), g: V3<F>, adhesion: F) -> V3<F> {
    let zero = F::splat(0.0);
    let both = F::pick_gt(zero, p, adhesion * q, p) + F::pick_gt(zero, q, adhesion * p, q);
    g * (both + m.length_squared() + n.length_squared()) - m * m.dot(g) - n * n.dot(g)
}

/// What solids pull with.
pub const SOLID: [f32; 4] = [0.0, 0.0, 0.0, -1.0];
