//! Finds tests in the sources of all crates, and the requirements that their names begin with.

use crate::extra;
use crate::ids::Requirement;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A test that runs: not `#[ignore]`d.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Test {
    pub name: String,
    /// Crate and test target, as `pliant/kernels`; `pliant/src` for unit tests.
    pub home: String,
}

/// Root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All tests of the workspace, by name.
pub fn tests() -> Vec<Test> {
    let mut found = Vec::new();
    for member in children(&root().join("crates")) {
        let name = file_name(&member);
        collect(&member.join("src"), &format!("{name}/src"), &mut found);
        for target in children(&member.join("tests")) {
            let home = format!("{name}/{}", file_name(&target).trim_end_matches(".rs"));
            collect(&target, &home, &mut found);
        }
    }
    found.sort();
    found.dedup();
    found
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut all: Vec<PathBuf> = entries.map(|e| e.expect("a readable folder").path()).collect();
    all.sort();
    all
}

fn file_name(path: &Path) -> String {
    path.file_name().and_then(|n| n.to_str()).expect("a name in Unicode").to_owned()
}

fn collect(path: &Path, home: &str, found: &mut Vec<Test>) {
    if path.is_dir() {
        children(path).iter().for_each(|child| collect(child, home, found));
    } else if path.extension().is_some_and(|e| e == "rs") {
        let text = fs::read_to_string(path).expect("a source file");
        found.extend(names(&text).map(|name| Test { name, home: home.to_owned() }));
    }
}

/// Names of the tests of a source that are not ignored.
pub fn names(text: &str) -> impl Iterator<Item = String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let name = move |at: usize| {
        // Attributes may come before or after `#[test]`.
        let before = lines[..at].iter().rev().take_while(|l| l.starts_with("#["));
        let after = lines[at + 1..].iter().take_while(|l| !l.starts_with("fn "));
        if before.chain(after.clone()).any(|l| l.starts_with("#[ignore")) {
            return None;
        }
        let line = lines.get(at + 1 + after.count())?;
        line.strip_prefix("fn ").and_then(|l| l.split('(').next()).map(str::to_owned)
    };
    let marked: Vec<usize> =
        text.lines().enumerate().filter(|(_, l)| l.trim() == "#[test]").map(|(at, _)| at).collect();
    marked.into_iter().filter_map(name)
}

/// Ids at the front of a test's name: `s05_t09_…` proves S05 and T09.
pub fn ids(name: &str) -> impl Iterator<Item = String> {
    name.split('_')
        .take_while(|w| w.len() == 3 && "stevr".contains(&w[..1]) && w[1..].bytes().all(|b| b.is_ascii_digit()))
        .map(str::to_uppercase)
}

/// Tests that prove a requirement, by their names or by the explicit list.
pub fn proofs<'a>(requirement: &Requirement, tests: &'a [Test]) -> Vec<&'a Test> {
    let named = |test: &Test| ids(&test.name).any(|id| id == requirement.id);
    let more: BTreeSet<&str> = extra::ALL
        .iter()
        .filter(|(id, _)| *id == requirement.id)
        .flat_map(|(_, names)| names.iter().copied())
        .collect();
    tests.iter().filter(|test| named(test) || more.contains(test.name.as_str())).collect()
}
