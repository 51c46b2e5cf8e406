//! D4 chapter 4, voxels: overlap test (4.30–4.34), distance transform (Algorithms 4.3–4.7), merging (Algorithm 4.8).

use glam::{DVec3, Vec3};
use pliant::builder::generate;
use pliant::mesh::TriMesh;
use pliant::mesh::topology::boundary;
use pliant::scene::{BlockSpec, Tessellation};
use pliant::voxel::{Field, Grid, PADDING, Reach, SITE_DISTANCE, Voxels, merge, site_codes, voxelize};

fn all([nx, ny, nz]: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..nz).flat_map(move |z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])))
}

fn voxels(dims: [u32; 3], inside: impl Fn([u32; 3]) -> bool) -> Voxels {
    let mut voxels = Voxels::new(dims);
    all(dims).filter(|&at| inside(at)).for_each(|at| voxels.flip(at));
    voxels
}

/// Surface of a cube of so many cells along each edge, each side a grid of triangles.
fn cube(cells: u32, size: f32) -> TriMesh {
    let solid = generate::block(&BlockSpec { cells: [cells; 3], size: [size; 3], tets: Tessellation::Six });
    TriMesh { triangles: boundary(solid.positions.len(), &solid.tets), positions: solid.positions }
}

/// D4 4.29–4.34: columns along x, the ε rule, in the floating point numbers of its GPU. Vertices are in voxels.
fn printed_voxels(mesh: &TriMesh, n: u32) -> Vec<bool> {
    let mut bits = vec![false; (n * n * n) as usize];
    for triangle in &mesh.triangles {
        let x = triangle.map(|v| mesh.positions[v as usize]);
        let normal = (x[1] - x[0]).cross(x[2] - x[0]);
        let sign = if normal.x >= 0.0 { 1.0 } else { -1.0 };
        let edge = |i: usize| {
            let e = x[(i + 1) % 3] - x[i];
            [-e.z * sign, e.y * sign]
        };
        for (j, k) in (0..n).flat_map(|j| (0..n).map(move |k| (j, k))) {
            let p = [j as f32 + 0.5, k as f32 + 0.5];
            let passes = (0..3).all(|i| {
                let [ny, nz] = edge(i);
                let d = -(x[i].y * ny + x[i].z * nz);
                let extra = if ny > 0.0 || (ny == 0.0 && nz < 0.0) { f32::EPSILON } else { 0.0 };
                p[0] * ny + p[1] * nz + d + extra > 0.0
            });
            if passes {
                // Along x to the plane of the triangle.
                let at = x[0].x - ((p[0] - x[0].y) * normal.y + (p[1] - x[0].z) * normal.z) / normal.x;
                let last = (at + 0.5).floor() - 1.0;
                for i in (0..n).filter(|&i| i as f32 <= last) {
                    bits[((k * n + j) * n + i) as usize] ^= true;
                }
            }
        }
    }
    bits
}

#[test]
fn e24_the_epsilon_rule_leaks_on_regular_grids_and_integer_edge_functions_do_not() {
    let mut wrong = 0;
    // Mesh edges through voxel centers; sizes that single precision does not hold exactly.
    for (cells, n, size) in [(32, 16, 0.7_f32), (30, 20, 0.9), (7, 21, 1.3), (48, 24, 0.1)] {
        let mesh = cube(cells, size);
        // Scaled to fit the grid, as D4 does.
        let scaled = mesh.positions.iter().map(|p| *p * (n as f32 / size)).collect();
        let scaled = TriMesh { positions: scaled, triangles: mesh.triangles.clone() };
        wrong += printed_voxels(&scaled, n).iter().filter(|inside| !**inside).count();
        let grid = Grid::fit(&mesh.positions, n, PADDING).unwrap();
        let found = voxelize(&mesh, &grid).unwrap();
        let expected = voxels(grid.dims(), |at| at.iter().all(|c| (PADDING..PADDING + n).contains(c)));
        assert_eq!(found, expected, "{cells} cells, {n} voxels");
    }
    assert!(wrong > 20, "the printed rule has only {wrong} wrong voxels");
    // A triangle seen edge-on: the point on its plane is a division by zero, so D4's loop over its columns must skip it.
    let flat = [Vec3::new(0.0, 0.5, 0.0), Vec3::new(3.0, 0.5, 0.0), Vec3::new(0.0, 0.5, 3.0)];
    let normal = (flat[1] - flat[0]).cross(flat[2] - flat[0]);
    assert_eq!(normal.x, 0.0);
    assert!(!((0.1_f32 * normal.y) / normal.x).is_finite());
}

