//! Pairs of bodies whose bounds overlap: sort and sweep along the axis of largest spread.
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

/// Buffers of the sweep.
#[derive(Clone, Debug, Default)]
pub struct BroadPhase {
    order: Vec<(f64, u32)>,
    /// Pairs (lower index, higher index), sorted.
    pub pairs: Vec<(u32, u32)>,
}

impl BroadPhase {
    /// Finds all overlapping pairs of bounds for which `wanted` holds.
    pub fn find(&mut self, bounds: &[Bounds], wanted: impl Fn(u32, u32) -> bool) {
        self.pairs.clear();
        let axis = spread_axis(bounds);
        self.order.clear();
        self.order.extend(bounds.iter().enumerate().map(|(k, b)| (b.low[axis], k as u32)));
        self.order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (k, &(_, i)) in self.order.iter().enumerate() {
            let own = &bounds[i as usize];
            for &(low, j) in &self.order[k + 1..] {
                if low > own.high[axis] {
                    break;
                }
                let (a, b) = (i.min(j), i.max(j));
                if own.overlaps(&bounds[j as usize]) && wanted(a, b) {
                    self.pairs.push((a, b));
                }
            }
        }
        self.pairs.sort_unstable();
    }
}

fn spread_axis(bounds: &[Bounds]) -> usize {
    let count = bounds.len().max(1) as f64;
    let middle = |b: &Bounds| 0.5 * (b.low + b.high);
    let mean = bounds.iter().map(middle).sum::<DVec3>() / count;
    let spread = bounds.iter().map(|b| (middle(b) - mean) * (middle(b) - mean)).sum::<DVec3>();
    if spread.x >= spread.y && spread.x >= spread.z {
        0
    } else if spread.y >= spread.z {
        1
    } else {
        2
    }
}
