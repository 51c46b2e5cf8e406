//! Traversals of the tree (S32, D4 Alg 5.2–5.5). All find the same pairs.

use crate::neighbors::bounding_volume::{Query, Volume};
use crate::neighbors::filter::{One, SlotFilter};
use crate::neighbors::lists::{Collector, Neighbors};
use crate::neighbors::tree::{Fork, NONE, Node, Tree};
use crate::neighbors::{CODE_BITS, MAX_PARTICLES, Pairs};
use crate::runtime::cpu::{Isa, Threads};
use std::ops::Range;

/// Maximum depth of forks: one for each bit of a code, then one for each bit that separates slots of equal codes, and
/// one more (E31: D4's bound on the height is too low, and its 64-bit bitstack can overflow).
pub const MAX_DEPTH: usize = CODE_BITS as usize + MAX_PARTICLES.ilog2() as usize + 1;

/// A bit for every fork on the path.
type Bits = u128;

const _: () = assert!(MAX_DEPTH < Bits::BITS as usize);

/// Traversal of a subtree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Walk {
    /// A stack of nodes still to visit (D4 Alg 5.2).
    #[default]
    Stack,
    /// A counter with a bit for each level: 1 where the sibling needs no visit (D4 Alg 5.3, Barringer &
    /// Akenine-Möller).
    Sparse,
    /// A bit for each level: 1 where the sibling is still to be visited (D4 Alg 5.4, Áfra & Szirmay-Kalos).
    Mbvh2,
}

/// Start of a traversal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// At the root, once for every particle.
    Root,
    /// At the particle's own leaf; then the siblings on the way up, each from its top (D4 Alg 5.5). Ancestors are not
    /// tested, as they always overlap the particle.
    Leaf,
    /// As `Leaf`, but once for all particles of a leaf. The overlapping leaves are stored, and each particle tests
    /// those.
    #[default]
    Bunch,
}

/// A traversal: every walk can start anywhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traversal {
    /// Walk.
    pub walk: Walk,
    /// Start.
    pub start: Start,
}

impl Traversal {
    /// All combinations.
    pub fn all() -> impl Iterator<Item = Self> {
        let starts = [Start::Root, Start::Leaf, Start::Bunch];
        let of = |start| [Walk::Stack, Walk::Sparse, Walk::Mbvh2].map(|walk| Self { walk, start });
        starts.into_iter().flat_map(of)
    }
}

