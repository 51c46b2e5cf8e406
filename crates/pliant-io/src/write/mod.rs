//! Frame caches: one file per frame, in a format that other tools open.
//!
//! Invariant: a file appears under its final name only when it is complete (see [`write_atomically`]), so a
//! run that is killed leaves whole frames behind.

mod atomic;
mod npz;
mod obj;
mod ply;
mod present;
mod vtu;

pub use atomic::{WriteError, write_atomically};
pub use ply::{FoamFrame, SurfaceFrame, write_foam, write_surface};

use pliant::frame::{Frame, Shape};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Format of a frame cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CacheFormat {
    /// Stanford PLY, binary little-endian: surfaces with velocities, ropes as edges.
    Ply,
    /// VTK unstructured grid with a `frames.pvd` for ParaView: everything.
    Vtu,
    /// NumPy archives: `frame_*.npz` and one `shape.npz` with the topology.
    Npz,
    /// Wavefront OBJ: surfaces and ropes as text.
    Obj,
}

impl CacheFormat {
    /// All formats, in the order in which they are offered.
    pub const ALL: [Self; 4] = [Self::Ply, Self::Vtu, Self::Npz, Self::Obj];

    /// Name of the format, which is also the extension of its files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ply => "ply",
            Self::Vtu => "vtu",
            Self::Npz => "npz",
            Self::Obj => "obj",
        }
    }
}

impl fmt::Display for CacheFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no cache format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cache format {0:?} is not one of ply, vtu, npz, obj")]
pub struct UnknownFormat(pub String);

impl FromStr for CacheFormat {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let found = Self::ALL.into_iter().find(|format| format.name() == name);
        found.ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

/// Writes the frames of one simulation into a folder.
#[derive(Debug)]
pub struct CacheWriter {
    folder: PathBuf,
    shape: Shape,
    kind: Kind,
}

/// What each format keeps from frame to frame.
#[derive(Debug)]
enum Kind {
    Ply,
    Obj,
    Npz,
    Vtu(vtu::Series),
}

impl CacheWriter {
    /// Makes the folder where it is missing and writes what does not change from frame to frame.
    pub fn create(dir: &Path, format: CacheFormat, shape: &Shape) -> Result<Self, WriteError> {
        check_shape(shape)?;
        std::fs::create_dir_all(dir).map_err(|source| WriteError::io(dir, source))?;
        let kind = match format {
            CacheFormat::Ply => Kind::Ply,
            CacheFormat::Obj => Kind::Obj,
            CacheFormat::Vtu => Kind::Vtu(vtu::Series::new(shape)),
            CacheFormat::Npz => {
                write_atomically(&dir.join("shape.npz"), |out| npz::write_shape(out, shape))?;
                Kind::Npz
            }
        };
        Ok(Self { folder: dir.to_path_buf(), shape: shape.clone(), kind })
    }

    /// Writes one frame and returns its file. A frame that was already written is replaced.
    pub fn write(&mut self, frame: &Frame) -> Result<PathBuf, WriteError> {
        self.check_frame(frame)?;
        let extension = match self.kind {
            Kind::Ply => "ply",
            Kind::Obj => "obj",
            Kind::Npz => "npz",
            Kind::Vtu(_) => "vtu",
        };
        let name = format!("frame_{:05}.{extension}", frame.index);
        let path = self.folder.join(&name);
        let there = present::present(&self.shape, frame);
        let (shape, seen) = there.as_ref().map_or((&self.shape, frame), |(shape, seen)| (shape, seen));
        write_atomically(&path, |out| match &self.kind {
            Kind::Ply => ply::write(out, shape, seen),
            Kind::Obj => obj::write(out, shape, seen),
            Kind::Npz => npz::write_frame(out, frame),
            Kind::Vtu(_) if there.is_some() => vtu::Series::new(shape).write_frame(out, seen),
            Kind::Vtu(series) => series.write_frame(out, frame),
        })?;
        if let Kind::Vtu(series) = &mut self.kind {
            // After the frame, so that the list never names a file that is not there.
            series.add(frame, name);
            write_atomically(&self.folder.join("frames.pvd"), |out| series.write_list(out))?;
        }
        Ok(path)
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
fn check_shape(shape: &Shape) -> Result<(), WriteError> {
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
