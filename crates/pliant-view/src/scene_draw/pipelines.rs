//! Pipelines of `scene.wgsl`.

use wgpu::{CompareFunction, Device, PrimitiveTopology, TextureFormat, VertexFormat};

/// sRGB bytes; the multisample resolve averages in linear light, after tone mapping.
pub const COLOR: TextureFormat = TextureFormat::Rgba8UnormSrgb;
/// The same bytes as they are, for copying to the window.
pub const RAW_COLOR: TextureFormat = TextureFormat::Rgba8Unorm;
/// Depth of the picture and of the shadow map.
pub const DEPTH: TextureFormat = TextureFormat::Depth32Float;
/// Samples per pixel.
pub const SAMPLES: u32 = 4;

const SOURCE: &str = concat!(include_str!("common.wgsl"), include_str!("scene.wgsl"));

/// All pipelines, and the layouts of their bindings.
pub struct Pipelines {
    /// Layout of the uniforms.
    pub uniforms: wgpu::BindGroupLayout,
    /// Layout of the shadow map.
    pub shadow_map: wgpu::BindGroupLayout,
    pub sky: wgpu::RenderPipeline,
    pub ground: wgpu::RenderPipeline,
    pub mesh: wgpu::RenderPipeline,
    /// Only the front is drawn: walls do not hide what they enclose.
    pub wall: wgpu::RenderPipeline,
    pub tube: wgpu::RenderPipeline,
    pub sphere: wgpu::RenderPipeline,
    pub line: wgpu::RenderPipeline,
    pub hidden_line: wgpu::RenderPipeline,
    pub mesh_shadow: wgpu::RenderPipeline,
    pub tube_shadow: wgpu::RenderPipeline,
    pub sphere_shadow: wgpu::RenderPipeline,
}

/// What tells pipelines apart.
struct Kind<'a> {
    vertex: &'a str,
    fragment: Option<&'a str>,
    buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    topology: PrimitiveTopology,
    compare: CompareFunction,
    depth_write: bool,
    /// Whether this is a pass of the shadow map.
    shadow: bool,
    /// Whether alpha is the share of a pixel's samples, or blends.
    coverage: bool,
    blend: bool,
    /// Whether only the front is drawn.
    front: bool,
}

impl Default for Kind<'_> {
    fn default() -> Self {
        Self {
            vertex: "",
            fragment: None,
            buffers: &[],
            topology: PrimitiveTopology::TriangleList,
            compare: CompareFunction::Greater,
            depth_write: true,
            shadow: false,
            coverage: false,
            blend: false,
            front: false,
        }
    }
}

impl Pipelines {
    /// Compiles all of them; `software` has shadows with hard edges.
    pub fn new(device: &Device, software: bool) -> Self {
        let uniforms = uniform_layout(device);
        let shadow_map = shadow_layout(device);
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("scene"),
            source: wgpu::ShaderSource::Wgsl(SOURCE.into()),
        });
        let layout = |groups: &[Option<&wgpu::BindGroupLayout>]| {
            device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some("scene"),
                bind_group_layouts: groups,
                immediate_size: 0,
            })
        };
        let (lit, unlit) = (layout(&[Some(&uniforms), Some(&shadow_map)]), layout(&[Some(&uniforms)]));
        let reach = if software { 0.0 } else { 1.0 };
        let make = |kind: Kind<'_>| pipeline(device, &module, if kind.shadow { &unlit } else { &lit }, &kind, reach);
        let [p, n, c, a, b, tube_color, sphere_color, line_color] = [
            (VertexFormat::Float32x3, 0, 0),
            (VertexFormat::Float32x3, 12, 1),
            (VertexFormat::Unorm8x4, 24, 2),
            (VertexFormat::Float32x4, 0, 0),
            (VertexFormat::Float32x4, 16, 1),
            (VertexFormat::Unorm8x4, 32, 2),
            (VertexFormat::Unorm8x4, 16, 1),
            (VertexFormat::Unorm8x4, 12, 1),
        ]
        .map(|(format, offset, shader_location)| wgpu::VertexAttribute { format, offset, shader_location });
        let (vertex, instance) = (wgpu::VertexStepMode::Vertex, wgpu::VertexStepMode::Instance);
        let (mesh, tube, sphere, line) = ([p, n, c], [a, b, tube_color], [a, sphere_color], [p, line_color]);
        let mesh = [Some(wgpu::VertexBufferLayout { array_stride: 28, step_mode: vertex, attributes: &mesh })];
        let tube = [Some(wgpu::VertexBufferLayout { array_stride: 36, step_mode: instance, attributes: &tube })];
        let sphere = [Some(wgpu::VertexBufferLayout { array_stride: 20, step_mode: instance, attributes: &sphere })];
        let line = [Some(wgpu::VertexBufferLayout { array_stride: 16, step_mode: vertex, attributes: &line })];
        let strip = PrimitiveTopology::TriangleStrip;
        let shaded = Some("mesh_fragment");
        let shadow =
            |vertex, buffers| Kind { vertex, buffers, shadow: true, compare: CompareFunction::Less, ..Kind::default() };
        let lines = |fragment, compare| Kind {
            vertex: "line_vertex",
            fragment: Some(fragment),
            buffers: &line,
            topology: PrimitiveTopology::LineList,
            compare,
            depth_write: false,
            blend: true,
            ..Kind::default()
        };
        Self {
            sky: make(Kind {
                vertex: "sky_vertex",
                fragment: Some("sky_fragment"),
                compare: CompareFunction::Always,
                depth_write: false,
                ..Kind::default()
            }),
            ground: make(Kind {
                vertex: "ground_vertex",
                fragment: Some("ground_fragment"),
                topology: strip,
                ..Kind::default()
            }),
            mesh: make(Kind { vertex: "mesh_vertex", fragment: shaded, buffers: &mesh, ..Kind::default() }),
            wall: make(Kind {
                vertex: "mesh_vertex",
                fragment: shaded,
                buffers: &mesh,
                front: true,
                ..Kind::default()
            }),
            tube: make(Kind { vertex: "tube_vertex", fragment: shaded, buffers: &tube, ..Kind::default() }),
            sphere: make(Kind {
                vertex: "sphere_vertex",
                fragment: Some("sphere_fragment"),
                buffers: &sphere,
                topology: strip,
                coverage: true,
                ..Kind::default()
            }),
            line: make(lines("line_fragment", CompareFunction::GreaterEqual)),
            hidden_line: make(lines("hidden_line_fragment", CompareFunction::Less)),
            mesh_shadow: make(shadow("mesh_shadow", &mesh)),
            tube_shadow: make(shadow("tube_shadow", &tube)),
            sphere_shadow: make(Kind {
                fragment: Some("sphere_shadow_fragment"),
                topology: strip,
                ..shadow("sphere_shadow", &sphere)
            }),
            uniforms,
            shadow_map,
        }
    }
}

