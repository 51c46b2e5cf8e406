//! Passes two to five of the distance transform: along a column, which entries are nearest to anything (D4 Alg 4.3
//! and 4.5), and what each voxel reads from them (Alg 4.4 and 4.6).
//!
//! An entry g at place j gives voxel i the number 4(i − j)² + g. All entries together are a lower envelope of parabolas of
//! one shape, of which any two cross once.
//!
//! A column is taken run by run, where a run is what lies on one side of the surface: between a voxel and what is
//! nearest to it there is no surface, so nothing beyond the ends of its run can be nearer than these.

use crate::voxel::sites::{EMPTY, INSIDE, Reach};

/// Columns that are taken out of the array together: a cache line.
const TOGETHER: usize = 16;

/// Room for the entries that are left of one column.
pub struct Column {
    /// Place of each entry.
    at: Vec<i32>,
    /// g + 4j²: the parabola is 4i² − 8ij + this, of which all have the first term.
    height: Vec<i32>,
}

impl Column {
    /// For columns of at most so many voxels.
    pub fn new(most: usize) -> Self {
        Self { at: vec![0; most + 2], height: vec![0; most + 2] }
    }

    /// Replaces every number by the least that any entry of its run gives there.
    pub fn pass(&mut self, column: &mut [u32], reach: Reach) {
        for run in column.chunk_by_mut(|a, b| a & INSIDE == b & INSIDE) {
            // Two voxels between two surfaces are sites, whose numbers are the least there are.
            let inside = run[0] & INSIDE;
            if inside != 0 && run.len() > 2 || inside == 0 && reach == Reach::Everywhere {
                let count = self.proximate(run);
                if count > 0 {
                    self.read(count, run, inside);
                }
            }
        }
    }

    /// Keeps the entries that are least anywhere; returns how many.
    fn proximate(&mut self, column: &[u32]) -> usize {
        let mut count = 0;
        for (j, &g) in column.iter().enumerate() {
            // E25: what is no site has no parabola.
            let g = g & !INSIDE;
            if g == EMPTY {
                continue;
            }
            let (at, height) = (j as i32, g as i32 + 4 * (j * j) as i32);
            // The first without a branch, as in `read`.
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

    /// Whether the entry before and a new one leave nothing to entry b: they cross it in the wrong order. E25: the
    /// places of crossings are fractions, compared crosswise. The products stay below 12n³, which is 2³¹ for
    /// n ≤ 563: a shader needs longer ones only beyond that.
    fn hidden(&self, b: usize, at: i32, height: i32) -> bool {
        let (at_a, at_b) = (self.at[b - 1], self.at[b]);
        let (height_a, height_b) = (self.height[b - 1], self.height[b]);
        let product = |x: i32, y: i32| i64::from(x) * i64::from(y);
        product(height_b - height_a, at - at_b) >= product(height - height_b, at_b - at_a)
    }

    /// Reads the least number at every place. Whether the next entry begins there cannot be foretold, and a wrong guess
    /// costs more than to work out both: it is a number here and no branch. That another one begins at the same place is
    /// rare.
    fn read(&mut self, count: usize, column: &mut [u32], inside: u32) {
        // Entries at the end that never are the least.
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

/// Calls for every column of an array whose entries lie `stride` apart, copied to where they are side by side: for what
/// is wanted of it, at most from its first voxel inside to its last.
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
