//! T10 on scanned models, which are not part of the project: skipped if the files are missing.

use crate::obj::load;
use pliant::voxel::{Field, Grid, MERGE_DEPTH, PADDING, merge, ray_cast, voxelize};

#[test]
fn t10_scanned_models_have_the_counts_of_d4_within_two_in_a_hundred() {
    // Voxels and merged particles at 32³ and 96³.
    let bunny = [(32, 6_620, 4_023), (96, 177_695, 46_606)];
    let armadillo = [(32, 2_250, 1_977), (96, 60_714, 29_025)];
    for (name, rows) in [("bunny.obj", bunny), ("armadillo.obj", armadillo)] {
        let Some(mesh) = load(name) else { return };
        for (along, inside, merged) in rows {
            let grid = Grid::fit(&mesh.positions, along, PADDING).unwrap();
            let voxels = voxelize(&mesh, &grid).unwrap();
            let particles = merge(&grid, &voxels, &Field::inside(&voxels), Some(MERGE_DEPTH)).unwrap();
            // D4 does not say where in its grid the mesh lies, on which the last percent depends.
            for (found, table) in [(voxels.count(), inside), (particles.len(), merged)] {
                let off = found as f64 / table as f64 - 1.0;
                assert!(off.abs() < 0.02, "{name} at {along}: {found} and {table}");
            }
            let volume = voxels.count() as f64 * grid.voxel_volume();
            assert!((volume / mesh.volume() - 1.0).abs() < 0.01, "{name} at {along}: {volume}");
        }
    }
}

#[test]
fn s27_t10_rays_in_floating_point_find_the_same_bunny_but_for_a_few_voxels() {
    let Some(mesh) = load("bunny.obj") else { return };
    let grid = Grid::fit(&mesh.positions, 96, PADDING).unwrap();
    let (exact, cast) = (voxelize(&mesh, &grid).unwrap(), ray_cast(&mesh, &grid));
    let differ: u32 = exact.words().iter().zip(cast.words()).map(|(a, b)| (a ^ b).count_ones()).sum();
    // Snapping to 1/256 of a voxel moves one crossing in some hundred of 30,000 past a center.
    assert!(differ < 300, "{differ}");
}
