//! Motion of diffuse particles within a frame: spray is ballistic, foam is advected, bubbles rise. All in closed form, so
//! that the result does not depend on the frame length being small.

use glam::Vec3;

/// Parameters of the motion of diffuse particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Advection {
    /// Acceleration of gravity [m/s²].
    pub gravity: Vec3,
    /// Terminal velocity of bubbles relative to the liquid [m/s].
    pub terminal_velocity: Vec3,
    /// Relaxation time toward the terminal velocity [s].
    pub relaxation_time: f32,
}

impl Advection {
    /// For bubbles of the size of a liquid particle of this radius [m].
    ///
    /// Spherical-cap bubbles rise at ⅔·√(g·r) (Davies & Taylor 1950). They start with an acceleration of 2g: air has no
    /// mass, and the added mass is half of the displaced water.
    pub fn new(gravity: Vec3, radius: f32) -> Self {
        let g = gravity.length();
        if g <= 0.0 {
            return Self { gravity, terminal_velocity: Vec3::ZERO, relaxation_time: 0.0 };
        }
        let speed = 2.0 / 3.0 * (g * radius).sqrt();
        Self { gravity, terminal_velocity: gravity * (-speed / g), relaxation_time: speed / (2.0 * g) }
    }

    /// Position [m] and velocity [m/s] of spray after `dt` seconds of free fall.
    pub fn spray(&self, x: Vec3, v: Vec3, dt: f32) -> (Vec3, Vec3) {
        (x + v * dt + self.gravity * (0.5 * dt * dt), v + self.gravity * dt)
    }

    /// Position and velocity of foam in a liquid with velocity `flow` at the end of the frame [m/s]; the mean of both
    /// velocities is second-order accurate.
    pub fn foam(&self, x: Vec3, v: Vec3, flow: Vec3, dt: f32) -> (Vec3, Vec3) {
        (x + (v + flow) * (0.5 * dt), flow)
    }

    /// Position and velocity of a bubble: the solution of dv/dt = (flow + terminal velocity − v)/relaxation time.
    pub fn bubble(&self, x: Vec3, v: Vec3, flow: Vec3, dt: f32) -> (Vec3, Vec3) {
        let end = flow + self.terminal_velocity;
        if self.relaxation_time <= 0.0 {
            return (x + end * dt, end);
        }
        let decay = libm::expf(-dt / self.relaxation_time);
        (x + end * dt + (v - end) * (self.relaxation_time * (1.0 - decay)), end + (v - end) * decay)
    }
}
