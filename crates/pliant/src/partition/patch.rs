//! Patches: pieces of a body that fit a core's cache or a workgroup's memory.
//!
//! A *tiling* cuts the constraints of a kind by planes into patches that share no row. One thread or workgroup
//! runs a patch, color after color, without synchronization; all patches of a tiling are one pass. The
//! constraints that cross the cuts are tiled again, with cuts that few of *them* cross, and so on: they form
//! sheets, then lines, then points, so each tiling is a fraction of the one before. The remainder is colored
//! globally. Every constraint runs once per iteration.
//!
//! Cuts are chosen in the rest shape, where bodies do not overlap: the plane with the fewest crossing
//! constraints relative to the smaller part.

use crate::constraints::Layout;
use glam::Vec3;

/// Capacity of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Rows.
    pub rows: usize,
    /// Rows and constraints [bytes].
    pub bytes: usize,
}

/// Constraints of one kind, as patches need them.
#[derive(Clone, Copy, Debug)]
pub struct Members<'a> {
    /// Rows per constraint.
    pub arity: usize,
    /// Row numbers.
    pub rows: &'a [u32],
    /// Memory of a constraint [bytes].
    pub bytes: usize,
}

impl<'a> Members<'a> {
    /// Those of a kind with this layout.
    pub fn of_kind(layout: Layout, rows: &'a [u32]) -> Self {
        Self { arity: layout.rows, rows, bytes: layout.bytes() }
    }

    /// Rows of one constraint.
    #[inline]
    pub fn of(&self, c: u32) -> &'a [u32] {
        &self.rows[c as usize * self.arity..(c as usize + 1) * self.arity]
    }
}

/// Patches that share no row, and the constraints that cross between them.
#[derive(Clone, Debug, Default)]
pub struct Tiling {
    /// The constraints of each patch.
    pub patches: Vec<Vec<u32>>,
    /// Constraints in no patch.
    pub crossing: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Plane {
    axis: usize,
    at: f32,
}

/// Cut positions tried along an axis.
const BINS: usize = 64;
/// Constraints sampled to choose a cut; more do not improve it.
const SAMPLE: usize = 1 << 16;

/// Cuts constraints of one kind.
pub struct Cutter<'a> {
    members: Members<'a>,
    rest: &'a [Vec3],
    /// Stamp of the last count that included the row.
    seen: Vec<u32>,
    stamp: u32,
}

impl<'a> Cutter<'a> {
    /// For the constraints of a kind; `rest` holds the rest positions of the rows [m].
    pub fn new(members: Members<'a>, rest: &'a [Vec3]) -> Self {
        Self { members, rest, seen: vec![0; rest.len()], stamp: 0 }
    }

    /// Cuts the constraints `items` into patches.
    pub fn tile(&mut self, items: Vec<u32>, limits: Limits) -> Tiling {
        let mut tiling = Tiling::default();
        // Depth first, left before right: neighbors in the list are neighbors in space.
        let mut open = vec![items];
        while let Some(items) = open.pop() {
            if items.is_empty() {
                continue;
            }
            if self.fits(&items, limits) {
                tiling.patches.push(items);
                continue;
            }
            let Some(plane) = self.cut(&items) else {
                // All at one point: no plane separates them.
                tiling.crossing.extend(items);
                continue;
            };
            let (mut left, mut right) = (Vec::new(), Vec::new());
            for item in items {
                let (low, high) = self.span(item, plane.axis);
                if high < plane.at {
                    left.push(item);
                } else if low >= plane.at {
                    right.push(item);
                } else {
                    tiling.crossing.push(item);
                }
            }
            if left.is_empty() || right.is_empty() {
                // Only rounding causes this; an empty part would repeat the cut forever.
                tiling.crossing.extend(left.into_iter().chain(right));
                continue;
            }
            open.push(right);
            open.push(left);
        }
        tiling
    }

    fn span(&self, item: u32, axis: usize) -> (f32, f32) {
        let at = self.members.of(item).iter().map(|&r| self.rest[r as usize][axis]);
        at.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
    }

    fn fits(&mut self, items: &[u32], limits: Limits) -> bool {
        let bytes = items.len() * self.members.bytes;
        if bytes > limits.bytes {
            return false;
        }
        self.stamp += 1;
        let mut rows = 0;
        for &r in items.iter().flat_map(|&item| self.members.of(item)) {
            rows += usize::from(std::mem::replace(&mut self.seen[r as usize], self.stamp) != self.stamp);
        }
        rows <= limits.rows && bytes + rows * size_of::<crate::math::RowData>() <= limits.bytes
    }

    /// The plane with the fewest crossing constraints, relative to the smaller part.
    fn cut(&self, items: &[u32]) -> Option<Plane> {
        let sample = || items.iter().copied().step_by(items.len().div_ceil(SAMPLE));
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for &r in sample().flat_map(|item| self.members.of(item)) {
            low = low.min(self.rest[r as usize]);
            high = high.max(self.rest[r as usize]);
        }
        let mut best: Option<(f32, Plane)> = None;
        for axis in 0..3 {
            let width = (high[axis] - low[axis]) / BINS as f32;
            if width.is_nan() || width <= 0.0 {
                continue;
            }
            let bin = |x: f32| (((x - low[axis]) / width).max(0.0) as usize).min(BINS - 1);
            // ends[b]: constraints that end before plane b; begins[b]: that begin at or after it.
            let (mut ends, mut begins) = ([0_u32; BINS + 1], [0_u32; BINS + 1]);
            let mut all = 0_u32;
            for item in sample() {
                let (first, last) = self.span(item, axis);
                ends[bin(last) + 1] += 1;
                begins[bin(first)] += 1;
                all += 1;
            }
            for b in 1..=BINS {
                ends[b] += ends[b - 1];
            }
            for b in (0..BINS).rev() {
                begins[b] += begins[b + 1];
            }
            for b in 1..BINS {
                let smaller = ends[b].min(begins[b]);
                if smaller == 0 {
                    continue;
                }
                let cost = (all - ends[b] - begins[b]) as f32 / smaller as f32 + BALANCE * all as f32 / smaller as f32;
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, Plane { axis, at: low[axis] + b as f32 * width }));
                }
            }
        }
        best.map(|(_, plane)| plane)
    }
}

/// Weight of even halves against few crossings: without it a cut without crossings may split off a tiny part.
const BALANCE: f32 = 0.02;
