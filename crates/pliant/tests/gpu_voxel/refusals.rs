//! Errors of the device, and meshes that need repair.

use crate::obj;
use crate::shapes::{block, octahedron};
use crate::support::{BOTH, bits, compare, open};
use glam::Vec3;
use pliant::builder::generate;
use pliant::mesh::TriMesh;
use pliant::runtime::gpu::{Cap, GpuError};
use pliant::scene::{IcosphereSpec, Tessellation};
use pliant::voxel::gpu::{GpuVoxelError, GpuVoxelizer};
use pliant::voxel::{Filling, Grid, MERGE_DEPTH, PADDING, VoxelError, fill, voxelize};

#[test]
fn s27_r06_invalid_solids_are_refused_on_the_gpu_with_the_same_messages() {
    let Some(device) = open(None) else { return };
    let mut gpu = GpuVoxelizer::new(&device).unwrap();
    let mesh = block([2; 3], [1.0; 3], Tessellation::Six);
    let mut open_box = mesh.clone();
    open_box.triangles.pop();
    let mut finned = mesh.clone();
    finned.positions.push(Vec3::splat(3.0));
    let [a, b, _] = finned.triangles[0];
    finned.triangles.push([a, b, finned.positions.len() as u32 - 1]);
    let mut broken = mesh.clone();
    broken.positions[3].y = f32::NAN;
    let too_deep = Filling { merge: Some(0.2), ..Filling::new(10) };
    let bad = [(open_box, Filling::new(10)), (finned, Filling::new(10)), (broken, Filling::new(10))];
    let more = [(TriMesh::default(), Filling::new(10)), (mesh.clone(), too_deep), (mesh.clone(), Filling::new(0))];
    for (number, (mesh, filling)) in bad.into_iter().chain(more).enumerate() {
        let (ours, theirs) = (gpu.fill(mesh.clone(), &filling).unwrap_err(), fill(mesh, &filling).unwrap_err());
        assert_eq!(ours, GpuVoxelError::Voxel(theirs), "{number}");
    }
    // Vertices outside of the grid, and vertices that are not there.
    let grid = Grid::fit(&mesh.positions, 10, PADDING).unwrap();
    let far = TriMesh { positions: vec![Vec3::ZERO, Vec3::splat(9.0)], triangles: vec![] };
    assert_eq!(gpu.voxelize(&far, &grid).unwrap_err(), GpuVoxelError::Voxel(VoxelError::Outside(1)));
    let lost = TriMesh { triangles: vec![[0, 1, 99]], ..mesh.clone() };
    let words = gpu.voxelize(&lost, &grid).unwrap_err().to_string();
    assert!(words.contains("triangle 0") && words.contains("vertex"), "{words}");
    // A hole that only the rays see, along each axis; the same ray is named.
    for axis in 0..3 {
        let mut size = [1.0; 3];
        size[axis] = 0.5;
        let mut mesh = block([2; 3], size, Tessellation::Six);
        let grid = Grid::fit(&mesh.positions, 40, PADDING).unwrap();
        let end = |t: &[u32; 3]| t.iter().all(|&v| mesh.positions[v as usize][axis] == 0.5);
        let hole = mesh.triangles.iter().position(end).unwrap();
        mesh.triangles.swap_remove(hole);
        let error = voxelize(&mesh, &grid).unwrap_err();
        assert!(matches!(error, VoxelError::Leak { axis: a, .. } if a == ['x', 'y', 'z'][axis]), "{error}");
        assert_eq!(gpu.voxelize(&mesh, &grid).unwrap_err(), GpuVoxelError::Voxel(error.clone()));
        assert_eq!(gpu.particles(&mesh, &grid, None).unwrap_err(), GpuVoxelError::Voxel(error));
    }
    // And it works as before.
    compare(&mut gpu, "afterwards", &mesh, &grid, &BOTH);
}

