//! Voxelization on a GPU.

use super::result::{Voxelization, voxel_failure};
use crate::args::VoxelizeArgs;
use crate::failure::Failure;
use pliant::mesh::TriMesh;
use pliant::runtime::gpu::{Device, GpuOptions};
use pliant::voxel::gpu::{GpuVoxelError, GpuVoxelizer};
use pliant::voxel::{Grid, VoxelError};

/// Runs on the requested GPU.
pub fn run(options: &GpuOptions, mesh: &TriMesh, grid: &Grid, args: &VoxelizeArgs) -> Result<Voxelization, Failure> {
    run_on(&Device::open(options)?, mesh, grid, args).map_err(|e| match e {
        GpuVoxelError::Voxel(e) => voxel_failure(&e).at(args.mesh.clone()),
        GpuVoxelError::Gpu(e) => e.into(),
    })
}

/// Runs on a hardware GPU, if there is one with enough memory. An invalid mesh is an error on every backend.
pub fn run_if_available(mesh: &TriMesh, grid: &Grid, args: &VoxelizeArgs) -> Option<Result<Voxelization, Failure>> {
    let device = Device::open(&GpuOptions::default()).ok().filter(|device| !device.software)?;
    match run_on(&device, mesh, grid, args) {
        Ok(made) => Some(Ok(made)),
        Err(GpuVoxelError::Voxel(e)) => Some(Err(voxel_failure(&e).at(args.mesh.clone()))),
        Err(GpuVoxelError::Gpu(_)) => None,
    }
}

fn run_on(device: &Device, mesh: &TriMesh, grid: &Grid, args: &VoxelizeArgs) -> Result<Voxelization, GpuVoxelError> {
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
    Ok(Voxelization { particles: filled.particles, voxels: filled.voxels, adapter, stages, host: Some(host) })
}
