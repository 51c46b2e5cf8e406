//! Atomic file writes: a file appears under its name only when it is complete.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Why a file could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The operating system reported an error.
    #[error("{}: {source}", .file.display())]
    Io {
        /// File or folder that was to be written.
        file: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// Shape and frame do not match.
    #[error("{0}")]
    Mismatch(String),
}

impl WriteError {
    pub(super) fn io(file: &Path, source: io::Error) -> Self {
        Self::Io { file: file.to_path_buf(), source }
    }

    /// Kind of the failure; [`io::ErrorKind::StorageFull`] where the disk is full.
    pub fn kind(&self) -> io::ErrorKind {
        match self {
            Self::Io { source, .. } => source.kind(),
            Self::Mismatch(_) => io::ErrorKind::InvalidInput,
        }
    }
}

/// Writes a file through `fill` under a temporary name in the same folder and renames it when it is complete.
///
/// If writing fails or `fill` panics, the temporary file is removed and an older file under the same name stays
/// unchanged. The data is not flushed to the disk (no fsync): this guards against a killed process, not against a
/// power failure, which would take a disk round trip per frame.
pub fn write_atomically(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), WriteError> {
    let (temporary, file) = TemporaryFile::create(path).map_err(|source| WriteError::io(path, source))?;
    let result = (|| {
        let mut out = BufWriter::with_capacity(1 << 18, file);
        fill(&mut out)?;
        // `into_inner` reports an error of the last flush; the file is closed before the rename.
        drop(out.into_inner().map_err(io::IntoInnerError::into_error)?);
        fs::rename(&temporary.path, path)
    })();
    result.map_err(|source| WriteError::io(path, source))
}

/// A temporary file, removed when dropped unless it was renamed.
struct TemporaryFile {
    path: PathBuf,
}

impl TemporaryFile {
    fn create(target: &Path) -> io::Result<(Self, File)> {
        // Unique across processes and across threads of this process.
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let name =
            target.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "path names no file"))?;
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let name = format!(".{}.{}-{number}.tmp", name.to_string_lossy(), std::process::id());
        let path = target.with_file_name(name);
        let file = OpenOptions::new().write(true).create(true).truncate(true).open(&path)?;
        Ok((Self { path }, file))
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // After a rename there is no such file; an error of the removal cannot be reported from `drop`.
        let _ = fs::remove_file(&self.path);
    }
}
