//! Surface formats: each reads the same mesh, and each error names its location.

use crate::samples::{self, Ply};
use glam::Vec3;
use pliant::mesh::TriMesh;
use pliant_io::{Caps, read_triangles};
use std::fs;

/// Reads bytes as a file of this name; the error is without the folder.
fn read_with(name: &str, bytes: &[u8], caps: &Caps) -> Result<TriMesh, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    let prefix = format!("{}/", folder.path().display());
    read_triangles(&path, caps).map_err(|error| error.to_string().replace(&prefix, ""))
}

fn read(name: &str, bytes: &[u8]) -> Result<TriMesh, String> {
    read_with(name, bytes, &Caps::default())
}

fn error(name: &str, bytes: &[u8]) -> String {
    read(name, bytes).unwrap_err()
}

#[test]
fn every_surface_format_reads_the_same_mesh() {
    let files = [
        ("a.obj", samples::obj()),
        ("a.ply", samples::ply(Ply::Ascii)),
        ("little.ply", samples::ply(Ply::Little)),
        ("big.ply", samples::ply(Ply::Big)),
        ("a.gltf", samples::gltf()),
        ("A.GLB", samples::glb()),
    ];
    for (name, bytes) in files {
        assert_eq!(read(name, &bytes), Ok(samples::surface()), "{name}");
    }
}

#[test]
fn stl_reads_the_same_triangles_with_copies_welded() {
    let wanted = samples::surface();
    for (name, bytes) in [("a.stl", samples::stl_ascii()), ("b.stl", samples::stl_binary())] {
        let mesh = read(name, &bytes).unwrap();
        assert_eq!(mesh.positions.len(), 4, "{name}");
        let corners = |mesh: &TriMesh| -> Vec<_> {
            mesh.triangles.iter().map(|t| t.map(|v| mesh.positions[v as usize])).collect()
        };
        assert_eq!(corners(&mesh), corners(&wanted), "{name}");
    }
}

#[test]
fn obj_polygons_become_fans_and_negative_numbers_count_back() {
    let text = b"v 0 0 0\nv 1 0 0\nv 1 1 0 1 0.5 0.5\nv 0 1 0\nf -4 -3 \\\n -2 -1\nf 1 2 5\nv 0 0 1\n";
    let mesh = read("a.obj", text).unwrap();
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3], [0, 1, 4]]);
}

#[test]
fn obj_errors_name_line_found_and_allowed_values() {
    let start = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    for (line, wanted) in [
        ("f 1 2 4", "a.obj:4: face has vertex 4, but the file has vertices 1..=3"),
        (
            "f 1 2 18446744073709551617",
            "a.obj:4: face has vertex 18446744073709551617, but the file has vertices 1..=3",
        ),
        ("f 0 1 2", "a.obj:4: face has vertex 0, but vertex numbers start at 1"),
        ("f -1 -2 -4", "a.obj:4: face has vertex -4, but only 3 vertices come before it"),
        ("f 1 2", "a.obj:4: face has 2 vertices, but at least 3 are needed"),
        ("f 1 2 x", "a.obj:4: \"x\" is not a corner of a face, such as 3 or 3/1/2"),
        ("v 0 0", "a.obj:4: vertex 4 has 2 coordinates, but 3 are needed"),
        ("v 1,5 0 0", "a.obj:4: vertex 4: \"1,5\" is not a decimal number"),
        ("v 0 nan 0", "a.obj:4: vertex 4 has y = NaN, but coordinates must be finite and within ±1000000 m"),
        ("v 0 0 1e39", "a.obj:4: vertex 4 has z = 1e39, but coordinates must be finite and within ±1000000 m"),
        ("wat 1", "a.obj:4: \"wat\" is not a statement of the OBJ format"),
    ] {
        assert_eq!(error("a.obj", format!("{start}{line}\nf 1 2 3\n").as_bytes()), wanted);
    }
    assert_eq!(error("a.obj", b""), "a.obj: file has no vertices, but a mesh needs at least 3");
    assert_eq!(error("a.obj", start.as_bytes()), "a.obj: file has no triangles, but a mesh needs at least 1");
}

