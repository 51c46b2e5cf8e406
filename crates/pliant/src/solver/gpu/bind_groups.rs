//! Which buffers a pipeline sees. A shader may see eight, and no more are asked for: passes about contacts between
//! particles and about bodies see some of those that all share, and their own in a second group.

use crate::runtime::gpu::device::Device;
use crate::runtime::gpu::error::GpuError;
use crate::solver::gpu::buffers::Buffers;
use crate::solver::gpu::layouts;
use crate::solver::gpu::pass_uniforms::Uniform;
use crate::solver::gpu::shaders::{BindGroupKind, Source};

/// Bindings of group 0 beside lists of neighbors, or bodies: rows, work, marks, fixtures; records.
const SIDE: [u32; 6] = [0, 3, 4, 7, 8, 9];
/// Where velocities change beside lists of neighbors: rows, motion, work, marks; records.
const BOUNCE: [u32; 6] = [0, 1, 3, 4, 8, 9];
/// Beside lists of liquids: rows, motion, work, marks, fixtures; records.
const FLOW: [u32; 7] = [0, 1, 3, 4, 7, 8, 9];
/// Where lists are only sifted: parameters, topology; records.
const SIFT: [u32; 4] = [5, 6, 8, 9];
/// All of them.
const MAIN: [u32; 10] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
/// First of the two that are records of a ring.
const RECORDS: u32 = 8;

/// Layouts of all groups, and the first group of each desk.
pub struct BindGroups {
    main: (wgpu::BindGroupLayout, wgpu::BindGroup),
    side: (wgpu::BindGroupLayout, wgpu::BindGroup),
    sift: (wgpu::BindGroupLayout, wgpu::BindGroup),
    bounce: (wgpu::BindGroupLayout, wgpu::BindGroup),
    flow: (wgpu::BindGroupLayout, wgpu::BindGroup),
    /// Lists of neighbors, their pushes, and the order of the search.
    pub meets: wgpu::BindGroupLayout,
    /// Lists of neighbors of liquids, and the order of the search.
    pub flows: wgpu::BindGroupLayout,
    /// Bodies and poses.
    pub shapes: wgpu::BindGroupLayout,
}

impl BindGroups {
    /// For the buffers of a simulation.
    pub fn new(device: &Device, buffers: &Buffers) -> Result<Self, GpuError> {
        let group = |bindings: &[u32]| {
            let layout = shared_layout(device, bindings);
            let group = device.attempt("the bindings", || bind(device, &layout, buffers, bindings))?;
            Ok((layout, group))
        };
        Ok(Self {
            main: group(&MAIN)?,
            side: group(&SIDE)?,
            sift: group(&SIFT)?,
            bounce: group(&BOUNCE)?,
            flow: group(&FLOW)?,
            meets: own_layout(device, &[false; 4]),
            flows: own_layout(device, &[false; 3]),
            shapes: own_layout(device, &[true, false]),
        })
    }

    /// Group 0 of a desk.
    pub fn shared(&self, bindings: BindGroupKind) -> &wgpu::BindGroup {
        match bindings {
            BindGroupKind::Main => &self.main.1,
            BindGroupKind::Meets | BindGroupKind::Shapes => &self.side.1,
            BindGroupKind::Sift => &self.sift.1,
            BindGroupKind::Bounces => &self.bounce.1,
            BindGroupKind::Flow => &self.flow.1,
        }
    }

    /// Compiles shaders.
    pub fn pipelines(&self, device: &Device, sources: &[Source]) -> Result<Vec<wgpu::ComputePipeline>, GpuError> {
        let layout = |groups: &[Option<&wgpu::BindGroupLayout>]| {
            device.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: None,
                bind_group_layouts: groups,
                immediate_size: 0,
            })
        };
        let main = layout(&[Some(&self.main.0)]);
        let meets = layout(&[Some(&self.side.0), Some(&self.meets)]);
        let sift = layout(&[Some(&self.sift.0), Some(&self.meets)]);
        let bounces = layout(&[Some(&self.bounce.0), Some(&self.meets)]);
        let shapes = layout(&[Some(&self.side.0), Some(&self.shapes)]);
        let flows = layout(&[Some(&self.flow.0), Some(&self.flows)]);
        let make = |source: &Source| {
            let layout = match source.bindings() {
                BindGroupKind::Main => &main,
                BindGroupKind::Meets => &meets,
                BindGroupKind::Sift => &sift,
                BindGroupKind::Bounces => &bounces,
                BindGroupKind::Shapes => &shapes,
                BindGroupKind::Flow => &flows,
            };
            // SAFETY: `build::pack` has proved every row number in range, `Tables` writes all others, lists of neighbors
            // hold numbers of particles, and every loop of the shaders runs over a table's length.
            unsafe { device.pipeline(&source.label, source.entry, source.text(), Some(layout)) }
        };
        sources.iter().map(make).collect()
    }
}

/// A second group of buffers, in the order of their bindings.
pub fn own_group(device: &Device, layout: &wgpu::BindGroupLayout, buffers: &[&wgpu::Buffer]) -> wgpu::BindGroup {
    let entries: Vec<_> = (0_u32..)
        .zip(buffers)
        .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
        .collect();
    device.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}

fn entry(binding: u32, ty: wgpu::BufferBindingType, has_dynamic_offset: bool) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: None },
        count: None,
    }
}

fn made(device: &Device, entries: &[wgpu::BindGroupLayoutEntry]) -> wgpu::BindGroupLayout {
    device.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries })
}

fn shared_layout(device: &Device, bindings: &[u32]) -> wgpu::BindGroupLayout {
    let one = |&binding: &u32| {
        let ty = match binding {
            0..5 => wgpu::BufferBindingType::Storage { read_only: false },
            5..RECORDS => wgpu::BufferBindingType::Storage { read_only: true },
            _ => wgpu::BufferBindingType::Uniform,
        };
        entry(binding, ty, binding >= RECORDS)
    };
    made(device, &bindings.iter().map(one).collect::<Vec<_>>())
}

fn own_layout(device: &Device, read_only: &[bool]) -> wgpu::BindGroupLayout {
    let one =
        |(binding, &read_only): (u32, &bool)| entry(binding, wgpu::BufferBindingType::Storage { read_only }, false);
    made(device, &(0_u32..).zip(read_only).map(one).collect::<Vec<_>>())
}

fn bind(device: &Device, layout: &wgpu::BindGroupLayout, b: &Buffers, bindings: &[u32]) -> wgpu::BindGroup {
    let storage = [&b.rows, &b.motion, &b.lambda, &b.work, &b.marks, &b.params, &b.topology, &b.fixtures];
    let record = |buffer, size: usize| {
        wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer,
            offset: 0,
            size: std::num::NonZeroU64::new(size as u64),
        })
    };
    let one = |&binding: &u32| {
        let resource = match binding {
            8 => record(&b.substeps, size_of::<layouts::Substep>()),
            9 => record(&b.pass_uniforms, Uniform::BYTES),
            _ => storage[binding as usize].as_entire_binding(),
        };
        wgpu::BindGroupEntry { binding, resource }
    };
    let entries: Vec<_> = bindings.iter().map(one).collect();
    device.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}