/// D4 Algorithms 4.3 and 4.4 for one column of squared distances within its rows; `None` is a row without a site, which D4 keeps as a
/// site at −∞. Returns the squared distance found for every place.
fn printed_column(rows: &[Option<f64>]) -> Vec<f64> {
    // (place, squared distance within the row).
    let sites: Vec<(f64, f64)> =
        rows.iter().enumerate().map(|(j, g)| g.map_or((f64::NEG_INFINITY, f64::INFINITY), |g| (j as f64, g))).collect();
    let crossing = |a: (f64, f64), b: (f64, f64)| (b.1 + b.0 * b.0 - a.1 - a.0 * a.0) / (2.0 * (b.0 - a.0));
    let mut stack: Vec<(f64, f64)> = Vec::new();
    for &c in &sites {
        while stack.len() > 1 {
            let (b, a) = (stack[stack.len() - 1], stack[stack.len() - 2]);
            if crossing(a, b) > crossing(b, c) {
                stack.pop();
            } else {
                break;
            }
        }
        stack.push(c);
    }
    let distance = |j: usize, s: (f64, f64)| (j as f64 - s.0).powi(2) + s.1;
    let mut at = 0;
    let mut out = Vec::new();
    for j in 0..rows.len() {
        while at + 1 < stack.len() && distance(j, stack[at]) > distance(j, stack[at + 1]) {
            at += 1;
        }
        out.push(distance(j, stack[at]));
    }
    out
}

#[test]
fn e25_rows_without_a_site_hide_those_behind_and_quotients_of_floats_misorder_crossings() {
    let column = [Some(0.0), None, None, None, Some(0.0)];
    let found = printed_column(&column);
    assert_eq!(found[4], 16.0, "the site at the place itself is not found");
    assert_eq!(printed_column(&[Some(0.0), Some(1.0), Some(4.0), Some(1.0), Some(0.0)]), [0.0, 1.0, 2.0, 1.0, 0.0]);

    // Places of crossings as quotients in single precision, u/a against v/b, where exactly u·b − v·a = 1: the first is
    // the greater. Integers as large as grids of 512 voxels make them.
    let (mut misordered, mut tried) = (0, 0);
    for (a, b) in (150_i64..250).flat_map(|a| (150_i64..250).map(move |b| (a, b))) {
        let Some(u) = (900 * a..901 * a).find(|u| (u * b - 1) % a == 0) else { continue };
        let v = (u * b - 1) / a;
        assert!(u * b > v * a);
        tried += 1;
        misordered += usize::from(u as f32 / a as f32 <= v as f32 / b as f32);
    }
    assert!(misordered > 0, "single precision orders all of {tried} crossings");

    // Engine: voxels far apart, with whole rows and slices between them that hold no site.
    let dims = [9, 23, 17];
    let inside = [[1, 1, 1], [7, 20, 3], [4, 12, 15]];
    let found = site_codes(&voxels(dims, |at| inside.contains(&at)), Reach::Everywhere);
    let solid = voxels(dims, |at| inside.contains(&at));
    let is_site = |at: [u32; 3]| inside.iter().any(|s| (0..3).all(|k| s[k].abs_diff(at[k]) <= 1));
    let sites: Vec<[u32; 3]> = all(dims).filter(|&at| is_site(at)).collect();
    for (index, at) in all(dims).enumerate() {
        let squared = |s: &[u32; 3]| (0..3).map(|k| s[k].abs_diff(at[k]).pow(2)).sum::<u32>();
        let least = sites.iter().map(squared).min().unwrap();
        let code = found[index] & !pliant::voxel::INSIDE;
        assert_eq!(code / 4, least, "{at:?}, inside {}", solid.get(at));
    }
}

