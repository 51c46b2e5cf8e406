//! glTF 2.0 and GLB: the triangles of all meshes of the scene, transformed by their nodes.
//!
//! Parsed from `serde_json` values: the gltf crate adds two derive macros to the build, mostly for materials,
//! animations and cameras.

use super::gltf_buffers::{View, item, load_all, split, view, whole};
use super::input::{Input, ParseError, allowed_vertices, check_cap, checked_position};
use super::text::quote;
use glam::{DMat4, DQuat, DVec3, Vec3};
use pliant::mesh::TriMesh;
use serde_json::Value;

const U8: (usize, usize) = (5121, 1);
const U16: (usize, usize) = (5123, 2);
const U32: (usize, usize) = (5125, 4);
const VEC3_F32: (usize, usize) = (5126, 12);

/// Required extensions that change the appearance of a mesh only.
const IGNORED_EXTENSIONS: &[&str] = &["KHR_materials_", "KHR_texture_", "KHR_lights_", "EXT_texture_"];

/// Size of the mesh over that of the file and its buffers, at most; small ones may be larger by [`SMALL`]. Without copies it is
/// 12 at most, in strips with indices of a byte.
const MOST_GROWTH: u64 = 16;

/// Size of a mesh that any file may make [bytes].
const SMALL: u64 = 16 << 20;

/// Maximum objects and values of the JSON text, of which a reader keeps up to 640 and 64 bytes each.
const MOST_OBJECTS: usize = 1_000_000;
const MOST_VALUES: usize = 4_000_000;

/// Refuses a text whose parts would take much more memory than it, before they are made.
fn check_json(json: &[u8]) -> Result<(), String> {
    let (mut objects, mut values, mut quoted, mut escaped) = (0_usize, 0_usize, false, false);
    for &byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' if !quoted => objects += 1,
            b',' | b'[' if !quoted => values += 1,
            _ => {}
        }
    }
    for (found, most, what) in [(objects, MOST_OBJECTS, "objects"), (values, MOST_VALUES, "values")] {
        if found > most {
            return Err(format!("JSON has {found} {what}, but at most {most} are allowed"));
        }
    }
    Ok(())
}

pub(super) fn parse(input: &Input) -> Result<TriMesh, ParseError> {
    let (json, binary) = split(input.bytes).map_err(ParseError::file)?;
    check_json(json).map_err(ParseError::file)?;
    let root: Value = serde_json::from_slice(json).map_err(|error| {
        // The line is given by the error itself, without its "at line 1 column 2".
        let text = error.to_string();
        let what = text.split(" at line ").next().unwrap_or_default();
        ParseError::line(error.line(), format!("not valid JSON: {what} (column {})", error.column()))
    })?;
    read(&root, binary, input).map_err(ParseError::file)
}

fn read(root: &Value, binary: Option<&[u8]>, input: &Input) -> Result<TriMesh, String> {
    let version = root.pointer("/asset/version").and_then(Value::as_str).unwrap_or_default();
    if !version.starts_with("2.") {
        return Err(format!("glTF version is {}, but only 2.x is supported", quote(version)));
    }
    for extension in list(root, "extensionsRequired") {
        let name = extension.as_str().unwrap_or_default();
        if !IGNORED_EXTENSIONS.iter().any(|prefix| name.starts_with(prefix)) {
            return Err(format!("file requires extension {}, which is not supported", quote(name)));
        }
    }
    let buffers = load_all(root, binary, input)?;
    let file = input.bytes.len() + buffers.iter().map(Vec::len).sum::<usize>();
    let allowed = MOST_GROWTH.saturating_mul(file as u64).saturating_add(SMALL);
    let mut collector = MeshCollector { root, buffers: &buffers, input, allowed, mesh: TriMesh::default() };
    for (node, transform) in world_transforms(root)? {
        if node.get("mesh").is_some() {
            collector.add_mesh(whole(node, "mesh", None)?, transform)?;
        }
    }
    // A file without nodes is a library of meshes.
    if list(root, "nodes").is_empty() {
        for index in 0..list(root, "meshes").len() {
            collector.add_mesh(index, DMat4::IDENTITY)?;
        }
    }
    Ok(collector.mesh)
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice)
}

