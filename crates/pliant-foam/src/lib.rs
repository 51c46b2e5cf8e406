//! Spray, foam and bubbles: flecks of air and water, much smaller than the particles of a liquid, that follow it.
//!
//! After M. Ihmsen, N. Akinci, G. Akinci, M. Teschner, "Unified spray, foam and bubbles for particle-based fluids", The Visual
//! Computer 28 (2012). A look at positions and velocities once per frame, one way: the liquid never feels its foam, and
//! a simulation has the same bits with it and without.
//!
//! - `potential`: where air gets into the liquid, or water into the air.
//! - `drift`: how spray flies, foam is carried and bubbles rise.
//! - `walls`: colliders, which flecks do not enter.
//! - `scale`: the speeds and sizes of a scene, from which all limits follow.
//! - `foam`: the flecks themselves, frame by frame.
//!
//! The same bytes come out for any number of threads: sums have one order, and random numbers are counted, not drawn.

mod drift;
mod foam;
mod potential;
mod random;
mod scale;
mod walls;

pub use drift::Drift;
pub use foam::{Fleck, Foam, Kind, Liquid, Settings, Tally};
pub use potential::{Limits, Potential, potentials};
pub use scale::Scale;
pub use walls::obstacles;
