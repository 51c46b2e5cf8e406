//! One GPU for all tests, and a function that runs WGSL code over many inputs.

use crate::skip::skipped;
use pliant::runtime::gpu::wgpu;
use pliant::solver::gpu::shaders::compose;
use std::fmt::Write;
use std::sync::OnceLock;

/// Inputs of one test.
pub const COUNT: usize = 100_000;

/// An opened adapter.
pub struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
}

/// The GPU, or `None` without an adapter; the test is then skipped.
pub fn gpu() -> Option<&'static Gpu> {
    static GPU: OnceLock<Option<Gpu>> = OnceLock::new();
    let gpu = GPU.get_or_init(|| pollster::block_on(open())).as_ref();
    if gpu.is_none() {
        assert!(std::env::var_os("PLIANT_REQUIRE_GPU").is_none(), "PLIANT_REQUIRE_GPU is set, but there is no adapter");
        skipped("no GPU adapter");
    }
    gpu
}

async fn open() -> Option<Gpu> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let options = wgpu::RequestAdapterOptions {
        power_preference: wgpu::PowerPreference::HighPerformance,
        ..wgpu::RequestAdapterOptions::default()
    };
    let adapter = instance.request_adapter(&options).await.ok()?;
    println!("adapter: {}", adapter.get_info().name);
    let (device, queue) = adapter.request_device(&wgpu::DeviceDescriptor::default()).await.expect("a device");
    Some(Gpu { device, queue })
}

/// A piece of WGSL that is run once per input.
pub struct Program<'a> {
    /// WGSL kernels it uses, besides the shared ones.
    pub parts: &'a [&'a str],
    /// Numbers of one input; the code reads them as `f(0u)` and so on, or `u(0u)` for a whole number.
    pub takes: usize,
    /// Numbers of one output; the code writes them as `output[o + 0u]`.
    pub gives: usize,
    /// The code.
    pub body: &'a str,
}

impl Gpu {
    /// Runs the program over all inputs, one after the other in memory. Whole numbers travel as their bits.
    pub fn run(&self, program: &Program, input: &[f32]) -> Vec<f32> {
        self.run_with(program, &[], input)
    }

    /// The same for a program that looks something up in tables.
    pub fn run_with(&self, program: &Program, tables: &[[u32; 4]], input: &[f32]) -> Vec<f32> {
        let Program { takes, gives, .. } = *program;
        assert_eq!(input.len() % takes, 0);
        let count = input.len() / takes;
        let mut source = compose(program.parts);
        // Read as bits: a small whole number is a denormal float, which a GPU may flush to zero.
        write!(
            source,
            "@group(0) @binding(0) var<storage, read> input: array<u32>;
             @group(0) @binding(1) var<storage, read_write> output: array<f32>;
             var<private> i: u32;
             fn u(at: u32) -> u32 {{ return input[i + at]; }}
             fn f(at: u32) -> f32 {{ return bitcast<f32>(input[i + at]); }}
             fn f3(at: u32) -> vec3<f32> {{ return vec3<f32>(f(at), f(at + 1u), f(at + 2u)); }}
             fn f4(at: u32) -> vec4<f32> {{ return vec4<f32>(f3(at), f(at + 3u)); }}
             fn solid_words(at: u32) -> vec4<u32> {{
                 let from_here = {}u + 4u * at;
                 return vec4<u32>(
                     input[from_here], input[from_here + 1u], input[from_here + 2u], input[from_here + 3u]);
             }}
             fn solid_vector(at: u32) -> vec4<f32> {{ return bitcast<vec4<f32>>(solid_words(at)); }}
             @compute @workgroup_size(64)
             fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
                 if id.x >= {count}u {{ return; }}
                 i = id.x * {takes}u;
                 let o = id.x * {gives}u;
                 {}
             }}",
            input.len(),
            program.body
        )
        .unwrap();
        let given = [bytemuck::cast_slice(input), bytemuck::cast_slice(tables)].concat();
        let outcome = self.dispatch(&source, &given, 4 * count * gives, count.div_ceil(64));
        bytemuck::pod_collect_to_vec(&outcome)
    }

    fn dispatch(&self, source: &str, input: &[u8], output_bytes: usize, groups: usize) -> Vec<u8> {
        use wgpu::BufferUsages as Usage;
        let (device, queue) = (&self.device, &self.queue);
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(source.into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let buffer = |size: usize, usage| {
            let (label, size) = (None, size as u64);
            device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false })
        };
        let given = buffer(input.len(), Usage::STORAGE | Usage::COPY_DST);
        queue.write_buffer(&given, 0, input);
        let made = buffer(output_bytes, Usage::STORAGE | Usage::COPY_SRC);
        let back = buffer(output_bytes, Usage::MAP_READ | Usage::COPY_DST);
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: given.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: made.as_entire_binding() },
            ],
        });
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(groups as u32, 1, 1);
        drop(pass);
        encoder.copy_buffer_to_buffer(&made, 0, &back, 0, output_bytes as u64);
        queue.submit([encoder.finish()]);
        back.slice(..).map_async(wgpu::MapMode::Read, Result::unwrap);
        device.poll(wgpu::PollType::wait_indefinitely()).expect("a GPU that answers");
        back.slice(..).get_mapped_range().expect("a mapped buffer").to_vec()
    }
}
