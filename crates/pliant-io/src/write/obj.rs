//! Wavefront OBJ frames: surface triangles and rope segments, numbered from 1.

use super::active_particles::omit_inactive;
use super::format::{FrameFormat, FrameWriter};
use pliant::frame::{Frame, Topology};
use std::io::{self, Write};

pub(super) const FORMAT: FrameFormat = FrameFormat {
    name: "obj",
    extension: "obj",
    help: "Surfaces and ropes as text",
    index_file: None,
    open: |_, _| Ok(Box::new(ObjWriter)),
};

#[derive(Debug)]
struct ObjWriter;

impl FrameWriter for ObjWriter {
    fn write(&self, out: &mut dyn Write, shape: &Topology, frame: &Frame) -> io::Result<()> {
        let (shape, frame) = omit_inactive(shape, frame);
        write_frame(out, &shape, &frame)
    }
}

fn write_frame(out: &mut dyn Write, shape: &Topology, frame: &Frame) -> io::Result<()> {
    writeln!(out, "# time {}", frame.time)?;
    for p in &frame.positions {
        // `Display` of f32 is the shortest text that parses to the same value.
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
