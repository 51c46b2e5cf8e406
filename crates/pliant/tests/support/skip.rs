//! For tests that cannot run on this machine: no GPU adapter, no model files.
//!
//! Test crates include this file with `#[path]`. A test that skips passes, but proves nothing: it reports the skip, and
//! appends its binary and its name to the file PLIANT_SKIPPED_LOG, which `tests/checklist` reads.

#![allow(dead_code, reason = "a test crate may need one of these only")]

use std::fs::OpenOptions;
use std::io::Write;

/// The test that calls this proves nothing on this machine.
///
/// Must be called on the test's own thread, whose name is that of the test. On others the whole binary is noted.
pub fn skipped(reason: &str) {
    left_out(reason);
    let Some(path) = std::env::var_os("PLIANT_SKIPPED_LOG") else { return };
    let binary = std::env::current_exe().ok();
    let binary = binary.as_ref().and_then(|path| path.file_stem()?.to_str()).expect("the name of the test binary");
    let thread = std::thread::current();
    let line = format!("{binary} {}\n", thread.name().unwrap_or("main"));
    let log = OpenOptions::new().create(true).append(true).open(&path);
    // One write, so that lines of several processes do not mix.
    log.and_then(|mut file| file.write_all(line.as_bytes())).expect("PLIANT_SKIPPED_LOG can be written");
}

/// The test that calls this leaves out a part and proves the rest.
#[expect(clippy::print_stderr, reason = "a test that is skipped must say so")]
pub fn left_out(reason: &str) {
    eprintln!("skipped: {reason}");
}
