//! Liquids that turn into bodies, as a step sees them.

use crate::math::Pose;
use crate::transitions::drain::Region;
use glam::Vec3;
use std::ops::Range;

/// A liquid whose particles turn into those of one rigid body. As many as there could be wait, fixed and in
/// [`crate::neighbors::ASLEEP`]; who freezes falls asleep, and the next of those that wait takes over place, velocity and mass.
/// Tables stay as they are that way. They are taken in order, so that the body is always the first ones of its run: its
/// first particle says where it is.
#[derive(Clone, Debug)]
pub struct Freeze {
    /// When it begins [s].
    pub start: f64,
    /// When it is over [s]: at once, or when the front is through.
    pub end: f64,
    /// Where it is cold; everywhere without one.
    pub region: Option<(Region, Pose)>,
    /// Where the front comes from and how fast it goes [m/s]; without one all freeze at once.
    pub front: Option<(Vec3, f64)>,
    /// Number of the liquid.
    pub liquid: usize,
    /// Particles of the liquid, in order.
    pub takes: Vec<Range<usize>>,
    /// Particles of the body, as many.
    pub body: Range<usize>,
    /// Number of the body among those that keep their shape.
    pub number: usize,
    /// Phase of its particles once they are there.
    pub phase: u32,
    /// Inverse mass of one of the liquid's particles [1/kg].
    pub weight: f32,
    /// Radius of all of them [m].
    pub radius: f32,
}

impl Freeze {
    /// Whether something may freeze at the start of a step [s]; `before` is when the step before started, if there was one.
    pub fn acts(&self, before: Option<f64>, now: f64) -> bool {
        now >= self.start && before.is_none_or(|before| before < self.end)
    }

    /// Whether a point is cold at a time [s].
    pub fn holds(&self, time: f64, point: Vec3) -> bool {
        let reached = |(from, speed): (Vec3, f64)| {
            let front = (speed * (time - self.start)).max(0.0);
            f64::from(from.distance_squared(point)) <= front * front
        };
        self.region.is_none_or(|(region, pose)| region.holds(pose.inward(point))) && self.front.is_none_or(reached)
    }
}
