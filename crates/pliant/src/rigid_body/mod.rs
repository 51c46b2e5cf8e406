//! Rigid bodies in generalized coordinates: position, orientation and velocities, exact shapes, joints (S21).
//!
//! | file | contents |
//! | --- | --- |
//! | `polytope`, `shape` | convex shapes: support points, supporting faces, distances |
//! | `mass` | mass, center and inertia |
//! | `bodies` | bodies as the model and the state have them |
//! | `broad_phase` | pairs whose bounds overlap |
//! | `body_grid` | bodies near a place |
//! | `gjk`, `sat`, `manifold`, `narrow_phase` | where two shapes touch |
//! | `contacts` | contacts of a step, with the impulses of the last one |
//! | `contact_solver`, `wide_contacts`, `wide_kernel` | friction, restitution, non-penetration |
//! | `joint`, `joint_rows`, `joint_solver` | joints, solved directly |
//! | `bounded` | their limits, motors and friction |
//! | `anchor` | particles that are attached |
//! | `grip` | pulls of limited force |
//! | `integrate` | free motion |
//! | `sleep` | islands at rest |
//! | `step` | a step of all bodies |
//! | `edit`, `carry`, `snapshot` | bodies in worlds that change, and in snapshots |
//! | `phenomenon` | the pass of a substep |

pub mod anchor;
pub mod bodies;
pub(crate) mod body_grid;
mod bounded;
pub mod broad_phase;
mod carry;
pub mod contact_solver;
pub mod contacts;
mod edit;
pub mod gjk;
pub mod grip;
pub mod integrate;
pub mod joint;
mod joint_rows;
pub mod joint_solver;
pub mod manifold;
pub mod mass;
pub mod narrow_phase;
pub(crate) mod phenomenon;
pub mod polytope;
pub mod sat;
pub mod shape;
pub mod sleep;
mod snapshot;
pub mod step;
pub mod wide_contacts;
mod wide_kernel;
