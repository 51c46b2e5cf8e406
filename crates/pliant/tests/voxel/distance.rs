//! S28: distances and gradients.

use crate::shapes::{Random, all, blobs, voxels};
use glam::Vec3;
use pliant::voxel::{EMPTY, Field, INSIDE, Reach, SITE_DISTANCE, Voxels, fast_marching, site_codes};

/// Sites and their classes, by looking at all 26 neighbors (D4 Alg 4.1).
pub fn sites(voxels: &Voxels) -> Vec<([i32; 3], u32)> {
    let mut found = Vec::new();
    for at in all(voxels.dims()) {
        let mut class = None;
        for d in all([3; 3]) {
            let near = [0, 1, 2].map(|k| (at[k] + d[k]).wrapping_sub(1));
            let steps = d.iter().filter(|&&c| c != 1).count() as u32;
            // Beyond the grid all is outside.
            let known = (0..3).all(|k| near[k] < voxels.dims()[k]) || voxels.get(at);
            if steps > 0 && known && voxels.get(near) != voxels.get(at) {
                class = Some(class.map_or(steps - 1, |c: u32| c.min(steps - 1)));
            }
        }
        found.extend(class.map(|c| (at.map(|c| c as i32), c)));
    }
    found
}

/// Sets of voxels of all kinds: noise of several densities, blobs, empty, full, a single one.
fn samples() -> Vec<Voxels> {
    let mut random = Random(11);
    let mut all = Vec::new();
    for dims in [[9, 7, 11], [33, 5, 6], [6, 40, 3], [1, 1, 12], [12, 13, 14]] {
        for density in [0.02, 0.3, 0.5, 0.9] {
            all.push(voxels(dims, |_| random.unit() < density));
        }
        all.push(blobs(&mut random, dims));
        all.push(voxels(dims, |_| false));
        all.push(voxels(dims, |_| true));
        all.push(voxels(dims, |at| at == dims.map(|d| d / 2)));
    }
    all.push(blobs(&mut random, [24, 20, 22]));
    all
}

#[test]
fn s28_e25_squared_distances_are_those_of_brute_force_to_the_last_unit() {
    for (number, voxels) in samples().iter().enumerate() {
        let sites = sites(voxels);
        let found = site_codes(voxels, Reach::Everywhere);
        let inner = site_codes(voxels, Reach::Inside);
        for (index, at) in all(voxels.dims()).enumerate() {
            let code = |&(s, class): &([i32; 3], u32)| {
                4 * (0..3).map(|k| (at[k] as i32 - s[k]).pow(2) as u32).sum::<u32>() + class
            };
            let least = sites.iter().map(code).min().unwrap_or(EMPTY);
            let side = if voxels.get(at) { INSIDE } else { 0 };
            assert_eq!(found[index], least | side, "sample {number}, voxel {at:?}");
            let near = voxels.get(at) || least < 4;
            assert_eq!(inner[index], if near { least | side } else { EMPTY }, "sample {number}, voxel {at:?}");
        }
    }
}

#[test]
fn s28_distances_are_negative_inside_and_half_a_voxel_at_the_faces() {
    let (low, high) = (4, 20);
    let cube = voxels([24; 3], |at| at.iter().all(|c| (low..high).contains(c)));
    let field = Field::new(&cube);
    for at in all([24; 3]) {
        let phi = field.phi()[field.index(at)];
        assert_eq!(phi < 0.0, cube.get(at), "{at:?}: {phi}");
        if cube.get(at) {
            let layer = at.iter().map(|&c| (c - low).min(high - 1 - c)).min().unwrap();
            assert_eq!(phi, -(layer as f32 + 0.5), "{at:?}");
        }
    }
    // Beyond an edge and a corner, D4's sites have half a diagonal.
    assert_eq!(field.phi()[field.index([3, 3, 10])], SITE_DISTANCE[1]);
    assert_eq!(field.phi()[field.index([3, 3, 3])], SITE_DISTANCE[2]);
    assert!((field.phi()[field.index([0, 0, 10])] - 3.5 * 2_f32.sqrt()).abs() < 1e-6);
}

#[test]
fn s28_an_empty_grid_has_infinite_distances() {
    let field = Field::new(&Voxels::new([5, 6, 7]));
    assert!(field.phi().iter().all(|p| *p == f32::INFINITY));
    assert!((field.gradient([2, 2, 2]).length() - 1.0).abs() < 1e-6);
}

