//! Arguments of `pliant voxelize`.

use super::backend::BackendArgs;
use clap::Args;
use pliant::voxel::{MERGE_DEPTH, MOST_ALONG, PADDING};
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
It has to be closed: every edge joins two triangles. Repairable defects are repaired with a note; others are refused.

Voxels whose center is inside become particles. With --merge, blocks of 2 x 2 x 2 voxels that lie deeper than
DEPTH voxels below the surface become one larger particle, and blocks of those one that is larger still. The
surface always keeps single voxels. The picture shows the particles, whole and cut open, with a color per size.

A GPU gives bit-identical particles; auto takes a hardware GPU with enough memory for the grid, else the CPU. Times
are medians over --repeat runs, of which the first are the slowest: CPU time of one core, or device time of a GPU.
They exclude reading and repairing the mesh and the host work for a GPU (snapping and uploading vertices, reading
back particles), which is reported separately.")]
pub struct VoxelizeArgs {
    /// Mesh file, or name of a shape.
    pub mesh: String,
    /// Voxels along the longest side of the mesh.
    #[arg(long, value_name = "N", value_parser = grid)]
    pub grid: u32,
    /// Merge voxels deeper than this below the surface [voxels] [default without a value: 1].
    #[arg(long, value_name = "DEPTH", num_args = 0..=1, default_missing_value = DEFAULT_DEPTH, value_parser = depth)]
    pub merge: Option<f32>,
    #[command(flatten)]
    pub processor: BackendArgs,
    /// Number of runs for the median time.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub repeat: u32,
    /// Render the particles to this file.
    #[arg(long, value_name = "FILE.png", value_parser = png)]
    pub picture: Option<PathBuf>,
    /// Print the result as one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// [`MERGE_DEPTH`] as text, for clap.
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
    fn the_default_depth_is_that_of_the_engine() {
        assert_eq!(depth(DEFAULT_DEPTH), Ok(MERGE_DEPTH));
    }

    #[test]
    fn invalid_grids_and_depths_are_refused() {
        for (text, fine) in [("1", true), ("1020", true), ("0", false), ("1021", false), ("-3", false), ("x", false)] {
            assert_eq!(grid(text).is_ok(), fine, "{text}");
        }
        for (text, fine) in [("0.5", true), ("2", true), ("0.4", false), ("NaN", false), ("inf", false), ("box", false)]
        {
            assert_eq!(depth(text).is_ok(), fine, "{text}");
        }
    }
}
