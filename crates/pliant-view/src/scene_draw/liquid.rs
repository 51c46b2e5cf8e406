//! Draws liquids as surfaces, from their particles, in passes over the picture (`liquid.wgsl`).

use crate::scene_draw::buffers::Stream;
use crate::scene_draw::pipelines::{COLOR, DEPTH};
use wgpu::{
    BindGroup, BindGroupEntry, BindGroupLayout, BindingResource, Color, CommandEncoder, Device, Operations,
    RenderPassColorAttachment, RenderPipeline, TextureFormat, TextureSampleType, TextureUsages, TextureView,
    VertexFormat,
};

/// Depths of the surface [m].
const DISTANCE: TextureFormat = TextureFormat::R32Float;
/// Sums of chords [m]; can be added up and interpolated.
const THICKNESS: TextureFormat = TextureFormat::R16Float;
/// Colors as they are displayed.
const TINT: TextureFormat = TextureFormat::Rgba8Unorm;

/// Passes of the filter, each across and down.
const SMOOTHINGS: u32 = 2;

pub const SOURCE: &str = concat!(include_str!("common.wgsl"), include_str!("liquid.wgsl"));

/// Pipelines, layouts and textures.
pub struct LiquidRenderer {
    device: Device,
    surface: RenderPipeline,
    thickness: RenderPipeline,
    across: RenderPipeline,
    down: RenderPipeline,
    composition: RenderPipeline,
    layouts: [BindGroupLayout; 3],
    sampler: wgpu::Sampler,
    targets: Option<LiquidTargets>,
}

/// Textures of the size of a picture, and their bindings.
struct LiquidTargets {
    size: (u32, u32),
    /// The picture without liquids.
    behind: TextureView,
    /// The surface, and what the filter makes of it across.
    distance: [TextureView; 2],
    depth: TextureView,
    tint: TextureView,
    thickness: TextureView,
    scene: BindGroup,
    filters: [BindGroup; 2],
    composition: BindGroup,
}

/// A binding of group 2 in `liquid.wgsl`.
#[derive(Clone, Copy)]
enum Slot {
    Distance = 0,
    Scene = 1,
    Tint = 2,
    Thickness = 3,
    Behind = 4,
    Sampler = 5,
}

impl Slot {
    const THICKNESS: &[Self] = &[Self::Scene];
    const FILTER: &[Self] = &[Self::Distance];
    const COMPOSITION: &[Self] =
        &[Self::Distance, Self::Scene, Self::Tint, Self::Thickness, Self::Behind, Self::Sampler];

    fn kind(self) -> wgpu::BindingType {
        let (sample_type, multisampled) = match self {
            Self::Sampler => return wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering),
            Self::Scene => (TextureSampleType::Depth, true),
            Self::Distance => (TextureSampleType::Float { filterable: false }, false),
            Self::Tint | Self::Thickness | Self::Behind => (TextureSampleType::Float { filterable: true }, false),
        };
        wgpu::BindingType::Texture { sample_type, view_dimension: wgpu::TextureViewDimension::D2, multisampled }
    }
}

fn layout(device: &Device, slots: &[Slot]) -> BindGroupLayout {
    let entry = |slot: &Slot| wgpu::BindGroupLayoutEntry {
        binding: *slot as u32,
        visibility: wgpu::ShaderStages::FRAGMENT,
        ty: slot.kind(),
        count: None,
    };
    let entries: Vec<_> = slots.iter().map(entry).collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some("liquid"), entries: &entries })
}

/// What tells pipelines apart.
struct Kind<'a> {
    fragment: &'a str,
    groups: &'a [Option<&'a BindGroupLayout>],
    formats: &'a [TextureFormat],
    /// Whether particles are drawn; else the whole picture.
    particles: bool,
    /// Whether the nearest particle covers those behind it; else they add up.
    nearest: bool,
    down: bool,
}

