//! Emitters of a model.

use glam::Vec3;

/// Particles emitted one after the other. Until then they are fixed and inactive ([`crate::neighbors::INACTIVE`]).
#[derive(Clone, Debug)]
pub struct Emitter {
    /// Index of the first particle; the others follow.
    pub first: usize,
    /// Emission position of each [m].
    pub places: Vec<Vec3>,
    /// Emission velocity [m/s].
    pub velocity: Vec3,
    /// Inverse mass of active particles [1/kg].
    pub inv_mass: f32,
    /// Phase of active particles.
    pub phase: u32,
    /// Time of the first emission [s].
    pub start: f64,
    /// Emission rate [1/s].
    pub per_second: f64,
    /// Number of positions across the emitter, repeated in `places`.
    pub across: usize,
    /// Whether drains return particles: positions are then reused.
    pub endless: bool,
}

impl Emitter {
    /// Its particles.
    pub fn particles(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.places.len()
    }

    /// Emission time of a particle [s].
    pub fn time_of(&self, grain: usize) -> f64 {
        self.start + grain as f64 / self.per_second
    }

    /// Number of particles emitted at a time [s]; for an endless emitter, the number of emission slots.
    pub fn out_at(&self, time: f64) -> usize {
        let guess = ((time - self.start) * self.per_second).max(0.0) as usize;
        // The product may be rounded across a whole number; `time_of` decides.
        let sure = guess.saturating_sub(1);
        (sure + (sure..guess + 2).take_while(|&k| self.time_of(k) <= time).count()).min(self.most())
    }

    /// Total number of emissions.
    pub fn most(&self) -> usize {
        if self.endless { usize::MAX } else { self.places.len() }
    }

    /// Midpoint of the step of `dt` seconds in which a particle is emitted [s].
    pub fn step_of(&self, grain: usize, dt: f64) -> f64 {
        let guess = (self.time_of(grain) / dt).ceil().max(1.0) - 1.0;
        let step = if self.time_of(grain) <= guess * dt { guess } else { guess + 1.0 };
        // The quotient, too, may be rounded across a whole number.
        (if self.time_of(grain) <= step * dt { step } else { step + 1.0 } + 0.5) * dt
    }

    /// Position of an emitted particle at the start of a step [m]: it has moved since its emission time.
    pub fn place_of(&self, grain: usize, time: f64) -> Vec3 {
        let place = if grain < self.places.len() { grain } else { grain % self.across };
        self.places[place] + self.velocity * (time - self.time_of(grain)) as f32
    }
}
