//! `pliant gpu`, and `--backend` of the other commands.

use crate::support::{SMALL, SceneDir};

#[test]
fn gpu_options_without_a_gpu_backend_are_wrong_usage() {
    let dir = SceneDir::with_scene(SMALL);
    for option in [&["--adapter", "0"][..], &["--gpu-checks"]] {
        for backend in ["cpu", "auto"] {
            let args = [&["run", "scene.toml", "--backend", backend], option].concat();
            dir.pliant(&args).code(2).stderr_has(&[option[0], "help: add --backend gpu"]);
        }
    }
    dir.pliant(&["run", "scene.toml", "--backend", "abacus"]).code(2).stderr_has(&["abacus", "auto"]);
    assert!(!dir.path("out").exists());
}

#[test]
fn the_backend_that_ran_is_named() {
    let dir = SceneDir::with_scene(SMALL);
    let args = ["scene.toml", "--backend", "cpu", "--json"];
    for more in [&["run", "--frames", "1", "--video", "none"][..], &["check"]] {
        assert_eq!(dir.pliant(&[more, &args].concat()).code(0).json()["backend"], "cpu");
    }
    // `auto` takes the CPU without the feature, with a software driver, or for so small a scene.
    let args = ["run", "scene.toml", "--frames", "1", "--video", "none", "--json"];
    assert_eq!(dir.pliant(&args).code(0).json()["backend"], "cpu");
}

#[cfg(not(feature = "gpu"))]
#[test]
fn a_build_without_the_feature_names_it() {
    let dir = SceneDir::with_scene(SMALL);
    let words = ["built without the GPU backend", "help: ", "cargo build --release --features gpu"];
    for args in [
        &["gpu"][..],
        &["run", "scene.toml", "--backend", "gpu"],
        &["check", "scene.toml", "--backend", "gpu"],
        &["bench", "scene.toml", "--backend", "gpu"],
        &["study", "equal", "scene.toml", "--solvers", "color", "--backend", "gpu"],
        &["voxelize", "box", "--grid", "8", "--backend", "gpu"],
    ] {
        dir.pliant(args).code(5).stderr_has(&words);
    }
    assert!(!dir.path("out").exists());
}

#[cfg(feature = "gpu")]
mod with_feature {
    use crate::skip::skipped;
    use crate::support::{SMALL, SceneDir, files, keys};

    /// Whether there is a GPU to test with; PLIANT_REQUIRE_GPU makes its absence a failure.
    fn found(dir: &SceneDir) -> bool {
        let list = dir.pliant(&["gpu", "--json"]).code(0).json();
        let usable = list.as_array().unwrap().iter().any(|a| a["trouble"].is_null());
        if !usable {
            assert!(std::env::var_os("PLIANT_REQUIRE_GPU").is_none(), "no GPU adapter, but PLIANT_REQUIRE_GPU is set");
            skipped("no GPU adapter");
        }
        usable
    }

    #[test]
    fn an_empty_adapter_list_is_not_an_error() {
        let dir = SceneDir::with_scene(SMALL);
        let list = dir.pliant(&["gpu", "--json"]).code(0).json();
        let wanted = [
            "api",
            "binding_bytes",
            "class",
            "driver",
            "name",
            "number",
            "patch_rows",
            "threads",
            "timestamps",
            "trouble",
            "workgroup_bytes",
        ];
        for (number, adapter) in list.as_array().unwrap().iter().enumerate() {
            assert_eq!(keys(adapter), wanted);
            assert_eq!(adapter["number"].as_u64(), Some(number as u64));
        }
        let text = dir.pliant(&["gpu"]).code(0).stdout;
        assert!(text.contains("workgroup") || text.contains("No GPU adapter"), "{text}");
    }

    #[test]
    fn a_machine_without_drivers_exits_5_and_runs_on_the_cpu_by_itself() {
        let dir = SceneDir::with_scene(SMALL);
        let bare = |args: &[&str]| {
            let mut command = dir.command(args);
            // The Vulkan loader reads these instead of its folders.
            command.env("VK_DRIVER_FILES", "/nonexistent").env("VK_ICD_FILENAMES", "/nonexistent");
            crate::support::CommandResult::new(command.output().unwrap())
        };
        // Only on Linux is Vulkan the only API.
        if cfg!(target_os = "linux") {
            assert_eq!(bare(&["gpu", "--json"]).code(0).json().as_array().map(Vec::len), Some(0));
            let args = ["run", "scene.toml", "--backend", "gpu"];
            bare(&args).code(5).stderr_has(&["no GPU adapter", "help: use --backend cpu, or install a Vulkan driver"]);
            assert!(!dir.path("out").exists());
            let args = ["run", "scene.toml", "--frames", "1", "--video", "none", "--json"];
            assert_eq!(bare(&args).code(0).json()["backend"], "cpu");
            let voxels = |backend| bare(&["voxelize", "box", "--grid", "8", "--json", "--backend", backend]);
            voxels("gpu").code(5).stderr_has(&["no GPU adapter", "help: use --backend cpu"]);
            assert_eq!(voxels("auto").code(0).json()["backend"], "cpu");
        }
    }