impl<V: Volume> Tree<V> {
    /// Lists all near pairs with this margin [m].
    ///
    /// Every pair is found from both of its particles (E30); with [`Pairs::Once`] the smaller index keeps it.
    pub fn pairs(&self, threads: &Threads, isa: Isa, how: Traversal, margin: f32, pairs: Pairs, out: &mut Neighbors) {
        out.collect(threads, &self.sorted, |slots, lists| {
            #[cfg(target_arch = "x86_64")]
            if crate::neighbors::filter::eight(isa) {
                // SAFETY: `eight` has detected AVX2 and POPCNT on this processor.
                return unsafe { self.search_avx2(slots, how, margin, pairs, lists) };
            }
            #[cfg(not(target_arch = "x86_64"))]
            let _ = isa;
            self.search::<One>(slots, how, margin, pairs, lists);
        });
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,popcnt")]
    fn search_avx2(&self, slots: Range<usize>, how: Traversal, margin: f32, pairs: Pairs, lists: &mut Collector<'_>) {
        self.search::<crate::neighbors::filter::Eight>(slots, how, margin, pairs, lists);
    }

    #[inline(always)]
    fn search<S: SlotFilter>(
        &self,
        slots: Range<usize>,
        how: Traversal,
        margin: f32,
        pairs: Pairs,
        lists: &mut Collector<'_>,
    ) {
        if how.start == Start::Bunch {
            return self.search_bunches::<S>(slots, how.walk, margin, pairs, lists);
        }
        let sorted = &self.sorted;
        for slot in slots {
            let probe = sorted.probe(slot, margin, pairs);
            let query = Query::of(&probe);
            lists.list::<S>(|out| {
                let mut visit = |first: u32, count: u32, _| {
                    S::filter(sorted, first as usize, (first + count) as usize, &probe, out);
                };
                if how.start == Start::Root {
                    self.walk(how.walk, self.root, NONE, &query, &mut visit);
                } else {
                    self.climb(how.walk, slot, &query, &mut visit);
                }
            });
        }
    }

    #[inline(always)]
    fn search_bunches<S: SlotFilter>(
        &self,
        slots: Range<usize>,
        walk: Walk,
        margin: f32,
        pairs: Pairs,
        lists: &mut Collector<'_>,
    ) {
        let sorted = &self.sorted;
        let mut met = lists.take_scratch();
        let mut slot = slots.start;
        while slot < slots.end {
            let link = self.up_slot[slot];
            // A leaf may be cut at the ends of the range.
            let mut query = Query::of(&sorted.probe(slot, margin, pairs));
            let mut end = slot + 1;
            while end < slots.end && self.up_slot[end] == link {
                query = query.either(&Query::of(&sorted.probe(end, margin, pairs)));
                end += 1;
            }
            met.clear();
            self.climb(walk, slot, &query, &mut |first, count, link| met.push([first, first + count, link]));
            for slot in slot..end {
                let probe = sorted.probe(slot, margin, pairs);
                let query = Query::of(&probe);
                lists.list::<S>(|out| {
                    for &[first, end, link] in &met {
                        if link == NONE || self.forks[link as usize / 2].volumes[link as usize % 2].overlaps(&query) {
                            S::filter(sorted, first as usize, end as usize, &probe, out);
                        }
                    }
                });
            }
            slot = end;
        }
        lists.put_scratch(met);
    }

    /// Calls `visit(first slot, slots)` for every leaf that overlaps the query, starting at the root.
    pub fn visit(&self, walk: Walk, query: &Query, mut visit: impl FnMut(u32, u32)) {
        let mut visit = |first, count, _| visit(first, count);
        if self.root != NONE {
            self.walk(walk, self.root, NONE, query, &mut visit);
        }
    }

    /// As [`Self::visit`], but within the subtree of side 0 or 1 of a fork.
    pub fn visit_below(&self, walk: Walk, fork: u32, side: u32, query: &Query, mut visit: impl FnMut(u32, u32)) {
        let mut visit = |first, count, _| visit(first, count);
        self.walk(walk, self.forks[fork as usize].words[side as usize], 2 * fork + side, query, &mut visit);
    }

    /// Bottom-up (D4 Alg 5.5).
    #[inline(always)]
    fn climb(&self, walk: Walk, slot: usize, query: &Query, visit: &mut impl FnMut(u32, u32, u32)) {
        let mut link = self.up_slot[slot];
        let own = if link == NONE { self.root } else { self.word(link) };
        if let Node::Bunch { first, count } = Node::unpack(own) {
            visit(first, count, link);
        }
        while link != NONE {
            let sibling = link ^ 1;
            if overlaps(&self.forks[sibling as usize / 2], sibling as usize % 2, query) {
                self.walk(walk, self.word(sibling), sibling, query, visit);
            }
            link = self.up[link as usize / 2];
        }
    }

    /// Walks the subtree of a node, given by `link`.
    #[inline(always)]
    fn walk(&self, walk: Walk, word: u32, link: u32, query: &Query, visit: &mut impl FnMut(u32, u32, u32)) {
        match walk {
            Walk::Stack => self.walk_stack(word, link, query, visit),
            Walk::Sparse => self.walk_sparse(word, link, query, visit),
            Walk::Mbvh2 => self.walk_mbvh2(word, link, query, visit),
        }
    }

    /// D4 Alg 5.2. E29: a leaf continues with the top of the stack, like a fork whose children were both rejected.
    #[inline(always)]
    fn walk_stack(&self, mut word: u32, mut link: u32, query: &Query, visit: &mut impl FnMut(u32, u32, u32)) {
        let mut stack = [0; MAX_DEPTH];
        let mut top = 0;
        loop {
            match Node::unpack(word) {
                Node::Bunch { first, count } => visit(first, count, link),
                Node::Fork(number) => {
                    let fork = &self.forks[number as usize];
                    let (left, right) = (overlaps(fork, 0, query), overlaps(fork, 1, query));
                    if left & right {
                        stack[top] = 2 * number + 1;
                        top += 1;
                    }
                    if left | right {
                        let side = u32::from(!left);
                        (word, link) = (fork.words[side as usize], 2 * number + side);
                        continue;
                    }
                }
            }
            if top == 0 {
                return;
            }
            top -= 1;
            link = stack[top];
            word = self.word(link);
        }
    }

    /// D4 Alg 5.3. E30: it ends at its start node, not at the root, or it would continue with the sibling of the start
    /// node.
    #[inline(always)]
    fn walk_sparse(&self, mut word: u32, mut link: u32, query: &Query, visit: &mut impl FnMut(u32, u32, u32)) {
        let start = link;
        let mut bits: Bits = 0;
        loop {
            match Node::unpack(word) {
                Node::Bunch { first, count } => visit(first, count, link),
                Node::Fork(number) => {
                    let fork = &self.forks[number as usize];
                    let (left, right) = (overlaps(fork, 0, query), overlaps(fork, 1, query));
                    if left | right {
                        let side = u32::from(!left);
                        bits = bits << 1 | Bits::from(left ^ right);
                        (word, link) = (fork.words[side as usize], 2 * number + side);
                        continue;
                    }
                }
            }
            // Adding 1 carries through all levels whose second child is done.
            bits += 1;
            while bits & 1 == 0 {
                link = self.up[link as usize / 2];
                bits >>= 1;
            }
            if link == start {
                return;
            }
            link ^= 1;
            word = self.word(link);
        }
    }

    /// D4 Alg 5.4. Ends when no bit is left, so it never leaves the subtree.
    #[inline(always)]
    fn walk_mbvh2(&self, mut word: u32, mut link: u32, query: &Query, visit: &mut impl FnMut(u32, u32, u32)) {
        let mut bits: Bits = 0;
        loop {
            match Node::unpack(word) {
                Node::Bunch { first, count } => visit(first, count, link),
                Node::Fork(number) => {
                    let fork = &self.forks[number as usize];
                    let (left, right) = (overlaps(fork, 0, query), overlaps(fork, 1, query));
                    if left | right {
                        let side = u32::from(!left);
                        bits = bits << 1 | Bits::from(left & right);
                        (word, link) = (fork.words[side as usize], 2 * number + side);
                        continue;
                    }
                }
            }
            if bits == 0 {
                return;
            }
            while bits & 1 == 0 {
                link = self.up[link as usize / 2];
                bits >>= 1;
            }
            link ^= 1;
            word = self.word(link);
            bits ^= 1;
        }
    }

    /// Word of a link's node.
    #[inline(always)]
    fn word(&self, link: u32) -> u32 {
        self.forks[link as usize / 2].words[link as usize % 2]
    }
}

/// Whether a child may contain neighbors: within reach, and not entirely of the query's own phase (D4 §5.3.3).
#[inline(always)]
fn overlaps<V: Volume>(fork: &Fork<V>, side: usize, query: &Query) -> bool {
    let foreign = (query.phase == 0) | (fork.phases[side] != query.phase);
    foreign & fork.volumes[side].overlaps(query)
}
