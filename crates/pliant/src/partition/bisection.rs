//! Cuts constraints of all kinds into pieces that share few particles.
//!
//! A cut is a plane of the rest shape. All constraints that cross it go to the same side of it, so that the
//! particles that both sides name lie on the other. What a plane costs, the number of those particles, is counted
//! and not guessed; the plane matters more than who gets what crosses it.

use crate::constraints::ConstraintKind;
use crate::constraints::group::Raw;
use glam::Vec3;

/// A constraint by its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// Number of its kind.
    pub group: u32,
    /// Number within the kind.
    pub number: u32,
}

/// The constraints of one kind.
pub struct Stock<'a> {
    arity: usize,
    moves: usize,
    rows: &'a [u32],
}

impl<'a> Stock<'a> {
    /// Those of a kind; none if it turns orientations, which cannot have copies.
    pub fn of_kind(kind: &ConstraintKind, raw: &'a Raw) -> Self {
        let layout = kind.layout();
        let rows = if layout.turns { &[] } else { &raw.rows[..] };
        Self { arity: layout.rows, moves: layout.moves, rows }
    }
}

/// What a piece may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Rows.
    pub rows: usize,
    /// Constraints of all kinds.
    pub constraints: usize,
}

/// Places where a cut is tried along an axis: several in each layer of particles of a piece that is still large.
const BINS: usize = 512;
/// Part of a share that is aimed at, so that a plane may move to where it costs less.
const AIM: f64 = 0.85;
/// Cost of a cut that leaves one side no room, over that of one with the same seam in the best place.
const UNEVEN: f64 = 3.0;
/// Above so many constraints the direction of a cut is chosen by a part of them, and only its place by all.
const SAMPLE: usize = 1 << 16;

/// A plane, and which side has the constraints that cross it.
#[derive(Clone, Copy)]
struct Cut {
    view: View,
    /// First bin of the upper side.
    bin: usize,
}

/// A direction to look along, with a scale.
#[derive(Clone, Copy)]
struct View {
    axis: usize,
    /// The side that crossing constraints are on.
    side: Side,
    low: f32,
    per_bin: f32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Lower,
    Upper,
}

/// Constraints a row has on the sides of all planes at once: the first and the last bin with one.
#[derive(Clone, Copy, Default)]
struct Span {
    stamp: u32,
    first: u16,
    last: u16,
}

/// Cuts the constraints of a scene.
pub struct Saw<'a> {
    stocks: Vec<Stock<'a>>,
    rest: &'a [Vec3],
    spans: Vec<Span>,
    stamp: u32,
}

impl<'a> Saw<'a> {
    /// For all kinds, among rows that are at `rest` [m].
    pub fn new(stocks: Vec<Stock<'a>>, rest: &'a [Vec3]) -> Self {
        Self { stocks, rest, spans: vec![Span::default(); rest.len()], stamp: 0 }
    }

    /// All constraints.
    pub fn items(&self) -> Vec<Item> {
        let count = |stock: &Stock<'_>| (stock.rows.len() / stock.arity) as u32;
        let of_group = |(group, stock)| (0..count(stock)).map(move |number| Item { group: group as u32, number });
        self.stocks.iter().enumerate().flat_map(of_group).collect()
    }

    /// Rows of a constraint.
    #[inline]
    pub fn rows(&self, item: Item) -> &'a [u32] {
        let stock = &self.stocks[item.group as usize];
        &stock.rows[item.number as usize * stock.arity..(item.number as usize + 1) * stock.arity]
    }

    /// Rows that a constraint moves. Those that it only reads, such as the far end of a tether, say
    /// nothing about where it belongs.
    #[inline]
    fn moved(&self, item: Item) -> &'a [u32] {
        &self.rows(item)[..self.stocks[item.group as usize].moves]
    }

    /// Cuts constraints into pieces that each fit a share.
    pub fn cut(&mut self, share: Share, items: Vec<Item>) -> Vec<Vec<Item>> {
        let mut pieces = Vec::new();
        // Depth first, lower side before upper: neighbors in the list are neighbors in space.
        let mut open = vec![items];
        while let Some(items) = open.pop() {
            let wanted = self.wanted(share, &items);
            if wanted == 1 {
                pieces.push(items);
                continue;
            }
            let (lower, upper) = match self.best(&items, wanted) {
                Some(cut) => items.into_iter().partition(|&item| self.bin(cut.view, item) < cut.bin),
                // All in one place: no plane sets anything apart, and halves are as good as any other parts.
                None => (items[..items.len() / 2].to_vec(), items[items.len() / 2..].to_vec()),
            };
            open.push(upper);
            open.push(lower);
        }
        pieces
    }

    /// Pieces that constraints should become; 1 where they fit as they are.
    fn wanted(&mut self, share: Share, items: &[Item]) -> usize {
        self.stamp += 1;
        let mut rows = 0;
        for &item in items {
            for &r in self.rows(item) {
                rows += usize::from(std::mem::replace(&mut self.spans[r as usize].stamp, self.stamp) != self.stamp);
            }
        }
        if items.len() < 2 || (rows <= share.rows && items.len() <= share.constraints) {
            return 1;
        }
        let times = |found: usize, most: usize| (found as f64 / (AIM * most as f64)).ceil() as usize;
        times(rows, share.rows).max(times(items.len(), share.constraints)).max(2)
    }

    /// The cut into parts for `wanted` pieces in all that costs least.
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

    /// The plane of a view that costs least, with its cost.
    fn cheapest(&mut self, items: &[Item], wanted: usize, view: View) -> Option<(f64, usize)> {
        self.stamp += 1;
        // lower[b]: constraints below plane b; shared[b]: what particles that both sides name change there.
        let (mut lower, mut shared) = ([0_usize; BINS + 1], [0_i64; BINS + 1]);
        let mut met = Vec::new();
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
                    met.push(r);
                }
            }
        }
        for span in met.iter().map(|&r| self.spans[r as usize]) {
            shared[span.first as usize + 1] += 1;
            shared[span.last as usize + 1] -= 1;
        }
        let all = items.len();
        // An odd number of pieces has its larger part above: any rule would do.
        let aim = all as f64 * (wanted / 2) as f64 / wanted as f64;
        let room = aim * (1.0 / AIM - 1.0);
        let (mut below, mut seam) = (0, 0);
        let mut best: Option<(f64, usize)> = None;
        for bin in 1..BINS {
            below += lower[bin];
            seam += shared[bin];
            if below == 0 || below == all {
                continue;
            }
            let off = (below as f64 - aim) / room;
            // A cut that leaves no room makes more pieces than wanted, perhaps crumbs: only if there is no other.
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
