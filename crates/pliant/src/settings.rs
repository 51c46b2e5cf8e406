//! Numbers that every stage of a substep reads: method, step length, gravity, wind.

use crate::scene::{Extraction, Integrator, Method, Partition};
use glam::Vec3;

/// Uniform wind with gusts that travel along it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wind {
    /// Mean velocity [m/s].
    pub velocity: Vec3,
    /// Strength of the gusts relative to the mean.
    pub gust: f32,
    /// Time between gusts [s].
    pub period: f32,
}

/// Numbers a step needs from the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Solution method; never [`Method::Auto`].
    pub method: Method,
    /// BDF1 or BDF2.
    pub integrator: Integrator,
    /// How constraints were split; never [`Partition::Auto`].
    pub partition: Partition,
    /// Whether all kinds were colored together.
    pub together: bool,
    /// Step [s].
    pub dt: f32,
    /// Substeps per step.
    pub substeps: u32,
    /// Iterations per substep.
    pub iterations: u32,
    /// Passes of pre-stabilization per substep.
    pub stabilization: u32,
    /// Over-relaxation of Jacobi passes.
    pub omega: f32,
    /// How rotations of bodies are found.
    pub extraction: Extraction,
    /// Slower particles stay where they are [m/s]; 0 never sleeps.
    pub sleep_speed: f32,
    /// Acceleration of gravity [m/s²].
    pub gravity: Vec3,
    /// Wind.
    pub wind: Wind,
    /// Velocity lost per second by a factor e^(−damping) [1/s].
    pub damping: f32,
    /// Distance from a collider at which a contact is watched [m], above the particle's radius.
    pub contact_margin: f32,
    /// Since when the step has had its length.
    pub clock: Clock,
}

/// Time at a number of substeps, from which substeps of equal length are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Clock {
    /// Number of substeps.
    pub substeps: u64,
    /// Time [s].
    pub time: f64,
}

impl Settings {
    /// Length of a substep [s].
    pub fn substep(&self) -> f32 {
        self.dt / self.substeps as f32
    }

    /// Time after a number of substeps since the start [s].
    pub fn time_after(&self, substeps: u64) -> f64 {
        let length = f64::from(self.dt) / f64::from(self.substeps);
        // Substeps before the clock was set are asked for only by drivers that look back.
        self.clock.time + (substeps as f64 - self.clock.substeps as f64) * length
    }
}
