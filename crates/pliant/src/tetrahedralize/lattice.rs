//! The background grid: tetrahedra of the body-centered cubic lattice, coarser inside.
//!
//! Between two cells of one size, four tetrahedra stand around the line of their centers, one for each edge of the common
//! face, or two where the edge has smaller cells beside it. Between a cell and a larger one, the common face is cut along
//! the diagonal from the center of the larger face, and each half makes a tetrahedron with either center. The shapes have
//! dihedral angles from 45 to 120 degrees ([LS] figures 6 and 7).

use crate::tetrahedralize::distance::Solid;
use crate::tetrahedralize::octree::{Frame, KeyMap, Octree, key, unkey};
use glam::{DVec3, IVec3};
use rayon::prelude::*;

/// Vertices and tetrahedra of the background grid.
pub(crate) struct Lattice {
    pub frame: Frame,
    /// Lattice coordinates of the vertices.
    pub places: Vec<IVec3>,
    /// Whether each vertex is inside.
    pub inside: Vec<bool>,
    /// Tetrahedra of positive volume.
    pub tets: Vec<[u32; 4]>,
}

/// Corners of the unit face across axis k, around it.
const AROUND: [[i32; 2]; 4] = [[0, 0], [1, 0], [1, 1], [0, 1]];

/// Side of a vertex, if known.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Inside,
    Outside,
    /// A corner of a cell near the surface.
    Beside(IVec3, f32),
}

struct Builder<'a> {
    tree: &'a Octree,
    numbers: KeyMap,
    places: Vec<IVec3>,
    tets: Vec<[u32; 4]>,
}

impl Lattice {
    /// All tetrahedra of an octree that have a vertex inside.
    pub fn new(tree: &Octree, solid: &Solid) -> Self {
        let mut build = Builder { tree, numbers: KeyMap::default(), places: Vec::new(), tets: Vec::new() };
        for level in 0..tree.leaves.len() as u32 {
            for &leaf in &tree.leaves[level as usize] {
                build.add_cell(level, unkey(leaf));
            }
        }
        let sides = build.known_sides();
        let Builder { places, tets, .. } = build;
        let frame = tree.frame;
        let inside: Vec<bool> = places
            .par_iter()
            .zip(&sides)
            .map(|(place, side)| match side {
                Side::Beside(center, winding) => {
                    let (from, to) = (frame.place(*center), frame.place(*place));
                    match solid.winding_step(from, to).filter(|_| tree.is_closed) {
                        Some(step) => winding + step as f32 > 0.5,
                        None => solid.holds(to),
                    }
                }
                known => *known == Side::Inside,
            })
            .collect();
        let tets = tets.into_iter().filter(|t| t.iter().any(|&v| inside[v as usize])).collect();
        Self { frame, places, inside, tets }
    }

    /// Position of a vertex in the frame of the solid [m].
    pub fn place(&self, vertex: u32) -> DVec3 {
        self.frame.place(self.places[vertex as usize])
    }

    /// Whether the edge between two vertices of the finest cells joins two centers or two corners: these are longer than the
    /// others by 2/√3.
    pub fn is_long(&self, a: u32, b: u32) -> bool {
        (self.places[a as usize].x ^ self.places[b as usize].x) & 1 == 0
    }
}

impl Builder<'_> {
    fn vertex(&mut self, at: IVec3) -> u32 {
        let next = self.places.len() as u32;
        let number = *self.numbers.entry(key(at)).or_insert(next);
        if number == next {
            self.places.push(at);
        }
        number
    }

    fn add_cell(&mut self, level: u32, cell: IVec3) {
        for axis in 0..3 {
            for side in [-1, 1] {
                let mut step = IVec3::ZERO;
                step[axis] = side;
                let next = cell + step;
                if self.tree.is_leaf(level, next) {
                    if side > 0 {
                        self.add_equal(level, cell, next, axis);
                    }
                } else if self.tree.is_leaf(level + 1, next >> 1) {
                    self.add_larger(level, cell, next >> 1, (axis, side));
                }
            }
        }
    }

    /// Between two cells of one size.
    fn add_equal(&mut self, level: u32, cell: IVec3, next: IVec3, axis: usize) {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let corner = |[i, j]: [i32; 2]| {
            let mut at = next;
            at[u] += i;
            at[v] += j;
            at * (2 << level)
        };
        let (low, high) = (center(level, cell), center(level, next));
        for k in 0..4 {
            let (a, b) = (corner(AROUND[k]), corner(AROUND[(k + 1) % 4]));
            let mut beyond = IVec3::ZERO;
            // Edges 0 and 2 run along u, 1 and 3 along v.
            beyond[[v, u, v, u][k]] = [-1, 1, 1, -1][k];
            let split =
                level > 0 && (self.tree.is_split(level, cell + beyond) || self.tree.is_split(level, next + beyond));
            if split {
                let middle = (a + b) / 2;
                self.add([low, high, a, middle]);
                self.add([low, high, middle, b]);
            } else {
                self.add([low, high, a, b]);
            }
        }
    }

    /// Between a cell and a larger one.
    fn add_larger(&mut self, level: u32, cell: IVec3, large: IVec3, (axis, side): (usize, i32)) {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        // The corner of the small face in the middle of the large one.
        let middle = [u, v].map(|k| 1 - (cell[k] & 1));
        let corner = |i: i32, j: i32| {
            let mut at = cell;
            at[axis] += i32::from(side > 0);
            at[u] += i;
            at[v] += j;
            at * (2 << level)
        };
        let (from, to) = (corner(middle[0], middle[1]), corner(1 - middle[0], 1 - middle[1]));
        let others = [corner(1 - middle[0], middle[1]), corner(middle[0], 1 - middle[1])];
        for apex in [center(level, cell), center(level + 1, large)] {
            others.into_iter().for_each(|other| self.add([apex, from, other, to]));
        }
    }

    fn add(&mut self, mut corners: [IVec3; 4]) {
        let [a, b, c, d] = corners.map(|p| p.as_i64vec3());
        if (b - a).cross(c - a).dot(d - a) < 0 {
            corners.swap(2, 3);
        }
        let tet = corners.map(|p| self.vertex(p));
        self.tets.push(tet);
    }

    /// Sides of vertices that follow from those of cells; larger cells lie inside, with all of their corners.
    fn known_sides(&self) -> Vec<Side> {
        let mut sides = vec![Side::Inside; self.places.len()];
        for (i, &leaf) in self.tree.leaves[0].iter().enumerate() {
            let cell = unkey(leaf);
            let (winding, far) = self.tree.centers[i];
            let side = if winding > 0.5 { Side::Inside } else { Side::Outside };
            if let Some(&n) = self.numbers.get(&key(center(0, cell))) {
                sides[n as usize] = side;
            }
            for k in 0..8 {
                let corner = (cell + IVec3::new(k & 1, k >> 1 & 1, k >> 2)) * 2;
                if let Some(&n) = self.numbers.get(&key(corner)) {
                    // A cell that is far from the surface is right, whichever others say.
                    let known = if far { side } else { Side::Beside(center(0, cell), winding) };
                    if far || sides[n as usize] == Side::Inside {
                        sides[n as usize] = known;
                    }
                }
            }
        }
        sides
    }
}

fn center(level: u32, cell: IVec3) -> IVec3 {
    (2 * cell + 1) * (1 << level)
}
