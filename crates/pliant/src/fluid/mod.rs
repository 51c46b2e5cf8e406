//! Fluids: particles with a density constraint (S23, S24).
//!
//! Volumes replace masses over densities: a particle has the rest volume V = (2r)³, and
//!
//! C_i = Σ_j V_j·W(x_i − x_j) − 1 ≤ 0,
//!
//! where the sum includes i itself, other particles and the solids around it. For one fluid this is D4's ρ_i/ρ₀ − 1;
//! for several it holds at their interface, where a sum of masses would give a density of neither. Gradients are those
//! of E20, corrections those of E21 with m/ρ₀ = V.
//!
//! - [`sph_kernels`]: the kernels W and their slopes.
//! - [`boundary`]: contribution of colliders to C.
//! - [`body_surface`]: pressure on rigid bodies.
//! - [`body_coupling`]: their motion by it.
//! - [`density`]: the density constraint.
//! - [`projection`]: pressure that keeps velocities free of divergence, with density constraints on positions only.
//! - [`viscosity`]: implicit viscosity, a velocity pass after the position solve.
//! - [`surface_tension`]: surface tension, a velocity pass.
//! - [`vorticity`]: vorticity confinement, the last velocity pass.

pub mod body_coupling;
pub mod body_surface;
pub mod boundary;
pub(crate) mod cpu;
pub mod density;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod model;
pub mod parameters;
mod phenomenon;
pub mod projection;
pub mod sph_kernels;
pub mod surface_tension;
pub mod viscosity;
pub mod vorticity;
