//! Islands: bodies without a common constraint.
//!
//! No constraint joins the rows of an island to others. Islands can be solved one after the other, all
//! iterations of each while it is in the cache, or concurrently without synchronization. Results are bitwise
//! those of plain coloring, because independent updates commute.

use crate::constraints::ConstraintKind;
use crate::constraints::group::Raw;
use crate::partition::Target;
use std::collections::BTreeMap;
use std::ops::Range;

/// Island number of rows that belong to no island.
pub const GLOBAL: u32 = u32::MAX;

/// Patch number of constraints that no pass runs by themselves: vertex block descent solves their bodies.
pub const ELASTIC: u32 = u32::MAX - 1;

/// Smaller bodies are merged into one island, so that blocks of eight fill [bytes].
const LEAST: usize = 64 << 10;

/// The islands of a scene.
#[derive(Clone, Debug, Default)]
pub struct Islands {
    /// Island of each row, or [`GLOBAL`].
    pub of_row: Vec<u32>,
    /// Body of each row: one of its own rows. No constraint joins two bodies.
    pub body: Vec<u32>,
    /// Particles of each island: one run each.
    pub runs: Vec<Range<usize>>,
    /// Whether the body of each row is small enough to be an island.
    pub fits: Vec<bool>,
}

impl Islands {
    /// No islands: all rows are [`GLOBAL`].
    pub fn none(constraints: &BTreeMap<ConstraintKind, Raw>, rows: usize) -> Self {
        let body = components(constraints, rows);
        Self { of_row: vec![GLOBAL; rows], body, runs: Vec::new(), fits: vec![false; rows] }
    }

    /// The same bodies where others may touch them: none is an island. Their constraints keep the order that they have in
    /// islands.
    pub fn dissolved(self) -> Self {
        Self { of_row: vec![GLOBAL; self.of_row.len()], runs: Vec::new(), ..self }
    }

    /// Finds the islands. `tied` are ranges of particles coupled by something other than constraints; they stay
    /// global, as do bodies that exceed the capacity.
    pub fn find(
        constraints: &BTreeMap<ConstraintKind, Raw>,
        particles: usize,
        rows: usize,
        tied: &[Range<usize>],
        capacity: PatchCapacity,
    ) -> Self {
        let root = components(constraints, rows);
        let mut bodies = vec![Component::default(); rows];
        for (kind, raw) in constraints {
            let layout = kind.layout();
            for members in raw.rows.chunks_exact(layout.rows) {
                bodies[root[members[0] as usize] as usize].bytes += layout.bytes();
            }
        }
        for (r, &body) in root.iter().enumerate().take(particles) {
            bodies[body as usize].add(r);
        }
        for &body in &root[particles..] {
            bodies[body as usize].rows += 1;
        }
        for run in tied {
            for &body in &root[run.clone()] {
                bodies[body as usize].tied = true;
            }
        }
        let fits = root.iter().map(|&body| bodies[body as usize].fits(capacity)).collect();
        let mut found = Self { of_row: vec![GLOBAL; rows], body: Vec::new(), runs: Vec::new(), fits };
        let mut island_of_body = vec![GLOBAL; rows];
        let mut order: Vec<usize> = (0..rows).filter(|&b| bodies[b].fits(capacity)).collect();
        order.sort_unstable_by_key(|&b| bodies[b].first);
        let (mut size, mut rows_so_far) = (0, 0);
        for b in order {
            let body = bodies[b];
            match found.runs.last_mut() {
                // Consecutive bodies share an island while it is small.
                Some(run)
                    if run.end == body.first
                        && size < LEAST
                        && body.end - run.start <= capacity.particles
                        && rows_so_far + body.rows <= capacity.rows =>
                {
                    run.end = body.end
                }
                _ => {
                    found.runs.push(body.first..body.end);
                    (size, rows_so_far) = (0, 0);
                }
            }
            size += body.bytes;
            rows_so_far += body.rows;
            island_of_body[b] = found.runs.len() as u32 - 1;
        }
        for (island, &body) in found.of_row.iter_mut().zip(&root) {
            *island = island_of_body[body as usize];
        }
        found.body = root;
        found
    }
}

/// Body of each row: the lowest row that constraints join it to.
pub(crate) fn components(constraints: &BTreeMap<ConstraintKind, Raw>, rows: usize) -> Vec<u32> {
    let mut components = UnionFind::new(rows);
    for (kind, raw) in constraints {
        for members in raw.rows.chunks_exact(kind.layout().rows) {
            members.iter().for_each(|&r| components.join(members[0], r));
        }
    }
    (0..rows as u32).map(|r| components.root(r)).collect()
}

/// Capacity of an island.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatchCapacity {
    /// Particles, if the user set a limit.
    pub particles: usize,
    /// Particles and orientations.
    pub rows: usize,
    /// Rows and constraints [bytes].
    pub bytes: usize,
}

impl PatchCapacity {
    /// Capacity on a target.
    pub fn on(target: &Target, patch_particles: Option<u32>) -> Self {
        let particles = patch_particles.map_or(usize::MAX, |n| n as usize);
        Self { particles, rows: target.rows, bytes: target.island_bytes }
    }
}

/// One connected component.
#[derive(Clone, Copy, Default)]
struct Component {
    bytes: usize,
    rows: usize,
    first: usize,
    end: usize,
    particles: usize,
    tied: bool,
}

impl Component {
    fn add(&mut self, particle: usize) {
        if self.particles == 0 {
            self.first = particle;
        }
        self.end = particle + 1;
        self.particles += 1;
        self.rows += 1;
        self.bytes += 16;
    }

    /// Whether it has constraints, fits, and its particles are contiguous, so that its contacts can run with it.
    fn fits(&self, capacity: PatchCapacity) -> bool {
        let joined = self.bytes > 16 * self.particles;
        let small = self.bytes <= capacity.bytes
            && self.rows <= capacity.rows
            && (1..=capacity.particles).contains(&self.particles);
        joined && small && !self.tied && self.end - self.first == self.particles
    }
}

/// Union–find with path halving; the smaller row is the root, so the result does not depend on order.
pub(crate) struct UnionFind(Vec<u32>);

impl UnionFind {
    pub(crate) fn new(n: usize) -> Self {
        Self((0..n as u32).collect())
    }

    pub(crate) fn root(&mut self, mut r: u32) -> u32 {
        while self.0[r as usize] != r {
            let up = self.0[self.0[r as usize] as usize];
            self.0[r as usize] = up;
            r = up;
        }
        r
    }

    pub(crate) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}
