//! Joints between bodies, and between bodies and the world.
//!
//! All rows of joints that are connected are solved together, by a Cholesky factorization of J·M⁻¹·Jᵀ in every small step:
//! chains of any mass ratio hold. Limits and motors are bounded impulses, applied before.

use crate::rigid_body::bodies::BodyState;
use crate::rigid_body::shape::Frame;
use glam::{DMat3, DQuat, DVec3};

/// The world as a body of a joint.
pub const WORLD: u32 = u32::MAX;

/// What a joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// Rotation about a point.
    Ball,
    /// Rotation about an axis.
    Hinge,
    /// Translation along an axis.
    Slider,
    /// Nothing.
    Fixed,
    /// Everything but the distance of two points [m]; a spring if stiffness [N/m] and damping [N·s/m] are given.
    Distance {
        /// Distance at rest.
        length: f64,
        /// Stiffness and damping; rigid without.
        spring: Option<[f64; 2]>,
    },
}

/// A drive of limited force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// Speed [rad/s] or [m/s].
    pub speed: f64,
    /// Most torque [N·m] or force [N].
    pub most: f64,
}

/// A joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Its bodies; the first may be [`WORLD`].
    pub bodies: [u32; 2],
    /// What it leaves free.
    pub kind: JointKind,
    /// Anchors on both bodies at the start, in world coordinates [m].
    pub anchors: [DVec3; 2],
    /// Unit axis at the start.
    pub axis: DVec3,
    /// Lower and upper limit of a hinge [rad] or slider [m], from the start.
    pub limits: Option<[f64; 2]>,
    /// Motor of a hinge or slider.
    pub motor: Option<Motor>,
    /// Whether its bodies collide with each other.
    pub collide: bool,
}

/// What a joint carries over to the next step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointState {
    /// Anchors and axes in the frames of both bodies; the axis is x.
    pub frames: [Frame; 2],
    /// Force of the last small step on the second body [N], and torque [N·m].
    pub force: [DVec3; 2],
}

impl Joint {
    /// Frames of the joint in those of its bodies, which are where the anchors are given.
    pub fn state(&self, bodies: &[BodyState]) -> JointState {
        let across = if self.axis.x.abs() < 0.9 { DVec3::X } else { DVec3::Y };
        let z = self.axis.cross(across).normalize_or(DVec3::Z);
        let rotation = DQuat::from_mat3(&DMat3::from_cols(self.axis, z.cross(self.axis), z)).normalize();
        let frames = [0, 1].map(|k| {
            let body = frame_of(bodies, self.bodies[k]);
            Frame {
                position: body.inward(self.anchors[k]),
                rotation: (body.rotation.conjugate() * rotation).normalize(),
            }
        });
        JointState { frames, force: [DVec3::ZERO; 2] }
    }
}

/// Frame of a body or of the world.
pub fn frame_of(bodies: &[BodyState], body: u32) -> Frame {
    bodies.get(body as usize).map_or(Frame::IDENTITY, BodyState::frame)
}
