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
    /// Axis x of the joint at the start: that of a hinge or slider, and the first one of a universal joint, which is fixed
    /// to the other body; default y.
    #[serde(default = "default_axis")]
    pub axis: [f32; 3],
    /// Axis y of the joint at the start: of a universal joint the second one, which is fixed to `body` and perpendicular to
    /// `axis`; of others as far as it is perpendicular to `axis`; default any; `universal`, `six` and `ball` only.
    #[serde(default)]
    pub axis2: Option<[f32; 3]>,
    /// Lower and upper limit of the only axis that is free: of a hinge [degrees] from the start, within half a turn; of a
    /// slider [m] from the start; of a distance [m], instead of a fixed length.
    #[serde(default)]
    pub limits: Option<[f32; 2]>,
    /// Motor of a hinge, slider or distance.
    #[serde(default)]
    pub motor: Option<MotorSpec>,
    /// Dry friction: torque of a hinge, of a ball, and about each axis of a universal joint [N·m]; force of a slider or
    /// distance [N]; default 0.
    #[serde(default)]
    pub friction: f32,
    /// Axes that are free, with what acts along or about them: any of `six`, `rx` and `ry` of `universal`, `rx`, `ry` and
    /// `rz` of `ball`.
    #[serde(default)]
    pub axes: JointAxes,
    /// Distance at rest [m]; default that at the start; `distance` only.
    #[serde(default)]
    pub length: Option<f32>,
    /// Stiffness of a spring [N/m]; default rigid; `distance` only.
    #[serde(default)]
    pub stiffness: Option<f32>,
    /// Compliance of directions that are not free [m/N]; default 0: rigid.
    #[serde(default)]
    pub compliance: f32,
    /// Damping where there is stiffness or compliance [N·s/m]; default 0.
    #[serde(default)]
    pub damping: f32,
    /// Compliance of rotations that are not free [rad/(N·m)]; default 0: rigid.
    #[serde(default)]
    pub angular_compliance: f32,
    /// Damping where there is angular compliance [N·m·s/rad]; default 0.
    #[serde(default)]
    pub angular_damping: f32,
    /// Force at which it breaks [N], as a mean over a substep; default never.
    #[serde(default)]
    pub break_force: Option<f32>,
    /// Torque at which it breaks [N·m], as a mean over a substep; default never.
    #[serde(default)]
    pub break_torque: Option<f32>,
    /// Whether its two bodies collide with each other; default false. They do once it is broken.
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
    /// Rotation about two axes that stay perpendicular, one fixed to each body.
    Universal,
    /// Everything but the distance of two points; a spring if `stiffness` or `compliance` is given, a rope if `limits` are.
    Distance,
    /// The axes that `axes` names.
    Six,
}

/// An axis of a joint: translation along x, y, z of its frame on the other body, and rotation about them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JointAxis {
    /// Along x, the axis of a slider; of a distance, its length.
    X,
    /// Along y.
    Y,
    /// Along z.
    Z,
    /// About x, the axis of a hinge and the first one of a universal joint.
    Rx,
    /// About y, the second one of a universal joint.
    Ry,
    /// About z.
    Rz,
}

impl JointAxis {
    /// All axes.
    pub const ALL: [Self; 6] = [Self::X, Self::Y, Self::Z, Self::Rx, Self::Ry, Self::Rz];

    /// Name in scenes.
    pub fn name(self) -> &'static str {
        ["x", "y", "z", "rx", "ry", "rz"][self as usize]
    }

    /// Whether it is a rotation.
    pub fn is_rotation(self) -> bool {
        self >= Self::Rx
    }
}

/// Free axes of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JointAxes {
    /// Translation along x.
    pub x: Option<AxisSpec>,
    /// Translation along y.
    pub y: Option<AxisSpec>,
    /// Translation along z.
    pub z: Option<AxisSpec>,
    /// Rotation about x.
    pub rx: Option<AxisSpec>,
    /// Rotation about y.
    pub ry: Option<AxisSpec>,
    /// Rotation about z.
    pub rz: Option<AxisSpec>,
}

impl JointAxes {
    /// What is given for an axis.
    pub fn get(&self, axis: JointAxis) -> Option<AxisSpec> {
        [self.x, self.y, self.z, self.rx, self.ry, self.rz][axis as usize]
    }
}

/// What acts along or about a free axis of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AxisSpec {
    /// Lower and upper limit from the start [m] or [degrees]; default none.
    pub limits: Option<[f32; 2]>,
    /// Motor; default none.
    pub motor: Option<MotorSpec>,
    /// Dry friction [N] or [N·m]; default 0.
    pub friction: f32,
}

/// A motor of limited force: it holds a speed, or with `stiffness` pulls toward a place as a damped spring.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MotorSpec {
    /// Speed of `body` relative to the other one [rad/s] or [m/s]; with a stiffness, that of the target; default 0.
    #[serde(default)]
    pub speed: f32,
    /// Most torque [N·m] or force [N].
    pub most: f32,
    /// Place to go to, from the start [degrees] or [m], of a distance its length [m]; default 0; with `stiffness` only.
    #[serde(default)]
    pub target: Option<f32>,
    /// Stiffness toward the target [N·m/rad] or [N/m]; default none: a motor of velocity.
    #[serde(default)]
    pub stiffness: Option<f32>,
    /// Damping [N·m·s/rad] or [N·s/m]; default 0; with `stiffness` only.
    #[serde(default)]
    pub damping: f32,
}

