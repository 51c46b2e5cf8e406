//! `pliant voxelize`: counts, keys, pictures and errors.

use crate::support::{SMALL, SceneDir, files, keys};
use serde_json::Value;

/// A cube from 0 to 1 of 12 triangles, counter-clockwise from outside.
const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n\
    f 1 3 4\nf 1 4 2\nf 5 6 8\nf 5 8 7\nf 1 2 6\nf 1 6 5\nf 3 7 8\nf 3 8 4\nf 1 5 7\nf 1 7 3\nf 2 4 8\nf 2 8 6\n";

const KEYS: [&str; 10] =
    ["adapter", "backend", "grid", "host_ms", "levels", "mesh_volume", "ms", "particles", "volume", "voxels"];

fn numbers(list: &Value) -> Vec<u64> {
    list.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect()
}

#[test]
fn s29_t10_the_box_has_the_counts_of_d4_and_the_json_exactly_its_keys() {
    let dir = SceneDir::with_scene(SMALL);
    let cases: [(&str, u64, &[u64]); 3] = [
        ("12", 1_224, &[1_216, 0, 8]),
        ("32", 10_963, &[10_816, 0, 127, 19, 1]),
        ("96", 107_967, &[106_048, 0, 1_519, 331, 61, 8]),
    ];
    for (grid, particles, levels) in cases {
        let json = dir.pliant(&["voxelize", "box", "--grid", grid, "--merge", "--json"]).code(0).json();
        assert_eq!(keys(&json), KEYS);
        assert_eq!((&json["backend"], &json["adapter"], &json["host_ms"]), (&"cpu".into(), &Value::Null, &Value::Null));
        assert_eq!(keys(&json["ms"]), ["distance", "merge", "voxelize"]);
        assert_eq!(json["particles"], particles);
        assert_eq!(numbers(&json["levels"]), levels);
        let n: u64 = grid.parse().unwrap();
        assert_eq!((json["grid"].as_u64(), json["voxels"].as_u64()), (Some(n), Some(n * n * n)));
        for key in ["volume", "mesh_volume"] {
            assert!((json[key].as_f64().unwrap() - 1.0).abs() < 1e-6, "{json}");
        }
        for step in ["voxelize", "distance", "merge"] {
            assert!(json["ms"][step].as_f64().unwrap() > 0.0, "{json}");
        }
    }
}

#[test]
fn s27_meshes_from_files_and_shapes_by_name_are_filled() {
    let dir = SceneDir::with_scene(SMALL);
    dir.write("cube.obj", CUBE);
    let json = dir.pliant(&["voxelize", "cube.obj", "--grid", "10", "--json"]).code(0).json();
    assert_eq!(json["voxels"], 1000);
    assert_eq!(numbers(&json["levels"]), [1000], "voxels merge only with --merge");
    for name in ["box", "cartesian", "ball", "torus", "urchin", "figure"] {
        let json = dir.pliant(&["voxelize", name, "--grid", "40", "--merge", "2", "--json"]).code(0).json();
        let (volume, mesh) = (json["volume"].as_f64().unwrap(), json["mesh_volume"].as_f64().unwrap());
        assert!((volume / mesh - 1.0).abs() < 0.02, "{name}: {volume} and {mesh}");
        let levels = numbers(&json["levels"]);
        let voxels: u64 = levels.iter().enumerate().map(|(l, n)| n << (3 * l)).sum();
        assert_eq!(json["voxels"], voxels, "{name}");
        assert_eq!(json["particles"], levels.iter().sum::<u64>(), "{name}");
    }
}

#[test]
fn s27_repairs_are_noted_beside_the_data() {
    let dir = SceneDir::with_scene(SMALL);
    // All triangles wound inward.
    let turned = CUBE.lines().map(|l| match l.split_whitespace().collect::<Vec<_>>()[..] {
        ["f", a, b, c] => format!("f {a} {c} {b}\n"),
        _ => format!("{l}\n"),
    });
    dir.write("cube.obj", turned.collect::<String>());
    let result =
        dir.pliant(&["voxelize", "cube.obj", "--grid", "4", "--json"]).code(0).stderr_has(&["note: ", "inside out"]);
    assert_eq!(result.json()["voxels"], 64);
}

