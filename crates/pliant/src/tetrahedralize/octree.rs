//! Cells of the background grid: an octree whose leaves near the surface are all of the smallest size.
//!
//! Level 0 are the smallest cells; a cell of level l has 2^l times their size. Lattice coordinates count halves of the
//! smallest cells, so that every corner and every center has whole ones: a cell c of level l has its center at (2c + 1)·2^l.
//!
//! A cell of size s > a is split if its center is nearer to the surface than a + s, with a the smallest size: then no
//! tetrahedron that touches a larger cell has a vertex nearer to the surface than a, the longest edge of those that are cut.

use crate::tetrahedralize::distance::Solid;
use glam::{DVec3, IVec3};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// Maximum cells along an axis, a power of two: lattice coordinates have 21 bits.
pub(crate) const MOST_LEVELS: u32 = 19;

/// Hash of a key that is spread already.
#[derive(Default)]
pub(crate) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.write_u64(u64::from(b)));
    }
    fn write_u64(&mut self, key: u64) {
        // Both halves of a product with an odd constant, folded.
        let product = u128::from(self.0 ^ key) * 0x9E37_79B9_7F4A_7C15;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }
}

/// Sets and maps by keys, for lookups only.
pub(crate) type KeySet = HashSet<u64, BuildHasherDefault<KeyHasher>>;
pub(crate) type KeyMap = HashMap<u64, u32, BuildHasherDefault<KeyHasher>>;

/// Key of nonnegative coordinates below 2²¹.
#[inline]
pub(crate) fn key(at: IVec3) -> u64 {
    (at.z as u64) << 42 | (at.y as u64) << 21 | at.x as u64
}

#[inline]
pub(crate) fn unkey(key: u64) -> IVec3 {
    let part = |shift: u32| (key >> shift & 0x1F_FFFF) as i32;
    IVec3::new(part(0), part(21), part(42))
}

/// Placement of the lattice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// Lattice coordinate zero, in the frame of the solid [m].
    pub origin: DVec3,
    /// Half of the smallest cell [m].
    pub half: f64,
    /// Level of the cell that holds everything.
    pub root: u32,
}

impl Frame {
    pub fn place(&self, at: IVec3) -> DVec3 {
        self.origin + at.as_dvec3() * self.half
    }
}

/// Leaves of the octree by level, sorted by key, and all that are split.
pub(crate) struct Octree {
    pub frame: Frame,
    /// Leaves that the solid may reach, sorted.
    pub leaves: Vec<Vec<u64>>,
    leaf_sets: Vec<KeySet>,
    split_sets: Vec<KeySet>,
    /// Winding number at the center of each leaf of level 0, and whether it is farther from the surface than its corners.
    pub centers: Vec<(f32, bool)>,
    /// Whether winding numbers are whole.
    pub is_closed: bool,
    /// Largest and smallest winding number found.
    pub windings: (f32, f32),
}

/// Classification of a cell's center.
#[derive(Clone, Copy)]
struct Center {
    winding: f32,
    distance: f64,
}

