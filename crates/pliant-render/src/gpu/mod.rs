//! Draws a simulation that runs on a GPU straight from the solver's buffers, off-screen.
//!
//! Positions, normals and triangles are not copied; the host uploads a camera and reads back pixels on request. Lighting
//! is that of the software renderer without shadows, with the same sample positions.

mod error;
mod pipelines;
mod uniforms;

use crate::image::Image;
use bytemuck::{bytes_of, cast_slice};
pub use error::GpuRenderError;
use pipelines::{COLOR, DEPTH, Pipelines, SAMPLES};
use pliant::runtime::gpu::wgpu::{BufferUsages, TextureUsages};
use pliant::runtime::gpu::{Device, GpuError, wgpu};
use pliant::solver::gpu::Surface;
use uniforms::SceneUniforms;
pub use uniforms::{GpuScene, MaterialAssignment, ObjectMaterial};

/// Draws the surface of one simulation in pictures of one size.
///
/// ```no_run
/// # use pliant::{Options, World};
/// # use pliant_render::{Camera, GpuRenderer, MaterialAssignment, GpuScene};
/// # fn draw(sim: &mut World, camera: Camera) -> Result<(), Box<dyn std::error::Error>> {
/// let Some(gpu) = sim.gpu() else { return Ok(()) };
/// let materials = MaterialAssignment { objects: &sim.topology().objects, materials: &[] };
/// let renderer = GpuRenderer::new(gpu.device(), 1280, 720, &materials)?;
/// sim.step()?;
/// if let Some(surface) = sim.surface()? {
///     renderer.draw(&surface, &GpuScene::new(camera))?;
///     let image = renderer.image(surface.gpu)?;
/// }
/// # Ok(())
/// # }
/// ```
pub struct GpuRenderer {
    width: u32,
    height: u32,
    particles: u32,
    pipelines: Pipelines,
    bindings: wgpu::BindGroup,
    scene_uniforms: wgpu::Buffer,
    /// Material index of each particle.
    material_indices: wgpu::Buffer,
    multisampled: wgpu::TextureView,
    depth: wgpu::TextureView,
    resolved: wgpu::Texture,
    readback: wgpu::Buffer,
}

impl GpuRenderer {
    /// A renderer for `width`×`height` pixels on the device of a simulation.
    ///
    /// # Errors
    /// Sides of 0 or larger than the adapter's textures; a device without memory.
    pub fn new(gpu: &Device, width: u32, height: u32, materials: &MaterialAssignment) -> Result<Self, GpuRenderError> {
        let most = gpu.device.limits().max_texture_dimension_2d;
        if !(1..=most).contains(&width) || !(1..=most).contains(&height) {
            return Err(GpuRenderError::Size { width, height, most });
        }
        gpu.alive()?;
        Ok(gpu.attempt("the renderer", || Self::make(gpu, width, height, materials))?)
    }

