//! The command line: what can be said, with an example for everything.

mod backend;
mod format;
mod neighbors;
mod overrides;
mod solver;
mod study;
mod values;
mod voxelize;

pub use backend::{BackendArgs, GpuArgs};
pub use format::GeometryFormat;
pub use neighbors::NeighborSearchArgs;
pub use overrides::Overrides;
pub use solver::SolverSpec;
pub use study::{ColorsArgs, ConvergenceArgs, EqualArgs, NeighborsArgs, Study, StudyArgs, StudyOptions};
pub use voxelize::VoxelizeArgs;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::path::PathBuf;
use values::{positive, svg, threads};

/// Position-based dynamics: cloth, ropes, soft and rigid bodies, grains and liquids, from a scene file to a moving picture.
#[derive(Debug, Parser)]
#[command(
    name = "pliant",
    version,
    after_help = "\
Examples:
  pliant                          four flags in the wind, into out/flags
  pliant scenes                   what else there is to run
  pliant run my_scene.toml        a scene of your own
  pliant schema > scene.json      JSON Schema for your editor

Exit codes: 0 done, 1 failure, 2 wrong usage, 3 invalid scene or mesh, 4 the simulation diverged,
5 out of disk, memory or threads, or no GPU that can do it, 130 interrupted."
)]
pub struct Pliant {
    /// What to do; without it `run flags`.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate a scene and write a video, geometry and statistics.
    Run(RunArgs),
    /// List the built-in scenes.
    Scenes(ScenesArgs),
    /// Validate a scene and show what would be built, without running it.
    Check(CheckArgs),
    /// Show how the constraints of a scene are split into sets that run side by side.
    Partition(PartitionArgs),
    /// Measure the speed of scenes.
    Bench(BenchArgs),
    /// List the graphics processors and what they can do.
    Gpu(GpuArgs),
    /// Compare solvers on a scene: tables, CSV files and charts.
    Study(StudyArgs),
    /// Fill a closed mesh with particles: solid voxels, merged where they are deep inside.
    Voxelize(VoxelizeArgs),
    /// Print the JSON Schema of the scene file.
    #[command(after_help = "\
Example:
  pliant schema > scene.schema.json
  then put `#:schema ./scene.schema.json` on the first line of a scene for completion in your editor")]
    Schema,
    /// Print a completion script for a shell.
    #[command(after_help = "Example:\n  pliant completions bash > ~/.local/share/bash-completion/completions/pliant")]
    Completions {
        /// The shell.
        shell: Shell,
    },
}

/// `pliant run`.
#[derive(Clone, Debug, Args)]
#[command(mut_arg("backend", |arg| arg.default_value("auto")), after_help = "\
Examples:
  pliant run flags --seconds 2
  pliant run flags --method pbd --iterations 4 --out out/pbd
  pliant run my_scene.toml --set cloth.0.density=0.5 --set world.wind.gust=1
  pliant run flags --frames 100 --format vtu,npz --video none --json
  pliant run flags --backend gpu
  pliant run dam --format surface --set output.surface.cell=0.5
  pliant run dam --format none --liquid speed
  pliant run dam --format foam --liquid surface --set output.foam.rate=400

Writes into the output folder: frame_*.ply (or as --format says), SCENE.mp4, still.png, stats.csv with
one line per frame (times in milliseconds per frame), and run.json with the summary. Surfaces of liquids
are watertight; output.surface of the scene says how fine and how smooth they are. Spray, foam and bubbles
follow liquids from frame to frame, whichever frames --every keeps, and do not change them; output.foam says
how many and for how long.

