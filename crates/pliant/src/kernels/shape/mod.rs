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

mod bodies;
mod eight;
mod join;
mod masses;
pub mod matrix;
mod moments;
mod pass;
mod plastic;
mod regions;
pub mod rotation;
mod skin;
mod spread;
mod stiffness;

#[cfg(feature = "gpu")]
pub(crate) use bodies::Layout;
pub use bodies::{Pose, Shape, ShapeError, ShapeMatch};
pub(crate) use masses::inertia;
pub use moments::CHUNK;
pub use pass::{Pass, match_shapes};
pub use plastic::Plastic;
pub use regions::regions;
pub use rotation::Extraction;
pub use skin::Skin;
pub(crate) use spread::pseudoinverse_f64;
pub use stiffness::{PEAK_WEIGHT, Stiffness, adaptive_weight};
