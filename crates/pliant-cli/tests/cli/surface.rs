//! Surfaces of liquids in files and pictures.

use crate::support::{SMALL, SceneDir, files, keys};
use pliant_io::{Caps, read_triangles};
use std::collections::HashMap;
use std::path::Path;

/// A pool of water, oil poured into it, and a second body of the same water.
const POOL: &str = r#"
[solver]
dt = 0.01
substeps = 2
iterations = 3

[fluid]
radius = 0.04

[output]
seconds = 1.0
width = 64
height = 48

[[liquid]]
name = "sea water"
fill = { min = [-0.4, 0, -0.4], max = [0.4, 0.4, 0.4] }

[[liquid]]
name = "oil/heavy"
density = 1200
pour = { from = [0.2, 0.9, 0], radius = 0.17, per_second = 100, velocity = [0, -2, 0], until = 1 }

[[liquid]]
fill = { min = [-0.3, 0.6, -0.1], max = [-0.1, 0.8, 0.1] }

[[collider]]
plane = {}
[[collider]]
plane = { normal = [1, 0, 0], offset = -0.4 }
[[collider]]
plane = { normal = [-1, 0, 0], offset = -0.4 }
[[collider]]
plane = { normal = [0, 0, 1], offset = -0.4 }
[[collider]]
plane = { normal = [0, 0, -1], offset = -0.4 }
"#;

/// Volume that a file's surface encloses [m³]; panics unless every edge has one triangle on each side.
fn closed_volume(path: &Path) -> f64 {
    let mesh = read_triangles(path, &Caps::default()).unwrap();
    let mut edges: HashMap<[u32; 2], u32> = HashMap::new();
    for t in &mesh.triangles {
        (0..3).for_each(|k| *edges.entry([t[k], t[(k + 1) % 3]]).or_default() += 1);
    }
    assert!(edges.iter().all(|(&[a, b], &n)| n == 1 && edges.get(&[b, a]) == Some(&1)), "{}", path.display());
    let corner = |v: u32| mesh.positions[v as usize].as_dvec3();
    mesh.triangles.iter().map(|t| corner(t[0]).dot(corner(t[1]).cross(corner(t[2]))) / 6.0).sum()
}

#[test]
fn every_frame_and_liquid_has_a_closed_surface_of_its_volume() {
    let dir = SceneDir::with_scene(POOL);
    let args = ["run", "scene.toml", "--format", "surface", "--every", "25", "--video", "none", "--json"];
    let json = dir.pliant(&args).code(0).json();
    let out = dir.path("out/scene");
    let names = ["oil_heavy", "sea_water"];
    let frames = [0, 25, 50];
    let surfaces = names.iter().flat_map(|n| frames.map(|f| format!("surface_{n}_{f:05}.ply")));
    let others = ["run.json", "stats.csv", "still.png"].map(str::to_owned);
    assert_eq!(files(&out), others.into_iter().chain(surfaces).collect::<Vec<_>>());

    // No oil has been emitted in frame 0: the mesh is empty, which our reader refuses.
    let empty = std::fs::read(out.join("surface_oil_heavy_00000.ply")).unwrap();
    assert!(String::from_utf8(empty).unwrap().contains("element vertex 0\n"));
    // The third liquid equals the first: 0.256 + 0.008 m³ together. Edges and corners of ten particles along a side are
    // rounded by a few percent. Oil is emitted at 100 particles of 0.08³ m³ per second; water may enclose mixed-in oil.
    for (frame, poured) in frames.into_iter().zip([0.0, 0.0256, 0.0512]) {
        let water = closed_volume(&out.join(format!("surface_sea_water_{frame:05}.ply")));
        assert!((0.95 * 0.264..1.05 * (0.264 + poured)).contains(&water), "frame {frame}: {water} m³");
    }
    // Oil mixed into water may enclose some water; no oil is lost.
    let oil = closed_volume(&out.join("surface_oil_heavy_00050.ply"));
    assert!((0.95 * 0.0512..2.0 * 0.0512).contains(&oil), "{oil} m³");
    // The three frames and the still picture.
    assert_eq!(json["surfaces"]["frames"], 4);
    assert_eq!(keys(&json["surfaces"]), ["frames", "ms_per_frame", "triangles_per_frame"]);
}

#[test]
fn surfaces_do_not_depend_on_threads_and_older_ones_are_removed() {
    let dir = SceneDir::with_scene(POOL);
    let bytes = |threads: &str, frames: &str| {
        let args =
            ["run", "scene.toml", "--format", "surface", "--video", "none", "--quiet", "--force", "--threads", threads];
        dir.pliant(&[&args[..], &["--frames", frames]].concat()).code(0);
        std::fs::read(dir.path("out/scene/surface_sea_water_00002.ply")).unwrap()
    };
    assert_eq!(bytes("1", "3"), bytes("2", "2"));
    assert!(!dir.path("out/scene/surface_sea_water_00003.ply").exists());
}

#[test]
fn the_liquid_option_selects_the_appearance() {
    let dir = SceneDir::with_scene(POOL);
    let still = |more: &[&str]| {
        let args = ["run", "scene.toml", "--frames", "4", "--video", "none", "--quiet", "--force"];
        dir.pliant(&[&args[..], more].concat()).code(0);
        std::fs::read(dir.path("out/scene/still.png")).unwrap()
    };
    let none = |look| still(&["--format", "none", "--liquid", look]);
    let pictures = [none("particles"), none("speed"), none("density"), none("surface")];
    for (i, picture) in pictures.iter().enumerate() {
        assert!(pictures[..i].iter().all(|other| other != picture), "picture {i}");
    }
    assert_eq!(pictures[0], still(&["--format", "none"]));
    assert_eq!(pictures[3], still(&["--format", "surface"]));
    assert_eq!(pictures[0], still(&["--format", "surface", "--liquid", "particles"]));
}

#[test]
fn liquid_options_on_a_dry_scene_are_refused_and_change_no_files() {
    let dir = SceneDir::with_scene(SMALL);
    dir.pliant(&["run", "scene.toml", "--frames", "1", "--video", "none"]).code(0);
    let before = files(&dir.path("out/scene"));
    for option in [["--format", "surface"], ["--format", "ply,surface"], ["--liquid", "speed"]] {
        dir.pliant(&[&["run", "scene.toml"], &option[..]].concat())
            .code(2)
            .stderr_has(&[option[0], "has none", "help: "]);
    }
    assert_eq!(files(&dir.path("out/scene")), before);
}

#[test]
fn surface_settings_are_validated() {
    let dir = SceneDir::with_scene(POOL);
    for (key, value) in [("cell", "0.1"), ("cell", "3"), ("smoothing", "1001")] {
        let set = format!("output.surface.{key}={value}");
        dir.pliant(&["check", "scene.toml", "--set", &set]).code(3).stderr_has(&[&format!("output.surface.{key}")]);
    }
}
