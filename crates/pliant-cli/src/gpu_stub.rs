//! Replaces `gpu.rs` in builds without the feature `gpu`.

use crate::args::GpuArgs;
use crate::failure::Failure;
use pliant::World;

pub fn gpu(_: &GpuArgs) -> Result<(), Failure> {
    Err(Failure::built_without_gpu())
}

/// `None`: there is no GPU.
pub fn adapter(_: &World) -> Option<String> {
    None
}

/// `None`: there is no GPU.
pub fn device_bytes(_: &World) -> Option<u64> {
    None
}

/// The CPU always times its stages.
pub fn measure_stages(_: &mut World) -> Result<(), Failure> {
    Ok(())
}
