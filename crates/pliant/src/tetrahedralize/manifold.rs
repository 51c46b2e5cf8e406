//! Makes the boundary of tetrahedra a manifold, and drops loose pieces.
//!
//! Where two sheets of the surface are closer than a cell, warped vertices may belong to both: the tetrahedra then touch in a
//! vertex or an edge only. A vertex is divided among the parts of its neighborhood that no common face connects; of two parts
//! around one edge, the smaller is removed.

use crate::tetrahedralize::distance::Solid;
use crate::tetrahedralize::quality::volume6;
use crate::tetrahedralize::stencils::{Filled, compact};
use glam::DVec3;
use rayon::prelude::*;

/// Corners of the faces of a tetrahedron, counter-clockwise from outside.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// Pieces smaller than this share of the whole are dropped unless they are the largest of a piece of the surface.
const LOOSE: f64 = 0.02;

/// Pairs of faces, as four times the tetrahedron plus the face, and the faces without a partner.
struct Faces {
    pairs: Vec<[u32; 2]>,
    open: Vec<u32>,
}

fn face(tets: &[[u32; 4]], number: u32) -> [u32; 3] {
    FACES[number as usize % 4].map(|i| tets[number as usize / 4][i])
}

fn faces(tets: &[[u32; 4]]) -> Faces {
    let mut all: Vec<([u32; 3], u32)> = (0..4 * tets.len() as u32)
        .into_par_iter()
        .map(|number| {
            let mut corners = face(tets, number);
            corners.sort_unstable();
            (corners, number)
        })
        .collect();
    all.par_sort_unstable();
    let mut faces = Faces { pairs: Vec::with_capacity(2 * tets.len()), open: Vec::new() };
    for run in all.chunk_by(|a, b| a.0 == b.0) {
        match run {
            [one, two] => faces.pairs.push([one.1, two.1]),
            others => faces.open.extend(others.iter().map(|f| f.1)),
        }
    }
    faces
}

/// Root of a union-find tree whose roots are the smallest members.
fn find(parents: &mut [u32], mut node: u32) -> u32 {
    while parents[node as usize] != node {
        parents[node as usize] = parents[parents[node as usize] as usize];
        node = parents[node as usize];
    }
    node
}

fn join(parents: &mut [u32], a: u32, b: u32) {
    let (a, b) = (find(parents, a), find(parents, b));
    parents[a.max(b) as usize] = a.min(b);
}

/// Divides vertices and removes tetrahedra until every edge of the boundary has two triangles. Returns the boundary.
pub(crate) fn separate(filled: &mut Filled) -> Vec<[u32; 3]> {
    loop {
        let faces = faces(&filled.tets);
        divide_vertices(filled, &faces);
        let boundary: Vec<[u32; 3]> = faces.open.iter().map(|&f| face(&filled.tets, f)).collect();
        let crowded = crowded_edges(&boundary);
        if crowded.is_empty() {
            return boundary;
        }
        remove_fans(filled, &faces, &crowded);
        filled.points = compact(std::mem::take(&mut filled.points), &mut filled.tets);
    }
}

/// Gives each part of the neighborhood of a vertex a vertex of its own.
fn divide_vertices(filled: &mut Filled, faces: &Faces) {
    let tets = &mut filled.tets;
    let mut corners: Vec<u32> = (0..4 * tets.len() as u32).collect();
    for &[one, two] in &faces.pairs {
        for v in face(tets, one) {
            let corner = |f: u32| {
                let tet = f / 4;
                4 * tet + tets[tet as usize].iter().position(|&w| w == v).unwrap_or(0) as u32
            };
            join(&mut corners, corner(one), corner(two));
        }
    }
    // The first part keeps the vertex.
    let mut taken = vec![false; filled.points.len()];
    let mut number = vec![0_u32; corners.len()];
    for corner in 0..corners.len() {
        let root = find(&mut corners, corner as u32) as usize;
        if root == corner {
            let v = tets[corner / 4][corner % 4];
            number[corner] = v;
            if std::mem::replace(&mut taken[v as usize], true) {
                number[corner] = filled.points.len() as u32;
                filled.points.push(filled.points[v as usize]);
            }
        } else {
            number[corner] = number[root];
        }
    }
    for (t, n) in tets.iter_mut().zip(number.chunks_exact(4)) {
        t.copy_from_slice(n);
    }
}

/// Edges with more than two triangles, sorted.
fn crowded_edges(boundary: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let edge = |a: u32, b: u32| [a.min(b), a.max(b)];
    let mut edges: Vec<[u32; 2]> =
        boundary.iter().flat_map(|&[a, b, c]| [edge(a, b), edge(b, c), edge(c, a)]).collect();
    edges.par_sort_unstable();
    edges.chunk_by(|a, b| a == b).filter(|run| run.len() > 2).map(|run| run[0]).collect()
}