#[test]
fn r06_a_grid_or_a_mesh_too_large_for_a_binding_names_the_buffer_and_its_size() {
    let cap = Cap { binding_bytes: 1 << 20, ..Cap::BROWSER };
    let Some(device) = open(Some(cap)) else { return };
    let mut gpu = GpuVoxelizer::new(&device).unwrap();
    let mesh = block([1; 3], [1.0; 3], Tessellation::Six);
    let grid = Grid::fit(&mesh.positions, 100, PADDING).unwrap();
    let GpuVoxelError::Gpu(error) = gpu.particles(&mesh, &grid, None).unwrap_err() else { panic!("not the device's") };
    let GpuError::TooLarge { buffer, needed, most, .. } = &error else { panic!("{error}") };
    assert_eq!((*buffer, *needed, *most), ("distances", 4 * 104 * 104 * 104, 1 << 20), "{error}");
    let words = error.to_string();
    assert!(words.contains("\"distances\"") && words.contains("4499456") && words.contains("1048576"), "{words}");
    // Voxels alone are a bit each.
    assert!(gpu.voxelize(&mesh, &grid).unwrap() == voxelize(&mesh, &grid).unwrap());
    // Particles that do not fit are counted first.
    let grid = Grid::fit(&mesh.positions, 60, PADDING).unwrap();
    let GpuVoxelError::Gpu(error) = gpu.particles(&mesh, &grid, None).unwrap_err() else { panic!("not the device's") };
    let GpuError::TooLarge { buffer, needed, .. } = &error else { panic!("{error}") };
    assert_eq!((*buffer, *needed), ("centers", 16 * 60 * 60 * 60), "{error}");
    compare(&mut gpu, "fewer particles", &mesh, &grid, &[Some(MERGE_DEPTH)]);
    let many = generate::icosphere(&IcosphereSpec { radius: 1.0, subdivisions: 7 });
    let grid = Grid::fit(&many.positions, 30, PADDING).unwrap();
    let GpuVoxelError::Gpu(GpuError::TooLarge { buffer: "mesh", needed, .. }) = gpu.voxelize(&many, &grid).unwrap_err()
    else {
        panic!("a mesh of {} triangles fits 1 MiB", many.triangles.len())
    };
    assert!(needed > 12 * many.triangles.len() as u64);
    // Later calls that fit succeed.
    let grid = Grid::fit(&mesh.positions, 30, PADDING).unwrap();
    compare(&mut gpu, "what fits", &mesh, &grid, &BOTH);
}

#[test]
fn r06_a_lost_gpu_is_an_error_of_voxelization() {
    let Some(device) = open(None) else { return };
    let mut gpu = GpuVoxelizer::new(&device).unwrap();
    let mesh = octahedron(1.0);
    let filling = Filling::new(20);
    gpu.fill(mesh.clone(), &filling).unwrap();
    device.destroy();
    // Buffers that are there, and buffers that have to grow.
    for along in [20, 40] {
        let error = gpu.fill(mesh.clone(), &Filling::new(along)).unwrap_err();
        assert!(matches!(error, GpuVoxelError::Gpu(_)), "{error}");
    }
}

#[test]
fn s27_bad_meshes_are_refused_or_repaired_on_the_gpu_as_on_the_cpu() {
    let Some(device) = open(None) else { return };
    let mut gpu = GpuVoxelizer::new(&device).unwrap();
    let names = [
        "open",
        "nonmanifold_edge",
        "nonmanifold_fin",
        "nonmanifold_vertex",
        "flipped_faces",
        "inside_out",
        "duplicate_vertices",
        "near_duplicate_vertices",
        "duplicate_faces",
        "degenerate_triangles",
        "sliver_triangle",
        "self_intersecting",
        "isolated_vertices",
    ];
    let (mut refused, mut repaired) = (0, 0);
    for name in names {
        let Some(mesh) = obj::read(&format!("bad/{name}.obj")) else { return };
        let filling = Filling { merge: Some(MERGE_DEPTH), ..Filling::new(24) };
        match (gpu.fill(mesh.clone(), &filling), fill(mesh, &filling)) {
            (Ok((ours, our_notes)), Ok((theirs, notes))) => {
                assert!(bits(&ours) == bits(&theirs) && our_notes == notes, "{name}");
                repaired += 1;
            }
            (Err(ours), Err(theirs)) => {
                assert_eq!(ours, GpuVoxelError::Voxel(theirs), "{name}");
                refused += 1;
            }
            (ours, theirs) => panic!("{name}: {:?} and {:?}", ours.map(|_| ()), theirs.map(|_| ())),
        }
    }
    assert!(refused >= 3 && repaired >= 5, "{refused} refused, {repaired} repaired");
}
