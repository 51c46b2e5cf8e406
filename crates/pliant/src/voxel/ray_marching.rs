//! Voxelization by ray casting in floating point, a baseline (D4 §6.1: the CPU half of Table 6.1).
//!
//! One ray along x per column of voxels. All crossings with triangles are found, sorted, and traversed. A ray that
//! hits an edge counts both triangles or none, depending on rounding: that is the error in D4 Fig 7.1, which
//! [`super::voxelize`] avoids.

use crate::mesh::TriMesh;
use crate::voxel::{Grid, Voxels};
use glam::{DVec2, DVec3};

/// Voxels whose center is inside by ray casting, in double precision and without a rule for ties.
pub fn ray_cast(mesh: &TriMesh, grid: &Grid) -> Voxels {
    let dims = grid.dims();
    let [nx, ny, nz] = dims.map(|d| d as usize);
    let place = |v: u32| (mesh.positions[v as usize].as_dvec3() - grid.origin()) / grid.edge();
    let mut crossings: Vec<Vec<f64>> = vec![Vec::new(); ny * nz];
    for t in &mesh.triangles {
        let corners = t.map(place);
        let low = corners[0].min(corners[1]).min(corners[2]);
        let high = corners[0].max(corners[1]).max(corners[2]);
        let range = |low: f64, high: f64, n: usize| {
            let first = (low - 0.5).ceil().max(0.0) as usize;
            first..((high - 0.5).floor() + 1.0).clamp(0.0, n as f64) as usize
        };
        for z in range(low.z, high.z, nz) {
            for y in range(low.y, high.y, ny) {
                crossings[z * ny + y].extend(crossing(corners, DVec2::new(y as f64 + 0.5, z as f64 + 0.5)));
            }
        }
    }
    let mut voxels = Voxels::new(dims);
    for (column, mut depths) in crossings.into_iter().enumerate() {
        depths.sort_unstable_by(f64::total_cmp);
        let mut passed = 0;
        for x in 0..nx {
            while passed < depths.len() && depths[passed] <= x as f64 + 0.5 {
                passed += 1;
            }
            if passed % 2 == 1 {
                voxels.flip([x as u32, (column % ny) as u32, (column / ny) as u32]);
            }
        }
    }
    voxels
}

/// Intersection of a ray along x through (y, z) with a triangle (D4 4.31: edges belong to both).
fn crossing([a, b, c]: [DVec3; 3], at: DVec2) -> Option<f64> {
    let flat = |p: DVec3| DVec2::new(p.y, p.z);
    let area = (flat(b) - flat(a)).perp_dot(flat(c) - flat(a));
    if area == 0.0 {
        return None;
    }
    let share = |p: DVec3, q: DVec3| (flat(q) - flat(p)).perp_dot(at - flat(p)) / area;
    let (of_c, of_a, of_b) = (share(a, b), share(b, c), share(c, a));
    (of_a >= 0.0 && of_b >= 0.0 && of_c >= 0.0).then_some(of_a * a.x + of_b * b.x + of_c * c.x)
}
