//! Arguments of `pliant serve`.

use crate::args::values::threads;
use crate::args::{BackendArgs, Overrides};
use clap::Args;
use std::net::IpAddr;
use std::path::PathBuf;

/// `pliant serve`.
#[derive(Debug, Args)]
#[command(mut_arg("backend", |arg| arg.default_value("auto")), after_help = "\
Examples:
  pliant serve flags                       open the printed address in a browser
  pliant serve my_scene.toml --paused
  pliant serve dam --record dam.html       afterwards dam.html plays without the program
  pliant serve flags --bind 0.0.0.0 --port 8000    for other machines too

The scene runs in real time, or in slow motion where it is too large for that. In the page objects are pulled with
the mouse or a finger; F1 shows all keys. Several viewers may watch and pull at once; a slow connection gets fewer
frames. Ctrl-C ends the program.

The address has a random secret, without which nothing is answered. Only this machine can connect unless --bind
gives another address. Viewers can do what the page offers and nothing else; no file is reachable. The connection is not
encrypted: across an untrusted network use a tunnel, such as `ssh -L 8000:127.0.0.1:8000`.")]
pub struct ServeArgs {
    /// Name of a built-in scene, or path of a .toml or .json file.
    #[arg(default_value = "flags")]
    pub scene: String,
    /// Port; 0 takes a free one.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub port: u16,
    /// Address to listen on.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub bind: IpAddr,
    /// Do not start the time; the page has a button for it.
    #[arg(long)]
    pub paused: bool,
    /// Write a page that plays what was seen, without the program, to this file at the end.
    #[arg(long, value_name = "FILE.html")]
    pub record: Option<PathBuf>,
    /// End after this much real time [s].
    #[arg(long, value_name = "T", value_parser = crate::args::values::positive)]
    pub seconds: Option<f64>,
    /// Threads of the simulation; 0 is one per core.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads)]
    pub threads: usize,
    #[command(flatten)]
    pub processor: BackendArgs,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Print nothing but the address.
    #[arg(long, short)]
    pub quiet: bool,
}
