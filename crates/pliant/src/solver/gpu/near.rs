//! Particles near a place, found on the device: only they are read back.

use crate::runtime::gpu::MOST_GROUPS;
use crate::runtime::gpu::device::UNIFORMS;
use crate::runtime::gpu::error::GpuError;
use crate::runtime::gpu::shader_constants::{self, NONE};
use crate::solver::gpu::Gpu;
use crate::solver::gpu::pass_uniforms::NearUniforms;
use glam::Vec3;
use wgpu::BufferUsages;

/// Particles that are listed at most.
const ROOM: u32 = 16_384;

impl Gpu {
    /// Active particles whose spheres reach into a box, ascending, with their positions; `None` if there are too many. All
    /// earlier steps must be done.
    pub(crate) fn rows_near(
        &self,
        particles: usize,
        low: Vec3,
        high: Vec3,
    ) -> Result<Option<Vec<(usize, Vec3)>>, GpuError> {
        let device = &self.device;
        let record = NearUniforms {
            low: low.extend(0.0).to_array(),
            high: high.extend(0.0).to_array(),
            particles: particles as u32,
            radii: self.tables.radii,
            phases: self.tables.contact.particles.map_or(NONE, |p| p.phases),
            room: ROOM,
        };
        let text = shader_constants::wgsl(&[shader_constants::ALL]) + include_str!("near.wgsl");
        // SAFETY: rows, radii and phases are those of particles, and entries are written within the room for them.
        let pipeline = unsafe { device.pipeline("particles near a place", "rows_near", text, None)? };
        let uniforms = device.buffer("box", size_of_val(&record) as u64, UNIFORMS)?;
        self.buffers.write(device, &uniforms, 0, &[record]);
        let found =
            device.buffer("found", 16 * (u64::from(ROOM) + 1), BufferUsages::STORAGE | BufferUsages::COPY_SRC)?;
        let bound = [&self.buffers.rows, &self.buffers.params, &self.buffers.topology, &uniforms, &found];
        let entries: Vec<_> = (0_u32..)
            .zip(bound)
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let layout = &pipeline.get_bind_group_layout(0);
        let group = device.attempt("the bindings of a place", || {
            device.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
        })?;
        let groups = particles.div_ceil(shader_constants::SIZE as usize);
        let x = groups.clamp(1, MOST_GROUPS);
        let mut encoder = device.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(x as u32, groups.div_ceil(x) as u32, 1);
        drop(pass);
        device.queue.submit([encoder.finish()]);
        let count = device.download_some(&found, 0, 16)?[0];
        if count > ROOM {
            return Ok(None);
        }
        if count == 0 {
            return Ok(Some(Vec::new()));
        }
        let bytes = 16 * u64::from(count);
        self.buffers.count_read(bytes);
        let words = device.download_some(&found, 16, bytes)?;
        let one =
            |w: &[u32]| (w[0] as usize, Vec3::new(f32::from_bits(w[1]), f32::from_bits(w[2]), f32::from_bits(w[3])));
        let mut all: Vec<_> = words.chunks_exact(4).map(one).collect();
        all.sort_unstable_by_key(|(i, _)| *i);
        Ok(Some(all))
    }
}
