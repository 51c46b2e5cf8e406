//! TetGen `.node` and `.ele` files.

use super::input::{Caps, ParseError, allowed_vertices, check_declared_count};
use super::text::{self, Lines, quote};
use glam::Vec3;
use pliant::mesh::TetMesh;

/// Shortest line of a list: four one-digit numbers or five, with separators.
const NODE_BYTES: usize = 8;
const TET_BYTES: usize = 10;

pub(super) struct Nodes {
    positions: Vec<Vec3>,
    /// Number of the first vertex: 0 or 1.
    first: usize,
}

pub(super) fn parse_nodes(bytes: &[u8], caps: &Caps) -> Result<Nodes, ParseError> {
    let mut lines = Lines::new(bytes, Some(b'#'));
    let header = lines.expect(|| "a header \"vertices dimensions attributes markers\"".to_owned())?;
    let mut words = header.split_ascii_whitespace();
    let count = text::count(words.next(), "number of vertices").map_err(|what| lines.error_at(what))?;
    // The last line may lack its line break.
    let count = check_declared_count(count, "vertices", caps.max_vertices, NODE_BYTES, lines.remaining() + 1)
        .map_err(|what| lines.error_at(what))?;
    let dimensions = words.next().map_or(Ok(3), |word| text::count(Some(word), "number of dimensions"));
    match dimensions.map_err(|what| lines.error_at(what))? {
        3 => {}
        other => return Err(lines.error_at(format!("file has {other} dimensions, but 3 are needed"))),
    }

    let mut nodes = Nodes { positions: Vec::with_capacity(count), first: 0 };
    for vertex in 0..count {
        let line = lines.expect(|| format!("vertex {vertex} of {count}"))?;
        let mut words = line.split_ascii_whitespace();
        let number = text::count(words.next(), "vertex number").map_err(|what| lines.error_at(what))?;
        if vertex == 0 {
            nodes.first = match number {
                0 | 1 => number as usize,
                _ => {
                    return Err(lines.error_at(format!("first vertex has number {number}, but must have 0 or 1")));
                }
            };
        }
        let due = nodes.first + vertex;
        if number != due as u64 {
            return Err(lines.error_at(format!("vertex has number {number}, but {due} must come here")));
        }
        nodes.positions.push(text::position(due, &mut words).map_err(|what| lines.error_at(what))?);
    }
    end(&mut lines, "vertices", count)?;
    Ok(nodes)
}

pub(super) fn parse_tets(bytes: &[u8], nodes: Nodes, caps: &Caps) -> Result<TetMesh, ParseError> {
    let mut lines = Lines::new(bytes, Some(b'#'));
    let header = lines.expect(|| "a header \"tets corners attributes\"".to_owned())?;
    let mut words = header.split_ascii_whitespace();
    let count = text::count(words.next(), "number of tets").map_err(|what| lines.error_at(what))?;
    let count = check_declared_count(count, "tets", caps.max_elements, TET_BYTES, lines.remaining() + 1)
        .map_err(|what| lines.error_at(what))?;
    let corners = words.next().map_or(Ok(4), |word| text::count(Some(word), "number of corners"));
    match corners.map_err(|what| lines.error_at(what))? {
        4 => {}
        other => {
            return Err(lines.error_at(format!("tets have {other} corners, but only 4 are supported")));
        }
    }

    let (first, known) = (nodes.first as i128, nodes.positions.len() as i128);
    let mut tets = Vec::with_capacity(count);
    for _ in 0..count {
        let line = lines.expect(|| format!("tet {} of {count}", tets.len()))?;
        let mut words = line.split_ascii_whitespace();
        let number = text::count(words.next(), "tet number").map_err(|what| lines.error_at(what))?;
        let mut tet = [0; 4];
        for (corner, slot) in tet.iter_mut().enumerate() {
            let word = words.next();
            let word =
                word.ok_or_else(|| lines.error_at(format!("tet {number} has {corner} vertices, but 4 are needed")))?;
            let vertex = text::index(word, "vertex number").map_err(|what| lines.error_at(what))?;
            if vertex < first || vertex - first >= known {
                let allowed = allowed_vertices(nodes.first, nodes.positions.len());
                return Err(lines.error_at(format!("tet {number} has vertex {vertex}, but the file has {allowed}")));
            }
            *slot = (vertex - first) as u32;
        }
        tets.push(tet);
    }
    end(&mut lines, "tets", count)?;
    Ok(TetMesh { positions: nodes.positions, tets })
}

fn end(lines: &mut Lines, thing: &str, count: usize) -> Result<(), ParseError> {
    match lines.next() {
        Some(line) => Err(lines.error_at(format!("found {} after the {count} {thing} of the header", quote(&line)))),
        None => Ok(()),
    }
}
