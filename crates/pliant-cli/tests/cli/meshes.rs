//! Mesh files: the folder that scenes may read, and errors of broken files.

use crate::support::{SMALL, SceneDir};

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

fn with_mesh(name: &str) -> String {
    SMALL
        .replace("grid = { cells = [4, 4], size = [1, 1] }", &format!("mesh = {name:?}"))
        .replace("pin = [{ at = \"top left\" }, { at = \"top right\" }]", "pin = [{ particles = [0] }]")
}

#[test]
fn a_scene_reads_meshes_below_its_own_folder() {
    let dir = SceneDir::with_scene(&with_mesh("parts/a.obj"));
    std::fs::create_dir(dir.path("parts")).unwrap();
    dir.write("parts/a.obj", TRIANGLE);
    let json = dir.pliant(&["check", "scene.toml", "--json"]).code(0).json();
    assert_eq!(json["particles"], 3);
    assert_eq!(json["constraints"]["stretch"], 3);
}

#[test]
fn a_scene_reads_nothing_outside_its_own_folder() {
    let dir = SceneDir::with_scene("");
    let outside = tempfile::tempdir().unwrap();
    let file = outside.path().join("a.obj");
    std::fs::write(&file, TRIANGLE).unwrap();
    for name in ["../a.obj", "parts/../../a.obj", file.to_str().unwrap()] {
        dir.write("scene.toml", with_mesh(name));
        dir.pliant(&["check", "scene.toml"]).code(3).stderr_has(&["not allowed", "scene.toml"]);
    }
}

#[cfg(unix)]
#[test]
fn symbolic_links_out_of_the_folder_are_refused() {
    let dir = SceneDir::with_scene(&with_mesh("a.obj"));
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("a.obj"), TRIANGLE).unwrap();
    std::os::unix::fs::symlink(outside.path().join("a.obj"), dir.path("a.obj")).unwrap();
    dir.pliant(&["check", "scene.toml"]).code(3).stderr_has(&["leads out"]);
    // The same through a linked folder, and a link that stays inside.
    std::os::unix::fs::symlink(outside.path(), dir.path("link")).unwrap();
    dir.write("scene.toml", with_mesh("link/a.obj"));
    dir.pliant(&["check", "scene.toml"]).code(3).stderr_has(&["leads out"]);
    dir.write("real.obj", TRIANGLE);
    std::os::unix::fs::symlink(dir.path("real.obj"), dir.path("fine.obj")).unwrap();
    dir.write("scene.toml", with_mesh("fine.obj"));
    dir.pliant(&["check", "scene.toml"]).code(0);
}

#[test]
fn a_broken_or_missing_mesh_exits_3_and_names_the_line() {
    let dir = SceneDir::with_scene(&with_mesh("a.obj"));
    dir.pliant(&["check", "scene.toml"]).code(3).stderr_has(&["a.obj"]);
    dir.write("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
    dir.pliant(&["check", "scene.toml"]).code(3).stderr_has(&["a.obj:4"]);
}
