//! The same small meshes in every format, as the bytes of a file.

use glam::Vec3;
use pliant::mesh::{TetMesh, TriMesh};
use std::fmt::Write as _;

/// A tetrahedron of four triangles, outward. Its coordinates are exact in text and in single precision.
pub fn surface() -> TriMesh {
    TriMesh {
        positions: vec![Vec3::ZERO, Vec3::new(1.5, 0.0, 0.0), Vec3::new(0.0, -2.25, 0.0), Vec3::new(0.0, 0.0, 0.125)],
        triangles: vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]],
    }
}

/// Two tets on one face.
pub fn tets() -> TetMesh {
    let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(0.25, 0.25, -1.0)];
    TetMesh { positions, tets: vec![[0, 1, 2, 3], [0, 2, 1, 4]] }
}

pub fn obj() -> Vec<u8> {
    let mut text = String::from("# sample\nmtllib a.mtl\no thing\n");
    for p in surface().positions {
        writeln!(text, "v {} {} {}", p.x, p.y, p.z).unwrap();
    }
    for [a, b, c] in surface().triangles {
        writeln!(text, "f {} {}/1 {}//1", a + 1, b + 1, c + 1).unwrap();
    }
    text.into_bytes()
}

#[derive(Clone, Copy, PartialEq)]
pub enum Ply {
    Ascii,
    Little,
    Big,
}

pub fn ply(kind: Ply) -> Vec<u8> {
    let name = match kind {
        Ply::Ascii => "ascii",
        Ply::Little => "binary_little_endian",
        Ply::Big => "binary_big_endian",
    };
    // Properties that the reader has to skip, in every position where they may occur.
    let mut bytes = format!(
        "ply\nformat {name} 1.0\ncomment sample\nelement vertex 4\nproperty uchar red\nproperty double x\n\
         property float y\nproperty float z\nelement mark 1\nproperty list uchar short ids\n\
         element face 4\nproperty list uchar int vertex_indices\nproperty ushort group\nend_header\n"
    )
    .into_bytes();
    let mesh = surface();
    if kind == Ply::Ascii {
        let mut text = String::new();
        for p in mesh.positions {
            writeln!(text, "255 {} {} {}", p.x, p.y, p.z).unwrap();
        }
        text.push_str("2 7 -8\n");
        for [a, b, c] in mesh.triangles {
            writeln!(text, "3 {a} {b} {c} 9").unwrap();
        }
        bytes.extend(text.into_bytes());
        return bytes;
    }
    let mut put = |little: &[u8]| {
        if kind == Ply::Little {
            bytes.extend(little);
        } else {
            bytes.extend(little.iter().rev());
        }
    };
    for p in mesh.positions {
        put(&[255]);
        put(&f64::from(p.x).to_le_bytes());
        put(&p.y.to_le_bytes());
        put(&p.z.to_le_bytes());
    }
    put(&[2]);
    put(&7_i16.to_le_bytes());
    put(&(-8_i16).to_le_bytes());
    for triangle in mesh.triangles {
        put(&[3]);
        triangle.iter().for_each(|v| put(&v.to_le_bytes()));
        put(&9_u16.to_le_bytes());
    }
    bytes
}

pub fn stl_ascii() -> Vec<u8> {
    let mesh = surface();
    let mut text = String::from("solid sample\n");
    for triangle in &mesh.triangles {
        text.push_str(" facet normal 0 0 0\n  outer loop\n");
        for p in triangle.map(|v| mesh.positions[v as usize]) {
            writeln!(text, "   vertex {} {:e} {}", p.x, p.y, p.z).unwrap();
        }
        text.push_str("  endloop\n endfacet\n");
    }
    text.push_str("endsolid sample\n");
    text.into_bytes()
}

pub fn stl_binary() -> Vec<u8> {
    let mesh = surface();
    // Starts with "solid", as some programs write it: the length decides.
    let mut bytes = b"solid but binary".to_vec();
    bytes.resize(80, b' ');
    bytes.extend((mesh.triangles.len() as u32).to_le_bytes());
    for triangle in &mesh.triangles {
        bytes.extend([0; 12]);
        for p in triangle.map(|v| mesh.positions[v as usize]) {
            bytes.extend(p.to_array().iter().flat_map(|c| c.to_le_bytes()));
        }
        bytes.extend([0; 2]);
    }
    bytes
}

/// Positions, then indices as 16 bits.
pub fn gltf_buffer() -> Vec<u8> {
    let mesh = surface();
    let mut bytes: Vec<u8> = mesh.positions.iter().flat_map(|p| p.to_array()).flat_map(f32::to_le_bytes).collect();
    bytes.extend(mesh.triangles.iter().flatten().flat_map(|&v| (v as u16).to_le_bytes()));
    bytes
}

