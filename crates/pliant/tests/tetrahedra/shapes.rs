//! Closed surfaces made in code.

use glam::{Mat3, Quat, Vec3};
use pliant::mesh::TriMesh;
use std::collections::BTreeMap;
use std::f32::consts::TAU;

/// Reproducible random numbers (splitmix64).
pub struct Random(pub u64);

impl Random {
    /// Between 0 and 1.
    pub fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ z >> 31) >> 40) as f32 / (1_u64 << 24) as f32
    }

    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    pub fn vector(&mut self) -> Vec3 {
        Vec3::new(self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0))
    }

    pub fn rotation(&mut self) -> Mat3 {
        Mat3::from_quat(Quat::from_axis_angle(self.vector().normalize_or(Vec3::X), self.between(0.0, TAU)))
    }

    /// Rotated and moved.
    pub fn placed(&mut self, mut mesh: TriMesh) -> TriMesh {
        let (turn, shift) = (self.rotation(), self.vector() * 3.0);
        mesh.positions.iter_mut().for_each(|p| *p = turn * *p + shift);
        mesh
    }
}

/// A box around the origin, twelve triangles.
pub fn cuboid(size: Vec3) -> TriMesh {
    let positions = (0..8).map(|i| size * (Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32) - 0.5));
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
    TriMesh { positions: positions.collect(), triangles: triangles.collect() }
}

/// A torus around z.
pub fn torus(large: f32, small: f32, along: u32, around: u32) -> TriMesh {
    let point = |i: u32, j: u32| {
        let (u, v) = (TAU * i as f32 / along as f32, TAU * j as f32 / around as f32);
        let r = large + small * v.cos();
        Vec3::new(r * u.cos(), r * u.sin(), small * v.sin())
    };
    let number = |i: u32, j: u32| i % along * around + j % around;
    let positions = (0..along).flat_map(|i| (0..around).map(move |j| (i, j))).map(|(i, j)| point(i, j)).collect();
    let squares = (0..along).flat_map(|i| (0..around).map(move |j| (i, j)));
    let triangles = squares.flat_map(|(i, j)| {
        let [a, b, c, d] = [number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)];
        [[a, b, c], [a, c, d]]
    });
    TriMesh { positions, triangles: triangles.collect() }
}

/// The surface where `f` is zero, positive outside, between -1 and 1 along each axis, by marching tetrahedra of a grid.
pub fn isosurface(cells: i32, f: impl Fn(Vec3) -> f32) -> TriMesh {
    let at = |p: [i32; 3]| Vec3::from(p.map(|c| 2.0 * c as f32 / cells as f32 - 1.0));
    let points = cells + 1;
    let number = |p: [i32; 3]| ((p[2] * points + p[1]) * points + p[0]) as usize;
    let mut values = vec![0.0; (points * points * points) as usize];
    for z in 0..points {
        for y in 0..points {
            for x in 0..points {
                let value = f(at([x, y, z]));
                values[number([x, y, z])] = if value == 0.0 { 1e-6 } else { value };
            }
        }
    }
    let mut mesh = TriMesh::default();
    let mut known: BTreeMap<(usize, usize), u32> = BTreeMap::new();
    // Six tetrahedra around the diagonal of a cube: one for each order of the axes.
    let orders = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
    for cell in (0..cells * cells * cells).map(|i| [i % cells, i / cells % cells, i / cells / cells]) {
        for order in orders {
            let mut corners = [cell; 4];
            for k in 0..3 {
                corners[k + 1] = corners[k];
                corners[k + 1][order[k]] += 1;
            }
            let (inside, outside): (Vec<_>, Vec<_>) = corners.iter().copied().partition(|&c| values[number(c)] < 0.0);
            let mut cut = |a: [i32; 3], b: [i32; 3]| {
                let (i, j) = (number(a).min(number(b)), number(a).max(number(b)));
                let (va, vb) = (values[number(a)], values[number(b)]);
                *known.entry((i, j)).or_insert_with(|| {
                    mesh.positions.push(at(a).lerp(at(b), va / (va - vb)));
                    mesh.positions.len() as u32 - 1
                })
            };
            let polygon: Vec<u32> = match (&inside[..], &outside[..]) {
                (&[a], &[b, c, d]) | (&[b, c, d], &[a]) => vec![cut(a, b), cut(a, c), cut(a, d)],
                (&[a, b], &[c, d]) => vec![cut(a, c), cut(a, d), cut(b, d), cut(b, c)],
                _ => continue,
            };
            let middle = |list: &[[i32; 3]]| list.iter().map(|&c| at(c)).sum::<Vec3>() / list.len() as f32;
            let out = middle(&outside) - middle(&inside);
            for k in 2..polygon.len() {
                let mut t = [polygon[0], polygon[k - 1], polygon[k]];
                let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
                if (b - a).cross(c - a).dot(out) < 0.0 {
                    t.swap(1, 2);
                }
                mesh.triangles.push(t);
            }
        }
    }
    mesh
}

/// A smooth union of random balls, connected.
pub fn blob(random: &mut Random, cells: i32) -> TriMesh {
    let count = 3 + (random.unit() * 4.0) as usize;
    let mut balls: Vec<(Vec3, f32)> = vec![(Vec3::ZERO, random.between(0.25, 0.4))];
    while balls.len() < count {
        let radius = random.between(0.2, 0.35);
        let (from, r) = balls[(random.unit() * balls.len() as f32) as usize];
        let place = from + random.vector().normalize_or(Vec3::X) * (0.8 * (r + radius));
        if place.abs().max_element() + radius < 0.85 {
            balls.push((place, radius));
        }
    }
    // Exponential smooth minimum of distances.
    let sharpness = 16.0;
    isosurface(cells, |p| {
        let sum: f32 = balls.iter().map(|(c, r)| (-sharpness * (p.distance(*c) - r)).exp()).sum();
        -sum.ln() / sharpness
    })
}

/// Several meshes in one.
pub fn together(meshes: &[TriMesh]) -> TriMesh {
    let mut all = TriMesh::default();
    for mesh in meshes {
        let base = all.positions.len() as u32;
        all.positions.extend(&mesh.positions);
        all.triangles.extend(mesh.triangles.iter().map(|t| t.map(|v| v + base)));
    }
    all
}
