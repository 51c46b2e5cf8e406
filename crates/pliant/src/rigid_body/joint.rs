//! Joints between bodies, and between bodies and the world.
//!
//! A joint has a frame on each body, which coincide at the start. Its six axes are translation along x, y and z of the frame
//! on the first body, and rotation about them; some are locked, and on the others limits, motors and friction may act.

use crate::rigid_body::bodies::BodyState;
use crate::rigid_body::shape::Frame;
use glam::{DMat3, DQuat, DVec3};

/// The world as a body of a joint.
pub const WORLD: u32 = u32::MAX;

/// First axis of rotation.
pub const TURN: usize = 3;

/// Any rotation, as an axis: friction of a ball.
pub const ANY_TURN: usize = 6;

/// What a joint holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// Some of the axes x, y, z and the rotations about them.
    Axes {
        /// Which of them.
        locked: [bool; 6],
    },
    /// The distance of two points.
    Distance {
        /// Distance at rest [m].
        length: f64,
        /// Whether it is held, rigidly or by a spring; else only limits and motors act.
        locked: bool,
    },
}

/// A drive of limited force.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motor {
    /// Speed [rad/s] or [m/s].
    pub speed: f64,
    /// Most torque [N·m] or force [N].
    pub most: f64,
    /// Place that a spring pulls to [rad] or [m].
    pub target: f64,
    /// Stiffness [N·m/rad] or [N/m] and damping [N·m·s/rad] or [N·s/m] of that spring; none for a motor of velocity.
    pub spring: Option<[f64; 2]>,
}

/// Limits, motor, spring and friction of an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drive {
    /// Number of the axis, or [`ANY_TURN`].
    pub axis: u32,
    /// Lower and upper limit [rad] or [m], from the start; of a distance [m].
    pub limits: Option<[f64; 2]>,
    /// Motor.
    pub motor: Option<Motor>,
    /// Dry friction [N·m] or [N].
    pub friction: f64,
}

/// A drive with its joint, as it is now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointDrive {
    /// Number of the joint.
    pub joint: u32,
    /// What acts.
    pub drive: Drive,
}

/// A joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Its bodies; the first may be [`WORLD`].
    pub bodies: [u32; 2],
    /// What it holds.
    pub kind: JointKind,
    /// Anchors on both bodies at the start, in world coordinates [m].
    pub anchors: [DVec3; 2],
    /// Unit axis x at the start.
    pub axis: DVec3,
    /// Unit axis y at the start, if it matters.
    pub second_axis: Option<DVec3>,
    /// Limits, motors and friction at the start, by axis.
    pub drives: Vec<Drive>,
    /// Compliance [m/N] and damping [N·s/m] of locked translations.
    pub soft: [f64; 2],
    /// Compliance [rad/(N·m)] and damping [N·m·s/rad] of locked rotations.
    pub soft_turn: [f64; 2],
    /// Force [N] and torque [N·m] at which it breaks; infinite where it does not.
    pub strength: [f64; 2],
    /// Whether its bodies collide with each other.
    pub collide: bool,
}

/// State of a joint that is kept from step to step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointState {
    /// Anchors and axes in the frames of both bodies.
    pub frames: [Frame; 2],
    /// Mean force of the last step on the second body [N], and torque about its anchor [N·m].
    pub force: [DVec3; 2],
    /// Whether it has broken: it holds nothing any more.
    pub broken: bool,
}

impl Joint {
    /// Frames of the joint in those of its bodies, which are where the anchors are given.
    pub fn state(&self, bodies: &[BodyState]) -> JointState {
        let across = if self.axis.x.abs() < 0.9 { DVec3::X } else { DVec3::Y };
        let z = self.axis.cross(self.second_axis.unwrap_or(across)).normalize_or(DVec3::Z);
        let rotation = DQuat::from_mat3(&DMat3::from_cols(self.axis, z.cross(self.axis), z)).normalize();
        let frames = [0, 1].map(|k| {
            let body = frame_of(bodies, self.bodies[k]);
            Frame {
                position: body.inward(self.anchors[k]),
                rotation: (body.rotation.conjugate() * rotation).normalize(),
            }
        });
        JointState { frames, force: [DVec3::ZERO; 2], broken: false }
    }
}

/// Drives of all joints at the start, in the order of joints and axes.
pub fn drives(joints: &[Joint]) -> Vec<JointDrive> {
    let of = |(k, joint): (usize, &Joint)| -> Vec<JointDrive> {
        joint.drives.iter().map(|&drive| JointDrive { joint: k as u32, drive }).collect()
    };
    joints.iter().enumerate().flat_map(of).collect()
}

