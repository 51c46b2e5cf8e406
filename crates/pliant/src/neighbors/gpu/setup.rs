//! Inputs of a neighbor search on the device.

use crate::environments::Separation;
use crate::neighbors::{Cloud, Construction, Pairs, Search};
use wgpu::Buffer;

/// Inputs of a search. The caller's buffers are only read.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    /// Number of particles, below [`crate::neighbors::MAX_PARTICLES`].
    pub particles: usize,
    /// One `vec4<f32>` per particle, optionally followed by more rows: position [m]; w is ignored.
    pub rows: &'a Buffer,
    /// Offset of the first particle [rows].
    pub rows_at: u32,
    /// Radii [m], one `f32` per particle.
    pub radii: &'a Buffer,
    /// Offset of the first radius [words].
    pub radii_at: u32,
    /// Phases, one `u32` per particle; without a buffer all particles have phase 0.
    pub phases: Option<&'a Buffer>,
    /// Offset of the first phase [words].
    pub phases_at: u32,
    /// See [`crate::neighbors::near`] [m]; not negative.
    pub margin: f32,
    /// Which particle of a pair lists the other.
    pub pairs: Pairs,
    /// Search structure.
    pub search: Search,
    /// Construction method of the grid. Lists do not depend on it.
    pub construction: Construction,
    /// Order of list entries.
    pub order: Order,
    /// Memory layout of lists.
    pub layout: Layout,
    /// Initial capacity [list entries].
    pub capacity: usize,
    /// Initial positions, for [`Search::Auto`], which the host decides once: the list of dispatches is fixed, so data
    /// on the device would come too late. Without it, auto selects the grid.
    pub cloud: Option<Cloud<'a>>,
    /// Environments, whose particles are not neighbors of each other; the grid searches if there is more than one.
    pub separation: Separation<'a>,
}

impl Setup<'_> {
    /// Shaders do not check their indices.
    ///
    /// # Panics
    /// Where a buffer ends before its last particle.
    pub(super) fn check(&self) {
        let n = self.particles as u64;
        let check = |what: &str, buffer: &Buffer, at: u32, stride: u64| {
            let (needed, size) = (stride * (u64::from(at) + n), buffer.size());
            assert!(size >= needed, "the buffer of {what} has {size} bytes, but the search reads {needed}");
        };
        check("rows", self.rows, self.rows_at, 16);
        check("radii", self.radii, self.radii_at, 4);
        if let Some(phases) = self.phases {
            check("phases", phases, self.phases_at, 4);
        }
        let (count, of) = (self.separation.count, self.separation.of);
        assert!(!self.separation.acts() || of.len() == self.particles && of.iter().all(|&e| e < count), "environments");
    }
}

/// The order of a list's entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// By particle index, as on the CPU.
    #[default]
    Numbers,
    /// By cell, and by index within cells, if the grid searches: deterministic too, without sorting. For long lists.
    Cells,
}

/// Memory layout of the lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// Contiguous.
    #[default]
    Apart,
    /// Lists of 32 consecutive slots are interleaved: their n-th entries are adjacent, so that accesses of adjacent
    /// threads are coalesced. Takes at most about half as much memory again. Lists much longer than their neighbors'
    /// stay contiguous.
    Interleaved,
}
