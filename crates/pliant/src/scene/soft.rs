//! Soft bodies, in the user's words.

use crate::scene::material::{Elasticity, Fem};
use crate::scene::placement::{ArraySpec, Pin, Transform};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A solid body of tetrahedra. Give exactly one of `block`, `torus`, `ball`, `urchin`, `figure`,
/// `mesh`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Soft {
    /// Name for messages and attachments; default "soft N".
    pub name: String,
    /// A cuboid.
    pub block: Option<BlockSpec>,
    /// A ring.
    pub torus: Option<TorusSpec>,
    /// A ball.
    pub ball: Option<BallSpec>,
    /// A ball with spikes.
    pub urchin: Option<UrchinSpec>,
    /// A standing figure.
    pub figure: Option<FigureSpec>,
    /// A tetrahedral mesh file (TetGen .node/.ele, Gmsh .msh) in the scene's folder.
    pub mesh: Option<String>,
    /// Where it is placed.
    pub transform: Transform,
    /// Copies in rows, columns and layers.
    pub array: Option<ArraySpec>,
    /// Initial velocity [m/s].
    pub velocity: [f32; 3],
    /// Factors by which it is stretched or squeezed at the start, about its lowest corner; default none.
    pub squash: [f32; 3],
    /// Mass per volume [kg/m³]; default 1000.
    pub density: f32,
    /// Mass of every particle [kg], in place of `density`.
    pub particle_mass: Option<f32>,
    /// Radius of its particles in contact [m]; default 0.005.
    pub radius: f32,
    /// Resistance of edges to stretching; default `{ compliance = 0 }`.
    pub stretch: Elasticity,
    /// Resistance of tetrahedra to changes of volume; default `{ compliance = 0 }`.
    pub volume: Elasticity,
    /// Continuum elasticity in place of `stretch` and `volume`.
    pub fem: Option<Fem>,
    /// Particles that do not move, or move as told.
    pub pin: Vec<Pin>,
    /// Color in pictures; default from a palette.
    pub color: Option<[f32; 3]>,
}

impl Default for Soft {
    fn default() -> Self {
        Self {
            name: String::new(),
            block: None,
            torus: None,
            ball: None,
            urchin: None,
            figure: None,
            mesh: None,
            transform: Transform::default(),
            array: None,
            velocity: [0.0; 3],
            squash: [1.0; 3],
            density: 1000.0,
            particle_mass: None,
            radius: 0.005,
            stretch: Elasticity::Compliance(0.0),
            volume: Elasticity::Compliance(0.0),
            fem: None,
            pin: Vec::new(),
            color: None,
        }
    }
}

/// How a cell of eight particles is cut into tetrahedra.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Tessellation {
    /// Five, mirrored from cell to cell.
    #[default]
    Five,
    /// Six around a diagonal.
    Six,
}

/// A cuboid of cells, its lowest corner at the origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockSpec {
    /// Cells along x, y, z; one more particle than cells.
    pub cells: [u32; 3],
    /// Edge lengths [m].
    pub size: [f32; 3],
    /// Tetrahedra per cell, "five" (default) or "six".
    #[serde(default)]
    pub tets: Tessellation,
}

/// A ring of rectangular section around the y axis, its underside at y = 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TorusSpec {
    /// Radius of the middle line [m].
    pub radius: f32,
    /// Width of the section, along the radius [m].
    pub width: f32,
    /// Height of the section [m]; default the width.
    #[serde(default)]
    pub height: Option<f32>,
    /// Cells around, and along the width of the section.
    pub cells: [u32; 2],
    /// Cells along the height of the section; default as along its width.
    #[serde(default)]
    pub layers: Option<u32>,
}

/// A ball around the origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BallSpec {
    /// Radius [m].
    pub radius: f32,
    /// Cells across.
    pub cells: u32,
}

/// A ball around the origin with thin spikes all over, each pointing straight away from the middle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UrchinSpec {
    /// Radius of the ball [m].
    pub radius: f32,
    /// Cells across the ball.
    pub cells: u32,
    /// Its spikes.
    pub spikes: SpikeSpec,
}

impl UrchinSpec {
    /// Spikes along a side of each of the six squares that the surface is made of. Squares end with at least
    /// half a gap, so that spikes of two of them never touch.
    pub fn rows(&self) -> u32 {
        let ends = self.spikes.gap.div_ceil(2) * 2;
        (self.cells + self.spikes.gap).saturating_sub(ends) / (self.spikes.cells[0] + self.spikes.gap).max(1)
    }
}

/// Spikes of square section that narrow to half their width.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpikeSpec {
    /// Length [m].
    pub length: f32,
    /// Cells across and along a spike.
    pub cells: [u32; 2],
    /// Cells of the ball's surface between neighbors; default 1.
    #[serde(default = "default_gap")]
    pub gap: u32,
}

fn default_gap() -> u32 {
    1
}

/// A chunky figure with ears, arms and legs that stands at y = 0 and looks along +z.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FigureSpec {
    /// Height [m].
    pub height: f32,
    /// Cells along the height.
    pub cells: u32,
}
