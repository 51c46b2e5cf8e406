//! Pressure as a projection of velocities, in place of multipliers of positions.
//!
//! The density constraint loses energy in every flow: the kernel sum of a disordered neighborhood changes under a
//! deformation without divergence, so that positions are corrected and velocities with them. Here the two are separate:
//!
//! 1. At the end of a substep, pressures are found whose acceleration keeps the divergence of the *smoothed* velocity at
//!    zero; the next substep starts with it. Positions are those at which the pressure acts, as in the symplectic Euler
//!    step, which does not damp waves.
//! 2. The density constraint then corrects positions only.
//!
//! The divergence has corrected gradients (Randles & Libersky 1996; Bonet & Lok 1999): with L_i = (Σ_j V_j·x_ij ⊗ −∇W)⁻¹,
//!
//! −∇·v_i = Σ_j V_j·(v_i − v_j)·L_i·∇_i W_ij
//!
//! is exact for linear fields in any arrangement of particles. The acceleration by pressure is its adjoint,
//! −1/m·Σ_j V·(λ_i·L_i + λ_j·L_j)·∇_i W_ij with λ = h·V·p: forces of pairs are opposite, and as a rigid motion has no
//! divergence, they have no torque in sum. Smoothing (S·v)_i = v_i + Σ_j V_j·W_ij·(v_j − v_i) is applied to both, so that
//! the motion of single particles neither feels pressure nor causes any, as in a grid of their spacing.
//!
//! A wall continues the field linearly to its own velocity at its surface: it adds K·n ⊗ n to the matrix and
//! K/δ·(n·L_i·n)·(v_i − v_wall)·n to the divergence, nothing for motion along it, with K = ∫ s·(−∂W/∂s) = B − d·B' over
//! the solid (B of [`crate::fluid::boundary`]).
//!
//! Rigid bodies need more: what a body weighs in a liquid is a small difference of pressures. Near them
//!
//! - K/δ is −2·B', the flux of a uniform field, so that a uniform pressure does not push particles;
//! - the acceleration is not the adjoint, whose sum L_i + L_j is not the same on both sides of a particle, but the gradient
//!   L_i·Σ_j V_j·(p_j − p_i)·∇W_ij, exact for linear fields as the divergence is;
//! - at the wall that gradient is the one that accelerates the liquid as the body.
//!
//! Where liquids have no bodies the adjoint stays: it conserves energy, while with the exact gradient a tank at rest begins
//! to swing within seconds.
//!
//! Pressures follow from the Laplacian Σ_j 2·V_j·(−W'/r)·(λ_i − λ_j) (Brookshaw 1985), which couples nearest neighbors, by
//! accelerated projected gradients (Beck & Teboulle 2009) with λ ≥ 0. Where particles are missing, λ is 0: the surface.

use crate::fluid::boundary::{Boundary, solid_share};
use crate::fluid::parameters::Fluid;
use crate::fluid::sph_kernels::Smoothing;
use glam::Vec3;

/// Share of the twice filtered velocity, v − S·v, that a substep removes: motion of single particles against their
/// neighbors. Long waves are affected by the fourth power of their wave number.
pub const FILTER: f32 = 0.5;
/// Relaxation of a sweep of the Laplacian: it has no eigenvalue above 2.
pub const RELAXATION: f32 = 0.5;
/// Sweeps of the Laplacian beyond the iterations of the scene.
pub const EXTRA_SWEEPS: u32 = 4;
/// Rounds of sweeps in the first substep, which starts without pressure.
pub const FIRST_ROUNDS: u32 = 8;
/// Corrections of positions, of the iterations of the scene.
pub const POSITION_SHARE: u32 = 4;
/// Compression from which sparse particles are kept apart; a plane surface has −0.15 to −0.19.
pub const SPARSE: f32 = 0.3;
/// Share of a gap that closes in a substep. Without it corrections of positions, which only separate, inflate a liquid at
/// rest by 2.5 % in 8 s.
pub const CLOSING: f32 = 0.03;
/// Determinants of the matrix between which the correction sets in: 1 inside, about 0.4 at a plane surface.
pub const DETERMINANTS: (f32, f32) = (0.05, 0.25);
/// Share of the Laplacian's diagonal behind a wall, over that of the kernel: slopes extend farther than values.
pub const WALL_DIAGONAL: f32 = 1.2;

