//! Invalid input: location, message and exit code.

use crate::support::{SMALL, SceneDir};

#[test]
fn an_unknown_key_is_refused_with_its_location() {
    let dir = SceneDir::with_scene(&SMALL.replace("iterations = 4", "iteration = 4"));
    let words = ["error: ", "iteration", "--> scene.toml:", "iterations"];
    let result = dir.pliant(&["run", "scene.toml"]).code(3).stderr_has(&words);
    assert!(result.stdout.is_empty());
    assert!(!dir.path("out").exists(), "a refused scene leaves no files");
}

#[test]
fn a_value_out_of_range_is_refused_at_its_line() {
    let text = SMALL.replace("iterations = 4", "iterations = 100001");
    let line = text.lines().position(|l| l.starts_with("iterations")).unwrap() + 1;
    let place = format!("scene.toml:{line}:");
    SceneDir::with_scene(&text).pliant(&["check", "scene.toml"]).code(3).stderr_has(&["solver.iterations", &place]);
}

#[test]
fn broken_syntax_is_refused_at_its_line() {
    SceneDir::with_scene("title = \"x\"\n[solver\n")
        .pliant(&["check", "scene.toml"])
        .code(3)
        .stderr_has(&["scene.toml:2:"]);
    let dir = SceneDir::with_scene("");
    dir.write("scene.json", "{\n  \"title\": ,\n}");
    dir.pliant(&["check", "scene.json"]).code(3).stderr_has(&["scene.json:2:"]);
}

#[test]
fn a_wrong_option_is_quoted_instead_of_the_file() {
    let dir = SceneDir::with_scene(SMALL);
    for (args, option) in [
        (["--set", "solver.dt=-1"], "--set solver.dt=-1"),
        (["--set", "solver.nonsense=1"], "--set solver.nonsense=1"),
        (["--dt", "1e9"], "--dt 1000000000"),
        (["--set", "cloth.7.density=1"], "--set cloth.7.density=1"),
    ] {
        let all = [&["run", "scene.toml", "--frames", "1"], &args[..]].concat();
        dir.pliant(&all).code(3).stderr_has(&["error: ", option]);
    }
    dir.pliant(&["check", "scene.toml", "--set", "nothing"]).code(3).stderr_has(&["has no '='", "help: "]);
}

#[test]
fn an_unknown_scene_suggests_the_nearest() {
    let dir = SceneDir::with_scene(SMALL);
    dir.pliant(&["run", "flag"]).code(3).stderr_has(&["no built-in scene \"flag\"", "help: did you mean \"flags\""]);
    dir.pliant(&["run", "somethingelse"]).code(3).stderr_has(&["pliant scenes"]);
}

#[test]
fn invalid_scene_files_are_refused() {
    let dir = SceneDir::with_scene(SMALL);
    std::fs::create_dir(dir.path("folder.toml")).unwrap();
    dir.write("latin.toml", b"title = \"caf\xe9\"");
    dir.write("big.toml", vec![b'#'; (16 << 20) + 1]);
    for (name, words) in [
        ("missing.toml", "cannot read"),
        ("folder.toml", "folder"),
        ("latin.toml", "latin.toml:1:13"),
        ("big.toml", "larger than 16 MiB"),
        ("./scene.yaml", "\"yaml\""),
        (".", "folder"),
    ] {
        dir.pliant(&["check", name]).code(3).stderr_has(&["error: ", words]);
    }
}

#[test]
fn wrong_usage_exits_2() {
    let dir = SceneDir::with_scene(SMALL);
    for args in [
        &["run", "scene.toml", "--frames", "3", "--seconds", "1"][..],
        &["run", "--frames", "0"],
        &["run", "--solver", "magic"],
        &["run", "--seconds", "nan"],
        &["run", "--format", "doc"],
        &["bench"],
        &["dance"],
    ] {
        dir.pliant(args).code(2);
    }
}

#[test]
fn an_output_folder_that_is_a_file_exits_1() {
    let dir = SceneDir::with_scene(SMALL);
    dir.write("taken", "mine");
    dir.pliant(&["run", "scene.toml", "--frames", "1", "--out", "taken"]).code(1).stderr_has(&["taken"]);
    assert_eq!(std::fs::read_to_string(dir.path("taken")).unwrap(), "mine");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_exits_5() {
    let dir = SceneDir::with_scene(SMALL);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let status = dir.command(&["schema"]).stdout(full).output().unwrap().status;
    assert_eq!(status.code(), Some(5));
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_not_an_error() {
    let dir = SceneDir::with_scene(SMALL);
    let mut child = dir.command(&["schema"]).stdout(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
