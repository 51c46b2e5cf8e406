//! What leaves the world or changes in it while it runs, in the user's words.

use crate::scene::collider::{BoxShape, SphereShape};
use crate::scene::motion::MotionSpec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A region that takes away the particles of liquids and grains whose middle is in it when a step ends. Give exactly one
/// of `box`, `sphere`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Drain {
    /// A cuboid.
    #[serde(rename = "box")]
    pub cuboid: Option<BoxShape>,
    /// A ball.
    pub sphere: Option<SphereShape>,
    /// Name of the liquid or of the grains that it takes; default all of them.
    pub object: Option<String>,
    /// Whether what came out of a `pour` goes back to it and comes out again, so that it never runs dry; default false.
    pub recycle: bool,
    /// How it moves; default not at all.
    pub motion: Option<MotionSpec>,
}

/// A liquid of which all that is in a region turns into one rigid body, at once or as a front comes. Give one of `box`,
/// `sphere`, or none where it is all of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Freeze {
    /// Name of the liquid.
    pub liquid: String,
    /// When it begins [s]; default 0.
    pub start: f32,
    /// A cuboid.
    #[serde(rename = "box")]
    pub cuboid: Option<BoxShape>,
    /// A ball.
    pub sphere: Option<SphereShape>,
    /// How fast a front goes through the region [m/s]; default all at once. It is over when it is through.
    pub speed: Option<f32>,
    /// Where the front comes from [m]; default the middle of the region.
    pub from: Option<[f32; 3]>,
    /// Density of the body among liquids [kg/m³]; default that of the liquid. Ice has 917.
    pub density: Option<f32>,
    /// Color (red, green, blue from 0 to 1) of the body.
    pub color: Option<[f32; 3]>,
}

/// A body that turns into a liquid, from its surface inward.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Melt {
    /// Name of the body. Its particles must be about as large as those of liquids.
    pub body: String,
    /// Name of the liquid that it turns into, which may have neither `fill`, `mesh` nor `pour`.
    pub liquid: String,
    /// When it begins [s]; default 0.
    pub start: f32,
    /// How fast the front goes inward [m/s]: heat by area over density and heat of fusion, q/(ρ·L).
    pub speed: f32,
}
