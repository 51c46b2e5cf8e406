//! `pliant study`: tables, CSV files and charts.

use crate::support::{SceneDir, files, keys};
use std::path::Path;

/// A cloth pulled by one corner with full damping: it does not swing, so that its error falls from step to step as it does
/// from iteration to iteration.
const PULLED: &str = r#"
title = "A rag that is pulled once"

[solver]
method = "pbd"
dt = 0.01
iterations = 4

[world]
gravity = [0, 0, 0]
air_density = 0
damping = 1000

[[cloth]]
name = "rag"
grid = { cells = [4, 4], size = [1, 1] }
stretch = { stiffness = 1 }

[[cloth.pin]]
at = "top left"
motion = { keys = { frames = [{ time = 0 }, { time = 0.01, translate = [-0.3, 0.3, 0] }] } }
"#;

/// Header and cells of a CSV file.
fn csv(path: &Path) -> (Vec<String>, Vec<Vec<String>>) {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(|l| l.split(',').map(str::to_owned).collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let rows: Vec<_> = lines.collect();
    assert!(rows.iter().all(|r| r.len() == header.len()), "{text}");
    (header, rows)
}

fn number(cell: &str) -> f64 {
    cell.parse().unwrap_or_else(|_| panic!("{cell:?} is not a number"))
}

/// Number of polylines in the color of the first series.
fn lines_of_the_first_series(svg: &Path) -> usize {
    let text = std::fs::read_to_string(svg).unwrap();
    assert!(text.starts_with("<svg ") && text.trim_end().ends_with("</svg>"), "{text}");
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    text.split("<polyline ").filter(|e| e.contains("stroke=\"#0072B2\"")).count()
}

#[test]
fn convergence_writes_a_line_per_solver_and_step() {
    let dir = SceneDir::with_scene(PULLED);
    let solvers = ["color", "phantom:3", "jacobi"];
    let args = ["study", "convergence", "scene.toml", "--solvers", "color,phantom:3,jacobi", "--steps", "20"];
    let result = dir.pliant(&args).code(0);
    for word in solvers.iter().chain(&["passes/iteration", "solve ms/step", "convergence.svg"]) {
        assert!(result.stdout.contains(word), "{word}: {}", result.stdout);
    }
    assert_eq!(result.stderr, "");
    let out = dir.path("out/scene");
    assert_eq!(files(&out), ["convergence.csv", "convergence.svg"]);
    let (header, rows) = csv(&out.join("convergence.csv"));
    let wanted =
        "solver,step,iterations,passes,solve_ms,residual_mean,residual_stretch_mean,residual_stretch_max,drift_m";
    assert_eq!(header.join(","), wanted);
    assert_eq!(rows.len(), solvers.len() * 20);
    for (solver, rows) in solvers.iter().zip(rows.chunks(20)) {
        assert!(rows.iter().enumerate().all(|(i, r)| r[0] == *solver && r[1] == (i + 1).to_string()));
        // 4 iterations a step.
        assert_eq!(rows[19][2], "80");
        let column = |k: usize| rows.iter().map(|r| number(&r[k])).collect::<Vec<_>>();
        assert!(column(4).is_sorted(), "{solver}: time increases");
        let residual = column(5);
        assert!(residual[19] < residual[4] && residual[4] > 0.0, "{solver}: {residual:?}");
        assert!(number(&rows[19][8]) > 0.01, "{solver}: the cloth moves");
    }
    // One line in each panel and one in the legend.
    assert_eq!(lines_of_the_first_series(&out.join("convergence.svg")), 3);
}

#[test]
fn convergence_gives_equal_time_to_unequal_solvers() {
    let dir = SceneDir::with_scene(PULLED);
    let args = ["study", "convergence", "scene.toml", "--solvers", "color,jacobi-gather", "--steps", "3"];
    let more = ["--budget-ms", "0.5", "--json", "--out", "there"];
    let json = dir.pliant(&[&args[..], &more].concat()).code(0).json();
    let wanted = ["backend", "budget_ms", "csv", "equal_residual", "scene", "solvers", "steps", "svg", "threads"];
    assert_eq!(keys(&json), wanted);
    let solvers = json["solvers"].as_array().unwrap();
    assert_eq!(solvers.len(), 2);
    for solver in solvers {
        assert!(solver["iterations"].as_u64().unwrap() >= 1);
        assert!(solver["ms_to_equal_residual"].as_f64().unwrap() > 0.0);
    }
    let result = dir.pliant(&[&args[..], &["--budget-ms", "0.001"]].concat()).code(0);
    assert!(result.stdout.contains("chosen for 0.001 ms per step: color "), "{}", result.stdout);
    assert_eq!(files(&dir.path("there")).len(), 2);
}

#[test]
fn equal_finds_the_iterations_that_match_the_first_solver() {
    let dir = SceneDir::with_scene(PULLED);
    let args = ["study", "equal", "scene.toml", "--solvers", "color,phantom:3,jacobi", "--steps", "4", "--most", "64"];
    let json = dir.pliant(&[&args[..], &["--json"]].concat()).code(0).json();
    let rows = json.as_array().unwrap();
    let wanted = [
        "all_constraints",
        "backend",
        "constraints",
        "iterations",
        "ms_per_step",
        "partition",
        "passes_per_iteration",
        "passes_per_step",
        "phantom_constraints",
        "phantoms",
        "reached",
        "residual",
        "scene",
        "solve_ms_per_step",
        "solver",
        "speed_up",
    ];
    assert!(rows.iter().all(|r| keys(r) == wanted));
    let solvers: Vec<_> = rows.iter().map(|r| r["solver"].as_str().unwrap()).collect();
    assert_eq!(solvers, ["color", "phantom:3", "jacobi"]);
    assert_eq!(rows[0]["iterations"], 4);
    let first = rows[0]["residual"].as_f64().unwrap();
    for row in rows {
        assert_eq!(row["reached"], true, "{row}");
        assert!(row["residual"].as_f64().unwrap() <= first, "{row}");
        let passes = row["passes_per_iteration"].as_u64().unwrap() * row["iterations"].as_u64().unwrap();
        assert_eq!(row["passes_per_step"], passes);
        let phantoms = row["phantom_constraints"].as_u64().unwrap();
        assert_eq!(row["constraints"].as_u64().unwrap() + phantoms, row["all_constraints"].as_u64().unwrap());
    }
    assert!(rows[1]["phantoms"].as_u64().unwrap() > 0);
    // Jacobi converges more slowly per iteration than Gauss–Seidel.
    assert!(rows[2]["iterations"].as_u64().unwrap() > 4);
    assert_eq!(rows[2]["speed_up"], 1.0);
}

#[test]
fn equal_reports_a_solver_that_does_not_reach_the_residual() {
    let dir = SceneDir::with_scene(PULLED);
    let args = ["study", "equal", "scene.toml", "--solvers", "color,jacobi", "--steps", "4", "--most", "5"];
    let result = dir.pliant(&args).code(0);
    assert!(result.stdout.contains("not reached in 5"), "{}", result.stdout);
}

#[test]
fn equal_notes_residuals_at_the_level_of_rounding() {
    // The cube falls freely in its first steps.
    let dir = SceneDir::with_scene(PULLED);
    let args = ["study", "equal", "cube", "--solvers", "color,patch", "--steps", "4", "--most", "64", "--json"];
    let more = ["--set", "soft.0.block.cells=[4, 4, 4]"];
    let result = dir.pliant(&[&args[..], &more].concat()).code(0).stderr_has(&["note: cube", "rounding"]);
    assert_eq!(result.json().as_array().unwrap().len(), 2);
}

#[test]
fn colors_compares_every_number_of_colors_with_a_reference() {
    let dir = SceneDir::with_scene(PULLED);
    let result = dir.pliant(&["study", "colors", "scene.toml", "--steps", "4", "--json", "--out", "there"]).code(0);
    let json = result.json();
    let plain = json["plain"]["colors"].as_u64().unwrap();
    assert_eq!(json["reference_iterations"], 64);
    let (header, rows) = csv(&dir.path("there/colors.csv"));
    assert_eq!(header[..3], ["solver", "colors", "error"]);
    let solvers: Vec<String> = (2..=plain).map(|q| format!("phantom:{q}")).collect();
    let found: Vec<&String> = rows.iter().map(|r| &r[0]).collect();
    assert_eq!(found, std::iter::once(&"color".to_owned()).chain(&solvers).collect::<Vec<_>>());
    let errors: Vec<f64> = rows.iter().map(|r| number(&r[2])).collect();
    // With as many colors as the plain coloring the error is similar; with two it is larger.
    assert!(errors[0] > 0.0 && errors[1] > errors[0] && errors.last().unwrap() < &errors[1], "{errors:?}");
    // One line in the chart and one in the legend.
    assert_eq!(lines_of_the_first_series(&dir.path("there/colors.svg")), 2);
    let result = dir.pliant(&["study", "colors", "scene.toml", "--steps", "2", "--from", "3", "--to", "4"]).code(0);
    assert!(result.stdout.contains("phantom:3") && !result.stdout.contains("phantom:5"), "{}", result.stdout);
    dir.pliant(&["study", "colors", "scene.toml", "--from", "50"]).code(1).stderr_has(&["from 50 to", "help: "]);
}

/// A stack of rigid boxes.
const BOXES: &str = r#"
title = "Boxes that land"

[solver]
dt = 0.01
iterations = 4

[[body]]
name = "box"
box = [0.4, 0.4, 0.4]
grid = 8
array = { count = [2, 2, 2], spacing = [0.402, 0.402, 0.402] }
transform = { translate = [0, 0.21, 0] }

[[collider]]
plane = {}
"#;

#[test]
fn t11_neighbors_are_timed_for_every_construction_and_traversal() {
    let dir = SceneDir::with_scene(BOXES);
    let args = ["study", "neighbors", "scene.toml", "--steps", "6", "--every", "3", "--out", "there"];
    let result = dir.pliant(&args).code(0);
    for word in ["grid 64^3", "grid 128^3", "sorting", "mbvh2 from leaf", "tree of balls", "neighbors.svg"] {
        assert!(result.stdout.contains(word), "{word}: {}", result.stdout);
    }
    let (header, rows) = csv(&dir.path("there/neighbors.csv"));
    let names = "cloud,particles,pairs,structure,construction,traversal,build_ms,search_ms,total_ms";
    assert_eq!(header.join(","), names);
    // Three grids with two constructions; nine traversals of boxes and of balls, six of single particles.
    assert_eq!(rows.len(), 2 * (6 + 9 + 9 + 6));
    let of = |cloud: &str| rows.iter().filter(|r| r[0] == cloud).map(|r| number(&r[1])).collect::<Vec<f64>>();
    let (equal, merged) = (of("scene"), of("scene merged"));
    assert!(equal.iter().all(|&n| n == 8.0 * 512.0), "{equal:?}");
    assert!(merged.iter().all(|&n| n > 0.0 && n < equal[0]), "{merged:?}");
    assert!(rows.iter().all(|r| number(&r[2]) > 0.0 && number(&r[6]) > 0.0 && number(&r[7]) > 0.0), "{rows:?}");
    let json = dir.pliant(&[&args[..], &["--json"]].concat()).code(0).json();
    assert_eq!(json["clouds"].as_array().unwrap().len(), 2);
    dir.pliant(&["study", "neighbors", "nowhere.toml"]).code(3).stderr_has(&["nowhere.toml"]);
}

#[test]
fn unknown_solvers_are_refused_with_the_option_quoted() {
    let dir = SceneDir::with_scene(PULLED);
    let study = |solvers: &str| dir.pliant(&["study", "convergence", "scene.toml", "--solvers", solvers]);
    study("color,magic").code(2).stderr_has(&["\"magic\"", "jacobi-gather"]);
    study("color:3").code(2).stderr_has(&["takes no number"]);
    study("phantom:x").code(2).stderr_has(&["not a whole number"]);
    study("color,phantom:1").code(3).stderr_has(&["solver.colors", "--solvers phantom:1"]);
    study("patch:1").code(3).stderr_has(&["solver.patch_particles", "--solvers patch:1"]);
    dir.pliant(&["study", "convergence", "scene.toml"]).code(2).stderr_has(&["--solvers"]);
    assert!(!dir.path("out").exists(), "a refused study leaves no files");
}

#[test]
fn an_output_folder_that_is_a_file_stops_a_study_before_it_runs() {
    let dir = SceneDir::with_scene(PULLED);
    dir.write("taken", "mine");
    for study in [&["convergence", "scene.toml", "--solvers", "color"][..], &["colors", "scene.toml"]] {
        dir.pliant(&[&["study"], study, &["--out", "taken"]].concat()).code(1).stderr_has(&["taken"]);
    }
    assert_eq!(std::fs::read_to_string(dir.path("taken")).unwrap(), "mine");
}

#[test]
fn a_study_that_diverges_names_the_solver() {
    let dir = SceneDir::with_scene(PULLED);
    let wild = ["--set", "solver.dt=10", "--set", "world.gravity=[0, -9000, 0]", "--set", "world.damping=0"];
    let args = ["study", "convergence", "scene.toml", "--solvers", "color", "--steps", "50", "--set", "cloth.0.pin=[]"];
    dir.pliant(&[&args[..], &wild].concat()).code(4).stderr_has(&[
        "diverged",
        "solver color",
        "--set solver.substeps=4",
    ]);
}
