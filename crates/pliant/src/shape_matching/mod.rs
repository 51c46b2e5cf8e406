//! Shape matching: bodies that follow their rest shape (S19, S20; D3, D4 §4.1).
//!
//! A body is a set of particles with a rest shape. Matching finds the rotation and translation that fit the rest shape
//! to the particle positions best, and moves the particles toward it: fully (rigid) or in part (soft). Overlapping
//! regions can bend where one body could only rotate; plastic bodies change their rest shape.
//!
//! | file | contents |
//! | --- | --- |
//! | `rotation` | rotation extraction from a matrix, three methods |
//! | `stiffness` | stiffness per iteration; adaptive weights |
//! | `plasticity` | plastic rest shapes |
//! | `bodies` | flat arrays of bodies |
//! | `carry` | bodies that go on after objects were added or removed |
//! | `masses` | masses, pins and rest offsets |
//! | `join` | bodies that grow |
//! | `cpu`, `phenomenon` | the passes of a substep |
//! | `moments` | sums over a body in a fixed order |
//! | `simd` | gather, sum and move eight members at a time |
//! | `matching` | one matching iteration over all bodies |
//! | `regions` | overlapping regions of particles |
//! | `rest_moment` | inverse of a second moment, also of flat bodies |
//! | `snapshot` | bodies in snapshots |
//! | `skinning` | visual meshes bound to particles |
//! | `gpu` | the same on the GPU: tables, WGSL, passes |
//!
//! Independent of scenes, constraints and backends. A substep is [`ShapeMatch::begin`], then [`match_shapes`] in every
//! iteration, then [`ShapeMatch::flow`].
//!
//! References: Müller, Heidelberger, Teschner, Gross, "Meshless deformations based on shape matching", SIGGRAPH 2005
//! (cited as [MHTG]); Rivers, James, "FastLSM", SIGGRAPH 2007 (masses of shared particles).

pub mod bodies;
mod carry;
pub(crate) mod cpu;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod join;
pub mod masses;
pub mod matching;
pub mod moments;
mod phenomenon;
pub mod plasticity;
pub mod regions;
pub mod rest_moment;
pub mod rotation;
pub mod simd;
pub mod skinning;
mod snapshot;
pub mod stiffness;

#[cfg(feature = "gpu")]
pub(crate) use crate::shape_matching::bodies::MatchedBody;
pub use crate::shape_matching::bodies::{BodyDef, Pose, ShapeError, ShapeMatch};
pub(crate) use crate::shape_matching::masses::inertia;
pub use crate::shape_matching::matching::{MatchSettings, match_shapes};
pub use crate::shape_matching::moments::CHUNK;
pub use crate::shape_matching::plasticity::Plastic;
pub use crate::shape_matching::regions::regions;
pub(crate) use crate::shape_matching::rest_moment::pseudoinverse_f64;
pub use crate::shape_matching::rotation::Extraction;
pub use crate::shape_matching::skinning::Skin;
pub use crate::shape_matching::stiffness::{PEAK_WEIGHT, Stiffness, adaptive_weight};
