//! VTK XML unstructured grids with base64 data, and the `.pvd` index that ParaView plays them from.
//!
//! Base64 takes a third more space than raw appended data, but keeps the file valid XML, which readers other than
//! VTK's own accept.

use super::active_particles::omit_inactive;
use super::atomic::{WriteError, write_atomically};
use super::format::{FrameFormat, FrameWriter};
use glam::Vec3;
use pliant::frame::{Frame, Topology};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

const INDEX_FILE: &str = "frames.pvd";

pub(super) const FORMAT: FrameFormat = FrameFormat {
    name: "vtu",
    extension: "vtu",
    help: "Everything, with a frames.pvd for ParaView",
    index_file: Some(INDEX_FILE),
    open: |_, shape| Ok(Box::new(VtuWriter { grid: Grid::new(shape), frames: Vec::new() })),
};

/// VTK cell types.
const LINE: u8 = 3;
const TRIANGLE: u8 = 5;
const TET: u8 = 10;

#[derive(Debug)]
struct VtuWriter {
    grid: Grid,
    /// Time [s] and file of each written frame.
    frames: Vec<(f64, String)>,
}

impl FrameWriter for VtuWriter {
    fn write(&self, out: &mut dyn Write, shape: &Topology, frame: &Frame) -> io::Result<()> {
        match omit_inactive(shape, frame) {
            (Cow::Borrowed(_), frame) => self.grid.write_frame(out, &frame),
            (Cow::Owned(active), frame) => Grid::new(&active).write_frame(out, &frame),
        }
    }

    fn frame_done(&mut self, folder: &Path, frame: &Frame, file: &str) -> Result<(), WriteError> {
        self.frames.retain(|(_, name)| name != file);
        self.frames.push((frame.time, file.to_owned()));
        write_atomically(&folder.join(INDEX_FILE), |out| write_index(out, &self.frames))
    }

    fn frame_known(&mut self, time: f64, file: &str) {
        self.frames.push((time, file.to_owned()));
    }
}

fn write_index(out: &mut dyn Write, frames: &[(f64, String)]) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>")?;
    for (time, file) in frames {
        writeln!(out, "<DataSet timestep=\"{time}\" part=\"0\" file=\"{file}\"/>")?;
    }
    writeln!(out, "</Collection>\n</VTKFile>")
}

/// The arrays that are the same in all frames, encoded once.
#[derive(Debug)]
struct Grid {
    points: usize,
    cells: usize,
    /// XML text after the arrays that change.
    fixed: String,
}

impl Grid {
    fn new(shape: &Topology) -> Self {
        let cells = shape.tets.len() + shape.triangles.len() + shape.lines.len();
        let (mut connectivity, mut offsets, mut types) = (Vec::new(), Vec::new(), Vec::new());
        let mut end = 0_i64;
        let mut add = |cell_type: u8, vertices: &[u32]| {
            connectivity.extend(vertices.iter().flat_map(|&v| i64::from(v).to_le_bytes()));
            end += vertices.len() as i64;
            offsets.extend(end.to_le_bytes());
            types.push(cell_type);
        };
        shape.tets.iter().for_each(|tet| add(TET, tet));
        shape.triangles.iter().for_each(|triangle| add(TRIANGLE, triangle));
        shape.lines.iter().for_each(|line| add(LINE, line));

        let objects: Vec<u8> = shape.objects.iter().flat_map(|o| o.to_le_bytes()).collect();
        let radii: Vec<u8> = shape.radii.iter().flat_map(|r| r.to_le_bytes()).collect();
        let mut fixed = String::new();
        array(&mut fixed, "UInt32", "object", 1, &objects);
        array(&mut fixed, "Float32", "radius", 1, &radii);
        fixed.push_str("</PointData>\n<Cells>\n");
        array(&mut fixed, "Int64", "connectivity", 1, &connectivity);
        array(&mut fixed, "Int64", "offsets", 1, &offsets);
        array(&mut fixed, "UInt8", "types", 1, &types);
        fixed.push_str("</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
        Self { points: shape.objects.len(), cells, fixed }
    }

    fn write_frame(&self, out: &mut dyn Write, frame: &Frame) -> io::Result<()> {
        let mut text = String::from("<?xml version=\"1.0\"?>\n");
        text.push_str(
            "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n",
        );
        text.push_str("<UnstructuredGrid>\n");
        // Writing to a string cannot fail.
        let _ = writeln!(text, "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n<Points>", self.points, self.cells);
        array(&mut text, "Float32", "Points", 3, &bytes(&frame.positions));
        text.push_str("</Points>\n<PointData Vectors=\"velocity\">\n");
        array(&mut text, "Float32", "velocity", 3, &bytes(&frame.velocities));
        out.write_all(text.as_bytes())?;
        out.write_all(self.fixed.as_bytes())
    }
}

fn bytes(vectors: &[Vec3]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(12 * vectors.len());
    for v in vectors {
        for value in v.to_array() {
            bytes.extend(value.to_le_bytes());
        }
    }
    bytes
}

/// One data array: its length in bytes as `UInt64`, then the data, as one base64 text.
fn array(text: &mut String, scalar_type: &str, name: &str, components: usize, data: &[u8]) {
    let _ = write!(
        text,
        "<DataArray type=\"{scalar_type}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"binary\">"
    );
    let mut whole = Vec::with_capacity(8 + data.len());
    whole.extend((data.len() as u64).to_le_bytes());
    whole.extend(data);
    encode_base64(text, &whole);
    text.push_str("</DataArray>\n");
}

/// Base64 with padding.
fn encode_base64(text: &mut String, bytes: &[u8]) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    text.reserve(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let at = |i: usize| u32::from(group.get(i).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for digit in 0..4 {
            let value = bits >> (18 - 6 * digit) & 63;
            text.push(if digit > group.len() { '=' } else { char::from(DIGITS[value as usize]) });
        }
    }
}