/// JSON whose buffer has the member `uri`; `nodes` is the content of the list of nodes.
pub fn gltf_json(uri: &str, nodes: &str) -> String {
    let length = gltf_buffer().len();
    format!(
        r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0]}}], "nodes": [{nodes}],
"meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 1}}]}}],
"accessors": [{{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"}},
 {{"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}}],
"bufferViews": [{{"buffer": 0, "byteLength": 48}}, {{"buffer": 0, "byteOffset": 48, "byteLength": 24}}],
"buffers": [{{{uri}"byteLength": {length}}}]}}"#
    )
}

pub fn data_uri() -> String {
    // Encoded independently of the crate: positions and indices as written by Python's base64 module.
    format!("\"uri\": \"data:application/octet-stream;base64,{}\", ", BUFFER_BASE64)
}

const BUFFER_BASE64: &str =
    "AAAAAAAAAAAAAAAAAADAPwAAAAAAAAAAAAAAAAAAEMAAAAAAAAAAAAAAAAAAAAA+AAABAAIAAAADAAEAAQADAAIAAgADAAAA";

pub fn gltf() -> Vec<u8> {
    gltf_json(&data_uri(), r#"{"mesh": 0}"#).into_bytes()
}

pub fn glb() -> Vec<u8> {
    let mut json = gltf_json("", r#"{"mesh": 0}"#).into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let buffer = gltf_buffer();
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((12 + 8 + json.len() as u32 + 8 + buffer.len() as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", json), (b"BIN\0", buffer)] {
        bytes.extend((chunk.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(chunk);
    }
    bytes
}

pub fn node(first: u32) -> Vec<u8> {
    let mesh = tets();
    let mut text = format!("# nodes\n{} 3 1 0\n", mesh.positions.len());
    for (i, p) in mesh.positions.iter().enumerate() {
        writeln!(text, "{}  {} {} {}  0.5 # attribute", i as u32 + first, p.x, p.y, p.z).unwrap();
    }
    text.into_bytes()
}

pub fn ele(first: u32) -> Vec<u8> {
    let mesh = tets();
    let mut text = format!("{} 4 0\n\n", mesh.tets.len());
    for (i, tet) in mesh.tets.iter().enumerate() {
        let [a, b, c, d] = tet.map(|v| v + first);
        writeln!(text, "{} {a} {b} {c} {d}", i as u32 + first).unwrap();
    }
    text.push_str("# the end");
    text.into_bytes()
}

/// Node numbers have gaps: vertex v is node 10 v + 3.
pub fn msh_2() -> Vec<u8> {
    let mesh = tets();
    let mut text =
        String::from("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"body\"\n$EndPhysicalNames\n");
    writeln!(text, "$Nodes\n{}", mesh.positions.len()).unwrap();
    for (i, p) in mesh.positions.iter().enumerate() {
        writeln!(text, "{} {} {} {}", 10 * i + 3, p.x, p.y, p.z).unwrap();
    }
    text.push_str("$EndNodes\n$Elements\n3\n1 2 2 1 1 3 13 23\n");
    for (i, tet) in mesh.tets.iter().enumerate() {
        let [a, b, c, d] = tet.map(|v| 10 * v + 3);
        writeln!(text, "{} 4 2 1 1 {a} {b} {c} {d}", i + 2).unwrap();
    }
    text.push_str("$EndElements\n");
    text.into_bytes()
}

pub fn msh_4() -> Vec<u8> {
    let mesh = tets();
    let mut text =
        String::from("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 1 1 1 0 0\n$EndEntities\n");
    // Two blocks of nodes, the first without any.
    text.push_str("$Nodes\n2 5 3 43\n2 1 0 0\n3 1 0 5\n");
    (0..5).for_each(|i| writeln!(text, "{}", 10 * i + 3).unwrap());
    mesh.positions.iter().for_each(|p| writeln!(text, "{} {} {}", p.x, p.y, p.z).unwrap());
    text.push_str("$EndNodes\n$Elements\n2 3 1 3\n2 1 2 1\n1 3 13 23\n3 1 4 2\n");
    for (i, tet) in mesh.tets.iter().enumerate() {
        let [a, b, c, d] = tet.map(|v| 10 * v + 3);
        writeln!(text, "{} {a} {b} {c} {d}", i + 2).unwrap();
    }
    text.push_str("$EndElements\n");
    text.into_bytes()
}
