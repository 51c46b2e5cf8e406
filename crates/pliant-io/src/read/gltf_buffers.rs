//! Containers, buffers and accessors of glTF 2.0: from a file to lists of numbers.

use super::base64;
use super::input::{Input, load};
use super::text::quote;
use serde_json::Value;
use std::path::{Component, Path};

const GLB_MAGIC: &[u8] = b"glTF";
const CHUNK_JSON: u32 = 0x4e4f_534a;
const CHUNK_BIN: u32 = 0x004e_4942;

/// JSON and binary part of a file; a file that is not GLB is all JSON.
pub(super) fn split(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), String> {
    if !bytes.starts_with(GLB_MAGIC) {
        return Ok((bytes, None));
    }
    let word = |at: usize| {
        let found = bytes.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        found.ok_or_else(|| format!("file ends at byte {}, within a header", bytes.len()))
    };
    let (version, length) = (word(4)?, word(8)? as usize);
    if version != 2 {
        return Err(format!("GLB version is {version}, but only 2 is supported"));
    }
    if length > bytes.len() {
        return Err(format!("header declares {length} bytes, but the file has {}", bytes.len()));
    }
    let (mut json, mut binary, mut at) = (None, None, 12);
    while at < length {
        let (size, kind) = (word(at)? as usize, word(at + 4)?);
        let chunk = bytes.get(at + 8..).and_then(|rest| rest.get(..size));
        let chunk =
            chunk.ok_or_else(|| format!("chunk at byte {at} declares {size} bytes, but the file ends before"))?;
        match kind {
            CHUNK_JSON if json.is_none() => json = Some(chunk),
            CHUNK_BIN if binary.is_none() => binary = Some(chunk),
            _ => {}
        }
        at += 8 + size;
    }
    Ok((json.ok_or("GLB file has no JSON chunk")?, binary))
}

/// `root[list][index]`, or an error that names it.
pub(super) fn item<'v>(root: &'v Value, list: &str, index: usize) -> Result<&'v Value, String> {
    let items = root.get(list).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    items.get(index).ok_or_else(|| format!("{list} {index} is named, but the file has {} {list}", items.len()))
}

/// Whole number under `key`, or `default` where there is none.
pub(super) fn whole(value: &Value, key: &str, default: Option<usize>) -> Result<usize, String> {
    match (value.get(key), default) {
        (None, Some(default)) => Ok(default),
        (None, None) => Err(format!("{key:?} is missing")),
        (Some(found), _) => found
            .as_u64()
            .and_then(|n| usize::try_from(n).ok())
            .ok_or_else(|| format!("{key:?} is {}, but a whole number is needed", quote(&found.to_string()))),
    }
}

/// RigidMassSplitting all buffers of the file.
pub(super) fn load_all(root: &Value, binary: Option<&[u8]>, input: &Input) -> Result<Vec<Vec<u8>>, String> {
    let list = root.get("buffers").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut buffers = Vec::new();
    let mut total = 0_u64;
    for (index, buffer) in list.iter().enumerate() {
        let name = |what: String| format!("buffer {index}: {what}");
        let bytes = match buffer.get("uri").map(|uri| uri.as_str().unwrap_or_default()) {
            None if index == 0 => {
                binary.ok_or_else(|| name("has no uri and the file no binary chunk".into()))?.to_vec()
            }
            None => return Err(name("\"uri\" is missing".into())),
            Some(uri) if uri.starts_with("data:") => {
                let data = uri.split_once(";base64,").ok_or_else(|| name("data uri is not base64".into()))?.1;
                base64::decode(data).map_err(name)?
            }
            Some(uri) => sibling(uri, input).map_err(name)?,
        };
        let declared_bytes = whole(buffer, "byteLength", None).map_err(name)?;
        if declared_bytes > bytes.len() {
            return Err(name(format!("declares {declared_bytes} bytes, but holds {}", bytes.len())));
        }
        total += bytes.len() as u64;
        // The same file may be named many times.
        if total > input.caps.max_bytes {
            return Err(name(format!("buffers exceed the {} bytes allowed", input.caps.max_bytes)));
        }
        buffers.push(bytes);
    }
    Ok(buffers)
}