impl Octree {
    /// Refines from the root. `levels`: level of the largest leaves; `everywhere`: refine the whole box, for surfaces with
    /// holes, whose inside may end far from any triangle. `None` if there are more than `most` cells of a level.
    pub fn new(solid: &Solid, frame: Frame, levels: u32, everywhere: bool, most: usize) -> Option<Self> {
        let size = 2.0 * frame.half;
        let mut tree = Self {
            frame,
            leaves: vec![Vec::new(); levels as usize + 1],
            leaf_sets: vec![KeySet::default(); levels as usize + 1],
            split_sets: vec![KeySet::default(); levels as usize + 1],
            centers: Vec::new(),
            is_closed: !everywhere,
            windings: (0.0, 0.0),
        };
        let (low, high) = solid.bounds();
        let mut cells: Vec<(IVec3, f32, bool)> =
            vec![(IVec3::ZERO, solid.winding(frame.place(IVec3::splat(1 << frame.root))) as f32, true)];
        for level in (0..=frame.root).rev() {
            let s = size * f64::from(1_u32 << level);
            let at = |c: IVec3| frame.place((2 * c + 1) * (1 << level));
            let near = size + if level == 0 { 0.001 * size } else { s };
            let found: Vec<Center> = cells
                .par_iter()
                .with_min_len(64)
                .map(|&(c, above, same)| {
                    let p = at(c);
                    let distance = solid.distance(p, near);
                    let step = if same {
                        Some(0)
                    } else if everywhere {
                        None
                    } else {
                        solid.winding_step(frame.place((2 * (c >> 1) + 1) * (2 << level)), p)
                    };
                    Center {
                        winding: step.map_or_else(|| solid.winding(p) as f32, |step| above + step as f32),
                        distance,
                    }
                })
                .collect();
            let mut next = Vec::new();
            for (&(c, ..), center) in cells.iter().zip(&found) {
                let inside = center.winding > 0.5;
                tree.windings.0 = tree.windings.0.max(center.winding);
                tree.windings.1 = tree.windings.1.min(center.winding);
                let in_box = everywhere && {
                    let p = at(c);
                    (p + s).cmpgt(low).all() && (p - s).cmplt(high).all()
                };
                if level == 0 {
                    if inside || in_box || center.distance < near {
                        tree.leaves[0].push(key(c));
                        tree.centers.push((center.winding, !everywhere && center.distance > 0.87 * size));
                    }
                } else if center.distance < near || in_box || (inside && level > levels) {
                    // Centers of children are 0.433 s away.
                    let same = !everywhere && center.distance > 0.434 * s;
                    let child = |i: i32| 2 * c + IVec3::new(i & 1, i >> 1 & 1, i >> 2);
                    next.extend((0..8).map(|i| (child(i), center.winding, same)));
                    if level <= levels {
                        tree.split_sets[level as usize].insert(key(c));
                    }
                } else if inside {
                    tree.leaf_sets[level as usize].insert(key(c));
                }
            }
            if next.len() > most {
                return None;
            }
            cells = next;
        }
        tree.leaf_sets[0] = tree.leaves[0].iter().copied().collect();
        tree.balance(levels);
        for level in 1..=levels as usize {
            tree.leaves[level] = tree.leaf_sets[level].iter().copied().collect();
            tree.leaves[level].sort_unstable();
        }
        tree.add_balanced();
        Some(tree)
    }

    /// Leaves of level 0 that balancing has made: they lie deep inside.
    fn add_balanced(&mut self) {
        let mut all: Vec<(u64, (f32, bool))> =
            self.leaves[0].iter().copied().zip(self.centers.iter().copied()).collect();
        let mut before: KeySet = self.leaves[0].iter().copied().collect();
        all.extend(self.leaf_sets[0].iter().filter(|&c| before.insert(*c)).map(|&c| (c, (1.0, true))));
        all.sort_unstable_by_key(|leaf| leaf.0);
        (self.leaves[0], self.centers) = all.into_iter().unzip();
    }

    /// Splits leaves until neighbors, over faces, edges and corners, differ by one level at most.
    fn balance(&mut self, levels: u32) {
        for level in 1..levels {
            let mut split: Vec<u64> = self.split_sets[level as usize].iter().copied().collect();
            split.sort_unstable();
            for c in split.into_iter().map(unkey) {
                for n in (0..27).map(|i| c + IVec3::new(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1)) {
                    if n.min_element() >= 0 {
                        self.split(level + 1, n >> 1, levels);
                    }
                }
            }
        }
    }

    /// Makes sure that a cell is split, if it is part of a leaf.
    fn split(&mut self, level: u32, cell: IVec3, levels: u32) {
        if level > levels || self.split_sets[level as usize].contains(&key(cell)) {
            return;
        }
        if !self.leaf_sets[level as usize].contains(&key(cell)) {
            self.split(level + 1, cell >> 1, levels);
        }
        if self.leaf_sets[level as usize].remove(&key(cell)) {
            self.split_sets[level as usize].insert(key(cell));
            let below = &mut self.leaf_sets[level as usize - 1];
            below.extend((0..8).map(|i| key(2 * cell + IVec3::new(i & 1, i >> 1 & 1, i >> 2))));
        }
    }

    pub fn is_leaf(&self, level: u32, cell: IVec3) -> bool {
        cell.min_element() >= 0 && self.leaf_sets.get(level as usize).is_some_and(|set| set.contains(&key(cell)))
    }

    pub fn is_split(&self, level: u32, cell: IVec3) -> bool {
        cell.min_element() >= 0 && self.split_sets[level as usize].contains(&key(cell))
    }
}
