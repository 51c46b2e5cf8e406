//! Checkpoints: a run that is killed goes on and ends with the same bits.

use crate::support::{SMALL, SceneDir};
use std::time::{Duration, Instant};

fn hash(dir: &SceneDir, out: &str) -> String {
    let text = std::fs::read_to_string(dir.path(out).join("run.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    json["hash"].as_str().unwrap().to_owned()
}

/// Statistics without the columns of times.
fn statistics(dir: &SceneDir, out: &str) -> Vec<String> {
    let text = std::fs::read_to_string(dir.path(out).join("stats.csv")).unwrap();
    let kept = |line: &str| {
        line.split(',')
            .enumerate()
            .filter(|(k, _)| !(2..10).contains(k))
            .map(|c| c.1.to_owned())
            .collect::<Vec<_>>()
            .join(",")
    };
    text.lines().map(kept).collect()
}

#[test]
fn r05_a_run_that_is_killed_goes_on_with_the_same_bits() {
    let dir = SceneDir::with_scene(&SMALL.replace("seconds = 0.2", "seconds = 40"));
    let common = ["--format", "vtu", "--video", "none", "--backend", "cpu", "--quiet", "--frames", "600"];
    dir.pliant(&[&["run", "scene.toml", "--out", "whole"], &common[..]].concat()).code(0);
    let args = [&["run", "scene.toml", "--out", "cut", "--checkpoint", "every=0.5s"], &common[..]].concat();
    let mut child = dir.command(&args).spawn().unwrap();
    // Killed after the first checkpoint, wherever it is then.
    let file = dir.path("cut/checkpoint.pliant");
    let start = Instant::now();
    while !file.exists() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(2));
    }
    std::thread::sleep(Duration::from_millis(30));
    let _ = child.kill();
    child.wait().unwrap();
    assert!(file.exists(), "no checkpoint in a minute");
    dir.pliant(&["run", "--resume", "cut", "--quiet"]).code(0);
    assert_eq!(hash(&dir, "cut"), hash(&dir, "whole"));
    assert_eq!(statistics(&dir, "cut"), statistics(&dir, "whole"));
    let index = |out: &str| std::fs::read_to_string(dir.path(out).join("frames.pvd")).unwrap();
    assert_eq!(index("cut").lines().count(), index("whole").lines().count());
    for frame in [0, 10, 300, 600] {
        let file = |out: &str| std::fs::read(dir.path(out).join(format!("frame_{frame:05}.vtu"))).unwrap();
        assert!(file("cut") == file("whole"), "frame {frame}");
    }
    // It goes further from its end, too.
    dir.pliant(&["run", "--resume", "cut", "--frames", "610", "--quiet"]).code(0);
    assert!(dir.path("cut/frame_00610.vtu").exists());
    assert_ne!(hash(&dir, "cut"), hash(&dir, "whole"));
}

#[test]
fn r06_checkpoints_that_cannot_be_used_are_refused() {
    let dir = SceneDir::with_scene(SMALL);
    let run = [
        "run",
        "scene.toml",
        "--out",
        "a",
        "--checkpoint",
        "every=0.1s",
        "--quiet",
        "--video",
        "none",
        "--backend",
        "cpu",
    ];
    dir.pliant(&run).code(0);
    let path = dir.path("a/checkpoint.pliant");
    let good = std::fs::read(&path).unwrap();
    for at in (0..good.len()).step_by(good.len() / 60) {
        let mut bad = good.clone();
        bad[at] ^= 0x10;
        std::fs::write(&path, &bad).unwrap();
        let done = dir.pliant(&["run", "--resume", "a", "--frames", "30", "--quiet"]);
        assert_ne!(done.code, 0, "byte {at}");
        std::fs::write(&path, &good[..at]).unwrap();
        assert_ne!(dir.pliant(&["run", "--resume", "a", "--quiet"]).code, 0, "{at} bytes");
    }
    std::fs::write(&path, &good).unwrap();
    // Another scene under the same name.
    dir.write("scene.toml", SMALL.replace("cells = [4, 4]", "cells = [5, 4]"));
    dir.pliant(&["run", "--resume", "a", "--quiet"]).code(1);
    dir.pliant(&["run", "--resume", "nowhere"]).code(1);
    dir.pliant(&["run", "scene.toml", "--resume", "a"]).code(2);
    dir.pliant(&["run", "scene.toml", "--checkpoint", "often"]).code(2);
}
