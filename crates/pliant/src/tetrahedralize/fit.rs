//! Moves vertices of the boundary onto features of the surface, and to the right volume.
//!
//! Cut points lie on the surface, but an edge of the grid rarely meets a corner or a crease: the boundary cuts them off. Each
//! vertex is pulled to where the tangent planes at its triangles meet (the quadric of Garland and Heckbert, 1997, as in dual
//! contouring), as far as the angles of its tetrahedra allow: a move that would make a tetrahedron worse than the bounds is
//! halved or refused. What is then missing of the volume, because chords lie inside of arcs, is added by a shift along the
//! normals of a few hundredths of a cell.

use crate::mesh::TriMesh;
use crate::tetrahedralize::distance::Solid;
use crate::tetrahedralize::manifold::volume;
use crate::tetrahedralize::quality::extreme_cosines;
use crate::tetrahedralize::stencils::Filled;
use glam::{DMat3, DVec3};
use rayon::prelude::*;

/// Rounds of moves to features.
const ROUNDS: usize = 3;

/// Weight that holds a vertex in its place where planes do not say where to go, relative to theirs.
const HOLD: f64 = 0.04;

/// Longest move of a round [cells].
const LONGEST: f64 = 0.5;

/// Farthest corner that a vertex is pulled to [cells].
const LONGEST_REACH: f64 = 1.5;

/// Distance from the surface at which a triangle that was pulled to a corner spans a gap [cells].
const SPANS_AIR: f64 = 0.3;

/// Distance from the surface beyond which planes meet in the air [cells].
const ASTRAY: f64 = 0.2;
/// Largest shift for the volume [cells].
const LARGEST_SHIFT: f64 = 0.1;

/// Cosines of the smallest and the largest angle that a move may make.
#[derive(Clone, Copy)]
struct Limits([f64; 2]);

/// 15 and 158 degrees: within the bounds of the stencils, which few tetrahedra come near.
const USUAL: Limits = Limits([0.965_925_826_289_068_3, -0.927_183_854_566_787_4]);

/// 11.5 and 163 degrees, for corners that are missed otherwise.
const FOR_CORNERS: Limits = Limits([0.979_924_704_620_829_6, -0.956_304_755_963_035_4]);

/// Distance from the boundary from which on a corner is missed [cells].
const MISSED: f64 = 0.2;

/// Vertices of a boundary and what is around them.
pub(crate) struct Fitter<'a> {
    filled: &'a mut Filled,
    boundary: &'a [[u32; 3]],
    /// Vertices of the boundary, sorted.
    vertices: Vec<u32>,
    /// Start of the tetrahedra and triangles of each.
    tets: (Vec<u32>, Vec<u32>),
    triangles: (Vec<u32>, Vec<u32>),
    size: f64,
}

impl<'a> Fitter<'a> {
    /// `size`: smallest cells [m].
    pub fn new(filled: &'a mut Filled, boundary: &'a [[u32; 3]], size: f64) -> Self {
        let mut number = vec![u32::MAX; filled.points.len()];
        boundary.iter().flatten().for_each(|&v| number[v as usize] = 0);
        let vertices: Vec<u32> = (0..number.len() as u32).filter(|&v| number[v as usize] == 0).collect();
        vertices.iter().enumerate().for_each(|(i, &v)| number[v as usize] = i as u32);
        let tets = around(&filled.tets, &number, vertices.len());
        let triangles = around(boundary, &number, vertices.len());
        Self { filled, boundary, vertices, tets, triangles, size }
    }

    /// Pulls vertices to features.
    pub fn fit(&mut self, solid: &Solid) {
        for _ in 0..ROUNDS {
            let points = &self.filled.points;
            // Planes at the middle of every triangle: a point, a normal and a weight.
            let planes: Vec<(DVec3, DVec3, f64)> = self
                .boundary
                .par_chunks(128)
                .flat_map_iter(|chunk| {
                    let mut hint = 0;
                    chunk.iter().map(move |t| {
                        let [a, b, c] = t.map(|v| points[v as usize]);
                        let near = solid.nearest((a + b + c) / 3.0, hint);
                        hint = near.triangle;
                        (near.point, solid.normal(near.triangle), (b - a).cross(c - a).length())
                    })
                })
                .collect();
            let wanted: Vec<DVec3> = self
                .vertices
                .par_iter()
                .enumerate()
                .map(|(i, &v)| {
                    let planes = list(&self.triangles, i).iter().map(|&t| planes[t as usize]);
                    let from = points[v as usize];
                    let way = meeting(from, planes).clamp_length_max(LONGEST * self.size);
                    let limit = ASTRAY * self.size;
                    if solid.distance(from + way, limit) < limit { way } else { DVec3::ZERO }
                })
                .collect();
            for (i, way) in wanted.iter().enumerate() {
                self.try_move(i, *way, USUAL);
            }
        }
    }

