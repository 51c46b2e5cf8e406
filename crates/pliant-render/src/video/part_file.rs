//! A file with a temporary name until it is complete.

use std::fs::{File, TryLockError};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::VideoError;

/// Files that are made at most until one is not taken for what a killed process has left.
const ATTEMPTS: u32 = 8;

/// Removed when dropped, unless committed. Its name is random and it is created exclusively: links are not followed.
///
/// It is locked while it is written: by that a run that cleans the folder knows it from the file of a killed process.
#[derive(Debug)]
pub(super) struct PartFile {
    path: PathBuf,
    file: BufWriter<NamedTempFile>,
}

impl PartFile {
    pub fn create(path: &Path) -> Result<Self, VideoError> {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        // The names of all temporary files of Pliant, by which the next run recognizes what a killed one has left.
        builder.prefix(".pliant-").suffix(".tmp");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let create = || builder.tempfile_in(folder).map_err(|source| VideoError::Io { path: path.into(), source });
        let mut file = create()?;
        for _ in 1..ATTEMPTS {
            if is_kept(file.as_file()) {
                break;
            }
            file = create()?;
        }
        Ok(Self { path: path.to_owned(), file: BufWriter::new(file) })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn error(&self, source: std::io::Error) -> VideoError {
        VideoError::Io { path: self.path.clone(), source }
    }

    /// Flushes and renames to the final name, replacing an older file.
    pub fn commit(self) -> Result<(), VideoError> {
        let Self { path, file } = self;
        let file = file.into_inner().map_err(std::io::IntoInnerError::into_error);
        let renamed = file.and_then(|file| {
            let (file, name) = file.into_parts();
            // The lock is held until the file has its name. Other systems refuse to rename an open file.
            #[cfg(not(unix))]
            drop(file);
            let done = name.persist(&path).map_err(|e| e.error);
            #[cfg(unix)]
            drop(file);
            done
        });
        renamed.map_err(|source| VideoError::Io { path, source })
    }
}

impl Write for PartFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
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
