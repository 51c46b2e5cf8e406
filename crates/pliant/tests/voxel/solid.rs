//! S27: voxelization.

use crate::shapes::{Random, all, block, centered_grid, octahedron, potato, ring, voxels};
use glam::{DVec3, Vec3};
use pliant::mesh::TriMesh;
use pliant::mesh::repair::{SurfaceNeed, clean_surface};
use pliant::scene::{IcosphereSpec, Tessellation};
use pliant::voxel::{
    Filling, Grid, HalfOpen, PADDING, VoxelError, Voxels, fill, ray_cast, snap, voxelize, voxelize_along,
};

/// How often a closed mesh winds around a point: solid angles of its triangles over 4π ([Jacobson et al. 2013]).
fn winding(corners: &[[DVec3; 3]], p: DVec3) -> f64 {
    let angle = |t: &[DVec3; 3]| {
        let [a, b, c] = t.map(|v| v - p);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        2.0 * a.dot(b.cross(c)).atan2(below)
    };
    corners.iter().map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}

fn random_meshes() -> Vec<TriMesh> {
    let mut random = Random(0x9e37_79b9);
    let mut meshes: Vec<TriMesh> = (0..4).map(|_| potato(&mut random, 2)).collect();
    meshes.extend((0..3).map(|_| ring(&mut random, 20, 9)));
    meshes
}

#[test]
fn s27_every_voxel_is_what_the_winding_number_of_the_snapped_mesh_says() {
    for (number, mesh) in random_meshes().iter().enumerate() {
        let grid = Grid::fit(&mesh.positions, 18, PADDING).unwrap();
        let found = voxelize(mesh, &grid).unwrap();
        let one = f64::from(1 << grid.fraction_bits());
        let places = snap(&mesh.positions, &grid).unwrap();
        let place = |v: u32| DVec3::from(places[v as usize].map(f64::from)) / one;
        let corners: Vec<[DVec3; 3]> = mesh.triangles.iter().map(|t| t.map(place)).collect();
        for at in all(grid.dims()) {
            let w = winding(&corners, DVec3::from(at.map(f64::from)) + 0.5);
            // The sum of a few hundred arctangents is good to 1e-12; a center on the surface would have one half.
            assert!((w - w.round()).abs() < 1e-6, "mesh {number}, voxel {at:?}: {w}");
            assert_eq!(found.get(at), w.round() == 1.0, "mesh {number}, voxel {at:?}: {w}");
        }
        assert!(found.count() > 300, "mesh {number}");
    }
}

#[test]
fn s27_ray_casting_in_floating_point_agrees_but_for_centers_next_to_the_surface() {
    let mut random = Random(77);
    for mesh in [potato(&mut random, 4), potato(&mut random, 4), ring(&mut random, 48, 20)] {
        let grid = Grid::fit(&mesh.positions, 40, PADDING).unwrap();
        let (exact, cast) = (voxelize(&mesh, &grid).unwrap(), ray_cast(&mesh, &grid));
        let differ = all(grid.dims()).filter(|&at| exact.get(at) != cast.get(at)).count();
        // Snapping moves the surface by 2^-10 voxels at most along each axis: of some thousand columns that it
        // crosses about one in five hundred has a center in between.
        assert!(differ <= 12, "{differ} of {}", exact.count());
        assert!(exact.count() > 5_000);
    }
}

#[test]
fn s27_the_axis_of_projection_does_not_matter() {
    let mut random = Random(5);
    let mut meshes = random_meshes();
    // As large as the grid.
    meshes.iter_mut().flat_map(|m| &mut m.positions).for_each(|p| *p *= 4.0);
    meshes.push(octahedron(5.0));
    // Vertices on centers, faces, edges and corners of voxels, triangles that fold over each other or have no area.
    for _ in 0..20 {
        let mut mesh = potato(&mut random, 2);
        mesh.positions.iter_mut().for_each(|p| *p = (*p * 6.0).round() * 0.5);
        meshes.push(mesh);
    }
    for (number, mesh) in meshes.iter().enumerate() {
        let grid = centered_grid(8);
        let along: Vec<Voxels> = (0..3).map(|axis| voxelize_along(mesh, &grid, axis).unwrap()).collect();
        assert!(along[0] == along[1] && along[1] == along[2], "mesh {number}");
        assert_eq!(voxelize(mesh, &grid).unwrap(), along[0], "mesh {number}");
        assert!(along[0].count() > 0, "mesh {number}");
    }
}