fn pipeline(
    device: &Device,
    module: &wgpu::ShaderModule,
    layout: &wgpu::PipelineLayout,
    kind: &Kind<'_>,
    shadow_reach: f64,
) -> wgpu::RenderPipeline {
    let blend = kind.blend.then_some(wgpu::BlendState::ALPHA_BLENDING);
    let color = [Some(wgpu::ColorTargetState { format: COLOR, blend, write_mask: wgpu::ColorWrites::ALL })];
    // Shadows begin a little behind the surface that casts them.
    let bias = if kind.shadow {
        wgpu::DepthBiasState { constant: 2, slope_scale: 2.0, clamp: 0.0 }
    } else {
        wgpu::DepthBiasState::default()
    };
    let constants = [("shadow_reach", shadow_reach)];
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(kind.vertex),
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some(kind.vertex),
            compilation_options: Default::default(),
            buffers: kind.buffers,
        },
        primitive: wgpu::PrimitiveState {
            topology: kind.topology,
            cull_mode: kind.front.then_some(wgpu::Face::Back),
            ..Default::default()
        },
        depth_stencil: Some(wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(kind.depth_write),
            depth_compare: Some(kind.compare),
            stencil: Default::default(),
            bias,
        }),
        multisample: wgpu::MultisampleState {
            count: if kind.shadow { 1 } else { SAMPLES },
            alpha_to_coverage_enabled: kind.coverage,
            ..Default::default()
        },
        fragment: kind.fragment.map(|entry| wgpu::FragmentState {
            module,
            entry_point: Some(entry),
            compilation_options: wgpu::PipelineCompilationOptions { constants: &constants, ..Default::default() },
            targets: if kind.shadow { &[] } else { &color },
        }),
        multiview_mask: None,
        cache: None,
    })
}

fn uniform_layout(device: &Device) -> wgpu::BindGroupLayout {
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("picture"),
        entries: &[wgpu::BindGroupLayoutEntry {
            binding: 0,
            visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Uniform,
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        }],
    })
}

fn shadow_layout(device: &Device) -> wgpu::BindGroupLayout {
    let entry =
        |binding, ty| wgpu::BindGroupLayoutEntry { binding, visibility: wgpu::ShaderStages::FRAGMENT, ty, count: None };
    let texture = wgpu::BindingType::Texture {
        sample_type: wgpu::TextureSampleType::Depth,
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    };
    let sampler = wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison);
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("shadow map"),
        entries: &[entry(0, texture), entry(1, sampler)],
    })
}

#[cfg(test)]
mod tests {
    use wgpu::naga;

    #[test]
    fn the_shaders_are_valid() {
        for source in [super::SOURCE, crate::scene_draw::liquid::SOURCE, include_str!("../ui_paint.wgsl")] {
            let module =
                naga::front::wgsl::parse_str(source).unwrap_or_else(|e| panic!("{}", e.emit_to_string(source)));
            let (flags, all) = (naga::valid::ValidationFlags::all(), naga::valid::Capabilities::all());
            naga::valid::Validator::new(flags, all).validate(&module).unwrap();
        }
    }
}
