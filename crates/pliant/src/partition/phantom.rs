//! Phantoms: copies of particles, so that any number of colors is enough (S12; D2 §4, errata E06–E09).
//!
//! A particle used by N constraints of one color is split into N copies, each of them a row of its own
//! with a share m/N of the mass (E08); after all colors of the kind the particle moves to the mean of its
//! copies (D2 eq 7). Momentum is conserved, because N copies of m/N that move by Δxⱼ carry as much as one
//! particle of m that moves by their mean.
//!
//! D2 splits cliques until their size is q̂ and assumes that the coloring then has q̂ classes, which does not
//! follow (E09). We reverse the order: *any* assignment of q̂ colors becomes valid by splitting each particle
//! into as many copies as its most frequent color, so the colors are chosen first, greedily and so that
//! few copies are needed, which gives q̂ classes by construction. A particle with d constraints needs at least
//! ⌈d/q̂⌉ copies (E07); it gets more only if no color is free on all particles of a constraint.
//! All copies of one particle are one phantom constraint (E06, E07).

use crate::partition::color::{color_in, count, removal_order};
use crate::partition::graph::Graph;

/// Which constraints run concurrently, and on which copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// Color of each constraint.
    pub colors: Vec<u32>,
    /// Copy used by each member of each constraint, in the order of [`Graph::all_members`]; meaningful only where
    /// the row has more than one.
    pub copy: Vec<u32>,
    /// Number of copies of each row; 0 where the row itself is used.
    pub copies: Vec<u32>,
    /// Constraints of this color or higher use copies; those of lower colors use the rows themselves.
    pub first: u32,
}

impl Split {
    /// Colors without copies.
    pub fn plain(graph: &Graph, colors: Vec<u32>) -> Self {
        Self { colors, copy: Vec::new(), copies: vec![0; graph.row_count()], first: u32::MAX }
    }

    /// Total number of copies.
    pub fn total(&self) -> usize {
        self.copies.iter().map(|&n| n as usize).sum()
    }
}

/// Splits rows so that `q` colors are enough, with classes of about equal size.
///
/// If smallest-last coloring already needs at most `q` colors, that coloring is returned and nothing is
/// split.
pub fn split(graph: &Graph, q: usize) -> Split {
    assert!(q >= 2, "two colors at least");
    let order = removal_order(graph);
    let plain = color_in(graph, &order);
    if count(&plain) <= q {
        return Split::plain(graph, plain);
    }
    let mut usage = ColorUsage::new(graph, q);
    let mut colors = vec![0; graph.len()];
    for &c in order.iter().rev() {
        colors[c as usize] = usage.first(graph.members(c)) as u32;
        usage.add(graph.members(c), colors[c as usize] as usize);
    }
    let mut best = (copies_in_all(&usage.copies()), colors.clone());
    for _ in 0..SWEEPS {
        usage.improve(graph, &order, &mut colors);
        let total = copies_in_all(&usage.copies());
        if total <= best.0 {
            best = (total, colors.clone());
        }
    }
    number(graph, q, best.1)
}

/// Improvement sweeps; they reduce the copies above the minimum to a few percent.
const SWEEPS: usize = 8;

fn copies_in_all(copies: &[u32]) -> usize {
    copies.iter().map(|&n| n as usize).sum()
}

/// Assigns a copy to each constraint of one color on one row, in input order.
fn number(graph: &Graph, q: usize, colors: Vec<u32>) -> Split {
    let mut taken = vec![0_u32; graph.row_count() * q];
    let mut copy = vec![0; graph.all_members().len()];
    let mut copies = vec![0_u32; graph.row_count()];
    for c in 0..graph.len() as u32 {
        for (k, &r) in graph.members(c).iter().enumerate() {
            let next = &mut taken[r as usize * q + colors[c as usize] as usize];
            copy[graph.start(c) + k] = *next;
            *next += 1;
            copies[r as usize] = copies[r as usize].max(*next);
        }
    }
    copies.iter_mut().filter(|n| **n == 1).for_each(|n| *n = 0);
    Split { colors, copy, copies, first: 0 }
}

/// The first `q` colors unchanged, all others concurrently on copies of their own: the hybrid of
/// Gauss–Seidel and averaged Jacobi (S13; D2 §5). Averaging the copies is the averaging of Jacobi.
pub fn hybrid(graph: &Graph, q: usize, mut colors: Vec<u32>) -> Split {
    if count(&colors) <= q {
        return Split::plain(graph, colors);
    }
    let last = q as u32;
    let mut copies = vec![0_u32; graph.row_count()];
    let mut copy = vec![0; graph.all_members().len()];
    for c in 0..graph.len() as u32 {
        if colors[c as usize] < last {
            continue;
        }
        colors[c as usize] = last;
        for (k, &r) in graph.members(c).iter().enumerate() {
            copy[graph.start(c) + k] = copies[r as usize];
            copies[r as usize] += 1;
        }
    }
    // A single remaining constraint on a row needs no averaging.
    copies.iter_mut().filter(|n| **n == 1).for_each(|n| *n = 0);
    Split { colors, copy, copies, first: last }
}

