//! Mesh readers, chosen by file extension.
//!
//! The parsers are part of this crate: an error has to name the line or element with what was found and what is
//! allowed, and no header may make a parser allocate more than the file can fill.
//!
//! Invariant: a reader returns only finite coordinates within [`COORDINATE_LIMIT`] and only vertex numbers that
//! exist. Topology (winding, holes, flat elements) is checked in `pliant::mesh::repair`, not here.

mod base64;
mod gltf;
mod gltf_buffers;
mod input;
mod msh;
mod obj;
mod ply;
mod ply_header;
mod stl;
mod tetgen;
mod text;

pub use input::{COORDINATE_LIMIT, Caps, ReadError};

use input::{Input, ParseError, load};
use pliant::mesh::{TetMesh, TriMesh};
use std::path::Path;

/// Reads a triangle mesh from an OBJ, PLY, STL, glTF or GLB file.
pub fn read_triangles(path: &Path, caps: &Caps) -> Result<TriMesh, ReadError> {
    let parse = match extension(path).as_str() {
        "obj" => obj::parse,
        "ply" => ply::parse,
        "stl" => stl::parse,
        "gltf" | "glb" => gltf::parse,
        other => {
            let what = format!("extension {other:?} is not one of the surface formats obj, ply, stl, gltf, glb");
            return Err(ParseError::file(what).at(path));
        }
    };
    let bytes = load(path, caps)?;
    let mesh = parse(&Input { path, bytes: &bytes, caps }).map_err(|error| error.at(path))?;
    match (mesh.positions.len(), mesh.triangles.len()) {
        (0, _) => Err(ParseError::file("file has no vertices, but a mesh needs at least 3").at(path)),
        (_, 0) => Err(ParseError::file("file has no triangles, but a mesh needs at least 1").at(path)),
        _ => Ok(mesh),
    }
}

/// Reads a tetrahedral mesh from TetGen `.node` and `.ele` files (the path may be either) or a Gmsh `.msh` file.
pub fn read_tets(path: &Path, caps: &Caps) -> Result<TetMesh, ReadError> {
    let mesh = match extension(path).as_str() {
        "node" | "ele" => {
            let (node, ele) = (path.with_extension("node"), path.with_extension("ele"));
            let bytes = load(&node, caps)?;
            let nodes = tetgen::parse_nodes(&bytes, caps).map_err(|error| error.at(&node))?;
            let bytes = load(&ele, caps)?;
            tetgen::parse_tets(&bytes, nodes, caps).map_err(|error| error.at(&ele))?
        }
        "msh" => {
            let bytes = load(path, caps)?;
            msh::parse(&bytes, caps).map_err(|error| error.at(path))?
        }
        other => {
            let what = format!("extension {other:?} is not one of the tetrahedral formats node, ele, msh");
            return Err(ParseError::file(what).at(path));
        }
    };
    if mesh.tets.is_empty() {
        return Err(ParseError::file("file has no tetrahedra, but a mesh needs at least 1").at(path));
    }
    Ok(mesh)
}

fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}
