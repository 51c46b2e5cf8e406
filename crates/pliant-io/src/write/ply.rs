//! Binary PLY files: frames (particles with velocity, surface triangles, rope segments as edges), liquid surfaces
//! with normals, and spray, foam and bubbles as points.

use super::active_particles::omit_inactive;
use super::atomic::{WriteError, write_atomically};
use super::format::{FrameFormat, FrameWriter};
use glam::Vec3;
use pliant::frame::{Frame, Topology};
use std::io::{self, Write};
use std::path::Path;

pub(super) const FORMAT: FrameFormat = FrameFormat {
    name: "ply",
    extension: "ply",
    help: "Surfaces and ropes, binary",
    index_file: None,
    open: |_, _| Ok(Box::new(PlyWriter)),
};

#[derive(Debug)]
struct PlyWriter;

impl FrameWriter for PlyWriter {
    fn write(&self, out: &mut dyn Write, shape: &Topology, frame: &Frame) -> io::Result<()> {
        let (shape, frame) = omit_inactive(shape, frame);
        write_frame(out, &shape, &frame)
    }
}

/// A surface whose topology differs from frame to frame.
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

/// Spray, foam and bubbles of one frame; each list has one entry per diffuse particle.
#[derive(Clone, Copy, Debug)]
pub struct FoamFrame<'a> {
    /// Simulated time [s].
    pub time: f64,
    /// Positions [m].
    pub positions: &'a [Vec3],
    /// Velocities [m/s].
    pub velocities: &'a [Vec3],
    /// Times since generation [s].
    pub ages: &'a [f32],
    /// 0 for spray, 1 for foam, 2 for bubbles.
    pub kinds: &'a [u8],
}

/// Writes spray, foam and bubbles as points of a binary PLY with velocity, `age` and `kind`. Without particles the
/// file is valid and has no points.
pub fn write_foam(path: &Path, foam: &FoamFrame) -> Result<(), WriteError> {
    let count = foam.positions.len();
    let others = [("velocities", foam.velocities.len()), ("ages", foam.ages.len()), ("kinds", foam.kinds.len())];
    if let Some((what, found)) = others.into_iter().find(|(_, found)| *found != count) {
        return Err(WriteError::Mismatch(format!("foam has {found} {what}, but {count} positions")));
    }
    write_atomically(path, |out| write_foam_points(out, foam))
}

fn write_foam_points(out: &mut dyn Write, foam: &FoamFrame) -> io::Result<()> {
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

/// Writes a surface as binary PLY. An empty surface gives a valid file without vertices.
pub fn write_surface(path: &Path, surface: &SurfaceFrame) -> Result<(), WriteError> {
    let (vertices, normals) = (surface.positions.len(), surface.normals.len());
    if vertices != normals {
        return Err(WriteError::Mismatch(format!("surface has {normals} normals, but {vertices} vertices")));
    }
    match surface.triangles.iter().flatten().max() {
        // The file declares vertex numbers as signed 32-bit integers.
        Some(&last) if last as usize >= vertices || i32::try_from(last).is_err() => Err(WriteError::Mismatch(format!(
            "surface names vertex {last}, but has {vertices} vertices, of at most 2147483648"
        ))),
        _ => write_atomically(path, |out| write_surface_mesh(out, surface)),
    }
}

fn write_surface_mesh(out: &mut dyn Write, surface: &SurfaceFrame) -> io::Result<()> {
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
    write_faces(out, surface.triangles)
}

fn write_faces(out: &mut dyn Write, triangles: &[[u32; 3]]) -> io::Result<()> {
    for triangle in triangles {
        out.write_all(&[3])?;
        for vertex in triangle {
            out.write_all(&vertex.to_le_bytes())?;
        }
    }
    Ok(())
}

fn write_frame(out: &mut dyn Write, shape: &Topology, frame: &Frame) -> io::Result<()> {
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
    write_faces(out, &shape.triangles)?;
    for vertex in shape.lines.iter().flatten() {
        out.write_all(&vertex.to_le_bytes())?;
    }
    Ok(())
}
