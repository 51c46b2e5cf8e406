//! Freezing of fluids in a model.

use crate::math::Pose;
use crate::transitions::drain::Region;
use glam::Vec3;
use std::ops::Range;

/// A fluid whose particles become those of one rigid body. The body has as many inactive particles
/// ([`crate::neighbors::INACTIVE`]) as could freeze; a particle that freezes becomes inactive, and the next inactive one
/// of the body takes its position, velocity and mass. Tables stay constant that way. Body particles are activated in
/// order, so that the active ones are always the first of its run: shape matching uses the first as origin.
#[derive(Clone, Debug)]
pub struct Freeze {
    /// Start time [s].
    pub start: f64,
    /// End time [s]: the start, or when the front has passed.
    pub end: f64,
    /// Freezing region; everywhere if none.
    pub region: Option<(Region, Pose)>,
    /// Origin of the front and its speed [m/s]; without one all particles freeze at once.
    pub front: Option<(Vec3, f64)>,
    /// Index of the fluid.
    pub liquid: usize,
    /// Particles of the fluid, ascending.
    pub takes: Vec<Range<usize>>,
    /// Particles of the body, as many as of the fluid.
    pub body: Range<usize>,
    /// Index of the shape-matched body.
    pub number: usize,
    /// Phase of its active particles.
    pub phase: u32,
    /// Inverse mass of a fluid particle [1/kg].
    pub inv_mass: f32,
    /// Radius of all of its particles [m].
    pub radius: f32,
}

impl Freeze {
    /// Whether particles may freeze at the start of a step [s]; `before` is the start of the previous step, if any.
    pub fn acts(&self, before: Option<f64>, now: f64) -> bool {
        now >= self.start && before.is_none_or(|before| before < self.end)
    }

    /// Whether a point is in the frozen region at a time [s].
    pub fn holds(&self, time: f64, point: Vec3) -> bool {
        let reached = |(from, speed): (Vec3, f64)| {
            let front = (speed * (time - self.start)).max(0.0);
            f64::from(from.distance_squared(point)) <= front * front
        };
        self.region.is_none_or(|(region, pose)| region.holds(pose.inward(point))) && self.front.is_none_or(reached)
    }
}
