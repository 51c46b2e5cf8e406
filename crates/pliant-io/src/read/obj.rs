//! Wavefront OBJ: positions and faces; materials, normals, groups, curves and lines are ignored.
//!
//! The tobj crate is not used: it accepts NaN and infinite coordinates, and its errors name neither line nor index.

use super::input::{Input, ParseError, allowed_vertices, check_cap};
use super::text::{self, Lines, quote};
use pliant::mesh::TriMesh;

/// Statements of the format that do not concern a triangle mesh.
const IGNORED: &[&str] = &[
    "vt",
    "vn",
    "vp",
    "vc",
    "l",
    "p",
    "g",
    "o",
    "s",
    "mg",
    "usemtl",
    "mtllib",
    "usemap",
    "maplib",
    "bevel",
    "c_interp",
    "d_interp",
    "lod",
    "shadow_obj",
    "trace_obj",
    "cstype",
    "deg",
    "bmat",
    "step",
    "curv",
    "curv2",
    "surf",
    "parm",
    "trim",
    "hole",
    "scrv",
    "sp",
    "end",
    "con",
    "ctech",
    "stech",
    "call",
    "csh",
];

pub(super) fn parse(input: &Input) -> Result<TriMesh, ParseError> {
    let mut mesh = TriMesh::default();
    // A face may refer to vertices further down; these are checked at the end of the file.
    let mut forward_references: Vec<(usize, i128)> = Vec::new();
    let mut corners: Vec<u32> = Vec::new();
    let mut lines = Lines::new(input.bytes, Some(b'#'));
    while let Some(line) = lines.next() {
        let mut line = line;
        while line.ends_with('\\') {
            let more = lines.expect(|| "the continuation of this line".to_owned())?;
            let whole = line.to_mut();
            whole.pop();
            whole.push(' ');
            whole.push_str(&more);
        }
        let mut words = line.split_ascii_whitespace();
        match words.next().unwrap_or_default() {
            "v" => {
                check_cap(mesh.positions.len() as u64 + 1, "vertices", input.caps.max_vertices)
                    .map_err(|what| lines.error_at(what))?;
                let vertex = mesh.positions.len() + 1;
                let position = text::position(vertex, &mut words).map_err(|what| lines.error_at(what))?;
                // A weight or a color may follow.
                words.try_for_each(|word| text::number(word).map(drop)).map_err(|what| lines.error_at(what))?;
                mesh.positions.push(position);
            }
            "f" => {
                corners.clear();
                for word in words {
                    let known = mesh.positions.len();
                    let vertex = corner(word, known).map_err(|what| lines.error_at(what))?;
                    if vertex > known as i128 {
                        forward_references.push((lines.number, vertex));
                    }
                    // Numbers beyond 32 bits are in `forward_references` and are refused at the end.
                    corners.push(u32::try_from(vertex - 1).unwrap_or(u32::MAX));
                }
                if corners.len() < 3 {
                    return Err(
                        lines.error_at(format!("face has {} vertices, but at least 3 are needed", corners.len()))
                    );
                }
                let total = mesh.triangles.len() + corners.len() - 2;
                check_cap(total as u64, "triangles", input.caps.max_elements).map_err(|what| lines.error_at(what))?;
                mesh.triangles.extend(corners[1..].windows(2).map(|pair| [corners[0], pair[0], pair[1]]));
            }
            other if IGNORED.contains(&other) => {}
            other => {
                return Err(lines.error_at(format!("{} is not a statement of the OBJ format", quote(other))));
            }
        }
    }
    let count = mesh.positions.len();
    match forward_references.iter().find(|(_, vertex)| *vertex > count as i128) {
        Some((line, vertex)) => {
            let allowed = allowed_vertices(1, count);
            Err(ParseError::line(*line, format!("face has vertex {vertex}, but the file has {allowed}")))
        }
        None => Ok(mesh),
    }
}

/// Vertex number from 1 of a corner `v`, `v/vt`, `v//vn` or `v/vt/vn`; negative numbers count back from the last
/// of `known` vertices.
fn corner(word: &str, known: usize) -> Result<i128, String> {
    let mut parts = word.split('/');
    let vertex = text::index(parts.next().unwrap_or_default(), "vertex of a face")
        .map_err(|_| format!("{} is not a corner of a face, such as 3 or 3/1/2", quote(word)))?;
    let rest_is_good =
        parts.clone().count() <= 2 && parts.all(|part| part.is_empty() || text::index(part, "corner").is_ok());
    if !rest_is_good {
        return Err(format!("{} is not a corner of a face, such as 3 or 3/1/2", quote(word)));
    }
    match vertex {
        0 => Err("face has vertex 0, but vertex numbers start at 1".to_owned()),
        1.. => Ok(vertex),
        _ if vertex >= -(known as i128) => Ok(known as i128 + 1 + vertex),
        _ => Err(format!("face has vertex {vertex}, but only {known} vertices come before it")),
    }
}