/// Share of [`FILTER`] at a body: the liquid slides along it.
pub const FILTER_AT_BODY: f32 = 0.2;
/// Distance in kernel radii up to which gradients know of a body; from one radius on less and less.
pub const BODY_RANGE: f32 = 2.0;
/// Like [`WALL_DIAGONAL`], for a first layer of particles one radius from a wall: nothing of the pressure is lost at walls.
pub const CLOSED_DIAGONAL: f32 = 1.54;
/// Shares of the diagonal that are missing between which a particle is at the surface; a plane surface has 0.23.
pub const AIR: (f32, f32) = (0.06, 0.14);

/// A symmetric matrix by xx, xy, xz, yy, yz, zz.
pub type Symmetric = [f32; 6];

/// Matrix times vector.
#[inline(always)]
pub fn times([xx, xy, xz, yy, yz, zz]: Symmetric, v: Vec3) -> Vec3 {
    Vec3::new(xx * v.x + xy * v.y + xz * v.z, xy * v.x + yy * v.y + yz * v.z, xz * v.x + yz * v.y + zz * v.z)
}

/// n ⊗ n times `scale`, added to a matrix.
#[inline(always)]
pub fn add_outer(m: &mut Symmetric, n: Vec3, scale: f32) {
    let all = [n.x * n.x, n.x * n.y, n.x * n.z, n.y * n.y, n.y * n.z, n.z * n.z];
    m.iter_mut().zip(all).for_each(|(m, a)| *m += scale * a);
}

fn determinant([xx, xy, xz, yy, yz, zz]: Symmetric) -> f32 {
    xx * (yy * zz - yz * yz) - xy * (xy * zz - xz * yz) + xz * (xy * yz - xz * yy)
}

/// L: the inverse of a matrix of moments, the identity where neighbors are too few to tell.
pub fn correction(mut m: Symmetric) -> Symmetric {
    let (low, high) = DETERMINANTS;
    let share = ((determinant(m) - low) / (high - low)).clamp(0.0, 1.0);
    for (k, m) in m.iter_mut().enumerate() {
        let one = if matches!(k, 0 | 3 | 5) { 1.0 - share } else { 0.0 };
        *m = *m * share + one;
    }
    let [xx, xy, xz, yy, yz, zz] = m;
    let scale = 1.0 / determinant(m);
    [
        (yy * zz - yz * yz) * scale,
        (xz * yz - xy * zz) * scale,
        (xy * yz - xz * yy) * scale,
        (xx * zz - xz * xz) * scale,
        (xy * xz - xx * yz) * scale,
        (xx * yy - xy * xy) * scale,
    ]
}

/// A wall near a particle.
#[derive(Clone, Copy, Debug)]
pub struct Wall {
    /// Outward normal.
    pub normal: Vec3,
    /// K.
    pub moment: f32,
    /// K/δ [1/m].
    pub slope: f32,
    /// Distance of its surface from that of the particle [m].
    pub gap: f32,
    /// Its velocity [m/s].
    pub velocity: Vec3,
}

/// The wall of a boundary for a particle at `x`.
#[inline]
pub fn wall(fluid: &Fluid, boundary: &Boundary, x: Vec3) -> Wall {
    let (back, normal) = boundary.apart(x);
    let (share, rate) = solid_share(fluid.smoothing, fluid.reach, back, boundary.curvature);
    let moment = share - back.max(0.0) * rate;
    let distance = back - fluid.setback;
    Wall {
        normal,
        moment,
        slope: moment / distance.max(0.5 * fluid.radius),
        gap: distance - fluid.radius,
        velocity: boundary.velocity,
    }
}

