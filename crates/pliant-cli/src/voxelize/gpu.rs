//! Voxels made by a GPU.

use super::{Made, refusal};
use crate::args::VoxelizeArgs;
use crate::failure::Failure;
use pliant::build::voxel::{Grid, VoxelError};
use pliant::gpu::voxel::{GpuVoxelError, GpuVoxelizer};
use pliant::gpu::{Device, GpuOptions};
use pliant::mesh::TriMesh;

/// On the GPU that was asked for.
pub fn make(options: &GpuOptions, mesh: &TriMesh, grid: &Grid, args: &VoxelizeArgs) -> Result<Made, Failure> {
    on(&Device::open(options)?, mesh, grid, args).map_err(|e| match e {
        GpuVoxelError::Voxel(e) => refusal(&e).at(args.mesh.clone()),
        GpuVoxelError::Gpu(e) => e.into(),
    })
}

/// On a GPU, if there is one that is no driver on the CPU and can do it. A bad mesh is bad for all.
pub fn make_if_worth_it(mesh: &TriMesh, grid: &Grid, args: &VoxelizeArgs) -> Option<Result<Made, Failure>> {
    let device = Device::open(&GpuOptions::default()).ok().filter(|device| !device.software)?;
    match on(&device, mesh, grid, args) {
        Ok(made) => Some(Ok(made)),
        Err(GpuVoxelError::Voxel(e)) => Some(Err(refusal(&e).at(args.mesh.clone()))),
        Err(GpuVoxelError::Gpu(_)) => None,
    }
}

fn on(device: &Device, mesh: &TriMesh, grid: &Grid, args: &VoxelizeArgs) -> Result<Made, GpuVoxelError> {
    let mut voxelizer = GpuVoxelizer::new(device)?;
    let mut stages = [const { Vec::new() }; 3];
    let mut host = [const { Vec::new() }; 2];
    let mut last = None;
    for _ in 0..args.repeat {
        let filled = voxelizer.particles(mesh, grid, args.merge)?;
        let times = &filled.times;
        stages.iter_mut().zip(times.stages).for_each(|(list, s)| list.push(s * 1e3));
        host.iter_mut().zip([times.prepare, times.readback]).for_each(|(list, s)| list.push(s * 1e3));
        last = Some(filled);
    }
    let filled = last.ok_or(VoxelError::Nothing)?;
    let adapter = Some(device.name.clone());
    Ok(Made { particles: filled.particles, voxels: filled.voxels, adapter, stages, host: Some(host) })
}
