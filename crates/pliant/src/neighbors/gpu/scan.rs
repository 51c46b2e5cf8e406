//! Exclusive prefix sums of `u32` on the device, of any length.
//!
//! Three dispatches up to four million numbers, five beyond: blocks are summed, their sums scanned (recursively, if
//! they are more than a block), then every block scans itself. A single dispatch with look-back would read the numbers
//! once instead of twice, but needs workgroups to wait for others, for which WGSL has no progress guarantee.

use crate::neighbors::gpu::constants;
use crate::neighbors::gpu::uniforms::ScanUniforms;
use crate::runtime::gpu::device::Device;
use crate::runtime::gpu::error::GpuError;
use crate::runtime::gpu::pass_builder::{PassBuilder, Step};
use wgpu::{Buffer, ComputePass};

/// Numbers per block: `BLOCK` of scan.wgsl.
const BLOCK: usize = 2048;

/// A scan of one buffer, which can be recorded repeatedly.
#[derive(Debug)]
pub struct Scan {
    steps: Vec<Step>,
    bytes: u64,
}

impl Scan {
    /// For the first `count` words of a storage buffer. Sums are modulo 2³².
    pub fn new(device: &Device, data: &Buffer, count: usize) -> Result<Self, GpuError> {
        let needed = 4 * count as u64;
        assert!(data.size() >= needed, "the buffer has {} bytes, but the scan covers {needed}", data.size());
        let mut builder = PassBuilder::new(device, constants::wgsl());
        let steps = Self::steps(&mut builder, data, count)?;
        Ok(Self { steps, bytes: builder.bytes })
    }

    pub(crate) fn steps(builder: &mut PassBuilder<'_>, data: &Buffer, count: usize) -> Result<Vec<Step>, GpuError> {
        let text = [include_str!("scan.wgsl"), include_str!("sum.wgsl"), include_str!("group.wgsl")];
        let [reduce, scan, one] = ["reduce", "scan", "scan_one"].map(|entry| builder.pipeline(entry, &text));
        let (reduce, scan, one) = (reduce?, scan?, one?);
        let (mut up, mut down) = (Vec::new(), Vec::new());
        let (mut data, mut count) = (data.clone(), count);
        while count > BLOCK {
            let blocks = count.div_ceil(BLOCK);
            let args =
                builder.record("scan uniforms", &ScanUniforms { count: count as u32, ..ScanUniforms::default() })?;
            let sums = builder.words("block sums", blocks)?;
            let bound = [(0, &args), (1, &data), (2, &sums)];
            up.push(builder.step(&reduce, &bound, blocks)?);
            down.push(builder.step(&scan, &bound, blocks)?);
            (data, count) = (sums, blocks);
        }
        let args = builder.record("scan uniforms", &ScanUniforms { count: count as u32, ..ScanUniforms::default() })?;
        up.push(builder.step(&one, &[(0, &args), (1, &data)], count.min(1))?);
        up.extend(down.into_iter().rev());
        Ok(up)
    }

    /// Records the scan: every number becomes the sum of those before it.
    pub fn encode(&self, pass: &mut ComputePass<'_>) {
        self.steps.iter().for_each(|step| step.encode(pass));
    }

    /// Additional memory [bytes].
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}
