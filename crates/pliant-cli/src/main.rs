//! The `pliant` command.

mod args;
mod bench;
mod builtin;
mod check;
mod failure;
mod formatting;
mod gallery;
#[cfg_attr(not(feature = "gpu"), path = "gpu_stub.rs")]
mod gpu;
mod interrupt;
mod liquid;
mod memory;
mod partition;
mod picture;
mod plot;
mod process;
mod progress;
mod run;
mod scene_loader;
mod scenes;
#[cfg_attr(not(feature = "serve"), path = "serve_stub.rs")]
mod serve;
mod statistics;
mod stderr;
mod stdout;
mod study;
#[cfg_attr(not(feature = "view"), path = "view_stub.rs")]
mod view;
mod voxelize;

use args::{Command, Pliant, RunArgs};
use clap::{CommandFactory, Parser};
use std::process::ExitCode;

fn main() -> ExitCode {
    process::let_full_files_fail();
    let command = Pliant::parse().command.unwrap_or_else(|| Command::Run(RunArgs::default()));
    let done = match command {
        Command::Run(args) => run::run(&args),
        Command::Serve(args) => serve::serve(&args),
        Command::View(args) => view::view(&args),
        Command::Scenes(args) => scenes::scenes(&args),
        Command::Check(args) => check::check(&args),
        Command::Partition(args) => partition::partition(&args),
        Command::Bench(args) => bench::bench(&args),
        Command::Gpu(args) => gpu::gpu(&args),
        Command::Study(args) => study::study(&args),
        Command::Voxelize(args) => voxelize::voxelize(&args),
        Command::Schema => stdout::json(&pliant::scene::schema()),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Pliant::command(), "pliant", &mut script);
            stdout::bytes(&script)
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.print();
            ExitCode::from(failure.exit as u8)
        }
    }
}
