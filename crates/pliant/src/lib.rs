//! Pliant: a unified position-based dynamics engine.
//!
//! Cloth, ropes, soft, rigid and inflated bodies and grains are particles joined by constraints, moved by one solver.
//! Data flows one way:
//!
//! ```text
//! scene text ─▶ Scene ─▶ build ─▶ Model + State ─▶ step ─▶ State' ─▶ Frame, statistics
//! ```
//!
//! No file I/O, no window, no global state: meshes come through [`build::MeshSource`], frames go out as
//! [`frame::Frame`].
//!
//! ```
//! use pliant::{Options, Simulation, build::NoMeshes, scene::{Format, Scene}};
//!
//! let text = r#"
//!     [[cloth]]
//!     grid = { cells = [10, 10], size = [1, 1] }
//!     pin = [{ at = "top left" }, { at = "top right" }]
//! "#;
//! let scene = Scene::parse(text, Format::Toml).unwrap();
//! let mut sim = Simulation::new(&scene, &NoMeshes, Options::default()).unwrap();
//! for _ in 0..10 {
//!     sim.step().unwrap();
//! }
//! assert!(sim.position(0).y < 1.0);
//! ```

mod backend;
mod between;
pub mod build;
mod error;
pub mod frame;
pub mod kernels;
mod memory;
pub mod mesh;
mod mirror;
pub mod model;
pub mod motion;
pub mod scene;
mod simulation;
pub mod space;
pub mod state;
pub mod step;

pub use backend::cpu::{Isa, Threads};
#[cfg(feature = "gpu")]
pub use backend::gpu;
pub use error::{Diverged, SceneError, StepError};
pub use simulation::{Backend, ConstraintView, Options, Simulation};
