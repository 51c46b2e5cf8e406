//! The shared test models, good and bad. Skipped with a message where the folder does not exist.
#![allow(clippy::print_stderr)]

use crate::model_folder;
use pliant::mesh::repair::{SurfaceNeed, clean_surface, clean_tets};
use pliant::partition::clique::omega;
use pliant::partition::color::{color, count};
use pliant::partition::graph::Graph;
use pliant::partition::phantom::split;
use pliant_io::{Caps, ReadError, read_tets, read_triangles};
use std::fs;
use std::path::{Path, PathBuf};

fn models() -> Option<PathBuf> {
    model_folder::find("")
}

#[test]
fn scanned_surfaces_have_the_counts_and_volumes_of_their_description() {
    let Some(folder) = models() else { return };
    for (name, vertices, triangles, volume) in [
        ("bunny.obj", 2_503, 5_002, 7.5367e-4),
        ("bunny.ply", 2_503, 5_002, 7.5367e-4),
        ("armadillo.obj", 15_002, 30_000, 2.37778e5),
        ("dragon.ply", 23_897, 47_794, 4.7773e-4),
    ] {
        let mesh = read_triangles(&folder.join(name), &Caps::default()).unwrap();
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (vertices, triangles), "{name}");
        let p = |v: u32| mesh.positions[v as usize].as_dvec3();
        let found: f64 = mesh.triangles.iter().map(|&[a, b, c]| p(a).cross(p(b)).dot(p(c)) / 6.0).sum();
        // The description states volumes to five digits.
        assert!((found / volume - 1.0).abs() < 1e-4, "{name}: {found}");
        let (clean, notes) = clean_surface(mesh.clone(), SurfaceNeed::Closed).unwrap();
        assert_eq!((clean, notes), (mesh, vec![]), "{name} needs no repair");
    }
    let same = |name: &str| read_triangles(&folder.join(name), &Caps::default()).unwrap();
    assert_eq!(same("bunny.obj"), same("bunny.ply"));
}

#[test]
fn tetrahedral_models_have_the_counts_of_their_description_in_both_formats() {
    let Some(folder) = models() else { return };
    for (name, vertices, tets) in [("bunny_tet", 16_001, 50_003), ("armadillo_tet", 10_452, 32_087)] {
        let mesh = read_tets(&folder.join(format!("{name}.node")), &Caps::default()).unwrap();
        assert_eq!((mesh.positions.len(), mesh.tets.len()), (vertices, tets), "{name}");
        let other = read_tets(&folder.join(format!("{name}.msh")), &Caps::default()).unwrap();
        assert_eq!(mesh, other, "{name}");
        let (clean, notes) = clean_tets(mesh.clone()).unwrap();
        assert_eq!((clean, notes), (mesh, vec![]), "{name} needs no repair");
    }
}

#[test]
fn s11_s12_scanned_bodies_take_as_many_colors_as_their_busiest_particle_or_as_few_as_wished() {
    let Some(folder) = models() else { return };
    for (name, busiest) in [("bunny_tet", 90), ("armadillo_tet", 136)] {
        let mesh = read_tets(&folder.join(format!("{name}.node")), &Caps::default()).unwrap();
        let graph = Graph::uniform(4, 4, &mesh.tets.concat(), mesh.positions.len());
        assert_eq!(graph.degrees().into_iter().max(), Some(busiest), "{name}");
        let most = omega(&graph).size;
        let plain = count(&color(&graph));
        assert!(most >= busiest as usize && (most..most + 4).contains(&plain), "{name}: {plain} colors, clique {most}");
        eprintln!("{name}: {} tets, clique {most}, {plain} colors", graph.len());
        for q in [2, 4, 8, most.div_ceil(2)] {
            let found = split(&graph, q);
            assert_eq!(count(&found.colors), q, "{name}");
            // No copy has two constraints of one color.
            let mut used = std::collections::BTreeSet::new();
            for c in 0..graph.len() as u32 {
                for (k, &r) in graph.members(c).iter().enumerate() {
                    let copy = if found.copies[r as usize] == 0 { 0 } else { 1 + found.copy[graph.start(c) + k] };
                    assert!(used.insert((r, copy, found.colors[c as usize])), "{name}, q = {q}: row {r}, copy {copy}");
                }
            }
            let owners = found.copies.iter().filter(|&&n| n > 0).count();
            let least: u32 = graph.degrees().iter().map(|d| d.div_ceil(q as u32)).filter(|&n| n > 1).sum();
            eprintln!("  q = {q}: {} copies of {owners} particles, {least} at least", found.total());
        }
    }
}

#[test]
fn the_raw_dragon_is_repaired_for_cloth_and_refused_as_a_body() {
    let Some(folder) = models() else { return };
    let mesh = read_triangles(&folder.join("dragon_raw.ply"), &Caps::default()).unwrap();
    assert_eq!((mesh.positions.len(), mesh.triangles.len()), (22_998, 47_794));
    let (_, notes) = clean_surface(mesh.clone(), SurfaceNeed::Open).unwrap();
    assert!(notes.iter().any(|n| n.starts_with("dropped 1254 triangles listed twice")), "{notes:#?}");
    assert!(notes.iter().any(|n| n.starts_with("dropped 16 vertices that no triangle uses")), "{notes:#?}");
    let error = clean_surface(mesh, SurfaceNeed::Closed).unwrap_err().0;
    assert!(error.starts_with("edge "), "{error}");
}

