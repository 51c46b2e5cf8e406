//! Hinges of a sheet and their weights, so that a bending modulus is the flexural rigidity on every triangulation.
//!
//! A surface of height ½·xᵀSx bends a hinge of edge vector L·t and unit normal n within the surface by
//!
//! θ = ½(h₀+h₁)·Sₙₙ + (t₀−t₁)·Sₜₙ − ½(t₀(L−t₀)/h₀ + t₁(L−t₁)/h₁)·Sₜₜ = M:S,
//!
//! where wing k stands at height hₖ over the edge and its foot at tₖ along it (exact to first order in S: the slope of a
//! triangle across the edge is its wing's height above the chord, divided by h). The sum Σ ½·B·w·θ² is the energy of a
//! plate without Poisson effect, ½·B·|S|² per area, if Σ w·M⊗M = A·1. No weights of the mesh's own hinges achieve that
//! on a grid with one diagonal direction: its axis-parallel edges see Sₙₙ ± Sₜₙ, whatever their weight. Hinges therefore
//! take any two neighbors of one end of the edge as wings, and nonnegative least squares picks, for each vertex and its
//! share of the area, the few that add up: three per vertex on grids, four to five on irregular meshes.
//!
//! Vertices whose own neighbors cannot see every curvature (four neighbors see no twist) take hinges around their
//! neighbors for what is missing. On the boundary the curvature across it is left out: a free edge carries no moment.

use crate::builder::nonnegative::fit;
use crate::mesh::topology::{Buckets, Hinge};
use glam::{DVec2, DVec3, Vec3};
use rayon::prelude::*;

/// A hinge of any four vertices, and its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightedHinge {
    /// Wings, then the edge, as the rows of `constraints::bend`.
    pub rows: [u32; 4],
    /// Energy ½·B·weight·θ² for a flexural rigidity B.
    pub weight: f64,
}

/// Smallest sine of the angle between an edge and a wing that is no neighbor of both ends: flatter triangles
/// measure the angle of a fold badly.
const SMALLEST_SINE: f64 = 0.3;
/// Part of the energy that may be missing before a vertex takes hinges of its neighbors.
const MISSING: f64 = 0.01;
/// Weight of the equation that keeps hinges from adding curvature across a boundary.
const ACROSS_BOUNDARY: f64 = 0.3;

/// Second moment of hinges in an orthonormal basis of curvatures: 11, 22, √2·12, then √2 times the mixed products.
type Moment = [f64; 6];

/// Hinges with fitted weights, in ascending order of their edges.
pub fn weighted_hinges(positions: &[Vec3], triangles: &[[u32; 3]], hinges: &[Hinge]) -> Vec<WeightedHinge> {
    let sheet = Sheet::new(positions, triangles, hinges);
    let fitted = |v: usize| {
        let mut parts = Vec::with_capacity(8);
        sheet.fit_vertex(v, |rows, weight| parts.push((key(rows), weight)));
        parts
    };
    let mut parts: Vec<([u32; 4], f64)> = (0..positions.len()).into_par_iter().flat_map_iter(fitted).collect();
    // Stable, so that the shares of a hinge are added in the order of the vertices.
    parts.sort_by_key(|part| part.0);
    let sum = |run: &[([u32; 4], f64)]| {
        let [c, d, a, b] = run[0].0;
        WeightedHinge { rows: [a, b, c, d], weight: run.iter().map(|part| part.1).sum() }
    };
    parts.chunk_by(|a, b| a.0 == b.0).map(sum).collect()
}

/// Sorted by edge, smaller vertex first; the wings change sides with its direction.
fn key([a, b, c, d]: [u32; 4]) -> [u32; 4] {
    if c < d { [c, d, a, b] } else { [d, c, b, a] }
}

struct Sheet<'a> {
    points: Vec<DVec3>,
    hinges: &'a [Hinge],
    /// Neighbors of each vertex, ascending.
    neighbors: Vec<Vec<u32>>,
    /// Hinges at each vertex.
    at_vertex: Buckets<u32>,
    /// Sum of the area vectors of the triangles at each vertex.
    normals: Vec<DVec3>,
    /// Area of the triangles at each vertex.
    areas: Vec<f64>,
    /// Outward normals of the boundary edges at each vertex, times their lengths.
    outward: Vec<DVec3>,
    /// Whether the vertex has an edge without a hinge.
    boundary: Vec<bool>,
}

