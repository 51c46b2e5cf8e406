//! Results of the device equal those of the CPU.

use crate::obj;
use crate::shapes::{Random, blobs, block, centered_grid, octahedron, potato, ring, voxels};
use crate::support::{BOTH, bits, compare, on_cpu, open};
use glam::{DVec3, Vec3};
use pliant::builder::generate;
use pliant::runtime::gpu::{Cap, Device, GpuOptions};
use pliant::scene::{IcosphereSpec, Tessellation};
use pliant::voxel::gpu::{GpuVoxelError, GpuVoxelizer, VoxelStage};
use pliant::voxel::{
    Field, Filling, Grid, MERGE_DEPTH, MOST_ALONG, PADDING, Particles, Reach, VoxelError, Voxels, fill,
};

#[test]
fn s27_s28_s29_round_and_random_meshes_are_the_same_on_the_gpu() {
    let Some(device) = open(None) else { return };
    let mut gpu = GpuVoxelizer::new(&device).unwrap();
    let mut random = Random(42);
    let mut meshes = vec![
        ("ball", generate::icosphere(&IcosphereSpec { radius: 1.0, subdivisions: 4 }), 40),
        ("coarse ball", generate::icosphere(&IcosphereSpec { radius: 1.0, subdivisions: 0 }), 33),
        ("ring", ring(&mut random, 40, 16), 45),
        ("octahedron", octahedron(3.0), 27),
    ];
    meshes.extend((0..4).map(|k| ("potato", potato(&mut random, 1 + k % 3), 17 + 9 * k)));
    let mut compared = 0;
    for (name, mesh, along) in &meshes {
        for padding in [1, PADDING, 5] {
            let grid = Grid::fit(&mesh.positions, *along, padding).unwrap();
            compared += compare(&mut gpu, name, mesh, &grid, &[None, Some(0.5), Some(MERGE_DEPTH), Some(2.3)]);
        }
    }
    assert!(compared > 500_000, "{compared}");
}

#[test]
fn s27_e24_ties_on_every_axis_are_decided_on_the_gpu_as_on_the_cpu() {
    let Some(device) = open(None) else { return };
    let mut gpu = GpuVoxelizer::new(&device).unwrap();
    let mut random = Random(5);
    let grid = centered_grid(9);
    for number in 0..24 {
        // Vertices on centers, faces, edges and corners of voxels; triangles that fold over each other or have no area.
        let mut mesh = potato(&mut random, 2);
        mesh.positions.iter_mut().for_each(|p| *p = (*p * 6.0).round() * 0.5);
        // The shortest side is the axis of projection.
        let squash = [Vec3::ONE, Vec3::new(0.5, 1.0, 1.0), Vec3::new(1.0, 0.5, 1.0), Vec3::new(1.0, 1.0, 0.5)];
        mesh.positions.iter_mut().for_each(|p| *p = (*p * squash[number % 4] * 2.0).round() * 0.5);
        compare(&mut gpu, &format!("mesh {number}"), &mesh, &grid, &BOTH);
    }
    for size in [[8.0, 8.0, 8.0], [4.0, 8.0, 8.0], [8.0, 4.0, 8.0], [8.0, 8.0, 4.0]] {
        for tets in [Tessellation::Five, Tessellation::Six] {
            let compared = compare(&mut gpu, "box on centers", &block([4; 3], size, tets), &grid, &BOTH);
            assert!(compared > 256, "{compared}");
        }
    }
}

#[test]
fn s27_e24_t12_the_cartesian_grid_has_not_one_wrong_voxel_on_the_gpu() {
    let Some(device) = open(None) else { return };
    let mut gpu = GpuVoxelizer::new(&device).unwrap();
    for tets in [Tessellation::Five, Tessellation::Six] {
        // Mesh edges on the faces of voxels, through their centers, and in between (D4 Fig 7.1).
        for (cells, along) in [(32, 32), (32, 16), (16, 48), (30, 20), (7, 21)] {
            let mesh = block([cells; 3], [1.0; 3], tets);
            let grid = Grid::fit(&mesh.positions, along, PADDING).unwrap();
            let expected = voxels(grid.dims(), |at| at.iter().all(|c| (PADDING..PADDING + along).contains(c)));
            assert!(gpu.voxelize(&mesh, &grid).unwrap() == expected, "{cells} cells, {along} voxels");
        }
    }
}

