//! `pliant bench` and `pliant check`.

use crate::support::{SMALL, SceneDir, keys};

#[test]
fn bench_measures_every_solver_with_every_number_of_threads() {
    let dir = SceneDir::with_scene(SMALL);
    let args = [
        "bench",
        "scene.toml",
        "--repeat",
        "3",
        "--warmup",
        "1",
        "--threads",
        "1,2",
        "--solver",
        "color,jacobi",
        "--json",
    ];
    let json = dir.pliant(&args).code(0).json();
    let rows = json.as_array().unwrap();
    let found: Vec<_> = rows.iter().map(|r| (r["solver"].as_str().unwrap(), r["threads"].as_u64().unwrap())).collect();
    assert_eq!(found, [("color", 1), ("color", 2), ("jacobi", 1), ("jacobi", 2)]);
    for row in rows {
        let wanted = [
            "backend",
            "build_ms",
            "constraints",
            "cpu_ms_per_step",
            "hash",
            "iterations",
            "moments",
            "ms_per_step",
            "msolves_per_s",
            "msolves_per_s_by_kind",
            "particles",
            "partition_ms",
            "peak_bytes",
            "residual",
            "residual_before",
            "scene",
            "solver",
            "stages",
            "threads",
        ];
        assert_eq!(keys(row), wanted);
        assert!(row["ms_per_step"].as_f64().unwrap() > 0.0);
        assert!(row["msolves_per_s"].as_f64().unwrap() > 0.0);
        assert!(row["residual_before"]["stretch"]["max"].as_f64().unwrap() < 1e-5);
    }
    assert_eq!(rows[0]["hash"], rows[1]["hash"]);
    assert!(rows[0]["msolves_per_s_by_kind"]["stretch"].as_f64().unwrap() > 0.0);
}

#[test]
fn moments_average_the_residuals() {
    let dir = SceneDir::with_scene(SMALL);
    let stretch = |repeat: &str, moments: &str| {
        let args = ["bench", "scene.toml", "--warmup", "3", "--repeat", repeat, "--moments", moments, "--json"];
        let json = dir.pliant(&args).code(0).json();
        let number = |key: &str| json[0]["residual"]["stretch"][key].as_f64().unwrap();
        (number("mean"), number("max"), json[0]["hash"].clone())
    };
    let each: Vec<_> = ["1", "2", "3"].into_iter().map(|repeat| stretch(repeat, "1")).collect();
    let (mean, max, hash) = stretch("1", "3");
    assert!(each[0].0 != each[2].0 && (mean - each.iter().map(|e| e.0).sum::<f64>() / 3.0).abs() < 1e-12);
    assert_eq!(max, each.iter().map(|e| e.1).fold(0.0, f64::max));
    assert_eq!(hash, each[0].2, "the hash is that of the first state");
    let text = dir.pliant(&["bench", "scene.toml", "--repeat", "1", "--solver", "jacobi,color", "--moments", "5"]);
    let text = text.code(0).stdout;
    assert_eq!(text.matches("of color's").count(), 1 + usize::from(text.contains("bend:")), "{text}");
    dir.pliant(&["bench", "scene.toml", "--moments", "0"]).code(2);
}

#[test]
fn bench_prints_a_table() {
    let dir = SceneDir::with_scene(SMALL);
    let result = dir.pliant(&["bench", "scene.toml", "--repeat", "2", "--warmup", "0"]).code(0);
    for word in ["ms/step", "Msolves/s", "stretch", "predict"] {
        assert!(result.stdout.contains(word), "{}", result.stdout);
    }
}

