//! Surface data for rendering on the device: the solver's positions, vertex normals
//! computed from them, and the triangles.
//!
//! Created on first use; simulations without rendering have no cost.

use crate::math::RowData;
use crate::model::Model;
use crate::runtime::gpu::MOST_GROUPS;
use crate::runtime::gpu::device::Device;
use crate::runtime::gpu::error::GpuError;
use crate::runtime::gpu::shader_constants;
use crate::solver::gpu::Gpu;
use bytemuck::cast_slice;
use wgpu::{Buffer, BufferUsages};

/// Threads of a workgroup of `normals.wgsl`.
const THREADS: usize = shader_constants::SIZE as usize;

/// The surface of a simulation in device buffers, ready for rendering without host copies.
///
/// Commands submitted to [`Self::queue`] run after the steps and normals submitted before, so no synchronization is
/// needed. All three buffers can also be read by shaders (`STORAGE`).
///
/// ```no_run
/// # use pliant::{World, StepError, gpu::wgpu};
/// # fn draw(sim: &mut World, pipeline: &wgpu::RenderPipeline, target: &wgpu::TextureView) -> Result<(), StepError> {
/// sim.step()?;
/// let Some(surface) = sim.surface()? else { return Ok(()) };
/// let mut encoder = surface.device().create_command_encoder(&Default::default());
/// let attachment = wgpu::RenderPassColorAttachment {
///     view: target,
///     depth_slice: None,
///     resolve_target: None,
///     ops: wgpu::Operations::default(),
/// };
/// let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
///     color_attachments: &[Some(attachment)],
///     ..Default::default()
/// });
/// // A pipeline made on the same device, with two vertex buffers of stride 16, `Float32x3` each.
/// pass.set_pipeline(pipeline);
/// pass.set_vertex_buffer(0, surface.positions.slice(..));
/// pass.set_vertex_buffer(1, surface.normals.slice(..));
/// pass.set_index_buffer(surface.triangles.slice(..), wgpu::IndexFormat::Uint32);
/// pass.draw_indexed(0..surface.index_count, 0, 0..1);
/// drop(pass);
/// surface.queue().submit([encoder.finish()]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct Surface<'a> {
    /// The device that the simulation runs on.
    pub gpu: &'a Device,
    /// One `vec4<f32>` per row, particles first: position [m] and inverse mass [1/kg]. The solver's own buffer:
    /// read-only here.
    pub positions: &'a Buffer,
    /// One `vec4<f32>` per particle: unit normal and 0; all 0 if a particle has no triangle with an area.
    pub normals: &'a Buffer,
    /// Three particle numbers (`u32`) per triangle, counter-clockwise from outside, as in
    /// [`crate::frame::Topology::triangles`].
    pub triangles: &'a Buffer,
    /// Number of indices in `triangles`.
    pub index_count: u32,
    /// Number of particles.
    pub particles: u32,
}

impl<'a> Surface<'a> {
    /// The device, for creating pipelines and buffers.
    pub fn device(&self) -> &'a wgpu::Device {
        &self.gpu.device
    }

    /// The queue, for submitting commands.
    pub fn queue(&self) -> &'a wgpu::Queue {
        &self.gpu.queue
    }
}

/// The pass that computes normals, and its buffers.
pub(crate) struct Normals {
    pipeline: wgpu::ComputePipeline,
    bindings: wgpu::BindGroup,
    normals: Buffer,
    triangles: Buffer,
    index_count: u32,
    particles: u32,
}

impl Gpu {
    /// The surface after all steps submitted so far. Submits the pass that computes its normals and returns
    /// without waiting.
    pub(crate) fn surface(&mut self, model: &Model) -> Result<Surface<'_>, GpuError> {
        self.device.alive()?;
        let made = match self.normals.take() {
            Some(made) => made,
            None => Normals::new(&self.device, model, &self.buffers.rows)?,
        };
        made.submit(&self.device);
        let made = self.normals.insert(made);
        Ok(Surface {
            gpu: &self.device,
            positions: &self.buffers.rows,
            normals: &made.normals,
            triangles: &made.triangles,
            index_count: made.index_count,
            particles: made.particles,
        })
    }
}