/// The wall of a rigid body for a particle at `x`.
#[inline]
pub fn body_wall(fluid: &Fluid, boundary: &Boundary, x: Vec3) -> Wall {
    let wall = wall(fluid, boundary, x);
    let distance = wall.gap + fluid.radius;
    let (_, rate) = solid_share(fluid.smoothing, fluid.reach, distance, boundary.curvature);
    Wall { moment: -2.0 * rate * distance.max(0.5 * fluid.radius), slope: -2.0 * rate, ..wall }
}

/// How much a particle at a distance [m] is near a body: 1 within the kernel radius, 0 out of range.
#[inline]
pub fn nearness(fluid: &Fluid, distance: f32) -> f32 {
    ((BODY_RANGE - distance / fluid.reach) / (BODY_RANGE - 1.0)).clamp(0.0, 1.0)
}

/// Share of the diagonal of the Laplacian that neither particles nor walls account for, and the part of it that is air.
#[inline]
fn open_share(sum: f32, full: f32, behind: f32) -> (f32, f32) {
    let missing = 1.0 - CLOSED_DIAGONAL * behind - sum / full;
    (missing, ((missing - AIR.0) / (AIR.1 - AIR.0)).clamp(0.0, 1.0))
}

/// Share of a particle that is not at the surface; `behind` is that of the kernel in walls.
#[inline]
pub fn inner_share(sum: f32, full: f32, behind: f32) -> f32 {
    1.0 - open_share(sum, full, behind).1
}

/// Like [`diagonal`], with no pressure lost at walls or in small gaps: long waves of pressure converge, where no earlier
/// pressures are known.
#[inline]
pub fn closed_diagonal(sum: f32, full: f32, behind: f32) -> f32 {
    let (missing, air) = open_share(sum, full, behind);
    (sum + full * missing * air).max(1e-3 * full)
}

/// Diagonal of the Laplacian, from the sum over neighbors, the sum `full` of a lattice, and the share of the kernel `behind`
/// walls: what is missing is air, without pressure, or a wall, which has no gradient along its normal.
#[inline]
pub fn diagonal(sum: f32, full: f32, behind: f32) -> f32 {
    sum.max(full * (1.0 - WALL_DIAGONAL * behind).max(0.0)).max(1e-3 * full)
}

/// Rate of compression that is allowed [1/s]: gaps close slowly, and at once where particles are sparse.
#[inline]
pub fn allowed_rate(compression: f32, h: f32) -> f32 {
    let share = if compression > -SPARSE { CLOSING } else { 1.0 };
    share * (-compression).max(0.0) / h
}

/// 2·V·Σ −W'/r over a cubic lattice of spacing 2r [1/m²].
pub fn lattice_diagonal(smoothing: Smoothing, reach: f32, radius: f32, volume: f32) -> f32 {
    let (spacing, far) = (2.0 * radius, (0.5 * reach / radius) as i32);
    let mut sum = 0.0;
    for (x, y, z) in (-far..=far).flat_map(|x| (-far..=far).flat_map(move |y| (-far..=far).map(move |z| (x, y, z)))) {
        let square = (x * x + y * y + z * z) as f32 * spacing * spacing;
        if square > 0.0 && square < reach * reach {
            sum -= 2.0 * volume * smoothing.at(reach, square).1;
        }
    }
    sum
}

/// Sequence t ↦ (1 + √(1 + 4·t²))/2 from 1 on, from which the momentum of sweeps follows, (t − 1)/t'.
#[inline]
pub fn momentum_after(t: f32) -> f32 {
    0.5 * (1.0 + (1.0 + 4.0 * t * t).sqrt())
}

/// Removes the part of a velocity that would take a particle through walls within `h` seconds.
#[inline]
pub fn stop_at_wall(wall: &Wall, v: Vec3, h: f32) -> Vec3 {
    let approach = (v - wall.velocity).dot(wall.normal) + wall.gap.max(0.0) / h;
    if approach < 0.0 { v - wall.normal * approach } else { v }
}