#[test]
fn e26_the_nearest_site_may_be_farther_from_the_surface_than_another() {
    // A site beside a face is ½ from the surface, one at a corner √3/2. Printed: d + |φₛ| of the nearest site s is the distance.
    let printed = |d: f32, class: usize| d + SITE_DISTANCE[class];
    let (near_corner, far_face) = (1.0, 1.2);
    assert!(near_corner < far_face && printed(near_corner, 2) > printed(far_face, 0), "the other way is shorter");
    // Engine: never below the least, and above it somewhere.
    let solid = voxels([20; 3], |at| at.iter().all(|c| (2..18).contains(c)) && at.iter().sum::<u32>() > 14);
    let field = Field::inside(&solid);
    let site = |at: [u32; 3]| {
        let mut class = None;
        for d in all([3; 3]) {
            let near = [0, 1, 2].map(|k| at[k] + d[k] - 1);
            let steps = d.iter().filter(|&&c| c != 1).count();
            if steps > 0 && !solid.get(near) {
                class = Some(class.map_or(steps - 1, |c: usize| c.min(steps - 1)));
            }
        }
        class
    };
    let sites: Vec<(Vec3, usize)> = all([20; 3])
        .filter(|&at| solid.get(at))
        .filter_map(|at| site(at).map(|class| (Vec3::from(at.map(|c| c as f32)), class)))
        .collect();
    let mut above = 0;
    for at in all([20; 3]).filter(|&at| solid.get(at)) {
        let p = Vec3::from(at.map(|c| c as f32));
        let least = sites.iter().map(|(s, c)| p.distance(*s) + SITE_DISTANCE[*c]).fold(f32::INFINITY, f32::min);
        let phi = -field.phi()[field.index(at)];
        assert!(phi >= least - 1e-4 && phi <= least + 0.37, "{at:?}: {phi} where {least} is the least");
        above += usize::from(phi > least + 1e-3);
    }
    assert!(above > 0, "the nearest site is the nearest way everywhere");
}

/// D4 Algorithm 4.8 for a cube of 2ⁿ voxels: whether children are set is not asked, and φ of a level holds `stale` where nothing was merged.
/// Returns the volume of all particles [voxels].
fn printed_merged_volume(solid: &Voxels, phi: impl Fn([u32; 3]) -> f32, threshold: f32, stale: f32) -> usize {
    let n = solid.dims()[0];
    let mut volume = 0;
    let mut below: Vec<f32> = all([n; 3]).map(&phi).collect();
    let mut bits: Vec<bool> = all([n; 3]).map(|at| solid.get(at)).collect();
    let (mut size, mut level) = (n, 1_u32);
    let index = |[x, y, z]: [u32; 3], n: u32| ((z * n + y) * n + x) as usize;
    while bits.iter().filter(|b| **b).count() >= 8 && size > 1 {
        let half = size / 2;
        let (mut above, mut set) =
            (vec![stale; (half * half * half) as usize], vec![false; (half * half * half) as usize]);
        for at in all([half; 3]) {
            let children: Vec<usize> = all([2; 3]).map(|d| index([0, 1, 2].map(|k| 2 * at[k] + d[k]), size)).collect();
            if children.iter().all(|&c| below[c] < threshold) {
                children.iter().for_each(|&c| bits[c] = false);
                let highest = children.iter().map(|&c| below[c]).fold(f32::NEG_INFINITY, f32::max);
                above[index(at, half)] = highest - 3_f32.sqrt() * 0.25 * (1_u32 << level) as f32;
                set[index(at, half)] = true;
            }
        }
        volume += bits.iter().filter(|b| **b).count() << (3 * (level - 1));
        (below, bits, size, level) = (above, set, half, level + 1);
    }
    volume + (bits.iter().filter(|b| **b).count() << (3 * (level - 1)))
}

#[test]
fn e27_merging_blocks_that_are_not_set_covers_voxels_twice_and_the_engine_covers_each_once() {
    // A slab in a cube: above and below it nothing is merged, and the buffer of a level still holds what was there before.
    let solid = voxels([16; 3], |at| (2..10).contains(&at[1]) && (1..15).contains(&at[0]) && (1..15).contains(&at[2]));
    let field = Field::inside(&solid);
    let phi = |at: [u32; 3]| if solid.get(at) { field.phi()[field.index(at)] } else { 1.0 };
    let printed = printed_merged_volume(&solid, phi, -1.0, -8.0);
    assert!(printed > solid.count(), "{printed} voxels in place of {}", solid.count());
    assert_eq!(printed_merged_volume(&solid, phi, -1.0, f32::INFINITY), solid.count(), "with +∞ nothing else merges");
    let grid = Grid::new(DVec3::ZERO, 1.0, [12; 3], 2).unwrap();
    assert_eq!(grid.dims(), solid.dims());
    let particles = merge(&grid, &solid, &field, Some(1.0)).unwrap();
    assert!(particles.per_level().len() > 1);
    let volume: usize = particles.per_level().iter().enumerate().map(|(l, n)| n << (3 * l)).sum();
    assert_eq!(volume, solid.count());
}
