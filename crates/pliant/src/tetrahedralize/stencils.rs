//! Fills the cut background grid with tetrahedra, by the labels of the four vertices of each ([LS] figure 3).

use crate::tetrahedralize::cut::{Cuts, Label};
use crate::tetrahedralize::lattice::Lattice;
use glam::DVec3;

/// Tetrahedra between points.
pub(crate) struct Filled {
    /// Positions [m].
    pub points: Vec<DVec3>,
    /// Tetrahedra of positive volume.
    pub tets: Vec<[u32; 4]>,
}

struct Filler<'a> {
    lattice: &'a Lattice,
    cuts: &'a Cuts,
    /// Numbers of the vertices of the grid, then of the cut points.
    tets: Vec<[u32; 4]>,
}

/// Fills the inside.
pub(crate) fn fill(lattice: &Lattice, cuts: &Cuts) -> Filled {
    let mut filler = Filler { lattice, cuts, tets: Vec::with_capacity(lattice.tets.len()) };
    for t in &lattice.tets {
        filler.add(t);
    }
    let mut tets = filler.tets;
    let points = cuts.places.iter().chain(&cuts.points).copied();
    let points = compact(points.collect(), &mut tets);
    Filled { points, tets }
}

/// Removes points that no tetrahedron uses.
pub(crate) fn compact(points: Vec<DVec3>, tets: &mut [[u32; 4]]) -> Vec<DVec3> {
    let mut number = vec![u32::MAX; points.len()];
    tets.iter().flatten().for_each(|&v| number[v as usize] = 0);
    let mut kept = Vec::new();
    for (number, point) in number.iter_mut().zip(points) {
        if *number == 0 {
            *number = kept.len() as u32;
            kept.push(point);
        }
    }
    tets.iter_mut().flatten().for_each(|v| *v = number[*v as usize]);
    kept
}

impl Filler<'_> {
    fn add(&mut self, t: &[u32; 4]) {
        let label = |v: u32| self.cuts.labels[v as usize];
        let count = |l: Label| t.iter().filter(|&&v| label(v) == l).count();
        let (inside, outside) = (count(Label::Inside), count(Label::Outside));
        if inside == 0 {
            return;
        }
        if outside == 0 {
            self.tets.push(*t);
            return;
        }
        // Inside first, then on the surface, then outside; an even permutation, so that volumes stay positive.
        let mut s = *t;
        let mut odd = false;
        for i in 1..4 {
            for j in (1..=i).rev() {
                if (label(s[j]) as u8) < label(s[j - 1]) as u8 {
                    s.swap(j, j - 1);
                    odd = !odd;
                }
            }
        }
        if odd {
            // Two of the same label, of which four vertices with three labels have some.
            let k = (0..3).find(|&k| label(s[k]) == label(s[k + 1])).unwrap_or(0);
            s.swap(k, k + 1);
        }
        let [a, b, c, d] = s;
        match (inside, outside) {
            (1, _) => {
                let [x, y, z] = [b, c, d].map(|v| if label(v) == Label::Surface { v } else { self.cut(a, v) });
                self.tets.push([a, x, y, z]);
            }
            (2, 1) => {
                let (p, q) = (self.cut(a, d), self.cut(b, d));
                if self.first_before_second(a, b, d) {
                    self.tets.extend([[a, b, c, q], [a, q, c, p]]);
                } else {
                    self.tets.extend([[a, b, c, p], [p, b, c, q]]);
                }
            }
            (2, _) => {
                let bottom = [a, self.cut(a, c), self.cut(a, d)];
                let top = [b, self.cut(b, c), self.cut(b, d)];
                // The two faces are always divided from different vertices, which decides the third side.
                let (first, second) = (self.first_before_second(a, b, c), self.first_before_second(a, b, d));
                self.tets.extend(prism(bottom, top, order(first, second, true)));
            }
            _ => {
                let top = [a, b, c].map(|v| self.cut(v, d));
                let before = |i: usize, j: usize| self.first_before_second(s[i], s[j], d);
                let order = order(before(0, 1), before(0, 2), before(1, 2));
                self.tets.extend(prism([a, b, c], top, order));
            }
        }
    }

    /// Number of the cut point of an edge.
    fn cut(&self, a: u32, b: u32) -> u32 {
        (self.cuts.places.len() + self.cuts.cut(a, b)) as u32
    }

    /// Whether the face of two vertices inside and one outside is divided from `a` to the cut point of `b`, or else from `b`
    /// to that of `a`. Depends on the face only, so that both of its tetrahedra agree.
    fn first_before_second(&self, a: u32, b: u32, outside: u32) -> bool {
        let (la, lb) = (self.lattice.is_long(a, outside), self.lattice.is_long(b, outside));
        if la != lb {
            // To the cut point of the longer edge.
            return lb;
        }
        // Both short: exactly one of the two, that are opposite along one axis, has an even number of larger coordinates.
        let larger = self.lattice.places[a as usize].cmpgt(self.lattice.places[outside as usize]);
        larger.bitmask().count_ones().is_multiple_of(2)
    }
}

/// The order of three from the pairs that are in order; in a cycle the last pair yields.
fn order(first: bool, second: bool, third: bool) -> [usize; 3] {
    match (first, second, third) {
        (true, true, true) => [0, 1, 2],
        (true, true, false) => [0, 2, 1],
        (true, false, _) => [2, 0, 1],
        (false, true, _) => [1, 0, 2],
        (false, false, true) => [1, 2, 0],
        (false, false, false) => [2, 1, 0],
    }
}

/// Divides a prism along the diagonals from the bottom, at the earlier of two edges, to the top, at the later.
fn prism(bottom: [u32; 3], top: [u32; 3], [i, j, k]: [usize; 3]) -> [[u32; 4]; 3] {
    let mut tets = [
        [bottom[i], bottom[j], bottom[k], top[k]],
        [bottom[i], bottom[j], top[k], top[j]],
        [bottom[i], top[i], top[j], top[k]],
    ];
    if (j + 3 - i) % 3 != 1 {
        // An odd order.
        tets.iter_mut().for_each(|t| t.swap(2, 3));
    }
    tets
}
