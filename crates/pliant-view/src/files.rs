//! Files that the window writes: whole or not at all.

use pliant_io::{WriteError, write_atomically};
use std::io;
use std::path::Path;

/// Writes a file, and makes the folder that it is in. Links under its name or in the way of temporary files are not followed.
pub fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)?;
    }
    write_atomically(path, |file| file.write_all(bytes)).map_err(|error| match error {
        // Messages name the file themselves.
        WriteError::Io { source, .. } => source,
        other => io::Error::other(other),
    })
}