#[test]
fn s27_e24_t12_a_cartesian_grid_has_not_one_wrong_voxel_where_rays_in_floating_point_have_many() {
    let mut wrong = 0;
    for tets in [Tessellation::Five, Tessellation::Six] {
        // Mesh edges on the faces of voxels, through their centers, and in between.
        for (cells, along) in [(32, 32), (32, 16), (16, 48), (30, 20), (7, 21)] {
            let mesh = block([cells; 3], [1.0; 3], tets);
            let grid = Grid::fit(&mesh.positions, along, PADDING).unwrap();
            let expected = voxels(grid.dims(), |at| at.iter().all(|c| (PADDING..PADDING + along).contains(c)));
            for axis in 0..3 {
                assert_eq!(voxelize_along(&mesh, &grid, axis).unwrap(), expected, "{cells} cells, {along} voxels");
            }
            let cast = ray_cast(&mesh, &grid);
            wrong += all(grid.dims()).filter(|&at| cast.get(at) != expected.get(at)).count();
        }
    }
    assert!(wrong > 1_000, "the fault of D4 Fig 7.1 is not there to be avoided: {wrong}");
}

#[test]
fn s27_e24_a_box_with_corners_on_centers_is_closed_below_and_open_above() {
    for tets in [Tessellation::Five, Tessellation::Six] {
        for cells in [1, 2, 4, 8, 16] {
            for size in [[8.0, 8.0, 8.0], [4.0, 8.0, 8.0], [8.0, 4.0, 8.0], [8.0, 8.0, 4.0]] {
                let mesh = block([cells; 3], size, tets);
                let grid = centered_grid(9);
                let center = |c: u32| f64::from(c) - 11.0;
                let expected = voxels(grid.dims(), |at| {
                    (0..3).all(|k| center(at[k]) >= 0.0 && center(at[k]) < f64::from(size[k]))
                });
                assert_eq!(voxelize(&mesh, &grid).unwrap(), expected, "{cells} cells, {size:?}");
                assert_eq!(expected.count(), (size[0] * size[1] * size[2]) as usize);
            }
        }
    }
}

#[test]
fn s27_centers_on_slanted_faces_edges_and_corners_follow_the_half_open_rule() {
    let r = 6;
    let grid = centered_grid(7);
    let found = voxelize(&octahedron(r as f32), &grid).unwrap();
    let (mut on, mut taken) = (0, 0);
    for at in all(grid.dims()) {
        let p = at.map(|c| c as i32 - 9);
        let inside = (0..8).all(|corner| {
            let normal = [0, 1, 2].map(|k| if corner >> k & 1 == 0 { 1 } else { -1 });
            let below = r - (0..3).map(|k| normal[k] * p[k]).sum::<i32>();
            HalfOpen::is_positive(below, normal.map(|n: i32| -n))
        });
        assert_eq!(found.get(at), inside, "{p:?}");
        if p.iter().map(|c| c.abs()).sum::<i32>() == r {
            on += 1;
            taken += usize::from(inside);
        }
    }
    // 4r² + 2 lattice points on the surface. Those the rule takes look away from +x: the open half, 2r² − 2r + 1 of
    // them with x < 0 and inner |y| + |z|, and some of its rim.
    assert_eq!(on, 4 * 36 + 2);
    assert!(taken > 50 && taken < 80, "{taken}");
}

#[test]
fn s27_the_volume_of_voxels_goes_to_that_of_the_mesh() {
    let ball = pliant::builder::generate::icosphere(&IcosphereSpec { radius: 1.0, subdivisions: 4 });
    let mut random = Random(3);
    for mesh in [ball, potato(&mut random, 4), ring(&mut random, 40, 16)] {
        let corners = mesh.triangles.iter().map(|t| t.map(|v| mesh.positions[v as usize].as_dvec3()));
        let area: f64 = corners.map(|[a, b, c]| (b - a).cross(c - a).length() / 2.0).sum();
        for along in [16, 32, 64, 128] {
            let grid = Grid::fit(&mesh.positions, along, PADDING).unwrap();
            let volume = voxelize(&mesh, &grid).unwrap().count() as f64 * grid.voxel_volume();
            let error = (volume / mesh.volume() - 1.0).abs();
            // About A/h² voxels are cut by the surface, each off by a part of a voxel that is spread evenly from −½ to ½,
            // which is 0.29 on average: together √(A/h²) of that, if they are independent. Of the ball 48 mirror
            // images are off alike, which makes it √48 times as much; three times that is rare.
            let expected = 0.29 * (area / grid.edge().powi(2)).sqrt() * grid.voxel_volume() / mesh.volume();
            assert!(error < 3.0 * 48_f64.sqrt() * expected, "{along} voxels: off by {error}, expected {expected}");
            assert!(error < 0.35 / f64::from(along), "{along} voxels: off by {error}");
        }
    }
}

#[test]
fn s27_grids_hold_the_mesh_with_voxels_on_all_sides() {
    let mesh = block([1; 3], [3.0, 1.0, 2.0], Tessellation::Six);
    let grid = Grid::fit(&mesh.positions, 30, 2).unwrap();
    assert_eq!(grid.dims(), [34, 14, 24]);
    assert!((grid.edge() - 0.1).abs() < 1e-12);
    assert_eq!(voxelize(&mesh, &grid).unwrap().count(), 30 * 10 * 20);
    // A thousand kilometers from the origin single precision has steps of 6 cm, but the grid goes with the mesh.
    let far = TriMesh { positions: mesh.positions.iter().map(|p| *p + Vec3::splat(1e6)).collect(), ..mesh };
    let grid = Grid::fit(&far.positions, 3, 1).unwrap();
    assert_eq!(voxelize(&far, &grid).unwrap().count(), 3 * 2);
}