/// Orthonormal axes of the tangent plane of a vertex.
#[derive(Clone, Copy)]
struct Frame {
    x: DVec3,
    y: DVec3,
    /// Whether x is the outward normal of a boundary.
    boundary: bool,
}

impl<'a> Sheet<'a> {
    fn new(positions: &[Vec3], triangles: &[[u32; 3]], hinges: &'a [Hinge]) -> Self {
        let n = positions.len();
        let points: Vec<DVec3> = positions.iter().map(|p| p.as_dvec3()).collect();
        let mut sheet = Self {
            hinges,
            neighbors: vec![Vec::new(); n],
            at_vertex: Buckets::fill(n, || hinges.iter().enumerate().flat_map(|(k, h)| h.edge.map(|v| (v, k as u32)))),
            normals: vec![DVec3::ZERO; n],
            areas: vec![0.0; n],
            outward: vec![DVec3::ZERO; n],
            boundary: vec![false; n],
            points,
        };
        for t in triangles {
            let [a, b, c] = t.map(|i| sheet.points[i as usize]);
            let area = 0.5 * (b - a).cross(c - a);
            for k in 0..3 {
                let [v, to, from] = [t[k], t[(k + 1) % 3], t[(k + 2) % 3]];
                sheet.normals[v as usize] += area;
                sheet.areas[v as usize] += area.length();
                sheet.neighbors[v as usize].extend([to, from]);
                if !sheet.is_hinge(v, to) {
                    let out = (sheet.points[to as usize] - sheet.points[v as usize]).cross(area.normalize_or_zero());
                    for end in [v, to] {
                        sheet.outward[end as usize] += out;
                        sheet.boundary[end as usize] = true;
                    }
                }
            }
        }
        for list in &mut sheet.neighbors {
            list.sort_unstable();
            list.dedup();
        }
        sheet
    }

    fn hinge(&self, v: u32, to: u32) -> Option<&Hinge> {
        let at = self.at_vertex.of(v as usize).iter().map(|&k| &self.hinges[k as usize]);
        at.into_iter().find(|h| h.edge.contains(&to))
    }

    fn is_hinge(&self, v: u32, to: u32) -> bool {
        self.hinge(v, to).is_some()
    }

    /// No frame where the normals of a vertex cancel: at a sharp spike, or where windings disagree.
    fn frame(&self, v: usize) -> Option<Frame> {
        if self.normals[v].length() < 0.3 * self.areas[v] {
            return None;
        }
        let z = self.normals[v].normalize();
        let out = self.outward[v] - z * self.outward[v].dot(z);
        let x = out.try_normalize().unwrap_or_else(|| z.any_orthonormal_vector());
        Some(Frame { x, y: z.cross(x), boundary: self.boundary[v] })
    }

    fn fit_vertex(&self, v: usize, mut add: impl FnMut([u32; 4], f64)) {
        let share = self.areas[v] / 3.0;
        let Some(frame) = self.frame(v) else {
            return self.unfitted(v, add);
        };
        let own = self.candidates(v as u32, &frame);
        let mut missing = if frame.boundary { [0.0, 1.0, 1.0, 0.0, 0.0, 0.0] } else { [1.0, 1.0, 1.0, 0.0, 0.0, 0.0] };
        let mut take = |candidates: &[Candidate], missing: &mut Moment| {
            let moments: Vec<Moment> = candidates.iter().map(|c| c.moment).collect();
            for (k, weight) in fit(&moments, missing) {
                add(candidates[k].rows, weight * candidates[k].scale * share);
            }
        };
        take(&own, &mut missing);
        if missing.iter().map(|m| m * m).sum::<f64>() > MISSING * MISSING {
            let around = self.neighbors[v].iter().flat_map(|&u| self.candidates(u, &frame));
            take(&around.collect::<Vec<_>>(), &mut missing);
        }
    }

