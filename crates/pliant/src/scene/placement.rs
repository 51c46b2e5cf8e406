//! Scene format: transforms, arrays, pins and attachments.

use crate::scene::motion::{MotionSpec, Rotate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Scale, then rotation, then translation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Transform {
    /// Scale factor; default 1.
    pub scale: f32,
    /// Rotation about the origin; default none.
    pub rotate: Option<Rotate>,
    /// Translation [m].
    pub translate: [f32; 3],
}

impl Default for Transform {
    fn default() -> Self {
        Self { scale: 1.0, rotate: None, translate: [0.0; 3] }
    }
}

/// Copies on a lattice. Pins and all other settings apply to each copy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArraySpec {
    /// Number of copies along x, y, z.
    pub count: [u32; 3],
    /// Distance between copies [m].
    pub spacing: [f32; 3],
}

impl ArraySpec {
    /// Number of copies in all.
    pub(crate) fn copies(&self) -> u64 {
        self.count.iter().fold(1, |product, &n| u64::from(n).saturating_mul(product))
    }
}

/// Fixed or kinematic particles. Give exactly one of `at`, `particles`, `inside`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Pin {
    /// A named selection.
    pub at: Option<Place>,
    /// Particle numbers, from 0, of one copy.
    pub particles: Option<Vec<u32>>,
    /// All particles initially inside a box.
    pub inside: Option<Region>,
    /// Motion of the particles; default none.
    pub motion: Option<MotionSpec>,
}

/// Named selections. Edges and corners exist on grids, ends on ropes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// All particles.
    All,
    /// Minimum of the first coordinate.
    #[serde(rename = "left edge")]
    LeftEdge,
    /// Maximum of the first coordinate.
    #[serde(rename = "right edge")]
    RightEdge,
    /// Maximum of the second coordinate.
    #[serde(rename = "top edge")]
    TopEdge,
    /// Minimum of the second coordinate.
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

/// An axis-aligned box in world coordinates, applied to initial positions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// Lowest corner [m].
    pub min: [f32; 3],
    /// Highest corner [m].
    pub max: [f32; 3],
}

/// Attaches particles of one object to another: each of `from` to the nearest of `to`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attach {
    /// Particles that are attached. They do not collide with the object they are attached to.
    pub from: Select,
    /// Particles they are attached to.
    pub to: Select,
    /// Maximum distance of attached pairs [m]; default 0.05.
    #[serde(default = "default_within")]
    pub within: f32,
    /// Compliance of the attachment [m/N]; default 0: rigid.
    #[serde(default)]
    pub compliance: f32,
}

fn default_within() -> f32 {
    0.05
}

/// Particles of an object and of all its copies; default all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Select {
    /// Name of the object.
    pub object: String,
    /// A named selection.
    pub at: Option<Place>,
    /// Particle numbers of one copy.
    pub particles: Option<Vec<u32>>,
    /// All particles initially inside a box.
    pub inside: Option<Region>,
}
