//! Scene format: joints of rigid bodies.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A joint between two rigid bodies, or between a rigid body and the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// What it leaves free.
    pub kind: JointType,
    /// Name of the body; of a copy `name[k]`.
    pub body: String,
    /// Name of the other body; default the world.
    #[serde(default)]
    pub to: Option<String>,
    /// Where it is, in world coordinates at the start [m]; of a distance its end on `body`.
    #[serde(default)]
    pub anchor: [f32; 3],
    /// End of a distance on the other body or in the world [m]; `distance` only.
    #[serde(default)]
    pub anchor_to: Option<[f32; 3]>,
    /// Axis of a hinge or slider at the start; default y.
    #[serde(default = "default_axis")]
    pub axis: [f32; 3],
    /// Lower and upper limit from the start: of a hinge [degrees], within half a turn; of a slider [m].
    #[serde(default)]
    pub limits: Option<[f32; 2]>,
    /// Drive of a hinge or slider.
    #[serde(default)]
    pub motor: Option<MotorSpec>,
    /// Distance at rest [m]; default that at the start; `distance` only.
    #[serde(default)]
    pub length: Option<f32>,
    /// Stiffness of a spring [N/m]; default rigid; `distance` only.
    #[serde(default)]
    pub stiffness: Option<f32>,
    /// Damping of a spring [N·s/m]; default 0; `distance` only.
    #[serde(default)]
    pub damping: f32,
    /// Whether its two bodies collide with each other; default false.
    #[serde(default)]
    pub collide: bool,
}

fn default_axis() -> [f32; 3] {
    [0.0, 1.0, 0.0]
}

/// What a joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum JointType {
    /// Rotation about a point.
    Ball,
    /// Rotation about an axis.
    Hinge,
    /// Translation along an axis.
    Slider,
    /// Nothing.
    Fixed,
    /// Everything but the distance of two points; a spring if `stiffness` is given.
    Distance,
}

/// A drive of limited force.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MotorSpec {
    /// Speed [rad/s] of a hinge, [m/s] of a slider.
    pub speed: f32,
    /// Most torque [N·m] of a hinge, force [N] of a slider.
    pub most: f32,
}

impl Joint {
    /// A joint of a body with the world, at the origin.
    pub fn new(kind: JointType, body: impl Into<String>) -> Self {
        Self {
            kind,
            body: body.into(),
            to: None,
            anchor: [0.0; 3],
            anchor_to: None,
            axis: default_axis(),
            limits: None,
            motor: None,
            length: None,
            stiffness: None,
            damping: 0.0,
            collide: false,
        }
    }

    /// A hinge.
    pub fn hinge(body: impl Into<String>) -> Self {
        Self::new(JointType::Hinge, body)
    }

    /// A ball joint.
    pub fn ball(body: impl Into<String>) -> Self {
        Self::new(JointType::Ball, body)
    }

    /// With another body, instead of the world.
    pub fn to(self, other: impl Into<String>) -> Self {
        Self { to: Some(other.into()), ..self }
    }

    /// Where it is [m].
    pub fn anchor(self, anchor: [f32; 3]) -> Self {
        Self { anchor, ..self }
    }

    /// Its axis.
    pub fn axis(self, axis: [f32; 3]) -> Self {
        Self { axis, ..self }
    }
}
