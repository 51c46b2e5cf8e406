//! Cuts the background grid at the surface: cut points on edges, and vertices warped to them ([LS] 3.1 and 3.2).

use crate::tetrahedralize::distance::Solid;
use crate::tetrahedralize::lattice::Lattice;
use glam::DVec3;
use rayon::prelude::*;

/// Fractions of an edge within which a cut point violates its end. With these the dihedral angles of all stencils lie between
/// 10.76 and 164.71 degrees: the largest smallest angle, found by a search over both.
pub(crate) const VIOLATES_LONG: f64 = 0.285;
pub(crate) const VIOLATES_SHORT: f64 = 0.399;

/// Halvings of an edge whose crossing no triangle shows.
const HALVINGS: usize = 20;

/// Where a vertex is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    Inside,
    Surface,
    Outside,
}

/// The background grid with its cuts.
pub(crate) struct Cuts {
    pub labels: Vec<Label>,
    /// Positions of the vertices, warped or not [m].
    pub places: Vec<DVec3>,
    /// Edges from inside to outside at the start, smaller vertex first, sorted.
    pub edges: Vec<[u32; 2]>,
    /// Cut point of each edge [m].
    pub points: Vec<DVec3>,
}

impl Cuts {
    /// Finds all cut points, and warps vertices.
    pub fn new(lattice: &Lattice, solid: &Solid) -> Self {
        let mut edges = Vec::new();
        for t in &lattice.tets {
            for i in 0..4 {
                for j in 0..i {
                    let (a, b) = (t[i].min(t[j]), t[i].max(t[j]));
                    if lattice.inside[a as usize] != lattice.inside[b as usize] {
                        edges.push([a, b]);
                    }
                }
            }
        }
        edges.sort_unstable();
        edges.dedup();
        let shares: Vec<f64> = edges
            .par_chunks(256)
            .flat_map_iter(|chunk| {
                let mut found = Vec::new();
                chunk.iter().map(move |&[a, b]| {
                    let (p, q) = (lattice.place(a), lattice.place(b));
                    let is_inside = lattice.inside[a as usize];
                    let (from, to) = if is_inside { (p, q) } else { (q, p) };
                    let share = fraction(solid, from, to, &mut found);
                    if is_inside { share } else { 1.0 - share }
                })
            })
            .collect();
        let places: Vec<DVec3> = (0..lattice.places.len() as u32).map(|v| lattice.place(v)).collect();
        let points =
            edges.iter().zip(&shares).map(|(&[a, b], s)| places[a as usize].lerp(places[b as usize], *s)).collect();
        let labels = lattice.inside.iter().map(|&i| if i { Label::Inside } else { Label::Outside }).collect();
        let mut cuts = Self { labels, places, edges, points };
        cuts.warp(lattice, &shares);
        cuts
    }

    /// Moves vertices onto cut points that are too close to them, the closest first. A vertex on the surface cuts none of its
    /// edges.
    fn warp(&mut self, lattice: &Lattice, shares: &[f64]) {
        let mut violations: Vec<(f64, u32, u32)> = Vec::new();
        for (e, &[a, b]) in self.edges.iter().enumerate() {
            let limit = if lattice.is_long(a, b) { VIOLATES_LONG } else { VIOLATES_SHORT };
            for (v, share) in [(a, shares[e]), (b, 1.0 - shares[e])] {
                if share < limit {
                    violations.push((share, v, e as u32));
                }
            }
        }
        violations.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        for (_, v, e) in violations {
            if self.edges[e as usize].iter().all(|&v| self.labels[v as usize] != Label::Surface) {
                self.labels[v as usize] = Label::Surface;
                self.places[v as usize] = self.points[e as usize];
            }
        }
    }

    /// Number of the cut point of an edge that is cut.
    pub fn cut(&self, a: u32, b: u32) -> usize {
        self.edges.binary_search(&[a.min(b), a.max(b)]).unwrap_or(usize::MAX)
    }
}

/// Fraction of the way from a point inside to one outside at which the solid is left first.
fn fraction(solid: &Solid, from: DVec3, to: DVec3, found: &mut Vec<f64>) -> f64 {
    solid.crossings(from, to, found);
    found.dedup_by(|a, b| *a - *b < 1e-9);
    match found[..] {
        [one] => return one,
        [] => {}
        _ => {
            // Several sheets: the first between a part inside and one outside.
            let holds = |s: f64| solid.holds(from.lerp(to, s));
            let first = (1..found.len()).find(|&k| !holds((found[k - 1] + found[k]) / 2.0));
            return found[first.map_or(found.len() - 1, |k| k - 1)];
        }
    }
    // A hole, or a crossing lost to rounding: where the winding number passes a half.
    let (mut inside, mut outside) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = (inside + outside) / 2.0;
        if solid.holds(from.lerp(to, middle)) { inside = middle } else { outside = middle }
    }
    (inside + outside) / 2.0
}
