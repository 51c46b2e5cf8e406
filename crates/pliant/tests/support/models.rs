//! Scanned models, which are not part of the project. Test crates include this file with `#[path]`, beside `skip.rs`.

use crate::skip::skipped;
use std::path::{Path, PathBuf};

/// The folder PLIANT_MODELS, else `shared/models` beside the checkout.
pub fn folder() -> PathBuf {
    let given = std::env::var_os("PLIANT_MODELS").filter(|value| !value.is_empty()).map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).map(|parent| parent.join("shared/models"));
    given.or(beside).unwrap_or_default()
}

/// A file or folder of it, "" for all; reports a skip if it is missing.
pub fn find(name: &str) -> Option<PathBuf> {
    let path = folder().join(name);
    let found = path.exists().then(|| path.clone());
    if found.is_none() {
        skipped(&format!("no {} (PLIANT_MODELS is the folder of models)", path.display()));
    }
    found
}