/// Number of constraints of each color on every row, and its limit.
struct ColorUsage {
    q: usize,
    words: usize,
    /// `[row][color]`.
    taken: Vec<u32>,
    /// `[row][element]`: bitset of colors of which the row has fewer than `capacity`.
    open: Vec<u64>,
    /// ⌈d/q⌉: constraints of one color on a row without an excess copy.
    capacity: Vec<u32>,
    /// Size of each class.
    sizes: Vec<u32>,
}

impl ColorUsage {
    fn new(graph: &Graph, q: usize) -> Self {
        let words = q.div_ceil(64);
        let all: Vec<u64> =
            (0..words).map(|w| if (w + 1) * 64 <= q { u64::MAX } else { (1 << (q % 64)) - 1 }).collect();
        Self {
            q,
            words,
            taken: vec![0; graph.row_count() * q],
            open: all.repeat(graph.row_count()),
            capacity: graph.degrees().into_iter().map(|d| d.div_ceil(q as u32).max(1)).collect(),
            sizes: vec![0; q],
        }
    }

    fn add(&mut self, members: &[u32], color: usize) {
        self.sizes[color] += 1;
        for r in members.iter().map(|&r| r as usize) {
            let taken = &mut self.taken[r * self.q + color];
            *taken += 1;
            if *taken >= self.capacity[r] {
                self.open[r * self.words + color / 64] &= !(1 << (color % 64));
            }
        }
    }

    fn remove(&mut self, members: &[u32], color: usize) {
        self.sizes[color] -= 1;
        for r in members.iter().map(|&r| r as usize) {
            let taken = &mut self.taken[r * self.q + color];
            *taken -= 1;
            if *taken < self.capacity[r] {
                self.open[r * self.words + color / 64] |= 1 << (color % 64);
            }
        }
    }

    /// Colors that are open on every member, 64 at a time.
    fn open(&self, members: &[u32], word: usize) -> u64 {
        members.iter().fold(u64::MAX, |bits, &r| bits & self.open[r as usize * self.words + word])
    }

    /// Excess copies of the members caused by one more constraint of a color.
    fn excess(&self, members: &[u32], color: usize) -> u32 {
        let over = |r: usize| (self.taken[r * self.q + color] + 1).saturating_sub(self.capacity[r]);
        members.iter().map(|&r| over(r as usize)).sum()
    }

    /// The lowest color that needs no further copy, which keeps the higher ones open for later constraints; else
    /// the one that needs fewest.
    fn first(&self, members: &[u32]) -> usize {
        let lowest = |w: usize| {
            let open = self.open(members, w);
            (open != 0).then(|| w * 64 + open.trailing_zeros() as usize)
        };
        (0..self.words).find_map(lowest).unwrap_or_else(|| self.fewest(members, self.q))
    }

    /// The color with the least excess, ties to the smallest class; not `except` unless it is the only one.
    fn fewest(&self, members: &[u32], except: usize) -> usize {
        (0..self.q).min_by_key(|&k| (self.excess(members, k), k == except, self.sizes[k])).unwrap_or(0)
    }

    /// Moves constraints that cost a copy to colors that cost none, or to other colors to free capacity for others;
    /// and from large classes to small ones.
    fn improve(&mut self, graph: &Graph, order: &[u32], colors: &mut [u32]) {
        let mean = (graph.len() / self.q) as u32;
        for &c in order {
            let members = graph.members(c);
            let now = colors[c as usize] as usize;
            self.remove(members, now);
            let costs = self.excess(members, now) > 0;
            if costs || self.sizes[now] > mean {
                let mut to = None;
                for w in 0..self.words {
                    let mut open = self.open(members, w);
                    while open != 0 {
                        let k = w * 64 + open.trailing_zeros() as usize;
                        open &= open - 1;
                        if to.is_none_or(|t: usize| self.sizes[k] < self.sizes[t]) {
                            to = Some(k);
                        }
                    }
                }
                colors[c as usize] = match to {
                    Some(k) if costs || self.sizes[k] < mean => k as u32,
                    None if costs => self.fewest(members, now) as u32,
                    _ => now as u32,
                };
            }
            self.add(members, colors[c as usize] as usize);
        }
    }

    /// Copies that each row currently needs; 0 where one is enough.
    fn copies(&self) -> Vec<u32> {
        let most = |taken: &[u32]| taken.iter().copied().max().filter(|&n| n > 1).unwrap_or(0);
        self.taken.chunks_exact(self.q).map(most).collect()
    }
}
