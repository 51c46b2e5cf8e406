//! Paints what egui makes: textures and triangles, through a pipeline of our own, over the finished picture.
//!
//! Everything here is in display bytes. The view that is painted to must not convert them.

use bytemuck::{Pod, Zeroable, bytes_of, cast_slice};
use egui::epaint::textures::{TextureFilter, TexturesDelta};
use egui::epaint::{ClippedPrimitive, ImageData, ImageDelta, Primitive};
use egui::{Rect, TextureId};
use std::collections::HashMap;
use wgpu::{BufferUsages, Device, Queue, TextureFormat, VertexFormat};

/// The window in points and pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Screen {
    /// Size [px].
    pub pixels: (u32, u32),
    /// Pixels per point.
    pub scale: f32,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct ScreenUniforms {
    size: [f32; 2],
    unused: [f32; 2],
}

struct Image {
    texture: wgpu::Texture,
    bindings: wgpu::BindGroup,
}

/// Paints panels on a device.
pub struct UiPainter {
    device: Device,
    queue: Queue,
    panels: wgpu::RenderPipeline,
    picture: wgpu::RenderPipeline,
    image_layout: wgpu::BindGroupLayout,
    screen: wgpu::Buffer,
    screen_bindings: wgpu::BindGroup,
    images: HashMap<TextureId, Image>,
    vertices: wgpu::Buffer,
    indices: wgpu::Buffer,
}

/// A draw of one mesh.
struct Draw {
    image: TextureId,
    scissor: (u32, u32, u32, u32),
    indices: std::ops::Range<u32>,
    first_vertex: i32,
}

