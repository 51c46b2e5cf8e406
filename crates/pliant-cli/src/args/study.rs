//! Arguments of `pliant study`.

use super::backend::BackendArgs;
use super::overrides::Overrides;
use super::solver::SolverSpec;
use super::values::{positive, threads};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `pliant study`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pliant study convergence cube --solvers color,phantom,jacobi
  pliant study equal cube --solvers color,phantom,jacobi
  pliant study colors sheet --steps 20
  pliant study neighbors --steps 800")]
pub struct StudyArgs {
    /// The study.
    #[command(subcommand)]
    pub study: Study,
}

/// The studies.
#[derive(Debug, Subcommand)]
pub enum Study {
    /// Constraint error against iterations and against time.
    Convergence(ConvergenceArgs),
    /// Cost of each solver at equal error.
    Equal(EqualArgs),
    /// Accuracy against the number of colors.
    Colors(ColorsArgs),
    /// Cost of each neighbor search while a scene runs: grids and trees, all constructions and traversals.
    Neighbors(NeighborsArgs),
}

/// Options of all studies that run solvers.
#[derive(Clone, Debug, Args)]
pub struct StudyOptions {
    /// Threads of the simulation; 0 is one per core. Results do not depend on it, times do.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = threads)]
    pub threads: usize,
    #[command(flatten)]
    pub processor: BackendArgs,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Print the result as JSON.
    #[arg(long)]
    pub json: bool,
}

/// `pliant study convergence`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pliant study convergence cube --solvers color,phantom,jacobi --steps 100
  pliant study convergence cube --solvers color,jacobi --budget-ms 5
  pliant study convergence sheet --solvers phantom:2,phantom:4,hybrid:4,patch:1000 --out out/sheet
  pliant study convergence cube --solvers auto,color --backend gpu

A solver is the name of a partition: serial, color, phantom, hybrid, patch, shared-patch, jacobi, jacobi-gather, or
auto for the default of the scene. phantom:4 and hybrid:4 use 4 colors per kind (solver.colors);
patch:1000 and shared-patch:1000 make patches of at most 1000 particles (solver.patch_particles).

Writes into the output folder: convergence.csv with one line per solver and step (iterations, passes and
milliseconds of the solve stage so far, mean error of all constraints, mean and maximum by kind, displacement
of the center of mass), and convergence.svg with the error against iterations and against time.

The table compares solvers at equal error, the largest final error of all solvers: the time after which each
stays at or below it.")]
pub struct ConvergenceArgs {
    /// Name of a built-in scene, or path of a .toml or .json file.
    pub scene: String,
    /// Solvers to compare, such as color,phantom:4,jacobi.
    #[arg(long, value_name = "SOLVER", value_delimiter = ',', required = true)]
    pub solvers: Vec<SolverSpec>,
    /// Steps to run.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub steps: u32,
    /// Time budget of the solve stage per step [ms]; sets the number of iterations of each solver.
    #[arg(long, value_name = "T", value_parser = positive)]
    pub budget_ms: Option<f64>,
    /// Output folder [default: out/SCENE].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub common: StudyOptions,
}

/// `pliant study equal`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pliant study equal cube --solvers color,phantom,jacobi
  pliant study equal cube sheet --solvers color,phantom:4,jacobi --steps 40 --json

The first solver runs with the iterations of the scene. For each other solver the study finds the fewest iterations
with no larger mean error of all constraints, averaged over the last half of the steps; the steps should include
motion. Solvers are named as in `pliant study convergence`. Times are medians over the steps; the speed-up is
relative to jacobi if it reaches the error, and to the slowest solver otherwise. Passes are sequential GPU
dispatches: passes per iteration x iterations x substeps.")]
pub struct EqualArgs {
    /// Names of built-in scenes, or paths of .toml or .json files.
    #[arg(required = true, value_name = "SCENE")]
    pub scenes: Vec<String>,
    /// Solvers to compare; the others have to match the error of the first.
    #[arg(long, value_name = "SOLVER", value_delimiter = ',', required = true)]
    pub solvers: Vec<SolverSpec>,
    /// Steps of each run.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub steps: u32,
    /// Maximum number of iterations per substep.
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..=i64::from(pliant::scene::MOST_ITERATIONS)))]
    pub most: u32,
    #[command(flatten)]
    pub common: StudyOptions,
}

/// `pliant study colors`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pliant study colors sheet --steps 20
  pliant study colors cube --from 4 --to 12 --out out/cube

Runs the scene with phantom particles for every number of colors, and compares the final positions with a
reference: plain coloring and 16 times the iterations. The error is the root mean square distance between
particles divided by the diagonal of the reference's bounding box. Keep the run short: in chaotic motion any
difference grows with time, independent of the solver.

Writes into the output folder: colors.csv with one line for plain colors and one per number of colors, and
colors.svg with the error against the number of colors.")]
pub struct ColorsArgs {
    /// Name of a built-in scene, or path of a .toml or .json file.
    pub scene: String,
    /// Steps to run.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub steps: u32,
    /// Smallest number of colors.
    #[arg(long, value_name = "Q", default_value_t = 2, value_parser = clap::value_parser!(u32).range(2..=65_536))]
    pub from: u32,
    /// Largest number of colors [default: the most that plain coloring takes for a kind].
    #[arg(long, value_name = "Q", value_parser = clap::value_parser!(u32).range(2..=65_536))]
    pub to: Option<u32>,
    /// Output folder [default: out/SCENE].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub common: StudyOptions,
}

/// `pliant study neighbors`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pliant study neighbors --steps 800
  pliant study neighbors heap --steps 200 --every 10 --threads 2

Runs each scene, and every --every steps runs all neighbor searches on its particles: the grid of the engine and
grids with cells of one search radius in tables of 64^3 and 128^3 cells, by counting or sorting; trees with boxes
or balls around bunches of 8 particles and with boxes around single particles, by each walk (stack, sparse, mbvh2)
from each start (root, leaf, bunch). All have to find the same pairs. Scenes of rigid boxes are also searched with
merged particles of several sizes.

Writes into the output folder: neighbors.csv with the median times of building and searching, and
neighbors.svg with the times of selected searches over the run. Runs on the CPU.")]
pub struct NeighborsArgs {
    /// Names of built-in scenes, or paths of .toml or .json files.
    #[arg(value_name = "SCENE", default_values_t = ["drop_boxes", "drop_crates", "drop_grains"].map(String::from))]
    pub scenes: Vec<String>,
    /// Steps to run.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub steps: u32,
    /// Steps from one measurement to the next.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub every: u32,
    /// Output folder [default: out/neighbors].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Threads of the simulation and of the searches; 0 is one per core.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = threads)]
    pub threads: usize,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Print the result as JSON.
    #[arg(long)]
    pub json: bool,
}