/// Text of a reader's error, which must start with the file: either one of a `.node` and `.ele` pair.
fn named(path: &Path, error: &ReadError) -> String {
    let text = error.to_string();
    let file = path.with_extension("").display().to_string();
    assert!(text.starts_with(&file) && !text.ends_with('.'), "{text}");
    text
}

/// Result of reading a bad file: the notes of its repair or its error.
fn outcome(path: &Path) -> Result<Vec<String>, String> {
    let extension = path.extension().unwrap().to_str().unwrap();
    if extension == "node" || extension == "ele" {
        let mesh = read_tets(path, &Caps::default()).map_err(|e| named(path, &e))?;
        return clean_tets(mesh).map(|(_, notes)| notes).map_err(|e| e.to_string());
    }
    let mesh = read_triangles(path, &Caps::default()).map_err(|e| named(path, &e))?;
    clean_surface(mesh, SurfaceNeed::Closed).map(|(_, notes)| notes).map_err(|e| e.to_string())
}

#[test]
fn r07_every_bad_mesh_ends_in_a_note_or_a_named_error() {
    let Some(folder) = models() else { return };
    let mut files: Vec<PathBuf> = fs::read_dir(folder.join("bad")).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    // Part of the note or error that each file must give.
    let wanted = [
        ("degenerate_triangles.obj", "dropped 5 triangles without area (first: 12)"),
        ("duplicate_faces.obj", "dropped 3 triangles listed twice"),
        ("duplicate_vertices.obj", "welded 28 vertices"),
        ("empty.obj", "empty.obj: file has no vertices"),
        ("empty.ply", "empty.ply:1: header has no end"),
        ("flat_tet.ele", "dropped 2 tets without volume (first: 1)"),
        ("flat_tet.node", "dropped 1 tet with a repeated vertex (first: 3)"),
        ("flipped_faces.obj", "turned 4 triangles wound against the others"),
        ("huge_coords.obj", "huge_coords.obj:3: vertex 2 has x = 1e308"),
        ("huge_count.ply", "file has 4000000000 vertices, but at most 50000000 are allowed"),
        ("huge_index.obj", "huge_index.obj:10: face has vertex 999999999, but the file has vertices 1..=4"),
        ("index_out_of_range.ply", "has vertex 2147483647, but the file has vertices 0..=7"),
        ("inside_out.obj", "turned 12 triangles of a surface that was inside out"),
        ("inverted_tet.ele", "turned 1 tet of negative volume (first: 1)"),
        ("inverted_tet.node", "turned 1 tet of negative volume (first: 1)"),
        ("isolated_vertices.obj", "dropped 3 vertices that no triangle uses (first: 8)"),
        ("list_count_lies.ply", "face 1 declares a list of 255 values"),
        ("nan_coords.obj", "nan_coords.obj:3: vertex 2 has x = NaN"),
        ("nan_inf_coords.ply", "nan_inf_coords.ply: vertex "),
        ("near_duplicate_vertices.obj", "welded 28 vertices"),
        ("no_elements.ply", "no_elements.ply: file has no vertices"),
        ("nonmanifold_edge.obj", "has 4 triangles, but a closed surface has 2 at every edge"),
        ("nonmanifold_fin.obj", "but a closed surface has 2 at every edge"),
        ("nonmanifold_vertex.obj", "kept 1 vertex where parts touch without sharing an edge"),
        ("not_numbers.obj", "not_numbers.obj:3: vertex 2: \"1,5\" is not a decimal number"),
        ("open.obj", "has 1 triangle, but a closed surface has 2 at every edge"),
        ("overlapping_tets.ele", "tets 0 and 2 overlap"),
        ("overlapping_tets.node", "tets 0 and 2 overlap"),
        ("self_intersecting.obj", "surface has 2 separate pieces"),
        ("sliver_triangle.obj", "flipped an edge of 1 triangle without area (first: 13)"),
        (
            "tet_index_out_of_range.ele",
            "tet_index_out_of_range.ele:3: tet 1 has vertex 5, but the file has vertices 0..=4",
        ),
        ("tet_index_out_of_range.node", "tet_index_out_of_range.ele:3: tet 1 has vertex 5"),
        ("truncated.ply", "truncated.ply: face 6 declares a list of 3 values, but the file ends after 1"),
        ("truncated_ascii.ply", "truncated_ascii.ply:23: face 5"),
        ("truncated_header.ply", "header has no end"),
        ("zero_and_negative_index.obj", "zero_and_negative_index.obj:10: face has vertex 0"),
    ];
    let names: Vec<_> = files.iter().map(|f| f.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, wanted.map(|(name, _)| name));
    let mut failures = Vec::new();
    for (path, (name, part)) in files.iter().zip(wanted) {
        let lines = match outcome(path) {
            Ok(notes) => notes,
            Err(error) => vec![error],
        };
        if !lines.iter().any(|line| line.contains(part)) {
            failures.push(format!("{name}: no {part:?} in {lines:?}"));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}
