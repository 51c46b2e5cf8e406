//! Settings that all outputs of a run share.

use super::timing::FrameTiming;
use crate::args::RunArgs;
use pliant::scene::Scene;
use std::path::Path;

/// What a run writes, and where.
pub struct OutputSettings<'a> {
    /// The command line.
    pub args: &'a RunArgs,
    /// Name of the scene.
    pub name: &'a str,
    /// The scene.
    pub scene: &'a Scene,
    /// Frames and steps.
    pub timing: FrameTiming,
    /// Frame of the still picture.
    pub still: u64,
    /// Output folder.
    pub folder: &'a Path,
    /// Last frame of the run that this one goes on from.
    pub after: Option<u64>,
}
