//! Ctrl-C, SIGTERM and SIGHUP.
//!
//! While a scene is built the first one ends the process. Once steps run, it ends the run after the current step, and the
//! second one ends the process.

use crate::failure::Failure;
use crate::stderr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Whether the process ends at once: until steps run.
static AT_ONCE: AtomicBool = AtomicBool::new(true);

/// Files and folders to remove if the process ends at once.
static LEFT: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Whether an interrupt has come.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// From now on interrupts come to [`interrupted`].
pub fn steps_run() {
    AT_ONCE.store(false, Ordering::Relaxed);
}

/// A lock and the folders that were made for it, the innermost first, which go if nothing was written into them.
pub fn leave_nothing(folders: &[PathBuf], lock: &Path) {
    let mut left = LEFT.lock().unwrap_or_else(PoisonError::into_inner);
    *left = std::iter::once(lock.to_path_buf()).chain(folders.iter().cloned()).collect();
}

/// Starts to listen.
pub fn listen() -> Result<(), Failure> {
    static ONCE: Once = Once::new();
    let mut result = Ok(());
    ONCE.call_once(|| result = ctrlc::set_handler(handle));
    result.map_err(|e| Failure::resource(format!("cannot listen for Ctrl-C: {e}")))
}

fn handle() {
    let first = !INTERRUPTED.swap(true, Ordering::Relaxed);
    if first && !AT_ONCE.load(Ordering::Relaxed) {
        stderr::note("interrupted: closing files; press Ctrl-C again to stop at once");
        return;
    }
    if first {
        stderr::note("interrupted before the first step: nothing was written");
    }
    for path in LEFT.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        let _ = if path.is_dir() { std::fs::remove_dir(path) } else { std::fs::remove_file(path) };
    }
    std::process::exit(130);
}