impl UiPainter {
    /// For views of a format.
    pub fn new(device: &Device, queue: &Queue, format: TextureFormat) -> Self {
        let layout = |label, entries: &[wgpu::BindGroupLayoutEntry]| {
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries })
        };
        let entry = |binding, visibility, ty| wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None };
        let uniform = wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset: false,
            min_binding_size: None,
        };
        let texture = wgpu::BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Float { filterable: true },
            view_dimension: wgpu::TextureViewDimension::D2,
            multisampled: false,
        };
        let sampler = wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering);
        let (vertex, fragment) = (wgpu::ShaderStages::VERTEX, wgpu::ShaderStages::FRAGMENT);
        let screen_layout = layout("screen", &[entry(0, vertex, uniform)]);
        let image_layout = layout("image", &[entry(0, fragment, texture), entry(1, fragment, sampler)]);
        let screen = buffer(device, "screen", size_of::<ScreenUniforms>() as u64, BufferUsages::UNIFORM);
        let screen_bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("screen"),
            layout: &screen_layout,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: screen.as_entire_binding() }],
        });
        let pipelines = pipelines(device, format, &[Some(&screen_layout), Some(&image_layout)]);
        let [panels, picture] = pipelines;
        Self {
            panels,
            picture,
            image_layout,
            screen,
            screen_bindings,
            images: HashMap::new(),
            vertices: buffer(device, "panel vertices", 4096, BufferUsages::VERTEX),
            indices: buffer(device, "panel indices", 4096, BufferUsages::INDEX),
            device: device.clone(),
            queue: queue.clone(),
        }
    }

    /// Paints a picture into a part of the window [px], and panels over all of it.
    pub fn paint(
        &mut self,
        target: &wgpu::TextureView,
        screen: Screen,
        picture: (&wgpu::TextureView, Rect),
        primitives: &[ClippedPrimitive],
    ) {
        let size = [screen.pixels.0 as f32 / screen.scale, screen.pixels.1 as f32 / screen.scale];
        self.queue.write_buffer(&self.screen, 0, bytes_of(&ScreenUniforms { size, unused: [0.0; 2] }));
        let draws = self.upload(screen, primitives);
        let behind = self.bind(picture.0, TextureFilter::Linear);
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let color = wgpu::RenderPassColorAttachment {
            view: target,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store: wgpu::StoreOp::Store },
        };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("panels"),
            color_attachments: &[Some(color)],
            ..Default::default()
        });
        pass.set_bind_group(0, &self.screen_bindings, &[]);
        let place = picture.1.intersect(Rect::from_min_max(
            egui::Pos2::ZERO,
            egui::pos2(screen.pixels.0 as f32, screen.pixels.1 as f32),
        ));
        if place.width() >= 1.0 && place.height() >= 1.0 {
            pass.set_viewport(place.min.x, place.min.y, place.width(), place.height(), 0.0, 1.0);
            pass.set_pipeline(&self.picture);
            pass.set_bind_group(1, &behind, &[]);
            pass.draw(0..3, 0..1);
            pass.set_viewport(0.0, 0.0, screen.pixels.0 as f32, screen.pixels.1 as f32, 0.0, 1.0);
        }
        pass.set_pipeline(&self.panels);
        pass.set_vertex_buffer(0, self.vertices.slice(..));
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        for draw in draws {
            if let Some(image) = self.images.get(&draw.image) {
                let (x, y, width, height) = draw.scissor;
                pass.set_scissor_rect(x, y, width, height);
                pass.set_bind_group(1, &image.bindings, &[]);
                pass.draw_indexed(draw.indices, draw.first_vertex, 0..1);
            }
        }
        drop(pass);
        self.queue.submit([encoder.finish()]);
    }

    /// Writes all vertices and indices.
    fn upload(&mut self, screen: Screen, primitives: &[ClippedPrimitive]) -> Vec<Draw> {
        let (mut vertices, mut indices): (Vec<u8>, Vec<u32>) = (Vec::new(), Vec::new());
        let mut draws = Vec::new();
        let mut count = 0;
        for ClippedPrimitive { clip_rect, primitive } in primitives {
            // Callbacks are not used.
            let Primitive::Mesh(mesh) = primitive else { continue };
            let Some(scissor) = scissor(*clip_rect, screen) else { continue };
            let first = indices.len() as u32;
            indices.extend(&mesh.indices);
            for v in &mesh.vertices {
                vertices.extend_from_slice(bytes_of(&[v.pos.x, v.pos.y, v.uv.x, v.uv.y]));
                vertices.extend_from_slice(&v.color.to_array());
            }
            let indices = first..indices.len() as u32;
            draws.push(Draw { image: mesh.texture_id, scissor, indices, first_vertex: count });
            count += mesh.vertices.len() as i32;
        }
        fill(&self.device, &self.queue, &mut self.vertices, &vertices);
        fill(&self.device, &self.queue, &mut self.indices, cast_slice(&indices));
        draws
    }

    /// Takes over new and changed textures; to be called before painting.
    pub fn set_textures(&mut self, delta: &TexturesDelta) {
        for (&id, changes) in &delta.set {
            changes.iter().for_each(|change| self.set_texture(id, change));
        }
    }

    /// Gives up textures; to be called after painting.
    pub fn free_textures(&mut self, delta: &TexturesDelta) {
        delta.free.iter().for_each(|id| drop(self.images.remove(id)));
    }

    fn set_texture(&mut self, id: TextureId, change: &ImageDelta) {
        let ImageData::Color(image) = &change.image;
        let [width, height] = image.size.map(|side| side as u32);
        let extent = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
        let bytes: Vec<u8> = image.pixels.iter().flat_map(|p| p.to_array()).collect();
        if change.pos.is_none() {
            let texture = self.device.create_texture(&wgpu::TextureDescriptor {
                label: Some("panel image"),
                size: extent,
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format: TextureFormat::Rgba8Unorm,
                usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
                view_formats: &[],
            });
            let view = texture.create_view(&Default::default());
            let bindings = self.bind(&view, change.options.magnification);
            self.images.insert(id, Image { texture, bindings });
        }
        let Some(image) = self.images.get(&id) else { return };
        let [x, y] = change.pos.unwrap_or([0; 2]).map(|v| v as u32);
        let to = wgpu::TexelCopyTextureInfo { origin: wgpu::Origin3d { x, y, z: 0 }, ..image.texture.as_image_copy() };
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(4 * width), rows_per_image: None };
        self.queue.write_texture(to, &bytes, layout, extent);
    }

    fn bind(&self, view: &wgpu::TextureView, filter: TextureFilter) -> wgpu::BindGroup {
        let filter = match filter {
            TextureFilter::Nearest => wgpu::FilterMode::Nearest,
            TextureFilter::Linear => wgpu::FilterMode::Linear,
        };
        let sampler = self.device.create_sampler(&wgpu::SamplerDescriptor {
            mag_filter: filter,
            min_filter: filter,
            ..Default::default()
        });
        self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("image"),
            layout: &self.image_layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(view) },
                wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Sampler(&sampler) },
            ],
        })
    }
}

