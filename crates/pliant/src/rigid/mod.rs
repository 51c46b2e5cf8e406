//! Shape matching: bodies that follow their rest shape as a whole (S19, S20; D3, D4 §4.1).
//!
//! A body is a set of particles with a rest shape. Matching finds the rotation and translation that bring the rest
//! shape nearest to where its particles are, and moves them toward it: all the way (rigid) or a part (soft). Regions
//! that overlap bend where one body could only turn; plastic bodies change their rest shape.
//!
//! | file | holds |
//! | --- | --- |
//! | `matrix` | 3×3 matrices and quaternions in plain arithmetic |
//! | `rotation` | the rotation in a matrix, three ways |
//! | `stiffness` | how far particles go in an iteration; adaptive weights |
//! | `plastic` | rest shapes that give way |
//! | `bodies` | the flat description of bodies |
//! | `masses` | their masses, pins and rest offsets |
//! | `join` | bodies that grow |
//! | `moments` | sums over a body in one fixed order |
//! | `eight` | fetching, summing and moving eight members at a time |
//! | `pass` | matching all bodies once |
//! | `regions` | particles to overlapping regions |
//! | `spread` | the inverse of a second moment, also of flat bodies |
//! | `skin` | a visual mesh that follows particles |
//!
//! It knows no scene, no constraint and no backend. A substep is [`ShapeMatch::begin`], then [`match_shapes`] in every
//! iteration, then [`ShapeMatch::flow`].
//!
//! References: Müller, Heidelberger, Teschner, Gross, "Meshless deformations based on shape matching", SIGGRAPH 2005
//! (cited as [MHTG]); Rivers, James, "FastLSM", SIGGRAPH 2007 (masses of shared particles).

pub mod bodies;
#[cfg(feature = "gpu")]
pub(crate) mod gpu;
pub mod join;
pub mod masses;
pub mod matching;
pub mod moments;
pub mod plasticity;
pub mod regions;
pub mod rest_moment;
pub mod rotation;
pub mod simd;
pub mod skinning;
pub mod stiffness;

#[cfg(feature = "gpu")]
pub(crate) use crate::rigid::bodies::Layout;
pub use crate::rigid::bodies::{BodyDef, Pose, ShapeError, ShapeMatch};
pub(crate) use crate::rigid::masses::inertia;
pub use crate::rigid::matching::{MatchSettings, match_shapes};
pub use crate::rigid::moments::CHUNK;
pub use crate::rigid::plasticity::Plastic;
pub use crate::rigid::regions::regions;
pub(crate) use crate::rigid::rest_moment::pseudoinverse_f64;
pub use crate::rigid::rotation::Extraction;
pub use crate::rigid::skinning::Skin;
pub use crate::rigid::stiffness::{PEAK_WEIGHT, Stiffness, adaptive_weight};