#[test]
fn s27_sheets_and_needles_and_grids_of_any_proportion_are_the_same_on_the_gpu() {
    let Some(device) = open(None) else { return };
    let mut gpu = GpuVoxelizer::new(&device).unwrap();
    let mut compared = 0;
    for axis in 0..3 {
        for (thin, along) in [(0.001, 60), (0.05, 130), (0.3, 31)] {
            let mut sheet = [1.0; 3];
            sheet[axis] = thin;
            let mut needle = [thin; 3];
            needle[axis] = 1.0;
            for size in [sheet, needle] {
                let mesh = block([3, 2, 5], size, Tessellation::Six);
                let grid = Grid::fit(&mesh.positions, along, PADDING).unwrap();
                compared += compare(&mut gpu, &format!("{size:?}"), &mesh, &grid, &BOTH);
            }
        }
    }
    // As long as a grid may be, where coordinates have the fewest bits behind the point.
    let mut random = Random(9);
    for axis in 0..3 {
        let mut mesh = potato(&mut random, 3);
        let mut size = Vec3::splat(0.02);
        size[axis] = 1.0;
        mesh.positions.iter_mut().for_each(|p| *p *= size);
        let grid = Grid::fit(&mesh.positions, MOST_ALONG - 2 * PADDING, PADDING).unwrap();
        compared += compare(&mut gpu, &format!("long along {axis}"), &mesh, &grid, &BOTH);
    }
    assert!(compared > 500_000, "{compared}");
}

#[test]
fn s27_a_mesh_that_fills_its_padding_and_one_that_is_inside_out_are_the_same_on_the_gpu() {
    let Some(device) = open(None) else { return };
    let mut gpu = GpuVoxelizer::new(&device).unwrap();
    // Up to the low sides of the grid, where gradients have one neighbor, but not to the high ones, which would leak.
    let mesh = block([3; 3], [9.2, 8.2, 10.2], Tessellation::Five);
    let grid = Grid::new(DVec3::ZERO, 1.0, [10, 9, 11], 1).unwrap();
    assert!(compare(&mut gpu, "padding", &mesh, &grid, &BOTH) > 500);
    // Half of it is inverted: its volume is 0, so the particle buffers grow only after counting.
    let mut pair = block([1; 3], [1.0; 3], Tessellation::Six);
    let mut second = pair.clone();
    second.positions.iter_mut().for_each(|p| p.x += 3.0);
    let first = pair.positions.len() as u32;
    pair.triangles.extend(second.triangles.iter().map(|&[a, b, c]| [a + first, c + first, b + first]));
    pair.positions.extend(second.positions);
    assert!(pair.volume().abs() < 1e-6);
    let grid = Grid::fit(&pair.positions, 200, PADDING).unwrap();
    let mut fresh = GpuVoxelizer::new(&device).unwrap();
    let capacity = u64::from((grid.dims()[0] + grid.dims()[1]) * grid.dims()[2] + grid.dims()[0] * grid.dims()[1]);
    let found = fresh.particles(&pair, &grid, None).unwrap();
    assert!(found.particles.len() as u64 > capacity, "{} particles make no capacity necessary", found.particles.len());
    assert!(bits(&found.particles) == bits(&on_cpu(&pair, &grid, None).1));
}

#[test]
fn s28_e25_distances_of_noise_and_blobs_are_the_same_on_the_gpu() {
    let Some(device) = open(None) else { return };
    let mut gpu = GpuVoxelizer::new(&device).unwrap();
    let mut random = Random(11);
    let mut samples = Vec::new();
    for dims in [[9, 7, 11], [33, 5, 6], [6, 40, 3], [1, 1, 12], [12, 13, 14], [100, 3, 70], [64, 65, 31]] {
        for density in [0.001, 0.02, 0.5, 0.98] {
            samples.push(voxels(dims, |_| random.unit() < density));
        }
        samples.push(blobs(&mut random, dims));
        samples.push(voxels(dims, |_| false));
        samples.push(voxels(dims, |_| true));
        samples.push(voxels(dims, |at| at == dims.map(|d| d / 2)));
    }
    // As far from a site as it can be.
    samples.push(voxels([1024, 2, 40], |at| at == [0; 3]));
    samples.push(voxels([3, 1024, 2], |at| at == [2, 1023, 0]));
    for (number, voxels) in samples.iter().enumerate() {
        for (reach, expected) in [(Reach::Inside, Field::inside(voxels)), (Reach::Everywhere, Field::new(voxels))] {
            let found = gpu.distances(voxels, reach).unwrap();
            assert_eq!(found.dims(), expected.dims());
            let off = found.phi().iter().zip(expected.phi()).position(|(a, b)| a.to_bits() != b.to_bits());
            let pair = |i: usize| (found.phi()[i], expected.phi()[i]);
            assert_eq!(off.map(pair), None, "sample {number}, {reach:?}: at {off:?}");
        }
    }
    for dims in [[1025, 2, 2], [0, 3, 3]] {
        let error = gpu.distances(&Voxels::new(dims), Reach::Inside).unwrap_err();
        assert!(matches!(error, GpuVoxelError::Voxel(VoxelError::Along { .. })), "{error}");
    }
}

