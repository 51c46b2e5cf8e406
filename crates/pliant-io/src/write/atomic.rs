//! Atomic file writes: a file appears under its name only when it is complete.

use super::temporary;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

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
/// The temporary file has a random name and is created exclusively, so that no other process can put a file or a link in its way.
/// It is locked until it has its final name, so that it is not taken for one that a killed process has left. A link under the
/// final name is replaced, not followed. If writing fails or `fill` panics, the temporary file is removed and an older file
/// under the same name stays unchanged. The data is not flushed to the disk (no fsync): this guards against a killed process,
/// not against a power failure, which would take a disk round trip per frame.
pub fn write_atomically(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), WriteError> {
    let result = (|| {
        if path.file_name().is_none() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "path names no file"));
        }
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut out = BufWriter::with_capacity(1 << 18, temporary::create_in(folder)?);
        fill(&mut out)?;
        // `into_inner` reports an error of the last flush.
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        temporary::persist(file, path)
    })();
    result.map_err(|source| WriteError::io(path, source))
}
