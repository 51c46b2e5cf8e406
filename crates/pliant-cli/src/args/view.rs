//! Arguments of `pliant view`.

use crate::args::values::threads;
use crate::args::{BackendArgs, Overrides};
use clap::Args;
use std::path::PathBuf;

/// `pliant view`.
#[derive(Debug, Args)]
#[command(mut_arg("backend", |arg| arg.default_value("auto")), after_help = "\
Examples:
  pliant view flags                        F1 in the window shows all keys
  pliant view my_scene.toml --paused       the scene is read again when its file is saved
  pliant view flags --snapshot out/flags/flags-001.snapshot

The scene runs in real time, or in slow motion where it is too large for that. Objects are pulled with the mouse; the
timeline rewinds; panels change gravity, wind, time step, quality and materials, add and remove objects, draw contacts, forces
and constraints, and plot times and energies. A scene file that is saved with an error leaves the old scene running, and
the window shows the error with line and column.

Without a GPU the solver runs on the CPU and a software driver draws, which the window says.")]
pub struct ViewArgs {
    /// Name of a built-in scene, or path of a .toml or .json file.
    #[arg(default_value = "flags")]
    pub scene: String,
    /// Do not start the time; Space does.
    #[arg(long)]
    pub paused: bool,
    /// Go on from a snapshot of this scene: one that the window or `pliant run --checkpoint` has saved.
    #[arg(long, value_name = "FILE")]
    pub snapshot: Option<PathBuf>,
    /// Folder for snapshots, scenes, pictures and videos that are saved [default: out/SCENE].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Close the window after this much real time [s].
    #[arg(long, value_name = "T", value_parser = crate::args::values::positive)]
    pub seconds: Option<f64>,
    /// Threads of the simulation; 0 is one per core.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads)]
    pub threads: usize,
    #[command(flatten)]
    pub processor: BackendArgs,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Print nothing but errors.
    #[arg(long, short)]
    pub quiet: bool,
}
