//! What scenes may ask for: memory, time to build, depth, numbers. Beyond, they are refused in one line.

use crate::support::{SMALL, SceneDir};
use std::time::{Duration, Instant};

/// What a build of the slow scenes of before may take on a busy machine: they took 20 s to minutes on a free one, and take 0.4,
/// 0.9 and 4 s with debug assertions.
const QUICK: Duration = Duration::from_secs(15);

#[test]
fn r11_scenes_beyond_the_memory_are_refused_with_object_and_number() {
    let dir = SceneDir::with_scene(SMALL);
    dir.write(
        "array.toml",
        "[[cloth]]\ngrid = { cells = [1, 1], size = [1, 1] }\narray = { count = [1000, 1000, 25], spacing = [2, 2, 2] }\n",
    );
    dir.write("fill.toml", "[[grains]]\nradius = 0.005\nfill = { min = [0, 0, 0], max = [4.6, 4.6, 4.6] }\n");
    for (name, object, count) in [("array", "cloth[0]", "100,000,000"), ("fill", "grains[0]", "97,")] {
        for command in ["check", "run"] {
            let file = format!("{name}.toml");
            let args = [command, &file, "--memory-limit", "2GiB"];
            let start = Instant::now();
            let words = ["out of memory", object, count, "GiB", "available", "--memory-limit"];
            dir.pliant(&args).code(5).stderr_has(&words);
            assert!(start.elapsed() < QUICK, "{name} took {:?}", start.elapsed());
        }
    }
    assert!(!dir.path("out").exists());
    // What is not estimated is limited all the same: here a table of a collider.
    dir.write(
        "field.toml",
        "[[collider]]\n[collider.sdf]\ngrid = 64\n[collider.sdf.torus]\nradius = 1\nwidth = 1.5\ncells = [24, 6]\n",
    );
    dir.pliant(&["check", "field.toml", "--memory-limit", "1MiB"])
        .code(5)
        .stderr_has(&["out of memory while", "1 MiB"]);
    let check = dir.pliant(&["check", "field.toml", "--json"]).code(0).json();
    let (bytes, peak) = (check["bytes"].as_f64().unwrap(), check["peak_bytes"].as_f64().unwrap());
    assert!(
        bytes > 4e5 && peak > bytes,
        "a field of 64 points along an axis has {bytes} bytes, {peak} while it is built"
    );
    dir.pliant(&["check", "scene.toml", "--memory-limit", "little"]).code(2);
}

#[test]
fn r15_slow_builds_are_near_linear() {
    let dir = SceneDir::with_scene(SMALL);
    dir.write(
        "attach.toml",
        r#"
[[cloth]]
name = "a"
grid = { cells = [164, 164], size = [1, 1] }
[[rope]]
name = "b"
path = [[0.5, 0.5, 0], [0.5, 0.5, 10]]
segments = 1
[[attach]]
from = { object = "a" }
to = { object = "b", particles = [0] }
within = 2
"#,
    );
    let body = |x: f32| format!("[[body]]\nbox = [1, 1, 1]\ngrid = 48\ntransform = {{ translate = [{x}, 0.05, 0] }}\n");
    dir.write("overlap.toml", format!("{}{}[[collider]]\nplane = {{}}\n", body(0.0), body(0.1)));
    let n = 20_000;
    let angle = |i: usize| std::f32::consts::TAU * i as f32 / n as f32;
    let points: Vec<String> = (0..n).map(|i| format!("[{:.6}, {:.6}, 0]", angle(i).cos(), angle(i).sin())).collect();
    let triangles: Vec<String> = (0..n).map(|i| format!("[0, {}, {}]", 1 + i, 1 + (i + 1) % n)).collect();
    let (points, triangles) = (points.join(","), triangles.join(","));
    dir.write(
        "fan.toml",
        format!(
            "solver = {{ partition = \"color\" }}\n[[cloth]]\nstretch = {{ compliance = 1e-6 }}\n\
             inline = {{ points = [[0, 0, 0], {points}], triangles = [{triangles}] }}\n"
        ),
    );
    for name in ["attach", "overlap", "fan"] {
        let build = dir.pliant(&["check", &format!("{name}.toml"), "--json"]).code(0).json();
        let ms = build["build_ms"].as_f64().unwrap();
        assert!(ms < 1e3 * QUICK.as_secs_f64(), "{name} takes {ms} ms to build");
    }
}