#[test]
fn s28_every_root_that_a_grid_can_ask_for_is_rounded_as_on_the_cpu() {
    let Some(device) = open(None) else { return };
    let mut gpu = GpuVoxelizer::new(&device).unwrap();
    // One voxel in the corner of a plane: all x² + y² up to 2·1023².
    let plane = voxels([1024, 1024, 1], |at| at == [0; 3]);
    let (found, expected) = (gpu.distances(&plane, Reach::Everywhere).unwrap(), Field::new(&plane));
    assert!(found.phi().iter().zip(expected.phi()).all(|(a, b)| a.to_bits() == b.to_bits()));
}

#[test]
fn t10_s29_the_box_has_the_counts_of_d4_on_the_gpu() {
    let Some(device) = open(None) else { return };
    let mut gpu = GpuVoxelizer::new(&device).unwrap();
    let mesh = block([1; 3], [1.0; 3], Tessellation::Six);
    let cases: [(u32, &[usize], usize); 3] = [
        (12, &[1_216, 0, 8], 1_224),
        (32, &[10_816, 0, 127, 19, 1], 10_963),
        (96, &[106_048, 0, 1_519, 331, 61, 8], 107_967),
    ];
    for (grid, levels, total) in cases {
        let filling = Filling { merge: Some(MERGE_DEPTH), ..Filling::new(grid) };
        let (particles, notes) = gpu.fill(mesh.clone(), &filling).unwrap();
        assert_eq!((particles.per_level(), particles.len()), (levels.to_vec(), total), "{grid} voxels");
        assert!(bits(&particles) == bits(&fill(mesh.clone(), &filling).unwrap().0) && notes.is_empty());
    }
}

#[test]
fn t10_scanned_models_are_the_same_on_the_gpu_in_a_dozen_dispatches() {
    let Some(device) = open(None) else { return };
    let mut gpu = GpuVoxelizer::new(&device).unwrap();
    for (name, along) in [("bunny.obj", 32), ("bunny.obj", 96), ("armadillo.obj", 32), ("armadillo.obj", 96)] {
        let Some(mesh) = obj::load(name) else { return };
        let grid = Grid::fit(&mesh.positions, along, PADDING).unwrap();
        compare(&mut gpu, &format!("{name} at {along}"), &mesh, &grid, &BOTH);
        let found = gpu.particles(&mesh, &grid, Some(MERGE_DEPTH)).unwrap();
        assert!(found.dispatches <= 12, "{}", found.dispatches);
        let ms = found.times.stages.map(|s| s * 1e3);
        println!(
            "{name} at {along}: {ms:.3?} ms, before {:.3?}, after {:.3?} s",
            found.times.prepare, found.times.readback
        );
        assert!(VoxelStage::ALL.iter().all(|&s| found.times.stages[s as usize] > 0.0), "{ms:?}");
    }
}

/// FNV-1a of the bits.
fn hash(particles: &Particles) -> u64 {
    bits(particles).iter().fold(0xcbf2_9ce4_8422_2325, |h, &word| (h ^ u64::from(word)).wrapping_mul(0x100_0000_01b3))
}

#[test]
fn s29_ten_runs_have_one_hash_without_checks_with_browser_limits_and_few_threads() {
    let Some(checked) = open(None) else { return };
    let mut random = Random(17);
    let mesh = potato(&mut random, 4);
    let grid = Grid::fit(&mesh.positions, 50, PADDING).unwrap();
    let expected = hash(&on_cpu(&mesh, &grid, Some(MERGE_DEPTH)).1);
    let few = Cap { threads: 64, ..Cap::BROWSER };
    let unchecked = Device::open(&GpuOptions::default()).unwrap();
    let devices = [checked, unchecked, open(Some(Cap::BROWSER)).unwrap(), open(Some(few)).unwrap()];
    for (number, device) in devices.iter().enumerate() {
        let mut gpu = GpuVoxelizer::new(device).unwrap();
        for run in 0..10 {
            // Another mesh in between leaves nothing behind.
            if run % 3 == 1 {
                gpu.fill(block([2; 3], [1.0, 2.0, 3.0], Tessellation::Six), &Filling::new(20 + run)).unwrap();
            }
            let found = gpu.particles(&mesh, &grid, Some(MERGE_DEPTH)).unwrap();
            assert_eq!(hash(&found.particles), expected, "device {number}, run {run}");
        }
        // Buffers are kept.
        let bytes = gpu.bytes();
        gpu.particles(&mesh, &grid, Some(MERGE_DEPTH)).unwrap();
        assert_eq!(gpu.bytes(), bytes);
    }
}
