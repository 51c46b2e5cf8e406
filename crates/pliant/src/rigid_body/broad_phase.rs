//! Pairs of bodies whose bounds overlap: strips along one axis, sort and sweep along another in each of them.
//!
//! The pairs are sorted by body, so that they, and with them all results, do not depend on the sweep or on bodies elsewhere.

use glam::DVec3;

/// Bounds of a body during the substep [m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lowest corner.
    pub low: DVec3,
    /// Highest corner.
    pub high: DVec3,
}

impl Bounds {
    /// Whether two bounds overlap.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }
}

/// Most strips: a body that is long across them is in all of them.
const MOST_STRIPS: f64 = 256.0;

/// A body in a strip.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Strip, then lower end along the axis of the sweep, as one number that sorts alike.
    key: u64,
    body: u32,
}

/// Buffers of the sweep.
#[derive(Clone, Debug, Default)]
pub struct BroadPhase {
    order: Vec<Entry>,
    /// Pairs (higher index, lower index), sorted.
    pub pairs: Vec<(u32, u32)>,
}

impl BroadPhase {
    /// Finds all overlapping pairs of bounds for which `wanted` holds of the lower and the higher index.
    pub fn find(&mut self, bounds: &[Bounds], wanted: impl Fn(u32, u32) -> bool) {
        self.pairs.clear();
        self.order.clear();
        let Some(first) = bounds.first() else { return };
        let all = bounds.iter().fold(*first, |all, b| Bounds { low: all.low.min(b.low), high: all.high.max(b.high) });
        let [sweep, across] = axes(bounds);
        let mean = bounds.iter().map(|b| b.high[across] - b.low[across]).sum::<f64>() / bounds.len() as f64;
        let extent = all.high[across] - all.low[across];
        let width = (1.5 * mean).max(extent / MOST_STRIPS).max(f64::MIN_POSITIVE);
        let strip = |at: f64| ((at - all.low[across]) / width).clamp(0.0, MOST_STRIPS) as u64;
        // Single precision, rounded down, is enough to sort by: overlaps are tested exactly.
        let place = |at: f64| ordered(((at - all.low[sweep]) as f32).next_down());
        for (k, b) in bounds.iter().enumerate() {
            let low = u64::from(place(b.low[sweep]));
            for strip in strip(b.low[across])..=strip(b.high[across]) {
                self.order.push(Entry { key: strip << 32 | low, body: k as u32 });
            }
        }
        self.order.sort_unstable_by_key(|e| (e.key, e.body));
        for (k, entry) in self.order.iter().enumerate() {
            let own = &bounds[entry.body as usize];
            let own_strip = entry.key >> 32;
            let end = own_strip << 32 | u64::from(ordered(((own.high[sweep] - all.low[sweep]) as f32).next_up()));
            for other in &self.order[k + 1..] {
                if other.key > end {
                    break;
                }
                let theirs = &bounds[other.body as usize];
                // Bodies that share several strips are a pair in the first of them.
                if own.overlaps(theirs) && strip(own.low[across].max(theirs.low[across])) == own_strip {
                    let (a, b) = (entry.body.min(other.body), entry.body.max(other.body));
                    if wanted(a, b) {
                        self.pairs.push((b, a));
                    }
                }
            }
        }
        self.pairs.sort_unstable();
    }
}

/// A number that sorts like a float.
fn ordered(v: f32) -> u32 {
    let bits = v.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

/// Axes of the largest and the second largest spread.
fn axes(bounds: &[Bounds]) -> [usize; 2] {
    let count = bounds.len().max(1) as f64;
    let middle = |b: &Bounds| 0.5 * (b.low + b.high);
    let mean = bounds.iter().map(middle).sum::<DVec3>() / count;
    let spread = bounds.iter().map(|b| (middle(b) - mean) * (middle(b) - mean)).sum::<DVec3>();
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| spread[b].total_cmp(&spread[a]));
    [order[0], order[1]]
}
