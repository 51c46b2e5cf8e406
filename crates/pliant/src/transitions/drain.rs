//! Drains of a model.

use crate::math::Pose;
use crate::motion::Motion;
use glam::Vec3;
use std::ops::Range;

/// A region that removes particles.
#[derive(Clone, Debug)]
pub struct Drain {
    /// Its shape, around the origin.
    pub region: Region,
    /// Pose of the region over time.
    pub motion: Motion,
    /// Particles that it may remove, ascending.
    pub takes: Vec<Range<usize>>,
    /// Whether particles of [`crate::transitions::emitter`]s return to them.
    pub recycle: bool,
}

/// Shape of a region.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Region {
    /// All points within these half extents [m].
    Box(Vec3),
    /// All points within this radius [m].
    Ball(f32),
}

impl Region {
    /// Whether it contains a point of its local frame.
    pub fn holds(&self, inside: Vec3) -> bool {
        match *self {
            Self::Box(half) => inside.abs().cmple(half).all(),
            Self::Ball(radius) => inside.length_squared() <= radius * radius,
        }
    }
}

impl Drain {
    /// Whether it contains a point when at `pose`.
    pub fn holds(&self, pose: &Pose, point: Vec3) -> bool {
        self.region.holds(pose.inward(point))
    }
}