/// Pairs of bodies that joints keep from colliding, lower index first, sorted.
pub fn separated<'a>(joints: impl Iterator<Item = &'a Joint>) -> Vec<(u32, u32)> {
    let apart = joints.filter(|j| !j.collide && j.bodies[0] != WORLD);
    let mut all: Vec<(u32, u32)> =
        apart.map(|j| (j.bodies[0].min(j.bodies[1]), j.bodies[0].max(j.bodies[1]))).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Frame of a body or of the world.
pub fn frame_of(bodies: &[BodyState], body: u32) -> Frame {
    bodies.get(body as usize).map_or(Frame::IDENTITY, BodyState::frame)
}

/// Where a joint is, and in which directions its axes act.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointPose {
    /// Frames on both bodies, in world coordinates.
    pub(crate) frames: [Frame; 2],
    /// Directions of forces along the axes, and of torques that turn about one of them alone.
    pub(crate) directions: [DVec3; 6],
    /// Places on the axes, from the start [m] or [rad].
    pub(crate) places: [f64; 6],
}

impl JointPose {
    /// At the present poses of the bodies.
    pub(crate) fn new(joint: &Joint, own: &JointState, bodies: &[BodyState]) -> Self {
        let frames = [0, 1].map(|k| frame_of(bodies, joint.bodies[k]).then(&own.frames[k]));
        let apart = frames[1].position - frames[0].position;
        let axes = DMat3::from_quat(frames[0].rotation);
        let mut this = Self { frames, directions: [DVec3::ZERO; 6], places: [0.0; 6] };
        let locked = match joint.kind {
            JointKind::Axes { locked } => locked,
            JointKind::Distance { .. } => {
                let distance = apart.length();
                this.directions[0] = if distance > 1e-9 { apart / distance } else { axes.x_axis };
                this.places[0] = distance;
                return this;
            }
        };
        for k in 0..TURN {
            this.directions[k] = axes.col(k);
            this.places[k] = apart.dot(axes.col(k));
        }
        let held = &locked[TURN..];
        match held.iter().filter(|&&l| l).count() {
            // A rotation about one axis, which may go all the way round.
            2 | 3 => {
                let twist = rotation_between(&frames[0].rotation, &frames[1].rotation);
                for k in 0..3 {
                    this.directions[TURN + k] = axes.col(k);
                    this.places[TURN + k] = twist.dot(axes.col(k));
                }
            }
            // Turns about an axis of the first body, one of the second, and one across both, which is the locked one, if
            // there is: then the other two go all the way round.
            _ => {
                let middle = held.iter().position(|&l| l).unwrap_or(1);
                let order = [[1, 0, 2], [0, 1, 2], [0, 2, 1]][middle];
                let sign = if middle == 1 { 1.0 } else { -1.0 };
                this.turn_in_order(order, sign);
            }
        }
        this
    }

    /// Cardan angles R = R_i(α)·R_j(β)·R_k(γ) of the second frame in the first, and torques that do work on one of them
    /// alone: the dual basis of the axes of rotation.
    fn turn_in_order(&mut self, [i, j, k]: [usize; 3], sign: f64) {
        let [first, second] = self.frames.map(|f| DMat3::from_quat(f.rotation));
        let r = |a: usize, b: usize| first.col(a).dot(second.col(b));
        let lean = (r(i, i) * r(i, i) + r(i, j) * r(i, j)).sqrt();
        self.places[TURN + i] = sign * libm::atan2(-r(j, k), r(k, k));
        self.places[TURN + j] = sign * libm::atan2(r(i, k), lean);
        self.places[TURN + k] = sign * libm::atan2(-r(i, j), r(i, i));
        let (a, c) = (first.col(i), second.col(k));
        let across = c.cross(a) * sign;
        let b = across.normalize_or(first.col(j));
        // Where both axes nearly coincide (β = ±90°), the other two angles are not determined: torques stay bounded.
        let volume = a.dot(b.cross(c));
        let volume = if volume.abs() < 0.1 { 0.1_f64.copysign(volume) } else { volume };
        self.directions[TURN + i] = b.cross(c) / volume;
        self.directions[TURN + j] = b;
        self.directions[TURN + k] = a.cross(b) / volume;
    }
}

/// The rotation vector from one orientation to another, in world axes [rad].
pub(crate) fn rotation_between(a: &DQuat, b: &DQuat) -> DVec3 {
    let q = *b * a.conjugate();
    let q = if q.w < 0.0 { -q } else { q };
    let v = DVec3::new(q.x, q.y, q.z);
    let sin = v.length();
    if sin < 1e-12 { v * 2.0 } else { v * (2.0 * libm::atan2(sin, q.w) / sin) }
}
