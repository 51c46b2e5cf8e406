//! Files with bytes changed, removed or duplicated: readers may accept or refuse them, but never panic.

use crate::samples::{self, Ply};
use pliant_io::{Caps, read_tets, read_triangles};
use proptest::prelude::*;
use std::fs;

/// One change of a file; offsets are taken modulo its length.
#[derive(Clone, Debug)]
enum Change {
    Set(usize, u8),
    Flip(usize, u8),
    Cut(usize),
    Remove(usize, usize),
    Double(usize, usize),
    /// A number that is likely to be wrong, where a digit was.
    Number(usize, &'static str),
}

fn change() -> impl Strategy<Value = Change> {
    let place = 0_usize..1 << 16;
    prop_oneof![
        (place.clone(), any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        (place.clone(), 0_u8..8).prop_map(|(at, bit)| Change::Flip(at, bit)),
        place.clone().prop_map(Change::Cut),
        (place.clone(), 1_usize..40).prop_map(|(at, count)| Change::Remove(at, count)),
        (place.clone(), 1_usize..40).prop_map(|(at, count)| Change::Double(at, count)),
        (place, prop::sample::select(vec!["-1", "4294967296", "99999999999999999999", "nan", "1e999", "7", ""]))
            .prop_map(|(at, text)| Change::Number(at, text)),
    ]
}

fn apply(bytes: &mut Vec<u8>, change: &Change) {
    if bytes.is_empty() {
        return;
    }
    let length = bytes.len();
    match *change {
        Change::Set(at, byte) => bytes[at % length] = byte,
        Change::Flip(at, bit) => bytes[at % length] ^= 1 << bit,
        Change::Cut(at) => bytes.truncate(at % length),
        Change::Remove(at, count) => {
            let at = at % length;
            bytes.drain(at..(at + count).min(length));
        }
        Change::Double(at, count) => {
            let at = at % length;
            let copy = bytes[at..(at + count).min(length)].to_vec();
            bytes.splice(at..at, copy);
        }
        Change::Number(at, text) => {
            let at = at % length;
            if let Some(digit) = bytes[at..].iter().position(u8::is_ascii_digit) {
                bytes.splice(at + digit..at + digit + 1, text.bytes());
            }
        }
    }
}

/// Small, so that a mutated count which is within them cannot take long.
const CAPS: Caps = Caps { max_bytes: 1 << 20, max_vertices: 1 << 16, max_elements: 1 << 16 };

/// Reads mutations of a file that has `others` next to it.
fn never_panics(name: &str, good: &[u8], others: &[(&str, Vec<u8>)]) {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in others {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let path = folder.path().join(name);
    // The runner prints failures; no regression file is written next to the sources.
    let config = ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(changes in prop::collection::vec(change(), 1..6))| {
        let mut bytes = good.to_vec();
        changes.iter().for_each(|change| apply(&mut bytes, change));
        fs::write(&path, &bytes).unwrap();
        let told = if others.is_empty() && !name.ends_with("msh") {
            let mesh = read_triangles(&path, &CAPS);
            if let Ok(mesh) = &mesh {
                let count = mesh.positions.len() as u32;
                prop_assert!(mesh.positions.iter().all(|p| p.is_finite()));
                prop_assert!(mesh.triangles.iter().flatten().all(|&v| v < count));
                for need in [pliant::mesh::repair::SurfaceNeed::Open, pliant::mesh::repair::SurfaceNeed::Closed] {
                    let _ = pliant::mesh::repair::clean_surface(mesh.clone(), need);
                }
            }
            mesh.err()
        } else {
            let mesh = read_tets(&path, &CAPS);
            if let Ok(mesh) = &mesh {
                let count = mesh.positions.len() as u32;
                prop_assert!(mesh.tets.iter().flatten().all(|&v| v < count));
                let _ = pliant::mesh::repair::clean_tets(mesh.clone());
            }
            mesh.err()
        };
        if let Some(error) = told {
            let text = error.to_string();
            prop_assert!(text.starts_with(&folder.path().display().to_string()) && !text.ends_with('.'), "{}", text);
        }
    });
}

#[test]
fn r07_mutated_obj_files_never_panic() {
    never_panics("a.obj", &samples::obj(), &[]);
}

#[test]
fn r07_mutated_ply_files_never_panic() {
    for kind in [Ply::Ascii, Ply::Little, Ply::Big] {
        never_panics("a.ply", &samples::ply(kind), &[]);
    }
}

#[test]
fn r07_mutated_stl_files_never_panic() {
    never_panics("a.stl", &samples::stl_ascii(), &[]);
    never_panics("a.stl", &samples::stl_binary(), &[]);
}

#[test]
fn r07_mutated_gltf_files_never_panic() {
    never_panics("a.gltf", &samples::gltf(), &[]);
    never_panics("a.glb", &samples::glb(), &[]);
}

#[test]
fn r07_mutated_tetgen_files_never_panic() {
    never_panics("a.node", &samples::node(0), &[("a.ele", samples::ele(0))]);
    never_panics("a.ele", &samples::ele(1), &[("a.node", samples::node(1))]);
}

#[test]
fn r07_mutated_msh_files_never_panic() {
    never_panics("a.msh", &samples::msh_2(), &[]);
    never_panics("a.msh", &samples::msh_4(), &[]);
}

/// Memory is bounded by the file: copies of a mesh may not make more of it.
#[test]
fn r08_a_gltf_file_cannot_take_many_times_its_size() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gltf");
    // 2.4 MB of nodes that all name one mesh of four triangles are fine.
    let nodes = vec![r#"{"mesh": 0}"#; 200_000].join(",");
    let all: Vec<String> = (0..200_000).map(|i| i.to_string()).collect();
    let text = samples::gltf_json(&samples::data_uri(), &nodes);
    let text = text.replace("[{\"nodes\": [0]}]", &format!("[{{\"nodes\": [{}]}}]", all.join(",")));
    fs::write(&path, &text).unwrap();
    assert_eq!(read_triangles(&path, &Caps::default()).unwrap().triangles.len(), 800_000);
    // A primitive that is named again and again by the same mesh is not.
    let one = r#"{"attributes": {"POSITION": 0}, "indices": 1}"#;
    let text = text.replace(one, &vec![one; 100].join(","));
    fs::write(&path, &text).unwrap();
    let error = read_triangles(&path, &Caps::default()).unwrap_err().to_string();
    assert!(error.contains("16 times the file") && error.contains("array"), "{error}");
    // Nor is a text of empty parts.
    for part in ["{},", "[],"] {
        let text = format!("{{\"asset\": {{\"version\": \"2.0\"}}, \"nodes\": [{}{{}}]}}", part.repeat(4_100_000));
        fs::write(&path, text).unwrap();
        let error = read_triangles(&path, &Caps::default()).unwrap_err().to_string();
        assert!(error.contains("JSON has"), "{error}");
    }
}
