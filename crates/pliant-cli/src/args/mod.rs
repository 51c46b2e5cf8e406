//! Command-line arguments, with an example for every command.

mod backend;
mod format;
mod neighbors;
mod overrides;
mod serve;
mod solver;
mod study;
mod values;
mod view;
mod voxelize;

pub use backend::{BackendArgs, GpuArgs};
pub use format::GeometryFormat;
pub use neighbors::NeighborSearchArgs;
pub use overrides::Overrides;
pub use serve::ServeArgs;
pub use solver::SolverSpec;
pub use study::{ColorsArgs, ConvergenceArgs, EqualArgs, NeighborsArgs, Study, StudyArgs, StudyOptions};
pub use view::ViewArgs;
pub use voxelize::VoxelizeArgs;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::path::PathBuf;
use values::{checkpoint, positive, svg, threads};

/// Position-based dynamics: cloth, ropes, soft and rigid bodies, grains and liquids, from a scene file to a video.
#[derive(Debug, Parser)]
#[command(
    name = "pliant",
    version,
    after_help = "\
Examples:
  pliant                          four flags in the wind, into out/flags
  pliant scenes                   all built-in scenes
  pliant run my_scene.toml        a scene of your own
  pliant serve flags              the same in a browser, to be touched
  pliant view flags               the same in a window
  pliant schema > scene.json      JSON Schema for your editor

Exit codes: 0 done, 1 failure, 2 wrong usage, 3 invalid scene or mesh, 4 the simulation diverged,
5 out of disk, memory or threads, or no GPU that can do it, 130 interrupted."
)]
pub struct Pliant {
    /// The command; without one, `run flags`.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate a scene and write a video, geometry and statistics.
    Run(RunArgs),
    /// Show a running scene in a browser: look around, pull objects, rewind.
    Serve(ServeArgs),
    /// Show a running scene in a window: look around, pull objects, rewind, change everything.
    View(ViewArgs),
    /// List the built-in scenes.
    Scenes(ScenesArgs),
    /// Validate a scene and show what would be built, without running it.
    Check(CheckArgs),
    /// Show how the constraints of a scene are partitioned into sets that run in parallel.
    Partition(PartitionArgs),
    /// Measure the speed of scenes.
    Bench(BenchArgs),
    /// List the GPU adapters and their capabilities.
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

Writes into the output folder: frame_*.ply (or the files of --format), SCENE.mp4, still.png, stats.csv with
one line per frame (times in milliseconds per frame), and run.json with the summary. Surfaces of liquids
are watertight; output.surface of the scene sets their resolution and smoothing. Spray, foam and bubbles are
updated every frame, including frames that --every skips, and do not change the liquid; output.foam sets their
number and lifetime.

A GPU runs all steps of a frame in one submission and orders constraints differently, so its results are close
to those of the CPU, not equal. Times by stage are empty there: `pliant bench --backend gpu` has them.")]
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
    /// Constraint formulation (solver.method).
    #[arg(long, value_parser = ["pbd", "xpbd"])]
    pub method: Option<String>,
    /// Time integration (solver.integrator).
    #[arg(long, value_parser = ["bdf1", "bdf2"])]
    pub integrator: Option<String>,
    /// Partition of the constraints (solver.partition); phantom:4 and hybrid:4 take 4 colors, patch:1000 patches
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
    /// Output folder [default: out/SCENE, or out/SCENE-2 and so on where that has results].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Replace the results of an earlier run in the output folder, once the first frame of this run is written.
    #[arg(long)]
    pub force: bool,
    /// Geometry files, one per frame.
    #[arg(long, value_delimiter = ',', default_value = "ply")]
    pub format: Vec<GeometryFormat>,
    /// Video.
    #[arg(long, default_value = "mp4")]
    pub video: Video,
    /// Appearance of liquids in pictures [default: surface with --format surface, else particles].
    #[arg(long, value_name = "LOOK")]
    pub liquid: Option<LiquidLook>,
    /// Generate spray, foam and bubbles of liquids, white in pictures [default: with output.foam or --format foam].
    #[arg(long)]
    pub foam: bool,
    /// Write a PNG of every frame too.
    #[arg(long)]
    pub picture: bool,
    /// Write geometry and pictures of every Nth frame only.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub every: u64,
    /// Keep a checkpoint in the output folder, from which --resume goes on: every=1s, each simulated second. Not with
    /// spray and foam.
    #[arg(long, value_name = "every=Ts", value_parser = checkpoint)]
    pub checkpoint: Option<f64>,
    /// Go on from the checkpoint in an output folder, with the options of that run, and end with the same bits as if it had
    /// not been interrupted. --frames and --seconds set another end. The video goes on in a file of its own.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["scene", "out", "force", "checkpoint"])]
    pub resume: Option<PathBuf>,
    /// Print the summary as one JSON object.
    #[arg(long)]
    pub json: bool,
    /// No progress and no summary.
    #[arg(long, short)]
    pub quiet: bool,
}

