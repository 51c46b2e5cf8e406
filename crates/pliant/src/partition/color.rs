//! Greedy coloring in smallest-last order (S11; D0 §3.1 Alg 1, D2 Alg 1; Matula & Beck 1983).
//!
//! Two constraints conflict if they share a row. Conflicts are never stored: neighbors are read from
//! the per-row lists, so memory is linear in incidences and time is the sum over constraints of the
//! lengths of their rows' lists, about incidences × colors (E10). Rows with very many constraints, as the hub of a
//! fan, are an exception: see `BUSY`.

use crate::partition::graph::Graph;
use std::collections::HashMap;

const NONE: u32 = u32::MAX;

/// Constraints on a row from which on its conflicts are counted, but not followed one by one, which would take the square
/// of their number: 27,000 attachments to one particle took half a minute. All constraints of such a row need different
/// colors in any order, so that the order among them matters little. No mesh of good elements has such a row.
const BUSY: usize = 256;

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
            let on_row = incident.of(r as usize);
            if on_row.len() > BUSY {
                degree[c as usize] += on_row.len() as u32 - 1;
                continue;
            }
            for &d in on_row {
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
            let on_row = incident.of(r as usize);
            if on_row.len() > BUSY {
                continue;
            }
            for &d in on_row {
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
    let mut used = UsedColors::new(graph);
    for &c in order.iter().rev() {
        let members = graph.members(c);
        let color = used.lowest_free(members);
        colors[c as usize] = color;
        members.iter().for_each(|&r| used.add(r, color));
    }
    colors
}

/// Colors in use at each row: as bits, 64 per element. Rows have as many elements as their own colors need, of which one
/// lies in place; a row of few constraints with a high color, as next to a busy one, lists its colors instead.
struct UsedColors {
    /// Of colors below 64.
    low: Vec<u64>,
    /// Of the others: where in `bits` those of a row are, if it is busy.
    busy: HashMap<u32, usize>,
    bits: Vec<Vec<u64>>,
    /// Of the others, by row that is not busy.
    listed: HashMap<u32, Vec<u32>>,
}

impl UsedColors {
    fn new(graph: &Graph) -> Self {
        let degrees = graph.degrees();
        let rows = degrees.iter().enumerate().filter(|(_, d)| **d as usize > BUSY).map(|(r, _)| r as u32);
        let busy: HashMap<u32, usize> = rows.enumerate().map(|(k, r)| (r, k)).collect();
        let bits = vec![Vec::new(); busy.len()];
        Self { low: vec![0; graph.row_count()], busy, bits, listed: HashMap::new() }
    }

    fn lowest_free(&self, members: &[u32]) -> u32 {
        let taken = members.iter().fold(0, |bits, &r| bits | self.low[r as usize]);
        if taken != u64::MAX {
            return (!taken).trailing_zeros();
        }
        let busy: Vec<&Vec<u64>> = members.iter().filter_map(|r| self.busy.get(r)).map(|&k| &self.bits[k]).collect();
        let listed: Vec<u32> = members.iter().filter_map(|r| self.listed.get(r)).flatten().copied().collect();
        // The word of all colors from 64 on in which one is free.
        (0..)
            .map(|w: usize| {
                let dense = busy.iter().fold(0, |bits, words| bits | words.get(w).copied().unwrap_or(0));
                let here = listed.iter().map(|&color| color as usize - 64).filter(|color| color / 64 == w);
                let taken = here.fold(dense, |bits, color| bits | 1 << (color % 64));
                (taken != u64::MAX).then(|| (64 + w * 64) as u32 + (!taken).trailing_zeros())
            })
            .find_map(|free| free)
            .unwrap_or(NONE)
    }

    fn add(&mut self, row: u32, color: u32) {
        if color < 64 {
            self.low[row as usize] |= 1 << color;
            return;
        }
        let Some(&k) = self.busy.get(&row) else {
            self.listed.entry(row).or_default().push(color);
            return;
        };
        let (word, bit) = ((color as usize - 64) / 64, color % 64);
        let bits = &mut self.bits[k];
        bits.resize(bits.len().max(word + 1), 0);
        bits[word] |= 1 << bit;
    }
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
