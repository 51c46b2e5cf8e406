//! Textures that are drawn to, of the size of the picture.

use crate::scene_draw::pipelines::{COLOR, DEPTH, RAW_COLOR, SAMPLES};
use wgpu::{Device, Texture, TextureFormat, TextureUsages, TextureView};

/// Color and depth with all samples, and the finished picture.
pub struct Targets {
    /// Size [px].
    pub size: (u32, u32),
    /// Color of all samples.
    pub samples: TextureView,
    /// Depth of all samples.
    pub depth: TextureView,
    /// The picture.
    pub picture: Texture,
}

impl Targets {
    /// For a size of at least one pixel.
    pub fn new(device: &Device, size: (u32, u32)) -> Self {
        let target = TextureUsages::RENDER_ATTACHMENT;
        let make = |label, format, samples, usage, view_formats: &[TextureFormat]| {
            device.create_texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size: wgpu::Extent3d { width: size.0, height: size.1, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: samples,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage,
                view_formats,
            })
        };
        let read = TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_SRC;
        Self {
            size,
            samples: make("samples", COLOR, SAMPLES, target, &[]).create_view(&Default::default()),
            depth: make("depth", DEPTH, SAMPLES, target | TextureUsages::TEXTURE_BINDING, &[])
                .create_view(&Default::default()),
            picture: make("picture", COLOR, 1, target | read, &[RAW_COLOR]),
        }
    }

    /// The picture as bytes that displays understand, without conversion.
    pub fn raw_picture(&self) -> TextureView {
        let format = Some(RAW_COLOR);
        let usage = Some(TextureUsages::TEXTURE_BINDING);
        self.picture.create_view(&wgpu::TextureViewDescriptor { format, usage, ..Default::default() })
    }
}

/// The shadow map.
pub fn shadow_map(device: &Device, side: u32) -> TextureView {
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: Some("shadow map"),
        size: wgpu::Extent3d { width: side, height: side, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: DEPTH,
        usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    });
    texture.create_view(&Default::default())
}
