//! Temporary files: how they are named, and how a live one is told from one that a killed process has left.
//!
//! The process that writes one holds its lock, which the operating system lets go when the process ends, however it ends.
//! `pliant_render::video::part_file` does the same for videos: that crate depends on no other of the workspace.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

/// Start of the names of temporary files. What is left of a killed process is recognized by it, see
/// [`is_temporary`].
const PREFIX: &str = ".pliant-";

/// End of the names of temporary files.
const SUFFIX: &str = ".tmp";

/// Files that are made at most until one is not taken for what a killed process has left.
const ATTEMPTS: u32 = 8;

/// Whether a file name is that of a temporary file of this crate or of the video writers. Who writes one holds its lock
/// ([`File::lock`]); one that can be locked was left by a killed process.
pub fn is_temporary(name: &str) -> bool {
    name.len() > PREFIX.len() + SUFFIX.len() && name.starts_with(PREFIX) && name.ends_with(SUFFIX)
}

/// A new file with a random name, locked while it is open. Where the file system has no locks it has none.
pub fn create_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Readable as any other file: the default of temporary files is the owner alone.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    for _ in 1..ATTEMPTS {
        let file = builder.tempfile_in(folder)?;
        if is_kept(file.as_file()) {
            return Ok(file);
        }
    }
    builder.tempfile_in(folder)
}

/// Locks a new file; false where another process was faster, has taken it for a remainder, and removes it.
fn is_kept(file: &File) -> bool {
    match file.try_lock() {
        Ok(()) => is_named(file),
        Err(TryLockError::WouldBlock) => false,
        // Some network file systems have no locks: better a file without one than none.
        Err(TryLockError::Error(_)) => true,
    }
}

/// Whether a file still has a name.
#[cfg(unix)]
fn is_named(file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    file.metadata().is_ok_and(|m| m.nlink() > 0)
}

/// Between creation and lock nobody can remove it there unnoticed: the rename fails.
#[cfg(not(unix))]
fn is_named(_: &File) -> bool {
    true
}

/// Gives a complete file its name, replacing an older one.
pub fn persist(file: NamedTempFile, path: &Path) -> io::Result<()> {
    let (file, name) = file.into_parts();
    // The lock is held until the file has its name. Other systems refuse to rename an open file.
    #[cfg(not(unix))]
    drop(file);
    let done = name.persist(path).map_err(|e| e.error);
    #[cfg(unix)]
    drop(file);
    done
}
