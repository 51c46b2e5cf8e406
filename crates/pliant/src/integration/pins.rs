//! Kinematic pins: particles and orientations that follow a prescribed motion.

use crate::math::Pose;
use crate::motion::Motion;
use glam::{Quat, Vec3};

/// Particles without mass freedom that follow a motion. As long as it is at rest they stay where they are.
#[derive(Clone, Debug)]
pub struct MovedPins {
    /// Their way.
    pub motion: Motion,
    /// Pose of the motion with which the positions at time 0 go: the same whatever motion follows.
    pub rest: Pose,
    /// Particle numbers.
    pub particles: Vec<u32>,
    /// Positions at time 0 [m].
    pub origins: Vec<Vec3>,
    /// Orientations that turn along (rods), counted from 0.
    pub orientations: Vec<u32>,
    /// Those orientations at time 0.
    pub turns: Vec<Quat>,
}

/// Those of some pins that move, in order.
pub(crate) fn moving(pins: &[MovedPins]) -> impl Iterator<Item = &MovedPins> {
    pins.iter().filter(|pins| pins.motion.moves())
}
