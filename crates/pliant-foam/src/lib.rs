//! Spray, foam and bubbles: diffuse particles, much smaller than the particles of a liquid, that follow it.
//!
//! After M. Ihmsen, N. Akinci, G. Akinci, M. Teschner, "Unified spray, foam and bubbles for particle-based fluids", The Visual
//! Computer 28 (2012). A one-way coupled post-process once per frame: the simulation has the same bits with and without
//! foam.
//!
//! - `potential`: generation potentials of liquid particles.
//! - `advection`: motion of spray, foam and bubbles.
//! - `collision`: colliders.
//! - `scale`: length and velocity scales of a scene, from which the limits follow.
//! - `foam`: the diffuse particles and their update per frame.
//!
//! Results are the same bytes for any number of threads: sums have a fixed order, and random numbers are counter-based.

#![forbid(unsafe_code)]

mod advection;
mod collision;
mod foam;
mod potential;
mod random;
mod scale;

pub use advection::Advection;
pub use collision::moving_colliders;
pub use foam::{DiffuseKind, DiffuseParticle, Foam, FoamCounts, FoamSettings, LiquidState};
pub use potential::{Potential, PotentialLimits, potentials};
pub use scale::SceneScale;
