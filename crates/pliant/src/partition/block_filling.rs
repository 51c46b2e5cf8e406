//! Fewer blocks that are partly empty.
//!
//! A core runs eight constraints at a time, and a color of a small patch leaves its last eight half empty:
//! with 33 colors of 49 constraints that is one block in twelve. What colors leave over is put together
//! into further sets of at most eight that share no row; in a patch that one thread runs on its own a set
//! more costs nothing.

use crate::constraints::group::BLOCK;
use crate::partition::graph::Graph;
use std::ops::Range;

/// Sets that leftovers may fill: one bit each.
const MOST: usize = 64;

/// Puts together what the classes of a patch leave over, where that makes fewer blocks.
pub fn fill(graph: &Graph, classes: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    let mut bins = Bins { taken: vec![0; graph.row_count()], classes: Vec::new(), full: 0 };
    let odd = classes.iter().filter(|class| class.len() % BLOCK != 0).count();
    let mut over = classes.iter().enumerate().flat_map(|(k, class)| class[spare(k, class)].iter().copied());
    if !over.all(|c| bins.add(c, graph.members(c))) || bins.classes.len() >= odd {
        return classes;
    }
    let mut filled: Vec<Vec<u32>> = classes
        .into_iter()
        .enumerate()
        .map(|(k, mut class)| {
            class.drain(spare(k, &class));
            class
        })
        .collect();
    filled.retain(|class| !class.is_empty());
    filled.extend(bins.classes);
    filled
}

/// Which constraints class `k` gives away: from another part of each class, because the same part of all of
/// them is one corner of the patch, where everybody is in the way of everybody.
fn spare(k: usize, class: &[u32]) -> Range<usize> {
    let count = class.len() % BLOCK;
    let first = k * STRIDE % (class.len() - count + 1);
    first..first + count
}

/// Steps through the classes; coprime to the lengths that classes have, more often than not.
const STRIDE: usize = 29;

/// Classes in the making.
struct Bins {
    /// Which of them each row is in.
    taken: Vec<u64>,
    classes: Vec<Vec<u32>>,
    /// Which of them have all they can hold.
    full: u64,
}

impl Bins {
    /// Adds a constraint to the first class that has room for it, or to a new one; false if there is none left.
    fn add(&mut self, c: u32, rows: &[u32]) -> bool {
        let closed = rows.iter().fold(self.full, |bits, &r| bits | self.taken[r as usize]);
        let bin = (!closed).trailing_zeros() as usize;
        if bin >= MOST {
            return false;
        }
        if bin == self.classes.len() {
            self.classes.push(Vec::with_capacity(BLOCK));
        }
        self.classes[bin].push(c);
        if self.classes[bin].len() == BLOCK {
            self.full |= 1 << bin;
        }
        rows.iter().for_each(|&r| self.taken[r as usize] |= 1 << bin);
        true
    }
}
