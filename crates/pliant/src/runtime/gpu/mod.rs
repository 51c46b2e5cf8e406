//! The wgpu device, the shared buffers, tables, dispatches as data, pipelines and timers.

pub(crate) mod bind_groups;
pub(crate) mod buffers;
pub mod device;
pub mod error;
pub(crate) mod pass_builder;
pub mod program;
pub mod shader_constants;
pub mod tables;
pub(crate) mod timing;

pub use device::{AdapterReport, Cap, Device, GpuOptions, adapters};
pub use error::GpuError;
pub use wgpu;

/// Maximum number of workgroups along one dimension of a dispatch.
pub const MOST_GROUPS: usize = 65_535;
