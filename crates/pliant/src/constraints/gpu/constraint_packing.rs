//! Packed constraints: all that a thread needs of a constraint in vectors that it fetches at once, in an order that suits
//! the memory of a workgroup.

use crate::constraints::gpu::wgsl_codegen::{index_words, packed_vectors};
use crate::constraints::group::{BLOCK, Group};

/// Rows that a workgroup's memory can serve at the same time: it has 32 banks of a word, and a row has four words.
const LANES: usize = 8;

/// Constraints to choose from: with more of them hardly fewer rows meet in a bank.
const CHOICE: usize = 16;

/// The packed constraints of one batch.
#[derive(Clone, Debug)]
pub struct PackedBatch {
    group: usize,
    batch: usize,
    /// First vector in `constants`.
    pub start: usize,
    /// Which constraint of the batch has each place.
    order: Vec<u32>,
    first_block: usize,
    /// Of each constraint.
    multipliers: usize,
}

impl PackedBatch {
    /// Appends the packed constraints of a batch; `local` are the numbers of rows within the patch.
    pub fn write(groups: &[Group], group: usize, batch: usize, local: &[u32], constants: &mut Vec<[u32; 4]>) -> Self {
        let g = &groups[group];
        let b = g.batches[batch];
        let n = g.layout().rows;
        let rows: Vec<u32> =
            b.slots().flat_map(|(block, lane)| g.rows_of(block, lane)).map(|row| local[row as usize]).collect();
        let start = constants.len();
        let order = spread_over_banks(&rows, n);
        let packed_batch =
            Self { group, batch, start, order, first_block: b.first, multipliers: g.layout().multipliers };
        constants.resize(start + b.count * packed_vectors(g.kind), [0; 4]);
        for (place, &slot) in packed_batch.order.iter().enumerate() {
            let mut words = vec![0; index_words(g.kind)];
            let members = &rows[slot as usize * n..][..n];
            members.iter().enumerate().for_each(|(k, row)| words[k / 2] |= row << (16 * (k % 2)));
            packed_batch.put(g, constants, place, words);
        }
        packed_batch
    }

    /// Completes a packed constraint that has its row numbers, and writes it: first vectors of all constraints, then second
    /// ones, ….
    fn put(&self, g: &Group, constants: &mut [[u32; 4]], place: usize, mut words: Vec<u32>) {
        let b = g.batches[self.batch];
        let slot = self.order[place] as usize;
        words.extend(g.params_of(b.first + slot / BLOCK, slot % BLOCK).map(f32::to_bits));
        words.resize(4 * packed_vectors(g.kind), 0);
        for (v, vector) in words.chunks_exact(4).enumerate() {
            constants[self.start + v * b.count + place].copy_from_slice(vector);
        }
    }

    /// Parameters again, after the model's have changed.
    pub fn refresh(&self, groups: &[Group], constants: &mut [[u32; 4]]) {
        let g = &groups[self.group];
        for place in 0..self.order.len() {
            // Row numbers are in the first vector.
            let words = constants[self.start + place][..index_words(g.kind)].to_vec();
            self.put(g, constants, place, words);
        }
    }

    /// Multipliers of the batch from the order of the model to that of the packed constraints.
    pub fn reorder(&self, multipliers: &mut [Vec<f32>]) {
        self.move_multipliers(multipliers, |place, slot| (slot, place));
    }

    /// And back.
    pub fn restore(&self, multipliers: &mut [Vec<f32>]) {
        self.move_multipliers(multipliers, |place, slot| (place, slot));
    }

    fn move_multipliers(&self, multipliers: &mut [Vec<f32>], way: impl Fn(usize, usize) -> (usize, usize)) {
        let (all, m) = (&mut multipliers[self.group], self.multipliers);
        let run = self.first_block * m * BLOCK..(self.first_block + self.order.len().div_ceil(BLOCK)) * m * BLOCK;
        let old = all[run.clone()].to_vec();
        let at = |constraint: usize, k: usize| (constraint / BLOCK * m + k) * BLOCK + constraint % BLOCK;
        for (place, &slot) in self.order.iter().enumerate() {
            let (from, to) = way(place, slot as usize);
            (0..m).for_each(|k| all[run.start + at(to, k)] = old[at(from, k)]);
        }
    }
}

/// An order of constraints with `n` rows each in which neighbors seldom meet in a bank: eight threads that fetch
/// their rows at the same time wait for each other only where two rows are in the same bank. What is nearest to the
/// given order wins where there is a choice.
fn spread_over_banks(rows: &[u32], n: usize) -> Vec<u32> {
    let count = (rows.len() / n) as u32;
    let mut order = Vec::with_capacity(count as usize);
    let mut choice: Vec<u32> = (0..count.min(CHOICE as u32)).collect();
    let mut next = choice.len() as u32;
    let mut taken = vec![0_u8; n * LANES];
    while !choice.is_empty() {
        if order.len().is_multiple_of(LANES) {
            taken.fill(0);
        }
        let bank = |c: u32, k: usize| k * LANES + rows[c as usize * n + k] as usize % LANES;
        let cost = |c: u32| (0..n).map(|k| u32::from(taken[bank(c, k)])).sum::<u32>();
        let (at, &best) = choice.iter().enumerate().min_by_key(|&(_, &c)| (cost(c), c)).unwrap_or((0, &0));
        (0..n).for_each(|k| taken[bank(best, k)] += 1);
        order.push(best);
        if next < count {
            choice[at] = next;
            next += 1;
        } else {
            choice.swap_remove(at);
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s14_cards_of_neighbors_lie_in_different_banks() {
        // Edges in no order: two or three of eight rows are in one bank.
        let mut number = 1_u32;
        let mut row = || {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (number >> 16) % 512
        };
        let rows: Vec<u32> = (0..512).map(|_| row()).collect();
        let order = spread_over_banks(&rows, 2);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().copied().eq(0..256), "not an order of all constraints");
        let waits = |order: &[u32]| -> usize {
            let eight = |group: &[u32], k: usize| {
                let mut count = [0; LANES];
                group.iter().for_each(|&c| count[rows[c as usize * 2 + k] as usize % LANES] += 1);
                count.into_iter().max().unwrap_or(0)
            };
            order.chunks(LANES).map(|group| eight(group, 0) + eight(group, 1)).sum()
        };
        let before = waits(&(0..256).collect::<Vec<_>>());
        assert!(waits(&order) < before * 3 / 4, "{} waits, {before} before", waits(&order));
    }
}
