//! Whether the pieces of a mosaic can wait for each other within a pass.
//!
//! Workgroups that wait for others need all of them to run at the same time, which no graphics interface promises.
//! Where the device is seen to do it, a substep of a mosaic is one pass: rows and multipliers stay in the workgroups'
//! memory, and only seams are exchanged. The wait itself gives up after a while, so that the worst case is an
//! error and not a hang.

use crate::model::Model;
use crate::runtime::gpu::device::Device;
use crate::runtime::gpu::error::GpuError;
use crate::schedule::passes::Halves;
use crate::solver::gpu::model_packing::Tables;

/// Looks at the others before a workgroup gives up.
const PATIENCE: u32 = 100_000;

/// Meetings that must succeed.
const TRIES: usize = 3;

/// Whether the pieces of a model can.
pub fn possible(device: &Device, model: &Model, tables: &Tables) -> Result<bool, GpuError> {
    let Some(range) = model.schedule.tilings().next() else { return Ok(false) };
    let memory = tables.patches.memory(&range);
    // Without rows in its own memory a workgroup cannot run on between exchanges, and not beyond what one dispatch may
    // take. A software driver has a thread per core, and ends loops that take long.
    let long = model.settings.iterations > tables.patches.iterations(&range);
    // Where every iteration is in halves, there are more pieces than run at once.
    let many = model.schedule.halves() == Halves::All;
    if long || many || memory.rows.is_none() || device.software || device.together == Some(false) {
        return Ok(false);
    }
    // With all the memory a workgroup can have: then no more of them fit a processor than will of the real ones,
    // whatever registers those take.
    let (groups, bytes) = (range.len(), device.workgroup_bytes as usize);
    for _ in 0..TRIES {
        if !meet(device, groups, bytes)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether so many workgroups with so much memory meet.
fn meet(device: &Device, groups: usize, bytes: usize) -> Result<bool, GpuError> {
    if groups > crate::runtime::gpu::MOST_GROUPS {
        return Ok(false);
    }
    let sizes = [("THREADS", device.threads as usize), ("WORDS", bytes.div_ceil(4)), ("PATIENCE", PATIENCE as usize)];
    let sizes: String = sizes.iter().map(|(name, n)| format!("const {name}: u32 = {n}u;\n")).collect();
    let text = sizes + include_str!("coresidency_probe.wgsl");
    let seen = device.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("rendezvous"),
        size: 8,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    });
    let result = device.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("rendezvous result"),
        size: 8,
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    device.attempt("shader \"rendezvous\"", || {
        let module = device.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("rendezvous"),
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        let pipeline = device.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("rendezvous"),
            layout: None,
            module: &module,
            entry_point: Some("rendezvous"),
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
