//! The voxel shaders: entry points and their files, and the pipelines, created once.

use crate::runtime::gpu::device::Device;
use crate::runtime::gpu::error::GpuError;
use crate::runtime::gpu::shader_constants;
use crate::voxel::gpu::plan::CONSTANTS;

const BINDINGS: &str = include_str!("bindings.wgsl");
const SOLID: &str = include_str!("solid.wgsl");
const DISTANCE: &str = include_str!("distance.wgsl");
const EXACT: &str = include_str!("exact.wgsl");
const MERGE: &str = include_str!("merge.wgsl");

/// Maximum threads of most workgroups: the WebGPU default limit.
const MOST_THREADS: u32 = 256;

/// An entry point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    Wipe,
    Triangles,
    AlongColumns,
    AlongRows,
    Rows,
    Columns,
    Join,
    Count,
    AddGroups,
    Emit,
}

impl Kernel {
    const ALL: [Self; 10] = [
        Self::Wipe,
        Self::Triangles,
        Self::AlongColumns,
        Self::AlongRows,
        Self::Rows,
        Self::Columns,
        Self::Join,
        Self::Count,
        Self::AddGroups,
        Self::Emit,
    ];

    fn entry(self) -> &'static str {
        match self {
            Self::Wipe => "wipe",
            Self::Triangles => "triangles",
            Self::AlongColumns => "along_columns",
            Self::AlongRows => "along_rows",
            Self::Rows => "rows",
            Self::Columns => "columns",
            Self::Join => "join",
            Self::Count => "count",
            Self::AddGroups => "add_groups",
            Self::Emit => "emit",
        }
    }

    fn parts(self) -> &'static [&'static str] {
        match self {
            Self::Wipe | Self::Triangles | Self::AlongColumns | Self::AlongRows => &[SOLID],
            Self::Rows | Self::Columns => &[EXACT, DISTANCE],
            Self::Join | Self::Count | Self::AddGroups | Self::Emit => &[EXACT, MERGE],
        }
    }

    /// WGSL source of the module. Only triangles flip bits concurrently, with atomics.
    fn text(self, threads: u32) -> String {
        let word = if self.parts() == [SOLID] { "atomic<u32>" } else { "u32" };
        let words = format!("@group(0) @binding(1) var<storage, read_write> words: array<{word}>;");
        let head = format!("const THREADS: u32 = {threads}u;\n{words}\n{BINDINGS}\n");
        shader_constants::wgsl(&[CONSTANTS]) + &head + &self.parts().join("\n")
    }
}

/// Threads per workgroup on a device: a power of two, 64 to 256, as large as supported.
pub fn threads(device: &Device) -> u32 {
    let limits = device.device.limits();
    let most = limits.max_compute_workgroup_size_x.min(limits.max_compute_invocations_per_workgroup);
    1 << most.clamp(64, MOST_THREADS).ilog2()
}

/// All pipelines, and their bind group layout.
pub struct Pipelines {
    pub layout: wgpu::BindGroupLayout,
    all: Vec<wgpu::ComputePipeline>,
}

impl Pipelines {
    /// Compiles all pipelines.
    pub fn new(device: &Device) -> Result<Self, GpuError> {
        let layout = device.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("voxels"),
            entries: &std::array::from_fn::<_, 9, _>(|k| entry(device, k as u32)),
        });
        let pipeline_layout = device.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("voxels"),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let threads = threads(device);
        let all = Kernel::ALL.into_iter().map(|kernel| {
            // SAFETY: `GpuVoxelizer` has checked vertex numbers and sizes of grids, `Plan` sizes the buffers by the
            // same numbers that bound the shaders' accesses, and every loop terminates: over a length, or when the
            // remainder of a division or a root, known to a few units, is in range.
            unsafe { device.pipeline(kernel.entry(), kernel.entry(), kernel.text(threads), Some(&pipeline_layout)) }
        });
        Ok(Self { all: all.collect::<Result<_, _>>()?, layout })
    }

    /// The pipeline of an entry point.
    pub fn get(&self, kernel: Kernel) -> &wgpu::ComputePipeline {
        &self.all[kernel as usize]
    }
}

fn entry(device: &Device, binding: u32) -> wgpu::BindGroupLayoutEntry {
    let ty = match binding {
        0 => wgpu::BufferBindingType::Storage { read_only: true },
        1..8 => wgpu::BufferBindingType::Storage { read_only: false },
        _ => device.uniform_binding(),
    };
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: binding == 8, min_binding_size: None },
        count: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_kernels_is_in_their_order() {
        for (k, kernel) in Kernel::ALL.into_iter().enumerate() {
            assert_eq!(kernel as usize, k);
        }
    }
}
