//! Linear bounding volume hierarchy: a radix tree over sorted Morton codes, with volumes (S31, D4 §5.2).
//!
//! Slots are ordered by code, then by particle index. Nodes with few particles are not split further: such a leaf
//! (*bunch*) is a run of slots, which the innermost loop tests at once. Inner nodes (*forks*) store the volumes of
//! their two children, so that a traversal reads one cache line per fork.

use crate::memory::of;
use crate::neighbors::bounding_volume::Volume;
use crate::neighbors::cells::Bounds;
use crate::neighbors::morton::Quantizer;
use crate::neighbors::radix_sort::RadixSort;
use crate::neighbors::sorted_particles::Sorted;
use crate::neighbors::{Cloud, MAX_PARTICLES};
use crate::runtime::cpu::Threads;
use crate::runtime::cpu::shared_slice::Shared;
use std::sync::atomic::{AtomicU32, Ordering};

/// Maximum number of particles of a leaf: its size takes three bits.
pub const MAX_BUNCH: u32 = 8;

/// Flag of a leaf's word.
const BUNCH: u32 = 1 << 31;

/// Neither a node nor a link.
pub(crate) const NONE: u32 = u32::MAX;

const _: () = assert!((MAX_PARTICLES as u32) * MAX_BUNCH <= BUNCH);

/// Child of a fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// A fork, by index.
    Fork(u32),
    /// A leaf: a run of slots.
    Bunch {
        /// First slot.
        first: u32,
        /// Number of slots, 1 to [`MAX_BUNCH`].
        count: u32,
    },
}

impl Node {
    #[inline(always)]
    pub(crate) fn unpack(word: u32) -> Self {
        if word & BUNCH == 0 {
            Self::Fork(word)
        } else {
            Self::Bunch { first: (word & !BUNCH) / MAX_BUNCH, count: word % MAX_BUNCH + 1 }
        }
    }

    fn pack(self) -> u32 {
        match self {
            Self::Fork(fork) => fork,
            Self::Bunch { first, count } => BUNCH | (first * MAX_BUNCH + count - 1),
        }
    }
}

/// An inner node: two children with their volumes. 64 bytes with boxes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub struct Fork<V> {
    /// Volume of each child.
    pub volumes: [V; 2],
    pub(crate) words: [u32; 2],
    /// The phase common to all particles of the child, or 0.
    pub phases: [u32; 2],
}

impl<V> Fork<V> {
    /// Children of both sides.
    pub fn children(&self) -> [Node; 2] {
        self.words.map(Node::unpack)
    }
}

/// The tree of a set of particles, with its buffers.
///
/// A *link* identifies a side of a fork: 2 · fork + side. Forks have the indices of Karras' inner nodes, so some
/// indices below the number of particles are unused.
#[derive(Debug)]
pub struct Tree<V> {
    bunch: u32,
    pub(crate) root: u32,
    pub(crate) forks: Vec<Fork<V>>,
    /// Link to each fork; none for the root and for unused indices.
    pub(crate) up: Vec<u32>,
    /// Link to the leaf of each slot; none if the root is a leaf.
    pub(crate) up_slot: Vec<u32>,
    pub(crate) sorted: Sorted,
    /// Indices of used forks.
    used: Vec<u32>,
    /// Number of children of each fork whose volume is complete.
    arrived: Vec<AtomicU32>,
    sort: RadixSort,
}

impl<V: Volume> Default for Tree<V> {
    fn default() -> Self {
        Self::new(MAX_BUNCH)
    }
}

