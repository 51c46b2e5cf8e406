//! A file with a temporary name until it is complete.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::VideoError;

/// Removed when dropped, unless committed.
#[derive(Debug)]
pub(super) struct PartFile {
    path: PathBuf,
    part: PathBuf,
    file: Option<BufWriter<File>>,
}

impl PartFile {
    pub fn create(path: &Path) -> Result<Self, VideoError> {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        // The process id separates two runs with the same output path.
        name.push(format!(".{}.part", std::process::id()));
        let part = path.with_file_name(name);
        let file = File::create(&part).map_err(|source| VideoError::Io { path: part.clone(), source })?;
        Ok(Self { path: path.to_owned(), part, file: Some(BufWriter::new(file)) })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn error(&self, source: std::io::Error) -> VideoError {
        VideoError::Io { path: self.path.clone(), source }
    }

    /// Flushes and renames to the final name, replacing an older file.
    pub fn commit(mut self) -> Result<(), VideoError> {
        let renamed = self.flush().and_then(|()| {
            // Some systems refuse to rename an open file.
            drop(self.file.take());
            std::fs::rename(&self.part, &self.path)
        });
        renamed.map_err(|source| self.error(source))
    }
}

impl Write for PartFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.file.as_mut().map_or(Ok(0), |f| f.write(bytes))
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        drop(self.file.take());
        // After a commit there is no such file; an error of the removal is ignored.
        let _ = std::fs::remove_file(&self.part);
    }
}
