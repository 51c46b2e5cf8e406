//! Neighbor search on the device (S30–S32): the same lists as [`crate::neighbors`], from the same pair test.
//!
//! A [`Finder`] reads positions, radii and phases in place, and leaves lists in buffers for other shaders. A search is
//! a fixed sequence of dispatches: nothing is uploaded, read back or allocated.
//!
//! ```text
//! bounds ─▶ cells ──┬▶ count ─▶ scan ─▶ fill ──────────┬▶ list ─▶ finish    grid
//!                   └▶ encode ─▶ sort ─▶ nodes ────────┘                    tree
//! ```
//!
//! Invariants:
//! - A list contains exactly the particles given by [`crate::neighbors::near`] and the phases, ascending by index:
//!   bitwise equal to the CPU and reproducible. Only the position of a list in the buffer varies.
//! - Nothing is dropped (E33): lists that do not fit are reported as an overflow in the header, with the required
//!   capacity.
//! - Nothing is written out of bounds and every loop ends, for any positions and radii.
//! - Requires 256 threads and 16 KiB of workgroup memory, eight storage buffers, no subgroups, no waiting between
//!   workgroups.

pub mod constants;
pub mod finder;
pub mod grid;
pub mod neighbor_overflow;
pub mod scan;
pub mod setup;
pub mod sort;
pub mod tree;
pub mod uniforms;

pub use crate::neighbors::gpu::finder::{Finder, HEADER, Report, entries_of};
pub use crate::neighbors::gpu::scan::Scan;
pub use crate::neighbors::gpu::setup::{Layout, Order, Setup};
pub use crate::neighbors::gpu::sort::Sort;

use wgpu::Buffer;

/// Threads per workgroup of all shaders with one particle or bucket per thread.
const THREADS: usize = 256;

const QUERY: &str = include_str!("query.wgsl");
/// Cells of the grid.
pub(crate) const CELLS: &str = include_str!("cells.wgsl");
const GROUP: &str = include_str!("group.wgsl");
const SUM: &str = include_str!("sum.wgsl");

/// Buffers shared by grid and tree.
pub(crate) struct Shared<'a> {
    particles: usize,
    rows: &'a Buffer,
    radii: &'a Buffer,
    phases: &'a Buffer,
    /// Query uniforms.
    query: Buffer,
    /// Cells chosen by the device.
    cells: Buffer,
    header: Buffer,
    /// Position and radius by slot.
    slots: Buffer,
    /// Index and phase by slot.
    tags: Buffer,
}

impl Shared<'_> {
    /// Bindings of a shader that gathers particles into slots.
    fn particles_and_slots(&self) -> [(u32, &Buffer); 6] {
        [(0, &self.query), (1, self.rows), (2, self.radii), (3, self.phases), (8, &self.slots), (9, &self.tags)]
    }
}
