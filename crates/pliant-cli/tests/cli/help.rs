//! Help, lists, schema and completions.

use crate::{Room, SMALL};

#[test]
fn every_help_has_an_example() {
    let room = Room::with(SMALL);
    let study =
        [&["study"][..], &["study", "convergence"], &["study", "equal"], &["study", "colors"], &["study", "neighbors"]];
    let others = [
        &[][..],
        &["run"],
        &["scenes"],
        &["check"],
        &["partition"],
        &["bench"],
        &["gpu"],
        &["voxelize"],
        &["schema"],
        &["completions"],
    ];
    for args in others.iter().chain(&study) {
        let done = room.pliant(&[*args, &["--help"]].concat()).code(0);
        assert!(done.stdout.contains("Example"), "{args:?}: {}", done.stdout);
    }
    assert!(room.pliant(&["--version"]).code(0).stdout.starts_with("pliant "));
}

#[test]
fn the_schema_is_json_and_knows_every_part_of_a_scene() {
    let json = Room::with(SMALL).pliant(&["schema"]).code(0).json();
    let scene =
        ["title", "solver", "world", "cloth", "rope", "soft", "inflatable", "attach", "collider", "camera", "output"];
    for key in scene {
        assert!(json["properties"].get(key).is_some(), "{key}");
    }
}

#[test]
fn scenes_are_listed_with_what_they_hold() {
    let room = Room::with(SMALL);
    let json = room.pliant(&["scenes", "--json"]).code(0).json();
    let flags = json.as_array().unwrap().iter().find(|s| s["name"] == "flags").unwrap();
    // Four flags of 60 by 20.
    assert_eq!(flags["particles"], 4800);
    assert!(flags["constraints"]["stretch"].as_u64().unwrap() > 10_000);
    assert!(!flags["title"].as_str().unwrap().is_empty());
    let done = room.pliant(&["scenes"]).code(0);
    assert!(done.stdout.contains("flags") && done.stdout.contains("4,800 particles"), "{}", done.stdout);
}

#[test]
fn completions_name_the_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let done = Room::with(SMALL).pliant(&["completions", shell]).code(0);
        assert!(done.stdout.contains("pliant"), "{shell}");
    }
}
