//! Kinematic pins: particles and orientations that follow a prescribed motion.

use crate::motion::Motion;
use glam::{Quat, Vec3};

/// Particles without mass freedom that follow a motion.
#[derive(Clone, Debug)]
pub struct MovedPins {
    /// Their way.
    pub motion: Motion,
    /// Particle numbers.
    pub particles: Vec<u32>,
    /// Positions at time 0 [m].
    pub origins: Vec<Vec3>,
    /// Orientations that turn along (rods), counted from 0.
    pub orientations: Vec<u32>,
    /// Those orientations at time 0.
    pub turns: Vec<Quat>,
}
