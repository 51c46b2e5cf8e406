//! S29: particles of several sizes.

use crate::distance::sites;
use crate::shapes::{Random, all, blobs, block, potato, ring, voxels};
use glam::{DVec3, Vec3};
use pliant::scene::Tessellation;
use pliant::voxel::{
    Field, Filling, Grid, MERGE_DEPTH, PADDING, Particles, SITE_DISTANCE, VoxelError, Voxels, fill, merge,
};

#[test]
fn t10_s29_the_box_merges_into_the_counts_of_d4_at_any_depth_that_it_may_have_used() {
    let mesh = block([1; 3], [1.0; 3], Tessellation::Six);
    let cases: [(u32, &[usize], usize); 3] = [
        (12, &[1_216, 0, 8], 1_224),
        (32, &[10_816, 0, 127, 19, 1], 10_963),
        (96, &[106_048, 0, 1_519, 331, 61, 8], 107_967),
    ];
    for (grid, levels, total) in cases {
        for depth in [0.5, MERGE_DEPTH, 2.0, 2.4999] {
            let filling = Filling { merge: Some(depth), ..Filling::new(grid) };
            let (particles, notes) = fill(mesh.clone(), &filling).unwrap();
            assert_eq!(particles.per_level(), levels, "{grid} voxels, depth {depth}");
            assert_eq!(particles.len(), total);
            assert!(notes.is_empty(), "{notes:?}");
        }
        let (particles, _) = fill(mesh.clone(), &Filling::new(grid)).unwrap();
        assert_eq!(particles.per_level(), [(grid * grid * grid) as usize]);
    }
    let other = Filling { merge: Some(2.5), ..Filling::new(32) };
    assert_ne!(fill(mesh, &other).unwrap().0.len(), 10_963, "the third layer is at 2.5 and stays");
}

/// Solids with their grid of unit voxels.
fn solids() -> Vec<(Grid, Voxels)> {
    let mut random = Random(21);
    let unit = |dims: [u32; 3]| Grid::new(DVec3::ZERO, 1.0, dims.map(|d| d - 4), 2).unwrap();
    let mut all = Vec::new();
    for dims in [[32, 32, 32], [37, 30, 41], [21, 64, 26]] {
        // The padding stays empty, as after a mesh.
        let inner = blobs(&mut random, dims.map(|d| d - 4));
        all.push((unit(dims), voxels(dims, |at| inner.get(at.map(|c| c.wrapping_sub(2))))));
    }
    // One voxel is missing deep inside.
    let pierced = voxels([36; 3], |at| at.iter().all(|c| (2..34).contains(c)) && at != [17, 15, 20]);
    all.push((unit([36; 3]), pierced));
    all
}

#[test]
fn s29_e27_every_voxel_inside_is_in_one_particle_and_none_outside_is() {
    let mut merged = 0;
    for (grid, voxels) in solids() {
        for depth in [None, Some(0.5), Some(1.0), Some(2.2), Some(5.0)] {
            let particles = merge(&grid, &voxels, &Field::inside(&voxels), depth).unwrap();
            let mut covered = Voxels::new(voxels.dims());
            for (p, &level) in particles.positions.iter().zip(&particles.levels) {
                let size = 1_u32 << level;
                let corner = (*p - size as f32 / 2.0).to_array().map(|c| c as u32);
                assert!(corner.iter().all(|c| c % size == 0), "blocks begin at multiples of their size");
                for d in all([size; 3]) {
                    let at = [0, 1, 2].map(|k| corner[k] + d[k]);
                    assert!(!covered.get(at), "{at:?} twice");
                    covered.flip(at);
                }
            }
            assert!(covered == voxels, "depth {depth:?}");
            let volume: usize = particles.per_level().iter().enumerate().map(|(l, n)| n << (3 * l)).sum();
            assert_eq!(volume, voxels.count());
            merged += particles.per_level().iter().skip(1).sum::<usize>();
        }
    }
    assert!(merged > 500, "{merged}");
}

#[test]
fn s29_no_particle_reaches_nearer_to_the_surface_than_the_depth_allows() {
    for (grid, voxels) in solids() {
        let field = Field::inside(&voxels);
        let depth = 1.0;
        let particles = merge(&grid, &voxels, &field, Some(depth)).unwrap();
        for (p, &level) in particles.positions.iter().zip(&particles.levels).filter(|(_, l)| **l > 0) {
            let size = 1_u32 << level;
            let corner = (*p - size as f32 / 2.0).to_array().map(|c| c as u32);
            for d in all([size; 3]) {
                let at = [0, 1, 2].map(|k| corner[k] + d[k]);
                assert!(field.phi()[field.index(at)] < -depth, "{at:?} of level {level}");
            }
        }
    }
}

