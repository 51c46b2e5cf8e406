//! In place of `gpu.rs` where Pliant is built without the feature "gpu".

use crate::args::GpuArgs;
use crate::failure::Failure;
use pliant::Simulation;

pub fn gpu(_: &GpuArgs) -> Result<(), Failure> {
    Err(Failure::built_without_gpu())
}

/// None: no GPU runs it.
pub fn adapter(_: &Simulation) -> Option<String> {
    None
}

/// None: no GPU runs it.
pub fn device_bytes(_: &Simulation) -> Option<u64> {
    None
}

/// The CPU always does.
pub fn measure_stages(_: &mut Simulation) -> Result<(), Failure> {
    Ok(())
}
