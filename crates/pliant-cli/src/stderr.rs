//! Writes to stderr: errors, notes and progress.

use std::io::{self, Write};

/// Writes a line to stderr. An error of this write cannot be reported anywhere and is ignored.
pub fn note(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}
