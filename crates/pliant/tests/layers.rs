//! Structure of the sources of the engine. Imports run one way: the tests fail on an import against the order of the
//! layers, and on a circle between files of different top folders. Circles within a folder are allowed: its files are parts
//! of one thing. Constants that Rust and WGSL share have one home.
#![allow(missing_docs, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Folders and files of `src`, lowest layer first. A file may import from its own layer's row and from those above it
/// in this list. Two names in one row do not import each other.
const LAYERS: &[&[&str]] = &[
    &["math", "memory", "bytes", "frame", "mesh", "environments", "collision"],
    &["runtime", "motion", "geometry"],
    &["schedule"],
    &["constraints"],
    &["error", "neighbors", "tetrahedralize", "voxel"],
    &["scene"],
    &["settings", "shape_matching", "rigid_body", "partition"],
    &["state"],
    &["transitions", "aero", "grip"],
    &["contact"],
    &["fluid", "integration", "surface_contact"],
    &["methods"],
    &["model"],
    &["builder", "solver"],
    &["world"],
    &["lib"],
];

/// Files by module path (`contact::model`), and what each of them imports.
struct Sources {
    files: BTreeMap<String, String>,
    imports: BTreeMap<String, BTreeSet<String>>,
}

impl Sources {
    fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut texts = BTreeMap::new();
        collect(&root, &root, &mut texts);
        let files: BTreeMap<_, _> = texts.keys().map(|file| (module(file), file.clone())).collect();
        let mut imports = BTreeMap::new();
        for (file, text) in &texts {
            let found = paths(text, &module(file)).into_iter().filter_map(|path| home(&files, &path));
            imports.insert(file.clone(), found.filter(|other| other != file).collect());
        }
        Self { files, imports }
    }
}

fn collect(root: &Path, folder: &Path, texts: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, texts);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            texts.insert(name, fs::read_to_string(&path).unwrap());
        }
    }
}

/// `contact/cpu/mod.rs` is `contact::cpu`; `lib.rs` is the root.
fn module(file: &str) -> String {
    let path = file.trim_end_matches(".rs").trim_end_matches("/mod");
    if path == "lib" { String::new() } else { path.replace('/', "::") }
}

/// The file that the longest module prefix of a path names.
fn home(files: &BTreeMap<String, String>, path: &str) -> Option<String> {
    let segments: Vec<&str> = path.split("::").collect();
    (1..=segments.len()).rev().find_map(|n| files.get(&segments[..n].join("::")).cloned())
}

/// A source without its inline test modules, `#[cfg(test)] mod tests { … }`, which end at a brace in the same column.
fn without_tests(text: &str) -> String {
    let mut code = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let inline = lines.peek().is_some_and(|next| next.contains("mod ") && next.trim_end().ends_with('{'));
        if line.trim() == "#[cfg(test)]" && inline {
            let end = format!("{}}}", &line[..line.len() - line.trim_start().len()]);
            lines.by_ref().find(|line| *line == end);
            continue;
        }
        code += line;
        code.push('\n');
    }
    code
}

/// Absolute module paths that a source names: `use` trees and inline `crate::` paths. Unit tests are left out.
fn paths(text: &str, module: &str) -> Vec<String> {
    let code = without_tests(text);
    let code: String = code.lines().filter(|l| !l.trim_start().starts_with("//")).map(|l| format!("{l}\n")).collect();
    let children: BTreeSet<&str> = code
        .lines()
        .filter_map(|l| l.split("mod ").nth(1).filter(|_| l.trim_end().ends_with(';')))
        .map(|rest| rest.trim_end_matches(';').trim())
        .collect();
    let mut all = Vec::new();
    for statement in code.split(';') {
        let Some(at) = statement.rfind("\nuse ").or_else(|| statement.rfind(" use ")) else { continue };
        for path in expand(statement[at + 5..].trim()) {
            let head = path.split("::").next().unwrap_or_default();
            match head {
                "crate" => all.push(path.trim_start_matches("crate::").to_owned()),
                "super" | "self" => all.push(relative(&path, module)),
                child if children.contains(child) => all.push(format!("{module}::{path}")),
                _ => {}
            }
        }
    }
    let inline = code.split("crate::").skip(1);
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    all.extend(inline.map(|rest| rest.split(|c| !is_path(c)).next().unwrap().trim_end_matches(':').to_owned()));
    all
}

fn relative(path: &str, module: &str) -> String {
    let mut base: Vec<&str> = module.split("::").collect();
    let mut segments = path.split("::").peekable();
    while let Some(&head) = segments.peek() {
        match head {
            "super" => drop(base.pop()),
            "self" => {}
            _ => break,
        }
        segments.next();
    }
    base.extend(segments);
    base.join("::")
}