impl Normals {
    fn new(device: &Device, model: &Model, rows: &Buffer) -> Result<Self, GpuError> {
        let (triangles, particles) = (&model.topology.triangles, model.topology.objects.len());
        let topology = corners(triangles, particles);
        // A storage binding needs at least one element.
        let normals_bytes = size_of::<RowData>() * particles.max(1);
        let output = BufferUsages::STORAGE | BufferUsages::VERTEX | BufferUsages::COPY_SRC;
        let normals = buffer(device, "normals", normals_bytes, output)?;
        let table = buffer(device, "surface topology", 4 * topology.len(), BufferUsages::STORAGE)?;
        let indices = BufferUsages::INDEX | BufferUsages::STORAGE;
        let drawn = buffer(device, "triangles", (12 * triangles.len()).max(12), indices)?;
        device.queue.write_buffer(&table, 0, cast_slice(&topology));
        device.queue.write_buffer(&drawn, 0, cast_slice(triangles));
        let pipeline = device.attempt("shader \"normals\"", || pipeline(device))?;
        let bindings = device.attempt("the bindings of the normals", || {
            device.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("normals"),
                layout: &pipeline.get_bind_group_layout(0),
                entries: &[entry(0, rows), entry(1, &table), entry(2, &normals)],
            })
        })?;
        Ok(Self {
            pipeline,
            bindings,
            normals,
            triangles: drawn,
            index_count: 3 * triangles.len() as u32,
            particles: particles as u32,
        })
    }

    fn submit(&self, device: &Device) {
        let groups = (self.particles as usize).div_ceil(THREADS);
        let x = groups.clamp(1, MOST_GROUPS);
        let mut encoder = device.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bindings, &[]);
        pass.dispatch_workgroups(x as u32, groups.div_ceil(x) as u32, 1);
        drop(pass);
        device.queue.submit([encoder.finish()]);
    }
}

fn entry(binding: u32, buffer: &Buffer) -> wgpu::BindGroupEntry<'_> {
    wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() }
}

fn buffer(device: &Device, label: &'static str, bytes: usize, usage: BufferUsages) -> Result<Buffer, GpuError> {
    device.buffer(label, bytes as u64, usage | BufferUsages::COPY_DST)
}

fn pipeline(device: &Device) -> wgpu::ComputePipeline {
    let module = device.device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("normals"),
        source: wgpu::ShaderSource::Wgsl(
            (shader_constants::wgsl(&[shader_constants::ALL]) + include_str!("normals.wgsl")).into(),
        ),
    });
    device.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("normals"),
        layout: None,
        module: &module,
        entry_point: Some("gather"),
        compilation_options: Default::default(),
        cache: None,
    })
}

/// Start of each particle's corners, plus the total at the end; then the other two particles of each of its
/// triangles, in triangle order, rotated so that the particle itself would be first.
fn corners(triangles: &[[u32; 3]], particles: usize) -> Vec<u32> {
    let head = particles.max(1) + 1;
    let mut table = vec![0u32; head];
    for &v in triangles.as_flattened() {
        table[v as usize + 1] += 2;
    }
    table[0] = head as u32;
    for k in 1..head {
        table[k] += table[k - 1];
    }
    let mut next = table.clone();
    table.resize(head + 6 * triangles.len(), 0);
    for &[a, b, c] in triangles {
        for [own, left, right] in [[a, b, c], [b, c, a], [c, a, b]] {
            let at = &mut next[own as usize];
            table[*at as usize..][..2].copy_from_slice(&[left, right]);
            *at += 2;
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_particle_lists_the_others_of_its_triangles_in_order() {
        let table = corners(&[[0, 1, 2], [2, 1, 3]], 5);
        let of = |p: usize| &table[table[p] as usize..table[p + 1] as usize];
        assert_eq!((of(0), of(1), of(2)), (&[1, 2][..], &[2, 0, 3, 2][..], &[0, 1, 1, 3][..]));
        assert_eq!((of(3), of(4)), (&[2, 1][..], &[][..]));
        assert_eq!(corners(&[], 0), [2, 2]);
    }
}