impl Default for RunArgs {
    /// The defaults of `pliant run`.
    fn default() -> Self {
        match Pliant::parse_from(["pliant", "run"]).command {
            Some(Command::Run(args)) => args,
            _ => unreachable!("`pliant run` parses as `run`"),
        }
    }
}

/// Appearance of liquids in pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LiquidLook {
    /// Spheres in the color of the liquid.
    Particles,
    /// Spheres from dark blue at rest to white at the speed of a fall from the top of the scene.
    Speed,
    /// Spheres from pale at half the rest density over blue to red at 1.1 times the rest density.
    Density,
    /// The transparent surface.
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
#[command(after_help = "\
Examples:
  pliant scenes
  pliant scenes --json | jq -r '.[].name'
  pliant scenes --gallery pictures              a page of all scenes, which takes minutes
  pliant scenes flags dam --gallery pictures    of two of them")]
pub struct ScenesArgs {
    /// Print the list as JSON.
    #[arg(long, conflicts_with = "gallery")]
    pub json: bool,
    /// Draw each scene at the time of its still picture, and write the pictures and a page that shows them with their commands.
    #[arg(long, value_name = "DIR")]
    pub gallery: Option<PathBuf>,
    /// Scenes to draw [default: all, without the largest and benchmarks].
    #[arg(value_name = "SCENE", requires = "gallery")]
    pub scenes: Vec<String>,
    #[command(flatten)]
    pub processor: BackendArgs,
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
  pliant check block100 --backend gpu     whether it fits the GPU, and its partition there")]
pub struct CheckArgs {
    /// Name of a built-in scene, or path of a .toml or .json file.
    pub scene: String,
    #[command(flatten)]
    pub processor: BackendArgs,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Print the result as one JSON object.
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

omega is the size of the largest clique: constraints of a kind that all share a particle with each other. No
coloring takes fewer colors. Imbalance is the largest color divided by the mean. A pass is a set of constraints
that run in parallel; the passes of an iteration run one after the other. The plot shows the sizes of the colors,
and for scenes of up to 400 constraints also the constraint graph in the same colors.

A solver is the name of a partition: serial, color, phantom, hybrid, patch, shared-patch, jacobi, jacobi-gather, or
auto for the default of the scene. phantom:4 and hybrid:4 use 4 colors per kind (solver.colors);
patch:1000 and shared-patch:1000 make patches of at most 1000 particles (solver.patch_particles).")]
pub struct PartitionArgs {
    /// Name of a built-in scene, or path of a .toml or .json file.
    pub scene: String,
    /// Partition of the constraints, such as color or phantom:4 [default: solver.partition of the scene].
    #[arg(long)]
    pub solver: Option<SolverSpec>,
    #[command(flatten)]
    pub processor: BackendArgs,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Plot the sizes of the colors to this file.
    #[arg(long, value_name = "FILE.svg", value_parser = svg)]
    pub plot: Option<PathBuf>,
    /// Print the result as one JSON object.
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
the machine do not count, and wall time with more. Rates by kind use the wall time of that kind only.
Residual and hash are those after --warmup + --repeat steps, on every backend. Residuals fluctuate over time: to
compare solvers, average over hundreds of steps with --moments.

On a GPU a sample is the time of many steps in one submission, divided by their number; --repeat samples are
taken after the steps of the residual. Times of stages are device timestamps from a separate measurement. The
floor is a lower bound for any schedule of the same passes, the larger of:
  bytes that a step has to move / --bandwidth; per iteration and constraint 4 (rows / 2 + parameters) +
  8 multipliers, and 32 per iteration and particle
  2.2 us per pass + 0.1 us per barrier of the longest chain within workgroups

With --neighbors no scene runs: the neighbor search of a block of particles, as dense as a pile of grains, is
measured. Sort is a sort of as many random 32-bit key-value pairs; build is everything before the lists, lists is
the rest. On a GPU a sample is many searches in one submission, and lists is the total minus build.")]
pub struct BenchArgs {
    /// Names of built-in scenes, or paths of .toml or .json files.
    #[arg(required_unless_present = "neighbors", conflicts_with = "neighbors", value_name = "SCENE")]
    pub scenes: Vec<String>,
    /// Measure the neighbor search of this many particles instead of scenes.
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
    /// Number of consecutive steps over which residuals are averaged.
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
    /// Steps per GPU submission, 1 to 200 [default: as many as take 50 ms].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=200))]
    pub steps_per_submit: Option<u32>,
    /// Time every pass of a GPU: a table of passes, the slowest first. Passes that do several substeps are not used for it.
    #[arg(long, conflicts_with = "neighbors")]
    pub passes: bool,
    /// Memory bandwidth of the GPU for the floor [GB/s]; it cannot be queried.
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
