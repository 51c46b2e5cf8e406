//! Removes the lattice steps of a carved solid: projects its surface onto the shape.

use crate::mesh::TetMesh;
use crate::mesh::repair::compact;
use crate::mesh::topology::{boundary, triangle_edges};
use glam::Vec3;
use std::collections::BTreeSet;

/// Maximum displacement of a surface particle, in cells. The shape passes between the centers of a kept and
/// a discarded cell, each √3/2 cells away from the particle.
const MAX_PROJECTION: f32 = 0.9;

/// Minimum volume of a tetrahedron afterwards, relative to before (six per cell).
const THINNEST: f32 = 0.2;

/// Moves the surface of a solid of cells of size `step` to where `distance` is zero.
///
/// Tetrahedra that protrude where two sides of a step join would become flat: they are removed. Other particles
/// move only as far as no tetrahedron becomes thinner than `THINNEST`.
pub fn fit(mesh: &mut TetMesh, step: f32, distance: impl Fn(Vec3) -> f32) {
    let n = mesh.positions.len();
    let mut moves = vec![Vec3::ZERO; n];
    for i in boundary(n, &mesh.tets).into_iter().flatten() {
        let p = mesh.positions[i as usize];
        moves[i as usize] = (nearest(p, step, &distance) - p).clamp_length_max(MAX_PROJECTION * step);
    }
    let least = THINNEST * step * step * step;
    let thin = |moves: &[Vec3], t: &[u32; 4]| {
        let [a, b, c, d] = t.map(|i| mesh.positions[i as usize] + moves[i as usize]);
        (b - a).cross(c - a).dot(d - a) < least
    };
    while trim(n, &mut mesh.tets, |t| thin(&moves, t)) {}
    loop {
        let mut held = vec![false; n];
        mesh.tets.iter().filter(|t| thin(&moves, t)).flatten().for_each(|&i| held[i as usize] = true);
        if !held.contains(&true) {
            break;
        }
        // Terminates: where nothing moves, volumes are those of the lattice.
        for (way, _) in moves.iter_mut().zip(held).filter(|(_, held)| *held) {
            *way = if way.length() > 0.02 * step { *way * 0.7 } else { Vec3::ZERO };
        }
    }
    mesh.positions.iter_mut().zip(moves).for_each(|(p, way)| *p += way);
    mesh.positions = compact(&mesh.positions, &mut mesh.tets, |_| false).positions;
}

/// A point of the shape near p: two steps along the gradient.
fn nearest(mut p: Vec3, step: f32, distance: impl Fn(Vec3) -> f32) -> Vec3 {
    let h = 0.1 * step;
    for _ in 0..2 {
        let slope = Vec3::AXES.map(|axis| distance(p + axis * h) - distance(p - axis * h));
        p -= Vec3::from(slope).normalize_or_zero() * distance(p);
    }
    p
}

/// Removes tetrahedra for which `thin` is true and of which two or three faces are surface, so that the other
/// faces become surface. Returns whether there were any; the caller then repeats, since others may now qualify.
fn trim(particles: usize, tets: &mut Vec<[u32; 4]>, thin: impl Fn(&[u32; 4]) -> bool) -> bool {
    let sorted = |mut face: [u32; 3]| {
        face.sort_unstable();
        face
    };
    let surface = boundary(particles, tets);
    let faces: BTreeSet<_> = surface.iter().map(|&face| sorted(face)).collect();
    let mut edges: BTreeSet<_> = triangle_edges(particles, &surface).into_iter().collect();
    let before = tets.len();
    tets.retain(|t| {
        let opposite = |k: usize| sorted(std::array::from_fn(|i| t[i + usize::from(i >= k)]));
        let edge = |ends: &[usize]| [t[ends[0]].min(t[ends[1]]), t[ends[0]].max(t[ends[1]])];
        // Corners opposite to surface faces, and opposite to inner faces.
        let (apart, crest): (Vec<usize>, Vec<usize>) = (0..4).partition(|&k| faces.contains(&opposite(k)));
        match apart.len() {
            3 => !thin(t),
            2 if thin(t) => {
                // The edge between the corners in `apart` becomes surface. If it already was, a hole would open.
                let free = edges.insert(edge(&apart));
                if free {
                    edges.remove(&edge(&crest));
                }
                !free
            }
            _ => true,
        }
    });
    tets.len() < before
}
