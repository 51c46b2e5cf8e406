//! Which constraints may run side by side.

pub mod color;
pub mod islands;

use crate::kernels::Layout;
use crate::scene::Partition;

/// Constraints of one island that run side by side.
pub struct Set {
    /// Island number, or [`islands::GLOBAL`].
    pub island: u32,
    /// Constraint numbers.
    pub members: Vec<u32>,
}

/// Splits constraints of one kind into sets, island after island.
pub fn split(partition: Partition, layout: Layout, rows: &[u32], islands: &islands::Islands) -> Vec<Set> {
    let arity = layout.rows;
    let count = rows.len() / arity;
    match partition {
        Partition::Color | Partition::Auto => {
            // Only rows that are moved make conflicts.
            let moved: Vec<u32>;
            let moving = if layout.moves == arity {
                rows
            } else {
                moved = rows.chunks_exact(arity).flat_map(|c| &c[..layout.moves]).copied().collect();
                &moved
            };
            let colors = color::smallest_last(layout.moves, moving, islands.of_row.len());
            by_island(&colors, |c| islands.of_row[rows[c as usize * arity] as usize])
        }
        Partition::Serial | Partition::Jacobi | Partition::JacobiGather => {
            vec![Set { island: islands::GLOBAL, members: (0..count as u32).collect() }]
        }
    }
}

/// Cuts every color by island, keeping the order of colors within each.
fn by_island(colors: &[Vec<u32>], island: impl Fn(u32) -> u32) -> Vec<Set> {
    let mut sets: Vec<(u32, usize, Vec<u32>)> = Vec::new();
    for (color, members) in colors.iter().enumerate() {
        let mut sorted = members.clone();
        sorted.sort_by_key(|&c| island(c));
        sets.extend(sorted.chunk_by(|&a, &b| island(a) == island(b)).map(|run| (island(run[0]), color, run.to_vec())));
    }
    sets.sort_by_key(|&(island, color, _)| (island, color));
    sets.into_iter().map(|(island, _, members)| Set { island, members }).collect()
}
