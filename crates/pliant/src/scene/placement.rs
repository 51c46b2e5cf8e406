//! Where things are put, held and joined, in the user's words.

use crate::scene::motion::{MotionSpec, Rotate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Scale, then rotation, then translation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Transform {
    /// Factor; default 1.
    pub scale: f32,
    /// Rotation about the origin; default none.
    pub rotate: Option<Rotate>,
    /// Displacement [m].
    pub translate: [f32; 3],
}

impl Default for Transform {
    fn default() -> Self {
        Self { scale: 1.0, rotate: None, translate: [0.0; 3] }
    }
}

/// Copies on a lattice. Pins and everything else hold for each copy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArraySpec {
    /// Copies along x, y, z.
    pub count: [u32; 3],
    /// Distance between copies [m].
    pub spacing: [f32; 3],
}

/// Particles held in place, or moved as told. Give exactly one of `at`, `particles`, `inside`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Pin {
    /// A named place.
    pub at: Option<Place>,
    /// Particle numbers, from 0, of one copy.
    pub particles: Option<Vec<u32>>,
    /// All particles that start within a box.
    pub inside: Option<Region>,
    /// How they move; default not at all.
    pub motion: Option<MotionSpec>,
}

/// Named places. Edges and corners exist on grids, ends on ropes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// Every particle.
    All,
    /// Lowest first coordinate.
    #[serde(rename = "left edge")]
    LeftEdge,
    /// Highest first coordinate.
    #[serde(rename = "right edge")]
    RightEdge,
    /// Highest second coordinate.
    #[serde(rename = "top edge")]
    TopEdge,
    /// Lowest second coordinate.
    #[serde(rename = "bottom edge")]
    BottomEdge,
    /// A corner.
    #[serde(rename = "top left")]
    TopLeft,
    /// A corner.
    #[serde(rename = "top right")]
    TopRight,
    /// A corner.
    #[serde(rename = "bottom left")]
    BottomLeft,
    /// A corner.
    #[serde(rename = "bottom right")]
    BottomRight,
    /// All four corners.
    Corners,
    /// First particle of a rope.
    Start,
    /// Last particle of a rope.
    End,
}

/// An axis-aligned box in the world, before anything moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// Lowest corner [m].
    pub min: [f32; 3],
    /// Highest corner [m].
    pub max: [f32; 3],
}

/// Holds particles of one object to particles of another: each of `from` to the nearest of `to`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attach {
    /// Particles that are attached. They do not touch what they are attached to.
    pub from: Select,
    /// Particles they are attached to.
    pub to: Select,
    /// Pairs farther apart than this are left alone [m]; default 0.05.
    #[serde(default = "default_within")]
    pub within: f32,
    /// Softness of the joint, inverse stiffness [m/N]; default 0.
    #[serde(default)]
    pub compliance: f32,
}

fn default_within() -> f32 {
    0.05
}

/// Particles of an object and of all of its copies; all of them if nothing more is said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Select {
    /// Name of the object.
    pub object: String,
    /// A named place.
    pub at: Option<Place>,
    /// Particle numbers of one copy.
    pub particles: Option<Vec<u32>>,
    /// All particles that start within a box.
    pub inside: Option<Region>,
}
