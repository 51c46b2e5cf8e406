//! Recursive bisection of the constraints of all kinds into pieces that share few particles.
//!
//! A cut is a plane in the rest shape. All constraints that cross it go to the same side, so the shared particles
//! lie on the other. The cost of a plane, the number of shared particles, is counted and not estimated; the choice
//! of the plane matters more than the side that gets the crossing constraints.

use crate::constraints::ConstraintKind;
use crate::constraints::group::Raw;
use glam::Vec3;

/// A constraint, addressed by kind and index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// Index of the kind.
    pub group: u32,
    /// Index within the kind.
    pub number: u32,
}

/// The constraints of one kind.
pub struct KindConstraints<'a> {
    arity: usize,
    moves: usize,
    rows: &'a [u32],
}

impl<'a> KindConstraints<'a> {
    /// The constraints of a kind; empty if the kind rotates orientations, which cannot have copies.
    pub fn of_kind(kind: &ConstraintKind, raw: &'a Raw) -> Self {
        let layout = kind.layout();
        let rows = if layout.turns { &[] } else { &raw.rows[..] };
        Self { arity: layout.rows, moves: layout.moves, rows }
    }
}

/// Capacity of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceCapacity {
    /// Rows.
    pub rows: usize,
    /// Constraints of all kinds.
    pub constraints: usize,
}

/// Cut positions tried along an axis: several per layer of particles while a piece is still large.
const BINS: usize = 512;
/// Target fill of a capacity, so that a plane may move to a cheaper position.
const AIM: f64 = 0.85;
/// Cost of the most uneven permitted cut, relative to an even cut with the same seam.
const UNEVEN: f64 = 3.0;
/// Above this number of constraints, the direction of a cut is chosen from a sample and only its position from all.
const SAMPLE: usize = 1 << 16;

/// A plane, and the side of the constraints that cross it.
#[derive(Clone, Copy)]
struct Cut {
    view: View,
    /// First bin of the upper side.
    bin: usize,
}

/// A cut direction with a scale.
#[derive(Clone, Copy)]
struct View {
    axis: usize,
    /// The side that crossing constraints go to.
    side: Side,
    low: f32,
    per_bin: f32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Lower,
    Upper,
}

/// First and last bin with a constraint of a row: gives its constraints on both sides of all planes at once.
#[derive(Clone, Copy, Default)]
struct Span {
    stamp: u32,
    first: u16,
    last: u16,
}

/// Bisects the constraints of a scene.
pub struct Bisection<'a> {
    kinds: Vec<KindConstraints<'a>>,
    rest: &'a [Vec3],
    spans: Vec<Span>,
    stamp: u32,
}

impl<'a> Bisection<'a> {
    /// For all kinds; `rest` holds the rest positions of the rows [m].
    pub fn new(kinds: Vec<KindConstraints<'a>>, rest: &'a [Vec3]) -> Self {
        Self { kinds, rest, spans: vec![Span::default(); rest.len()], stamp: 0 }
    }

    /// All constraints.
    pub fn items(&self) -> Vec<Item> {
        let count = |kind: &KindConstraints<'_>| (kind.rows.len() / kind.arity) as u32;
        let of_group = |(group, kind)| (0..count(kind)).map(move |number| Item { group: group as u32, number });
        self.kinds.iter().enumerate().flat_map(of_group).collect()
    }

