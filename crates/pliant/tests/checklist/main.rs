//! The list of requirements: which tests prove them, whether these exist, and whether they ran.
//!
//! `docs/requirements.md` is generated from here, see `page.rs`.

#![allow(missing_docs, reason = "a test")]

mod errata;
mod extra;
mod ids;
mod log;
mod page;
mod reliability;
mod scenes;
mod sources;
mod systems;
mod validation;

use ids::Status;
use sources::{ids as ids_of, names, proofs, root, tests};
use std::collections::BTreeSet;
use std::fs;

#[test]
fn every_id_is_listed_once_and_described() {
    let all: Vec<&str> = ids::all().map(|r| r.id).collect();
    let expected = [('S', 33), ('T', 12), ('E', 33), ('V', 36), ('R', 16)];
    let expected: Vec<String> =
        expected.iter().flat_map(|&(f, n)| (1..=n).map(move |k| format!("{f}{k:02}"))).collect();
    assert_eq!(all, expected);
    for r in ids::all() {
        assert!(r.says.len() > 20 && r.says.ends_with('.'), "{}: {:?}", r.id, r.says);
        assert!(r.status == Status::Met || !r.note.is_empty(), "{} is {}, but what is missing?", r.id, r.status.name());
    }
}

#[test]
fn every_requirement_that_is_met_has_a_test() {
    let tests = tests();
    assert!(tests.len() > 500, "only {} tests found: are the sources where they should be?", tests.len());
    for r in ids::all() {
        let proofs = proofs(r, &tests);
        let open = r.status == Status::Open;
        assert!(open || !proofs.is_empty(), "{} is {}, but no test proves it", r.id, r.status.name());
        assert!(!open || proofs.is_empty(), "{} is open, but {} names it", r.id, proofs[0].name);
    }
}

#[test]
fn every_test_that_names_an_id_names_one_that_exists() {
    let known: BTreeSet<&str> = ids::all().map(|r| r.id).collect();
    for test in tests() {
        for id in ids_of(&test.name) {
            assert!(known.contains(id.as_str()), "{} names {id}, which is no requirement", test.name);
        }
    }
}

#[test]
fn every_test_of_the_extra_list_exists_and_does_not_name_the_id() {
    let tests = tests();
    for (id, names) in extra::ALL {
        for name in *names {
            assert!(tests.iter().any(|t| t.name == *name), "{id} is to be proved by {name}, which is no test");
            assert!(ids_of(name).all(|i| i != *id), "{name} names {id} already");
        }
    }
}

#[test]
fn ignored_tests_are_not_found() {
    let text = "#[test]\nfn a() {}\n#[test]\n#[ignore = \"slow\"]\nfn b() {}\n#[ignore]\n#[test]\nfn c() {}\n#[test]\nfn d(x in y) {}";
    assert_eq!(names(text).collect::<Vec<_>>(), ["a", "d"]);
    assert_eq!(ids_of("s05_e11_a_test_of_s06").collect::<Vec<_>>(), ["S05", "E11"]);
}

#[test]
fn requirements_page_is_up_to_date() {
    let path = root().join("docs/requirements.md");
    let page = page::page(&tests());
    if std::env::var_os("PLIANT_UPDATE_DOCS").is_some() {
        fs::write(&path, page).expect("docs can be written");
        return;
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    let differs = found.lines().zip(page.lines()).position(|(a, b)| a != b);
    let line = differs.unwrap_or(found.lines().count().min(page.lines().count()));
    assert!(
        found == page,
        "docs/requirements.md is out of date from line {}\nhelp: PLIANT_UPDATE_DOCS=1 cargo test -p pliant --test checklist",
        line + 1
    );
}

#[test]
fn logs_are_read_by_binary_and_name() {
    let output = "     Running unittests src/lib.rs (target/debug/deps/pliant-0a1b)\n\
                  test mesh::one ... ok\ntest mesh::two ... FAILED\n\
                  \x20    Running tests/gpu/main.rs (target/debug/deps/gpu-77ff)\n\
                  test sims::one ... ok\ntest sims::three ... ok\ntest four ... ignored\ntest five - should panic ... ok\n";
    assert_eq!(log::ran(output, "").into_iter().collect::<Vec<_>>(), ["five", "one", "three"]);
    // The same name in another binary still counts.
    assert_eq!(log::ran(output, "gpu-77ff sims::one\n").into_iter().collect::<Vec<_>>(), ["five", "one", "three"]);
    assert_eq!(log::ran(output, "gpu-77ff sims::three\n").into_iter().collect::<Vec<_>>(), ["five", "one"]);
    assert_eq!(log::ran(output, "gpu-77ff main\n").into_iter().collect::<Vec<_>>(), ["one"]);
}

/// With PLIANT_TEST_LOG, a file of the output of `cargo test --workspace --all-features` with both streams, and PLIANT_SKIPPED_LOG, the
/// file that tests which skip wrote to: every requirement that is met or partial has a test that ran.
#[test]
#[expect(clippy::print_stderr, reason = "says that there is nothing to check")]
fn every_requirement_has_a_test_that_ran() {
    let Some(path) = std::env::var_os("PLIANT_TEST_LOG") else {
        eprintln!("nothing to check: PLIANT_TEST_LOG is not set");
        return;
    };
    let output = fs::read_to_string(&path).unwrap_or_else(|e| panic!("PLIANT_TEST_LOG {}: {e}", path.display()));
    let skips = std::env::var_os("PLIANT_SKIPPED_LOG").and_then(|path| fs::read_to_string(path).ok());
    let ran = log::ran(&output, &skips.unwrap_or_default());
    assert!(ran.len() > 500, "only {} tests ran: does the log hold both streams of all tests?", ran.len());
    let tests = tests();
    let mut unproved = Vec::new();
    for r in ids::all().filter(|r| r.status != Status::Open) {
        let proofs = proofs(r, &tests);
        if !proofs.iter().any(|test| ran.contains(&test.name)) {
            unproved.push(format!("{}: none of {} tests ran", r.id, proofs.len()));
        }
    }
    assert!(unproved.is_empty(), "requirements without a test that ran:\n{}", unproved.join("\n"));
}
