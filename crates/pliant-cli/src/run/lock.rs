//! The lock of an output folder: one run at a time.
//!
//! The operating system holds it and lets go when the process ends, however it ends, so that a lock file that is left
//! behind locks nothing. Its text says who holds it.

use crate::failure::Failure;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Name of the file in the output folder.
pub const FILE: &str = ".pliant-lock";

/// Held while a run writes into a folder; removed when dropped.
pub struct FolderLock {
    path: PathBuf,
    file: File,
}

impl FolderLock {
    /// Takes the lock of a folder, or says who has it.
    pub fn take(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(FILE);
        // Twice at most: whoever removes the file at its end may do so between opening and locking.
        loop {
            let file = open(&path).map_err(|e| Failure::io(&format!("cannot lock {}", folder.display()), &e))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(held(folder, file)),
                // Some network file systems have no locks: better a run without one than none.
                Err(TryLockError::Error(e)) if e.kind() == ErrorKind::Unsupported => {}
                Err(TryLockError::Error(e)) => {
                    return Err(Failure::io(&format!("cannot lock {}", folder.display()), &e));
                }
            }
            if is_same(&file, &path) {
                let mut lock = Self { path, file };
                lock.sign();
                return Ok(lock);
            }
        }
    }

    /// Writes down who holds it. An error is ignored: the text only explains.
    fn sign(&mut self) {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs());
        let _ = self.file.set_len(0);
        let _ = writeln!(self.file, "process {} {since}", std::process::id());
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // Removed before it is unlocked: another process that has opened it meanwhile sees that it is gone.
        let _ = fs::remove_file(&self.path);
    }
}

fn open(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(libc::O_NOFOLLOW);
    }
    options.open(path)
}

/// Removes a temporary file, unless a process that is writing it holds its lock. Where there are no locks it goes. Of a link
/// only the link goes.
pub fn remove_unless_held(path: &Path) {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // A pipe under that name must not make the run wait.
        options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    }
    // Locked until it is removed, so that whoever has just created it sees that it is gone.
    let file = options.open(path);
    let held = file.as_ref().is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)));
    if !held {
        let _ = fs::remove_file(path);
    }
}

/// Whether a file is still the one under its name.
#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |m: fs::Metadata| (m.dev(), m.ino());
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(own), Ok(named)) => id(own) == id(named),
        _ => false,
    }
}

/// An open file cannot be removed there.
#[cfg(not(unix))]
fn is_same(_: &File, _: &Path) -> bool {
    true
}

fn held(folder: &Path, mut file: File) -> Failure {
    let mut text = String::new();
    let _ = file.rewind().and_then(|()| (&mut file).take(200).read_to_string(&mut text));
    let mut words = text.split_whitespace().skip(1).map(|w| w.parse::<u64>().ok());
    let (process, since) = (words.next().flatten(), words.next().flatten());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs());
    let who = process.map_or_else(|| "another process".to_owned(), |id| format!("process {id}"));
    let long = since.map_or_else(String::new, |s| format!(", since {} s", now.saturating_sub(s)));
    Failure::new(format!("{} is in use: {who} is writing a run into it{long}", folder.display()))
        .help("wait until it ends, or give another folder with --out")
}
