//! Header of a PLY file: which elements follow, and how each is laid out.

use super::input::{Caps, ParseError, check_cap};
use super::text::{self, quote};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Ascii,
    Little,
    Big,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn parse(word: &str) -> Result<Self, String> {
        Ok(match word {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => {
                return Err(format!("{} is not a type of the PLY format, such as float or int", quote(word)));
            }
        })
    }

    pub fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }
}

#[derive(Debug)]
pub(super) struct Property {
    pub name: String,
    /// Type of the count where this is a list.
    pub count: Option<Scalar>,
    pub scalar: Scalar,
}

#[derive(Debug)]
pub(super) struct Element {
    pub name: String,
    pub count: u64,
    pub properties: Vec<Property>,
}

impl Element {
    /// Minimum size of one element [bytes].
    pub fn min_size(&self, encoding: Encoding) -> usize {
        match encoding {
            // A digit and a separator each; the last separator of the file may be missing.
            Encoding::Ascii => (2 * self.properties.len()).saturating_sub(1),
            _ => self.properties.iter().map(|p| p.count.unwrap_or(p.scalar).size()).sum(),
        }
    }
}

#[derive(Debug)]
pub(super) struct Header {
    pub encoding: Encoding,
    pub elements: Vec<Element>,
    /// Length of the header in bytes and in lines.
    pub bytes: usize,
    pub lines: usize,
}

pub(super) fn parse(bytes: &[u8], caps: &Caps) -> Result<Header, ParseError> {
    let (mut encoding, mut elements): (_, Vec<Element>) = (None, Vec::new());
    let (mut offset, mut number) = (0, 0);
    loop {
        let rest = &bytes[offset..];
        let Some(end) = rest.iter().position(|&b| b == b'\n') else {
            return Err(ParseError::line(number + 1, "header has no end: a line with \"end_header\" is missing"));
        };
        offset += end + 1;
        number += 1;
        let line = String::from_utf8_lossy(rest[..end].trim_ascii());
        let error_at = |what: String| ParseError::line(number, what);
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match (number, words.as_slice()) {
            (1, ["ply"]) => {}
            (1, _) => {
                return Err(error_at(format!("first line is {}, but a PLY file starts with \"ply\"", quote(&line))));
            }
            (_, ["end_header"]) => {
                let encoding = encoding.ok_or_else(|| error_at("header has no line \"format\"".to_owned()))?;
                return Ok(Header { encoding, elements, bytes: offset, lines: number });
            }
            (_, ["format", name, "1.0"]) => {
                encoding = Some(match *name {
                    "ascii" => Encoding::Ascii,
                    "binary_little_endian" => Encoding::Little,
                    "binary_big_endian" => Encoding::Big,
                    _ => {
                        let allowed = "ascii, binary_little_endian and binary_big_endian";
                        return Err(error_at(format!("format is {}, but only {allowed} are known", quote(name))));
                    }
                });
            }
            (_, [] | ["comment" | "obj_info", ..]) => {}
            (_, ["element", name, count]) => {
                let count = text::count(Some(count), "number of elements").map_err(error_at)?;
                match *name {
                    "vertex" => check_cap(count, "vertices", caps.max_vertices).map_err(error_at)?,
                    "face" => check_cap(count, "faces", caps.max_elements).map_err(error_at)?,
                    _ => {}
                }
                if elements.iter().any(|e| e.name == *name) {
                    return Err(error_at(format!("element {} is declared twice", quote(name))));
                }
                elements.push(Element { name: (*name).to_owned(), count, properties: Vec::new() });
            }
            (_, ["property", rest @ ..]) => {
                let property = property(rest).map_err(error_at)?;
                let element = elements.last_mut();
                element
                    .ok_or_else(|| error_at("property comes before any element".to_owned()))?
                    .properties
                    .push(property);
            }
            _ => {
                return Err(error_at(format!("{} is not a line of a PLY header", quote(&line))));
            }
        }
    }
}

fn property(words: &[&str]) -> Result<Property, String> {
    match words {
        ["list", count, scalar, name] => {
            let count_type = Scalar::parse(count)?;
            if count_type.is_float() {
                return Err(format!("list {} is counted in {count}, but a whole type is needed", quote(name)));
            }
            Ok(Property { name: (*name).to_owned(), count: Some(count_type), scalar: Scalar::parse(scalar)? })
        }
        [scalar, name] => Ok(Property { name: (*name).to_owned(), count: None, scalar: Scalar::parse(scalar)? }),
        _ => Err("property is not of the form \"property float x\" or \"property list uchar int x\"".to_owned()),
    }
}
