//! Solids of the environment, in the user's words.

use super::motion::{MotionSpec, Rotate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A solid that particles collide with. Give exactly one of `plane`, `sphere`, `capsule`, `box`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Collider {
    /// Name for messages; default "collider N".
    pub name: String,
    /// Everything below a plane.
    pub plane: Option<PlaneShape>,
    /// A ball.
    pub sphere: Option<SphereShape>,
    /// A rod with round ends.
    pub capsule: Option<CapsuleShape>,
    /// A cuboid.
    #[serde(rename = "box")]
    pub cuboid: Option<BoxShape>,
    /// Friction with everything that touches it.
    pub friction: FrictionSpec,
    /// How it moves; default not at all.
    pub motion: Option<MotionSpec>,
}

/// Coulomb friction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FrictionSpec {
    /// Static coefficient; default 0.5.
    #[serde(rename = "static")]
    pub stick: f32,
    /// Kinetic coefficient, at most the static one; default 0.4.
    #[serde(rename = "kinetic")]
    pub slide: f32,
}

impl Default for FrictionSpec {
    fn default() -> Self {
        Self { stick: 0.5, slide: 0.4 }
    }
}

/// Half-space {x : normal·x ≤ offset}.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaneShape {
    /// Direction out of the solid; any length but 0. Default up.
    #[serde(default = "up")]
    pub normal: [f32; 3],
    /// Distance of the plane from the origin along the normal [m]; default 0.
    #[serde(default)]
    pub offset: f32,
}

fn up() -> [f32; 3] {
    [0.0, 1.0, 0.0]
}

/// A ball.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SphereShape {
    /// Center [m].
    pub center: [f32; 3],
    /// Radius [m].
    pub radius: f32,
}

/// All points within `radius` of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CapsuleShape {
    /// One end of the segment [m].
    pub from: [f32; 3],
    /// The other end [m].
    pub to: [f32; 3],
    /// Radius [m].
    pub radius: f32,
}

/// A cuboid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxShape {
    /// Center [m].
    pub center: [f32; 3],
    /// Edge lengths [m].
    pub size: [f32; 3],
    /// Rotation about the center; default none.
    #[serde(default)]
    pub rotate: Option<Rotate>,
}