    /// Pulls a vertex to each corner of the surface that the boundary misses.
    pub fn reach(&mut self, solid: &Solid, corners: &[DVec3]) {
        if corners.is_empty() {
            return;
        }
        let positions = self.filled.points.iter().map(|p| p.as_vec3()).collect();
        let boundary = Solid::new(&TriMesh { positions, triangles: self.boundary.to_vec() });
        let near: Vec<_> = corners.par_iter().map(|c| boundary.nearest(*c - boundary.center, 0)).collect();
        for (corner, near) in corners.iter().zip(near) {
            if near.square < (MISSED * self.size).powi(2) {
                continue;
            }
            let mut around = self.boundary[boundary.numbers[near.triangle] as usize];
            let apart = |v: u32| self.filled.points[v as usize].distance_squared(*corner);
            around.sort_unstable_by(|a, b| apart(*a).total_cmp(&apart(*b)).then(a.cmp(b)));
            for v in around {
                let from = self.filled.points[v as usize];
                let way = *corner - from;
                let Ok(vertex) = self.vertices.binary_search(&v) else { continue };
                if way.length() < LONGEST_REACH * self.size && self.try_move(vertex, way, FOR_CORNERS) {
                    if !self.spans_air(vertex, solid) {
                        break;
                    }
                    self.filled.points[v as usize] = from;
                }
            }
        }
    }

    /// Whether a triangle around a vertex is far from the surface in its middle, or that of an edge.
    fn spans_air(&self, vertex: usize, solid: &Solid) -> bool {
        let limit = SPANS_AIR * self.size;
        let far = |p: DVec3| solid.distance(p, limit) >= limit;
        list(&self.triangles, vertex).iter().any(|&t| {
            let [a, b, c] = self.boundary[t as usize].map(|v| self.filled.points[v as usize]);
            [(a + b + c) / 3.0, (a + b) / 2.0, (b + c) / 2.0, (c + a) / 2.0].into_iter().any(far)
        })
    }

    /// Shifts the boundary along its normals to a volume [m³]; stops at a tenth of a cell.
    pub fn match_volume(&mut self, wanted: f64) {
        let mut left = LARGEST_SHIFT * self.size;
        for _ in 0..3 {
            let points = &self.filled.points;
            let areas: Vec<DVec3> = self
                .boundary
                .iter()
                .map(|t| {
                    let [a, b, c] = t.map(|v| points[v as usize]);
                    (b - a).cross(c - a) / 2.0
                })
                .collect();
            let total: f64 = areas.iter().map(|a| a.length()).sum();
            let shift = ((wanted - volume(points, &self.filled.tets)) / total).clamp(-left, left);
            left -= shift.abs();
            let normals: Vec<DVec3> = (0..self.vertices.len())
                .map(|i| list(&self.triangles, i).iter().map(|&t| areas[t as usize]).sum::<DVec3>().normalize_or_zero())
                .collect();
            for (i, normal) in normals.iter().enumerate() {
                self.try_move(i, *normal * shift, FOR_CORNERS);
            }
        }
    }

    /// Moves a vertex as far as its tetrahedra allow; whether it did.
    fn try_move(&mut self, vertex: usize, way: DVec3, limits: Limits) -> bool {
        if way.length_squared() < (1e-6 * self.size).powi(2) {
            return false;
        }
        let v = self.vertices[vertex];
        let from = self.filled.points[v as usize];
        let before = self.badness(vertex, from, limits);
        for share in [1.0, 0.75, 0.5, 0.25] {
            let to = from + way * share;
            if self.badness(vertex, to, limits) <= before.max(0.0) {
                self.filled.points[v as usize] = to;
                return true;
            }
        }
        false
    }

    /// How far the worst angle around a vertex at `place` is outside of the limits; negative within.
    fn badness(&self, vertex: usize, place: DVec3, Limits([least, largest]): Limits) -> f64 {
        let v = self.vertices[vertex];
        let mut worst = f64::NEG_INFINITY;
        for &t in list(&self.tets, vertex) {
            let corners =
                self.filled.tets[t as usize].map(|w| if w == v { place } else { self.filled.points[w as usize] });
            let Some(cosines) = extreme_cosines(&corners) else { return f64::INFINITY };
            worst = worst.max(cosines.0 - least).max(largest - cosines.1);
        }
        worst
    }
}

/// The way from a point to where planes meet, in the sense of least squares.
fn meeting(from: DVec3, planes: impl Iterator<Item = (DVec3, DVec3, f64)>) -> DVec3 {
    let (mut matrix, mut right, mut total) = (DMat3::ZERO, DVec3::ZERO, 0.0);
    for (point, normal, weight) in planes {
        matrix += DMat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z) * weight;
        right += normal * (weight * normal.dot(point - from));
        total += weight;
    }
    if total == 0.0 {
        return DVec3::ZERO;
    }
    (matrix + DMat3::from_diagonal(DVec3::splat(HOLD * total))).inverse() * right
}

/// Elements around each vertex of the boundary: starts and numbers.
fn around<const N: usize>(elements: &[[u32; N]], number: &[u32], vertices: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0_u32; vertices + 1];
    let known = |v: u32| Some(number[v as usize]).filter(|&n| n != u32::MAX);
    elements.iter().flatten().filter_map(|&v| known(v)).for_each(|n| starts[n as usize + 1] += 1);
    for n in 0..vertices {
        starts[n + 1] += starts[n];
    }
    let mut next = starts.clone();
    let mut all = vec![0_u32; starts[vertices] as usize];
    for (e, element) in elements.iter().enumerate() {
        for n in element.iter().filter_map(|&v| known(v)) {
            all[next[n as usize] as usize] = e as u32;
            next[n as usize] += 1;
        }
    }
    (starts, all)
}

fn list((starts, all): &(Vec<u32>, Vec<u32>), vertex: usize) -> &[u32] {
    &all[starts[vertex] as usize..starts[vertex + 1] as usize]
}