    /// Rows of a constraint.
    #[inline]
    pub fn rows(&self, item: Item) -> &'a [u32] {
        let kind = &self.kinds[item.group as usize];
        &kind.rows[item.number as usize * kind.arity..(item.number as usize + 1) * kind.arity]
    }

    /// Rows that a constraint moves. Rows that it only reads, such as the far end of a tether, do not affect its
    /// position.
    #[inline]
    fn moved(&self, item: Item) -> &'a [u32] {
        &self.rows(item)[..self.kinds[item.group as usize].moves]
    }

    /// Bisects constraints until each piece fits a capacity.
    pub fn cut(&mut self, capacity: PieceCapacity, items: Vec<Item>) -> Vec<Vec<Item>> {
        let mut pieces = Vec::new();
        // Depth first, lower side before upper: neighbors in the list are neighbors in space.
        let mut open = vec![items];
        while let Some(items) = open.pop() {
            let wanted = self.wanted(capacity, &items);
            if wanted == 1 {
                pieces.push(items);
                continue;
            }
            let (lower, upper) = match self.best(&items, wanted) {
                Some(cut) => items.into_iter().partition(|&item| self.bin(cut.view, item) < cut.bin),
                // All at one point: no plane separates them, so the list is halved.
                None => (items[..items.len() / 2].to_vec(), items[items.len() / 2..].to_vec()),
            };
            open.push(upper);
            open.push(lower);
        }
        pieces
    }

    /// Number of pieces to cut into; 1 if the constraints already fit.
    fn wanted(&mut self, capacity: PieceCapacity, items: &[Item]) -> usize {
        self.stamp += 1;
        let mut rows = 0;
        for &item in items {
            for &r in self.rows(item) {
                rows += usize::from(std::mem::replace(&mut self.spans[r as usize].stamp, self.stamp) != self.stamp);
            }
        }
        if items.len() < 2 || (rows <= capacity.rows && items.len() <= capacity.constraints) {
            return 1;
        }
        let times = |found: usize, most: usize| (found as f64 / (AIM * most as f64)).ceil() as usize;
        times(rows, capacity.rows).max(times(items.len(), capacity.constraints)).max(2)
    }

    /// The cheapest cut into parts for `wanted` pieces in all.
    fn best(&mut self, items: &[Item], wanted: usize) -> Option<Cut> {
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for &r in items.iter().flat_map(|&item| self.moved(item)) {
            low = low.min(self.rest[r as usize]);
            high = high.max(self.rest[r as usize]);
        }
        let view =
            |axis: usize, side| View { axis, side, low: low[axis], per_bin: BINS as f32 / (high[axis] - low[axis]) };
        let views = (0..3).flat_map(|axis| [view(axis, Side::Lower), view(axis, Side::Upper)]);
        let views: Vec<View> = views.filter(|view| view.per_bin.is_finite()).collect();
        if items.len() <= SAMPLE {
            return self.best_of(&views, items, wanted);
        }
        let sample: Vec<Item> = items.iter().copied().step_by(items.len().div_ceil(SAMPLE)).collect();
        let rough = self.best_of(&views, &sample, wanted)?;
        self.best_of(&[rough.view], items, wanted)
    }

    fn best_of(&mut self, views: &[View], items: &[Item], wanted: usize) -> Option<Cut> {
        let mut best: Option<(f64, Cut)> = None;
        for &view in views {
            let found = self.cheapest(items, wanted, view);
            if let Some((cost, bin)) = found.filter(|(cost, _)| best.is_none_or(|(least, _)| *cost < least)) {
                best = Some((cost, Cut { view, bin }));
            }
        }
        best.map(|(_, cut)| cut)
    }

    /// The cheapest plane along a direction, with its cost.
    fn cheapest(&mut self, items: &[Item], wanted: usize, view: View) -> Option<(f64, usize)> {
        self.stamp += 1;
        // lower[b]: constraints below plane b; shared[b]: change of the shared-particle count at plane b.
        let (mut lower, mut shared) = ([0_usize; BINS + 1], [0_i64; BINS + 1]);
        let mut touched = Vec::new();
        for &item in items {
            let bin = self.bin(view, item);
            lower[bin + 1] += 1;
            for &r in self.rows(item) {
                let span = &mut self.spans[r as usize];
                if span.stamp == self.stamp {
                    span.first = span.first.min(bin as u16);
                    span.last = span.last.max(bin as u16);
                } else {
                    *span = Span { stamp: self.stamp, first: bin as u16, last: bin as u16 };
                    touched.push(r);
                }
            }
        }
        for span in touched.iter().map(|&r| self.spans[r as usize]) {
            shared[span.first as usize + 1] += 1;
            shared[span.last as usize + 1] -= 1;
        }
        let all = items.len();
        // An odd number of pieces has its larger part above, an arbitrary choice.
        let aim = all as f64 * (wanted / 2) as f64 / wanted as f64;
        let slack = aim * (1.0 / AIM - 1.0);
        let (mut below, mut seam) = (0, 0);
        let mut best: Option<(f64, usize)> = None;
        for bin in 1..BINS {
            below += lower[bin];
            seam += shared[bin];
            if below == 0 || below == all {
                continue;
            }
            let off = (below as f64 - aim) / slack;
            // A side over its capacity makes more pieces than wanted, possibly tiny ones: the last resort.
            let worst = if off.abs() > 1.0 { all as f64 * off.abs() } else { 0.0 };
            let cost = (seam + 1) as f64 * (1.0 + UNEVEN * off * off) + worst;
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, bin));
            }
        }
        best
    }

    #[inline]
    fn bin(&self, view: View, item: Item) -> usize {
        let at = self.moved(item).iter().map(|&r| self.rest[r as usize][view.axis]);
        let at = match view.side {
            Side::Lower => at.fold(f32::INFINITY, f32::min),
            Side::Upper => at.fold(f32::NEG_INFINITY, f32::max),
        };
        (((at - view.low) * view.per_bin).max(0.0) as usize).min(BINS - 1)
    }
}