#[test]
fn s29_the_table_and_the_picture_show_the_particles() {
    let dir = SceneDir::with_scene(SMALL);
    let args = ["voxelize", "ball", "--grid", "24", "--merge", "--picture", "ball.png"];
    let result = dir.pliant(&args).code(0);
    for word in ["24 x 24 x 24 voxels", "voxels inside", "volume of the mesh", "level", "radius", "Look at: ball.png"] {
        assert!(result.stdout.contains(word), "{word}: {}", result.stdout);
    }
    let png = std::fs::read(dir.path("ball.png")).unwrap();
    assert_eq!(&png[1..4], b"PNG");
    assert!(png.len() > 20_000, "{} bytes are an empty picture", png.len());
    let result = dir.pliant(&["voxelize", "ball", "--grid", "24"]).code(0);
    assert!(
        result.stdout.contains("--picture particles.png") && !result.stdout.contains("radius"),
        "{}",
        result.stdout
    );
}

#[test]
fn s29_a_median_over_runs_has_the_same_findings() {
    let dir = SceneDir::with_scene(SMALL);
    let run = |repeat: &str| {
        let args = ["voxelize", "ball", "--grid", "20", "--merge", "--json", "--repeat", repeat, "--backend", "auto"];
        let mut json = dir.pliant(&args).code(0).json();
        // The backend that `auto` takes depends on the machine, the result does not.
        for key in ["ms", "host_ms", "backend", "adapter"] {
            json[key] = Value::Null;
        }
        json
    };
    assert_eq!(run("1"), run("6"));
}

#[test]
fn s27_invalid_solids_are_refused_with_the_reason() {
    let dir = SceneDir::with_scene(SMALL);
    let refused = |args: &[&str], code: i32, words: &[&str]| {
        let result = dir.pliant(&[&["voxelize"], args].concat()).code(code).stderr_has(words);
        assert_eq!(result.stdout, "");
    };
    dir.write("open.obj", CUBE.rsplit_once("f 2").unwrap().0);
    dir.write("finned.obj", format!("{CUBE}v 3 3 3\nf 1 2 9\n"));
    refused(&["missing.obj", "--grid", "8"], 3, &["missing.obj"]);
    refused(&["potato", "--grid", "8"], 3, &["\"potato\"", "torus", ".ply"]);
    refused(&["scene.toml", "--grid", "8"], 3, &["scene.toml"]);
    refused(&["open.obj", "--grid", "8"], 3, &["1 triangle", "closed", "--> open.obj", "help: "]);
    refused(&["finned.obj", "--grid", "8"], 3, &["closed surface has 2", "--> finned.obj"]);
    refused(&["box"], 2, &["--grid"]);
    refused(&["box", "--grid", "0"], 2, &["1 to 1020"]);
    refused(&["box", "--grid", "1021"], 2, &["1 to 1020"]);
    refused(&["box", "--grid", "99999999999"], 2, &["1 to 1020"]);
    refused(&["box", "--grid", "800"], 5, &["804 x 804 x 804", "at most", "--grid 256"]);
    refused(&["--grid", "8", "--merge", "box"], 2, &["before --merge"]);
    refused(&["box", "--grid", "8", "--merge", "0.1"], 2, &["0.5"]);
    refused(&["box", "--grid", "8", "--picture", "box.svg"], 2, &[".png"]);
    refused(&["box", "--grid", "8", "--repeat", "0"], 2, &["--repeat"]);
    refused(&["box", "--grid", "8", "--adapter", "0"], 2, &["--adapter", "help: add --backend gpu"]);
    refused(&["box", "--grid", "8", "--picture", "missing/box.png"], 1, &["cannot write", "missing/box.png"]);
    assert_eq!(files(dir.dir.path()), ["finned.obj", "open.obj", "scene.toml"]);
}
