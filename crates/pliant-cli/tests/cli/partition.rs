//! `pliant partition`: table, JSON and plot.

use crate::support::{SMALL, SceneDir, keys};
use serde_json::Value;

const KEYS: [&str; 11] = [
    "build_ms",
    "copied",
    "copies",
    "groups",
    "islands",
    "partition_ms",
    "passes_per_iteration",
    "patches",
    "scene",
    "solver",
    "tilings",
];

const GROUP_KEYS: [&str; 11] = [
    "averaged",
    "colors",
    "constraints",
    "imbalance",
    "kind",
    "omega",
    "omega_exact",
    "passes_per_iteration",
    "phantom_constraints",
    "phantoms",
    "sizes",
];

fn sizes(group: &Value) -> Vec<u64> {
    group["sizes"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect()
}

#[test]
fn the_json_has_exactly_its_keys_and_sizes_add_up() {
    let dir = SceneDir::with_scene(SMALL);
    for scene in ["graph8", "flags"] {
        for solver in ["auto", "serial", "color", "phantom:4", "hybrid:4", "patch:200", "shared-patch:200", "jacobi"] {
            let json = dir.pliant(&["partition", scene, "--solver", solver, "--json"]).code(0).json();
            assert_eq!(keys(&json), KEYS);
            assert_eq!(json["scene"], scene);
            let name = json["solver"].as_str().unwrap();
            assert!(name != "auto" && (solver == "auto" || solver.starts_with(name)), "{solver}: {name}");
            for group in json["groups"].as_array().unwrap() {
                assert_eq!(keys(group), GROUP_KEYS);
                let total: u64 = sizes(group).iter().sum();
                assert_eq!(total, group["constraints"].as_u64().unwrap(), "{scene}, {solver}: {group}");
            }
            assert!(json["build_ms"].as_f64().unwrap() >= json["partition_ms"].as_f64().unwrap());
        }
    }
    let json = dir.pliant(&["partition", "graph8", "--json"]).code(0).json();
    assert_eq!(json["groups"][0]["constraints"], 15);
}

#[test]
fn the_table_names_solver_and_columns() {
    let dir = SceneDir::with_scene(SMALL);
    let result = dir.pliant(&["partition", "scene.toml", "--solver", "phantom:3"]).code(0);
    for word in ["solver phantom", "omega", "imbalance", "phantoms", "stretch", "passes per iteration", "whole build"] {
        assert!(result.stdout.contains(word), "{word}: {}", result.stdout);
    }
    // Bodies that fit the cache are not split, so patches need a large one.
    let result = dir.pliant(&["partition", "sheet", "--solver", "patch:2000"]).code(0);
    assert!(result.stdout.contains("patches by tiling"), "{}", result.stdout);
}

/// Number of SVG elements of a name whose attributes contain a text.
fn count(svg: &str, element: &str, with: &str) -> usize {
    svg.split(&format!("<{element} ")).skip(1).filter(|e| e.split_once('>').unwrap().0.contains(with)).count()
}

#[test]
fn the_picture_of_a_small_scene_has_a_bar_per_color_and_a_line_per_constraint() {
    let dir = SceneDir::with_scene(SMALL);
    let args = ["partition", "graph8", "--solver", "color", "--plot", "net.svg", "--json"];
    let json = dir.pliant(&args).code(0).json();
    let svg = std::fs::read_to_string(dir.path("net.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"), "{svg}");
    let sizes = sizes(&json["groups"][0]);
    // All filled bars, and the background.
    assert_eq!(count(&svg, "rect", "stroke=\"none\""), sizes.len() + 1);
    assert_eq!(count(&svg, "polyline", "stroke-width=\"3\""), 15);
    for (i, color) in ["#0072B2", "#D55E00", "#009E73"].into_iter().enumerate() {
        assert_eq!(count(&svg, "polyline", color) as u64, sizes[i], "{color}");
    }
    for word in ["stretch: 15 constraints", "mean ", "color", "constraints"] {
        assert!(svg.contains(word), "{word}");
    }
}

#[test]
fn the_picture_of_a_large_scene_has_bars_only() {
    let dir = SceneDir::with_scene(SMALL);
    let json = dir.pliant(&["partition", "flags", "--plot", "flags.svg", "--json"]).code(0).json();
    let svg = std::fs::read_to_string(dir.path("flags.svg")).unwrap();
    let bars: usize = json["groups"].as_array().unwrap().iter().map(|g| sizes(g).len()).sum();
    assert_eq!(count(&svg, "rect", "#0072B2"), bars);
    assert_eq!(count(&svg, "circle", ""), 0);
}

#[test]
fn every_kind_of_scene_and_solver_can_be_drawn() {
    let dir = SceneDir::with_scene("");
    dir.write(
        "mixed.toml",
        r#"
        [[soft]]
        block = { cells = [1, 1, 2], size = [1, 1, 2] }
        volume = { stiffness = 1 }
        [[rope]]
        path = [[0, 3, 0], [1, 3, 0]]
        segments = 4
        bend = { compliance = 1e-3 }
        twist = { compliance = 1e-3 }
        [[inflatable]]
        sphere = { subdivisions = 0, radius = 0.5 }
        "#,
    );
    dir.write("nothing.toml", "");
    for solver in ["serial", "phantom:2", "hybrid:2", "patch:8", "shared-patch:8", "jacobi"] {
        dir.pliant(&["partition", "mixed.toml", "--solver", solver, "--plot", "mixed.svg"]).code(0);
        let svg = std::fs::read_to_string(dir.path("mixed.svg")).unwrap();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{solver}: {svg}");
    }
    dir.pliant(&["partition", "nothing.toml", "--plot", "nothing.svg"]).code(0);
}

#[test]
fn wrong_solvers_and_plot_paths_are_refused() {
    let dir = SceneDir::with_scene(SMALL);
    let refused = |args: &[&str], code: i32, words: &[&str]| {
        let result = dir.pliant(&[&["partition", "scene.toml"], args].concat()).code(code).stderr_has(words);
        assert_eq!(result.stdout, "");
    };
    refused(&["--solver", "magic"], 2, &["\"magic\"", "phantom"]);
    refused(&["--solver", "phantom:1"], 3, &["solver.colors", "--> --solver phantom:1"]);
    refused(&["--plot", "picture.png"], 2, &[".svg"]);
    refused(&["--plot", "missing/picture.svg"], 1, &["cannot write", "missing/picture.svg"]);
    std::fs::create_dir(dir.path("folder.svg")).unwrap();
    refused(&["--plot", "folder.svg"], 1, &["cannot write", "folder.svg"]);
    let left = crate::support::files(dir.dir.path());
    assert_eq!(left, ["folder.svg", "scene.toml"], "a plot that could not be written leaves no file");
}
