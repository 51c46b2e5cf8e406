//! Gmsh `.msh`, ASCII, versions 2.x and 4.1: nodes and tetrahedra of four vertices.
//!
//! Points, lines and faces are ignored, as they repeat the boundary of the volume. Other volume elements are
//! refused: omitting them would leave holes.

use super::input::{Caps, ParseError, check_cap, check_declared_count};
use super::text::{self, Lines, quote};
use glam::Vec3;
use pliant::mesh::TetMesh;
use std::collections::HashMap;

/// Element types without volume.
const IGNORED: &[u64] = &[1, 2, 3, 8, 9, 10, 15, 16, 20, 21, 22, 23, 24, 25, 26, 27, 28];
const TET: u64 = 4;

/// Shortest node, and shortest element: numbers of one digit, with separators.
const NODE_BYTES: usize = 8;
const ELEMENT_BYTES: usize = 4;

pub(super) fn parse(bytes: &[u8], caps: &Caps) -> Result<TetMesh, ParseError> {
    let mut msh = Msh { lines: Lines::new(bytes, None), mesh: TetMesh::default(), numbers: HashMap::new(), caps };
    let first = msh.lines.expect(|| "\"$MeshFormat\"".to_owned())?;
    if first != "$MeshFormat" {
        return Err(msh.error_at(format!("first line is {}, but must be \"$MeshFormat\"", quote(&first))));
    }
    let version = msh.version()?;
    while let Some(line) = msh.lines.next() {
        match (line.as_ref(), version) {
            ("$Nodes", Version::Two) => msh.nodes_2()?,
            ("$Nodes", Version::Four) => msh.nodes_4()?,
            ("$Elements", Version::Two) => msh.elements_2()?,
            ("$Elements", Version::Four) => msh.elements_4()?,
            (section, _) if section.starts_with('$') && !section.starts_with("$End") => {
                let close = format!("$End{}", &section[1..]);
                while msh.lines.expect(|| format!("{close:?}"))? != close {}
                continue;
            }
            _ => {
                return Err(msh.error_at(format!("found {}, but a section must start here", quote(&line))));
            }
        }
        let close = format!("$End{}", &line[1..]);
        msh.close(&close)?;
    }
    Ok(msh.mesh)
}

#[derive(Clone, Copy)]
enum Version {
    Two,
    Four,
}

struct Msh<'a> {
    lines: Lines<'a>,
    mesh: TetMesh,
    /// Vertex of each node number of the file, which may have gaps.
    numbers: HashMap<u64, u32>,
    caps: &'a Caps,
}

