//! Conflict neighborhood of one constraint as bitsets, for the searches in [`super::clique`].
//!
//! Conflicts are never listed for all constraints at once: memory is linear in incidences, plus one
//! neighborhood squared in bits.

use crate::mesh::topology::Buckets;
use crate::partition::color::removal_order;
use crate::partition::graph::Graph;

const NONE: u32 = u32::MAX;

/// Conflicts between constraints, read from the per-row lists.
pub(crate) struct Conflicts<'a> {
    graph: &'a Graph,
    incident: Buckets<u32>,
    /// Position in the removal order.
    rank: Vec<u32>,
    /// Last constraint whose neighborhood included this one.
    stamp: Vec<u32>,
    /// Offset of a row's bitset in `shared`, or `NONE`.
    slot: Vec<u32>,
    /// Rows that have a slot.
    touched: Vec<u32>,
    /// Later neighbors on each row that any of them uses.
    shared: Vec<u64>,
}

impl<'a> Conflicts<'a> {
    pub(crate) fn new(graph: &'a Graph) -> Self {
        Self {
            graph,
            incident: graph.incident(),
            rank: vec![NONE; graph.len()],
            stamp: vec![NONE; graph.len()],
            slot: vec![NONE; graph.row_count()],
            touched: Vec::new(),
            shared: Vec::new(),
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.rank.len()
    }

    fn members(&self, c: u32) -> &'a [u32] {
        self.graph.members(c)
    }

    /// Largest number of constraints on one row; a constraint that lists the row twice counts once.
    pub(crate) fn busiest_row(&self) -> usize {
        let distinct = |r| self.incident.of(r).chunk_by(|a, b| a == b).count();
        (0..self.slot.len()).map(distinct).max().unwrap_or(0)
    }

    /// Degeneracy order, in which each constraint has the fewest neighbors among those after it.
    pub(crate) fn order(&mut self) -> Vec<u32> {
        let order = removal_order(self.graph);
        for (at, &c) in order.iter().enumerate() {
            self.rank[c as usize] = at as u32;
        }
        order
    }

    /// Finds the neighbors of `c`; returns the number of entries read.
    pub(crate) fn gather(&mut self, c: u32, near: &mut Neighborhood) -> usize {
        near.later.clear();
        near.earlier.clear();
        self.stamp[c as usize] = c;
        let mut read = 0;
        for &r in self.members(c) {
            let list = self.incident.of(r as usize);
            read += list.len();
            for &d in list {
                if std::mem::replace(&mut self.stamp[d as usize], c) != c {
                    let later = self.rank[d as usize] > self.rank[c as usize];
                    if later { near.later.push(d) } else { near.earlier.push(d) }
                }
            }
        }
        // Last removed first: coloring should process the densest part first.
        near.later.sort_unstable_by_key(|&d| std::cmp::Reverse(self.rank[d as usize]));
        near.words = near.later.len().div_ceil(64);
        read
    }

    /// Computes the conflicts among the later neighbors; returns the number of bitset elements read.
    ///
    /// Works by row: the constraints of a row are recorded once, and a constraint's bitset is the union over its rows.
    pub(crate) fn link_later(&mut self, near: &mut Neighborhood) -> usize {
        for r in self.touched.drain(..) {
            self.slot[r as usize] = NONE;
        }
        self.shared.clear();
        for (i, &d) in near.later.iter().enumerate() {
            for &r in self.members(d) {
                let slot = &mut self.slot[r as usize];
                if *slot == NONE {
                    *slot = self.touched.len() as u32;
                    self.touched.push(r);
                    self.shared.resize(self.touched.len() * near.words, 0);
                }
                self.shared[*slot as usize * near.words + i / 64] |= 1 << (i % 64);
            }
        }
        near.bits.clear();
        for (i, &d) in near.later.iter().enumerate() {
            self.link(d, near.words, &mut near.bits);
            clear(&mut near.bits[i * near.words..], i);
        }
        let read: usize = near.later.iter().map(|&d| self.members(d).len() + 1).sum();
        (self.touched.len() + read) * near.words
    }

    /// Adds the bitsets of the earlier neighbors, after [`Self::link_later`]. Empty ones are omitted.
    ///
    /// Returns false if there is nothing to list: an earlier neighbor conflicts with all later ones.
    pub(crate) fn link_earlier(&self, near: &mut Neighborhood) -> bool {
        near.links = near.later.len();
        let all = near.all();
        for &d in &near.earlier {
            self.link(d, near.words, &mut near.bits);
            let row = near.row(near.links);
            if row == all {
                return false;
            }
            if row.iter().all(|&w| w == 0) {
                near.bits.truncate(near.links * near.words);
            } else {
                near.links += 1;
            }
        }
        true
    }

    /// Appends the later neighbors that share a row with `c`.
    fn link(&self, c: u32, words: usize, bits: &mut Vec<u64>) {
        let start = bits.len();
        bits.resize(start + words, 0);
        for &r in self.members(c) {
            let slot = self.slot[r as usize];
            if slot != NONE {
                let shared = &self.shared[slot as usize * words..(slot as usize + 1) * words];
                bits[start..].iter_mut().zip(shared).for_each(|(b, s)| *b |= s);
            }
        }
    }
}

/// Constraints that one constraint conflicts with; bit i stands for `later[i]`.
#[derive(Default)]
pub(crate) struct Neighborhood {
    pub(crate) later: Vec<u32>,
    pub(crate) earlier: Vec<u32>,
    /// 64-bit elements per bitset.
    pub(crate) words: usize,
    /// Conflicts with later neighbors: of each later neighbor, then of each earlier one.
    bits: Vec<u64>,
    /// Number of sets in `bits`.
    pub(crate) links: usize,
}

impl Neighborhood {
    pub(crate) fn row(&self, i: usize) -> &[u64] {
        &self.bits[i * self.words..(i + 1) * self.words]
    }

    /// All later neighbors.
    pub(crate) fn all(&self) -> Vec<u64> {
        let mut all = vec![u64::MAX; self.words];
        if let (Some(last), rest @ 1..) = (all.last_mut(), self.later.len() % 64) {
            *last = (1 << rest) - 1;
        }
        all
    }

    /// Members of `set` that conflict with i.
    pub(crate) fn and(&self, set: &[u64], i: usize) -> Vec<u64> {
        set.iter().zip(self.row(i)).map(|(a, b)| a & b).collect()
    }

    /// Number of members of `set` that conflict with i.
    pub(crate) fn degree(&self, set: &[u64], i: usize) -> usize {
        set.iter().zip(self.row(i)).map(|(a, b)| (a & b).count_ones() as usize).sum()
    }
}

/// Whether a set contains i.
pub(crate) fn has(set: &[u64], i: usize) -> bool {
    set[i / 64] >> (i % 64) & 1 == 1
}

/// Removes i from a set.
pub(crate) fn clear(set: &mut [u64], i: usize) {
    set[i / 64] &= !(1 << (i % 64));
}

/// Index of the first set bit.
pub(crate) fn first(set: &[u64]) -> Option<usize> {
    set.iter().position(|&w| w != 0).map(|w| w * 64 + set[w].trailing_zeros() as usize)
}

/// Indices of the set bits, ascending.
pub(crate) fn ones(set: &[u64]) -> impl Iterator<Item = usize> {
    set.iter().enumerate().flat_map(|(w, &word)| {
        let next = |&rest: &u64| Some(rest & (rest - 1)).filter(|&r| r != 0);
        let start = Some(word).filter(|&r| r != 0);
        std::iter::successors(start, next).map(move |rest| w * 64 + rest.trailing_zeros() as usize)
    })
}
