//! The test device, and the comparison used by all tests.

use crate::skip::skipped;
use glam::Vec3;
use pliant::mesh::TriMesh;
use pliant::runtime::gpu::{Cap, Device, GpuOptions, adapters};
use pliant::voxel::gpu::{Filled, GpuVoxelError, GpuVoxelizer};
use pliant::voxel::{Field, Grid, MERGE_DEPTH, Particles, VoxelError, Voxels, merge, voxelize};
use std::sync::OnceLock;

/// A device, or `None` without an adapter; the test is then skipped.
pub fn open(cap: Option<Cap>) -> Option<Device> {
    static READY: OnceLock<bool> = OnceLock::new();
    if !*READY.get_or_init(|| adapters().iter().any(|a| a.trouble.is_none())) {
        assert!(std::env::var_os("PLIANT_REQUIRE_GPU").is_none(), "PLIANT_REQUIRE_GPU is set, but there is no adapter");
        skipped("no GPU adapter");
        return None;
    }
    // Checks of indices stay on, but for one test: out-of-range accesses must be detected.
    Some(Device::open(&GpuOptions { cap, checks: true, ..GpuOptions::default() }).unwrap())
}

/// All numbers of particles as bits: −0 is not 0.
pub fn bits(p: &Particles) -> Vec<u32> {
    let vectors = |list: &[Vec3]| list.iter().flat_map(|v| v.to_array()).map(f32::to_bits).collect::<Vec<_>>();
    let numbers = |list: &[f32]| list.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    let levels = p.levels.iter().map(|&l| u32::from(l)).collect();
    [vectors(&p.positions), numbers(&p.radii), numbers(&p.volumes), numbers(&p.phi), vectors(&p.gradients), levels]
        .concat()
}

pub fn on_cpu(mesh: &TriMesh, grid: &Grid, depth: Option<f32>) -> (Voxels, Particles) {
    let voxels = voxelize(mesh, grid).unwrap();
    let particles = merge(grid, &voxels, &Field::inside(&voxels), depth).unwrap();
    (voxels, particles)
}

/// Voxels and particles of both, merged and not; returns how many particles were compared.
pub fn compare(gpu: &mut GpuVoxelizer, what: &str, mesh: &TriMesh, grid: &Grid, depths: &[Option<f32>]) -> usize {
    let expected = voxelize(mesh, grid).unwrap();
    assert!(gpu.voxelize(mesh, grid).unwrap() == expected, "{what}: voxels");
    let mut compared = 0;
    for &depth in depths {
        let (voxels, particles) = on_cpu(mesh, grid, depth);
        if voxels.count() == 0 {
            let error = gpu.particles(mesh, grid, depth).unwrap_err();
            assert_eq!(error, GpuVoxelError::Voxel(VoxelError::Nothing), "{what}");
            continue;
        }
        let found = gpu.particles(mesh, grid, depth).unwrap();
        assert_eq!(found.voxels, voxels.count(), "{what}");
        assert_eq!(found.particles.per_level(), particles.per_level(), "{what}, depth {depth:?}");
        assert!(
            bits(&found.particles) == bits(&particles),
            "{what}, depth {depth:?}: {}",
            difference(&found, &particles)
        );
        compared += particles.len();
    }
    compared
}

/// The first particle that is not the same, for the message.
fn difference(found: &Filled, expected: &Particles) -> String {
    let p = &found.particles;
    let same = |i: &usize| {
        p.positions[*i] == expected.positions[*i]
            && p.phi[*i].to_bits() == expected.phi[*i].to_bits()
            && p.gradients[*i].to_array().map(f32::to_bits) == expected.gradients[*i].to_array().map(f32::to_bits)
            && p.radii[*i] == expected.radii[*i]
    };
    let Some(i) = (0..p.len()).find(|i| !same(i)) else { return "volumes or levels".into() };
    let row = |p: &Particles| format!("{} {} {} {}", p.positions[i], p.radii[i], p.phi[i], p.gradients[i]);
    format!("particle {i} is {} in place of {}", row(p), row(expected))
}

pub const BOTH: [Option<f32>; 2] = [None, Some(MERGE_DEPTH)];
