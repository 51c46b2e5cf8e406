//! Contact between triangles: cloth, soft bodies, inflatables, ropes as capsules, grains and liquids against them, and
//! their edges and faces against rigid bodies and colliders.
//!
//! | file | contents |
//! | --- | --- |
//! | `features` | nearest points of a vertex and a triangle, and of two edges (kernels) |
//! | `pair` | non-penetration and friction of a pair of them |
//! | `penalty` | pairs of triangles and colliders as elastic bodies solve them |
//! | `conservative` | when a pair in motion comes too close |
//! | `model` | surfaces with their trees; what the builder makes of a scene |
//! | `motion` | positions and displacements of the vertices in a substep |
//! | `search` | pairs that may touch: trees fitted to the motion, tasks |
//! | `bounds`, `tree_walk` | boxes over a substep; trees walked two by two |
//! | `limit` | the end of a substep: nothing crosses |
//! | `leaks` | objects that contacts of particles do not hold |
//! | `cpu` | the passes |
//! | `phenomenon` | the passes as the schedule sees them |

mod bounds;
pub mod build;
mod conservative;
pub use conservative::{approach, time_of_contact};
pub(crate) mod cpu;
pub mod features;
pub mod leaks;
pub mod limit;
pub mod model;
mod motion;
pub mod pair;
pub(crate) mod penalty;
pub(crate) mod phenomenon;
mod search;
mod tree_walk;
