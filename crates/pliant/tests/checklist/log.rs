//! Finds the tests that ran in the captured output of `cargo test`.

use std::collections::BTreeSet;

/// Binary and name (without its modules) of a test.
pub type Run = (String, String);

/// Tests that the output of `cargo test` reports as `ok`. Cargo names the binary before its tests, on its error stream, so both
/// streams must have been captured together.
pub fn passed(output: &str) -> BTreeSet<Run> {
    let mut binary = String::new();
    let mut found = BTreeSet::new();
    for line in output.lines().map(str::trim) {
        if let Some(path) = line.strip_prefix("Running ").and_then(|l| l.rsplit_once('(')).map(|(_, path)| path) {
            binary = stem(path.trim_end_matches(')'));
        } else if let Some(name) = line.strip_prefix("test ").and_then(|l| l.strip_suffix(" ... ok")) {
            // `should_panic` tests have a suffix.
            let name = name.trim_end_matches(" - should panic");
            found.insert((binary.clone(), last(name).to_owned()));
        }
    }
    found
}

/// Tests that skipped, by the lines of PLIANT_SKIPPED_LOG: binary and name.
pub fn skipped(lines: &str) -> BTreeSet<Run> {
    lines.lines().filter_map(|l| l.trim().split_once(' ')).map(|(b, n)| (stem(b), last(n).to_owned())).collect()
}

/// Names of tests that have run and have not skipped. A test that skipped on a thread without its name is noted as `main`: then
/// nothing of its binary counts.
pub fn ran(output: &str, skips: &str) -> BTreeSet<String> {
    let skipped = skipped(skips);
    let counts = |(binary, name): &Run| {
        !skipped.contains(&(binary.clone(), name.clone())) && !skipped.contains(&(binary.clone(), "main".to_owned()))
    };
    passed(output).into_iter().filter(counts).map(|(_, name)| name).collect()
}

/// Name of a binary without its folder and the hash that Cargo appends.
fn stem(path: &str) -> String {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path).trim_end_matches(".exe");
    file.rsplit_once('-').map_or(file, |(name, _)| name).to_owned()
}

/// Last part of a path of modules.
fn last(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}
