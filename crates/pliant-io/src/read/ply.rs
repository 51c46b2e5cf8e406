//! Stanford PLY: ASCII and both binary byte orders.
//!
//! The ply-rs-bw crate is not used: it accepts NaN coordinates and vertex numbers that do not exist, has no limits,
//! and returns records that would have to be checked and converted a second time.

use super::input::{Input, ParseError, allowed_vertices, check_cap, check_declared_count, checked_position};
use super::ply_header::{self, Element, Encoding, Header, Scalar};
use super::text::{self, Lines, quote};
use pliant::mesh::TriMesh;

pub(super) fn parse(input: &Input) -> Result<TriMesh, ParseError> {
    let header = ply_header::parse(input.bytes, input.caps)?;
    let body = &input.bytes[header.bytes..];
    let mut source = match header.encoding {
        Encoding::Ascii => Source::Text { lines: Lines::resume(body, header.lines), values: Vec::new(), next: 0 },
        Encoding::Little => Source::Binary { rest: body, little: true },
        Encoding::Big => Source::Binary { rest: body, little: false },
    };
    let vertex_count = header.elements.iter().find(|e| e.name == "vertex").map_or(0, |e| e.count as usize);
    let mut mesh = TriMesh::default();
    for element in &header.elements {
        let count = declared_count(element, &header, &source, input)?;
        let roles: Vec<Role> = element.properties.iter().map(|p| role(element, &p.name, p.count.is_some())).collect();
        check_roles(element, &roles)?;
        if element.name == "vertex" {
            mesh.positions.reserve_exact(count);
        }
        let mut list = Vec::new();
        for number in 0..count {
            source.begin(element, number)?;
            let mut xyz = [0.0; 3];
            for (property, role) in element.properties.iter().zip(&roles) {
                let Some(count_type) = property.count else {
                    let value = source.scalar(property.scalar, element, number)?;
                    if let Role::Axis(axis) = *role {
                        xyz[axis] = value;
                    }
                    continue;
                };
                source.list(count_type, property.scalar, element, number, &mut list)?;
                if *role == Role::Corners {
                    add_face(&mut mesh, &list, number, vertex_count).map_err(|what| source.error_at(what))?;
                    check_cap(mesh.triangles.len() as u64, "triangles", input.caps.max_elements)
                        .map_err(|what| source.error_at(what))?;
                }
            }
            source.end(element, number)?;
            if element.name == "vertex" {
                mesh.positions.push(checked_position(number, xyz).map_err(|what| source.error_at(what))?);
            }
        }
    }
    source.finish()?;
    Ok(mesh)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Axis(usize),
    Corners,
    Other,
}

fn role(element: &Element, property: &str, is_list: bool) -> Role {
    match (element.name.as_str(), property, is_list) {
        ("vertex", "x", false) => Role::Axis(0),
        ("vertex", "y", false) => Role::Axis(1),
        ("vertex", "z", false) => Role::Axis(2),
        ("face", "vertex_indices" | "vertex_index", true) => Role::Corners,
        _ => Role::Other,
    }
}

fn check_roles(element: &Element, roles: &[Role]) -> Result<(), ParseError> {
    let wanted: &[(Role, &str)] = match element.name.as_str() {
        "vertex" => &[(Role::Axis(0), "x"), (Role::Axis(1), "y"), (Role::Axis(2), "z")],
        "face" => &[(Role::Corners, "vertex_indices")],
        _ => return Ok(()),
    };
    for (role, name) in wanted {
        let found = roles.iter().filter(|r| *r == role).count();
        if found != 1 {
            return Err(ParseError::file(format!(
                "element {} has {found} properties {name:?}, but 1 is needed",
                element.name
            )));
        }
    }
    Ok(())
}

/// Number of elements, once the rest of the file could hold them.
fn declared_count(element: &Element, header: &Header, source: &Source, input: &Input) -> Result<usize, ParseError> {
    if element.properties.is_empty() && element.count > 0 {
        return Err(ParseError::file(format!(
            "element {} has no properties, but at least 1 is needed",
            quote(&element.name)
        )));
    }
    let (thing, cap) = match element.name.as_str() {
        "vertex" => ("vertices", input.caps.max_vertices),
        "face" => ("faces", input.caps.max_elements),
        // Skipped without being stored, so only the file size limits them.
        other => (other, usize::MAX),
    };
    let remaining = source.remaining() + usize::from(header.encoding == Encoding::Ascii);
    check_declared_count(element.count, thing, cap, element.min_size(header.encoding), remaining)
        .map_err(ParseError::file)
}

/// Cuts a face into a fan of triangles.
fn add_face(mesh: &mut TriMesh, list: &[f64], face: usize, vertices: usize) -> Result<(), String> {
    if list.len() < 3 {
        return Err(format!("face {face} has {} vertices, but at least 3 are needed", list.len()));
    }
    if let Some(wrong) = list.iter().find(|&&v| !(v >= 0.0 && v < vertices as f64 && v.fract() == 0.0)) {
        let allowed = allowed_vertices(0, vertices);
        return Err(format!("face {face} has vertex {wrong}, but the file has {allowed}"));
    }
    let corner = |i: usize| list[i] as u32;
    mesh.triangles.extend((1..list.len() - 1).map(|i| [corner(0), corner(i), corner(i + 1)]));
    Ok(())
}

