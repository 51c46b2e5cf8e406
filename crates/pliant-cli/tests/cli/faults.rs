//! What may go wrong outside of the program: two runs in one folder, kills, full disks, links, closed pipes, damaged files.
//! Nothing is lost, and each is told in one line.

use crate::support::{CommandResult, SMALL, SceneDir, files};
use pliant_render::{GifWriter, Image, Mp4Writer, VideoWriter};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const QUICK: [&str; 8] = ["--frames", "2", "--video", "none", "--backend", "cpu", "--quiet", "--threads=1"];

fn run(more: &[&'static str]) -> Vec<&'static str> {
    [&["run", "scene.toml"], more, &QUICK].concat()
}

fn wait_for(path: &Path) {
    let start = Instant::now();
    while !path.exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "{} did not come", path.display());
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A run without an end, once its third frame is written.
fn endless(dir: &SceneDir, more: &[&str]) -> Child {
    let args = [&["run", "scene.toml", "--frames", "10000000", "--backend", "cpu"], more].concat();
    let child = dir.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(&dir.path("out/scene/frame_00002.ply"));
    child
}

fn temporaries(folder: &Path) -> Vec<String> {
    files(folder).into_iter().filter(|name| name.starts_with('.')).collect()
}

#[test]
fn r13_results_of_an_earlier_run_are_kept_unless_force_is_given() {
    let dir = SceneDir::with_scene(SMALL);
    let stats = |folder: &str| std::fs::read(dir.path(folder).join("stats.csv")).unwrap();
    dir.pliant(&run(&[])).code(0);
    let first = stats("out/scene");
    // Without a named folder the next run has one of its own.
    dir.pliant(&["run", "scene.toml", "--frames", "1", "--video", "none"])
        .code(0)
        .stderr_has(&["out/scene-2", "--force"]);
    assert_eq!(stats("out/scene"), first);
    assert!(dir.path("out/scene-2/frame_00001.ply").exists());
    // A named one is refused, and replaced with --force.
    dir.pliant(&run(&["--out", "out/scene"])).code(1).stderr_has(&["out/scene", "earlier run", "help: add --force"]);
    assert_eq!(stats("out/scene"), first);
    std::fs::write(dir.path("out/scene/holiday.mp4"), "mine").unwrap();
    dir.pliant(&["run", "scene.toml", "--out", "out/scene", "--force", "--frames", "1", "--video", "none"]).code(0);
    let left = ["frame_00000.ply", "frame_00001.ply", "holiday.mp4", "run.json", "stats.csv", "still.png"];
    assert_eq!(files(&dir.path("out/scene")), left);
}

#[test]
fn r13_a_run_that_is_refused_deletes_nothing() {
    let dir = SceneDir::with_scene(SMALL);
    dir.pliant(&run(&[])).code(0);
    let before = files(&dir.path("out/scene"));
    let refused: [(&[&str], i32); 4] = [
        (&["--set", "output.width=8192"], 3),
        (&["--set", "output.width=3842", "--video", "mp4"], 3),
        (&["--set", "cloth.0.mesh=\"missing.obj\"", "--set", "cloth.0.grid={}"], 3),
        (&["--foam"], 2),
    ];
    for (more, code) in refused {
        let args = [&["run", "scene.toml", "--force", "--frames", "1", "--quiet"], more].concat();
        dir.pliant(&args).code(code);
        assert_eq!(files(&dir.path("out/scene")), before, "{more:?}");
        // In a new folder it leaves none behind.
        dir.pliant(&[&args[..], &["--out", "new/folder"]].concat()).code(code);
        assert!(!dir.path("new").exists(), "{more:?}");
    }
    // A run that ends at once, out of memory, has its results brought back by the next one.
    let args = ["run", "scene.toml", "--force", "--frames", "1", "--quiet", "--memory-limit", "1MiB"];
    dir.pliant(&args).code(5).stderr_has(&["out of memory", "--memory-limit"]);
    dir.pliant(&["run", "scene.toml", "--out", "out/scene", "--quiet"]).code(1);
    assert_eq!(files(&dir.path("out/scene")), before);
    // `check` refuses what `run` refuses.
    for size in ["output.width=8192", "output.width=3842"] {
        dir.pliant(&["check", "scene.toml", "--set", size]).code(3).stderr_has(&["output.width"]);
    }
}

#[cfg(unix)]
#[test]
fn r13_a_run_that_cannot_write_its_first_frame_brings_the_earlier_results_back() {
    use std::os::unix::fs::symlink;
    let dir = SceneDir::with_scene(SMALL);
    dir.pliant(&run(&[])).code(0);
    let before = files(&dir.path("out/scene"));
    // 2 KiB per file: enough for statistics, not for a frame.
    let text =
        format!("trap '' XFSZ; ulimit -f 2; exec {} run scene.toml --force --frames 3", env!("CARGO_BIN_EXE_pliant"));
    let failed = Command::new("sh").args(["-c", &text]).current_dir(dir.dir.path()).output().unwrap();
    CommandResult::new(failed).code(5).stderr_has(&["error: ", "help: "]);
    assert_eq!(files(&dir.path("out/scene")), before);
    // The system's handling of the limit is the program's matter, too.
    let text = text.replace("trap '' XFSZ; ", "");
    let failed = Command::new("sh").args(["-c", &text]).current_dir(dir.dir.path()).output().unwrap();
    CommandResult::new(failed).code(5);
    assert_eq!(files(&dir.path("out/scene")), before);
    // A file of somebody else is not overwritten.
    std::fs::create_dir(dir.path("other")).unwrap();
    dir.write("other/stats.csv", "mine");
    dir.pliant(&run(&["--out", "other"])).code(1).stderr_has(&["other/stats.csv"]);
    assert_eq!(std::fs::read(dir.path("other/stats.csv")).unwrap(), b"mine");
    // Nor is what a link leads to.
    std::fs::create_dir(dir.path("linked")).unwrap();
    dir.write("precious", "mine");
    for name in ["run.json", "still.png", "frame_00001.ply"] {
        symlink(dir.path("precious"), dir.path("linked").join(name)).unwrap();
    }
    dir.pliant(&run(&["--out", "linked"])).code(0);
    assert_eq!(std::fs::read(dir.path("precious")).unwrap(), b"mine");
}

#[test]
fn r13_two_runs_in_one_folder_the_second_is_refused() {
    let dir = SceneDir::with_scene(SMALL);
    let mut first = endless(&dir, &["--video", "none"]);
    let id = format!("process {}", first.id());
    for more in [&["--out", "out/scene"][..], &["--out", "out/scene", "--force"], &[]] {
        dir.pliant(&[&["run", "scene.toml", "--frames", "1"], more].concat())
            .code(1)
            .stderr_has(&["in use", &id, "--out"]);
    }
    dir.pliant(&["run", "--resume", "out/scene"]).code(1).stderr_has(&["in use", &id]);
    first.kill().unwrap();
    first.wait().unwrap();
    // A lock that is left behind locks nothing, and temporary files of the killed run go.
    assert!(temporaries(&dir.path("out/scene")).contains(&".pliant-lock".to_owned()));
    dir.write("out/scene/.pliant-a1B2c3.tmp", "left");
    dir.pliant(&["run", "scene.toml", "--out", "out/scene", "--force", "--frames", "1", "--video", "none"]).code(0);
    assert_eq!(temporaries(&dir.path("out/scene")), [""; 0]);
    assert_eq!(files(&dir.path("out/scene")).iter().filter(|f| f.starts_with("frame_")).count(), 2);
}

#[test]
fn r13_what_another_program_is_writing_into_the_folder_stays() {
    let dir = SceneDir::with_scene(SMALL);
    let folder = dir.path("out/scene");
    std::fs::create_dir_all(&folder).unwrap();
    // A window films into its own default folder, and saves a picture, while runs begin there.
    let mut video = Mp4Writer::create(folder.join("scene-001.mp4"), 64, 48, 30.0).unwrap();
    let mut gif = Box::new(GifWriter::create(folder.join("scene-002.gif"), 64, 48, 30.0).unwrap());
    video.push(&Image::new(64, 48)).unwrap();
    gif.push(&Image::new(64, 48)).unwrap();
    pliant_io::write_atomically(&folder.join("scene-003.png"), |file| {
        file.write_all(b"half")?;
        dir.write("out/scene/.pliant-a1B2c3.tmp", "left by a killed process");
        assert_eq!(temporaries(&folder).len(), 4);
        dir.pliant(&run(&["--out", "out/scene"])).code(0);
        dir.pliant(&run(&["--out", "out/scene", "--force"])).code(0);
        assert_eq!(temporaries(&folder).len(), 3);
        file.write_all(b" and half")
    })
    .unwrap();
    video.finish().unwrap();
    gif.finish().unwrap();
    assert_eq!(temporaries(&folder), [""; 0]);
    assert_eq!(&std::fs::read(folder.join("scene-001.mp4")).unwrap()[4..8], b"ftyp");
    assert_eq!(&std::fs::read(folder.join("scene-002.gif")).unwrap()[..3], b"GIF");
    assert_eq!(std::fs::read(folder.join("scene-003.png")).unwrap(), b"half and half");
}

#[cfg(unix)]
#[test]
fn r13_links_and_pipes_named_like_temporary_files_go_and_nothing_else() {
    let dir = SceneDir::with_scene(SMALL);
    dir.write("precious", "mine");
    std::fs::create_dir_all(dir.path("out/scene")).unwrap();
    std::os::unix::fs::symlink(dir.path("precious"), dir.path("out/scene/.pliant-link.tmp")).unwrap();
    let pipe = Command::new("mkfifo").arg(dir.path("out/scene/.pliant-pipe.tmp")).status();
    assert!(pipe.unwrap().success());
    dir.pliant(&run(&["--out", "out/scene"])).code(0);
    assert_eq!(temporaries(&dir.path("out/scene")), [""; 0]);
    assert_eq!(std::fs::read(dir.path("precious")).unwrap(), b"mine");
}

#[test]
fn r13_a_killed_run_leaves_whole_frames_and_what_it_had_set_aside_comes_back() {
    let dir = SceneDir::with_scene(SMALL);
    let mut child = endless(&dir, &[]);
    child.kill().unwrap();
    child.wait().unwrap();
    // Whole frames: each has the vertices that its header declares.
    for name in files(&dir.path("out/scene")).iter().filter(|f| f.ends_with(".ply")) {
        let bytes = std::fs::read(dir.path("out/scene").join(name)).unwrap();
        assert!(bytes.starts_with(b"ply") && bytes.len() > 500, "{name} has {} bytes", bytes.len());
    }
    // Killed before the first frame of the new run: the results are still in the folder that hides them.
    let aside = dir.path("out/scene/.pliant-earlier");
    std::fs::create_dir(&aside).unwrap();
    for name in files(&dir.path("out/scene")).iter().filter(|f| !f.starts_with('.')) {
        std::fs::rename(dir.path("out/scene").join(name), aside.join(name)).unwrap();
    }
    let kept = files(&aside);
    dir.write("out/scene/stats.csv", "frame,time,step_ms,half a");
    dir.pliant(&run(&["--out", "out/scene"])).code(1).stderr_has(&["earlier run"]);
    assert_eq!(files(&dir.path("out/scene")), kept);
}

#[cfg(unix)]
#[test]
fn r13_signals_end_a_run_with_whole_files() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        let dir = SceneDir::with_scene(SMALL);
        let child = endless(&dir, &["--json"]);
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        let result = CommandResult::new(child.wait_with_output().unwrap()).code(130).stderr_has(&["interrupted"]);
        assert_eq!(result.json()["interrupted"], true, "{signal}");
        assert_eq!(&std::fs::read(dir.path("out/scene/scene.mp4")).unwrap()[4..8], b"ftyp");
        assert_eq!(temporaries(&dir.path("out/scene")), [""; 0], "{signal}");
    }
}

