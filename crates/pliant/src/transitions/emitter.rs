//! Particles that come into the world later, as a step sees them.

use glam::Vec3;

/// Grains that come into the world one after the other. Until then they are fixed, in [`crate::neighbors::ASLEEP`].
#[derive(Clone, Debug)]
pub struct Emitter {
    /// The first of them; the others follow.
    pub first: usize,
    /// Where each comes out [m].
    pub places: Vec<Vec3>,
    /// Velocity as they come out [m/s].
    pub velocity: Vec3,
    /// Inverse mass of each once it is there [1/kg].
    pub weight: f32,
    /// Phase of each once it is there.
    pub phase: u32,
    /// How many in a second [1/s].
    pub per_second: f64,
    /// Places across the mouth, which come round again in `places`.
    pub across: usize,
    /// Whether a drain gives back what it takes: places come round again then.
    pub endless: bool,
}

impl Emitter {
    /// When a grain comes out [s].
    pub fn time_of(&self, grain: usize) -> f64 {
        grain as f64 / self.per_second
    }

    /// How many have come out at a time [s]; where it is endless, how many could have.
    pub fn out_at(&self, time: f64) -> usize {
        let guess = (time * self.per_second).max(0.0) as usize;
        // The product may be rounded across a whole number; what `time_of` says holds.
        let sure = guess.saturating_sub(1);
        (sure + (sure..guess + 2).take_while(|&k| self.time_of(k) <= time).count()).min(self.most())
    }

    /// How many come out in all.
    pub fn most(&self) -> usize {
        if self.endless { usize::MAX } else { self.places.len() }
    }

    /// The middle of the step of `dt` seconds in which a grain comes out [s].
    pub fn step_of(&self, grain: usize, dt: f64) -> f64 {
        let guess = (self.time_of(grain) / dt).ceil().max(1.0) - 1.0;
        let step = if self.time_of(grain) <= guess * dt { guess } else { guess + 1.0 };
        // Again, the quotient may be rounded across a whole number.
        (if self.time_of(grain) <= step * dt { step } else { step + 1.0 } + 0.5) * dt
    }

    /// Where a grain is that has come out, at the start of a step [m]: on its way since it came out.
    pub fn place_of(&self, grain: usize, time: f64) -> Vec3 {
        let place = if grain < self.places.len() { grain } else { grain % self.across };
        self.places[place] + self.velocity * (time - self.time_of(grain)) as f32
    }
}
