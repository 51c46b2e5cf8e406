//! `pliant voxelize`: what can be said.

use super::backend::BackendArgs;
use clap::Args;
use pliant::build::voxel::{MERGE_DEPTH, MOST_ALONG, PADDING};
use std::path::{Path, PathBuf};

/// `pliant voxelize`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pliant voxelize bunny.obj --grid 96
  pliant voxelize bunny.obj --grid 96 --merge --picture bunny.png
  pliant voxelize box --grid 32 --merge --json
  pliant voxelize torus --grid 64 --merge 2.5
  pliant voxelize bunny.obj --grid 96 --merge --backend gpu --repeat 20

A mesh is an .obj, .ply, .stl, .gltf or .glb file, or one of these shapes:
  box        a cube of 12 triangles
  cartesian  a cube whose sides are grids of 32 x 32 squares
  ball, torus, urchin, figure
It has to be closed: every edge joins two triangles. What can be repaired is, with a note; the rest is refused.

Voxels whose center is inside become particles. With --merge, blocks of 2 x 2 x 2 voxels that lie deeper than
DEPTH voxels below the surface become one larger particle, and blocks of those one that is larger still. The
surface always keeps its small ones. The picture shows the particles, whole and cut open, a color per size.

A GPU makes the same particles, to the last bit; auto takes one that is no driver on the CPU and has room for the
grid, else the CPU. Times are medians over --repeat runs, of which the first are the slowest: on the CPU the time
of one core, on a GPU its own clock. Reading and repairing the mesh are not in them, nor what the host does for a
GPU, which is told by itself: vertices snapped and sent before, particles read back after.")]
pub struct VoxelizeArgs {
    /// Mesh file, or name of a shape.
    pub mesh: String,
    /// Voxels along the longest side of the mesh.
    #[arg(long, value_name = "N", value_parser = grid)]
    pub grid: u32,
    /// Merge voxels deeper than this below the surface [voxels] [default where nothing is said: 1].
    #[arg(long, value_name = "DEPTH", num_args = 0..=1, default_missing_value = DEFAULT_DEPTH, value_parser = depth)]
    pub merge: Option<f32>,
    #[command(flatten)]
    pub processor: BackendArgs,
    /// Runs to take the median time of.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub repeat: u32,
    /// Draw the particles into this file.
    #[arg(long, value_name = "FILE.png", value_parser = png)]
    pub picture: Option<PathBuf>,
    /// Print the findings as one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// [`MERGE_DEPTH`] in words, for clap.
const DEFAULT_DEPTH: &str = "1";

fn grid(text: &str) -> Result<u32, String> {
    let most = MOST_ALONG - 2 * PADDING;
    let value: u32 = text.parse().map_err(|_| format!("{text:?} is not a whole number from 1 to {most}"))?;
    if (1..=most).contains(&value) { Ok(value) } else { Err(format!("allowed are 1 to {most} voxels")) }
}

fn depth(text: &str) -> Result<f32, String> {
    let help = format!("; name the mesh before --merge, or give a depth: --merge {MERGE_DEPTH}");
    let value: f32 = text.parse().map_err(|_| format!("{text:?} is not a number{help}"))?;
    if value >= 0.5 && value.is_finite() { Ok(value) } else { Err("allowed is a depth of 0.5 voxels or more".into()) }
}

fn png(text: &str) -> Result<PathBuf, String> {
    let path = Path::new(text);
    let is_png = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("png"));
    if is_png { Ok(path.into()) } else { Err("a picture is a PNG file: give a name that ends in .png".into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_depth_that_help_names_is_the_engines() {
        assert_eq!(depth(DEFAULT_DEPTH), Ok(MERGE_DEPTH));
    }

    #[test]
    fn numbers_that_make_no_grid_and_no_depth_are_refused() {
        for (text, fine) in [("1", true), ("1020", true), ("0", false), ("1021", false), ("-3", false), ("x", false)] {
            assert_eq!(grid(text).is_ok(), fine, "{text}");
        }
        for (text, fine) in [("0.5", true), ("2", true), ("0.4", false), ("NaN", false), ("inf", false), ("box", false)]
        {
            assert_eq!(depth(text).is_ok(), fine, "{text}");
        }
    }
}
