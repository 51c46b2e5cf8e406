//! Mapping of positions to cells of a table: the cell function and the shape of the table (D4 §5.1.1).
//!
//! The cell function has no origin: subtracting one would cost all positions precision as soon as one particle is far
//! away. Cell indices are made relative in integers instead, which is exact.

use crate::math::RowData;

/// Cell indices stay within ±this, so that their differences fit 32 bits. Exactly representable in f32.
pub(crate) const FARTHEST_CELL: f32 = 1_073_741_760.0;

/// Smallest cell [m]: its inverse must be finite, and 0 times it 0.
pub(crate) const SMALLEST_CELL: f32 = 1e-18;

/// Axis-aligned bounds of positions [m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Minimum coordinates.
    pub min: [f32; 3],
    /// Maximum coordinates.
    pub max: [f32; 3],
}

impl Bounds {
    /// Bounds of all rows; a point at the origin if there are none.
    pub fn of(rows: &[RowData]) -> Self {
        let Some(first) = rows.first() else { return Self { min: [0.0; 3], max: [0.0; 3] } };
        let (mut min, mut max) = (*first, *first);
        for row in rows {
            // All four components, to use one vector.
            for k in 0..4 {
                min[k] = if row[k] < min[k] { row[k] } else { min[k] };
                max[k] = if row[k] > max[k] { row[k] } else { max[k] };
            }
        }
        Self { min: [min[0], min[1], min[2]], max: [max[0], max[1], max[2]] }
    }

    /// Edge lengths [m].
    pub fn extent(&self) -> [f32; 3] {
        std::array::from_fn(|k| self.max[k] - self.min[k])
    }

    /// Cell size [m] with about one point per cell for `count` points spread evenly over the volume, or over a plane or
    /// line if the bounds are nearly flat.
    pub fn spacing(&self, count: usize) -> f32 {
        let mut edges = self.extent();
        edges.sort_by(|a, b| b.total_cmp(a));
        let [a, b, c] = edges;
        let n = count.max(1) as f32;
        let volume = libm::cbrtf((a / n) * b * c);
        let plane = ((a / n) * b).sqrt();
        let size = if c > 0.0 && volume <= c {
            volume
        } else if b > 0.0 && plane <= b {
            plane
        } else {
            a / n
        };
        if size.is_finite() { size.max(SMALLEST_CELL) } else { 1.0 }
    }
}

/// Uniform box-shaped cells, and the table that stores them.
///
/// cell(v) = ⌊v · inverse⌋ for each coordinate, with the inverse of the cell's edge along that axis. The table has
/// `dims` cells along each axis; where the bounds are longer, cells wrap around: cells `dims` apart share a bucket.
/// Wrapped axes have power-of-two dims.
#[derive(Clone, Debug)]
pub struct Cells {
    size: [f32; 3],
    inverse: [f32; 3],
    /// Cell of the minimum coordinates.
    base: [i32; 3],
    /// Cells that the bounds cover, minus one.
    last: [i32; 3],
    dims: [u32; 3],
    /// Mask from relative cell index to table index: all bits, or the remainder by `dims`.
    masks: [u32; 3],
}

impl Default for Cells {
    fn default() -> Self {
        Self::new(&Bounds::of(&[]), [1.0; 3], 1)
    }
}

/// A run of buckets along one axis of the table, possibly wrapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// First bucket.
    pub first: u32,
    /// Number of buckets, each once.
    pub count: u32,
}

impl Cells {
    /// Cells of edge lengths `size` [m] over the bounds, in a table of at most `most` buckets (at least one).
    ///
    /// The table has the shape of the bounds. If that is too large, its longest axis (the first of equal ones) wraps
    /// around at the next smaller power of two, until it fits.
    pub fn new(bounds: &Bounds, size: [f32; 3], most: usize) -> Self {
        let size = size.map(|s| if s > SMALLEST_CELL { s } else { SMALLEST_CELL });
        let inverse = size.map(|s| 1.0 / s);
        let base: [i32; 3] = std::array::from_fn(|k| cell(bounds.min[k], inverse[k]));
        let last: [i32; 3] = std::array::from_fn(|k| cell(bounds.max[k], inverse[k]) - base[k]);
        let mut dims = last.map(|l| l as u32 + 1);
        let mut masks = [u32::MAX; 3];
        while dims.iter().map(|&d| u128::from(d)).product::<u128>() > most.max(1) as u128 {
            let mut longest = 0;
            for k in 1..3 {
                if dims[k] > dims[longest] {
                    longest = k;
                }
            }
            dims[longest] = dims[longest].next_power_of_two() / 2;
            masks[longest] = dims[longest] - 1;
        }
        Self { size, inverse, base, last, dims, masks }
    }

    /// Edge lengths of a cell [m].
    pub fn size(&self) -> [f32; 3] {
        self.size
    }

    /// Buckets along each axis of the table.
    pub fn dims(&self) -> [u32; 3] {
        self.dims
    }

    /// Total number of buckets.
    pub fn places(&self) -> usize {
        self.dims.iter().map(|&d| d as usize).product()
    }

    /// Whether cells share buckets along any axis.
    pub fn wraps(&self) -> bool {
        self.masks.iter().any(|&m| m != u32::MAX)
    }

    /// Bucket of a position: (z · dims.y + y) · dims.x + x.
    #[inline(always)]
    pub fn place(&self, row: RowData) -> u32 {
        let [x, y, z] = std::array::from_fn(|k| self.relative(k, row[k]) as u32 & self.masks[k]);
        (z * self.dims[1] + y) * self.dims[0] + x
    }