    #[test]
    fn r15_scenes_without_particles_run_as_on_the_cpu() {
        let dir = SceneDir::with_scene("output = { width = 64, height = 48 }\n");
        dir.write("wall.toml", "output = { width = 64, height = 48 }\n[[collider]]\nplane = {}\n");
        dir.write(
            "rigid.toml",
            "output = { width = 64, height = 48 }\n[[body]]\nbox = [1, 1, 1]\n[[collider]]\nplane = {}\n",
        );
        if !found(&dir) {
            return;
        }
        for scene in ["scene.toml", "wall.toml", "rigid.toml"] {
            let run = ["run", scene, "--frames", "2", "--video", "none", "--backend", "gpu", "--json", "--force"];
            assert_eq!(dir.pliant(&run).code(0).json()["backend"], "gpu", "{scene}");
            assert_eq!(dir.pliant(&["check", scene, "--backend", "gpu", "--json"]).code(0).json()["backend"], "gpu");
            let args = ["bench", scene, "--backend", "gpu", "--repeat", "1", "--warmup", "1", "--json"];
            dir.pliant(&args).code(0);
        }
    }

    #[test]
    fn a_number_that_no_adapter_has_exits_5() {
        let dir = SceneDir::with_scene(SMALL);
        if found(&dir) {
            let args = ["run", "scene.toml", "--backend", "gpu", "--adapter", "99"];
            dir.pliant(&args).code(5).stderr_has(&["no GPU adapter 99", "help: `pliant gpu` lists"]);
            let args = ["voxelize", "box", "--grid", "8", "--backend", "gpu", "--adapter", "99"];
            dir.pliant(&args).code(5).stderr_has(&["no GPU adapter 99", "help: `pliant gpu` lists"]);
        }
    }

    #[test]
    fn a_run_writes_the_same_files_as_on_the_cpu() {
        let dir = SceneDir::with_scene(SMALL);
        if !found(&dir) {
            return;
        }
        let args = ["run", "scene.toml", "--frames", "3", "--backend", "gpu", "--gpu-checks", "--json"];
        let json = dir.pliant(&args).code(0).json();
        assert_eq!(json["backend"], "gpu");
        assert!(!json["adapter"].as_str().unwrap().is_empty());
        assert!(json["threads"].is_null());
        assert_eq!(json["frames"], 3);
        assert!(json["residual"]["stretch"]["max"].as_f64().unwrap() > 0.0);
        let frames = (0..=3).map(|i| format!("frame_{i:05}.ply"));
        let others = ["run.json", "scene.mp4", "stats.csv", "still.png"].map(str::to_owned);
        assert_eq!(files(&dir.path("out/scene")), frames.chain(others).collect::<Vec<_>>());
        let text = std::fs::read_to_string(dir.path("out/scene/stats.csv")).unwrap();
        let columns = |line: &str| line.split(',').count();
        assert_eq!(text.lines().count(), 5);
        assert!(text.lines().all(|l| columns(l) == columns(text.lines().next().unwrap())), "{text}");
    }

    #[test]
    fn a_run_that_diverges_exits_4_and_keeps_its_frames() {
        let dir = SceneDir::with_scene(&SMALL.replace("dt = 0.01", "dt = 10"));
        if !found(&dir) {
            return;
        }
        let more = ["--set", "world.gravity=[0, -9000, 0]", "--set", "cloth.0.pin=[]", "--set", "collider=[]"];
        let args = ["run", "scene.toml", "--frames", "50", "--json", "--video", "none", "--backend", "gpu"];
        let result = dir.pliant(&[&args[..], &more].concat()).code(4).stderr_has(&["stage", "particle", "help: "]);
        let finished = result.json()["frames"].as_u64().unwrap();
        let found = files(&dir.path("out/scene"));
        assert_eq!(found.iter().filter(|f| f.ends_with(".ply")).count() as u64, finished + 1, "{found:?}");
    }

