//! Spray, foam and bubbles of liquids in files, statistics and pictures.

use crate::support::{SMALL, SceneDir, files, keys};

/// Two blocks of water that collide in the air above a floor.
const COLLISION: &str = r#"
[solver]
dt = 0.01
substeps = 2
iterations = 2

[fluid]
radius = 0.04

[output]
seconds = 0.6
width = 64
height = 48

[[liquid]]
fill = { min = [-0.8, 0.4, -0.3], max = [-0.1, 1, 0.3] }
velocity = [4, 0, 0]

[[liquid]]
fill = { min = [0.1, 0.4, -0.3], max = [0.8, 1, 0.3] }
velocity = [-4, 0, 0]

[[collider]]
plane = {}
"#;

/// The last three columns of each line of the statistics.
fn counts(text: &str) -> Vec<[usize; 3]> {
    let cells = |line: &str| {
        let all: Vec<usize> = line.rsplit(',').take(3).map(|c| c.parse().unwrap()).collect();
        [all[2], all[1], all[0]]
    };
    text.lines().skip(1).map(cells).collect()
}

/// Number of points in the header of a PLY file, and the number of bytes after the header.
fn points(bytes: &[u8]) -> (usize, usize) {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(400)]);
    let count = text.split("element vertex ").nth(1).unwrap().lines().next().unwrap().parse().unwrap();
    let end = bytes.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
    (count, bytes.len() - end)
}

#[test]
fn foam_is_written_counted_and_does_not_change_the_liquid() {
    let dir = SceneDir::with_scene(COLLISION);
    let base = ["run", "scene.toml", "--video", "none", "--json", "--backend", "cpu"];
    let without = dir.pliant(&[&base[..], &["--format", "none", "--out", "dry"]].concat()).code(0).json();
    let with = dir.pliant(&[&base[..], &["--format", "foam", "--threads", "1"]].concat()).code(0).json();
    assert_eq!(with["hash"], without["hash"]);
    assert!(without.get("foam").is_none());
    assert_eq!(keys(&with["foam"]), ["bubbles", "foam", "left_out", "made", "ms_per_frame", "spray"]);
    assert!(with["foam"]["made"].as_u64().unwrap() > 100, "{with}");

    let out = dir.path("out/scene");
    let foam = (0..=30).map(|i| format!("foam_{i:05}.ply"));
    let others = ["run.json", "stats.csv", "still.png"].map(str::to_owned);
    assert_eq!(files(&out), foam.chain(others).collect::<Vec<_>>());
    let text = std::fs::read_to_string(out.join("stats.csv")).unwrap();
    assert!(text.lines().next().unwrap().ends_with(",mixing,spray,foam,bubbles"));
    assert!(!std::fs::read_to_string(dir.path("dry/stats.csv")).unwrap().contains("spray"));
    let counts = counts(&text);
    assert_eq!(counts[0], [0; 3]);
    for (frame, kinds) in counts.iter().enumerate() {
        let bytes = std::fs::read(out.join(format!("foam_{frame:05}.ply"))).unwrap();
        let total = kinds.iter().sum::<usize>();
        assert_eq!(points(&bytes), (total, 29 * total), "frame {frame}");
        // The last of each point's 29 bytes is its kind.
        let body = &bytes[bytes.len() - 29 * total..];
        let found = [0, 1, 2].map(|kind| body.chunks(29).filter(|p| p[28] == kind).count());
        assert_eq!(found, *kinds, "frame {frame}");
    }
    let last = counts[30];
    assert_eq!(["spray", "foam", "bubbles"].map(|k| with["foam"][k].as_u64().unwrap() as usize), last);

    // Foam does not depend on --every and the number of threads.
    let bytes = std::fs::read(out.join("foam_00030.ply")).unwrap();
    let more = ["--format", "foam", "--threads", "2", "--every", "10", "--out", "few"];
    dir.pliant(&[&base[..], &more].concat()).code(0);
    assert_eq!(files(&dir.path("few")).iter().filter(|f| f.starts_with("foam_")).count(), 4);
    assert_eq!(std::fs::read(dir.path("few/foam_00030.ply")).unwrap(), bytes);
}

#[test]
fn foam_is_drawn_by_option_by_key_and_by_format() {
    let dir = SceneDir::with_scene(COLLISION);
    let still = |more: &[&str]| {
        let args = [
            "run",
            "scene.toml",
            "--seconds",
            "0.3",
            "--video",
            "none",
            "--quiet",
            "--force",
            "--set",
            "output.still=0.3",
        ];
        dir.pliant(&[&args[..], more].concat()).code(0);
        std::fs::read(dir.path("out/scene/still.png")).unwrap()
    };
    let plain = still(&["--format", "none"]);
    let foam = still(&["--format", "none", "--foam"]);
    assert_ne!(foam, plain);
    assert_eq!(still(&["--format", "none", "--set", "output.foam={}"]), foam);
    assert_eq!(still(&["--format", "foam"]), foam);
    assert_eq!(still(&["--format", "none", "--foam", "--set", "output.foam.rate=0"]), plain);
    let surface = still(&["--format", "none", "--foam", "--liquid", "surface"]);
    assert_ne!(surface, still(&["--format", "none", "--liquid", "surface"]));
}

#[test]
fn the_maximum_number_of_particles_is_reported() {
    let dir = SceneDir::with_scene(COLLISION);
    let args = ["run", "scene.toml", "--video", "none", "--format", "none", "--set", "output.foam.most=50"];
    let result = dir.pliant(&args).code(0).stderr_has(&["note: at 0.", "output.foam.most, 50 particles"]);
    assert!(result.stdout.contains("rejected (output.foam.most)"), "{}", result.stdout);
    assert_eq!(result.stderr.matches("output.foam.most").count(), 1, "{}", result.stderr);
    let json = dir.pliant(&[&args[..], &["--json", "--quiet"]].concat()).code(0).json();
    assert!(json["foam"]["left_out"].as_u64().unwrap() > 10, "{json}");
    let text = std::fs::read_to_string(dir.path("out/scene/stats.csv")).unwrap();
    assert!(counts(&text).iter().all(|c| c.iter().sum::<usize>() <= 50));
}

#[test]
fn foam_without_liquid_and_wrong_settings_are_refused() {
    let dir = SceneDir::with_scene(SMALL);
    for option in [&["--foam"][..], &["--format", "foam"]] {
        dir.pliant(&[&["run", "scene.toml"], option].concat()).code(2).stderr_has(&["foam", "has none", "help: "]);
    }
    let dir = SceneDir::with_scene(COLLISION);
    let wrong = [("rate", "-1"), ("rate", "1e6"), ("lifetime", "[2, 1]"), ("lifetime", "[0, 1e9]"), ("most", "0")];
    for (key, value) in wrong {
        let set = format!("output.foam.{key}={value}");
        dir.pliant(&["check", "scene.toml", "--set", &set]).code(3).stderr_has(&[&format!("output.foam.{key}")]);
    }
}
