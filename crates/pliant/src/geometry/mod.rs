//! Shapes of colliders that need tables: convex hulls, triangle surfaces, distance fields (S17).
//!
//! Home of the geometry only: where the nearest point is, how deep a point is inside, when a moving ball touches. What
//! a contact does with it is [`super::contact`]; how tables are made from meshes is `build::collider`.
//!
//! Invariant: tables are in the collider's frame, made once, and only looked up here. Positions are single precision;
//! every sum and every choice among equals has a fixed order.
//!
//! References: Ericson, *Real-Time Collision Detection*, 2005 ([RTCD]), chapters 5 and 6.

pub mod bvh;
pub mod convex_hull;
pub mod quickhull;
pub mod sdf;
pub mod triangle;
pub mod triangle_surface;

pub use crate::geometry::convex_hull::Hull;
pub use crate::geometry::sdf::DistanceField;
pub use crate::geometry::triangle::{Foot, Triangle, nearest_on_triangle, sweep_to_triangle};
pub use crate::geometry::triangle_surface::{Hit, Near, Slide, Surface};