    /// Half the weight 3L²/A of the hinges at a vertex without a tangent plane, as if the three edges of a triangle
    /// shared its curvature.
    fn unfitted(&self, v: usize, mut add: impl FnMut([u32; 4], f64)) {
        for &k in self.at_vertex.of(v) {
            let rows = rows(&self.hinges[k as usize]);
            let [a, b, c, d] = rows.map(|i| self.points[i as usize]);
            let pair = 0.5 * ((c - a).cross(d - a).length() + (c - b).cross(d - b).length());
            add(rows, 1.5 * (d - c).length_squared() / pair.max(1e-30));
        }
    }

    /// Hinges on the edges of a vertex with two of its neighbors as wings; those of the mesh first.
    fn candidates(&self, v: u32, frame: &Frame) -> Vec<Candidate> {
        let Some(Frame { x, y, .. }) = self.frame(v as usize) else { return Vec::new() };
        let ring: Vec<(u32, DVec2)> = self.neighbors[v as usize]
            .iter()
            .map(|&b| {
                let d = self.points[b as usize] - self.points[v as usize];
                (b, DVec2::new(d.dot(x), d.dot(y)).normalize_or_zero())
            })
            .collect();
        let mut all = Vec::new();
        for &(a, edge) in &ring {
            let Some(hinge) = self.hinge(v, a) else { continue };
            all.extend(self.candidate(rows(hinge), frame));
            let sine = |&(b, direction): &(u32, DVec2)| (b, edge.perp_dot(direction));
            for (left, _) in ring.iter().map(sine).filter(|s| s.1 > SMALLEST_SINE) {
                for (right, _) in ring.iter().map(sine).filter(|s| s.1 < -SMALLEST_SINE) {
                    all.extend(self.candidate([left, right, v, a], frame));
                }
            }
        }
        all
    }

    /// None if a wing lies on the line of the edge.
    fn candidate(&self, rows: [u32; 4], frame: &Frame) -> Option<Candidate> {
        let [a, b, c, d] = rows.map(|i| self.points[i as usize]);
        let edge = d - c;
        let length = edge.length();
        let t = edge / length;
        let along = [(a - c).dot(t), (b - c).dot(t)];
        let height = [(a - c - t * along[0]).length(), (b - c - t * along[1]).length()];
        if height[0].min(height[1]) <= 1e-6 * length {
            return None;
        }
        let chord = |k: usize| along[k] * (length - along[k]) / height[k];
        let (nn, tn, tt) = (0.5 * (height[0] + height[1]), along[0] - along[1], -0.5 * (chord(0) + chord(1)));
        let t = DVec2::new(t.dot(frame.x), t.dot(frame.y)).try_normalize()?;
        let n = t.perp();
        let m = [
            nn * n.x * n.x + tn * t.x * n.x + tt * t.x * t.x,
            nn * n.y * n.y + tn * t.y * n.y + tt * t.y * t.y,
            std::f64::consts::SQRT_2 * (nn * n.x * n.y + 0.5 * tn * (t.x * n.y + t.y * n.x) + tt * t.x * t.y),
        ];
        let scale = 1.0 / (m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
        let mixed = std::f64::consts::SQRT_2 * scale;
        let across = if frame.boundary { ACROSS_BOUNDARY } else { 1.0 };
        let moment = [
            m[0] * m[0] * scale * across,
            m[1] * m[1] * scale,
            m[2] * m[2] * scale,
            m[0] * m[1] * mixed,
            m[0] * m[2] * mixed,
            m[1] * m[2] * mixed,
        ];
        scale.is_finite().then_some(Candidate { rows, moment, scale })
    }
}

/// A possible hinge of a vertex.
struct Candidate {
    rows: [u32; 4],
    /// M⊗M/|M|², in the frame of the vertex that is fitted.
    moment: Moment,
    /// 1/|M|².
    scale: f64,
}

/// Rows of `constraints::bend`.
pub fn rows(hinge: &Hinge) -> [u32; 4] {
    [hinge.wings[0], hinge.wings[1], hinge.edge[0], hinge.edge[1]]
}
