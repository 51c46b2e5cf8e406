//! Scene fields set on the command line, and what goes with a scene.

use crate::memory::parse_size;
use clap::Args;
use std::path::PathBuf;

/// Scene fields set on the command line, the folder of meshes, and the limit of memory.
#[derive(Clone, Debug, Default, Args)]
pub struct Overrides {
    /// Set any field of the scene; may be given several times.
    #[arg(long = "set", value_name = "PATH.TO.KEY=VALUE")]
    pub sets: Vec<String>,
    /// Folder of the mesh files of built-in scenes [default: $PLIANT_MODELS].
    #[arg(long, value_name = "DIR")]
    pub models: Option<PathBuf>,
    /// Most memory that may be taken, as 500MB or 2GiB [default: what the system has left].
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory_limit: Option<u64>,
}
