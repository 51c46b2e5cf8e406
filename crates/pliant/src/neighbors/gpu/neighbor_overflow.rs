//! Overflow handling of neighbor lists: if lists do not fit, this substep and all after it are skipped until the host
//! has reallocated them (E33). Nothing is dropped, and a steady frame does not wait for the host.

use crate::neighbors::gpu::{Finder, Setup};
use crate::runtime::gpu::device::Device;
use crate::runtime::gpu::error::GpuError;
use crate::runtime::gpu::pass_builder::{PassBuilder, Step};
use wgpu::{Buffer, ComputePass};

/// A search that freezes the state if its lists overflow.
pub struct OverflowSearch {
    /// The search.
    pub finder: Finder,
    overflow_flag: Step,
}

impl OverflowSearch {
    /// Makes the search; `flags` is where the state is frozen, `constants` the WGSL that defines `FROZEN` and `LISTS_FULL`.
    pub fn new(device: &Device, setup: &Setup<'_>, flags: &Buffer, constants: &str) -> Result<Self, GpuError> {
        let finder = Finder::new(device, setup)?;
        let builder = PassBuilder::new(device, constants.to_owned());
        let search = builder.pipeline("search", &[include_str!("neighbor_overflow.wgsl")])?;
        let overflow_flag = builder.step(&search, &[(0, finder.header()), (1, flags)], 1)?;
        Ok(Self { finder, overflow_flag })
    }

    /// Records the search.
    pub fn encode(&self, pass: &mut ComputePass<'_>) {
        self.finder.encode(pass);
        self.overflow_flag.encode(pass);
    }

    /// Number of dispatches of the search.
    pub fn dispatches(&self) -> usize {
        self.finder.dispatches() + 1
    }

    /// Reallocates the lists with a quarter of headroom if the last searches overflowed; returns whether. `entry` is
    /// the size of an entry in the largest buffer that has one per entry [bytes].
    pub fn grow(&mut self, device: &Device, entry: u64) -> Result<bool, GpuError> {
        let wanted = self.finder.report(device)?.needed();
        if wanted <= u64::from(self.finder.capacity()) {
            return Ok(false);
        }
        let most = device.binding_bytes / entry;
        self.finder.grow(device, (wanted + wanted / 4 + 4096).min(most.max(wanted)))?;
        Ok(true)
    }
}