#[test]
fn s27_meshes_without_an_inside_are_refused_and_others_repaired_with_a_note() {
    let mesh = block([2; 3], [1.0; 3], Tessellation::Six);
    let filling = Filling::new(10);
    let refused = |mesh: &TriMesh| fill(mesh.clone(), &filling).map(|_| ()).unwrap_err().to_string();

    let mut open = mesh.clone();
    open.triangles.pop();
    assert!(refused(&open).contains("1 triangle, but a closed surface has 2"), "{}", refused(&open));

    let mut finned = mesh.clone();
    finned.positions.push(Vec3::splat(3.0));
    let [a, b, _] = finned.triangles[0];
    finned.triangles.push([a, b, finned.positions.len() as u32 - 1]);
    assert!(refused(&finned).contains("but a closed surface has 2"), "{}", refused(&finned));

    let mut broken = mesh.clone();
    broken.positions[3].y = f32::NAN;
    assert!(refused(&broken).contains("vertex 3"), "{}", refused(&broken));
    assert!(refused(&TriMesh::default()).contains("no triangles"));

    let mut inverted = mesh.clone();
    inverted.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    let (particles, notes) = fill(inverted, &filling).unwrap();
    assert_eq!(particles.len(), 1000);
    assert!(notes.iter().any(|n| n.contains("inside out")), "{notes:?}");
    assert_eq!(fill(mesh, &filling).unwrap().1, Vec::<String>::new());
}

#[test]
fn s27_a_leaking_hole_is_found_without_the_mesh_check() {
    let mut mesh = block([2; 3], [1.0; 3], Tessellation::Six);
    let grid = Grid::fit(&mesh.positions, 10, PADDING).unwrap();
    let up = |t: &[u32; 3]| t.iter().all(|&v| mesh.positions[v as usize].z == 1.0);
    let hole = mesh.triangles.iter().position(up).unwrap();
    mesh.triangles.swap_remove(hole);
    let error = voxelize_along(&mesh, &grid, 2).unwrap_err();
    assert!(matches!(error, VoxelError::Leak { axis: 'z', .. }), "{error}");
    for axis in 0..2 {
        assert_eq!(voxelize_along(&mesh, &grid, axis).unwrap().count(), 1000);
    }
}

#[test]
fn s27_empty_and_oversized_grids_are_refused_before_allocation() {
    let cube = [Vec3::ZERO, Vec3::ONE];
    assert_eq!(Grid::fit(&cube, 0, 2), Err(VoxelError::Along { found: 0, most: 1020 }));
    assert_eq!(Grid::fit(&cube, 1021, 2), Err(VoxelError::Along { found: 1021, most: 1020 }));
    let error = Grid::fit(&cube, 600, 2).unwrap_err();
    assert_eq!(error, VoxelError::TooLarge { dims: [604; 3], voxels: 604 * 604 * 604 });
    assert!(error.to_string().contains("604 x 604 x 604"), "{error}");
    assert!(Grid::fit(&[Vec3::ZERO, Vec3::new(1.0, 0.1, 0.1)], 1020, 2).is_ok());
    assert_eq!(Grid::fit(&cube, 10, 0), Err(VoxelError::Padding(0)));
    for points in [&[][..], &[Vec3::ONE], &[Vec3::ZERO, Vec3::NAN]] {
        assert_eq!(Grid::fit(points, 10, 2), Err(VoxelError::Nothing), "{points:?}");
    }
    let grid = Grid::fit(&cube, 10, 2).unwrap();
    let far = TriMesh { positions: vec![Vec3::ZERO, Vec3::splat(9.0)], triangles: vec![] };
    assert_eq!(voxelize(&far, &grid), Err(VoxelError::Outside(1)));
}

#[test]
fn s27_a_cavity_is_empty() {
    let outer = block([1; 3], [3.0; 3], Tessellation::Six);
    let inner = block([1; 3], [1.0; 3], Tessellation::Six);
    let mut mesh = outer.clone();
    mesh.positions.extend(inner.positions.iter().map(|p| *p + Vec3::ONE));
    let first = outer.positions.len() as u32;
    mesh.triangles.extend(inner.triangles.iter().map(|&[a, b, c]| [a + first, c + first, b + first]));
    let (mesh, notes) = clean_surface(mesh, SurfaceNeed::Closed).unwrap();
    assert!(notes.iter().any(|n| n.contains("cavities")), "{notes:?}");
    let grid = Grid::fit(&mesh.positions, 12, PADDING).unwrap();
    assert_eq!(voxelize(&mesh, &grid).unwrap().count(), 12 * 12 * 12 - 4 * 4 * 4);
    assert!((mesh.volume() - 26.0).abs() < 1e-9);
}
