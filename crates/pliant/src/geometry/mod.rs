//! Collider shapes that need tables: convex hulls, triangle surfaces, distance fields (S17).
//!
//! Geometric queries only: nearest points, penetration depths, time of impact of moving spheres. [`super::contact`]
//! resolves contacts; `builder::collider` builds the tables from meshes.
//!
//! Invariant: tables are in the collider's frame, built once, and read-only here. Positions are single precision;
//! every sum and every tie has a fixed order.
//!
//! References: Ericson, *Real-Time Collision Detection*, 2005 ([RTCD]), chapters 5 and 6.

pub mod bvh;
pub mod convex_hull;
pub mod convex_parts;
pub mod quickhull;
pub mod sdf;
pub mod triangle;
pub mod triangle_surface;

pub use crate::geometry::convex_hull::Hull;
pub use crate::geometry::sdf::DistanceField;
pub use crate::geometry::triangle::{Foot, Triangle, nearest_on_triangle, sweep_to_triangle};
pub use crate::geometry::triangle_surface::{Hit, Near, Slide, Surface};
