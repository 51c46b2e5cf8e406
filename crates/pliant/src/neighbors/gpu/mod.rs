//! Neighbor search on the device (S30–S32): the same lists as [`crate::neighbors`], from the same test of pairs.
//!
//! A [`Finder`] reads positions, radii and phases where they are, and leaves lists in buffers for other shaders. A
//! search is a fixed row of dispatches: nothing is uploaded, read back or allocated.
//!
//! ```text
//! survey ─▶ settle ─┬▶ count ─▶ scan ─▶ fill ──────────┬▶ list ─▶ finish    grid
//!                   └▶ encode ─▶ sort ─▶ lay ─▶ grow ──┘                    tree
//! ```
//!
//! Invariants:
//! - A list holds exactly the particles that [`crate::neighbors::near`] and the phases say, ascending by number: the same
//!   bytes as on the CPU, run for run. Where in the buffer a list lies differs from run to run.
//! - Nothing is dropped (E33): lists that do not fit are an overflow that the header shows, with what is wanted.
//! - Nothing is written out of bounds and every loop ends, whatever positions and radii are.
//! - 256 threads and 16 KiB of workgroup memory suffice, eight storage buffers, no subgroups, no waiting for others.

pub mod finder;
pub mod grid;
pub mod neighbor_overflow;
pub mod scan;
pub mod sort;
pub mod tree;

pub use crate::neighbors::gpu::finder::{Finder, HEADER, Layout, Order, Report, Setup, entries_of};
pub use crate::neighbors::gpu::scan::Scan;
pub use crate::neighbors::gpu::sort::Sort;

use wgpu::Buffer;

/// Threads of a workgroup of all shaders that concern one particle or place per thread.
const THREADS: usize = 256;

const ASK: &str = include_str!("query.wgsl");
const CELLS: &str = include_str!("cells.wgsl");
const GROUP: &str = include_str!("group.wgsl");
const SUM: &str = include_str!("sum.wgsl");

/// Buffers that grid and tree have in common.
pub(crate) struct Shared<'a> {
    particles: usize,
    rows: &'a Buffer,
    radii: &'a Buffer,
    phases: &'a Buffer,
    /// What is asked.
    ask: Buffer,
    /// Cells as the device has chosen them.
    cells: Buffer,
    header: Buffer,
    /// Position and radius by slot.
    slots: Buffer,
    /// Number and phase by slot.
    tags: Buffer,
}

impl Shared<'_> {
    /// Bindings of a shader that fetches particles into slots.
    fn particles_and_slots(&self) -> [(u32, &Buffer); 6] {
        [(0, &self.ask), (1, self.rows), (2, self.radii), (3, self.phases), (8, &self.slots), (9, &self.tags)]
    }
}
