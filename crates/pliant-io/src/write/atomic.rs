//! Files that are either complete or not there.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Why a file could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The system refused.
    #[error("{}: {source}", .file.display())]
    Io {
        /// File or folder that was to be written.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Shape and frame do not fit together.
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
/// Where anything fails, or `fill` panics, the temporary file is removed and a file that was there before is left
/// as it was. The data is handed to the system but not forced to the disk: this guards against a killed process,
/// not against a power cut, which would cost a disk round trip per frame.
pub fn write_atomically(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), WriteError> {
    let (temporary, file) = Temporary::create(path).map_err(|source| WriteError::io(path, source))?;
    let result = (|| {
        let mut out = BufWriter::with_capacity(1 << 18, file);
        fill(&mut out)?;
        // Taken apart so that an error of the last write is seen; the file is closed before the rename.
        drop(out.into_inner().map_err(io::IntoInnerError::into_error)?);
        fs::rename(&temporary.path, path)
    })();
    result.map_err(|source| WriteError::io(path, source))
}

/// Removes its file when dropped; after the rename there is none.
struct Temporary {
    path: PathBuf,
}

impl Temporary {
    fn create(target: &Path) -> io::Result<(Self, File)> {
        // Distinct between processes and between threads of this one.
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

impl Drop for Temporary {
    fn drop(&mut self) {
        // Nothing is there after a rename, and a failed removal has no one to tell.
        let _ = fs::remove_file(&self.path);
    }
}
