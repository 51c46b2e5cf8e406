//! Tests whether the patches of a tiling can wait for each other within a dispatch.
//!
//! Workgroups that wait for others must all be resident at the same time, which no graphics API guarantees. If a probe
//! shows that the device does it, a substep of a tiling is one dispatch: rows and multipliers stay in workgroup memory,
//! and only seams are exchanged. The wait is bounded, so that the worst case is an error and not a hang.

use crate::model::Model;
use crate::runtime::gpu::device::Device;
use crate::runtime::gpu::error::GpuError;
use crate::schedule::passes::Halves;
use crate::solver::gpu::model_packing::Tables;

/// Polls before a workgroup gives up.
const MAX_POLLS: u32 = 100_000;

/// Probes that must succeed.
const PROBES: usize = 3;

/// Whether the patches of this model can.
pub fn possible(device: &Device, model: &Model, tables: &Tables) -> Result<bool, GpuError> {
    let Some(range) = model.schedule.tilings().next() else { return Ok(false) };
    let memory = tables.patches.memory(&range);
    // Requires rows in workgroup memory, and all iterations within the limit of one dispatch. Software drivers run one
    // workgroup per core, and abort long loops.
    let long = model.settings.iterations > tables.patches.iterations(&range);
    // With every iteration in halves there are more patches than the device can hold.
    let many = model.schedule.halves() == Halves::All;
    if long || many || memory.rows.is_none() || device.software || device.coresident == Some(false) {
        return Ok(false);
    }
    // The probe uses the maximum workgroup memory: then no more probe workgroups than real ones fit a multiprocessor.
    let (groups, bytes) = (range.len(), device.workgroup_bytes as usize);
    for _ in 0..PROBES {
        if !are_coresident(device, groups, bytes)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether `groups` workgroups of `bytes` workgroup memory run at the same time.
fn are_coresident(device: &Device, groups: usize, bytes: usize) -> Result<bool, GpuError> {
    if groups > crate::runtime::gpu::MOST_GROUPS {
        return Ok(false);
    }
    let sizes = [("THREADS", device.threads as usize), ("WORDS", bytes.div_ceil(4)), ("MAX_POLLS", MAX_POLLS as usize)];
    let sizes: String = sizes.iter().map(|(name, n)| format!("const {name}: u32 = {n}u;\n")).collect();
    let text = sizes + include_str!("coresidency_probe.wgsl");
    let seen = device.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("coresidency_probe"),
        size: 8,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    });
    let result = device.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("coresidency probe result"),
        size: 8,
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    device.attempt("shader \"coresidency_probe\"", || {
        let module = device.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("coresidency_probe"),
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        let pipeline = device.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("coresidency_probe"),
            layout: None,
            module: &module,
            entry_point: Some("coresidency_probe"),
            compilation_options: wgpu::PipelineCompilationOptions {
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: None,
        });
        let bindings = device.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: seen.as_entire_binding() }],
        });
        let mut encoder = device.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &bindings, &[]);
        pass.dispatch_workgroups(groups as u32, 1, 1);
        drop(pass);
        encoder.copy_buffer_to_buffer(&seen, 0, &result, 0, 8);
        device.queue.submit([encoder.finish()]);
    })?;
    let words = device.read_words(&result)?;
    Ok(words[1] as usize == groups)
}
