//! Conflict graph: constraints and the rows they move.

use crate::mesh::topology::Buckets;

/// Constraints of one kind or of several. Two constraints conflict if they move the same row. Conflicts
/// are never stored; they are read from the per-row lists (E10).
#[derive(Clone, Debug)]
pub struct Graph {
    starts: Vec<u32>,
    rows: Vec<u32>,
    row_count: usize,
}

impl Graph {
    /// An empty graph over `row_count` rows.
    pub fn new(row_count: usize) -> Self {
        Self { starts: vec![0], rows: Vec::new(), row_count }
    }

    /// The constraints of one kind: `arity` rows each, of which the first `moves` are moved.
    pub fn uniform(arity: usize, moves: usize, rows: &[u32], row_count: usize) -> Self {
        let mut graph = Self::new(row_count);
        graph.rows.reserve(rows.len() / arity * moves);
        graph.starts.reserve(rows.len() / arity);
        rows.chunks_exact(arity).for_each(|members| graph.push(&members[..moves]));
        graph
    }

    /// Adds a constraint that moves these rows.
    pub fn push(&mut self, members: &[u32]) {
        self.rows.extend_from_slice(members);
        self.starts.push(self.rows.len() as u32);
    }

    /// Number of constraints.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are no constraints.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of rows that constraints may use.
    pub fn row_count(&self) -> usize {
        self.row_count
    }

    /// Rows that a constraint moves.
    #[inline]
    pub fn members(&self, c: u32) -> &[u32] {
        &self.rows[self.starts[c as usize] as usize..self.starts[c as usize + 1] as usize]
    }

    /// Offset of a constraint's first row in the list of all members.
    #[inline]
    pub fn start(&self, c: u32) -> usize {
        self.starts[c as usize] as usize
    }

    /// All members, constraint after constraint.
    pub fn all_members(&self) -> &[u32] {
        &self.rows
    }

    /// Constraints on each row.
    pub fn incident(&self) -> Buckets<u32> {
        Buckets::fill(self.row_count, || {
            (0..self.len() as u32).flat_map(|c| self.members(c).iter().map(move |&r| (r, c)))
        })
    }

    /// Number of constraints on each row.
    pub fn degrees(&self) -> Vec<u32> {
        let mut degrees = vec![0; self.row_count];
        self.rows.iter().for_each(|&r| degrees[r as usize] += 1);
        degrees
    }
}
