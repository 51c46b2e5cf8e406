//! The wgpu device, buffers, pipelines and timers.

pub mod device;
pub mod error;
pub(crate) mod pass_builder;
pub(crate) mod timing;

pub use device::{AdapterReport, Cap, Device, GpuOptions, adapters};
pub use error::GpuError;
pub use wgpu;

/// Maximum number of workgroups along one dimension of a dispatch.
pub const MOST_GROUPS: usize = 65_535;
