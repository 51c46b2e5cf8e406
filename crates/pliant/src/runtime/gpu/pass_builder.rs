//! Building blocks of the neighbor search: buffers, pipelines, and dispatches with their bind groups.

use crate::runtime::gpu::MOST_GROUPS;
use crate::runtime::gpu::device::{Device, UNIFORMS};
use crate::runtime::gpu::error::GpuError;
use bytemuck::Pod;
use wgpu::{Buffer, BufferUsages, ComputePass, ComputePipeline};

/// Creates them and sums their memory.
pub struct PassBuilder<'a> {
    pub device: &'a Device,
    /// Constants in front of every module.
    header: String,
    /// Memory of all buffers so far [bytes].
    pub bytes: u64,
}

/// One dispatch with its bind group.
#[derive(Debug)]
pub struct Step {
    pipeline: ComputePipeline,
    bindings: wgpu::BindGroup,
    groups: usize,
}

impl Step {
    /// Records the dispatch; none if there are no workgroups.
    pub fn encode(&self, pass: &mut ComputePass<'_>) {
        if self.groups == 0 {
            return;
        }
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bindings, &[]);
        let x = self.groups.min(MOST_GROUPS);
        pass.dispatch_workgroups(x as u32, self.groups.div_ceil(x) as u32, 1);
    }
}

const STORAGE: BufferUsages = BufferUsages::STORAGE.union(BufferUsages::COPY_SRC).union(BufferUsages::COPY_DST);

impl<'a> PassBuilder<'a> {
    /// An empty builder of modules with this header.
    pub fn new(device: &'a Device, header: String) -> Self {
        Self { device, header, bytes: 0 }
    }

    /// A storage buffer of the given number of words, at least four, zero-initialized.
    pub fn words(&mut self, buffer: &'static str, words: usize) -> Result<Buffer, GpuError> {
        self.buffer(buffer, words as u64, STORAGE)
    }

    /// A uniform buffer; the record is a multiple of four words.
    pub fn record<T: Pod>(&mut self, buffer: &'static str, record: &T) -> Result<Buffer, GpuError> {
        let made = self.buffer(buffer, size_of::<T>() as u64 / 4, UNIFORMS)?;
        self.device.queue.write_buffer(&made, 0, bytemuck::bytes_of(record));
        Ok(made)
    }

    fn buffer(&mut self, buffer: &'static str, words: u64, usage: BufferUsages) -> Result<Buffer, GpuError> {
        let made = self.device.buffer(buffer, 4 * words, usage)?;
        self.bytes += made.size();
        Ok(made)
    }

    /// A pipeline from the parts of a module; compiled once per device.
    pub fn pipeline(&self, entry: &'static str, parts: &[&str]) -> Result<ComputePipeline, GpuError> {
        let text = format!("{}{}", self.header, parts.join("\n"));
        // SAFETY: for any positions, NaN included: cells and codes are clamped as integers, slots come from counts of
        // all particles, and lists are written only within the reserved capacity. Loops end: those over cells and slots
        // run over such counts, those in the tree down ranges of slots that get shorter.
        unsafe { self.device.pipeline(entry, entry, text, None) }
    }

    /// A dispatch of the given number of workgroups with these buffers at these bindings.
    pub fn step(
        &self,
        pipeline: &ComputePipeline,
        buffers: &[(u32, &Buffer)],
        groups: usize,
    ) -> Result<Step, GpuError> {
        let entries: Vec<_> = buffers
            .iter()
            .map(|&(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let bindings = self.device.attempt("neighbor search bind group", || {
            self.device.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("neighbor search"),
                layout: &pipeline.get_bind_group_layout(0),
                entries: &entries,
            })
        })?;
        Ok(Step { pipeline: pipeline.clone(), bindings, groups })
    }
}
