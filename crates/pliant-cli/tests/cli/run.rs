//! Files and exit codes of `pliant run`.

use crate::support::{CommandResult, SMALL, SceneDir, files, keys};
use serde_json::Value;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const KEYS: [&str; 12] = [
    "backend",
    "constraints",
    "frames",
    "hash",
    "ms_per_frame",
    "out",
    "particles",
    "residual",
    "scene",
    "solver",
    "stages",
    "threads",
];

#[test]
fn a_run_writes_video_still_geometry_statistics_and_summary() {
    let dir = SceneDir::with_scene(SMALL);
    let result = dir.pliant(&["run", "scene.toml", "--frames", "3"]).code(0);
    let out = dir.path("out/scene");
    let frames = (0..=3).map(|i| format!("frame_{i:05}.ply"));
    let others = ["run.json", "scene.mp4", "stats.csv", "still.png"].map(str::to_owned);
    assert_eq!(files(&out), frames.chain(others).collect::<Vec<_>>());
    for word in ["3 frames", "scene.mp4", "Try next", "pliant serve scene.toml", "pliant view"] {
        assert!(result.stdout.contains(word), "{}", result.stdout);
    }
    // A build without a window says how to get one.
    assert_eq!(result.stdout.contains("--features view"), !cfg!(feature = "view"), "{}", result.stdout);
    assert_eq!(&std::fs::read(out.join("scene.mp4")).unwrap()[4..8], b"ftyp");
    assert_eq!(&std::fs::read(out.join("still.png")).unwrap()[1..4], b"PNG");
}

#[test]
fn statistics_have_one_line_per_frame_and_as_many_cells_as_columns() {
    let dir = SceneDir::with_scene(SMALL);
    dir.pliant(&["run", "scene.toml", "--frames", "3", "--video", "none", "--format", "none", "--quiet"]).code(0);
    let text = std::fs::read_to_string(dir.path("out/scene/stats.csv")).unwrap();
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let wanted = "frame,time,step_ms,predict,neighbors,contacts,stabilize,solve,finalize,kinetic,gravitational,elastic,\
                  linear_x,linear_y,linear_z,angular_x,angular_y,angular_z,center_x,center_y,center_z,contacts,\
                  residual_stretch_mean,residual_stretch_max";
    assert_eq!(header, wanted.split(',').collect::<Vec<_>>());
    let rows: Vec<Vec<f64>> = lines.map(|l| l.split(',').map(|c| c.parse().unwrap()).collect()).collect();
    assert_eq!(rows.iter().map(|r| r[0]).collect::<Vec<_>>(), [0.0, 1.0, 2.0, 3.0]);
    assert!(rows.iter().all(|r| r.len() == header.len()));
    // A frame is 1/(50 frames/s · 0.01 s) = 2 steps.
    assert!((rows[3][1] - 0.06).abs() < 1e-6);
}

/// Drops of water fall into a drain one after the other; the last is not emitted before the end.
const DRAINED: &str = r#"
output = { seconds = 0.2, width = 64, height = 48 }
fluid = { radius = 0.02 }
[[liquid]]
pour = { from = [0, 0.1, 0], radius = 0.03, per_second = 25, velocity = [0, -2, 0], until = 0.24 }
[[drain]]
box = { center = [0, -0.5, 0], size = [4, 1, 4] }
"#;

