//! Bind groups and pipeline layouts, made from the bindings that shaders declare.

use crate::runtime::gpu::buffers::Buffers;
use crate::runtime::gpu::device::Device;
use crate::runtime::gpu::error::GpuError;
use crate::runtime::gpu::program::{Bindings, OwnGroup, ShaderSource, Uniform, binding};

/// Group 0 of each set of shared bindings, and the layouts of the groups of phenomena.
pub struct BindGroups {
    shared: Vec<SharedGroup>,
    own: Vec<(&'static OwnGroup, wgpu::BindGroupLayout)>,
}

struct SharedGroup {
    bindings: &'static [u32],
    layout: wgpu::BindGroupLayout,
    group: wgpu::BindGroup,
}

impl BindGroups {
    /// For the shaders of a program. `own` are all groups that phenomena may have, by number.
    pub fn new(
        device: &Device,
        buffers: &Buffers,
        shaders: &[ShaderSource],
        own: &[&'static OwnGroup],
    ) -> Result<Self, GpuError> {
        let mut shared: Vec<SharedGroup> = Vec::new();
        for shader in shaders {
            let bindings = shader.bindings.shared;
            if shared.iter().all(|known| known.bindings != bindings) {
                let layout = shared_layout(device, bindings);
                let group = device.attempt("the bindings", || bind(device, &layout, buffers, bindings))?;
                shared.push(SharedGroup { bindings, layout, group });
            }
        }
        let own = own.iter().map(|&group| (group, own_layout(device, group.read_only))).collect();
        Ok(Self { shared, own })
    }

    /// Number of the shared group with these bindings.
    pub fn shared_index(&self, bindings: &Bindings) -> usize {
        self.shared.iter().position(|known| known.bindings == bindings.shared).unwrap_or(0)
    }

    /// Group 0 with this number.
    pub fn shared(&self, index: usize) -> &wgpu::BindGroup {
        &self.shared[index].group
    }

    /// Number of the group of a phenomenon.
    pub fn own_index(&self, bindings: &Bindings) -> Option<usize> {
        self.own.iter().position(|(group, _)| Some(*group) == bindings.own)
    }

    /// Layout of the group of a phenomenon with this number.
    pub fn own_layout(&self, index: usize) -> &wgpu::BindGroupLayout {
        &self.own[index].1
    }

    /// Layout of a pipeline with these bindings.
    pub fn pipeline_layout(&self, device: &Device, bindings: &Bindings) -> wgpu::PipelineLayout {
        let shared = &self.shared[self.shared_index(bindings)].layout;
        let own = self.own_index(bindings).map(|k| &self.own[k].1);
        let groups: &[Option<&wgpu::BindGroupLayout>] =
            if own.is_some() { &[Some(shared), own] } else { &[Some(shared)] };
        device.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: groups,
            immediate_size: 0,
        })
    }
}

/// The group of a phenomenon, with its buffers in the order of their bindings.
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

fn created(device: &Device, entries: &[wgpu::BindGroupLayoutEntry]) -> wgpu::BindGroupLayout {
    device.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries })
}

fn shared_layout(device: &Device, bindings: &[u32]) -> wgpu::BindGroupLayout {
    let one = |&number: &u32| {
        let ty = match number {
            0..binding::PARAMS => wgpu::BufferBindingType::Storage { read_only: false },
            binding::PARAMS..binding::SUBSTEP => wgpu::BufferBindingType::Storage { read_only: true },
            _ => device.uniform_binding(),
        };
        entry(number, ty, number >= binding::SUBSTEP)
    };
    created(device, &bindings.iter().map(one).collect::<Vec<_>>())
}

fn own_layout(device: &Device, read_only: &[bool]) -> wgpu::BindGroupLayout {
    let one =
        |(binding, &read_only): (u32, &bool)| entry(binding, wgpu::BufferBindingType::Storage { read_only }, false);
    created(device, &(0_u32..).zip(read_only).map(one).collect::<Vec<_>>())
}

fn bind(device: &Device, layout: &wgpu::BindGroupLayout, b: &Buffers, bindings: &[u32]) -> wgpu::BindGroup {
    let storage = [&b.rows, &b.motion, &b.lambda, &b.work, &b.flags, &b.params, &b.topology, &b.constants];
    let record = |buffer, size: usize| {
        wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer,
            offset: 0,
            size: std::num::NonZeroU64::new(size as u64),
        })
    };
    let one = |&number: &u32| {
        let resource = match number {
            binding::SUBSTEP => record(&b.substeps, b.substep_bytes),
            binding::UNIFORMS => record(&b.uniforms, Uniform::BYTES),
            _ => storage[number as usize].as_entire_binding(),
        };
        wgpu::BindGroupEntry { binding: number, resource }
    };
    let entries: Vec<_> = bindings.iter().map(one).collect();
    device.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}
