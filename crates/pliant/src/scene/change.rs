//! Scene format: drains, freezing and melting.

use crate::scene::collider::{BoxShape, SphereShape};
use crate::scene::motion::MotionSpec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A region that removes particles of liquids and grains whose center is inside it at the end of a step. Give exactly
/// one of `box`, `sphere`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Drain {
    /// A box.
    #[serde(rename = "box")]
    pub cuboid: Option<BoxShape>,
    /// A sphere.
    pub sphere: Option<SphereShape>,
    /// Name of the liquid or grains to remove; default all.
    pub object: Option<String>,
    /// Whether particles that came from a `pour` return to it and are emitted again, so that it never runs out; default
    /// false.
    pub recycle: bool,
    /// Motion of the region; default none.
    pub motion: Option<MotionSpec>,
}

/// Freezing: the part of a liquid inside a region becomes one rigid body, at once or behind a moving front. Give one of
/// `box`, `sphere`, or neither for the whole liquid.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Freeze {
    /// Name of the liquid.
    pub liquid: String,
    /// Start time [s]; default 0.
    pub start: f32,
    /// A box.
    #[serde(rename = "box")]
    pub cuboid: Option<BoxShape>,
    /// A sphere.
    pub sphere: Option<SphereShape>,
    /// Speed of the front through the region [m/s]; default all at once. Freezing ends when the front has crossed the
    /// region.
    pub speed: Option<f32>,
    /// Origin of the front [m]; default the center of the region.
    pub from: Option<[f32; 3]>,
    /// Density of the body in liquids [kg/m³]; default that of the liquid. Ice has 917.
    pub density: Option<f32>,
    /// Color of the body (red, green, blue from 0 to 1).
    pub color: Option<[f32; 3]>,
}

/// Melting: a body becomes a liquid, from its surface inward.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Melt {
    /// Name of the body. Its particles must be about as large as those of liquids.
    pub body: String,
    /// Name of the liquid it becomes, which may have none of `fill`, `mesh`, `pour`.
    pub liquid: String,
    /// Start time [s]; default 0.
    pub start: f32,
    /// Inward speed of the front [m/s]: heat flux over density and heat of fusion, q/(ρ·L).
    pub speed: f32,
}
