//! Procedural meshes: grids, spheres, blocks, rings and balls.

use crate::mesh::{TetMesh, TriMesh};
use crate::scene::{BallSpec, BlockSpec, GridPlane, GridSpec, IcosphereSpec, Tessellation, TorusSpec};
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
            // The front looks along +z when upright, up when flat.
            triangles.extend(match spec.plane {
                GridPlane::Xy => [[a, b, c], [a, c, d]],
                GridPlane::Xz => [[a, c, b], [a, d, c]],
            });
        }
    }
    TriMesh { positions, triangles }
}

/// A sphere: an icosahedron whose triangles are cut in four and pushed out.
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
            // Edges are sorted, so the new vertex is found by its place in the list.
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

/// A cuboid of cells.
pub fn block(spec: &BlockSpec) -> TetMesh {
    let n = spec.cells.map(|c| c as usize + 1);
    let step: [f32; 3] = std::array::from_fn(|k| spec.size[k] / spec.cells[k] as f32);
    lattice(n, [false; 3], spec.tets, |i, j, k| Vec3::new(i as f32 * step[0], j as f32 * step[1], k as f32 * step[2]))
}

/// A ring. Six tetrahedra per cell: the mirrored five do not close around an odd number of cells.
pub fn torus(spec: &TorusSpec) -> TetMesh {
    let (around, across) = (spec.cells[0] as usize, spec.cells[1] as usize + 1);
    let step = spec.width / spec.cells[1] as f32;
    lattice([around, across, across], [true, false, false], Tessellation::Six, |i, j, k| {
        let angle = std::f64::consts::TAU * i as f64 / around as f64;
        let radius = spec.radius + (j as f32 - (across - 1) as f32 / 2.0) * step;
        Vec3::new(radius * libm::cos(angle) as f32, k as f32 * step, radius * libm::sin(angle) as f32)
    })
}

/// A ball: a cube whose shells are pushed onto spheres.
pub fn ball(spec: &BallSpec) -> TetMesh {
    let n = spec.cells as usize + 1;
    let half = spec.cells as f32 / 2.0;
    lattice([n; 3], [false; 3], Tessellation::Five, |i, j, k| {
        let p = (Vec3::new(i as f32, j as f32, k as f32) - half) / half;
        let length = p.length();
        if length > 0.0 { p * (p.abs().max_element() / length * spec.radius) } else { p }
    })
}

/// The mirrored five: four corners cut off, one in the middle.
const FIVE: [[[usize; 3]; 4]; 5] = [
    [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
    [[1, 1, 0], [1, 0, 0], [0, 1, 0], [1, 1, 1]],
    [[1, 0, 1], [1, 0, 0], [0, 0, 1], [1, 1, 1]],
    [[0, 1, 1], [0, 1, 0], [0, 0, 1], [1, 1, 1]],
    [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]],
];

/// Orders in which the six walk from one corner of the cell to the opposite one.
const SIX: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// Particles on a lattice of n₀ × n₁ × n₂, number (i·n₁ + j)·n₂ + k, and tetrahedra in its cells.
fn lattice(n: [usize; 3], wraps: [bool; 3], cut: Tessellation, place: impl Fn(usize, usize, usize) -> Vec3) -> TetMesh {
    let mut positions = Vec::with_capacity(n[0] * n[1] * n[2]);
    for i in 0..n[0] {
        for j in 0..n[1] {
            for k in 0..n[2] {
                positions.push(place(i, j, k));
            }
        }
    }
    let cells: [usize; 3] = std::array::from_fn(|a| if wraps[a] { n[a] } else { n[a] - 1 });
    let per_cell = if cut == Tessellation::Five { 5 } else { 6 };
    let mut tets = Vec::with_capacity(cells[0] * cells[1] * cells[2] * per_cell);
    for i in 0..cells[0] {
        for j in 0..cells[1] {
            for k in 0..cells[2] {
                let at = |o: [usize; 3]| {
                    let (i, j, k) = ((i + o[0]) % n[0], (j + o[1]) % n[1], (k + o[2]) % n[2]);
                    ((i * n[1] + j) * n[2] + k) as u32
                };
                match cut {
                    Tessellation::Five => {
                        let mirror = (i + j + k) % 2 == 1;
                        tets.extend(FIVE.map(|tet| tet.map(|[x, y, z]| at([if mirror { 1 - x } else { x }, y, z]))));
                    }
                    Tessellation::Six => tets.extend(SIX.map(|order| {
                        let mut corner = [0; 3];
                        let mut tet = [at(corner); 4];
                        for (step, &axis) in order.iter().enumerate() {
                            corner[axis] = 1;
                            tet[step + 1] = at(corner);
                        }
                        tet
                    })),
                }
            }
        }
    }
    orient(&positions, &mut tets);
    TetMesh { positions, tets }
}

/// Makes every volume positive.
fn orient(positions: &[Vec3], tets: &mut [[u32; 4]]) {
    for t in tets {
        let [a, b, c, d] = t.map(|i| positions[i as usize]);
        if (b - a).cross(c - a).dot(d - a) < 0.0 {
            t.swap(1, 2);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_counts_are_those_of_the_peer_scenes() {
        let slab = block(&BlockSpec { cells: [72, 2, 72], size: [3.6, 0.1, 3.6], tets: Tessellation::Five });
        assert_eq!((slab.positions.len(), slab.tets.len()), (15_987, 51_840));
        let ring = torus(&TorusSpec { radius: 0.4536, width: 0.15, cells: [57, 3] });
        assert_eq!((ring.positions.len(), ring.tets.len()), (912, 3_078));
        let edges = crate::mesh::topology::tet_edges(912, &ring.tets);
        assert_eq!(edges.len(), 4_674);
    }

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

    #[test]
    fn every_generated_tet_has_positive_volume() {
        let meshes = [
            block(&BlockSpec { cells: [3, 4, 5], size: [1.0; 3], tets: Tessellation::Six }),
            torus(&TorusSpec { radius: 1.0, width: 0.3, cells: [24, 3] }),
            ball(&BallSpec { radius: 1.0, cells: 8 }),
        ];
        for mesh in meshes {
            for t in &mesh.tets {
                let [a, b, c, d] = t.map(|i| mesh.positions[i as usize]);
                assert!((b - a).cross(c - a).dot(d - a) > 1e-8);
            }
        }
    }
}