/// Least d + |φ_s| over all sites, from any place [voxels].
fn nearest(sites: &[([i32; 3], u32)], p: Vec3) -> f32 {
    let way = |(s, class): &([i32; 3], u32)| {
        p.distance(Vec3::from(s.map(|c| c as f32 + 0.5))) + SITE_DISTANCE[*class as usize]
    };
    sites.iter().map(way).fold(f32::INFINITY, f32::min)
}

#[test]
fn s29_e26_distances_of_merged_particles_are_upper_bounds() {
    let (mut merged, mut loose) = (0, 0);
    for (grid, voxels) in solids() {
        let sites = sites(&voxels);
        let particles = merge(&grid, &voxels, &Field::inside(&voxels), Some(1.0)).unwrap();
        for i in (0..particles.len()).filter(|&i| particles.levels[i] > 0) {
            let (claimed, least) = (-particles.phi[i], nearest(&sites, particles.positions[i]));
            // Single precision at up to 40 voxels.
            assert!(claimed >= least - 1e-4, "particle {i} says {claimed} and is {least} deep");
            // Half the diagonal of every level's child has been added, and a child is no deeper than that.
            let size = f32::from(1_u16 << particles.levels[i]);
            assert!(claimed <= least + 3_f32.sqrt() * size + 1.0, "particle {i} says {claimed} and is {least} deep");
            merged += 1;
            loose += usize::from(claimed > least + 0.1);
        }
    }
    assert!(merged > 100 && loose > 10, "{loose} of {merged}");
}

#[test]
fn e26_s28_the_nearest_site_is_not_always_the_nearest_way_to_the_surface() {
    let mut longer = 0;
    for (_, voxels) in solids() {
        let (field, sites) = (Field::inside(&voxels), sites(&voxels));
        for at in all(voxels.dims()).filter(|&at| voxels.get(at)) {
            let (phi, least) = (-field.phi()[field.index(at)], nearest(&sites, Vec3::from(at.map(|c| c as f32 + 0.5))));
            assert!(phi >= least - 1e-4 && phi <= least + 0.37, "{at:?}: {phi}, {least}");
            longer += usize::from(phi > least + 1e-3);
        }
    }
    assert!(longer > 0);
}

fn check(particles: &Particles, grid: &Grid, low: Vec3, high: Vec3) {
    let edge = grid.edge() as f32;
    for i in 0..particles.len() {
        let size = f32::from(1_u16 << particles.levels[i]) * edge;
        assert!((particles.radii[i] - 0.5 * size).abs() < 1e-6 * size);
        assert!((particles.volumes[i] - size.powi(3)).abs() < 1e-5 * size.powi(3));
        assert!(particles.phi[i] <= -0.499 * edge, "{}", particles.phi[i]);
        assert!((particles.gradients[i].length() - 1.0).abs() < 1e-5);
        assert!(particles.positions[i].cmpge(low).all() && particles.positions[i].cmple(high).all());
    }
    assert!(particles.levels.is_sorted());
}

#[test]
fn s29_particles_are_in_meters_and_move_and_grow_with_the_mesh() {
    let mut random = Random(8);
    for mesh in [potato(&mut random, 4), ring(&mut random, 40, 16)] {
        let filling = Filling { merge: Some(1.0), ..Filling::new(40) };
        let (small, _) = fill(mesh.clone(), &filling).unwrap();
        let grid = Grid::fit(&mesh.positions, 40, PADDING).unwrap();
        let low = mesh.positions.iter().copied().fold(Vec3::INFINITY, Vec3::min);
        let high = mesh.positions.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
        check(&small, &grid, low, high);
        let volume: f64 = small.volumes.iter().map(|&v| f64::from(v)).sum();
        assert!((volume / mesh.volume() - 1.0).abs() < 0.01, "{volume} and {}", mesh.volume());

        // A power of two and a whole number change no digit.
        let mut large = mesh.clone();
        large.positions.iter_mut().for_each(|p| *p *= 4.0);
        let (large, _) = fill(large, &filling).unwrap();
        assert_eq!(large.per_level(), small.per_level());
        for i in 0..small.len() {
            assert!(large.positions[i].distance(small.positions[i] * 4.0) < 1e-5);
            assert!((large.phi[i] - 4.0 * small.phi[i]).abs() < 1e-5);
        }
    }
}

#[test]
fn s29_depths_at_which_the_surface_would_merge_are_refused() {
    let (grid, voxels) = solids().pop().unwrap();
    let field = Field::inside(&voxels);
    for depth in [0.49, 0.0, -1.0, f32::NAN, f32::INFINITY] {
        let error = merge(&grid, &voxels, &field, Some(depth)).unwrap_err();
        assert!(matches!(error, VoxelError::Depth(_)), "{error}");
    }
    let sheet = block([1; 3], [1.0, 1.0, 0.001], Tessellation::Six);
    // One layer of voxels around a sheet: its center is within.
    assert_eq!(fill(sheet, &Filling::new(10)).unwrap().0.len(), 100);
}