impl Msh<'_> {
    fn error_at(&self, what: impl Into<String>) -> ParseError {
        self.lines.error_at(what)
    }

    fn close(&mut self, close: &str) -> Result<(), ParseError> {
        let line = self.lines.expect(|| format!("{close:?}"))?;
        if line != close {
            return Err(self.error_at(format!("found {}, but {close:?} must come here", quote(&line))));
        }
        Ok(())
    }

    fn version(&mut self) -> Result<Version, ParseError> {
        let line = self.lines.expect(|| "the version".to_owned())?;
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let version = match words.first() {
            Some(word) if word.starts_with("2.") || *word == "2" => Version::Two,
            Some(&"4.1") => Version::Four,
            _ => {
                return Err(self.error_at(format!("version is {}, but only 2.2 and 4.1 are supported", quote(&line))));
            }
        };
        match words.get(1) {
            Some(&"0") => {}
            Some(&"1") => {
                return Err(self.error_at("file is binary, but only ASCII .msh files are supported"));
            }
            _ => {
                return Err(self.error_at(format!("file type is missing in {}, but must be 0 (ASCII)", quote(&line))));
            }
        }
        self.close("$EndMeshFormat")?;
        Ok(version)
    }

    /// The whole numbers of the next line, of which there must be at least `least`.
    fn counts(&mut self, least: usize, what: &str) -> Result<Vec<u64>, ParseError> {
        let line = self.lines.expect(|| what.to_owned())?;
        let numbers: Result<Vec<u64>, String> =
            line.split_ascii_whitespace().map(|word| text::count(Some(word), what)).collect();
        let numbers = numbers.map_err(|what| self.error_at(what))?;
        if numbers.len() < least {
            return Err(self.error_at(format!("{what} has {} numbers, but {least} are needed", numbers.len())));
        }
        Ok(numbers)
    }

    fn check_node_count(&self, count: u64, bytes: usize) -> Result<usize, ParseError> {
        check_declared_count(count, "nodes", self.caps.max_vertices, bytes, self.lines.remaining())
            .map_err(|what| self.error_at(what))
    }

    fn check_element_count(&self, count: u64) -> Result<usize, ParseError> {
        check_declared_count(count, "elements", self.caps.max_elements, ELEMENT_BYTES, self.lines.remaining())
            .map_err(|what| self.error_at(what))
    }

    fn add_node(&mut self, number: u64, position: Vec3) -> Result<(), ParseError> {
        let vertex = self.mesh.positions.len();
        check_cap(vertex as u64 + 1, "nodes", self.caps.max_vertices).map_err(|what| self.error_at(what))?;
        if self.numbers.insert(number, vertex as u32).is_some() {
            return Err(self.error_at(format!("node {number} is listed twice")));
        }
        self.mesh.positions.push(position);
        Ok(())
    }

    fn nodes_2(&mut self) -> Result<(), ParseError> {
        let count = self.counts(1, "number of nodes")?[0];
        let count = self.check_node_count(count, NODE_BYTES)?;
        for index in 0..count {
            let line = self.lines.expect(|| format!("node {index} of {count}"))?;
            let mut words = line.split_ascii_whitespace();
            let number = text::count(words.next(), "node number").map_err(|what| self.error_at(what))?;
            let position = text::position(number as usize, &mut words).map_err(|what| self.error_at(what))?;
            self.add_node(number, position)?;
        }
        Ok(())
    }

    fn nodes_4(&mut self) -> Result<(), ParseError> {
        let header = self.counts(4, "header of $Nodes")?;
        self.check_node_count(header[1], NODE_BYTES)?;
        for _ in 0..header[0] {
            let block = self.counts(4, "header of a node block")?;
            let count = self.check_node_count(block[3], NODE_BYTES)?;
            let mut numbers = Vec::with_capacity(count);
            for _ in 0..count {
                numbers.push(self.counts(1, "node number")?[0]);
            }
            for number in numbers {
                let line = self.lines.expect(|| format!("coordinates of node {number}"))?;
                let mut words = line.split_ascii_whitespace();
                let position = text::position(number as usize, &mut words).map_err(|what| self.error_at(what))?;
                self.add_node(number, position)?;
            }
        }
        let found = self.mesh.positions.len() as u64;
        if found != header[1] {
            return Err(self.error_at(format!("header declares {} nodes, but the blocks hold {found}", header[1])));
        }
        Ok(())
    }

    fn elements_2(&mut self) -> Result<(), ParseError> {
        let count = self.counts(1, "number of elements")?[0];
        let count = self.check_element_count(count)?;
        for _ in 0..count {
            let numbers = self.counts(3, "element")?;
            let (number, kind, tags) = (numbers[0], numbers[1], numbers[2]);
            // Tags beyond the line leave nothing for the vertices, which is refused there.
            let from = usize::try_from(tags).unwrap_or(usize::MAX).saturating_add(3).min(numbers.len());
            self.add_element(number, kind, &numbers[from..])?;
        }
        Ok(())
    }

    fn elements_4(&mut self) -> Result<(), ParseError> {
        let header = self.counts(4, "header of $Elements")?;
        self.check_element_count(header[1])?;
        let mut found = 0_u64;
        for _ in 0..header[0] {
            let block = self.counts(4, "header of an element block")?;
            let count = self.check_element_count(block[3])?;
            for _ in 0..count {
                let numbers = self.counts(2, "element")?;
                self.add_element(numbers[0], block[2], &numbers[1..])?;
            }
            found += count as u64;
        }
        if found != header[1] {
            return Err(self.error_at(format!("header declares {} elements, but the blocks hold {found}", header[1])));
        }
        Ok(())
    }

    fn add_element(&mut self, number: u64, kind: u64, nodes: &[u64]) -> Result<(), ParseError> {
        if IGNORED.contains(&kind) {
            return Ok(());
        }
        if kind != TET {
            let what =
                format!("element {number} has type {kind}, but the only volume type supported is {TET} (tetrahedron)");
            return Err(self.error_at(what));
        }
        let &[a, b, c, d] = nodes else {
            return Err(self.error_at(format!("tetrahedron {number} has {} nodes, but 4 are needed", nodes.len())));
        };
        let mut tet = [0; 4];
        for (slot, node) in tet.iter_mut().zip([a, b, c, d]) {
            let vertex = self.numbers.get(&node).copied();
            *slot = vertex.ok_or_else(|| {
                let known = self.mesh.positions.len();
                self.error_at(format!(
                    "tetrahedron {number} has node {node}, but it is not among the {known} nodes of the file"
                ))
            })?;
        }
        check_cap(self.mesh.tets.len() as u64 + 1, "tets", self.caps.max_elements)
            .map_err(|what| self.error_at(what))?;
        self.mesh.tets.push(tet);
        Ok(())
    }
}
