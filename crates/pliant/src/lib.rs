//! Pliant: a unified position-based dynamics engine.
//!
//! Cloth, ropes, soft, rigid and inflated bodies, grains and fluids are particles with constraints, moved by one
//! solver. Data flows one way:
//!
//! ```text
//! scene text ─▶ Scene ─▶ build ─▶ Model + State ─▶ step ─▶ State' ─▶ Frame, statistics
//! ```
//!
//! No file I/O, no window, no global state: meshes come through [`builder::MeshSource`], frames go out as
//! [`frame::Frame`].
//!
//! ```
//! use pliant::{Options, World, builder::NoMeshes, scene::{Format, Scene}};
//!
//! let text = r#"
//!     [[cloth]]
//!     grid = { cells = [10, 10], size = [1, 1] }
//!     pin = [{ at = "top left" }, { at = "top right" }]
//! "#;
//! let scene = Scene::parse(text, Format::Toml).unwrap();
//! let mut sim = World::from_scene(&scene, &NoMeshes, Options::default()).unwrap();
//! for _ in 0..10 {
//!     sim.step().unwrap();
//! }
//! assert!(sim.position(0).y < 1.0);
//! ```

#[doc(hidden)]
pub mod aero;
#[doc(hidden)]
pub mod builder;
mod bytes;
#[doc(hidden)]
pub mod collision;
#[doc(hidden)]
pub mod constraints;
#[doc(hidden)]
pub mod contact;
#[doc(hidden)]
pub mod environments;
mod error;
#[doc(hidden)]
pub mod fluid;
pub mod frame;
#[doc(hidden)]
pub mod geometry;
#[doc(hidden)]
pub mod grip;
#[doc(hidden)]
pub mod integration;
#[doc(hidden)]
pub mod math;
mod memory;
pub mod mesh;
#[doc(hidden)]
pub mod methods;
#[doc(hidden)]
pub mod model;
#[doc(hidden)]
pub mod motion;
#[doc(hidden)]
pub mod neighbors;
#[doc(hidden)]
pub mod partition;
#[doc(hidden)]
pub mod rigid_body;
#[doc(hidden)]
pub mod runtime;
pub mod scene;
#[doc(hidden)]
pub mod schedule;
#[doc(hidden)]
pub mod settings;
#[doc(hidden)]
pub mod shape_matching;
#[doc(hidden)]
pub mod solver;
#[doc(hidden)]
pub mod state;
#[doc(hidden)]
pub mod surface_contact;
#[doc(hidden)]
pub mod tetrahedralize;
#[doc(hidden)]
pub mod transitions;
#[doc(hidden)]
pub mod voxel;
mod world;

pub use crate::bytes::SnapshotError;
pub use crate::collision::CollisionGroups;
pub use crate::error::{Diverged, SceneError, StepError};
pub use crate::math::Pose;
#[doc(hidden)]
pub use crate::runtime::cpu::{Isa, Threads};
#[cfg(feature = "gpu")]
pub use crate::solver::gpu;
#[cfg(feature = "gpu")]
pub use crate::solver::gpu::SubmissionMode;
pub use crate::world::{
    AddOptions, Backend, Batch, BatchObject, BatchOptions, ConstraintView, ContactPoint, EditError, Event, Events,
    Feature, GripHandle, GripOptions, Handle, Hit, JointForce, Momentum, ObjectEnergy, ObjectSurface, OnDivergence,
    Options, Overlap, PinForce, PositionRequest, Snapshot, SnapshotRing, VelocityRequest, World,
};