/// The body of the file. All types of the format fit into `f64` without loss.
enum Source<'a> {
    /// One element per line.
    Text {
        lines: Lines<'a>,
        values: Vec<f64>,
        next: usize,
    },
    Binary {
        rest: &'a [u8],
        little: bool,
    },
}

impl Source<'_> {
    fn remaining(&self) -> usize {
        match self {
            Self::Text { lines, .. } => lines.remaining(),
            Self::Binary { rest, .. } => rest.len(),
        }
    }

    fn error_at(&self, what: impl Into<String>) -> ParseError {
        match self {
            Self::Text { lines, .. } => lines.error_at(what),
            Self::Binary { .. } => ParseError::file(what),
        }
    }

    fn begin(&mut self, element: &Element, number: usize) -> Result<(), ParseError> {
        if let Self::Text { lines, values, next } = self {
            let line = lines.expect(|| format!("{} {number} of {}", element.name, element.count))?;
            values.clear();
            for word in line.split_ascii_whitespace() {
                let value = text::number(word);
                values.push(value.map_err(|what| lines.error_at(format!("{} {number}: {what}", element.name)))?);
            }
            *next = 0;
        }
        Ok(())
    }

    fn end(&self, element: &Element, number: usize) -> Result<(), ParseError> {
        match self {
            Self::Text { values, next, .. } if *next < values.len() => {
                let what = format!("{} {number} has {} values, but {next} are expected", element.name, values.len());
                Err(self.error_at(what))
            }
            _ => Ok(()),
        }
    }

    fn scalar(&mut self, scalar: Scalar, element: &Element, number: usize) -> Result<f64, ParseError> {
        match self {
            Self::Text { lines, values, next } => {
                let Some(value) = values.get(*next) else {
                    let what = format!("{} {number} has {} values, but more are expected", element.name, values.len());
                    return Err(lines.error_at(what));
                };
                *next += 1;
                Ok(*value)
            }
            Self::Binary { rest, little } => {
                let Some((head, tail)) = rest.split_at_checked(scalar.size()) else {
                    let what = format!("file ends within {} {number} of {}", element.name, element.count);
                    return Err(ParseError::file(what));
                };
                *rest = tail;
                let mut bytes = [0; 8];
                bytes[..head.len()].copy_from_slice(head);
                if !*little {
                    bytes[..head.len()].reverse();
                }
                Ok(decode(scalar, bytes))
            }
        }
    }

    fn list(
        &mut self,
        count_type: Scalar,
        scalar: Scalar,
        element: &Element,
        number: usize,
        list: &mut Vec<f64>,
    ) -> Result<(), ParseError> {
        list.clear();
        let count = self.scalar(count_type, element, number)?;
        let available = match self {
            Self::Text { values, next, .. } => values.len() - *next,
            Self::Binary { rest, .. } => rest.len() / scalar.size(),
        };
        if !(count >= 0.0 && count <= available as f64 && count.fract() == 0.0) {
            let found = match self {
                Self::Text { .. } => format!("the line holds {available} more"),
                Self::Binary { .. } => format!("the file ends after {available}"),
            };
            let what = format!("{} {number} declares a list of {count} values, but {found}", element.name);
            return Err(self.error_at(what));
        }
        for _ in 0..count as usize {
            list.push(self.scalar(scalar, element, number)?);
        }
        Ok(())
    }

    /// Refuses bytes after the last declared element: a file whose counts are too small is as broken as a truncated one.
    fn finish(mut self) -> Result<(), ParseError> {
        match &mut self {
            Self::Text { lines, .. } => match lines.next() {
                Some(_) => Err(lines.error_at("line follows the last element that the header announces")),
                None => Ok(()),
            },
            Self::Binary { rest, .. } if !rest.trim_ascii().is_empty() => {
                let what = format!("{} bytes follow the last element that the header announces", rest.len());
                Err(ParseError::file(what))
            }
            Self::Binary { .. } => Ok(()),
        }
    }
}

/// Value of a scalar from its bytes in little-endian order, padded with zeros.
fn decode(scalar: Scalar, b: [u8; 8]) -> f64 {
    let four = [b[0], b[1], b[2], b[3]];
    match scalar {
        Scalar::I8 => f64::from(b[0] as i8),
        Scalar::U8 => f64::from(b[0]),
        Scalar::I16 => f64::from(i16::from_le_bytes([b[0], b[1]])),
        Scalar::U16 => f64::from(u16::from_le_bytes([b[0], b[1]])),
        Scalar::I32 => f64::from(i32::from_le_bytes(four)),
        Scalar::U32 => f64::from(u32::from_le_bytes(four)),
        Scalar::F32 => f64::from(f32::from_le_bytes(four)),
        Scalar::F64 => f64::from_le_bytes(b),
    }
}