A GPU gets all steps of a frame at once and orders constraints to suit itself, so its results are close to
those of the CPU, not the same. Times by stage are empty there: `pliant bench --backend gpu` has them.")]
pub struct RunArgs {
    /// Name of a built-in scene, or path of a .toml or .json file.
    #[arg(default_value = "flags")]
    pub scene: String,
    /// Stop after this many frames.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000_000), conflicts_with = "seconds")]
    pub frames: Option<u64>,
    /// Stop after this much simulated time [s] [default: output.seconds of the scene].
    #[arg(long, value_name = "T", value_parser = positive)]
    pub seconds: Option<f64>,
    /// How constraints are softened (solver.method).
    #[arg(long, value_parser = ["pbd", "xpbd"])]
    pub method: Option<String>,
    /// How positions are carried through time (solver.integrator).
    #[arg(long, value_parser = ["bdf1", "bdf2"])]
    pub integrator: Option<String>,
    /// How constraints are split (solver.partition); phantom:4 and hybrid:4 take 4 colors, patch:1000 patches
    /// of 1000 particles.
    #[arg(long, value_name = "SOLVER")]
    pub solver: Option<SolverSpec>,
    /// Iterations per substep (solver.iterations).
    #[arg(long, value_name = "N")]
    pub iterations: Option<u32>,
    /// Substeps per step (solver.substeps).
    #[arg(long, value_name = "N")]
    pub substeps: Option<u32>,
    /// Time step [s] (solver.dt).
    #[arg(long, value_name = "T")]
    pub dt: Option<f32>,
    /// Threads of the simulation; 0 is one per core. Results do not depend on it.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads)]
    pub threads: usize,
    #[command(flatten)]
    pub processor: BackendArgs,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Output folder [default: out/SCENE].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Geometry files, one per frame.
    #[arg(long, value_delimiter = ',', default_value = "ply")]
    pub format: Vec<GeometryFormat>,
    /// Video.
    #[arg(long, default_value = "mp4")]
    pub video: Video,
    /// How liquids look in pictures [default: surface with --format surface, else particles].
    #[arg(long, value_name = "LOOK")]
    pub liquid: Option<LiquidLook>,
    /// Let liquids make spray, foam and bubbles, white in pictures [default: with output.foam or --format foam].
    #[arg(long)]
    pub foam: bool,
    /// Write a PNG of every frame too.
    #[arg(long)]
    pub picture: bool,
    /// Write geometry and pictures of every Nth frame only.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub every: u64,
    /// Print the summary as one JSON object.
    #[arg(long)]
    pub json: bool,
    /// No progress and no summary.
    #[arg(long, short)]
    pub quiet: bool,
}

impl Default for RunArgs {
    /// As `pliant run` without anything more.
    fn default() -> Self {
        match Pliant::parse_from(["pliant", "run"]).command {
            Some(Command::Run(args)) => args,
            _ => unreachable!("`pliant run` parses as `run`"),
        }
    }
}

/// How liquids look in pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LiquidLook {
    /// Balls in the color of the liquid.
    Particles,
    /// Balls from dark blue at rest to white at the speed of a fall from the top of the scene.
    Speed,
    /// Balls from pale at half the density at rest over blue to red at 1.1 times that.
    Density,
    /// The surface, shaded: one looks into it.
    Surface,
}

/// Video formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Video {
    /// H.264 in MP4.
    Mp4,
    /// Animated GIF.
    Gif,
    /// No video.
    None,
}

/// `pliant scenes`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  pliant scenes\n  pliant scenes --json | jq -r '.[].name'")]
pub struct ScenesArgs {
    /// Print the list as JSON.
    #[arg(long)]
    pub json: bool,
    /// Folder of the mesh files of built-in scenes [default: $PLIANT_MODELS].
    #[arg(long, value_name = "DIR")]
    pub models: Option<PathBuf>,
}

/// `pliant check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pliant check my_scene.toml
  pliant check flags --set solver.partition=jacobi --json
  pliant check block100 --backend gpu     whether it fits the card, and how it is split there")]
