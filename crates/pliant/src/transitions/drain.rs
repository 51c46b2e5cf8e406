//! Particles that leave the world, as a step sees them.

use crate::math::Pose;
use crate::motion::Motion;
use glam::Vec3;
use std::ops::Range;

/// A region that takes particles away.
#[derive(Clone, Debug)]
pub struct Drain {
    /// Its shape, around the origin.
    pub region: Region,
    /// Where that is.
    pub motion: Motion,
    /// Particles that it takes, in order.
    pub takes: Vec<Range<usize>>,
    /// Whether those of [`crate::transitions::emitter::Pour`]s wait there again.
    pub recycle: bool,
}

/// Shape of a region.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Region {
    /// All points within so many meters along each axis.
    Box(Vec3),
    /// All points within so many meters.
    Ball(f32),
}

impl Region {
    /// Whether it holds a point of its own frame.
    pub fn holds(&self, inside: Vec3) -> bool {
        match *self {
            Self::Box(half) => inside.abs().cmple(half).all(),
            Self::Ball(radius) => inside.length_squared() <= radius * radius,
        }
    }
}

impl Drain {
    /// Whether a point is in it, where it stands at `pose`.
    pub fn holds(&self, pose: &Pose, point: Vec3) -> bool {
        self.region.holds(pose.inward(point))
    }
}