#[test]
fn ply_errors_name_the_element() {
    let ascii = String::from_utf8(samples::ply(Ply::Ascii)).unwrap();
    let wrong = ascii.replace("3 1 3 2 9", "3 1 99 2 9");
    assert_eq!(error("a.ply", wrong.as_bytes()), "a.ply:22: face 2 has vertex 99, but the file has vertices 0..=3");
    let wrong = ascii.replace("3 1 3 2 9", "3 1 3 2");
    assert_eq!(error("a.ply", wrong.as_bytes()), "a.ply:22: face 2 has 4 values, but more are expected");
    let wrong = format!("{ascii}1 2 3\n");
    assert_eq!(error("a.ply", wrong.as_bytes()), "a.ply:24: line follows the last element that the header announces");

    let mut binary = samples::ply(Ply::Little);
    binary.truncate(binary.len() - 1);
    assert_eq!(error("b.ply", &binary), "b.ply: file ends within face 3 of 4");
    let mut binary = samples::ply(Ply::Big);
    let last = binary.len() - 15;
    binary[last] = 4;
    assert_eq!(error("b.ply", &binary), "b.ply: face 3 declares a list of 4 values, but the file ends after 3");
}

#[test]
fn r07_headers_that_promise_too_much_are_refused_before_memory_is_taken() {
    let ply = b"ply\nformat binary_little_endian 1.0\nelement vertex 49000000\nproperty float x\nproperty float y\n\
        property float z\nend_header\n1234";
    let wanted = "a.ply: header declares 49000000 vertices, but the rest of the file holds at most 0";
    assert_eq!(error("a.ply", ply), wanted);
    let ply = String::from_utf8(ply.to_vec()).unwrap().replace("49000000", "4000000000");
    let wanted = "a.ply:3: file has 4000000000 vertices, but at most 50000000 are allowed";
    assert_eq!(error("a.ply", ply.as_bytes()), wanted);

    let mut stl = vec![b' '; 80];
    stl.extend(150_000_000_u32.to_le_bytes());
    let wanted = "a.stl: header declares 150000000 facets, but the rest of the file holds at most 0";
    assert_eq!(error("a.stl", &stl), wanted);

    let gltf = String::from_utf8(samples::gltf()).unwrap().replace("\"count\": 4", "\"count\": 40000000");
    let wanted = "a.gltf: mesh 0, primitive 0: accessor 0: declares 40000000 items of 12 bytes every 12, \
        but its buffer view holds 48 bytes";
    assert_eq!(error("a.gltf", gltf.as_bytes()), wanted);
}

#[test]
fn every_format_enforces_the_limits() {
    let files = [
        ("a.obj", samples::obj()),
        ("a.ply", samples::ply(Ply::Ascii)),
        ("b.ply", samples::ply(Ply::Little)),
        ("a.gltf", samples::gltf()),
        ("a.glb", samples::glb()),
        ("a.stl", samples::stl_ascii()),
        ("b.stl", samples::stl_binary()),
    ];
    for (name, bytes) in files {
        let few = Caps { max_vertices: 3, ..Caps::default() };
        let error = read_with(name, &bytes, &few).unwrap_err();
        assert!(error.ends_with("4 vertices, but at most 3 are allowed"), "{error}");
        let few = Caps { max_elements: 3, ..Caps::default() };
        let error = read_with(name, &bytes, &few).unwrap_err();
        assert!(error.contains(" 4 ") && error.ends_with("but at most 3 are allowed"), "{error}");
        let small = Caps { max_bytes: bytes.len() as u64 - 1, ..Caps::default() };
        let error = read_with(name, &bytes, &small).unwrap_err();
        let wanted = format!("{name}: file has {} bytes, but at most {} are allowed", bytes.len(), bytes.len() - 1);
        assert_eq!(error, wanted);
    }
}

#[test]
fn stl_errors_name_line_or_facet() {
    let ascii = String::from_utf8(samples::stl_ascii()).unwrap();
    let cut = ascii.split("endloop").next().unwrap();
    assert_eq!(
        error("a.stl", cut.as_bytes()),
        "a.stl:7: file ends here, but facet 0 or \"endsolid\" must be completed"
    );
    let wrong = ascii.replacen("outer loop", "inner loop", 1);
    assert_eq!(error("a.stl", wrong.as_bytes()), "a.stl:3: found \"inner loop\", but \"outer loop\" must come here");
    let mut binary = samples::stl_binary();
    binary[84 + 50 + 12..][..4].copy_from_slice(&f32::INFINITY.to_le_bytes());
    let wanted = "b.stl: facet 1: vertex 0 has x = inf, but coordinates must be finite and within ±1000000 m";
    assert_eq!(error("b.stl", &binary), wanted);
}

