//! `pliant study`: solvers compared on a scene.

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
    /// What to study.
    #[command(subcommand)]
    pub study: Study,
}

/// The studies.
#[derive(Debug, Subcommand)]
pub enum Study {
    /// How fast the error of the constraints falls, by iterations and by time.
    Convergence(ConvergenceArgs),
    /// What each solver costs when all leave the same error.
    Equal(EqualArgs),
    /// What fewer colors cost in accuracy.
    Colors(ColorsArgs),
    /// What each neighbor search costs while a scene runs: grids and trees, all constructions and traversals.
    Neighbors(NeighborsArgs),
}

/// What all studies take.
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

A solver is the name of a partition: serial, color, phantom, hybrid, patch, mosaic, jacobi, jacobi-gather, or
auto for what the scene gets by itself. phantom:4 and hybrid:4 make do with 4 colors per kind (solver.colors);
patch:1000 and mosaic:1000 make patches of at most 1000 particles (solver.patch_particles).

Writes into the output folder: convergence.csv with one line per solver and step (iterations, passes and
milliseconds of the solve stage so far, mean error of all constraints, mean and greatest by kind, distance
that the center of mass has moved), and convergence.svg with the error against iterations and against time.

The table compares solvers at an equal error, the largest that any of them ends with: the time after which
each stays at or below it.")]
pub struct ConvergenceArgs {
    /// Name of a built-in scene, or path of a .toml or .json file.
    pub scene: String,
    /// Solvers to compare, such as color,phantom:4,jacobi.
    #[arg(long, value_name = "SOLVER", value_delimiter = ',', required = true)]
    pub solvers: Vec<SolverSpec>,
    /// Steps to run.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub steps: u32,
    /// Give each solver as many iterations as its solve stage gets done in this time per step [ms].
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

The first solver runs with the scene's iterations. For each other one the fewest iterations are looked for
that leave no larger mean error of all constraints, averaged over the last half of the steps: run enough of
them for something to happen. Solvers are named as in `pliant study convergence`. Times are medians over the
steps; the speed-up is against jacobi where it gets there, and against the slowest otherwise. Passes are what
a graphics processor would launch one after the other: passes per iteration x iterations x substeps.")]
pub struct EqualArgs {
    /// Names of built-in scenes, or paths of .toml or .json files.
    #[arg(required = true, value_name = "SCENE")]
    pub scenes: Vec<String>,
    /// Solvers to compare; the first one sets the error that the others have to match.
    #[arg(long, value_name = "SOLVER", value_delimiter = ',', required = true)]
    pub solvers: Vec<SolverSpec>,
    /// Steps to run, each time.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub steps: u32,
    /// Iterations per substep at most.
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

Runs the scene with phantom particles for every number of colors, and compares where particles end up with
a reference: plain colors and 16 times the iterations. The error is the root mean square distance between
particles over the diagonal of the reference's bounding box. Keep the run short: where motion is chaotic,
any difference grows with time and says little about the solver.

Writes into the output folder: colors.csv with one line for plain colors and one per number of colors, and
colors.svg with the error against the number of colors.")]
pub struct ColorsArgs {
    /// Name of a built-in scene, or path of a .toml or .json file.
    pub scene: String,
    /// Steps to run.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub steps: u32,
    /// Fewest colors.
    #[arg(long, value_name = "Q", default_value_t = 2, value_parser = clap::value_parser!(u32).range(2..=65_536))]
    pub from: u32,
    /// Most colors [default: as many as plain coloring takes for the kind that takes most].
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

Runs each scene, and every so many steps lets every neighbor search find the pairs that contacts would be
looked for in: the grid as the engine takes it and with cells of one reach in tables of 64^3 and 128^3 places,
counted or sorted; the tree with boxes or balls around bunches of 8 and with boxes around single particles, by
each walk (stack, sparse, mbvh2) from each start (root, leaf, bunch). All have to find the same pairs. Scenes
of rigid boxes run a second time with merged particles in place of equal ones.

Writes into the output folder: neighbors.csv with the median times of building and searching, and
neighbors.svg with what some of them take while the scene runs. Runs on the CPU.")]
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
