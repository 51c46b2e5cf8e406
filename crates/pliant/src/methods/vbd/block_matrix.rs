//! A symmetric matrix of blocks of aggregates: only those that share elements have a block.
//!
//! Rows are independent of each other, so that results do not depend on the number of threads.

use crate::memory::of;
use crate::runtime::cpu::shared_slice::Shared;
use crate::runtime::cpu::threads::Threads;

/// Unknowns of an aggregate at most.
pub(super) const WIDTH: usize = 12;

/// Unknowns of one aggregate; 0 for those that are not there.
pub(super) type BlockVector = [f32; WIDTH];

/// Columns of a block.
pub(super) type Block = [BlockVector; WIDTH];

#[derive(Clone, Debug, Default)]
pub(super) struct BlockMatrix {
    /// Unknowns of each aggregate.
    sizes: Vec<usize>,
    /// Where the blocks of each row start, plus their number.
    offsets: Vec<u32>,
    /// Column of each block.
    columns: Vec<u32>,
    /// For each pair of aggregates, its block and the transposed one.
    places: Vec<[u32; 2]>,
    blocks: Vec<Block>,
    /// Inverses of the diagonal blocks.
    inverses: Vec<Block>,
}

impl BlockMatrix {
    /// Zeros; `pairs` as in the coarse space, `counts` modes of aggregates.
    pub(super) fn new(pairs: &[[u32; 2]], counts: &[u32]) -> Self {
        let mut entries: Vec<[u32; 2]> = pairs.iter().flat_map(|&[a, b]| [[a, b], [b, a]]).collect();
        entries.sort_unstable();
        entries.dedup();
        let mut offsets = vec![0; counts.len() + 1];
        entries.iter().for_each(|&[a, _]| offsets[a as usize + 1] += 1);
        for a in 0..counts.len() {
            offsets[a + 1] += offsets[a];
        }
        let place = |entry: [u32; 2]| entries.partition_point(|&e| e < entry) as u32;
        Self {
            sizes: counts.iter().map(|&n| 3 * n as usize).collect(),
            offsets,
            places: pairs.iter().map(|&[a, b]| [place([a, b]), place([b, a])]).collect(),
            columns: entries.iter().map(|e| e[1]).collect(),
            blocks: vec![[[0.0; WIDTH]; WIDTH]; entries.len()],
            inverses: vec![[[0.0; WIDTH]; WIDTH]; counts.len()],
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        let lists = of(&self.sizes) + of(&self.offsets) + of(&self.columns) + of(&self.places);
        lists + of(&self.blocks) + of(&self.inverses)
    }

    /// Block of a pair.
    pub(super) fn pair(&self, pair: usize) -> &Block {
        &self.blocks[self.places[pair][0] as usize]
    }

    /// Replaces all blocks by those that `find` gives for each pair.
    pub(super) fn fill(&mut self, threads: &Threads, find: impl Fn(usize) -> Block + Sync + Send) {
        let (places, blocks) = (&self.places, Shared::new(&mut self.blocks));
        threads.over_numbers(places.len(), |pair| {
            let block = find(pair);
            let [place, transposed] = places[pair];
            if place != transposed {
                // SAFETY: each block and each transposed block belongs to one pair.
                let other = unsafe { blocks.get(transposed as usize) };
                for c in 0..WIDTH {
                    (0..WIDTH).for_each(|r| other[r][c] = block[c][r]);
                }
            }
            // SAFETY: as above.
            unsafe { *blocks.get(place as usize) = block };
        });
        let (sizes, columns) = (&self.sizes, &self.columns);
        let (offsets, blocks) = (&self.offsets, &self.blocks);
        threads.chunks(&mut self.inverses, 1, |first, piece| {
            for (k, inverse) in piece.iter_mut().enumerate() {
                let row = offsets[first + k] as usize..offsets[first + k + 1] as usize;
                let own = row.start + columns[row].partition_point(|&c| (c as usize) < first + k);
                *inverse = inverted(&blocks[own], sizes[first + k]);
            }
        });
    }

    /// w = A·p.
    pub(super) fn multiply(&self, threads: &Threads, p: &[BlockVector], w: &mut [BlockVector]) {
        threads.chunks(w, 1, |first, piece| {
            for (k, w) in piece.iter_mut().enumerate() {
                *w = [0.0; WIDTH];
                for at in self.offsets[first + k] as usize..self.offsets[first + k + 1] as usize {
                    let column = self.columns[at] as usize;
                    add_product(&self.blocks[at], self.sizes[column], &p[column], w);
                }
            }
        });
    }

    /// The inverse of the diagonal block of an aggregate, times `r`.
    #[inline]
    pub(super) fn precondition(&self, aggregate: usize, r: &BlockVector) -> BlockVector {
        let mut z = [0.0; WIDTH];
        add_product(&self.inverses[aggregate], self.sizes[aggregate], r, &mut z);
        z
    }
}

#[inline]
fn add_product(block: &Block, columns: usize, p: &BlockVector, w: &mut BlockVector) {
    for (column, p) in block.iter().zip(p).take(columns) {
        for (w, a) in w.iter_mut().zip(column) {
            *w += a * p;
        }
    }
}

/// Pivots smaller than this part of the diagonal are of rounding alone.
pub(super) const DEPENDENT_PIVOT: f64 = 1e-6;

/// The inverse of a positive block of `size` unknowns; unknowns that depend on others stay 0.
fn inverted(block: &Block, size: usize) -> Block {
    let mut l = [[0.0_f64; WIDTH]; WIDTH];
    let mut scale = [0.0_f64; WIDTH];
    for i in 0..size {
        for j in 0..=i {
            let sum = (0..j).fold(f64::from(block[j][i]), |sum, k| sum - l[i][k] * l[j][k]);
            if i > j {
                l[i][j] = sum * scale[j];
            } else if sum > DEPENDENT_PIVOT * f64::from(block[i][i]) {
                scale[i] = 1.0 / sum.sqrt();
            }
        }
    }
    // Columns of L⁻¹, then L⁻ᵀL⁻¹.
    let mut m = [[0.0_f64; WIDTH]; WIDTH];
    for c in 0..size {
        for r in c..size {
            let unit = if r == c { 1.0 } else { 0.0 };
            m[c][r] = (c..r).fold(unit, |sum, k| sum - l[r][k] * m[c][k]) * scale[r];
        }
    }
    let mut inverse = [[0.0; WIDTH]; WIDTH];
    for c in 0..size {
        for r in 0..=c {
            let sum = (c..size).fold(0.0, |sum, k| sum + m[c][k] * m[r][k]);
            (inverse[c][r], inverse[r][c]) = (sum as f32, sum as f32);
        }
    }
    inverse
}