impl<V: Volume> Tree<V> {
    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        let links = of(&self.up) + of(&self.up_slot) + of(&self.used) + of(&self.arrived);
        of(&self.forks) + links + self.sorted.bytes() + self.sort.bytes()
    }

    /// An empty tree with at most `bunch` particles per leaf, 1 to [`MAX_BUNCH`].
    pub fn new(bunch: u32) -> Self {
        assert!((1..=MAX_BUNCH).contains(&bunch), "a leaf has 1 to {MAX_BUNCH} particles, not {bunch}");
        Self {
            bunch,
            root: NONE,
            forks: Vec::new(),
            up: Vec::new(),
            up_slot: Vec::new(),
            sorted: Sorted::default(),
            used: Vec::new(),
            arrived: Vec::new(),
            sort: RadixSort::default(),
        }
    }

    /// Builds the tree: codes, sort, radix tree, volumes.
    pub fn build(&mut self, threads: &Threads, cloud: Cloud<'_>) {
        cloud.check();
        let n = cloud.len();
        let quantizer = Quantizer::new(&Bounds::of(cloud.rows));
        self.sort.keys.resize(n, 0);
        threads.chunks(&mut self.sort.keys, 1, |first, keys| {
            keys.iter_mut().zip(&cloud.rows[first..]).for_each(|(key, &row)| *key = quantizer.code(row));
        });
        self.sort.values.clear();
        self.sort.values.extend(0..n as u32);
        self.sort.sort();
        self.sorted.resize(n);
        self.sorted.index[..n].copy_from_slice(&self.sort.values);
        self.link(threads);
        self.refit(threads, cloud);
    }

    /// The root, if there are particles.
    pub fn root(&self) -> Option<Node> {
        (self.root != NONE).then(|| Node::unpack(self.root))
    }

    /// A used fork.
    pub fn fork(&self, number: u32) -> &Fork<V> {
        &self.forks[number as usize]
    }

    /// Particle indices in slot order.
    pub fn order(&self) -> &[u32] {
        &self.sorted.index[..self.sorted.len]
    }

    /// Codes in slot order.
    pub fn codes(&self) -> &[u64] {
        &self.sort.keys
    }

    /// Number of forks on the longest path (E31 bounds it by [`super::MAX_DEPTH`]).
    pub fn height(&self) -> usize {
        let depth = |&link: &u32| {
            let (mut link, mut depth) = (link, 0);
            while link != NONE {
                (link, depth) = (self.up[link as usize / 2], depth + 1);
            }
            depth
        };
        self.up_slot.iter().map(depth).max().unwrap_or(0)
    }

    /// Builds the radix tree of the sorted codes, every fork independently (D4 Alg 5.1 with E28).
    fn link(&mut self, threads: &Threads) {
        let n = self.sorted.len;
        let bunch = self.bunch as usize;
        let inner = n.saturating_sub(1);
        self.forks.resize(inner, Fork::default());
        self.up.resize(inner, NONE);
        self.up_slot.clear();
        self.up_slot.resize(n, NONE);
        self.arrived.resize_with(inner, AtomicU32::default);
        self.root = match n {
            0 => NONE,
            _ if n <= bunch => Node::Bunch { first: 0, count: n as u32 }.pack(),
            _ => Node::Fork(0).pack(),
        };
        let codes = &self.sort.keys;
        let (up, up_slot) = (Shared::new(&mut self.up), Shared::new(&mut self.up_slot));
        threads.chunks(&mut self.forks, 1, |first_fork, forks| {
            for (k, fork) in forks.iter_mut().enumerate() {
                let i = first_fork + k;
                let (first, last) = range(codes, i);
                fork.words = [NONE; 2];
                if last - first < bunch {
                    continue;
                }
                let split = split(codes, first, last);
                for (side, (a, b)) in [(first, split), (split + 1, last)].into_iter().enumerate() {
                    let link = (2 * i + side) as u32;
                    fork.words[side] = if b - a < bunch {
                        // SAFETY: a slot is in one leaf, and a leaf has one parent fork: no other thread writes here.
                        unsafe { up_slot.slice(a..b + 1) }.fill(link);
                        Node::Bunch { first: a as u32, count: (b - a + 1) as u32 }.pack()
                    } else {
                        // A left child has the index of its last slot, a right one of its first.
                        let child = if side == 0 { b } else { a };
                        // SAFETY: a fork has one parent fork.
                        unsafe { *up.get(child) = link };
                        Node::Fork(child as u32).pack()
                    };
                }
            }
        });
        if let Some(up) = self.up.first_mut() {
            *up = NONE;
        }
        self.used.clear();
        self.used.extend((0..inner as u32).filter(|&i| self.forks[i as usize].words[0] != NONE));
    }

    /// Updates positions and recomputes all volumes, from the leaves upward; the order of slots is unchanged. Correct
    /// for any motion; traversal slows down the farther particles have moved since [`Self::build`].
    pub fn refit(&mut self, threads: &Threads, cloud: Cloud<'_>) {
        assert_eq!(cloud.len(), self.sorted.len, "refit needs the same number of particles as build");
        self.sorted.gather(threads, cloud);
        self.arrived.iter_mut().for_each(|a| *a.get_mut() = 0);
        let (forks, up, sorted, arrived) = (Shared::new(&mut self.forks), &self.up, &self.sorted, &self.arrived);
        threads.over(&self.used, |&number| climb(forks, up, sorted, arrived, number as usize));
    }
}

