//! Help, lists, schema and completions.

use crate::support::{SMALL, SceneDir};

#[test]
fn every_help_has_an_example() {
    let dir = SceneDir::with_scene(SMALL);
    let study =
        [&["study"][..], &["study", "convergence"], &["study", "equal"], &["study", "colors"], &["study", "neighbors"]];
    let others = [
        &[][..],
        &["run"],
        &["serve"],
        &["view"],
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
        let result = dir.pliant(&[*args, &["--help"]].concat()).code(0);
        assert!(result.stdout.contains("Example"), "{args:?}: {}", result.stdout);
    }
    assert!(dir.pliant(&["--version"]).code(0).stdout.starts_with("pliant "));
}

#[test]
fn the_schema_is_json_with_all_sections_of_a_scene() {
    let json = SceneDir::with_scene(SMALL).pliant(&["schema"]).code(0).json();
    let scene =
        ["title", "solver", "world", "cloth", "rope", "soft", "inflatable", "attach", "collider", "camera", "output"];
    for key in scene {
        assert!(json["properties"].get(key).is_some(), "{key}");
    }
}

#[test]
fn scenes_are_listed_with_their_counts() {
    let dir = SceneDir::with_scene(SMALL);
    let json = dir.pliant(&["scenes", "--json"]).code(0).json();
    let flags = json.as_array().unwrap().iter().find(|s| s["name"] == "flags").unwrap();
    // Four flags of 60 by 20.
    assert_eq!(flags["particles"], 4800);
    assert!(flags["constraints"]["stretch"].as_u64().unwrap() > 10_000);
    assert!(!flags["title"].as_str().unwrap().is_empty());
    let result = dir.pliant(&["scenes"]).code(0);
    assert!(result.stdout.contains("flags") && result.stdout.contains("4,800 particles"), "{}", result.stdout);
}

#[test]
fn completions_name_the_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let result = SceneDir::with_scene(SMALL).pliant(&["completions", shell]).code(0);
        assert!(result.stdout.contains("pliant"), "{shell}");
    }
}
