//! Greedy coloring in smallest-last order (S11; D0 §3.1 Alg 1, D2 Alg 1; Matula & Beck 1983).
//!
//! Two constraints conflict if they share a row. Conflicts are never stored: neighbors are read from
//! the per-row lists, so memory is linear in incidences and time is the sum over constraints of the
//! lengths of their rows' lists, about incidences × colors (E10).

use crate::partition::graph::Graph;

const NONE: u32 = u32::MAX;

/// Sets of constraints that share no row, each in the order of the input.
pub fn smallest_last(arity: usize, rows: &[u32], row_count: usize) -> Vec<Vec<u32>> {
    classes(&color(&Graph::uniform(arity, arity, rows, row_count)))
}

/// Color of each constraint. Uses at most 1 + the largest minimum degree during removal (D2 eq 6).
pub fn color(graph: &Graph) -> Vec<u32> {
    color_in(graph, &removal_order(graph))
}

/// Constraints by color, each color in the order of the input.
pub fn classes(colors: &[u32]) -> Vec<Vec<u32>> {
    let mut sets = vec![Vec::new(); count(colors)];
    for (c, &color) in colors.iter().enumerate() {
        sets[color as usize].push(c as u32);
    }
    sets
}

/// Number of colors.
pub fn count(colors: &[u32]) -> usize {
    colors.iter().max().map_or(0, |&c| c as usize + 1)
}

/// Moves constraints from larger classes to the smallest without a conflict, until no move helps or
/// two sweeps are done. Greedy coloring fills its first classes and leaves small last ones; kernels
/// that run one class each need them even.
pub fn balance(graph: &Graph, colors: &mut [u32]) {
    let most = count(colors);
    let words = most.div_ceil(64).max(1);
    let mut sizes = vec![0_usize; most];
    let mut used = vec![0_u64; graph.row_count() * words];
    for (c, &color) in colors.iter().enumerate() {
        sizes[color as usize] += 1;
        for &r in graph.members(c as u32) {
            used[r as usize * words + color as usize / 64] |= 1 << (color % 64);
        }
    }
    let mean = colors.len().div_ceil(most.max(1));
    for _ in 0..2 {
        for c in 0..colors.len() {
            let from = colors[c] as usize;
            if sizes[from] <= mean {
                continue;
            }
            let members = graph.members(c as u32);
            let taken = |k: usize| members.iter().any(|&r| used[r as usize * words + k / 64] >> (k % 64) & 1 == 1);
            let best = (0..most).filter(|&k| sizes[k] < mean && !taken(k)).min_by_key(|&k| sizes[k]);
            let Some(to) = best else { continue };
            for &r in members {
                used[r as usize * words + from / 64] &= !(1 << (from % 64));
                used[r as usize * words + to / 64] |= 1 << (to % 64);
            }
            sizes[from] -= 1;
            sizes[to] += 1;
            colors[c] = to as u32;
        }
    }
}

/// Removal order: repeatedly the constraint with the fewest remaining conflicts.
pub fn removal_order(graph: &Graph) -> Vec<u32> {
    let count = graph.len();
    let incident = graph.incident();
    let mut stamp = vec![NONE; count];
    let mut degree = vec![0_u32; count];
    for c in 0..count as u32 {
        stamp[c as usize] = c;
        for &r in graph.members(c) {
            for &d in incident.of(r as usize) {
                if std::mem::replace(&mut stamp[d as usize], c) != c {
                    degree[c as usize] += 1;
                }
            }
        }
    }
    let mut queue = Queue::new(&degree);
    let mut order = Vec::with_capacity(count);
    stamp.fill(NONE);
    while let Some(c) = queue.pop() {
        order.push(c);
        stamp[c as usize] = c;
        for &r in graph.members(c) {
            for &d in incident.of(r as usize) {
                if std::mem::replace(&mut stamp[d as usize], c) != c && !queue.taken(d) {
                    queue.lower(d);
                }
            }
        }
    }
    order
}

/// Lowest free color, last removed first.
pub fn color_in(graph: &Graph, order: &[u32]) -> Vec<u32> {
    let mut colors = vec![NONE; graph.len()];
    // Colors in use at each row, 64 per element; widened as needed.
    let mut words = 1;
    let mut used = vec![0_u64; graph.row_count()];
    for &c in order.iter().rev() {
        let members = graph.members(c);
        let free = (0..words).find_map(|w| {
            let taken = members.iter().fold(0, |bits, &r| bits | used[r as usize * words + w]);
            (taken != u64::MAX).then(|| w * 64 + (!taken).trailing_zeros() as usize)
        });
        let color = free.unwrap_or_else(|| {
            used = widen(&used, words);
            words += 1;
            (words - 1) * 64
        });
        colors[c as usize] = color as u32;
        for &r in members {
            used[r as usize * words + color / 64] |= 1 << (color % 64);
        }
    }
    colors
}

fn widen(used: &[u64], words: usize) -> Vec<u64> {
    let mut wide = vec![0; used.len() / words * (words + 1)];
    for (to, from) in wide.chunks_exact_mut(words + 1).zip(used.chunks_exact(words)) {
        to[..words].copy_from_slice(from);
    }
    wide
}

/// Constraints by number of remaining conflicts, as linked lists per degree; every operation O(1).
struct Queue {
    head: Vec<u32>,
    next: Vec<u32>,
    prev: Vec<u32>,
    degree: Vec<u32>,
    least: usize,
}

/// Degree of a removed constraint.
const TAKEN: u32 = u32::MAX;

impl Queue {
    fn new(degree: &[u32]) -> Self {
        let most = degree.iter().max().map_or(0, |&d| d as usize);
        let n = degree.len();
        let mut queue = Self {
            head: vec![NONE; most + 1],
            next: vec![NONE; n],
            prev: vec![NONE; n],
            degree: degree.to_vec(),
            least: 0,
        };
        // Backward, so that ties are removed in input order.
        for c in (0..n as u32).rev() {
            queue.link(c);
        }
        queue
    }

    fn link(&mut self, c: u32) {
        let d = self.degree[c as usize] as usize;
        let old = std::mem::replace(&mut self.head[d], c);
        self.next[c as usize] = old;
        self.prev[c as usize] = NONE;
        if old != NONE {
            self.prev[old as usize] = c;
        }
    }

    fn unlink(&mut self, c: u32) {
        let (before, after) = (self.prev[c as usize], self.next[c as usize]);
        if before == NONE {
            self.head[self.degree[c as usize] as usize] = after;
        } else {
            self.next[before as usize] = after;
        }
        if after != NONE {
            self.prev[after as usize] = before;
        }
    }

    fn taken(&self, c: u32) -> bool {
        self.degree[c as usize] == TAKEN
    }

    fn lower(&mut self, c: u32) {
        self.unlink(c);
        self.degree[c as usize] -= 1;
        self.least = self.least.min(self.degree[c as usize] as usize);
        self.link(c);
    }

    fn pop(&mut self) -> Option<u32> {
        while self.least < self.head.len() && self.head[self.least] == NONE {
            self.least += 1;
        }
        let c = *self.head.get(self.least)?;
        self.unlink(c);
        self.degree[c as usize] = TAKEN;
        Some(c)
    }
}