fn ball(n: u32, radius: f32) -> Voxels {
    let center = Vec3::splat(n as f32 / 2.0);
    voxels([n; 3], |at| Vec3::from(at.map(|c| c as f32 + 0.5)).distance(center) < radius)
}

#[test]
fn s28_distances_of_a_ball_are_within_a_voxel_of_its_radius_and_mirror_images_are_equal() {
    let (n, radius) = (40, 14.3);
    let field = Field::new(&ball(n, radius));
    for at in all([n; 3]) {
        let p = Vec3::from(at.map(|c| c as f32 + 0.5)) - n as f32 / 2.0;
        let phi = field.phi()[field.index(at)];
        // The surface lies between two centers that are √3 apart at most, and the way over a site's center is longer
        // than the straight one by less than half a voxel.
        assert!((phi - (p.length() - radius)).abs() < 0.87 + 0.5, "{at:?}: {phi}");
        for mirrored in [[n - 1 - at[0], at[1], at[2]], [at[1], at[0], at[2]], [at[2], at[1], n - 1 - at[0]]] {
            assert_eq!(phi, field.phi()[field.index(mirrored)], "{at:?}");
        }
    }
}

#[test]
fn s28_gradients_are_outward_unit_vectors_also_at_the_grid_border() {
    let (n, radius) = (40, 14.3);
    let field = Field::new(&ball(n, radius));
    let (mut least, mut sum, mut count) = (1.0_f32, 0.0, 0.0);
    for at in all([n; 3]) {
        let p = Vec3::from(at.map(|c| c as f32 + 0.5)) - n as f32 / 2.0;
        let gradient = field.gradient(at);
        assert!((gradient.length() - 1.0).abs() < 1e-5, "{at:?}: {gradient}");
        if p.length() > 4.0 {
            let along = gradient.dot(p.normalize());
            (least, sum, count) = (least.min(along), sum + along, count + 1.0);
        }
    }
    // At a step of the surface the normal is that of the step: at worst a diagonal of two axes in place of one of
    // them, 45 degrees. On average it is a few degrees.
    assert!(least > 0.7 && sum / count > 0.985, "{least}, {}", sum / count);
    // The inner field has all that gradients inside need.
    let (inner, solid) = (Field::inside(&ball(n, radius)), ball(n, radius));
    for at in all([n; 3]).filter(|&at| solid.get(at)) {
        assert_eq!(inner.gradient(at), field.gradient(at), "{at:?}");
    }
}

#[test]
fn s28_a_plate_of_one_voxel_and_a_single_voxel_have_gradients() {
    for axis in 0..3 {
        let field = Field::new(&voxels([9; 3], |at| at[axis] == 4 && at.iter().all(|c| (2..7).contains(c))));
        assert_eq!(field.gradient([4, 4, 4]), Vec3::AXES[axis]);
    }
    let field = Field::new(&voxels([5; 3], |at| at == [2; 3]));
    assert_eq!(field.gradient([2; 3]), Vec3::X);
}

#[test]
fn s28_fast_marching_has_first_order_accuracy() {
    // Flat fronts are exact: on the way from the middle of a side to the middle of a cube, and away from it as far as
    // the side is wide.
    let cube = voxels([40; 3], |at| at.iter().all(|c| (10..31).contains(c)));
    let (exact, marched) = (Field::new(&cube), fast_marching(&cube));
    for x in 4..16 {
        let index = exact.index([x, 20, 20]);
        assert_eq!(exact.phi()[index], 9.5 - x as f32);
        assert!((marched.phi()[index] - exact.phi()[index]).abs() < 1e-5, "{x}: {}", marched.phi()[index]);
    }
    // Around a ball the difference grows like the logarithm of the distance: less than 0.9 voxels within 20.
    let ball = ball(40, 9.2);
    let (exact, marched) = (Field::new(&ball), fast_marching(&ball));
    let mut sum = 0.0;
    for (a, b) in exact.phi().iter().zip(marched.phi()) {
        assert_eq!(a.is_sign_negative(), b.is_sign_negative());
        assert!((a - b).abs() < 0.9, "{a} and {b}");
        sum += (a - b).abs();
    }
    let mean = sum / exact.phi().len() as f32;
    assert!(mean > 0.01 && mean < 0.3, "{mean}");
}
