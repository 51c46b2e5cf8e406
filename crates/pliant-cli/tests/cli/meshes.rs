//! Mesh files: where scenes may read them, and what is said of broken ones.

use crate::{Room, SMALL};

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

fn with_mesh(name: &str) -> String {
    SMALL
        .replace("grid = { cells = [4, 4], size = [1, 1] }", &format!("mesh = {name:?}"))
        .replace("pin = [{ at = \"top left\" }, { at = \"top right\" }]", "pin = [{ particles = [0] }]")
}

#[test]
fn a_scene_reads_meshes_below_its_own_folder() {
    let room = Room::with(&with_mesh("parts/a.obj"));
    std::fs::create_dir(room.path("parts")).unwrap();
    room.put("parts/a.obj", TRIANGLE);
    let json = room.pliant(&["check", "scene.toml", "--json"]).code(0).json();
    assert_eq!(json["particles"], 3);
    assert_eq!(json["constraints"]["stretch"], 3);
}

#[test]
fn a_scene_reads_nothing_outside_its_own_folder() {
    let room = Room::with("");
    let outside = tempfile::tempdir().unwrap();
    let file = outside.path().join("a.obj");
    std::fs::write(&file, TRIANGLE).unwrap();
    for name in ["../a.obj", "parts/../../a.obj", file.to_str().unwrap()] {
        room.put("scene.toml", with_mesh(name));
        room.pliant(&["check", "scene.toml"]).code(3).says(&["not allowed", "scene.toml"]);
    }
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_outside_either() {
    let room = Room::with(&with_mesh("a.obj"));
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("a.obj"), TRIANGLE).unwrap();
    std::os::unix::fs::symlink(outside.path().join("a.obj"), room.path("a.obj")).unwrap();
    room.pliant(&["check", "scene.toml"]).code(3).says(&["leads out"]);
    // The same by way of a folder, and a link that stays inside.
    std::os::unix::fs::symlink(outside.path(), room.path("link")).unwrap();
    room.put("scene.toml", with_mesh("link/a.obj"));
    room.pliant(&["check", "scene.toml"]).code(3).says(&["leads out"]);
    room.put("real.obj", TRIANGLE);
    std::os::unix::fs::symlink(room.path("real.obj"), room.path("fine.obj")).unwrap();
    room.put("scene.toml", with_mesh("fine.obj"));
    room.pliant(&["check", "scene.toml"]).code(0);
}

#[test]
fn a_broken_or_missing_mesh_exits_3_and_names_the_line() {
    let room = Room::with(&with_mesh("a.obj"));
    room.pliant(&["check", "scene.toml"]).code(3).says(&["a.obj"]);
    room.put("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
    room.pliant(&["check", "scene.toml"]).code(3).says(&["a.obj:4"]);
}
