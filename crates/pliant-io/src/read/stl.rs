//! STL, ASCII and binary. Triangles have no shared vertices in the file: exact copies are welded.
//!
//! The stl_io crate is not used: it accepts NaN coordinates and does not name the facet at which a file is truncated.

use super::input::{Input, ParseError, check_cap, check_declared_count, checked_position};
use super::text::{self, Lines, quote};
use glam::Vec3;
use pliant::mesh::TriMesh;
use std::collections::HashMap;

/// Free text at the start of a binary file, then the number of facets.
const HEADER: usize = 84;
/// Normal, three vertices and two spare bytes.
const FACET: usize = 50;

pub(super) fn parse(input: &Input) -> Result<TriMesh, ParseError> {
    let bytes = input.bytes;
    let declared_count = bytes.get(80..HEADER).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let exact =
        declared_count.is_some_and(|count| HEADER as u64 + FACET as u64 * u64::from(count) == bytes.len() as u64);
    // Binary files may start with "solid" as well, so the exact length decides.
    match declared_count {
        Some(count) if exact || !bytes.trim_ascii_start().starts_with(b"solid") => binary(input, count),
        _ => ascii(input),
    }
}

fn binary(input: &Input, count: u32) -> Result<TriMesh, ParseError> {
    let body = &input.bytes[HEADER..];
    let count = check_declared_count(u64::from(count), "facets", input.caps.max_elements, FACET, body.len())
        .map_err(ParseError::file)?;
    if body.len() != FACET * count {
        let what = format!("header declares {count} facets, but {} bytes follow them", body.len() - FACET * count);
        return Err(ParseError::file(what));
    }
    let mut welder = VertexWelder::new(input);
    for (facet, record) in body.chunks_exact(FACET).enumerate() {
        let mut corners = [Vec3::ZERO; 3];
        for (k, corner) in corners.iter_mut().enumerate() {
            let value = |axis: usize| {
                let at = 12 + 12 * k + 4 * axis;
                f64::from(f32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]]))
            };
            *corner = checked_position(k, [value(0), value(1), value(2)])
                .map_err(|what| ParseError::file(format!("facet {facet}: {what}")))?;
        }
        welder.add(corners).map_err(ParseError::file)?;
    }
    Ok(welder.mesh)
}

fn ascii(input: &Input) -> Result<TriMesh, ParseError> {
    let mut lines = Lines::new(input.bytes, None);
    let mut welder = VertexWelder::new(input);
    let mut corners: Vec<Vec3> = Vec::new();
    let mut facet = 0;
    // Position in the grammar; decides which statement has to come next.
    let mut state = State::Outside;
    while let Some(line) = lines.next() {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let word = |i: usize| words.get(i).copied().unwrap_or_default();
        state = match (state, word(0).to_ascii_lowercase().as_str(), word(1).to_ascii_lowercase().as_str()) {
            (State::Outside, "solid", _) => State::Solid,
            (State::Solid, "facet", "normal") => State::Facet,
            (State::Solid, "endsolid", _) => State::Outside,
            (State::Facet, "outer", "loop") => State::Loop,
            (State::Loop, "vertex", _) if corners.len() < 3 => {
                let mut rest = words[1..].iter().copied();
                let position = text::position(corners.len(), &mut rest);
                corners.push(position.map_err(|what| lines.error_at(format!("facet {facet}: {what}")))?);
                State::Loop
            }
            (State::Loop, "endloop", _) if corners.len() == 3 => State::Closed,
            (State::Closed, "endfacet", _) => {
                welder.add([corners[0], corners[1], corners[2]]).map_err(|what| lines.error_at(what))?;
                corners.clear();
                facet += 1;
                State::Solid
            }
            (state, ..) => {
                let wanted = match state {
                    State::Outside => "\"solid\"",
                    State::Solid => "\"facet normal\" or \"endsolid\"",
                    State::Facet => "\"outer loop\"",
                    State::Loop if corners.len() < 3 => "\"vertex\"",
                    State::Loop => "\"endloop\"",
                    State::Closed => "\"endfacet\"",
                };
                return Err(lines.error_at(format!("found {}, but {wanted} must come here", quote(&line))));
            }
        };
    }
    if state != State::Outside {
        let what = format!("file ends here, but facet {facet} or \"endsolid\" must be completed");
        return Err(lines.error_at(what));
    }
    Ok(welder.mesh)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Outside,
    Solid,
    Facet,
    Loop,
    Closed,
}

/// Welds equal positions, numbered in order of first appearance.
struct VertexWelder<'a> {
    mesh: TriMesh,
    known: HashMap<[u32; 3], u32>,
    input: &'a Input<'a>,
}

impl<'a> VertexWelder<'a> {
    fn new(input: &'a Input<'a>) -> Self {
        Self { mesh: TriMesh::default(), known: HashMap::new(), input }
    }

    fn add(&mut self, corners: [Vec3; 3]) -> Result<(), String> {
        let triangle = corners.map(|corner| {
            // Adding zero makes −0 and 0 the same bits.
            let key = (corner + Vec3::ZERO).to_array().map(f32::to_bits);
            *self.known.entry(key).or_insert_with(|| {
                self.mesh.positions.push(corner);
                (self.mesh.positions.len() - 1) as u32
            })
        });
        self.mesh.triangles.push(triangle);
        check_cap(self.mesh.positions.len() as u64, "vertices", self.input.caps.max_vertices)?;
        check_cap(self.mesh.triangles.len() as u64, "triangles", self.input.caps.max_elements)
    }
}
