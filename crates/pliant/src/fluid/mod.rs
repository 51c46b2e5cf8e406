//! Liquids: particles whose density stays that of the liquid (S23, S24).
//!
//! Volumes take the place of masses over densities: a particle is V = (2r)³ of its liquid at rest, and
//!
//! C_i = Σ_j V_j·W(x_i − x_j) − 1 ≤ 0,
//!
//! the sum over i itself, other particles and the solids around it. For one liquid this is D4's ρ_i/ρ₀ − 1; for several
//! it stays true at their border, where a sum of masses would see a density that neither has. Gradients are those of
//! E20, corrections those of E21 with m/ρ₀ = V.
//!
//! - [`smooth`]: the kernels W and their slopes.
//! - [`wall`]: what a solid that is no particles adds to C.
//! - [`density`]: the constraint.
//! - [`viscous`]: viscosity, a change of velocities after the positions are settled.
//! - [`tension`]: surface tension, another one.
//! - [`vortex`]: vorticity confinement, the last one.

pub mod boundary;
pub(crate) mod cpu;
pub mod density;
#[cfg(feature = "gpu")]
pub(crate) mod gpu;
pub mod model;
pub mod parameters;
pub mod sph_kernels;
pub mod surface_tension;
pub mod viscosity;
pub mod vorticity;