#[cfg(unix)]
#[test]
fn r13_an_interrupt_while_a_scene_is_built_leaves_nothing() {
    // A minute of building: many bodies inside each other.
    let dir = SceneDir::with_scene("[[cloth]]\ngrid = { cells = [1500, 1500], size = [1, 1] }\n");
    let child = dir.command(&["run", "scene.toml"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(&dir.path("out/scene/.pliant-lock"));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    CommandResult::new(child.wait_with_output().unwrap()).code(130).stderr_has(&["before the first step"]);
    assert_eq!(files(dir.dir.path()), ["scene.toml"]);
}

#[cfg(unix)]
#[test]
fn r13_a_folder_that_goes_while_a_run_writes_is_one_error() {
    let dir = SceneDir::with_scene(SMALL);
    let child = endless(&dir, &["--video", "none"]);
    std::fs::rename(dir.path("out/scene"), dir.path("moved")).unwrap();
    let result = CommandResult::new(child.wait_with_output().unwrap()).code(1).stderr_has(&["error: cannot write"]);
    assert_eq!(result.stderr.matches("error: ").count(), 1, "{}", result.stderr);
}

#[cfg(unix)]
#[test]
fn r13_a_closed_pipe_or_stderr_does_not_fail_a_run() {
    let dir = SceneDir::with_scene(SMALL);
    let mut child = dir.command(&["run", "scene.toml", "--frames", "2", "--video", "none", "--json"]);
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop((child.stdout.take(), child.stderr.take()));
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(dir.path("out/scene/run.json").exists());
}

#[test]
fn r13_after_an_error_no_temporary_file_is_left() {
    // The simulation diverges while pictures are still encoded.
    let dir = SceneDir::with_scene(&SMALL.replace("dt = 0.01", "dt = 10"));
    let more = ["--set", "world.gravity=[0, -9000, 0]", "--set", "cloth.0.pin=[]", "--set", "collider=[]"];
    for video in ["mp4", "gif"] {
        let args = ["run", "scene.toml", "--frames", "50", "--video", video, "--out", video];
        dir.pliant(&[&args[..], &more].concat()).code(4);
        assert_eq!(temporaries(&dir.path(video)), [""; 0]);
    }
}

#[test]
fn r13_kills_at_many_moments_resume_with_the_same_bits() {
    let moments = std::env::var("PLIANT_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(3);
    let text = SMALL.replace("seconds = 0.2", "seconds = 6");
    let dir = SceneDir::with_scene(&text);
    let common = ["--format", "none", "--video", "none", "--backend", "cpu", "--quiet", "--threads", "1"];
    let start = Instant::now();
    dir.pliant(&[&["run", "scene.toml", "--out", "whole"], &common[..]].concat()).code(0);
    let whole = start.elapsed();
    let hash = |out: &str| {
        let text = std::fs::read_to_string(dir.path(out).join("run.json")).unwrap();
        serde_json::from_str::<serde_json::Value>(&text).unwrap()["hash"].clone()
    };
    for k in 0..moments {
        let out = format!("cut{k}");
        let args = [&["run", "scene.toml", "--out", &out, "--checkpoint", "every=0.2s"], &common[..]].concat();
        let mut child = dir.command(&args).spawn().unwrap();
        wait_for(&dir.path(&out).join("checkpoint.pliant"));
        // Moments spread over the run, at odd fractions of it.
        std::thread::sleep(whole.mul_f64((0.618 * f64::from(k)).fract() * 0.8));
        let _ = child.kill();
        child.wait().unwrap();
        dir.pliant(&["run", "--resume", &out, "--quiet"]).code(0);
        assert_eq!(hash(&out), hash("whole"), "moment {k}");
        assert_eq!(temporaries(&dir.path(&out)), [""; 0], "moment {k}");
    }
}