/// Removes the smallest of the parts around each edge.
fn remove_fans(filled: &mut Filled, faces: &Faces, crowded: &[[u32; 2]]) {
    let tets = &filled.tets;
    let mut around: Vec<(usize, u32)> = Vec::new();
    for (t, tet) in tets.iter().enumerate() {
        for i in 0..4 {
            for j in 0..i {
                if let Ok(e) = crowded.binary_search(&[tet[i].min(tet[j]), tet[i].max(tet[j])]) {
                    around.push((e, t as u32));
                }
            }
        }
    }
    around.sort_unstable();
    let mut removed = vec![false; tets.len()];
    for run in around.chunk_by(|a, b| a.0 == b.0) {
        let edge = crowded[run[0].0];
        let members: Vec<u32> = run.iter().map(|m| m.1).collect();
        if members.iter().any(|&t| removed[t as usize]) {
            // Another edge has changed this neighborhood; the next round sees what is left.
            continue;
        }
        let mut parts: Vec<u32> = (0..members.len() as u32).collect();
        for &[one, two] in &faces.pairs {
            let at = |f: u32| members.binary_search(&(f / 4));
            if let (Ok(a), Ok(b)) = (at(one), at(two)) {
                let corners = face(tets, one);
                if edge.iter().all(|v| corners.contains(v)) {
                    join(&mut parts, a as u32, b as u32);
                }
            }
        }
        let mut volumes = vec![0.0; members.len()];
        for (m, &t) in members.iter().enumerate() {
            let root = find(&mut parts, m as u32) as usize;
            volumes[root] += volume6(&tets[t as usize].map(|v| filled.points[v as usize]));
        }
        let roots = (0..members.len()).filter(|&m| find(&mut parts, m as u32) as usize == m);
        let smallest = roots.min_by(|&a, &b| volumes[a].total_cmp(&volumes[b]));
        for (m, &t) in members.iter().enumerate() {
            removed[t as usize] |= smallest == Some(find(&mut parts, m as u32) as usize);
        }
    }
    let mut t = 0;
    filled.tets.retain(|_| {
        t += 1;
        !removed[t - 1]
    });
}

/// Dropped tetrahedra.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Dropped {
    pub tets: usize,
    pub pieces: usize,
    /// Volume [m³].
    pub volume: f64,
    /// Pieces that remain.
    pub kept: usize,
}

/// Drops small pieces that hang on nothing: parts of features that are thinner than a cell. The largest piece at every piece
/// of the surface stays. `owner`: piece of the surface that each of its triangles belongs to.
pub(crate) fn drop_loose(filled: &mut Filled, solid: &Solid, owner: &[u32]) -> Dropped {
    let tets = &filled.tets;
    let mut parents: Vec<u32> = (0..filled.points.len() as u32).collect();
    for t in tets {
        (1..4).for_each(|i| join(&mut parents, t[0], t[i]));
    }
    let roots: Vec<u32> = (0..parents.len() as u32).map(|v| find(&mut parents, v)).collect();
    let mut volumes = vec![0.0; parents.len()];
    for t in tets {
        volumes[roots[t[0] as usize] as usize] += volume6(&t.map(|v| filled.points[v as usize])) / 6.0;
    }
    let pieces: Vec<u32> = (0..parents.len() as u32).filter(|&v| roots[v as usize] == v).collect();
    if pieces.len() < 2 {
        return Dropped { kept: pieces.len(), ..Dropped::default() };
    }
    let whole: f64 = volumes.iter().sum();
    // The largest piece at each piece of the surface.
    let count = owner.iter().max().map_or(0, |&last| last as usize + 1);
    let mut largest = vec![u32::MAX; count];
    let near: Vec<u32> =
        filled.points.par_iter().map(|p| owner[solid.numbers[solid.nearest(*p, 0).triangle] as usize]).collect();
    for (v, &piece) in near.iter().enumerate() {
        let held = &mut largest[piece as usize];
        let root = roots[v];
        if *held == u32::MAX || volumes[root as usize] > volumes[*held as usize] {
            *held = root;
        }
    }
    let mut keep = vec![false; parents.len()];
    largest.iter().filter(|&&root| root != u32::MAX).for_each(|&root| keep[root as usize] = true);
    pieces.iter().filter(|&&root| volumes[root as usize] >= LOOSE * whole).for_each(|&root| keep[root as usize] = true);
    let mut dropped = Dropped { tets: tets.len(), ..Dropped::default() };
    for &root in &pieces {
        if keep[root as usize] {
            dropped.kept += 1;
        } else {
            dropped.pieces += 1;
            dropped.volume += volumes[root as usize];
        }
    }
    filled.tets.retain(|t| keep[roots[t[0] as usize] as usize]);
    dropped.tets -= filled.tets.len();
    filled.points = compact(std::mem::take(&mut filled.points), &mut filled.tets);
    dropped
}

/// Piece of each triangle of a surface, connected over vertices.
pub(crate) fn pieces(vertices: usize, triangles: &[[u32; 3]]) -> Vec<u32> {
    let mut parents: Vec<u32> = (0..vertices as u32).collect();
    for t in triangles {
        join(&mut parents, t[0], t[1]);
        join(&mut parents, t[0], t[2]);
    }
    let mut number = vec![u32::MAX; vertices];
    let mut next = 0;
    let mut owner = Vec::with_capacity(triangles.len());
    for t in triangles {
        let root = find(&mut parents, t[0]) as usize;
        if number[root] == u32::MAX {
            number[root] = next;
            next += 1;
        }
        owner.push(number[root]);
    }
    owner
}

/// Volume [m³].
pub(crate) fn volume(points: &[DVec3], tets: &[[u32; 4]]) -> f64 {
    tets.iter().map(|t| volume6(&t.map(|v| points[v as usize]))).sum::<f64>() / 6.0
}
