//! Wavefront OBJ frames: surface triangles and rope segments, numbered from 1.

use pliant::frame::{Frame, Shape};
use std::io::{self, Write};

pub(super) fn write(out: &mut dyn Write, shape: &Shape, frame: &Frame) -> io::Result<()> {
    writeln!(out, "# time {}", frame.time)?;
    for p in &frame.positions {
        // The shortest text that reads back as the same value.
        writeln!(out, "v {} {} {}", p.x, p.y, p.z)?;
    }
    for [a, b, c] in shape.triangles.iter().map(|t| t.map(|v| u64::from(v) + 1)) {
        writeln!(out, "f {a} {b} {c}")?;
    }
    for [a, b] in shape.lines.iter().map(|t| t.map(|v| u64::from(v) + 1)) {
        writeln!(out, "l {a} {b}")?;
    }
    Ok(())
}