/// The numbers of a list of indices.
fn indices(value: &Value, key: &str) -> Result<Vec<usize>, String> {
    let number = |v: &Value| {
        let index = v.as_u64().and_then(|n| usize::try_from(n).ok());
        index.ok_or_else(|| format!("{key:?} holds {}, but whole numbers are needed", quote(&v.to_string())))
    };
    list(value, key).iter().map(number).collect()
}

/// Nodes of the scene with their transforms, parents first.
fn world_transforms(root: &Value) -> Result<Vec<(&Value, DMat4)>, String> {
    let nodes = list(root, "nodes");
    let tops = if list(root, "scenes").is_empty() {
        let mut is_child = vec![false; nodes.len()];
        for node in nodes {
            for child in indices(node, "children")? {
                if let Some(flag) = is_child.get_mut(child) {
                    *flag = true;
                }
            }
        }
        (0..nodes.len()).filter(|&n| !is_child[n]).collect()
    } else {
        indices(item(root, "scenes", whole(root, "scene", Some(0))?)?, "nodes")?
    };
    let mut reached = vec![false; nodes.len()];
    let mut transforms = Vec::new();
    let mut open: Vec<(usize, DMat4)> = tops.into_iter().rev().map(|n| (n, DMat4::IDENTITY)).collect();
    while let Some((index, parent)) = open.pop() {
        let node = item(root, "nodes", index)?;
        // Each node has one parent; a second visit would be a loop.
        if std::mem::replace(&mut reached[index], true) {
            return Err(format!("node {index} is reached twice, but nodes must form a tree"));
        }
        let transform = parent * local(node).map_err(|what| format!("node {index}: {what}"))?;
        transforms.push((node, transform));
        open.extend(indices(node, "children")?.into_iter().rev().map(|child| (child, transform)));
    }
    Ok(transforms)
}

/// Transform of a node against its parent.
fn local(node: &Value) -> Result<DMat4, String> {
    if let Some(matrix) = numbers::<16>(node, "matrix")? {
        return Ok(DMat4::from_cols_array(&matrix));
    }
    let scale = numbers(node, "scale")?.map_or(DVec3::ONE, DVec3::from_array);
    let translation = numbers(node, "translation")?.map_or(DVec3::ZERO, DVec3::from_array);
    let rotation = match numbers(node, "rotation")?.map(DQuat::from_array) {
        None => DQuat::IDENTITY,
        // Also refuses a quaternion of no length.
        Some(q) if (q.length() - 1.0).abs() < 1e-2 => q.normalize(),
        Some(q) => {
            return Err(format!("rotation has length {}, but 1 is needed", q.length()));
        }
    };
    Ok(DMat4::from_scale_rotation_translation(scale, rotation, translation))
}

fn numbers<const N: usize>(node: &Value, key: &str) -> Result<Option<[f64; N]>, String> {
    if node.get(key).is_none() {
        return Ok(None);
    }
    let found: Vec<f64> = list(node, key).iter().filter_map(Value::as_f64).collect();
    let numbers = found.try_into().map_err(|_| format!("{key:?} must be a list of {N} numbers"))?;
    Ok(Some(numbers))
}

struct MeshCollector<'a> {
    root: &'a Value,
    buffers: &'a [Vec<u8>],
    input: &'a Input<'a>,
    /// Largest mesh that the file may make [bytes].
    allowed: u64,
    mesh: TriMesh,
}

