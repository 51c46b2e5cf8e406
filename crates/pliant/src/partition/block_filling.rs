//! Reduces the number of partly empty SIMD blocks.
//!
//! A core runs eight constraints at a time, and each color of a small patch ends in a partly empty block:
//! with 33 colors of 49 constraints that is one block in twelve. The remainders of all colors are merged
//! into further sets of at most eight that share no row. In a patch that runs on one thread, an additional
//! set is free.

use crate::constraints::group::BLOCK;
use crate::partition::graph::Graph;
use std::ops::Range;

/// Maximum number of sets for remainders: one bit each.
const MOST: usize = 64;

/// Merges the remainders of a patch's classes, if that makes fewer blocks.
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

/// The remainder of class `k`, which is moved to other sets. It is a different part of each class's list: the same
/// part of all classes is one corner of the patch, where most constraints conflict.
fn spare(k: usize, class: &[u32]) -> Range<usize> {
    let count = class.len() % BLOCK;
    let first = k * STRIDE % (class.len() - count + 1);
    first..first + count
}

/// Step through the classes; usually coprime to their lengths.
const STRIDE: usize = 29;

/// Classes under construction.
struct Bins {
    /// Bitset of the classes each row is in.
    taken: Vec<u64>,
    classes: Vec<Vec<u32>>,
    /// Bitset of full classes.
    full: u64,
}

impl Bins {
    /// Adds a constraint to the first class with free capacity and no conflict, or to a new one; false if none is left.
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
