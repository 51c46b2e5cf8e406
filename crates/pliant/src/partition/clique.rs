//! Cliques of constraints: sets in which every two share a row (S12; D2 §3.2 and §4).
//!
//! No coloring has fewer colors than the largest has members, ω, though it may need more (E09). The constraints
//! on one row always are a clique, but not every clique has a row in common: three edges of a triangle have
//! none, nor have the seven lines of the Fano plane, so the busiest row only bounds ω from below.
//!
//! Both searches process constraints in degeneracy order, one neighborhood at a time: Bron & Kerbosch
//! 1973 as in Eppstein, Löffler & Strash 2010 to list all cliques, branch and bound with greedy coloring
//! (Tomita & Seki 2003; on bitsets San Segundo et al. 2011) to find ω alone. Depth is up to ω, which may be
//! thousands, so both use an explicit stack.

use crate::partition::conflicts::{Conflicts, Neighborhood, clear, first, has, ones};
use crate::partition::graph::Graph;

/// Maximum number of constraints for which [`omega`] is exact.
pub const EXACT: usize = 10_000;

/// Bitset elements and list entries that [`omega`] reads before it stops: counted, not timed, so that the
/// answer is the same on every machine. Blocks and scanned meshes of [`EXACT`] tetrahedra use a fiftieth of it
/// at most.
const BUDGET: usize = 1 << 28;

/// Size of the largest clique, and whether it is proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Omega {
    /// Number of constraints in the largest clique found.
    pub size: usize,
    /// No clique is larger. Otherwise `size` is a lower bound.
    pub exact: bool,
}

/// Size of the largest clique of constraints with `arity` rows each.
///
/// Exact for up to [`EXACT`] constraints, unless the step budget runs out; then it is the size of the largest
/// clique found. Above [`EXACT`] it is the number of constraints on the busiest row. Both are lower bounds.
pub fn omega(graph: &Graph) -> Omega {
    let mut conflicts = Conflicts::new(graph);
    let mut search = Search { best: conflicts.busiest_row(), steps: 0 };
    let count = conflicts.count();
    // All constraints on one row: ω is known, and ordering them would be expensive.
    if count > EXACT || count == search.best {
        return Omega { size: search.best, exact: count == search.best };
    }
    let order = conflicts.order();
    let mut near = Neighborhood::default();
    for (at, &c) in order.iter().enumerate() {
        if count - at <= search.best {
            break;
        }
        search.steps += conflicts.gather(c, &mut near);
        if near.later.len() < search.best {
            continue;
        }
        search.steps += conflicts.link_later(&mut near);
        if search.steps > BUDGET || !search.run(&near) {
            return Omega { size: search.best, exact: false };
        }
    }
    Omega { size: search.best, exact: true }
}

/// Calls `visit` once with every maximal clique, members ascending, in deterministic order.
///
/// There may be exponentially many; use [`omega`] if only the size of the largest is needed.
pub fn maximal_cliques(graph: &Graph, visit: &mut dyn FnMut(&[u32])) {
    let mut conflicts = Conflicts::new(graph);
    let order = conflicts.order();
    let mut near = Neighborhood::default();
    for &c in &order {
        conflicts.gather(c, &mut near);
        if near.later.is_empty() {
            // A constraint that conflicts only with earlier ones was listed with the first of them.
            if near.earlier.is_empty() {
                visit(&[c]);
            }
            continue;
        }
        conflicts.link_later(&mut near);
        if conflicts.link_earlier(&mut near) {
            list(c, &near, visit);
        }
    }
}

/// Branch and bound for a clique larger than the best so far.
///
/// Coloring bounds alone prove ω of meshes, but not where many constraints have the same rows: a few hundred edges
/// between five rows exceeded the budget until universal and dominated constraints were handled separately.
struct Search {
    best: usize,
    steps: usize,
}

/// One level of [`Search::run`].
struct Branch {
    /// Number of constraints chosen so far.
    chosen: usize,
    /// Constraints that conflict with all of them.
    set: Vec<u64>,
    /// Constraints still to be tried, each with the number of colors up to it, ascending.
    order: Vec<(usize, usize)>,
}

impl Search {
    /// Searches for larger cliques of the center and later constraints; returns whether the budget sufficed.
    fn run(&mut self, near: &Neighborhood) -> bool {
        let mut stack = vec![self.branch(near, near.all(), 1)];
        while let Some(level) = stack.last_mut() {
            let Some((i, _)) = level.order.pop().filter(|&(_, color)| level.chosen + color > self.best) else {
                stack.pop();
                continue;
            };
            if self.steps > BUDGET {
                return false;
            }
            if !has(&level.set, i) {
                continue;
            }
            clear(&mut level.set, i);
            let set = near.and(&level.set, i);
            self.drop_dominated(near, &mut level.set, &set);
            let chosen = level.chosen + 1;
            stack.push(self.branch(near, set, chosen));
        }
        true
    }

