//! An independent linear finite element solution in double precision: constant strain triangles (plane
//! stress) and tetrahedra.

use crate::support::Banded;
use glam::{DMat3, DVec3};

/// Gradients of the four linear shape functions and the volume of a tetrahedron.
pub fn gradients([a, b, c, d]: [DVec3; 4]) -> ([DVec3; 4], f64) {
    let edges = DMat3::from_cols(b - a, c - a, d - a);
    let inverse = edges.inverse();
    let (u, v, w) = (inverse.row(0), inverse.row(1), inverse.row(2));
    ([-(u + v + w), u, v, w], edges.determinant() / 6.0)
}

/// Isotropic material.
#[derive(Clone, Copy)]
pub struct Material {
    pub young: f64,
    pub poisson: f64,
}

/// Triangles in the xy plane, or tetrahedra.
pub enum Mesh<'a> {
    Triangles { elements: &'a [[u32; 3]], thickness: f64 },
    Tets(&'a [[u32; 4]]),
}

/// Corners, gradients of their shape functions, volume.
type Element = (Vec<u32>, Vec<DVec3>, f64);

/// Displacements under nodal forces, with the first `pinned` nodes held.
///
/// Stiffness between corners a and b: V·(λ·∇Nₐ⊗∇N_b + μ·(∇N_b⊗∇Nₐ + (∇Nₐ·∇N_b)·I)); plane stress only
/// changes λ to E·ν/(1 − ν²).
pub fn displacements(points: &[DVec3], mesh: &Mesh, m: Material, forces: &[DVec3], pinned: usize) -> Vec<DVec3> {
    let mu = m.young / (2.0 * (1.0 + m.poisson));
    let (dim, lame, elements): (usize, f64, Vec<Element>) = match *mesh {
        Mesh::Triangles { elements, thickness } => {
            let made = elements.iter().map(|t| {
                let [a, b, c] = t.map(|i| points[i as usize]);
                // A unit edge along z makes a prism-like tetrahedron of a third of the area.
                let (g, v) = gradients([a, b, c, a + DVec3::Z]);
                let area = 3.0 * v.abs();
                let flat = |k: usize| DVec3::new(g[k].x, g[k].y, 0.0);
                let first = -(flat(1) + flat(2));
                (t.to_vec(), vec![first, flat(1), flat(2)], area * thickness)
            });
            (2, m.young * m.poisson / (1.0 - m.poisson * m.poisson), made.collect())
        }
        Mesh::Tets(elements) => {
            let made = elements.iter().map(|t| {
                let (g, v) = gradients(t.map(|i| points[i as usize]));
                (t.to_vec(), g.to_vec(), v)
            });
            (3, m.young * m.poisson / ((1.0 + m.poisson) * (1.0 - 2.0 * m.poisson)), made.collect())
        }
    };
    let spread = elements.iter().map(|(t, ..)| t.iter().max().unwrap() - t.iter().min().unwrap()).max().unwrap();
    let free = points.len() - pinned;
    let mut stiffness = Banded::new(dim * free, dim * (spread as usize + 1));
    for (nodes, g, volume) in &elements {
        for (a, &node_a) in nodes.iter().enumerate().filter(|(_, n)| **n as usize >= pinned) {
            for (b, &node_b) in nodes.iter().enumerate().filter(|(_, n)| **n as usize >= pinned) {
                let both = g[a].dot(g[b]);
                for i in 0..dim {
                    for j in 0..dim {
                        let same = if i == j { both } else { 0.0 };
                        let k = lame * g[a][i] * g[b][j] + mu * (g[a][j] * g[b][i] + same);
                        let (row, column) = (node_a as usize - pinned, node_b as usize - pinned);
                        stiffness.add(dim * row + i, dim * column + j, volume * k);
                    }
                }
            }
        }
    }
    let load = forces[pinned..].iter().flat_map(|f| f.to_array().into_iter().take(dim)).collect();
    let solved = stiffness.solve(load);
    let moved = solved.chunks_exact(dim).map(|u| DVec3::new(u[0], u[1], if dim == 3 { u[2] } else { 0.0 }));
    std::iter::repeat_n(DVec3::ZERO, pinned).chain(moved).collect()
}