#[test]
fn drained_particles_are_counted_and_omitted_from_files() {
    let dir = SceneDir::with_scene(DRAINED);
    let formats = ["--format", "ply,obj,vtu,npz", "--video", "none", "--quiet", "--backend", "cpu"];
    dir.pliant(&[&["run", "scene.toml"], &formats[..]].concat()).code(0);
    let out = dir.path("out/scene");
    let text = std::fs::read_to_string(out.join("stats.csv")).unwrap();
    let column = text.lines().next().unwrap().split(',').position(|name| name == "drained").unwrap();
    let drained: Vec<usize> =
        text.lines().skip(1).map(|l| l.split(',').nth(column).unwrap().parse().unwrap()).collect();
    // Each falls 0.1 m at 2 m/s and is drained at the end of a step of 0.01 s.
    assert!(drained.iter().sum::<usize>() >= 3 && drained.iter().all(|&n| n < 2), "{drained:?}");
    let (mut gone, mut seen) = (0, 0);
    for (frame, taken) in drained.iter().enumerate() {
        gone += taken;
        // Emitted at 0, 0.04, 0.08 … s, in the first step that starts at or after that time.
        let time: f64 = text.lines().nth(frame + 1).unwrap().split(',').nth(1).unwrap().parse().unwrap();
        let poured = if frame == 0 { 0 } else { ((time - 0.01) / 0.04 + 1e-4).floor() as usize + 1 };
        let active = poured - gone;
        let ply = std::fs::read(out.join(format!("frame_{frame:05}.ply"))).unwrap();
        let header = String::from_utf8_lossy(&ply).into_owned();
        assert!(
            header.contains(&format!("element vertex {active}\n")),
            "frame {frame}, {active} active: {header:.120}"
        );
        let obj = std::fs::read_to_string(out.join(format!("frame_{frame:05}.obj"))).unwrap();
        assert_eq!(obj.lines().filter(|l| l.starts_with("v ")).count(), active, "frame {frame}");
        let vtu = std::fs::read_to_string(out.join(format!("frame_{frame:05}.vtu"))).unwrap();
        assert!(vtu.contains(&format!("NumberOfPoints=\"{active}\"")), "frame {frame}");
        // NumPy files hold all particles and mark the inactive ones.
        let npz = std::fs::read(out.join(format!("frame_{frame:05}.npz"))).unwrap();
        assert!(npz.windows(8).any(|w| w == b"away.npy"), "frame {frame}");
        seen += active;
    }
    assert!(seen > 3);
}

#[test]
fn statistics_of_liquids_have_pressure_volume_and_mixing() {
    let liquid = "[[liquid]]\nfill = { min = [0, 0, 0], max = [0.2, 0.2, 0.2] }\n[[collider]]\nplane = {}\n";
    let dir = SceneDir::with_scene(liquid);
    dir.pliant(&["run", "scene.toml", "--frames", "1", "--video", "none", "--format", "none", "--quiet"]).code(0);
    let text = std::fs::read_to_string(dir.path("out/scene/stats.csv")).unwrap();
    let lines: Vec<Vec<&str>> = text.lines().map(|l| l.split(',').collect()).collect();
    let columns = "residual_density_mean,residual_density_max,pressure_mean,pressure_max,volume,mixing";
    assert_eq!(lines[0][22..], columns.split(',').collect::<Vec<_>>());
    assert_eq!(lines[1].len(), lines[0].len());
    let volume: f64 = lines[1][26].parse().unwrap();
    assert!((volume - 0.008).abs() < 1e-4, "{volume}");
}

#[test]
fn the_json_summary_has_exactly_its_keys_and_is_run_json() {
    let dir = SceneDir::with_scene(SMALL);
    let args = ["run", "scene.toml", "--frames", "2", "--json", "--threads", "1", "--out", "there", "--video", "none"];
    let result = dir.pliant(&args).code(0);
    let json = result.json();
    assert_eq!(keys(&json), KEYS);
    assert_eq!(json["scene"], "scene");
    assert_eq!(json["backend"], "cpu");
    assert_eq!(json["threads"], 1);
    assert_eq!(json["particles"], 25);
    assert_eq!(json["frames"], 2);
    // 4·5 edges each way and 16 diagonals.
    assert_eq!(json["constraints"]["stretch"], 56);
    assert_eq!(keys(&json["stages"]), ["contacts", "finalize", "neighbors", "predict", "solve", "stabilize"]);
    assert_eq!(keys(&json["residual"]["stretch"]), ["max", "mean"]);
    assert_eq!(json["hash"].as_str().unwrap().len(), 16);
    assert_eq!(std::fs::read_to_string(dir.path("there/run.json")).unwrap(), result.stdout);
}

#[test]
fn threads_do_not_change_the_result_and_settings_do() {
    let dir = SceneDir::with_scene(SMALL);
    let hash = |more: &[&str]| {
        let base = ["run", "scene.toml", "--seconds", "0.1", "--json", "--video", "none", "--format", "none"];
        dir.pliant(&[&base, more].concat()).code(0).json()["hash"].as_str().unwrap().to_owned()
    };
    let one = hash(&["--threads", "1"]);
    assert_eq!(one, hash(&["--threads", "3"]));
    assert_eq!(hash(&["--iterations", "9"]), hash(&["--set", "solver.iterations=9"]));
    for more in [["--iterations", "9"], ["--method", "pbd"], ["--integrator", "bdf2"], ["--dt", "0.005"]] {
        assert_ne!(one, hash(&more), "{more:?}");
    }
}

