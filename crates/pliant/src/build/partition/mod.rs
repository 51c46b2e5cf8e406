//! Which constraints may run side by side.

pub mod color;

use crate::scene::Partition;

/// Splits constraints of one kind (`arity` rows each) into sets that run one after the other.
pub fn split(partition: Partition, arity: usize, rows: &[u32], row_count: usize) -> Vec<Vec<u32>> {
    let count = rows.len() / arity;
    match partition {
        Partition::Color | Partition::Auto => color::smallest_last(arity, rows, row_count),
        Partition::Serial | Partition::Jacobi | Partition::JacobiGather => vec![(0..count as u32).collect()],
    }
}
