//! Atomic file writes: a file appears under its name only when it is complete.

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

/// Start of the names of temporary files. What is left of a killed process is recognized by it, see
/// [`is_temporary`].
const PREFIX: &str = ".pliant-";

/// End of the names of temporary files.
const SUFFIX: &str = ".tmp";

/// Whether a file name is that of a temporary file of this crate or of the video writers, which only a killed process leaves.
pub fn is_temporary(name: &str) -> bool {
    name.len() > PREFIX.len() + SUFFIX.len() && name.starts_with(PREFIX) && name.ends_with(SUFFIX)
}

/// Writes a file through `fill` under a temporary name in the same folder and renames it when it is complete.
///
/// The temporary file has a random name and is created exclusively, so that no other process can put a file or a link in its way. A
/// link under the final name is replaced, not followed. If writing fails or `fill` panics, the temporary file is removed and
/// an older file under the same name stays unchanged. The data is not flushed to the disk (no fsync): this guards against a
/// killed process, not against a power failure, which would take a disk round trip per frame.
pub fn write_atomically(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), WriteError> {
    let result = (|| {
        if path.file_name().is_none() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "path names no file"));
        }
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).suffix(SUFFIX);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // Readable as any other file: the default of temporary files is the owner alone.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let mut out = BufWriter::with_capacity(1 << 18, builder.tempfile_in(folder)?);
        fill(&mut out)?;
        // `into_inner` reports an error of the last flush.
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        // Closed before the rename, which some systems refuse for an open file.
        file.into_temp_path().persist(path).map_err(|e| e.error)
    })();
    result.map_err(|source| WriteError::io(path, source))
}
