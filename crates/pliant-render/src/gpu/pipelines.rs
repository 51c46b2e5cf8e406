//! The two pipelines of `surface.wgsl`: the sky, and the surface in front of it.

use pliant::runtime::gpu::wgpu;

/// sRGB bytes; the multisample resolve averages in linear light.
pub(super) const COLOR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
pub(super) const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
/// Samples per pixel. The standard positions of four samples are those of the software renderer.
pub(super) const SAMPLES: u32 = 4;

pub(super) struct Pipelines {
    pub sky: wgpu::RenderPipeline,
    pub surface: wgpu::RenderPipeline,
    pub layout: wgpu::BindGroupLayout,
}

impl Pipelines {
    pub fn new(device: &wgpu::Device) -> Self {
        let layout = bind_group_layout(device);
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("surface"),
            source: wgpu::ShaderSource::Wgsl(include_str!("surface.wgsl").into()),
        });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("surface"),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let [position, normal, material] = [
            [attribute(wgpu::VertexFormat::Float32x3, 0)],
            [attribute(wgpu::VertexFormat::Float32x3, 1)],
            [attribute(wgpu::VertexFormat::Uint32, 2)],
        ];
        let buffers = [buffer(16, &position), buffer(16, &normal), buffer(4, &material)];
        let make = |vertex, fragment, buffers, depth_compare, depth_write| {
            device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: Some(fragment),
                layout: Some(&pipeline_layout),
                vertex: wgpu::VertexState {
                    module: &module,
                    entry_point: Some(vertex),
                    compilation_options: Default::default(),
                    buffers,
                },
                // Both sides are drawn, counter-clockwise ones as the front.
                primitive: wgpu::PrimitiveState::default(),
                depth_stencil: Some(wgpu::DepthStencilState {
                    format: DEPTH,
                    depth_write_enabled: Some(depth_write),
                    depth_compare: Some(depth_compare),
                    stencil: Default::default(),
                    bias: Default::default(),
                }),
                multisample: wgpu::MultisampleState { count: SAMPLES, ..Default::default() },
                fragment: Some(wgpu::FragmentState {
                    module: &module,
                    entry_point: Some(fragment),
                    compilation_options: Default::default(),
                    targets: &[Some(COLOR.into())],
                }),
                multiview_mask: None,
                cache: None,
            })
        };
        // Depth is 1/distance: nearer is greater, and the first in order stays on a tie.
        Self {
            sky: make("sky_vertex", "sky", &[], wgpu::CompareFunction::Always, false),
            surface: make("surface_vertex", "surface", &buffers, wgpu::CompareFunction::Greater, true),
            layout,
        }
    }
}

fn bind_group_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let entry = |binding, visibility, ty| wgpu::BindGroupLayoutEntry {
        binding,
        visibility,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    };
    let (both, shade) = (wgpu::ShaderStages::VERTEX_FRAGMENT, wgpu::ShaderStages::FRAGMENT);
    let entries = [
        entry(0, both, wgpu::BufferBindingType::Uniform),
        entry(1, shade, wgpu::BufferBindingType::Storage { read_only: true }),
    ];
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some("surface"), entries: &entries })
}

fn attribute(format: wgpu::VertexFormat, shader_location: u32) -> wgpu::VertexAttribute {
    wgpu::VertexAttribute { format, offset: 0, shader_location }
}

fn buffer(array_stride: u64, attributes: &[wgpu::VertexAttribute]) -> Option<wgpu::VertexBufferLayout<'_>> {
    Some(wgpu::VertexBufferLayout { array_stride, step_mode: wgpu::VertexStepMode::Vertex, attributes })
}