impl MeshCollector<'_> {
    /// Refuses a mesh that is much larger than its file: nodes and primitives may name the same data any number of times.
    fn check_growth(&self, vertices: usize, triangles: usize) -> Result<(), String> {
        let vertices = (self.mesh.positions.len() + vertices) as u64 * size_of::<Vec3>() as u64;
        let triangles = (self.mesh.triangles.len() + triangles) as u64 * size_of::<[u32; 3]>() as u64;
        let (found, allowed) = (vertices + triangles, self.allowed);
        if found <= allowed {
            return Ok(());
        }
        Err(format!(
            "its copies of meshes take {found} bytes, but at most {allowed} are allowed, {MOST_GROWTH} times the file: \
             place copies with array instead"
        ))
    }

    fn add_mesh(&mut self, index: usize, transform: DMat4) -> Result<(), String> {
        let mesh = item(self.root, "meshes", index)?;
        for (number, primitive) in list(mesh, "primitives").iter().enumerate() {
            let added = self.add_primitive(primitive, transform);
            added.map_err(|what| format!("mesh {index}, primitive {number}: {what}"))?;
        }
        Ok(())
    }

    fn add_primitive(&mut self, primitive: &Value, transform: DMat4) -> Result<(), String> {
        let mode = whole(primitive, "mode", Some(4))?;
        match mode {
            // Points and lines are no part of a surface.
            0..=3 => return Ok(()),
            4..=6 => {}
            _ => return Err(format!("mode is {mode}, but must be 0 to 6")),
        }
        let attributes = primitive.get("attributes").ok_or("\"attributes\" is missing")?;
        let accessor = whole(attributes, "POSITION", None)?;
        let positions = view(self.root, self.buffers, accessor, "VEC3", &[VEC3_F32])?;
        let corners = match primitive.get("indices") {
            None => None,
            Some(_) => {
                let accessor = whole(primitive, "indices", None)?;
                Some(view(self.root, self.buffers, accessor, "SCALAR", &[U8, U16, U32])?)
            }
        };
        let base = self.mesh.positions.len();
        check_cap((base as u64).saturating_add(positions.count as u64), "vertices", self.input.caps.max_vertices)?;
        self.check_growth(positions.count, 0)?;
        for vertex in 0..positions.count {
            let local = vec3(positions.item(vertex));
            // Checked before the transform too, so that the error names the value in the file.
            checked_position(vertex, local.to_array())?;
            let world = transform.transform_point3(local);
            self.mesh.positions.push(checked_position(vertex, world.to_array())?);
        }

        let count = corners.as_ref().map_or(positions.count, |view| view.count);
        let triangles = match mode {
            4 if count % 3 == 0 => count / 3,
            4 => {
                return Err(format!("triangles have {count} corners, which is no multiple of 3"));
            }
            _ => count.saturating_sub(2),
        };
        let total = (self.mesh.triangles.len() as u64).saturating_add(triangles as u64);
        check_cap(total, "triangles", self.input.caps.max_elements)?;
        self.check_growth(0, triangles)?;
        let corner = |i: usize| -> Result<u32, String> {
            let vertex = corners.as_ref().map_or(i, |view| unsigned(view, i));
            if vertex >= positions.count {
                let allowed = allowed_vertices(0, positions.count);
                return Err(format!("corner {i} has vertex {vertex}, but the primitive has {allowed}"));
            }
            Ok((base + vertex) as u32)
        };
        let mirrored = transform.determinant() < 0.0;
        for t in 0..triangles {
            let [a, b, c] = match mode {
                4 => [3 * t, 3 * t + 1, 3 * t + 2],
                // Every second triangle of a strip runs the other way.
                5 => [t, t + 1 + t % 2, t + 2 - t % 2],
                _ => [0, t + 1, t + 2],
            };
            let (a, b, c) = (corner(a)?, corner(b)?, corner(c)?);
            self.mesh.triangles.push(if mirrored { [a, c, b] } else { [a, b, c] });
        }
        Ok(())
    }
}

fn vec3(bytes: &[u8]) -> DVec3 {
    let axis = |k: usize| match bytes.get(4 * k..4 * k + 4) {
        Some(&[a, b, c, d]) => f64::from(f32::from_le_bytes([a, b, c, d])),
        _ => f64::NAN,
    };
    DVec3::new(axis(0), axis(1), axis(2))
}

fn unsigned(view: &View, index: usize) -> usize {
    view.item(index).iter().rev().fold(0, |value, &byte| value << 8 | usize::from(byte))
}
