//! Writes to stdout, which carries data only.
//!
//! A closed pipe (`pliant scenes | head -1`) is not an error; a full disk behind stdout is.

use crate::failure::Failure;
use std::io::{self, ErrorKind, Write};

/// Writes to stdout.
pub fn text(text: &str) -> Result<(), Failure> {
    bytes(text.as_bytes())
}

/// Writes to stdout.
pub fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(Failure::io("cannot write to standard output", &e)),
        _ => Ok(()),
    }
}

/// Writes a value as indented JSON to stdout.
pub fn json(value: &impl serde::Serialize) -> Result<(), Failure> {
    text(&to_json(value)?)
}

/// A value as indented JSON with a trailing line break.
pub fn to_json(value: &impl serde::Serialize) -> Result<String, Failure> {
    let mut text = serde_json::to_string_pretty(value).map_err(|e| Failure::new(format!("cannot write JSON: {e}")))?;
    text.push('\n');
    Ok(text)
}