/// The paths of a use tree.
fn expand(tree: &str) -> Vec<String> {
    let Some(open) = tree.find('{') else { return vec![tree.split(" as ").next().unwrap().trim().to_owned()] };
    let (head, inner) = (&tree[..open], &tree[open + 1..tree.rfind('}').unwrap_or(tree.len())]);
    let (mut depth, mut part, mut all) = (0, String::new(), Vec::new());
    for c in inner.chars().chain(std::iter::once(',')) {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if c == ',' && depth == 0 {
            if !part.trim().is_empty() {
                all.extend(expand(part.trim()).into_iter().map(|path| format!("{head}{path}")));
            }
            part.clear();
        } else {
            part.push(c);
        }
    }
    all
}

/// Top folder or file of a path below `src`.
fn top(file: &str) -> &str {
    file.split('/').next().unwrap().trim_end_matches(".rs")
}

fn layer(file: &str) -> usize {
    let name = top(file);
    let found = LAYERS.iter().position(|row| row.contains(&name));
    found.unwrap_or_else(|| panic!("{file}: add {name:?} to LAYERS, at the height where it belongs"))
}

#[test]
fn imports_follow_the_order_of_the_layers() {
    let sources = Sources::read();
    assert!(sources.files.len() > 150, "only {} files were read", sources.files.len());
    let mut wrong = Vec::new();
    for (file, imports) in &sources.imports {
        for other in imports.iter().filter(|other| top(other) != top(file)) {
            if layer(other) >= layer(file) && other != "lib.rs" {
                wrong.push(format!("{file} imports {other}"));
            }
        }
    }
    assert!(wrong.is_empty(), "against the order of the layers:\n{}", wrong.join("\n"));
}

#[test]
fn no_circle_joins_files_of_different_folders() {
    let sources = Sources::read();
    let mut reach: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for start in sources.imports.keys() {
        let mut open = vec![start.as_str()];
        let seen = reach.entry(start).or_default();
        while let Some(file) = open.pop() {
            for next in &sources.imports[file] {
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
    }
    let circles: Vec<String> = reach
        .iter()
        .flat_map(|(a, all)| all.iter().map(move |b| (*a, *b)))
        .filter(|(a, b)| a < b && top(a) != top(b) && reach[b].contains(a))
        .map(|(a, b)| format!("{a} and {b} import each other, directly or through others"))
        .collect();
    assert!(circles.is_empty(), "{}", circles.join("\n"));
}

#[test]
fn the_reader_of_imports_sees_trees_and_relative_paths() {
    let text = "mod child;\nuse crate::a::{b::C, d::{self, E as F}};\npub use child::X;\nuse super::y::Z;\nfn f() { crate::q::r(); }\n";
    let found = paths(text, "m::n");
    for path in ["a::b::C", "a::d::E", "m::n::child::X", "m::y::Z", "q::r"] {
        assert!(found.iter().any(|p| p == path), "{path} is missing in {found:?}");
    }
}

#[test]
fn the_reader_of_imports_skips_inline_tests_only() {
    let text = "#[cfg(test)]\nmod more_tests;\nuse crate::a::B;\n#[cfg(test)]\nmod tests {\n    use crate::b::C;\n}\n\
                fn f() {\n    crate::c::d();\n}\n";
    let found = paths(text, "m");
    assert!(found.contains(&"a::B".to_owned()) && found.contains(&"c::d".to_owned()), "{found:?}");
    assert!(!found.contains(&"b::C".to_owned()), "{found:?}");
}

/// Constants of one folder that have the same name in Rust and in WGSL without being declared by `shader_constants!` or
/// `shader_values!`: sizes of workgroups, which `@workgroup_size` repeats, and limits of two different shaders.
const SEPARATE: &[(&str, &str)] =
    &[("neighbors", "THREADS"), ("neighbors", "BLOCK"), ("neighbors", "EACH"), ("solver", "MAX_POLLS")];

fn constants(root: &Path, extension: &str) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                let file = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
                let text = fs::read_to_string(&path).unwrap();
                // Strings of Rust that declare a constant of WGSL are no declarations of Rust.
                let lines = text.lines().map(|l| l.trim_start().trim_start_matches("pub(crate) "));
                let lines = lines.map(|l| l.trim_start_matches("pub(super) ").trim_start_matches("pub "));
                let names = lines.filter_map(|l| l.strip_prefix("const ")?.split_once(':'));
                found.extend(names.map(|(name, _)| (top(&file).to_owned(), name.to_owned())));
            }
        }
    }
    found
}

#[test]
fn constants_that_rust_and_wgsl_share_have_one_home() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (rust, wgsl) = (constants(&root, "rs"), constants(&root, "wgsl"));
    assert!(wgsl.len() > 20, "only {} constants of WGSL were read", wgsl.len());
    let is_separate = |(folder, name): &&(String, String)| SEPARATE.contains(&(folder.as_str(), name.as_str()));
    let twice: Vec<_> = wgsl.intersection(&rust).filter(|both| !is_separate(both)).collect();
    assert!(twice.is_empty(), "declare them by shader_values! instead of again in WGSL: {twice:?}");
}
