//! What a frame format provides. A new format is one file with a [`FrameFormat`] constant, and a line in the
//! registry of `write/mod.rs`.

use super::atomic::WriteError;
use pliant::frame::{Frame, Topology};
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

/// One format of frame files, as the registry lists it.
pub struct FrameFormat {
    /// Name on the command line.
    pub name: &'static str,
    /// Extension of the frame files, without the dot.
    pub extension: &'static str,
    /// What the files hold, for `--help`.
    pub help: &'static str,
    /// File that lists all frames for a viewer, where the format has one.
    pub index_file: Option<&'static str>,
    /// Opens a writer in a folder.
    pub open: OpenWriter,
}

/// Writes the files that do not change from frame to frame into the folder and returns the writer of frames.
pub type OpenWriter = fn(&Path, &Topology) -> Result<Box<dyn FrameWriter>, WriteError>;

/// Writes the frames of one simulation in one format.
pub trait FrameWriter: fmt::Debug + Send {
    /// Writes one frame. Formats without a mark for inactive particles omit them, see `omit_inactive`.
    fn write(&self, out: &mut dyn Write, shape: &Topology, frame: &Frame) -> io::Result<()>;

    /// Runs after each frame file is complete under its name; updates the index file where there is one.
    fn frame_done(&mut self, folder: &Path, frame: &Frame, file: &str) -> Result<(), WriteError> {
        let _ = (folder, frame, file);
        Ok(())
    }

    /// Tells of a frame at a time [s] that an earlier run has written, before the first one of this run.
    fn frame_known(&mut self, time: f64, file: &str) {
        let _ = (time, file);
    }
}
