//! Draws a view: shadow map, sky, ground, meshes, ropes, spheres, liquids, lines, with four samples per pixel.
//!
//! Positions come from the host; the picture stays on the device until it is asked for.

mod buffers;
mod geometry;
mod liquid;
mod pipelines;
mod readback;
mod targets;
mod uniforms;

pub use geometry::{Coloring, Look};
pub use uniforms::ground_spacing;

use crate::camera::Camera;
use crate::session::View;
use buffers::Stream;
use geometry::Geometry;
use liquid::LiquidRenderer;
use pipelines::Pipelines;
use pliant_render::Image;
use targets::{Targets, shadow_map};
use uniforms::PictureUniforms;
use wgpu::{BufferUsages, Device, Queue};

/// Vertices of the prism around a segment.
const TUBE_VERTICES: u32 = 60;

/// Draws views on a device.
pub struct SceneRenderer {
    device: Device,
    queue: Queue,
    pipelines: Pipelines,
    uniforms: wgpu::Buffer,
    uniform_bindings: wgpu::BindGroup,
    shadow: wgpu::TextureView,
    shadow_side: u32,
    shadow_bindings: wgpu::BindGroup,
    targets: Targets,
    vertices: Stream,
    indices: Stream,
    collider_vertices: Stream,
    collider_indices: Stream,
    wall_indices: Stream,
    tubes: Stream,
    spheres: Stream,
    lines: Stream,
    /// Particles of liquids, and what draws them as a surface; made when the first are seen.
    liquid: Stream,
    liquids: Option<LiquidRenderer>,
    software: bool,
    geometry: Geometry,
    ground: Option<f32>,
}

