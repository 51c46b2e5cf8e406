//! A file with a temporary name until it is complete.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::VideoError;

/// Removed when dropped, unless committed. Its name is random and it is created exclusively: links are not followed.
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
        let file = builder.tempfile_in(folder).map_err(|source| VideoError::Io { path: path.into(), source })?;
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
        // Some systems refuse to rename an open file.
        let renamed = file.and_then(|file| file.into_temp_path().persist(&path).map_err(|e| e.error));
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
