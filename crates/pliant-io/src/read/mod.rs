//! Mesh readers, chosen by file extension.
//!
//! All parsers are written here rather than taken from crates: an error has to name the line or element with
//! what was found and what is allowed, and no header may make a parser allocate more than the file can fill.
//!
//! Invariant: a reader returns only finite coordinates within [`COORDINATE_LIMIT`] and only vertex numbers that
//! exist. Shape (winding, holes, flat elements) is not judged here but in `pliant::mesh::repair`.

mod base64;
mod gltf;
mod gltf_buffers;
mod msh;
mod obj;
mod ply;
mod ply_header;
mod stl;
mod tetgen;
mod text;

use glam::Vec3;
use pliant::mesh::{TetMesh, TriMesh};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Largest coordinate that a mesh may have [m]; beyond it single precision is coarser than 6 cm.
pub const COORDINATE_LIMIT: f64 = 1e6;

/// Most that a reader takes in, so that a broken or hostile file cannot use up memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Largest file, in bytes.
    pub max_bytes: u64,
    /// Most vertices of a mesh.
    pub max_vertices: usize,
    /// Most triangles or tetrahedra of a mesh.
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
        /// What the system said.
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

/// Reads a triangle mesh from an OBJ, PLY, STL, glTF or GLB file.
pub fn read_triangles(path: &Path, caps: &Caps) -> Result<TriMesh, ReadError> {
    let parse = match extension(path).as_str() {
        "obj" => obj::parse,
        "ply" => ply::parse,
        "stl" => stl::parse,
        "gltf" | "glb" => gltf::parse,
        other => {
            let what = format!("extension {other:?} is not one of the surface formats obj, ply, stl, gltf, glb");
            return Err(Fault::file(what).at(path));
        }
    };
    let bytes = load(path, caps)?;
    let mesh = parse(&Input { path, bytes: &bytes, caps }).map_err(|fault| fault.at(path))?;
    match (mesh.positions.len(), mesh.triangles.len()) {
        (0, _) => Err(Fault::file("file has no vertices, but a mesh needs at least 3").at(path)),
        (_, 0) => Err(Fault::file("file has no triangles, but a mesh needs at least 1").at(path)),
        _ => Ok(mesh),
    }
}

/// Reads a tetrahedral mesh from TetGen `.node` and `.ele` files (either may be named) or a Gmsh `.msh` file.
pub fn read_tets(path: &Path, caps: &Caps) -> Result<TetMesh, ReadError> {
    let mesh = match extension(path).as_str() {
        "node" | "ele" => {
            let (node, ele) = (path.with_extension("node"), path.with_extension("ele"));
            let bytes = load(&node, caps)?;
            let nodes = tetgen::parse_nodes(&bytes, caps).map_err(|fault| fault.at(&node))?;
            let bytes = load(&ele, caps)?;
            tetgen::parse_tets(&bytes, nodes, caps).map_err(|fault| fault.at(&ele))?
        }
        "msh" => {
            let bytes = load(path, caps)?;
            msh::parse(&bytes, caps).map_err(|fault| fault.at(path))?
        }
        other => {
            let what = format!("extension {other:?} is not one of the tetrahedral formats node, ele, msh");
            return Err(Fault::file(what).at(path));
        }
    };
    if mesh.tets.is_empty() {
        return Err(Fault::file("file has no tetrahedra, but a mesh needs at least 1").at(path));
    }
    Ok(mesh)
}

fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

/// A file in memory.
struct Input<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    caps: &'a Caps,
}

/// A fault within a file that the parser need not know the name of.
#[derive(Debug)]
struct Fault {
    line: Option<usize>,
    what: String,
}

impl Fault {
    fn file(what: impl Into<String>) -> Self {
        Self { line: None, what: what.into() }
    }

    fn line(line: usize, what: impl Into<String>) -> Self {
        Self { line: Some(line), what: what.into() }
    }

    fn at(self, path: &Path) -> ReadError {
        let file = path.to_path_buf();
        match self.line {
            Some(line) => ReadError::Line { file, line, what: self.what },
            None => ReadError::Content { file, what: self.what },
        }
    }
}

/// Reads a whole file within the cap.
fn load(path: &Path, caps: &Caps) -> Result<Vec<u8>, ReadError> {
    let fail = |source| ReadError::Io { file: path.to_path_buf(), source };
    let about = fs::metadata(path).map_err(fail)?;
    // Pipes and devices have no length to check, and opening a pipe may never return.
    if !about.is_file() {
        return Err(Fault::file("not a regular file").at(path));
    }
    let too_big = |size: String| {
        let what = format!("file has {size} bytes, but at most {} are allowed", caps.max_bytes);
        Fault::file(what).at(path)
    };
    if about.len() > caps.max_bytes {
        return Err(too_big(about.len().to_string()));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(about.len()).unwrap_or(0));
    let file = fs::File::open(path).map_err(fail)?;
    // The file may have grown since its length was taken.
    file.take(caps.max_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > caps.max_bytes {
        return Err(too_big(format!("more than {}", caps.max_bytes)));
    }
    Ok(bytes)
}

/// Checks one vertex: all readers take coordinates in here.
fn checked_position(vertex: usize, xyz: [f64; 3]) -> Result<Vec3, String> {
    for (axis, value) in ["x", "y", "z"].iter().zip(xyz) {
        if value.is_nan() || value.abs() > COORDINATE_LIMIT {
            return Err(format!(
                "vertex {vertex} has {axis} = {value:?}, but coordinates must be finite and within ±{COORDINATE_LIMIT} m"
            ));
        }
    }
    Ok(Vec3::new(xyz[0] as f32, xyz[1] as f32, xyz[2] as f32))
}

/// Refuses a count that a header promises but that cannot be: `size` bytes each are left in `room` bytes, at the least.
fn check_promise(count: u64, thing: &str, cap: usize, size: usize, room: usize) -> Result<usize, String> {
    check_cap(count, thing, cap)?;
    let possible = room as u64 / size.max(1) as u64;
    if count > possible {
        return Err(format!("header promises {count} {thing}, but the rest of the file holds at most {possible}"));
    }
    Ok(count as usize)
}

fn check_cap(count: u64, thing: &str, cap: usize) -> Result<(), String> {
    // Vertex numbers are 32 bits wide whatever the caller allows.
    let cap = cap.min(u32::MAX as usize);
    if count > cap as u64 {
        return Err(format!("file has {count} {thing}, but at most {cap} are allowed"));
    }
    Ok(())
}

/// `vertices 0..=41`, for the second half of an error about a vertex number.
fn allowed_vertices(first: usize, count: usize) -> String {
    match count {
        0 => "no vertices".to_owned(),
        _ => format!("vertices {first}..={}", first + count - 1),
    }
}