    /// Removes from `set` each member of `tried` that has no conflicts in `set` outside `tried`. `tried` is the
    /// neighborhood of a chosen constraint: replacing that one by a dominated one gives no larger clique.
    fn drop_dominated(&mut self, near: &Neighborhood, set: &mut [u64], tried: &[u64]) {
        for j in ones(tried) {
            self.steps += near.words;
            let beyond = set.iter().zip(tried).zip(near.row(j)).any(|((s, t), n)| s & n & !t != 0);
            if !beyond {
                clear(set, j);
            }
        }
    }

    /// Reduces `set`, then colors it greedily. A clique has at most one member of each color, so members whose
    /// color does not exceed the number missing to the best need not be tried.
    fn branch(&mut self, near: &Neighborhood, mut set: Vec<u64>, chosen: usize) -> Branch {
        let chosen = self.reduce(near, &mut set, chosen);
        let missing = self.best - chosen;
        let mut order = Vec::new();
        let mut left = set.clone();
        let mut color = 0;
        while first(&left).is_some() {
            color += 1;
            let mut open = left.clone();
            self.steps += near.words;
            while let Some(i) = first(&open) {
                self.steps += near.words;
                clear(&mut left, i);
                clear(&mut open, i);
                open.iter_mut().zip(near.row(i)).for_each(|(o, n)| *o &= !n);
                if color > missing {
                    order.push((i, color));
                }
            }
        }
        Branch { chosen, set, order }
    }

    /// Repeatedly chooses constraints that conflict with all others, and drops those with too few conflicts to be in
    /// a clique larger than the best; returns the number chosen.
    fn reduce(&mut self, near: &Neighborhood, set: &mut [u64], mut chosen: usize) -> usize {
        let mut left: usize = ones(set).count();
        loop {
            let before = set.to_vec();
            for i in ones(&before) {
                self.steps += near.words;
                let degree = near.degree(set, i);
                let fits_all = degree + 1 == left;
                if fits_all || chosen + 1 + degree <= self.best {
                    clear(set, i);
                    left -= 1;
                    chosen += usize::from(fits_all);
                }
            }
            if *set == *before || self.steps > BUDGET {
                self.best = self.best.max(chosen);
                return chosen;
            }
        }
    }
}

/// One level of [`list`].
struct Level {
    /// Constraints that conflict with all chosen so far.
    set: Vec<u64>,
    /// Likewise, but their cliques are listed elsewhere; indices of sets in [`Neighborhood::bits`].
    listed: Vec<u32>,
    /// Constraints still to be chosen.
    todo: Vec<u64>,
}

impl Level {
    /// A maximal clique without the pivot contains a constraint that does not conflict with the pivot, or the pivot
    /// could be added: only those and the pivot itself need be chosen. The best pivot leaves the fewest.
    fn new(near: &Neighborhood, set: Vec<u64>, listed: Vec<u32>) -> Self {
        let pivots = ones(&set).chain(listed.iter().map(|&x| x as usize));
        let pivot = pivots.min_by_key(|&i| std::cmp::Reverse(near.degree(&set, i)));
        let todo = pivot.map_or_else(Vec::new, |i| set.iter().zip(near.row(i)).map(|(s, n)| s & !n).collect());
        Self { set, listed, todo }
    }
}

/// Lists the maximal cliques of `center` and later constraints: Bron & Kerbosch with pivoting.
fn list(center: u32, near: &Neighborhood, visit: &mut dyn FnMut(&[u32])) {
    let earlier = near.later.len() as u32..near.links as u32;
    let mut stack = vec![Level::new(near, near.all(), earlier.collect())];
    let mut chosen = vec![center];
    while let Some(level) = stack.last_mut() {
        let Some(i) = first(&level.todo) else {
            stack.pop();
            chosen.pop();
            continue;
        };
        clear(&mut level.todo, i);
        clear(&mut level.set, i);
        let set = near.and(&level.set, i);
        let listed: Vec<u32> = level.listed.iter().copied().filter(|&x| has(near.row(x as usize), i)).collect();
        level.listed.push(i as u32);
        chosen.push(near.later[i]);
        if first(&set).is_some() {
            stack.push(Level::new(near, set, listed));
            continue;
        }
        if listed.is_empty() {
            let mut clique = chosen.clone();
            clique.sort_unstable();
            visit(&clique);
        }
        chosen.pop();
    }
}