/// Reads a file in the folder of the glTF file and no other: a downloaded mesh must not read the user's other files.
fn sibling(uri: &str, input: &Input) -> Result<Vec<u8>, String> {
    let refused = || format!("uri {} does not name a file in the folder of the glTF file", quote(uri));
    let name = percent_decode(uri).ok_or_else(refused)?;
    let mut parts = Path::new(&name).components();
    if !matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None)) || name.contains(['\\', ':']) {
        return Err(refused());
    }
    let folder = input.path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let path = folder.join(&name);
    // Symbolic links are resolved before the check.
    let inside = match (folder.canonicalize(), path.canonicalize()) {
        (Ok(folder), Ok(file)) => file.parent() == Some(&folder),
        (_, Err(error)) => return Err(format!("{name}: {error}")),
        _ => false,
    };
    if !inside {
        return Err(refused());
    }
    load(&path, input.caps).map_err(|error| error.to_string())
}

fn percent_decode(uri: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digit = |b: u8| char::from(b).to_digit(16);
                (digit(rest.next()?)? * 16 + digit(rest.next()?)?) as u8
            }
            _ => byte,
        });
    }
    String::from_utf8(bytes).ok().filter(|name| !name.contains('\0'))
}

/// A checked accessor: `count` items of `size` bytes, `stride` bytes apart.
pub(super) struct View<'b> {
    pub count: usize,
    bytes: &'b [u8],
    size: usize,
    stride: usize,
}

impl View<'_> {
    pub fn item(&self, index: usize) -> &[u8] {
        self.bytes.get(index * self.stride..).and_then(|rest| rest.get(..self.size)).unwrap_or_default()
    }
}

/// Opens accessor `index`, which must be of `kind` with one of the component types `allowed` and their sizes.
pub(super) fn view<'b>(
    root: &Value,
    buffers: &'b [Vec<u8>],
    index: usize,
    kind: &str,
    allowed: &[(usize, usize)],
) -> Result<View<'b>, String> {
    let accessor = item(root, "accessors", index)?;
    let name = |what: String| format!("accessor {index}: {what}");
    if accessor.get("sparse").is_some() {
        return Err(name("is sparse, which is not supported".into()));
    }
    let found = accessor.get("type").and_then(Value::as_str).unwrap_or_default();
    if found != kind {
        return Err(name(format!("type is {}, but {kind:?} is needed", quote(found))));
    }
    let component = whole(accessor, "componentType", None).map_err(name)?;
    let Some(&(_, size)) = allowed.iter().find(|(code, _)| *code == component) else {
        let codes: Vec<usize> = allowed.iter().map(|(code, _)| *code).collect();
        return Err(name(format!("component type is {component}, but must be one of {codes:?}")));
    };
    let count = whole(accessor, "count", None).map_err(name)?;
    let buffer_view = item(root, "bufferViews", whole(accessor, "bufferView", None).map_err(name)?).map_err(name)?;
    let stride = whole(buffer_view, "byteStride", Some(size)).map_err(name)?;
    let buffer = whole(buffer_view, "buffer", None).map_err(name)?;
    let bytes = buffers
        .get(buffer)
        .ok_or_else(|| name(format!("buffer {buffer} is named, but the file has {} buffers", buffers.len())))?;
    let start = whole(buffer_view, "byteOffset", Some(0)).map_err(name)?;
    let length = whole(buffer_view, "byteLength", None).map_err(name)?;
    let offset = whole(accessor, "byteOffset", Some(0)).map_err(name)?;
    let bytes = bytes.get(start..).and_then(|rest| rest.get(..length)).and_then(|view| view.get(offset..));
    let bytes = bytes.ok_or_else(|| name(format!("its buffer view runs past the end of buffer {buffer}")))?;
    let needed = count.saturating_sub(1).checked_mul(stride).and_then(|n| n.checked_add(size));
    if stride < size || (count > 0 && needed.is_none_or(|n| n > bytes.len())) {
        return Err(name(format!(
            "declares {count} items of {size} bytes every {stride}, but its buffer view holds {} bytes",
            bytes.len()
        )));
    }
    Ok(View { count, bytes, size, stride })
}
