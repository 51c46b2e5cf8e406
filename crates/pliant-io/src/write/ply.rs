//! Binary PLY frames: particles with velocity, surface triangles, rope segments as edges. Surfaces of liquids, with normals; their
//! spray, foam and bubbles.

use super::atomic::{WriteError, write_atomically};
use glam::Vec3;
use pliant::frame::{Frame, Shape};
use std::io::{self, Write};
use std::path::Path;

/// A surface that is another one in every frame.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceFrame<'a> {
    /// Simulated time [s].
    pub time: f64,
    /// Vertices [m].
    pub positions: &'a [Vec3],
    /// Unit normal of each vertex.
    pub normals: &'a [Vec3],
    /// Vertex numbers, counter-clockwise from outside.
    pub triangles: &'a [[u32; 3]],
}

/// Spray, foam and bubbles at a moment: one entry of each list for each fleck.
#[derive(Clone, Copy, Debug)]
pub struct FoamFrame<'a> {
    /// Simulated time [s].
    pub time: f64,
    /// Positions [m].
    pub positions: &'a [Vec3],
    /// Velocities [m/s].
    pub velocities: &'a [Vec3],
    /// Times since they were made [s].
    pub ages: &'a [f32],
    /// 0 for spray, 1 for foam, 2 for bubbles.
    pub kinds: &'a [u8],
}

/// Writes spray, foam and bubbles as points of a binary PLY with velocity, `age` and `kind`. None are a valid file too.
pub fn write_foam(path: &Path, foam: &FoamFrame) -> Result<(), WriteError> {
    let count = foam.positions.len();
    let others = [("velocities", foam.velocities.len()), ("ages", foam.ages.len()), ("kinds", foam.kinds.len())];
    if let Some((what, found)) = others.into_iter().find(|(_, found)| *found != count) {
        return Err(WriteError::Mismatch(format!("foam has {found} {what}, but {count} positions")));
    }
    write_atomically(path, |out| foam_to(out, foam))
}

fn foam_to(out: &mut dyn Write, foam: &FoamFrame) -> io::Result<()> {
    writeln!(out, "ply\nformat binary_little_endian 1.0\ncomment time {}", foam.time)?;
    writeln!(out, "comment kind 0 is spray, 1 foam, 2 bubbles\nelement vertex {}", foam.positions.len())?;
    for name in ["x", "y", "z", "vx", "vy", "vz", "age"] {
        writeln!(out, "property float {name}")?;
    }
    writeln!(out, "property uchar kind\nend_header")?;
    for (i, (p, v)) in foam.positions.iter().zip(foam.velocities).enumerate() {
        for value in [p.x, p.y, p.z, v.x, v.y, v.z, foam.ages[i]] {
            out.write_all(&value.to_le_bytes())?;
        }
        out.write_all(&[foam.kinds[i]])?;
    }
    Ok(())
}

/// Writes a surface as binary PLY. An empty one is a valid file without vertices.
pub fn write_surface(path: &Path, surface: &SurfaceFrame) -> Result<(), WriteError> {
    let (vertices, normals) = (surface.positions.len(), surface.normals.len());
    if vertices != normals {
        return Err(WriteError::Mismatch(format!("surface has {normals} normals, but {vertices} vertices")));
    }
    match surface.triangles.iter().flatten().max() {
        // Readers take numbers of vertices for signed ones.
        Some(&last) if last as usize >= vertices || i32::try_from(last).is_err() => Err(WriteError::Mismatch(format!(
            "surface names vertex {last}, but has {vertices} vertices, of at most 2147483648"
        ))),
        _ => write_atomically(path, |out| surface_to(out, surface)),
    }
}

fn surface_to(out: &mut dyn Write, surface: &SurfaceFrame) -> io::Result<()> {
    writeln!(out, "ply\nformat binary_little_endian 1.0\ncomment time {}", surface.time)?;
    writeln!(out, "element vertex {}", surface.positions.len())?;
    for name in ["x", "y", "z", "nx", "ny", "nz"] {
        writeln!(out, "property float {name}")?;
    }
    writeln!(out, "element face {}\nproperty list uchar int vertex_indices\nend_header", surface.triangles.len())?;
    for (p, n) in surface.positions.iter().zip(surface.normals) {
        for value in [p.x, p.y, p.z, n.x, n.y, n.z] {
            out.write_all(&value.to_le_bytes())?;
        }
    }
    faces(out, surface.triangles)
}

fn faces(out: &mut dyn Write, triangles: &[[u32; 3]]) -> io::Result<()> {
    for triangle in triangles {
        out.write_all(&[3])?;
        for vertex in triangle {
            out.write_all(&vertex.to_le_bytes())?;
        }
    }
    Ok(())
}

pub(super) fn write(out: &mut dyn Write, shape: &Shape, frame: &Frame) -> io::Result<()> {
    writeln!(out, "ply\nformat binary_little_endian 1.0\ncomment time {}", frame.time)?;
    writeln!(out, "element vertex {}", frame.positions.len())?;
    for name in ["x", "y", "z", "vx", "vy", "vz"] {
        writeln!(out, "property float {name}")?;
    }
    writeln!(out, "element face {}\nproperty list uchar int vertex_indices", shape.triangles.len())?;
    if !shape.lines.is_empty() {
        writeln!(out, "element edge {}\nproperty int vertex1\nproperty int vertex2", shape.lines.len())?;
    }
    writeln!(out, "end_header")?;

    for (p, v) in frame.positions.iter().zip(&frame.velocities) {
        for value in [p.x, p.y, p.z, v.x, v.y, v.z] {
            out.write_all(&value.to_le_bytes())?;
        }
    }
    faces(out, &shape.triangles)?;
    for vertex in shape.lines.iter().flatten() {
        out.write_all(&vertex.to_le_bytes())?;
    }
    Ok(())
}