/// A clip rectangle in pixels, cut to the window; `None` if nothing is left.
fn scissor(clip: Rect, screen: Screen) -> Option<(u32, u32, u32, u32)> {
    let (width, height) = screen.pixels;
    let pixel = |v: f32, most: u32| (v * screen.scale).round().clamp(0.0, most as f32) as u32;
    let (left, top) = (pixel(clip.min.x, width), pixel(clip.min.y, height));
    let (right, bottom) = (pixel(clip.max.x, width), pixel(clip.max.y, height));
    (right > left && bottom > top).then(|| (left, top, right - left, bottom - top))
}

fn buffer(device: &Device, label: &'static str, size: u64, usage: BufferUsages) -> wgpu::Buffer {
    let usage = usage | BufferUsages::COPY_DST;
    device.create_buffer(&wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false })
}

/// Writes bytes to a buffer, which is replaced if it is too small.
fn fill(device: &Device, queue: &Queue, to: &mut wgpu::Buffer, bytes: &[u8]) {
    if to.size() < bytes.len() as u64 {
        let size = (bytes.len() as u64 * 2).next_multiple_of(4);
        *to = buffer(device, "panels", size, to.usage());
    }
    queue.write_buffer(to, 0, bytes);
}

/// The pipelines of panels and of the picture behind them.
fn pipelines(
    device: &Device,
    format: TextureFormat,
    groups: &[Option<&wgpu::BindGroupLayout>],
) -> [wgpu::RenderPipeline; 2] {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("panels"),
        source: wgpu::ShaderSource::Wgsl(include_str!("ui_paint.wgsl").into()),
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("panels"),
        bind_group_layouts: groups,
        immediate_size: 0,
    });
    let attributes =
        [(VertexFormat::Float32x2, 0, 0), (VertexFormat::Float32x2, 8, 1), (VertexFormat::Unorm8x4, 16, 2)]
            .map(|(format, offset, shader_location)| wgpu::VertexAttribute { format, offset, shader_location });
    let vertices = [Some(wgpu::VertexBufferLayout {
        array_stride: 20,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: &attributes,
    })];
    let make = |vertex, fragment, buffers: &[Option<wgpu::VertexBufferLayout<'_>>], blend| {
        device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(vertex),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some(vertex),
                compilation_options: Default::default(),
                buffers,
            },
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: None,
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some(fragment),
                compilation_options: Default::default(),
                targets: &[Some(wgpu::ColorTargetState { format, blend, write_mask: wgpu::ColorWrites::ALL })],
            }),
            multiview_mask: None,
            cache: None,
        })
    };
    let over = Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING);
    [make("panel_vertex", "panel_fragment", &vertices, over), make("picture_vertex", "picture_fragment", &[], None)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::pos2;

    #[test]
    fn clip_rectangles_stay_in_the_window() {
        let screen = Screen { pixels: (200, 100), scale: 2.0 };
        let cut = |a, b, c, d| scissor(Rect::from_min_max(pos2(a, b), pos2(c, d)), screen);
        assert_eq!(cut(10.0, 10.0, 30.0, 20.0), Some((20, 20, 40, 20)));
        assert_eq!(cut(-10.0, -10.0, 1e9, 1e9), Some((0, 0, 200, 100)));
        assert_eq!(cut(300.0, 0.0, 400.0, 50.0), None);
        assert_eq!(cut(f32::NEG_INFINITY, f32::NEG_INFINITY, f32::INFINITY, f32::INFINITY), Some((0, 0, 200, 100)));
    }
}