#[test]
fn gltf_nodes_transform_their_meshes() {
    // A quarter turn about y and a move on the parent, a mirror on the child.
    let nodes = r#"{"children": [1], "translation": [10, 0, 0], "rotation": [0, 0.70710678118654752, 0, 0.70710678118654752]},
        {"mesh": 0, "scale": [1, 1, -2]}"#;
    let mesh = read("a.gltf", samples::gltf_json(&samples::data_uri(), nodes).as_bytes()).unwrap();
    for (placed, p) in mesh.positions.iter().zip(samples::surface().positions) {
        // Turned about y by 90 degrees: x goes to -z, z to x.
        let wanted = Vec3::new(10.0 - 2.0 * p.z, p.y, -p.x);
        assert!(placed.distance(wanted) < 1e-6, "{placed} {wanted}");
    }
    assert_eq!(mesh.triangles[0], [0, 2, 1], "a mirrored mesh is wound the other way");
}

#[test]
fn gltf_buffers_come_from_the_same_folder_only() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("meshes");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("a b.bin"), samples::gltf_buffer()).unwrap();
    fs::write(outer.path().join("out.bin"), samples::gltf_buffer()).unwrap();
    let path = folder.join("a.gltf");
    let try_uri = |uri: &str| {
        let json = samples::gltf_json(&format!("\"uri\": \"{uri}\", "), r#"{"mesh": 0}"#);
        fs::write(&path, json).unwrap();
        read_triangles(&path, &Caps::default()).map_err(|error| error.to_string())
    };
    assert_eq!(try_uri("a%20b.bin"), Ok(samples::surface()));
    let absolute = outer.path().join("out.bin").display().to_string();
    #[cfg(unix)]
    std::os::unix::fs::symlink("../out.bin", folder.join("link.bin")).unwrap();
    for uri in ["../out.bin", "%2e%2e/out.bin", "..%2fout.bin", "link.bin", absolute.as_str(), "http://a/b", ""] {
        let error = try_uri(uri).unwrap_err();
        assert!(error.ends_with("does not name a file in the folder of the glTF file"), "{uri}: {error}");
    }
    assert!(try_uri("none.bin").unwrap_err().contains("a.gltf: buffer 0: none.bin: "));
}

#[test]
fn gltf_errors_name_the_element() {
    let good = String::from_utf8(samples::gltf()).unwrap();
    for (from, to, wanted) in [
        ("\"2.0\"", "\"1.0\"", "a.gltf: glTF version is \"1.0\", but only 2.x is supported"),
        ("{\"asset\"", "{asset", "a.gltf:1: not valid JSON: key must be a string (column 2)"),
        ("{\"mesh\": 0}", "{\"mesh\": 5}", "a.gltf: meshes 5 is named, but the file has 1 meshes"),
        ("{\"mesh\": 0}", "{\"children\": [0]}", "a.gltf: node 0 is reached twice, but nodes must form a tree"),
        (
            "5123",
            "5122",
            "a.gltf: mesh 0, primitive 0: accessor 1: component type is 5122, but must be one of [5121, 5123, 5125]",
        ),
        (
            "\"count\": 4",
            "\"count\": 3",
            "a.gltf: mesh 0, primitive 0: corner 4 has vertex 3, but the primitive has vertices 0..=2",
        ),
        ("AAAA", "A!AA", "a.gltf: buffer 0: base64 data has byte 33 at 1, but only A-Z a-z 0-9 + / are allowed"),
    ] {
        assert_eq!(error("a.gltf", good.replacen(from, to, 1).as_bytes()), wanted);
    }
}

#[test]
fn unreadable_files_and_unknown_extensions_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = read_triangles(&folder.path().join("none.obj"), &Caps::default()).unwrap_err().to_string();
    assert!(missing.contains("none.obj: "), "{missing}");
    let inside = folder.path().join("folder.obj");
    fs::create_dir(&inside).unwrap();
    let wrong = read_triangles(&inside, &Caps::default()).unwrap_err().to_string();
    assert!(wrong.ends_with("folder.obj: not a regular file"), "{wrong}");
    let wanted = "a.fbx: extension \"fbx\" is not one of the surface formats obj, ply, stl, gltf, glb";
    assert_eq!(error("a.fbx", b""), wanted);
}
