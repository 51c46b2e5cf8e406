//! Hypergraphs for partition tests.

use pliant::partition::color::smallest_last;
use proptest::prelude::*;

/// A hypergraph: constraints of `arity` different rows each.
#[derive(Clone, Debug)]
pub struct Graph {
    pub arity: usize,
    pub row_count: usize,
    pub rows: Vec<u32>,
}

impl Graph {
    pub fn pairs(row_count: usize, pairs: &[[u32; 2]]) -> Self {
        Self { arity: 2, row_count, rows: pairs.concat() }
    }

    pub fn sets(&self) -> Vec<Vec<u32>> {
        smallest_last(self.arity, &self.rows, self.row_count)
    }

    pub fn members(&self, c: u32) -> &[u32] {
        &self.rows[c as usize * self.arity..(c as usize + 1) * self.arity]
    }

    /// Checks what a coloring must be, and returns the number of colors.
    pub fn check(&self) -> usize {
        let sets = self.sets();
        for set in &sets {
            assert!(!set.is_empty(), "an empty set");
            assert!(set.windows(2).all(|w| w[0] < w[1]), "not in the order of the input: {set:?}");
            let mut seen = vec![false; self.row_count];
            for &r in set.iter().flat_map(|&c| self.members(c)) {
                assert!(!std::mem::replace(&mut seen[r as usize], true), "row {r} twice in {set:?}");
            }
        }
        let mut all: Vec<u32> = sets.concat();
        all.sort_unstable();
        assert!(all.iter().copied().eq(0..(self.rows.len() / self.arity) as u32), "some are missing: {all:?}");
        sets.len()
    }

    /// 1 + the greatest of the least degrees met while always removing a constraint of least degree: no
    /// smallest-last coloring needs more (Matula & Beck 1983). Conflicts listed one by one.
    pub fn bound(&self) -> usize {
        let mut left: Vec<u32> = (0..(self.rows.len() / self.arity) as u32).collect();
        let conflict = |a: u32, b: u32| a != b && self.members(a).iter().any(|r| self.members(b).contains(r));
        let mut most = 0;
        while !left.is_empty() {
            let degrees = left.iter().map(|&a| left.iter().filter(|&&b| conflict(a, b)).count());
            let (at, least) = degrees.enumerate().min_by_key(|&(_, d)| d).unwrap();
            most = most.max(least + 1);
            left.swap_remove(at);
        }
        most
    }
}

pub fn graphs() -> impl Strategy<Value = Graph> {
    (2_usize..=4, 4_usize..24).prop_flat_map(|(arity, row_count)| {
        let one = proptest::sample::subsequence((0..row_count as u32).collect::<Vec<_>>(), arity).prop_shuffle();
        proptest::collection::vec(one, 0..60).prop_map(move |all| Graph { arity, row_count, rows: all.concat() })
    })
}
