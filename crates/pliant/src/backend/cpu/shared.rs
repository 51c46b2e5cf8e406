//! Rows that several threads write at once, without locks, because they never write the same one.

use crate::state::RowData;

/// A mutable slice of rows that can be handed to several threads.
///
/// Sound only under the promise of the pass that uses it: within a pass no row is touched by two
/// constraints. `build::partition` makes batches so, and `Group::check` proves it for every model before
/// the first step.
#[derive(Clone, Copy)]
pub struct SharedRows {
    base: *mut RowData,
}

// SAFETY: the pointer is only used through `base`, under the promise above.
unsafe impl Send for SharedRows {}
// SAFETY: as above.
unsafe impl Sync for SharedRows {}

impl SharedRows {
    /// Borrows the rows for one pass.
    pub fn new(rows: &mut [RowData]) -> Self {
        Self { base: rows.as_mut_ptr() }
    }

    /// First row.
    #[inline(always)]
    pub fn base(self) -> *mut RowData {
        self.base
    }
}