    #[test]
    fn bench_agrees_with_the_cpu_and_has_gpu_keys() {
        let dir = SceneDir::with_scene(&SMALL.replace("cells = [4, 4]", "cells = [12, 12]"));
        if !found(&dir) {
            return;
        }
        let row = |backend: &str| {
            let args = ["bench", "scene.toml", "--repeat", "4", "--warmup", "20", "--threads", "1,2", "--json"];
            let more = ["--backend", backend, "--steps-per-submit", "5"];
            dir.pliant(&[&args[..], &more].concat()).code(0).json()
        };
        let (cpu, gpu) = (row("cpu"), row("gpu"));
        // A GPU has one row for any number of threads.
        assert_eq!((cpu.as_array().unwrap().len(), gpu.as_array().unwrap().len()), (2, 1));
        let (cpu, gpu) = (&cpu[0], &gpu[0]);
        let mut wanted = keys(cpu);
        wanted.extend(["adapter", "bytes_per_step", "chain", "device_bytes", "encode_us_per_step", "floor_ms"]);
        wanted.extend(["passes", "steps_per_submit", "us_per_pass"]);
        wanted.sort_unstable();
        assert_eq!(keys(gpu), wanted);
        assert!(gpu["threads"].is_null());
        for key in ["ms_per_step", "passes", "us_per_pass", "device_bytes", "bytes_per_step", "floor_ms"] {
            assert!(gpu[key].as_f64().unwrap() > 0.0, "{key}");
        }
        // After the same number of steps residuals agree, although the order of constraints differs.
        let residual = |row: &serde_json::Value| row["residual"]["stretch"]["mean"].as_f64().unwrap();
        let (a, b) = (residual(cpu), residual(gpu));
        assert!(a > 0.0 && (a - b).abs() < 0.05 * a, "{a} on the CPU, {b} on the GPU");
    }

    #[test]
    fn s29_t10_voxels_by_a_gpu_have_the_counts_keys_and_refusals_of_the_cpu() {
        let dir = SceneDir::with_scene(SMALL);
        if !found(&dir) {
            return;
        }
        let run = |backend: &str| {
            let args = ["voxelize", "box", "--grid", "32", "--merge", "--json", "--repeat", "3", "--backend", backend];
            dir.pliant(&args).code(0).json()
        };
        let (cpu, gpu) = (run("cpu"), run("gpu"));
        assert_eq!((keys(&gpu), &gpu["backend"]), (keys(&cpu), &"gpu".into()));
        assert!(!gpu["adapter"].as_str().unwrap().is_empty());
        assert_eq!(gpu["particles"], 10_963);
        for key in ["grid", "voxels", "particles", "levels", "volume", "mesh_volume"] {
            assert_eq!(gpu[key], cpu[key], "{key}");
        }
        assert_eq!(keys(&gpu["ms"]), ["distance", "merge", "voxelize"]);
        assert_eq!(keys(&gpu["host_ms"]), ["prepare", "readback"]);
        for part in ["ms", "host_ms"] {
            let times: Vec<_> = gpu[part].as_object().unwrap().values().map(|t| t.as_f64().unwrap()).collect();
            assert!(times.iter().all(|t| *t > 0.0 && *t < 1e5), "{part}: {times:?}");
        }
        let args = ["voxelize", "box", "--grid", "12", "--merge", "--backend", "gpu", "--gpu-checks"];
        let result = dir.pliant(&args).code(0);
        for word in ["made by", "merged in", "read back in", gpu["adapter"].as_str().unwrap()] {
            assert!(result.stdout.contains(word), "{word}: {}", result.stdout);
        }
        dir.write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n");
        let args = ["voxelize", "open.obj", "--grid", "8", "--backend", "gpu"];
        dir.pliant(&args).code(3).stderr_has(&["closed", "--> open.obj"]);
    }

    #[test]
    fn bench_finds_the_neighbors_that_the_cpu_finds() {
        let dir = SceneDir::with_scene(SMALL);
        if !found(&dir) {
            return;
        }
        let row = |more: &[&str]| {
            let args = ["bench", "--neighbors", "1500", "--repeat", "1", "--threads", "1", "--json"];
            dir.pliant(&[&args[..], more].concat()).code(0).json()[0].clone()
        };
        let cpu = row(&["--backend", "cpu"]);
        for search in ["grid", "tree", "auto"] {
            let gpu = row(&["--backend", "gpu", "--search", search]);
            assert_eq!(keys(&gpu), keys(&cpu));
            assert_eq!(gpu["entries"], cpu["entries"], "{search}");
            assert!(search == "auto" || gpu["search"] == search);
            assert!(gpu["threads"].is_null() && !gpu["adapter"].as_str().unwrap().is_empty());
            for key in ["build_ms", "total_ms", "sort_ms", "bytes", "dispatches"] {
                assert!(gpu[key].as_f64().unwrap() > 0.0, "{search}: {key}");
            }
        }
    }

    #[test]
    fn studies_use_the_times_of_the_device() {
        let dir = SceneDir::with_scene(SMALL);
        if !found(&dir) {
            return;
        }
        let list = dir.pliant(&["gpu", "--json"]).code(0).json();
        if !list.as_array().unwrap().iter().all(|a| a["timestamps"] == true) {
            return;
        }
        let args = ["study", "convergence", "scene.toml", "--solvers", "color", "--steps", "2", "--backend", "gpu"];
        let json = dir.pliant(&[&args[..], &["--json"]].concat()).code(0).json();
        assert_eq!(json["backend"], "gpu");
        assert!(json["solvers"][0]["solve_ms_per_step"].as_f64().unwrap() > 0.0);
    }
}
