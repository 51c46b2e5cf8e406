//! Which vertices share elements: coloring, and an order in which neighbors are close.

/// Neighbors of each vertex.
pub(super) struct Adjacency {
    offsets: Vec<u32>,
    neighbors: Vec<u32>,
}

impl Adjacency {
    /// Of elements between `count` vertices.
    pub(super) fn new<'a>(count: usize, elements: impl Iterator<Item = &'a [u32]>) -> Self {
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for rows in elements {
            for &a in rows {
                pairs.extend(rows.iter().filter(|&&b| b != a).map(|&b| (a, b)));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut offsets = vec![0_u32; count + 1];
        pairs.iter().for_each(|&(a, _)| offsets[a as usize + 1] += 1);
        for v in 0..count {
            offsets[v + 1] += offsets[v];
        }
        Self { offsets, neighbors: pairs.into_iter().map(|(_, b)| b).collect() }
    }

    pub(super) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    pub(super) fn of(&self, v: u32) -> &[u32] {
        &self.neighbors[self.offsets[v as usize] as usize..self.offsets[v as usize + 1] as usize]
    }

    /// The same between groups of vertices.
    pub(super) fn between(&self, group: &[u32], count: usize) -> Self {
        let mut pairs: Vec<[u32; 2]> = Vec::new();
        for v in 0..self.len() as u32 {
            let own = group[v as usize];
            pairs.extend(self.of(v).iter().map(|&n| [own, group[n as usize]]).filter(|[a, b]| a < b));
        }
        pairs.sort_unstable();
        pairs.dedup();
        Self::new(count, pairs.iter().map(|p| &p[..]))
    }

    /// All pairs of neighbors, the larger number first, and each vertex with itself; ascending.
    pub(super) fn lower_pairs(&self) -> Vec<[u32; 2]> {
        let of = |a: u32| self.of(a).iter().copied().filter(move |&b| b < a).chain([a]).map(move |b| [a, b]);
        (0..self.len() as u32).flat_map(of).collect()
    }

    /// Reverse Cuthill–McKee: an order in which neighbors are close to each other.
    pub(super) fn banded_order(&self) -> Vec<u32> {
        let mut order = Vec::with_capacity(self.len());
        let mut seen = vec![false; self.len()];
        for start in 0..self.len() as u32 {
            if seen[start as usize] {
                continue;
            }
            // From an end of the component: the last vertex that a search from anywhere reaches, twice.
            let end = self.last_reached(self.last_reached(start));
            let first = order.len();
            seen[end as usize] = true;
            order.push(end);
            let mut at = first;
            while at < order.len() {
                let v = order[at];
                at += 1;
                let mut next: Vec<u32> = self.of(v).iter().copied().filter(|&n| !seen[n as usize]).collect();
                next.sort_by_key(|&n| (self.of(n).len(), n));
                next.iter().for_each(|&n| seen[n as usize] = true);
                order.extend(next);
            }
        }
        order.reverse();
        order
    }

    fn last_reached(&self, start: u32) -> u32 {
        let mut seen = vec![false; self.len()];
        seen[start as usize] = true;
        let mut list = vec![start];
        let mut at = 0;
        while at < list.len() {
            let v = list[at];
            at += 1;
            for &n in self.of(v) {
                if !std::mem::replace(&mut seen[n as usize], true) {
                    list.push(n);
                }
            }
        }
        // Of the farthest, one with few neighbors would be best; the last is as good in practice.
        list[list.len() - 1]
    }
}

/// Colors such that neighbors differ, first fit in the order of the vertices.
pub(super) fn greedy_colors(adjacency: &Adjacency) -> Vec<u32> {
    let mut colors = vec![u32::MAX; adjacency.len()];
    let mut taken = Vec::new();
    for v in 0..adjacency.len() as u32 {
        taken.clear();
        taken.extend(adjacency.of(v).iter().map(|&n| colors[n as usize]).filter(|&c| c != u32::MAX));
        taken.sort_unstable();
        taken.dedup();
        let free = taken.iter().enumerate().find(|(k, c)| *k as u32 != **c).map_or(taken.len(), |(k, _)| k);
        colors[v as usize] = free as u32;
    }
    colors
}