impl LiquidRenderer {
    /// Compiles the pipelines; `software` filters less far, with hard shadows.
    pub fn new(device: &Device, uniforms: &BindGroupLayout, shadow_map: &BindGroupLayout, software: bool) -> Self {
        let layouts = [Slot::THICKNESS, Slot::FILTER, Slot::COMPOSITION].map(|slots| layout(device, slots));
        let [scene, filter, all] = &layouts;
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("liquid"),
            source: wgpu::ShaderSource::Wgsl(SOURCE.into()),
        });
        let make = |kind: Kind<'_>| pipeline(device, &module, &kind, software);
        let filtered = [Some(uniforms), None, Some(filter)];
        let filter = |down| Kind {
            fragment: "smooth_fragment",
            groups: &filtered,
            formats: &[DISTANCE],
            particles: false,
            nearest: false,
            down,
        };
        Self {
            surface: make(Kind {
                fragment: "surface_fragment",
                groups: &[Some(uniforms)],
                formats: &[DISTANCE, TINT],
                particles: true,
                nearest: true,
                down: false,
            }),
            thickness: make(Kind {
                fragment: "thickness_fragment",
                groups: &[Some(uniforms), None, Some(scene)],
                formats: &[THICKNESS],
                particles: true,
                nearest: false,
                down: false,
            }),
            across: make(filter(false)),
            down: make(filter(true)),
            composition: make(Kind {
                fragment: "liquid_fragment",
                groups: &[Some(uniforms), Some(shadow_map), Some(all)],
                formats: &[COLOR],
                particles: false,
                nearest: false,
                down: false,
            }),
            sampler: device.create_sampler(&wgpu::SamplerDescriptor {
                mag_filter: wgpu::FilterMode::Linear,
                min_filter: wgpu::FilterMode::Linear,
                ..Default::default()
            }),
            layouts,
            targets: None,
            device: device.clone(),
        }
    }

    /// Makes textures for a picture of this size whose depth is `scene`.
    pub fn resize(&mut self, size: (u32, u32), scene: &TextureView) {
        if self.targets.as_ref().is_none_or(|t| t.size != size) {
            self.targets = Some(LiquidTargets::new(&self.device, size, scene, &self.layouts, &self.sampler));
        }
    }

    /// Forgets the textures: the depth that they were made with is gone.
    pub fn forget(&mut self) {
        self.targets = None;
    }

    /// Where everything else is to be drawn first.
    pub fn behind(&self) -> Option<&TextureView> {
        self.targets.as_ref().map(|t| &t.behind)
    }

    /// Draws the particles over what lies behind them, into `picture`.
    pub fn draw(
        &self,
        encoder: &mut CommandEncoder,
        particles: &Stream,
        [uniforms, shadow_map]: [&BindGroup; 2],
        picture: &TextureView,
    ) {
        let (Some(t), Some((buffer, count))) = (&self.targets, particles.filled()) else { return };
        let clear = |view| Some(target(view));
        {
            let colors = [clear(&t.distance[0]), clear(&t.tint)];
            let mut pass = begin(encoder, "liquid surface", &colors, Some(&t.depth));
            pass.set_pipeline(&self.surface);
            pass.set_bind_group(0, uniforms, &[]);
            pass.set_vertex_buffer(0, buffer.slice(..));
            pass.draw(0..4, 0..count);
        }
        {
            let mut pass = begin(encoder, "liquid thickness", &[clear(&t.thickness)], None);
            pass.set_pipeline(&self.thickness);
            pass.set_bind_group(0, uniforms, &[]);
            pass.set_bind_group(2, &t.scene, &[]);
            pass.set_vertex_buffer(0, buffer.slice(..));
            pass.draw(0..4, 0..count);
        }
        for _ in 0..SMOOTHINGS {
            for (from, to, pipeline) in [(0, 1, &self.across), (1, 0, &self.down)] {
                let mut pass = begin(encoder, "liquid smoothing", &[clear(&t.distance[to])], None);
                pass.set_pipeline(pipeline);
                pass.set_bind_group(0, uniforms, &[]);
                pass.set_bind_group(2, &t.filters[from], &[]);
                pass.draw(0..3, 0..1);
            }
        }
        let mut pass = begin(encoder, "liquid", &[clear(picture)], None);
        pass.set_pipeline(&self.composition);
        for (group, bindings) in [uniforms, shadow_map, &t.composition].into_iter().enumerate() {
            pass.set_bind_group(group as u32, bindings, &[]);
        }
        pass.draw(0..3, 0..1);
    }
}

fn target(view: &TextureView) -> RenderPassColorAttachment<'_> {
    let ops = Operations { load: wgpu::LoadOp::Clear(Color::TRANSPARENT), store: wgpu::StoreOp::Store };
    RenderPassColorAttachment { view, depth_slice: None, resolve_target: None, ops }
}

fn begin<'a>(
    encoder: &'a mut CommandEncoder,
    label: &str,
    colors: &[Option<RenderPassColorAttachment<'_>>],
    depth: Option<&TextureView>,
) -> wgpu::RenderPass<'a> {
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some(label),
        color_attachments: colors,
        depth_stencil_attachment: depth.map(|view| wgpu::RenderPassDepthStencilAttachment {
            view,
            depth_ops: Some(Operations { load: wgpu::LoadOp::Clear(0.0), store: wgpu::StoreOp::Discard }),
            stencil_ops: None,
        }),
        ..Default::default()
    })
}

