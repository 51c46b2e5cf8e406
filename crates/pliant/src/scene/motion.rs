//! Motion of pins and colliders, in the user's words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rotation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rotate {
    /// Axis; any length but 0.
    pub axis: [f32; 3],
    /// Angle [degrees], counter-clockwise seen against the axis.
    pub degrees: f32,
}

/// How something moves, by one key: `{ oscillate = … }`, `{ spin = … }` or `{ keys = … }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum MotionSpec {
    /// To and fro along a line: amplitude × sin(2π(t/period + phase)), starting where it was placed.
    Oscillate {
        /// Greatest displacement [m].
        amplitude: [f32; 3],
        /// Period [s].
        period: f32,
        /// Shift in periods; default 0.
        #[serde(default)]
        phase: f32,
    },
    /// Steady turning.
    Spin {
        /// Axis; any length but 0.
        axis: [f32; 3],
        /// A point of the axis [m]; default the origin.
        #[serde(default)]
        center: [f32; 3],
        /// Rate [degrees/s].
        rate: f32,
    },
    /// Straight between keys, still before the first and after the last.
    Keys {
        /// Keys in order of time; at least one.
        frames: Vec<Keyframe>,
        /// Point that rotations turn about [m]; default the origin.
        #[serde(default)]
        center: [f32; 3],
    },
}

/// Where something is at a time, relative to where it was placed.
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
