//! How a run ends.

use crate::failure::Failure;

/// How a run ended.
#[derive(Debug)]
pub enum RunEnd {
    /// All frames are complete.
    Done,
    /// The user stopped it.
    Interrupted,
    /// The simulation diverged.
    Diverged(Failure),
}
