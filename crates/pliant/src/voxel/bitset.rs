//! One bit per voxel, packed along x into 32-bit words.

/// Which voxels are inside. Rows along x are padded to whole words; bits beyond the end of a row are 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Voxels {
    dims: [u32; 3],
    /// Words per row.
    row: usize,
    words: Vec<u32>,
}

impl Voxels {
    /// All voxels outside.
    pub fn new(dims: [u32; 3]) -> Self {
        let row = dims[0].div_ceil(32) as usize;
        Self { dims, row, words: vec![0; row * dims[1] as usize * dims[2] as usize] }
    }

    /// From words, as many as [`Voxels::new`] has.
    #[cfg(feature = "gpu")]
    pub(crate) fn from_words(dims: [u32; 3], words: Vec<u32>) -> Self {
        Self { dims, row: dims[0].div_ceil(32) as usize, words }
    }

    /// Voxels along each axis.
    pub fn dims(&self) -> [u32; 3] {
        self.dims
    }

    /// All words: x fastest, then y, then z.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Words per row along x.
    pub fn words_per_row(&self) -> usize {
        self.row
    }

    /// The row along x at (y, z).
    #[inline]
    pub fn row(&self, y: u32, z: u32) -> &[u32] {
        let at = (z as usize * self.dims[1] as usize + y as usize) * self.row;
        &self.words[at..at + self.row]
    }

    /// Whether a voxel is inside; false beyond the grid.
    #[inline]
    pub fn get(&self, [x, y, z]: [u32; 3]) -> bool {
        let known = x < self.dims[0] && y < self.dims[1] && z < self.dims[2];
        known && self.row(y, z)[x as usize >> 5] >> (x & 31) & 1 == 1
    }

    /// Flips a voxel.
    #[inline]
    pub fn flip(&mut self, [x, y, z]: [u32; 3]) {
        debug_assert!(x < self.dims[0] && y < self.dims[1] && z < self.dims[2]);
        let at = (z as usize * self.dims[1] as usize + y as usize) * self.row + (x as usize >> 5);
        self.words[at] ^= 1 << (x & 31);
    }

    /// Number of voxels inside.
    pub fn count(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Prefix parity along an axis: turns flips at surface crossings into inside bits.
    pub fn accumulate(&mut self, axis: usize) {
        match axis {
            0 => self.words.chunks_exact_mut(self.row).for_each(prefix_parity),
            1 => self.words.chunks_exact_mut(self.row * self.dims[1] as usize).for_each(|s| carry(s, self.row)),
            _ => carry(&mut self.words, self.row * self.dims[1] as usize),
        }
        self.trim();
    }

    /// Clears the bits beyond the end of a row, which the parity of a leaking row sets.
    fn trim(&mut self) {
        let used = self.dims[0] & 31;
        if used != 0 {
            self.words.chunks_exact_mut(self.row).for_each(|row| row[row.len() - 1] &= (1 << used) - 1);
        }
    }
}

/// XORs every word with the one `step` before: 32 columns at once.
fn carry(words: &mut [u32], step: usize) {
    for i in step..words.len() {
        words[i] ^= words[i - step];
    }
}

/// Prefix parity of all bits, by doubling within words and by the last bit from word to word.
fn prefix_parity(row: &mut [u32]) {
    let mut before = 0;
    for word in row {
        let mut w = *word;
        for shift in [1, 2, 4, 8, 16] {
            w ^= w << shift;
        }
        *word = w ^ before;
        before = 0_u32.wrapping_sub(*word >> 31);
    }
}