impl SceneRenderer {
    /// On a device; `software` takes a smaller shadow map.
    pub fn new(device: &Device, queue: &Queue, software: bool) -> Self {
        let pipelines = Pipelines::new(device, software);
        let uniforms = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("picture"),
            size: size_of::<PictureUniforms>() as u64,
            usage: BufferUsages::UNIFORM | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let uniform_bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("picture"),
            layout: &pipelines.uniforms,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: uniforms.as_entire_binding() }],
        });
        let shadow_side = if software { 1024 } else { 2048 };
        let shadow = shadow_map(device, shadow_side);
        let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
            compare: Some(wgpu::CompareFunction::LessEqual),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            ..Default::default()
        });
        let shadow_bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("shadow map"),
            layout: &pipelines.shadow_map,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(&shadow) },
                wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Sampler(&sampler) },
            ],
        });
        let (vertex, index) = (BufferUsages::VERTEX, BufferUsages::INDEX);
        Self {
            pipelines,
            uniforms,
            uniform_bindings,
            shadow,
            shadow_side,
            shadow_bindings,
            targets: Targets::new(device, (1, 1)),
            vertices: Stream::new("vertices", vertex),
            indices: Stream::new("indices", index),
            collider_vertices: Stream::new("collider vertices", vertex),
            collider_indices: Stream::new("collider indices", index),
            wall_indices: Stream::new("wall indices", index),
            tubes: Stream::new("tubes", vertex),
            spheres: Stream::new("spheres", vertex),
            lines: Stream::new("lines", vertex),
            liquid: Stream::new("liquid", vertex),
            liquids: None,
            software,
            geometry: Geometry::default(),
            ground: None,
            device: device.clone(),
            queue: queue.clone(),
        }
    }

    /// Takes over another view.
    pub fn set_view(&mut self, view: &View, look: Look) {
        let geometry = Geometry::new(view, look);
        let (device, queue) = (&self.device, &self.queue);
        self.vertices.write(device, queue, &geometry.vertices);
        self.indices.write(device, queue, &geometry.indices);
        self.collider_vertices.write(device, queue, &geometry.collider_vertices);
        self.collider_indices.write(device, queue, &geometry.collider_indices);
        self.wall_indices.write(device, queue, &geometry.wall_indices);
        self.tubes.write(device, queue, &geometry.tubes);
        self.spheres.write(device, queue, &geometry.spheres);
        self.lines.write(device, queue, &geometry.lines);
        self.liquid.write(device, queue, &geometry.liquid);
        self.geometry = geometry;
        self.ground = view.drawn.ground;
    }

    /// Size of the picture [px]; at least one pixel.
    pub fn resize(&mut self, size: (u32, u32)) {
        let most = self.device.limits().max_texture_dimension_2d;
        let size = (size.0.clamp(1, most), size.1.clamp(1, most));
        if size != self.targets.size {
            self.targets = Targets::new(&self.device, size);
            if let Some(liquids) = &mut self.liquids {
                liquids.forget();
            }
        }
    }

    /// Size of the picture [px].
    pub fn size(&self) -> (u32, u32) {
        self.targets.size
    }

    /// The finished picture as bytes that displays understand.
    pub fn picture(&self) -> wgpu::TextureView {
        self.targets.raw_picture()
    }

    /// Reads the finished picture back.
    pub fn image(&self) -> Result<Image, String> {
        readback::read_back(&self.device, &self.queue, &self.targets.picture)
    }

    /// Draws the last view that was set.
    pub fn draw(&mut self, camera: &Camera) {
        let size = self.targets.size;
        let wet = self.liquid.filled().is_some();
        if wet {
            let p = &self.pipelines;
            let make = || LiquidRenderer::new(&self.device, &p.uniforms, &p.shadow_map, self.software);
            self.liquids.get_or_insert_with(make).resize(size, &self.targets.depth);
        }
        let liquids = self.liquids.as_ref().filter(|_| wet);
        let uniforms = PictureUniforms::new(camera, &self.geometry, self.ground, size, self.shadow_side);
        self.queue.write_buffer(&self.uniforms, 0, bytemuck::bytes_of(&uniforms));
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let picture = self.targets.picture.create_view(&Default::default());
        self.draw_shadows(&mut encoder);
        // Liquids are drawn over a picture of everything else.
        self.draw_picture(&mut encoder, liquids.and_then(LiquidRenderer::behind).unwrap_or(&picture));
        if let Some(liquids) = liquids {
            liquids.draw(&mut encoder, &self.liquid, [&self.uniform_bindings, &self.shadow_bindings], &picture);
        }
        self.queue.submit([encoder.finish()]);
    }

    fn draw_shadows(&self, encoder: &mut wgpu::CommandEncoder) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("shadows"),
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.shadow,
                depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(1.0), store: wgpu::StoreOp::Store }),
                stencil_ops: None,
            }),
            ..Default::default()
        });
        pass.set_bind_group(0, &self.uniform_bindings, &[]);
        let p = &self.pipelines;
        self.draw_bodies(&mut pass, [&p.mesh_shadow, &p.tube_shadow, &p.sphere_shadow]);
    }

    fn draw_bodies(&self, pass: &mut wgpu::RenderPass<'_>, [mesh, tube, sphere]: [&wgpu::RenderPipeline; 3]) {
        draw_mesh(pass, mesh, &self.vertices, &self.indices);
        draw_mesh(pass, mesh, &self.collider_vertices, &self.collider_indices);
        for (pipeline, instances, vertices) in [(tube, &self.tubes, TUBE_VERTICES), (sphere, &self.spheres, 4)] {
            if let Some((buffer, count)) = instances.filled() {
                pass.set_pipeline(pipeline);
                pass.set_vertex_buffer(0, buffer.slice(..));
                pass.draw(0..vertices, 0..count);
            }
        }
    }

    fn draw_picture(&self, encoder: &mut wgpu::CommandEncoder, into: &wgpu::TextureView) {
        let color = wgpu::RenderPassColorAttachment {
            view: &self.targets.samples,
            depth_slice: None,
            resolve_target: Some(into),
            // The sky covers every sample, and only the resolved picture is stored.
            ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store: wgpu::StoreOp::Discard },
        };
        let depth = wgpu::RenderPassDepthStencilAttachment {
            view: &self.targets.depth,
            depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(0.0), store: wgpu::StoreOp::Store }),
            stencil_ops: None,
        };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("picture"),
            color_attachments: &[Some(color)],
            depth_stencil_attachment: Some(depth),
            ..Default::default()
        });
        pass.set_bind_group(0, &self.uniform_bindings, &[]);
        pass.set_bind_group(1, &self.shadow_bindings, &[]);
        let p = &self.pipelines;
        pass.set_pipeline(&p.sky);
        pass.draw(0..3, 0..1);
        self.draw_bodies(&mut pass, [&p.mesh, &p.tube, &p.sphere]);
        draw_mesh(&mut pass, &p.wall, &self.collider_vertices, &self.wall_indices);
        // Behind the objects, so that what they hide is not shaded.
        if self.ground.is_some() {
            pass.set_pipeline(&p.ground);
            pass.draw(0..4, 0..1);
        }
        if let Some((buffer, count)) = self.lines.filled() {
            pass.set_vertex_buffer(0, buffer.slice(..));
            for pipeline in [&p.hidden_line, &p.line] {
                pass.set_pipeline(pipeline);
                pass.draw(0..count, 0..1);
            }
        }
    }
}

fn draw_mesh(pass: &mut wgpu::RenderPass<'_>, pipeline: &wgpu::RenderPipeline, vertices: &Stream, indices: &Stream) {
    if let (Some((vertices, _)), Some((indices, count))) = (vertices.filled(), indices.filled()) {
        pass.set_pipeline(pipeline);
        pass.set_vertex_buffer(0, vertices.slice(..));
        pass.set_index_buffer(indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..count, 0, 0..1);
    }
}
