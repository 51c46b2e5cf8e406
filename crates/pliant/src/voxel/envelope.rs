//! Passes two to five of the distance transform: along a column, which entries are nearest to any voxel (D4 Alg 4.3
//! and 4.5), and the evaluation at each voxel (Alg 4.4 and 4.6).
//!
//! An entry g at position j gives voxel i the value 4(i − j)² + g. The result is the lower envelope of congruent
//! parabolas, any two of which cross once.
//!
//! A column is processed run by run, where a run lies on one side of the surface: no surface lies between a voxel and
//! its nearest site, so nothing beyond the ends of its run can be nearer than these.

use crate::voxel::sites::{EMPTY, INSIDE, Reach};

/// Columns that are copied from the array together: a cache line.
const TOGETHER: usize = 16;

/// Scratch memory for the remaining entries of one column.
pub struct Column {
    /// Position of each entry.
    at: Vec<i32>,
    /// g + 4j²: the parabola is 4i² − 8ij + this; the first term is common to all.
    height: Vec<i32>,
}

impl Column {
    /// For columns of at most `most` voxels.
    pub fn new(most: usize) -> Self {
        Self { at: vec![0; most + 2], height: vec![0; most + 2] }
    }

    /// Replaces every value by the minimum over the entries of its run.
    pub fn pass(&mut self, column: &mut [u32], reach: Reach) {
        for run in column.chunk_by_mut(|a, b| a & INSIDE == b & INSIDE) {
            // Two voxels between two surfaces are sites, whose values already are minimal.
            let inside = run[0] & INSIDE;
            if inside != 0 && run.len() > 2 || inside == 0 && reach == Reach::Everywhere {
                let count = self.proximate(run);
                if count > 0 {
                    self.read(count, run, inside);
                }
            }
        }
    }

    /// Keeps the entries that are minimal somewhere; returns their number.
    fn proximate(&mut self, column: &[u32]) -> usize {
        let mut count = 0;
        for (j, &g) in column.iter().enumerate() {
            // E25: a voxel that is no site has no parabola.
            let g = g & !INSIDE;
            if g == EMPTY {
                continue;
            }
            let (at, height) = (j as i32, g as i32 + 4 * (j * j) as i32);
            // The first test without a branch, as in `read`.
            if count > 1 {
                count -= usize::from(self.hidden(count - 1, at, height));
            }
            while count > 1 && self.hidden(count - 1, at, height) {
                count -= 1;
            }
            self.at[count] = at;
            self.height[count] = height;
            count += 1;
        }
        count
    }

    /// Whether entry b is hidden between the entry before it and a new one: they cross it in the wrong order. E25: the
    /// crossing positions are fractions, compared by cross-multiplication. The products stay below 12n³, which is 2³¹
    /// for n ≤ 563: a shader needs wider ones only beyond that.
    fn hidden(&self, b: usize, at: i32, height: i32) -> bool {
        let (at_a, at_b) = (self.at[b - 1], self.at[b]);
        let (height_a, height_b) = (self.height[b - 1], self.height[b]);
        let product = |x: i32, y: i32| i64::from(x) * i64::from(y);
        product(height_b - height_a, at - at_b) >= product(height - height_b, at_b - at_a)
    }

    /// Evaluates the minimum at every position. Whether the next entry begins there is unpredictable, and a
    /// misprediction costs more than computing both: the condition is a number and not a branch. Two entries
    /// beginning at the same position are rare.
    fn read(&mut self, count: usize, column: &mut [u32], inside: u32) {
        // Sentinel entries at the end that are never minimal.
        for end in count..count + 2 {
            self.at[end] = 0;
            self.height[end] = i32::MAX;
        }
        let (at, height) = (&self.at[..count + 2], &self.height[..count + 2]);
        let mut k = 0;
        for (i, out) in column.iter_mut().enumerate() {
            let i = i as i32;
            let value = |k: usize| height[k] - 8 * i * at[k];
            k += usize::from(value(k + 1) <= value(k));
            while value(k + 1) <= value(k) {
                k += 1;
            }
            *out = (value(k) + 4 * i * i) as u32 | inside;
        }
    }
}

/// Calls `pass` for every column of an array with stride `stride`, copied to contiguous memory: the part needed
/// for `reach`, at most from its first inside voxel to its last.
pub fn each_column(array: &mut [u32], stride: usize, reach: Reach, mut pass: impl FnMut(&mut [u32])) {
    let length = array.len() / stride;
    let mut copies = vec![0; TOGETHER * length];
    for first in (0..stride).step_by(TOGETHER) {
        let width = TOGETHER.min(stride - first);
        let wanted = |i: &usize| {
            let line = &array[i * stride + first..][..width];
            reach == Reach::Everywhere || line.iter().fold(0, |all, value| all | value) & INSIDE != 0
        };
        let (Some(low), Some(high)) = ((0..length).find(wanted), (0..length).rfind(wanted)) else { continue };
        let span = high + 1 - low;
        for i in 0..span {
            let line = &array[(low + i) * stride + first..][..width];
            line.iter().enumerate().for_each(|(c, &value)| copies[c * span + i] = value);
        }
        copies.chunks_exact_mut(span).take(width).for_each(&mut pass);
        for i in 0..span {
            let line = &mut array[(low + i) * stride + first..][..width];
            line.iter_mut().enumerate().for_each(|(c, value)| *value = copies[c * span + i]);
        }
    }
}