    fn make(gpu: &Device, width: u32, height: u32, materials: &MaterialAssignment) -> Self {
        let device = &gpu.device;
        let buffer = |label, bytes: usize, usage| {
            let size = bytes.max(4) as u64;
            device.create_buffer(&wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false })
        };
        let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
        let texture = |label, format, sample_count, usage| {
            device.create_texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size,
                mip_level_count: 1,
                sample_count,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage,
                view_formats: &[],
            })
        };
        let target = TextureUsages::RENDER_ATTACHMENT;
        let view = |t: wgpu::Texture| t.create_view(&Default::default());
        let (indices, uniforms) = (materials.indices(), materials.uniforms());
        let index_buffer = buffer("material indices", 4 * indices.len(), BufferUsages::VERTEX | BufferUsages::COPY_DST);
        let material_bytes: &[u8] = cast_slice(&uniforms);
        let material_buffer = buffer("materials", material_bytes.len(), BufferUsages::STORAGE | BufferUsages::COPY_DST);
        gpu.queue.write_buffer(&index_buffer, 0, cast_slice(&indices));
        gpu.queue.write_buffer(&material_buffer, 0, material_bytes);
        let scene_uniforms =
            buffer("scene", size_of::<SceneUniforms>(), BufferUsages::UNIFORM | BufferUsages::COPY_DST);
        let pipelines = Pipelines::new(device);
        let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("surface"),
            layout: &pipelines.layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: scene_uniforms.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: material_buffer.as_entire_binding() },
            ],
        });
        let bytes = stride(width) as usize * height as usize;
        Self {
            width,
            height,
            particles: indices.len() as u32,
            pipelines,
            bindings,
            scene_uniforms,
            material_indices: index_buffer,
            multisampled: view(texture("multisampled", COLOR, SAMPLES, target)),
            depth: view(texture("depth", DEPTH, SAMPLES, target)),
            resolved: texture("resolved", COLOR, 1, target | TextureUsages::COPY_SRC | TextureUsages::TEXTURE_BINDING),
            readback: buffer("picture", bytes, BufferUsages::MAP_READ | BufferUsages::COPY_DST),
        }
    }

    /// Draws a surface from its buffers into [`Self::texture`] and returns without waiting.
    ///
    /// # Errors
    /// A surface of another simulation; a device that is lost.
    pub fn draw(&self, surface: &Surface<'_>, scene: &GpuScene) -> Result<(), GpuRenderError> {
        let (found, expected) = (surface.particles, self.particles);
        if found != expected {
            return Err(GpuRenderError::Particles { found, expected });
        }
        surface.gpu.alive()?;
        let uniforms = SceneUniforms::new(scene, self.width, self.height);
        surface.gpu.attempt("a picture of the surface", || {
            surface.queue().write_buffer(&self.scene_uniforms, 0, bytes_of(&uniforms));
            let mut encoder = surface.device().create_command_encoder(&Default::default());
            self.encode(&mut encoder, surface);
            surface.queue().submit([encoder.finish()]);
        })?;
        Ok(())
    }

    fn encode(&self, encoder: &mut wgpu::CommandEncoder, surface: &Surface<'_>) {
        let resolved = self.resolved.create_view(&Default::default());
        let color = wgpu::RenderPassColorAttachment {
            view: &self.multisampled,
            depth_slice: None,
            resolve_target: Some(&resolved),
            // The sky covers every sample, and only the resolved picture is stored.
            ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store: wgpu::StoreOp::Discard },
        };
        let depth = wgpu::RenderPassDepthStencilAttachment {
            view: &self.depth,
            depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(0.0), store: wgpu::StoreOp::Discard }),
            stencil_ops: None,
        };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("surface"),
            color_attachments: &[Some(color)],
            depth_stencil_attachment: Some(depth),
            ..Default::default()
        });
        pass.set_bind_group(0, &self.bindings, &[]);
        pass.set_pipeline(&self.pipelines.sky);
        pass.draw(0..3, 0..1);
        if surface.index_count > 0 {
            pass.set_pipeline(&self.pipelines.surface);
            for (slot, buffer) in [surface.positions, surface.normals, &self.material_indices].into_iter().enumerate() {
                pass.set_vertex_buffer(slot as u32, buffer.slice(..));
            }
            pass.set_index_buffer(surface.triangles.slice(..), wgpu::IndexFormat::Uint32);
            pass.draw_indexed(0..surface.index_count, 0, 0..1);
        }
    }

    /// The last picture on the device: sRGB bytes, four per pixel.
    pub fn texture(&self) -> &wgpu::Texture {
        &self.resolved
    }

    /// Waits for the last picture and reads it back; `gpu` is the device of the renderer.
    ///
    /// # Errors
    /// A device that is lost.
    pub fn image(&self, gpu: &Device) -> Result<Image, GpuRenderError> {
        let stride = stride(self.width);
        gpu.attempt("the copy of a picture", || {
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(stride), rows_per_image: None };
            encoder.copy_texture_to_buffer(
                self.resolved.as_image_copy(),
                wgpu::TexelCopyBufferInfo { buffer: &self.readback, layout },
                self.resolved.size(),
            );
            gpu.queue.submit([encoder.finish()]);
        })?;
        let (send, receive) = std::sync::mpsc::channel();
        self.readback.map_async(wgpu::MapMode::Read, .., move |done| {
            let _ = send.send(done);
        });
        gpu.wait()?;
        let lost = |e: String| GpuRenderError::Gpu(GpuError::Lost(e));
        receive.recv().map_err(|e| lost(e.to_string()))?.map_err(|e| lost(e.to_string()))?;
        let bytes = self.readback.get_mapped_range(..).map_err(|e| lost(e.to_string()))?;
        let mut image = Image::new(self.width, self.height);
        let rows = image.pixels.chunks_exact_mut(3 * self.width as usize);
        for (to, from) in rows.zip(bytes.chunks_exact(stride as usize)) {
            for (pixel, four) in to.chunks_exact_mut(3).zip(from.chunks_exact(4)) {
                pixel.copy_from_slice(&four[..3]);
            }
        }
        drop(bytes);
        self.readback.unmap();
        Ok(image)
    }
}

/// Row stride of a copied picture [bytes].
fn stride(width: u32) -> u32 {
    (4 * width).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT)
}
