//! Frame caches: one file per frame, in a format that other tools open.
//!
//! To add a format, write a file with a [`FrameFormat`] constant in this folder and list it in `REGISTRY`; the
//! command line takes its `--format` values and their help from there.
//!
//! Invariant: a file appears under its final name only when it is complete (see [`write_atomically`]), so a
//! run that is killed leaves whole frames behind.

mod active_particles;
mod atomic;
mod format;
mod npz;
mod obj;
mod ply;
mod temporary;
mod vtu;

pub use atomic::{WriteError, write_atomically};
pub use format::{FrameFormat, FrameWriter, OpenWriter};
pub use ply::{FoamFrame, SurfaceFrame, write_foam, write_surface};
pub use temporary::is_temporary;

use pliant::frame::{Frame, Topology};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// All frame formats, in the order in which the command line lists them.
const REGISTRY: [&FrameFormat; 4] = [&ply::FORMAT, &vtu::FORMAT, &npz::FORMAT, &obj::FORMAT];

/// Format of a frame cache: an entry of the registry.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CacheFormat(usize);

impl CacheFormat {
    /// All formats, in the order in which the command line lists them.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..REGISTRY.len()).map(Self)
    }

    /// Name on the command line.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// Extension of the frame files, without the dot.
    pub fn extension(self) -> &'static str {
        self.entry().extension
    }

    /// What the files hold, for `--help`.
    pub fn help(self) -> &'static str {
        self.entry().help
    }

    /// File that lists all frames for a viewer, where the format has one.
    pub fn index_file(self) -> Option<&'static str> {
        self.entry().index_file
    }

    fn entry(self) -> &'static FrameFormat {
        REGISTRY[self.0]
    }
}

impl fmt::Display for CacheFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for CacheFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CacheFormat({})", self.name())
    }
}

/// A name that is no cache format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cache format {0:?} is not one of {names}", names = REGISTRY.map(|format| format.name).join(", "))]
pub struct UnknownFormat(pub String);

impl FromStr for CacheFormat {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let found = Self::all().find(|format| format.name() == name);
        found.ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

/// Writes the frames of one simulation into a folder.
#[derive(Debug)]
pub struct CacheWriter {
    folder: PathBuf,
    shape: Topology,
    format: CacheFormat,
    writer: Box<dyn FrameWriter>,
}

impl CacheWriter {
    /// Creates the folder where it is missing and writes the files that do not change from frame to frame.
    pub fn create(folder: &Path, format: CacheFormat, shape: &Topology) -> Result<Self, WriteError> {
        check_shape(shape)?;
        std::fs::create_dir_all(folder).map_err(|source| WriteError::io(folder, source))?;
        let writer = (format.entry().open)(folder, shape)?;
        Ok(Self { folder: folder.to_path_buf(), shape: shape.clone(), format, writer })
    }

    /// Writes one frame and returns its file. A frame that was already written is replaced.
    pub fn write(&mut self, frame: &Frame) -> Result<PathBuf, WriteError> {
        self.check_frame(frame)?;
        let name = format!("frame_{:05}.{}", frame.index, self.format.extension());
        let path = self.folder.join(&name);
        write_atomically(&path, |out| self.writer.write(out, &self.shape, frame))?;
        // After the frame, so that an index never names a file that does not exist.
        self.writer.frame_done(&self.folder, frame, &name)?;
        Ok(path)
    }

    /// Goes on after frames that an earlier run has written: numbers and times [s], in order.
    pub fn resume(&mut self, frames: impl IntoIterator<Item = (u64, f64)>) {
        for (index, time) in frames {
            self.writer.frame_known(time, &format!("frame_{index:05}.{}", self.format.extension()));
        }
    }

    /// Ends the cache. All frames are already complete on disk; this exists so that a format that needs
    /// a last step can report its error.
    pub fn finish(self) -> Result<(), WriteError> {
        Ok(())
    }

    fn check_frame(&self, frame: &Frame) -> Result<(), WriteError> {
        let wanted = self.shape.objects.len();
        for (what, found) in [("positions", frame.positions.len()), ("velocities", frame.velocities.len())] {
            if found != wanted {
                let index = frame.index;
                return Err(WriteError::Mismatch(format!("frame {index} has {found} {what}, but {wanted} particles")));
            }
        }
        Ok(())
    }
}

/// Refuses shapes that no format could write, before the first frame is simulated.
fn check_shape(shape: &Topology) -> Result<(), WriteError> {
    let particles = shape.objects.len();
    if shape.radii.len() != particles {
        let found = shape.radii.len();
        return Err(WriteError::Mismatch(format!("shape has {found} radii, but {particles} particles")));
    }
    let all = shape.triangles.iter().flatten().chain(shape.tets.iter().flatten()).chain(shape.lines.iter().flatten());
    match all.max() {
        Some(&last) if last as usize >= particles => {
            Err(WriteError::Mismatch(format!("shape names particle {last}, but has {particles} particles")))
        }
        _ => Ok(()),
    }
}