    /// Cell of a coordinate along axis `k`, relative to the first cell of the bounds and clamped to them.
    #[inline(always)]
    pub(crate) fn relative(&self, k: usize, v: f32) -> i32 {
        (cell(v, self.inverse[k]) - self.base[k]).max(0).min(self.last[k])
    }

    /// Last relative cell along axis `k`.
    pub(crate) fn last(&self, k: usize) -> i32 {
        self.last[k]
    }

    /// Bucket along axis `k` of a relative cell.
    pub(crate) fn wrap(&self, k: usize, relative: i32) -> u32 {
        relative as u32 & self.masks[k]
    }

    /// Lower edge [m] of a relative cell along axis `k`, and the rounding error of the cell function [m].
    pub(crate) fn edge(&self, k: usize, relative: i64) -> (f64, f64) {
        let edge = (relative + i64::from(self.base[k])) as f64 / f64::from(self.inverse[k]);
        // The product is rounded once: by at most 2⁻²⁴, relative.
        (edge, edge.abs() * 1e-7)
    }

    /// Buckets along axis `k` of all cells from that of `low` to that of `high`, each once.
    ///
    /// The cell function is monotonic, rounding included: every position between the two has one of these buckets.
    #[inline(always)]
    pub(crate) fn run(&self, k: usize, low: f32, high: f32) -> Run {
        let (a, b) = (self.relative(k, low), self.relative(k, high));
        let count = (b - a) as u32 + 1;
        // More cells than buckets: every bucket is visited exactly once.
        if count >= self.dims[k] {
            Run { first: 0, count: self.dims[k] }
        } else {
            Run { first: a as u32 & self.masks[k], count }
        }
    }

    /// The `i`th bucket of a run along axis `k`.
    #[inline(always)]
    pub(crate) fn step(&self, k: usize, run: Run, i: u32) -> u32 {
        (run.first + i) & self.masks[k]
    }
}

/// ⌊v · inverse⌋ within ±[`FARTHEST_CELL`].
#[inline(always)]
#[allow(clippy::manual_clamp, reason = "clamp lets NaN through, which must not be converted")]
fn cell(v: f32, inverse: f32) -> i32 {
    // NaN is in the first cell and has no neighbors.
    let scaled = (v * inverse).max(-FARTHEST_CELL).min(FARTHEST_CELL);
    // Truncation, then correction: `floor` is a library call without SSE4.1. Above 2²⁴ all f32 are whole, so the
    // conversion back is exact.
    debug_assert!(scaled.abs() <= FARTHEST_CELL, "{scaled}");
    // SAFETY: within ±2³⁰ and not NaN, which `max` has replaced. The checked conversion takes twice as long.
    let whole: i32 = unsafe { scaled.to_int_unchecked() };
    whole - i32::from(scaled < whole as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(min: [f32; 3], max: [f32; 3], size: f32, most: usize) -> Cells {
        Cells::new(&Bounds { min, max }, [size; 3], most)
    }

    #[test]
    fn s30_cells_are_the_floor_and_never_decrease() {
        let mut before = i32::MIN;
        for v in [f32::NEG_INFINITY, -1e30, -7.5, -7.0, -0.1, -0.0, 0.0, 0.99, 1.0, 1e6 + 0.5, 3e9, f32::INFINITY] {
            let c = cell(v, 1.0);
            assert!(c >= before);
            assert!(v.abs() > 1e9 || c == v.floor() as i32, "{v} is in cell {c}");
            before = c;
        }
        assert_eq!(cell(f32::NAN, 1.0), -FARTHEST_CELL as i32);
    }

    #[test]
    fn s30_the_table_takes_the_shape_of_the_bounds_and_wraps_its_longest_axis() {
        let cells = over([0.0; 3], [99.5, 9.5, 0.5], 1.0, 1000);
        assert_eq!((cells.dims(), cells.wraps()), ([100, 10, 1], false));
        let cells = over([0.0; 3], [99.5, 9.5, 0.5], 1.0, 999);
        assert_eq!((cells.dims(), cells.wraps()), ([64, 10, 1], true));
        assert_eq!(over([-1e30; 3], [1e30; 3], 1.0, 1).dims(), [1, 1, 1]);
        for most in [1, 7, 64, 5000] {
            assert!(over([-1e30; 3], [1e9, 1e30, 4.0], 0.1, most).places() <= most);
        }
    }

    #[test]
    fn s30_a_run_has_every_place_of_its_cells_once() {
        let cells = over([0.0; 3], [99.5, 0.5, 0.5], 1.0, 8);
        assert_eq!(cells.dims(), [8, 1, 1]);
        for (low, high) in [(0.0, 3.0), (6.2, 9.1), (15.0, 15.0), (-3.0, 200.0), (90.0, 98.0), (3.0, 10.5)] {
            let run = cells.run(0, low, high);
            let mut places: Vec<u32> = (0..run.count).map(|i| cells.step(0, run, i)).collect();
            places.sort_unstable();
            let mut expected: Vec<u32> = (low.max(0.0) as u32..=high.min(99.0) as u32).map(|c| c % 8).collect();
            expected.sort_unstable();
            expected.dedup();
            assert_eq!(places, expected, "{low} to {high}");
        }
    }

    #[test]
    fn s30_spacing_gives_about_a_cell_per_point_for_volumes_planes_and_lines() {
        let spacing = |max| Bounds { min: [0.0; 3], max }.spacing(1000);
        assert!((spacing([10.0, 10.0, 10.0]) - 1.0).abs() < 1e-5);
        assert!((spacing([10.0, 0.0, 10.0]) - 0.1_f32.sqrt()).abs() < 1e-5);
        assert!((spacing([0.0, 10.0, 0.0]) - 0.01).abs() < 1e-6);
        assert!(spacing([0.0; 3]) > 0.0);
        assert!(spacing([3e38; 3]).is_finite());
    }
}