#[test]
fn bench_finds_the_same_neighbors_with_every_search_and_number_of_threads() {
    let dir = SceneDir::with_scene(SMALL);
    let rows = |more: &[&str]| {
        let args = ["bench", "--neighbors", "2000", "--repeat", "2", "--warmup", "0", "--backend", "cpu", "--json"];
        dir.pliant(&[&args[..], more].concat()).code(0).json().as_array().unwrap().clone()
    };
    let grid = rows(&["--search", "grid", "--threads", "1,2"]);
    let wanted = [
        "adapter",
        "backend",
        "bodies",
        "build_ms",
        "bytes",
        "dispatches",
        "entries",
        "lists_ms",
        "pairs",
        "particles",
        "search",
        "sort_ms",
        "spread",
        "threads",
        "total_ms",
    ];
    assert_eq!(grid.len(), 2);
    assert_eq!(keys(&grid[0]), wanted);
    assert_eq!((&grid[0]["search"], &grid[1]["threads"]), (&"grid".into(), &2.into()));
    for key in ["build_ms", "lists_ms", "sort_ms", "total_ms", "bytes"] {
        assert!(grid[0][key].as_f64().unwrap() > 0.0, "{key}");
    }
    // Six lattice neighbors are 1.911 radii away, all others 2.7 or more; jitter moves some of the six beyond the 2.1 radii of
    // the search, and particles at the faces of the block have fewer.
    let entries = grid[0]["entries"].as_u64().unwrap();
    assert!((3 * 2000..6 * 2000).contains(&entries), "{entries} entries");
    assert_eq!(grid[0]["pairs"].as_u64().unwrap() * 2, entries);
    assert_eq!(grid[1]["entries"], entries);
    assert_eq!(rows(&["--search", "tree"])[0]["entries"], entries);
    let once = &rows(&["--once"])[0];
    assert_eq!((&once["entries"], &once["pairs"]), (&grid[0]["pairs"], &grid[0]["pairs"]));
    // Rigid cubes of four particles touch only at their faces: a quarter of the pairs.
    let bodies = ["grid", "tree"].map(|search| rows(&["--bodies", "4", "--search", search])[0].clone());
    let met = bodies[0]["entries"].as_u64().unwrap();
    assert!(met > entries / 8 && met < entries / 3, "{met} entries of {entries}");
    assert_eq!((&bodies[1]["entries"], &bodies[0]["bodies"]), (&met.into(), &4.into()));
    // Larger particles have more neighbors.
    let spread = &rows(&["--spread", "8"])[0];
    assert!(spread["entries"].as_u64().unwrap() > entries);
    let args = ["bench", "--neighbors", "100", "--repeat", "1", "--search", "tree", "--backend", "cpu"];
    let text = dir.pliant(&args).code(0).stdout;
    for word in ["sort ms", "build ms", "lists ms", "total ms", "entries", "memory", "tree"] {
        assert!(text.contains(word), "{text}");
    }
}

#[test]
fn scenes_and_neighbors_are_exclusive() {
    let dir = SceneDir::with_scene(SMALL);
    dir.pliant(&["bench"]).code(2).stderr_has(&["SCENE"]);
    dir.pliant(&["bench", "scene.toml", "--neighbors", "10"]).code(2).stderr_has(&["--neighbors"]);
    for option in [&["--search", "grid"][..], &["--spread", "2"], &["--bodies", "3"], &["--once"]] {
        let args = [&["bench", "scene.toml"], option].concat();
        dir.pliant(&args).code(2).stderr_has(&[option[0], "help: give --neighbors N"]);
    }
    dir.pliant(&["bench", "--neighbors", "0"]).code(2).stderr_has(&["--neighbors"]);
    dir.pliant(&["bench", "--neighbors", "9", "--search", "oracle"]).code(2).stderr_has(&["oracle", "tree"]);
}

#[test]
fn check_reports_the_built_model() {
    let dir = SceneDir::with_scene(SMALL);
    let json = dir.pliant(&["check", "scene.toml", "--json"]).code(0).json();
    assert_eq!(json["particles"], 25);
    assert_eq!(json["constraints"]["stretch"], 56);
    assert!(json["batches"]["stretch"].as_u64().unwrap() >= 4);
    // Rows, previous rows and velocities of 25 particles take 25·48 bytes; there are more arrays.
    assert!(json["bytes"].as_u64().unwrap() > 1200);
    // 0.2 s at 50 frames/s.
    assert_eq!(json["frames"], 10);
    let result = dir.pliant(&["check", "scene.toml", "--set", "cloth.0.grid.cells=[9, 9]"]).code(0);
    for word in ["valid", "particles", "100", "stretch", "batches", "memory"] {
        assert!(result.stdout.contains(word), "{}", result.stdout);
    }
    assert!(!dir.path("out").exists());
}
