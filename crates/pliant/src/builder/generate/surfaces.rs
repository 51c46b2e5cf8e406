//! Surfaces: grids, spheres and bowls.

use crate::mesh::TriMesh;
use crate::scene::{BowlSpec, GridPlane, GridSpec, IcosphereSpec};
use glam::Vec3;

/// A rectangle; particle (i, j) is number i·(cells₁ + 1) + j.
pub fn grid(spec: &GridSpec) -> TriMesh {
    let [nx, ny] = spec.cells.map(|c| c as usize + 1);
    let step = [spec.size[0] / spec.cells[0] as f32, spec.size[1] / spec.cells[1] as f32];
    let mut positions = Vec::with_capacity(nx * ny);
    for i in 0..nx {
        for j in 0..ny {
            let (u, v) = (i as f32 * step[0], j as f32 * step[1]);
            positions.push(match spec.plane {
                GridPlane::Xy => Vec3::new(u, v, 0.0),
                GridPlane::Xz => Vec3::new(u, 0.0, v),
            });
        }
    }
    let at = |i: usize, j: usize| (i * ny + j) as u32;
    let mut triangles = Vec::with_capacity(2 * (nx - 1) * (ny - 1));
    for i in 0..nx - 1 {
        for j in 0..ny - 1 {
            let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
            // The front faces +z if upright, +y if flat.
            triangles.extend(match spec.plane {
                GridPlane::Xy => [[a, b, c], [a, c, d]],
                GridPlane::Xz => [[a, c, b], [a, d, c]],
            });
        }
    }
    TriMesh { positions, triangles }
}

/// The lower part of a sphere, open above, with its lowest point at the origin; triangles face inward.
pub fn bowl(spec: &BowlSpec) -> TriMesh {
    let around = spec.segments;
    // The rim's angle from the downward axis; trigonometry from `libm`, as everywhere bits must be reproducible.
    let open = libm::acos(1.0 - f64::from(spec.height) / f64::from(spec.radius));
    let rings = ((f64::from(around) * open / std::f64::consts::TAU).ceil() as u32).max(1);
    let mut positions = vec![Vec3::ZERO];
    for ring in 1..=rings {
        let angle = open * f64::from(ring) / f64::from(rings);
        let (out, up) = (libm::sin(angle), 1.0 - libm::cos(angle));
        for k in 0..around {
            let turn = std::f64::consts::TAU * f64::from(k) / f64::from(around);
            let p = [out * libm::cos(turn), up, out * libm::sin(turn)].map(|c| (c * f64::from(spec.radius)) as f32);
            positions.push(Vec3::from(p));
        }
    }
    let at = |ring: u32, k: u32| 1 + (ring - 1) * around + k % around;
    let mut triangles: Vec<[u32; 3]> = (0..around).map(|k| [0, at(1, k + 1), at(1, k)]).collect();
    for ring in 1..rings {
        for k in 0..around {
            let (a, b, c, d) = (at(ring, k), at(ring, k + 1), at(ring + 1, k + 1), at(ring + 1, k));
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    TriMesh { positions, triangles }
}

/// A sphere: an icosahedron, each triangle repeatedly split in four and projected onto the sphere.
pub fn icosphere(spec: &IcosphereSpec) -> TriMesh {
    let g = 0.5 * (1.0 + 5.0_f32.sqrt());
    let corners = [
        [-1.0, g, 0.0],
        [1.0, g, 0.0],
        [-1.0, -g, 0.0],
        [1.0, -g, 0.0],
        [0.0, -1.0, g],
        [0.0, 1.0, g],
        [0.0, -1.0, -g],
        [0.0, 1.0, -g],
        [g, 0.0, -1.0],
        [g, 0.0, 1.0],
        [-g, 0.0, -1.0],
        [-g, 0.0, 1.0],
    ];
    let mut positions: Vec<Vec3> = corners.iter().map(|&c| Vec3::from(c).normalize() * spec.radius).collect();
    let mut triangles: Vec<[u32; 3]> = vec![
        [0, 11, 5],
        [0, 5, 1],
        [0, 1, 7],
        [0, 7, 10],
        [0, 10, 11],
        [1, 5, 9],
        [5, 11, 4],
        [11, 10, 2],
        [10, 7, 6],
        [7, 1, 8],
        [3, 9, 4],
        [3, 4, 2],
        [3, 2, 6],
        [3, 6, 8],
        [3, 8, 9],
        [4, 9, 5],
        [2, 4, 11],
        [6, 2, 10],
        [8, 6, 7],
        [9, 8, 1],
    ];
    for _ in 0..spec.subdivisions {
        let edges = crate::mesh::topology::triangle_edges(positions.len(), &triangles);
        let first = positions.len() as u32;
        for &[a, b] in &edges {
            let middle = positions[a as usize] + positions[b as usize];
            positions.push(middle.normalize() * spec.radius);
        }
        let middle = |a: u32, b: u32| {
            // Edges are sorted, so the index of the edge gives the new vertex.
            let at = edges.binary_search(&[a.min(b), a.max(b)]).unwrap_or_else(|i| i);
            first + at as u32
        };
        let old = std::mem::take(&mut triangles);
        for [a, b, c] in old {
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            triangles.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
    }
    TriMesh { positions, triangles }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sphere_has_the_area_of_a_sphere() {
        let mesh = icosphere(&IcosphereSpec { radius: 2.0, subdivisions: 5 });
        assert_eq!(mesh.triangles.len(), 20 << 10);
        let area: f32 = mesh
            .triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|i| mesh.positions[i as usize]);
                (b - a).cross(c - a).length() / 2.0
            })
            .sum();
        // Inscribed facets of edge e lose about e²/(12r²) of the area: 3e-4 here.
        assert!((area / (16.0 * std::f32::consts::PI) - 1.0).abs() < 1e-3);
    }
}
