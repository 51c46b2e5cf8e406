//! Output folder of a study, and the list of its files.

use crate::failure::Failure;
use std::fs;
use std::path::{Path, PathBuf};

/// Creates the output folder before the study runs, so that an error is reported early.
pub(super) fn make_folder(out: Option<&Path>, scene: &str) -> Result<PathBuf, Failure> {
    let folder = out.map_or_else(|| PathBuf::from("out").join(scene), Path::to_path_buf);
    fs::create_dir_all(&folder).map_err(|e| Failure::io(&format!("cannot make folder {}", folder.display()), &e))?;
    Ok(folder)
}

/// The last lines of the text output: the written files.
pub(super) fn list_files(files: &[&Path]) -> String {
    let lines: String = files.iter().map(|f| format!("  {}\n", f.display())).collect();
    format!("\nLook at:\n{lines}")
}