#[test]
fn every_format_and_the_choice_of_frames() {
    let dir = SceneDir::with_scene(SMALL);
    let args = [
        "run",
        "scene.toml",
        "--frames",
        "4",
        "--every",
        "2",
        "--format",
        "vtu,npz,obj",
        "--video",
        "gif",
        "--picture",
    ];
    dir.pliant(&args).code(0);
    let found = files(&dir.path("out/scene"));
    for extension in ["vtu", "npz", "obj", "png"] {
        let frames: Vec<_> = found.iter().filter(|f| f.starts_with("frame_") && f.ends_with(extension)).collect();
        assert_eq!(frames.len(), 3, "{extension}: {found:?}");
    }
    for name in ["frames.pvd", "shape.npz", "scene.gif", "still.png"] {
        assert!(found.iter().any(|f| f == name), "{name}: {found:?}");
    }
}

#[test]
fn a_shorter_run_leaves_no_frames_of_a_longer_one() {
    let dir = SceneDir::with_scene(SMALL);
    for frames in ["5", "2"] {
        dir.pliant(&["run", "scene.toml", "--frames", frames, "--video", "none", "--quiet", "--force"]).code(0);
        std::fs::write(dir.path("out/scene/notes.txt"), "mine").unwrap();
    }
    let found = files(&dir.path("out/scene"));
    assert_eq!(found.iter().filter(|f| f.starts_with("frame_")).count(), 3, "{found:?}");
    assert!(found.iter().any(|f| f == "notes.txt"));
}

#[test]
fn quiet_prints_nothing() {
    let dir = SceneDir::with_scene(SMALL);
    let result = dir.pliant(&["run", "scene.toml", "--frames", "1", "--video", "none", "--quiet"]).code(0);
    assert_eq!((result.stdout.as_str(), result.stderr.as_str()), ("", ""));
}

#[test]
fn a_diverging_run_exits_4_names_stage_and_particle_and_keeps_its_frames() {
    // Free fall under a huge gravity exceeds the allowed speed after a few frames.
    let dir = SceneDir::with_scene(&SMALL.replace("dt = 0.01", "dt = 10"));
    let more = ["--set", "world.gravity=[0, -9000, 0]", "--set", "cloth.0.pin=[]", "--set", "collider=[]"];
    let args = ["run", "scene.toml", "--frames", "50", "--json"];
    let result =
        dir.pliant(&[&args[..], &more].concat()).code(4).stderr_has(&["error: ", "stage", "particle", "help: "]);
    let json = result.json();
    assert!(json["diverged"].as_str().unwrap().contains("stage"), "{json}");
    let finished = json["frames"].as_u64().unwrap();
    assert!(finished < 50);
    let found = files(&dir.path("out/scene"));
    let frames = found.iter().filter(|f| f.ends_with(".ply")).count() as u64;
    assert_eq!(frames, finished + 1, "{found:?}");
    for name in ["scene.mp4", "still.png", "stats.csv", "run.json"] {
        assert!(found.iter().any(|f| f == name), "{name}: {found:?}");
    }
}

#[test]
fn the_default_scene_with_a_thousand_times_larger_step_diverges() {
    let dir = SceneDir::with_scene(SMALL);
    let args = ["run", "flags", "--dt", "10", "--frames", "200", "--video", "none", "--every", "50", "--quiet"];
    dir.pliant(&args).code(4).stderr_has(&["diverged", "stage", "particle"]);
    assert!(dir.path("out/flags/frame_00000.ply").exists());
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_completed_frames_and_exits_130() {
    let dir = SceneDir::with_scene(SMALL);
    let mut command = dir.command(&["run", "scene.toml", "--frames", "1000000", "--json"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while !dir.path("out/scene/frame_00002.ply").exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "no frame came");
        std::thread::sleep(Duration::from_millis(10));
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let result = CommandResult::new(child.wait_with_output().unwrap()).code(130).stderr_has(&["interrupted"]);
    let json = result.json();
    assert_eq!(json["interrupted"], Value::Bool(true));
    let finished = json["frames"].as_u64().unwrap();
    let found = files(&dir.path("out/scene"));
    assert_eq!(found.iter().filter(|f| f.ends_with(".ply")).count() as u64, finished + 1);
    assert_eq!(&std::fs::read(dir.path("out/scene/scene.mp4")).unwrap()[4..8], b"ftyp");
    assert!(found.iter().all(|f| !f.ends_with(".tmp") && !f.ends_with(".part")), "{found:?}");
}
