//! Bad input: where it is, what was found, and the right exit code.

use crate::{Room, SMALL};

#[test]
fn an_unknown_key_is_refused_with_its_place() {
    let room = Room::with(&SMALL.replace("iterations = 4", "iteration = 4"));
    let words = ["error: ", "iteration", "--> scene.toml:", "iterations"];
    let done = room.pliant(&["run", "scene.toml"]).code(3).says(&words);
    assert!(done.stdout.is_empty());
    assert!(!room.path("out").exists(), "a refused scene leaves nothing behind");
}

#[test]
fn a_value_out_of_range_is_refused_at_its_line() {
    let text = SMALL.replace("iterations = 4", "iterations = 0");
    let line = text.lines().position(|l| l.starts_with("iterations")).unwrap() + 1;
    let place = format!("scene.toml:{line}:");
    Room::with(&text).pliant(&["check", "scene.toml"]).code(3).says(&["solver.iterations", &place]);
}

#[test]
fn broken_syntax_is_refused_at_its_line() {
    Room::with("title = \"x\"\n[solver\n").pliant(&["check", "scene.toml"]).code(3).says(&["scene.toml:2:"]);
    let room = Room::with("");
    room.put("scene.json", "{\n  \"title\": ,\n}");
    room.pliant(&["check", "scene.json"]).code(3).says(&["scene.json:2:"]);
}

#[test]
fn a_wrong_setting_is_quoted_and_not_blamed_on_the_file() {
    let room = Room::with(SMALL);
    for (args, said) in [
        (["--set", "solver.dt=-1"], "--set solver.dt=-1"),
        (["--set", "solver.nonsense=1"], "--set solver.nonsense=1"),
        (["--dt", "1e9"], "--dt 1000000000"),
        (["--set", "cloth.7.density=1"], "--set cloth.7.density=1"),
    ] {
        let all = [&["run", "scene.toml", "--frames", "1"], &args[..]].concat();
        room.pliant(&all).code(3).says(&["error: ", said]);
    }
    room.pliant(&["check", "scene.toml", "--set", "nothing"]).code(3).says(&["has no '='", "help: "]);
}

#[test]
fn an_unknown_scene_suggests_the_nearest() {
    let room = Room::with(SMALL);
    room.pliant(&["run", "flag"]).code(3).says(&["no built-in scene \"flag\"", "help: did you mean \"flags\""]);
    room.pliant(&["run", "somethingelse"]).code(3).says(&["pliant scenes"]);
}

#[test]
fn what_is_no_scene_file_is_refused() {
    let room = Room::with(SMALL);
    std::fs::create_dir(room.path("folder.toml")).unwrap();
    room.put("latin.toml", b"title = \"caf\xe9\"");
    room.put("big.toml", vec![b'#'; (16 << 20) + 1]);
    for (name, words) in [
        ("missing.toml", "cannot read"),
        ("folder.toml", "folder"),
        ("latin.toml", "latin.toml:1:13"),
        ("big.toml", "larger than 16 MiB"),
        ("./scene.yaml", "\"yaml\""),
        (".", "folder"),
    ] {
        room.pliant(&["check", name]).code(3).says(&["error: ", words]);
    }
}

#[test]
fn wrong_usage_exits_2() {
    let room = Room::with(SMALL);
    for args in [
        &["run", "scene.toml", "--frames", "3", "--seconds", "1"][..],
        &["run", "--frames", "0"],
        &["run", "--solver", "magic"],
        &["run", "--seconds", "nan"],
        &["run", "--format", "doc"],
        &["bench"],
        &["dance"],
    ] {
        room.pliant(args).code(2);
    }
}

#[test]
fn an_output_folder_that_is_a_file_exits_1() {
    let room = Room::with(SMALL);
    room.put("taken", "mine");
    room.pliant(&["run", "scene.toml", "--frames", "1", "--out", "taken"]).code(1).says(&["taken"]);
    assert_eq!(std::fs::read_to_string(room.path("taken")).unwrap(), "mine");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_exits_5() {
    let room = Room::with(SMALL);
    std::fs::create_dir_all(room.path("full")).unwrap();
    std::os::unix::fs::symlink("/dev/full", room.path("full/stats.csv")).unwrap();
    let args = ["run", "scene.toml", "--frames", "2", "--video", "none", "--out", "full"];
    room.pliant(&args).code(5).says(&["stats.csv", "help: "]);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let status = room.command(&["schema"]).stdout(full).output().unwrap().status;
    assert_eq!(status.code(), Some(5));
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let room = Room::with(SMALL);
    let mut child = room.command(&["schema"]).stdout(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
