//! Scene fields set on the command line.

use clap::Args;
use std::path::PathBuf;

/// Scene fields set on the command line, and the folder of meshes.
#[derive(Clone, Debug, Default, Args)]
pub struct Overrides {
    /// Set any field of the scene; may be given several times.
    #[arg(long = "set", value_name = "PATH.TO.KEY=VALUE")]
    pub sets: Vec<String>,
    /// Folder of the mesh files of built-in scenes [default: $PLIANT_MODELS].
    #[arg(long, value_name = "DIR")]
    pub models: Option<PathBuf>,
}