pub struct CheckArgs {
    /// Name of a built-in scene, or path of a .toml or .json file.
    pub scene: String,
    #[command(flatten)]
    pub processor: BackendArgs,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Print the findings as one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// `pliant partition`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pliant partition flags
  pliant partition cube --solver phantom:6 --plot cube.svg
  pliant partition graph8 --solver color --plot graph8.svg
  pliant partition flags --solver patch:500 --json
  pliant partition cube --backend gpu

omega is the largest number of constraints of a kind that all share a particle with each other: no coloring
takes fewer colors. Imbalance is the largest color over the mean. A pass is what runs at once; one iteration
is so many passes one after the other. The plot shows the constraints of each color, and for scenes of up to
400 constraints also who is joined to whom, in the same colors.

A solver is the name of a partition: serial, color, phantom, hybrid, patch, mosaic, jacobi, jacobi-gather, or
auto to see what the scene gets by itself. phantom:4 and hybrid:4 make do with 4 colors per kind (solver.colors);
patch:1000 and mosaic:1000 make patches of at most 1000 particles (solver.patch_particles).")]
pub struct PartitionArgs {
    /// Name of a built-in scene, or path of a .toml or .json file.
    pub scene: String,
    /// How constraints are split, such as color or phantom:4 [default: solver.partition of the scene].
    #[arg(long)]
    pub solver: Option<SolverSpec>,
    #[command(flatten)]
    pub processor: BackendArgs,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Draw the sizes of colors into this file.
    #[arg(long, value_name = "FILE.svg", value_parser = svg)]
    pub plot: Option<PathBuf>,
    /// Print the findings as one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// `pliant bench`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pliant bench flags
  pliant bench peer_cloth peer_tet peer_many --threads 1 --json
  pliant bench flags --solver serial,color,jacobi --threads 1,2
  pliant bench peer_tet --solver auto,color --moments 300
  pliant bench peer_many --backend gpu --bandwidth 4800
  pliant bench --neighbors 216000 --backend gpu --search tree --spread 64

Times are medians over --repeat steps. A solve is one projection of one constraint; solves per second are
constraints x iterations x substeps / time of a step: CPU time with one thread, so that other programs on
the machine do not count, and wall time with more. By kind they use the wall time of that kind alone.
Residual and hash are those after --warmup + --repeat steps, on every backend. Errors of one solver rise and fall
with time, those of two not at the same time: to compare them, take the mean over hundreds of steps by --moments.

On a GPU a sample is many steps submitted together and waited for once, its time divided by their number;
--repeat samples follow the steps of the residual. Stages are the device's own times, from a part that is
measured by itself. The floor is what no schedule of the same passes can beat, whichever is larger:
  bytes that a step has to move / --bandwidth; per iteration and constraint 4 (rows / 2 + parameters) +
  8 multipliers, and 32 per iteration and particle
  2.2 us per pass + 0.1 us per barrier of the longest chain within workgroups

With --neighbors no scene runs: a block of particles, as dense as a pile of grains, is searched for neighbors.
Sort is that of as many random 32-bit keys with a value each; build is everything before the lists, lists is the
rest. On a GPU, samples are many searches submitted together, and lists is the whole less build.")]
pub struct BenchArgs {
    /// Names of built-in scenes, or paths of .toml or .json files.
    #[arg(required_unless_present = "neighbors", conflicts_with = "neighbors", value_name = "SCENE")]
    pub scenes: Vec<String>,
    /// Measures the neighbor search of so many particles instead of scenes.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..1 << 28))]
    pub neighbors: Option<u32>,
    #[command(flatten)]
    pub neighbor_search: NeighborSearchArgs,
    /// Steps to measure.
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: u32,
    /// Steps before measuring.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub warmup: u32,
    /// Moments whose residuals are averaged, a step from each to the next.
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "neighbors")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub moments: u32,
    /// Numbers of threads to compare; 0 is one per core.
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "0", value_parser = threads)]
    pub threads: Vec<usize>,
    /// Solvers to compare, such as color,phantom:4,patch:1000 [default: solver.partition of the scene].
    #[arg(long, value_delimiter = ',', value_name = "SOLVER")]
    pub solver: Vec<SolverSpec>,
    #[command(flatten)]
    pub processor: BackendArgs,
    /// Steps that a GPU gets at once, 1 to 200 [default: as many as take 50 ms].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=200))]
    pub steps_per_submit: Option<u32>,
    /// Memory bandwidth of the GPU for its floor [GB/s]; no interface tells it.
    #[arg(long, value_name = "GB/S", default_value_t = 1000.0, value_parser = positive)]
    pub bandwidth: f64,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Print a JSON list, one entry per row.
    #[arg(long)]
    pub json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Pliant::command().debug_assert();
    }

    #[test]
    fn no_arguments_mean_the_default_scene() {
        assert_eq!(RunArgs::default().scene, "flags");
    }
}
