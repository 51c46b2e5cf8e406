//! Binary PLY frames: particles with velocity, surface triangles, rope segments as edges.

use pliant::frame::{Frame, Shape};
use std::io::{self, Write};

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
    for triangle in &shape.triangles {
        out.write_all(&[3])?;
        for vertex in triangle {
            out.write_all(&vertex.to_le_bytes())?;
        }
    }
    for vertex in shape.lines.iter().flatten() {
        out.write_all(&vertex.to_le_bytes())?;
    }
    Ok(())
}