impl MotorSpec {
    /// Holds a speed [rad/s] or [m/s] with at most a torque [N·m] or force [N].
    pub fn velocity(speed: f32, most: f32) -> Self {
        Self { speed, most, target: None, stiffness: None, damping: 0.0 }
    }

    /// Pulls toward a place [degrees] or [m] as a damped spring, with at most a torque [N·m] or force [N].
    pub fn position(target: f32, stiffness: f32, damping: f32, most: f32) -> Self {
        Self { speed: 0.0, most, target: Some(target), stiffness: Some(stiffness), damping }
    }
}

impl AxisSpec {
    /// Free between two limits [m] or [degrees].
    pub fn limited(low: f32, high: f32) -> Self {
        Self { limits: Some([low, high]), ..Self::default() }
    }

    /// With a motor.
    pub fn motor(self, motor: MotorSpec) -> Self {
        Self { motor: Some(motor), ..self }
    }

    /// With dry friction [N] or [N·m].
    pub fn friction(self, friction: f32) -> Self {
        Self { friction, ..self }
    }
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
            axis2: None,
            limits: None,
            motor: None,
            friction: 0.0,
            axes: JointAxes::default(),
            length: None,
            stiffness: None,
            compliance: 0.0,
            damping: 0.0,
            angular_compliance: 0.0,
            angular_damping: 0.0,
            break_force: None,
            break_torque: None,
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

    /// A slider.
    pub fn slider(body: impl Into<String>) -> Self {
        Self::new(JointType::Slider, body)
    }

    /// A weld.
    pub fn fixed(body: impl Into<String>) -> Self {
        Self::new(JointType::Fixed, body)
    }

    /// A universal joint with its two axes.
    pub fn universal(body: impl Into<String>, axis: [f32; 3], axis2: [f32; 3]) -> Self {
        Self { axis, axis2: Some(axis2), ..Self::new(JointType::Universal, body) }
    }

    /// A distance between a point of the body and one of the other body or the world [m].
    pub fn distance(body: impl Into<String>, anchor: [f32; 3], anchor_to: [f32; 3]) -> Self {
        Self { anchor, anchor_to: Some(anchor_to), ..Self::new(JointType::Distance, body) }
    }

    /// A joint whose free axes are named one by one.
    pub fn six(body: impl Into<String>) -> Self {
        Self::new(JointType::Six, body)
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

    /// Its second axis.
    pub fn axis2(self, axis2: [f32; 3]) -> Self {
        Self { axis2: Some(axis2), ..self }
    }

    /// Limits of its only free axis [degrees] or [m].
    pub fn limits(self, low: f32, high: f32) -> Self {
        Self { limits: Some([low, high]), ..self }
    }

    /// Motor of its only free axis.
    pub fn motor(self, motor: MotorSpec) -> Self {
        Self { motor: Some(motor), ..self }
    }

    /// Dry friction [N] or [N·m].
    pub fn friction(self, friction: f32) -> Self {
        Self { friction, ..self }
    }

    /// Frees an axis, and says what acts along or about it.
    pub fn free(mut self, axis: JointAxis, spec: AxisSpec) -> Self {
        let axes = &mut self.axes;
        let own = match axis {
            JointAxis::X => &mut axes.x,
            JointAxis::Y => &mut axes.y,
            JointAxis::Z => &mut axes.z,
            JointAxis::Rx => &mut axes.rx,
            JointAxis::Ry => &mut axes.ry,
            JointAxis::Rz => &mut axes.rz,
        };
        *own = Some(spec);
        self
    }

    /// Compliance [m/N] and damping [N·s/m] of directions that are not free.
    pub fn soft(self, compliance: f32, damping: f32) -> Self {
        Self { compliance, damping, ..self }
    }

    /// Compliance [rad/(N·m)] and damping [N·m·s/rad] of rotations that are not free.
    pub fn soft_rotation(self, angular_compliance: f32, angular_damping: f32) -> Self {
        Self { angular_compliance, angular_damping, ..self }
    }

    /// Force [N] and torque [N·m] at which it breaks.
    pub fn breaks_at(self, force: Option<f32>, torque: Option<f32>) -> Self {
        Self { break_force: force, break_torque: torque, ..self }
    }

    /// Its axis, of joints that have a single one: where `limits`, `motor` and `friction` act.
    pub fn single_axis(&self) -> Option<JointAxis> {
        match self.kind {
            JointType::Hinge => Some(JointAxis::Rx),
            JointType::Slider | JointType::Distance => Some(JointAxis::X),
            _ => None,
        }
    }

    /// Whether it is a distance that a spring holds.
    pub fn is_spring(&self) -> bool {
        self.kind == JointType::Distance && (self.stiffness.is_some() || self.compliance > 0.0)
    }

    /// Whether an axis may be free.
    pub fn frees(&self, axis: JointAxis) -> bool {
        match self.kind {
            JointType::Six => self.axes.get(axis).is_some(),
            JointType::Ball => axis.is_rotation(),
            JointType::Universal => matches!(axis, JointAxis::Rx | JointAxis::Ry),
            _ => self.single_axis() == Some(axis),
        }
    }
}
