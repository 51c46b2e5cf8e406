//! What all readers share: the bytes of a file, the limits on what a reader accepts, and errors with their location.

use glam::Vec3;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Largest coordinate that a mesh may have [m]; beyond it single precision is coarser than 6 cm.
pub const COORDINATE_LIMIT: f64 = 1e6;

/// Limits on what a reader accepts, so that a broken or hostile file cannot exhaust memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Maximum file size [bytes].
    pub max_bytes: u64,
    /// Maximum number of vertices of a mesh.
    pub max_vertices: usize,
    /// Maximum number of triangles or tetrahedra of a mesh.
    pub max_elements: usize,
}

impl Default for Caps {
    fn default() -> Self {
        Self { max_bytes: 1 << 30, max_vertices: 50_000_000, max_elements: 200_000_000 }
    }
}

/// Why a file could not be read; every message starts with the file.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file could not be opened or read.
    #[error("{}: {source}", .file.display())]
    Io {
        /// File as the caller named it.
        file: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A line of a text file is wrong.
    #[error("{}:{line}: {what}", .file.display())]
    Line {
        /// File as the caller named it.
        file: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// What was found and what is allowed.
        what: String,
    },
    /// An element of a binary file, or the file as a whole, is wrong.
    #[error("{}: {what}", .file.display())]
    Content {
        /// File as the caller named it.
        file: PathBuf,
        /// What was found, where, and what is allowed.
        what: String,
    },
}

/// A file in memory.
pub(super) struct Input<'a> {
    pub path: &'a Path,
    pub bytes: &'a [u8],
    pub caps: &'a Caps,
}

/// An error of a parser, which does not know the name of its file.
#[derive(Debug)]
pub(super) struct ParseError {
    line: Option<usize>,
    what: String,
}

impl ParseError {
    pub fn file(what: impl Into<String>) -> Self {
        Self { line: None, what: what.into() }
    }

    pub fn line(line: usize, what: impl Into<String>) -> Self {
        Self { line: Some(line), what: what.into() }
    }

    pub fn at(self, path: &Path) -> ReadError {
        let file = path.to_path_buf();
        match self.line {
            Some(line) => ReadError::Line { file, line, what: self.what },
            None => ReadError::Content { file, what: self.what },
        }
    }
}

/// Reads a whole file within the cap.
pub(super) fn load(path: &Path, caps: &Caps) -> Result<Vec<u8>, ReadError> {
    let fail = |source| ReadError::Io { file: path.to_path_buf(), source };
    let metadata = fs::metadata(path).map_err(fail)?;
    // Pipes and devices have no length to check, and opening a pipe may block forever.
    if !metadata.is_file() {
        return Err(ParseError::file("not a regular file").at(path));
    }
    let too_big = |size: String| {
        let what = format!("file has {size} bytes, but at most {} are allowed", caps.max_bytes);
        ParseError::file(what).at(path)
    };
    if metadata.len() > caps.max_bytes {
        return Err(too_big(metadata.len().to_string()));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    let file = fs::File::open(path).map_err(fail)?;
    // The file may have grown since its length was taken.
    file.take(caps.max_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > caps.max_bytes {
        return Err(too_big(format!("more than {}", caps.max_bytes)));
    }
    Ok(bytes)
}

/// Checks the coordinates of one vertex [m]; all readers call this.
pub(super) fn checked_position(vertex: usize, xyz: [f64; 3]) -> Result<Vec3, String> {
    for (axis, value) in ["x", "y", "z"].iter().zip(xyz) {
        if value.is_nan() || value.abs() > COORDINATE_LIMIT {
            return Err(format!(
                "vertex {vertex} has {axis} = {value:?}, but coordinates must be finite and within ±{COORDINATE_LIMIT} m"
            ));
        }
    }
    Ok(Vec3::new(xyz[0] as f32, xyz[1] as f32, xyz[2] as f32))
}

/// Refuses a count that a header declares and the file cannot hold: each item takes at least `item_size` bytes of the
/// `remaining` bytes.
pub(super) fn check_declared_count(
    count: u64,
    thing: &str,
    cap: usize,
    item_size: usize,
    remaining: usize,
) -> Result<usize, String> {
    check_cap(count, thing, cap)?;
    let possible = remaining as u64 / item_size.max(1) as u64;
    if count > possible {
        return Err(format!("header declares {count} {thing}, but the rest of the file holds at most {possible}"));
    }
    Ok(count as usize)
}

pub(super) fn check_cap(count: u64, thing: &str, cap: usize) -> Result<(), String> {
    // Vertex numbers are 32 bits wide, whatever the caller's limit.
    let cap = cap.min(u32::MAX as usize);
    if count > cap as u64 {
        return Err(format!("file has {count} {thing}, but at most {cap} are allowed"));
    }
    Ok(())
}

/// `vertices 0..=41`, for the second half of an error about a vertex number.
pub(super) fn allowed_vertices(first: usize, count: usize) -> String {
    match count {
        0 => "no vertices".to_owned(),
        _ => format!("vertices {first}..={}", first + count - 1),
    }
}
