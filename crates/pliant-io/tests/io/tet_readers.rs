//! Tetrahedral formats: each reads the same mesh, and each error names its location.

use crate::samples;
use pliant::mesh::TetMesh;
use pliant_io::{Caps, read_tets};
use std::fs;

/// Writes the files into one folder and reads the first.
fn read(files: &[(&str, &[u8])]) -> Result<TetMesh, String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let prefix = format!("{}/", folder.path().display());
    let mesh = read_tets(&folder.path().join(files[0].0), &Caps::default());
    mesh.map_err(|error| error.to_string().replace(&prefix, ""))
}

fn read_msh(text: &str) -> Result<TetMesh, String> {
    read(&[("a.msh", text.as_bytes())])
}

#[test]
fn every_tetrahedral_format_reads_the_same_mesh() {
    for first in [0, 1] {
        let (node, ele) = (samples::node(first), samples::ele(first));
        assert_eq!(read(&[("a.node", &node), ("a.ele", &ele)]), Ok(samples::tets()), "numbered from {first}");
        assert_eq!(read(&[("a.ele", &ele), ("a.node", &node)]), Ok(samples::tets()), "numbered from {first}");
    }
    assert_eq!(read(&[("a.msh", &samples::msh_2())]), Ok(samples::tets()));
    assert_eq!(read(&[("a.msh", &samples::msh_4())]), Ok(samples::tets()));
}

#[test]
fn tetgen_errors_name_file_line_and_allowed_values() {
    let node = String::from_utf8(samples::node(1)).unwrap();
    let ele = String::from_utf8(samples::ele(1)).unwrap();
    let with = |node: &str, ele: &str| read(&[("a.node", node.as_bytes()), ("a.ele", ele.as_bytes())]).unwrap_err();
    assert_eq!(
        with(&node, &ele.replace("1 3 2 5", "1 3 2 6")),
        "a.ele:4: tet 2 has vertex 6, but the file has vertices 1..=5"
    );
    assert_eq!(
        with(&node, &ele.replace("1 3 2 5", "0 3 2 5")),
        "a.ele:4: tet 2 has vertex 0, but the file has vertices 1..=5"
    );
    assert_eq!(with(&node, &ele.replace("1 3 2 5", "1 3 2")), "a.ele:4: tet 2 has 3 vertices, but 4 are needed");
    assert_eq!(with(&node, &ele.replace("2 4 0", "2 10 0")), "a.ele:1: tets have 10 corners, but only 4 are supported");
    assert_eq!(
        with(&node.replace("5 3 1 0", "9000 3 1 0"), &ele),
        "a.node:2: header declares 9000 vertices, but the rest of the file holds at most 17"
    );
    assert_eq!(
        with(&node.replace("5 3 1 0", "6 3 1 0"), &ele),
        "a.node:7: file ends here, but vertex 5 of 6 must follow"
    );
    assert_eq!(
        with(&node.replace("5 3 1 0", "4 3 1 0"), &ele),
        "a.node:7: found \"5  0.25 0.25 -1  0.5\" after the 4 vertices of the header"
    );
    assert!(read(&[("b.node", node.as_bytes())]).unwrap_err().starts_with("b.ele: "));
}

#[test]
fn msh_errors_name_line_and_allowed_values() {
    let two = String::from_utf8(samples::msh_2()).unwrap();
    let four = String::from_utf8(samples::msh_4()).unwrap();
    for (text, from, to, wanted) in [
        (&two, "2.2 0 8", "2.2 1 8", "a.msh:2: file is binary, but only ASCII .msh files are supported"),
        (&two, "2.2 0 8", "4.0 0 8", "a.msh:2: version is \"4.0 0 8\", but only 2.2 and 4.1 are supported"),
        (
            &two,
            "3 4 2 1 1 3",
            "3 5 2 1 1 3",
            "a.msh:20: element 3 has type 5, but the only volume type supported is 4 (tetrahedron)",
        ),
        (
            &two,
            "3 23 13 43",
            "3 23 13 44",
            "a.msh:20: tetrahedron 3 has node 44, but it is not among the 5 nodes of the file",
        ),
        (&two, "\n13 1", "\n3 1", "a.msh:11: node 3 is listed twice"),
        (&two, "$EndNodes\n", "", "a.msh:15: found \"$Elements\", but \"$EndNodes\" must come here"),
        (&four, "2 5 3 43", "2 6 3 43", "a.msh:21: header declares 6 nodes, but the blocks hold 5"),
        (&four, "3 3 23 13 43", "3 3 23 13", "a.msh:29: tetrahedron 3 has 3 nodes, but 4 are needed"),
    ] {
        assert!(text.contains(from), "{from}");
        assert_eq!(read_msh(&text.replacen(from, to, 1)).unwrap_err(), wanted);
    }
    assert_eq!(read_msh("").unwrap_err(), "a.msh:1: file ends here, but \"$MeshFormat\" must follow");
}