/// Computes the volumes of a fork's leaves, and continues upward where both children of a fork are complete (D4
/// §5.2.4).
fn climb<V: Volume>(forks: Shared<'_, Fork<V>>, up: &[u32], sorted: &Sorted, arrived: &[AtomicU32], number: usize) {
    let base = forks.all().cast::<Fork<V>>();
    assert!(number < arrived.len() && arrived.len() == forks.all().len());
    for side in 0..2 {
        // SAFETY: in range as asserted. Words do not change here, and no reference is made to a whole fork that other
        // threads write.
        let word = unsafe { (*base.add(number)).words[side] };
        let Node::Bunch { first, count } = Node::unpack(word) else { continue };
        let (mut volume, mut phase) = bunch_volume(sorted, first as usize, count as usize);
        let mut link = 2 * number + side;
        loop {
            let (fork, side) = (link / 2, link % 2);
            assert!(fork < arrived.len());
            // SAFETY: in range as asserted. Each side of a fork is written once, by the thread that finished that
            // child; the counter hands it over to the thread that arrives second, which alone reads both.
            let other = unsafe {
                (&raw mut (*base.add(fork)).volumes[side]).write(volume);
                (&raw mut (*base.add(fork)).phases[side]).write(phase);
                if arrived[fork].fetch_add(1, Ordering::AcqRel) == 0 {
                    break;
                }
                ((*base.add(fork)).volumes[1 - side], (*base.add(fork)).phases[1 - side])
            };
            // Left and right keep their order, whichever thread arrives first: bitwise equal for any thread count.
            volume = if side == 0 { V::around(&volume, &other.0) } else { V::around(&other.0, &volume) };
            phase = if phase == other.1 { phase } else { 0 };
            if up[fork] == NONE {
                break;
            }
            link = up[fork] as usize;
        }
    }
}

/// Volume and common phase of a run of slots.
fn bunch_volume<V: Volume>(sorted: &Sorted, first: usize, count: usize) -> (V, u32) {
    let of = |s: usize| V::of([sorted.x[s], sorted.y[s], sorted.z[s]], sorted.radius[s]);
    let (mut volume, mut phase) = (of(first), sorted.phase[first]);
    for s in first + 1..first + count {
        volume = V::around(&volume, &of(s));
        phase = if phase == sorted.phase[s] { phase } else { 0 };
    }
    (volume, phase)
}

/// Length of the common prefix of two codes, −1 outside the array (E28). Equal codes continue with the bits of their
/// slots, which makes all keys different.
#[inline(always)]
fn prefix(codes: &[u64], i: usize, j: isize) -> i32 {
    let Some(&other) = usize::try_from(j).ok().and_then(|j| codes.get(j)) else { return -1 };
    let difference = codes[i] ^ other;
    if difference != 0 { difference.leading_zeros() as i32 } else { 64 + (i as u32 ^ j as u32).leading_zeros() as i32 }
}

/// First and last slot below inner node `i` (D4 Alg 5.1, lines 2–15).
#[inline(always)]
fn range(codes: &[u64], i: usize) -> (usize, usize) {
    let at = |steps: isize| prefix(codes, i, i as isize + steps);
    // E28: the sign of the difference. Keys are different, so it is not 0.
    let d = if at(1) > at(-1) { 1 } else { -1 };
    let least = at(-d);
    let mut most = 2;
    // E28: continues while the prefix is longer, so it ends where it is shorter *or equal*.
    while at(most * d) > least {
        most *= 2;
    }
    let (mut length, mut t) = (0, most / 2);
    while t > 0 {
        if at((length + t) * d) > least {
            length += t;
        }
        t /= 2;
    }
    let j = (i as isize + length * d) as usize;
    (i.min(j), i.max(j))
}

/// Last slot of the left child of a node that covers `first..=last` (D4 Alg 5.1, lines 17–23).
#[inline(always)]
fn split(codes: &[u64], first: usize, last: usize) -> usize {
    let common = prefix(codes, first, last as isize);
    let (mut at, mut step) = (first, last - first);
    while step > 1 {
        step = step.div_ceil(2);
        if at + step < last && prefix(codes, first, (at + step) as isize) > common {
            at += step;
        }
    }
    at
}