fn pipeline(device: &Device, module: &wgpu::ShaderModule, kind: &Kind<'_>, software: bool) -> RenderPipeline {
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some(kind.fragment),
        bind_group_layouts: kind.groups,
        immediate_size: 0,
    });
    let add = wgpu::BlendComponent {
        src_factor: wgpu::BlendFactor::One,
        dst_factor: wgpu::BlendFactor::One,
        operation: wgpu::BlendOperation::Add,
    };
    let blend = (kind.particles && !kind.nearest).then_some(wgpu::BlendState { color: add, alpha: add });
    let state = |&format| Some(wgpu::ColorTargetState { format, blend, write_mask: wgpu::ColorWrites::ALL });
    let targets: Vec<_> = kind.formats.iter().map(state).collect();
    let attributes = [
        wgpu::VertexAttribute { format: VertexFormat::Float32x4, offset: 0, shader_location: 0 },
        wgpu::VertexAttribute { format: VertexFormat::Unorm8x4, offset: 16, shader_location: 1 },
    ];
    let step_mode = wgpu::VertexStepMode::Instance;
    let buffers = [Some(wgpu::VertexBufferLayout { array_stride: 20, step_mode, attributes: &attributes })];
    // The filter alone has constants to choose; entry points take those that they use.
    let taps = if software { 8.0 } else { 24.0 };
    let all = [("most_taps", taps), ("down", f64::from(u8::from(kind.down))), ("shadow_reach", f64::from(!software))];
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(kind.fragment),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some(if kind.particles { "particle_vertex" } else { "whole_vertex" }),
            compilation_options: Default::default(),
            buffers: if kind.particles { &buffers } else { &[] },
        },
        primitive: wgpu::PrimitiveState {
            topology: if kind.particles {
                wgpu::PrimitiveTopology::TriangleStrip
            } else {
                wgpu::PrimitiveTopology::TriangleList
            },
            ..Default::default()
        },
        depth_stencil: kind.nearest.then(|| wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Greater),
            stencil: Default::default(),
            bias: Default::default(),
        }),
        multisample: Default::default(),
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some(kind.fragment),
            compilation_options: wgpu::PipelineCompilationOptions { constants: &all, ..Default::default() },
            targets: &targets,
        }),
        multiview_mask: None,
        cache: None,
    })
}

impl LiquidTargets {
    fn new(
        device: &Device,
        size: (u32, u32),
        scene: &TextureView,
        layouts: &[BindGroupLayout; 3],
        sampler: &wgpu::Sampler,
    ) -> Self {
        let make = |label, format, (width, height)| {
            let texture = device.create_texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::TEXTURE_BINDING,
                view_formats: &[],
            });
            texture.create_view(&Default::default())
        };
        let half = (size.0.div_ceil(2), size.1.div_ceil(2));
        let behind = make("behind liquid", COLOR, size);
        let distance = [make("liquid surface", DISTANCE, size), make("liquid surface across", DISTANCE, size)];
        let (tint, thickness) = (make("liquid color", TINT, size), make("liquid thickness", THICKNESS, half));
        let bind = |layout: &BindGroupLayout, slots: &[Slot], distance: &TextureView| {
            let resource = |slot: Slot| match slot {
                Slot::Distance => BindingResource::TextureView(distance),
                Slot::Scene => BindingResource::TextureView(scene),
                Slot::Tint => BindingResource::TextureView(&tint),
                Slot::Thickness => BindingResource::TextureView(&thickness),
                Slot::Behind => BindingResource::TextureView(&behind),
                Slot::Sampler => BindingResource::Sampler(sampler),
            };
            let entry = |&slot: &Slot| BindGroupEntry { binding: slot as u32, resource: resource(slot) };
            let entries: Vec<_> = slots.iter().map(entry).collect();
            device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some("liquid"), layout, entries: &entries })
        };
        Self {
            size,
            scene: bind(&layouts[0], Slot::THICKNESS, &distance[0]),
            filters: [&distance[0], &distance[1]].map(|from| bind(&layouts[1], Slot::FILTER, from)),
            composition: bind(&layouts[2], Slot::COMPOSITION, &distance[0]),
            depth: make("liquid depth", DEPTH, size),
            behind,
            distance,
            tint,
            thickness,
        }
    }
}
