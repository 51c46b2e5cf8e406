//! Scene format: kinematic motion of pins and colliders.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rotation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rotate {
    /// Axis; any length but 0.
    pub axis: [f32; 3],
    /// Angle [degrees], counter-clockwise when viewed against the axis.
    pub degrees: f32,
}

/// A prescribed motion, by one key: `{ oscillate = … }`, `{ spin = … }` or `{ keys = … }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum MotionSpec {
    /// Oscillation along a line: displacement amplitude × sin(2π(t/period + phase)) from the initial position.
    Oscillate {
        /// Maximum displacement [m].
        amplitude: [f32; 3],
        /// Period [s].
        period: f32,
        /// Phase, in periods; default 0.
        #[serde(default)]
        phase: f32,
    },
    /// Rotation at a constant rate.
    Spin {
        /// Axis; any length but 0.
        axis: [f32; 3],
        /// A point on the axis [m]; default the origin.
        #[serde(default)]
        center: [f32; 3],
        /// Rate [degrees/s].
        rate: f32,
    },
    /// Linear interpolation between keys, constant before the first and after the last.
    Keys {
        /// Keys in order of time; at least one.
        frames: Vec<Keyframe>,
        /// Center of rotation [m]; default the origin.
        #[serde(default)]
        center: [f32; 3],
    },
}

/// Pose at a time, relative to the initial pose.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Keyframe {
    /// Time [s].
    pub time: f32,
    /// Displacement [m]; default none.
    #[serde(default)]
    pub translate: [f32; 3],
    /// Rotation; default none.
    #[serde(default)]
    pub rotate: Option<Rotate>,
}