#[test]
fn r14_tables_by_position_are_refused_as_the_schema_says() {
    let dir = SceneDir::with_scene(SMALL);
    for (key, text) in [
        ("world", "world = [[0, 5, 0], 0]\n"),
        ("solver", "solver = []\n"),
        ("cloth[0].grid", "[[cloth]]\ngrid = [[1, 1], [1, 1]]\n"),
        ("cloth[0]", "cloth = [[\"a\"]]\n"),
        ("collider[0].plane", "[[collider]]\nplane = [[0, 1, 0], 0]\n"),
    ] {
        dir.write("list.toml", text);
        dir.pliant(&["check", "list.toml"]).code(3).stderr_has(&[key, "expected a table with named keys"]);
    }
    dir.write("list.json", "{\"solver\": []}");
    dir.pliant(&["check", "list.json"]).code(3).stderr_has(&["solver"]);
    dir.pliant(&["check", "scene.toml", "--set", "world=[[0, 5, 0], 0]"]).code(3).stderr_has(&["--set world"]);
    // Lists that are lists remain so, with their exact length.
    dir.pliant(&["check", "scene.toml", "--set", "world.gravity=[0, -1]"]).code(3);
    dir.pliant(&["check", "scene.toml", "--set", "world.gravity=[0, -1, 0, 0]"]).code(3);
    dir.pliant(&["check", "scene.toml", "--set", "world.gravity=[0, -1, 0]"]).code(0);
}

#[test]
fn r14_nested_text_is_limited_in_depth() {
    let dir = SceneDir::with_scene(SMALL);
    let dots = "a.".repeat(60_000);
    let (open, close) = ("[".repeat(60_000), "]".repeat(60_000));
    // Linux takes no argument of more than 128 KiB.
    let tables = "{a=".repeat(40_000);
    for set in [
        format!("{dots}a=1"),
        format!("world.{dots}a=1"),
        format!("world={open}{close}"),
        format!("world={tables}"),
        format!("{open}a{close}=1"),
    ] {
        let result = dir.pliant(&["check", "scene.toml", "--set", &set]).code(3);
        assert!(result.stderr.len() < 2000, "{} bytes of messages", result.stderr.len());
    }
    for (name, text) in [
        ("dots.toml", format!("{dots}a = 1\n")),
        ("header.toml", format!("[{dots}a]\n")),
        ("lists.toml", format!("a = {open}{close}\n")),
        ("lists.json", format!("{{\"a\": {open}{close}}}")),
        ("tables.json", "{\"a\":".repeat(60_000)),
    ] {
        dir.write(name, text);
        let result = dir.pliant(&["check", name]).code(3);
        assert!(result.stderr.len() < 2000, "{name}: {} bytes of messages", result.stderr.len());
    }
}

#[test]
fn r09_statistics_are_finite_or_the_run_diverges() {
    let dir = SceneDir::with_scene(SMALL);
    dir.write(
        "flat.toml",
        "output = { width = 64, height = 48 }\n[[inflatable]]\nsphere = { radius = 1, subdivisions = 1 }\npressure = 0\n",
    );
    let args = ["run", "flat.toml", "--frames", "3", "--video", "none", "--format", "none", "--backend", "cpu"];
    dir.pliant(&args).code(0);
    let text = std::fs::read_to_string(dir.path("out/flat/stats.csv")).unwrap();
    let cells = text.lines().skip(1).flat_map(|line| line.split(','));
    assert!(cells.into_iter().all(|cell| cell.parse::<f64>().unwrap().is_finite()), "{text}");
}

#[test]
fn r09_check_says_what_a_trial_step_shows() {
    let dir = SceneDir::with_scene(SMALL);
    let calm = dir.pliant(&["check", "scene.toml", "--json"]).code(0).json();
    assert!(calm["first_step"]["speed"].as_f64().unwrap() < 1.0, "{calm}");
    assert_eq!(calm["first_step"]["thrown"], false);
    // A corner of a soft sheet is joined to a point 12 m away.
    dir.write(
        "thrown.toml",
        r#"
[[cloth]]
name = "rag"
grid = { cells = [4, 4], size = [1, 1] }
stretch = { compliance = 1e-3 }
[[rope]]
name = "far"
path = [[0, 12, 0], [0, 13, 0]]
segments = 1
pin = [{ at = "all" }]
[[attach]]
from = { object = "rag", at = "top left" }
to = { object = "far" }
within = 100
"#,
    );
    let result = dir.pliant(&["check", "thrown.toml"]).code(0);
    for word in ["unstable from its first step", "the first step throws", "m/s"] {
        assert!(result.stdout.contains(word), "{word:?} is missing in: {}", result.stdout);
    }
    // A scene that diverges in its first step is refused as a run of it is.
    let args = ["--set", "world.gravity=[0, -9000, 0]", "--set", "cloth.0.pin=[]", "--dt", "1000"];
    let set = ["check", "scene.toml", args[0], args[1], args[2], args[3], "--set", "solver.dt=1000"];
    dir.pliant(&set).code(4).stderr_has(&["diverged", "help: "]);
}
