//! How flecks move within a frame: spray flies, foam is carried along, bubbles rise. All in closed form, so that frames may
//! be as long as they are.

use glam::Vec3;

/// What moves flecks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// Acceleration of gravity [m/s²].
    pub gravity: Vec3,
    /// Velocity at which bubbles rise against the liquid in the end [m/s].
    pub rise: Vec3,
    /// How soon they do [s]: what differs from that is less by e after so long.
    pub lag: f32,
}

impl Drift {
    /// For bubbles as large as what particles of a radius [m] can tell.
    ///
    /// Such bubbles are caps that rise at ⅔·√(g·r) (Davies & Taylor 1950). They start at 2g: air weighs nothing, but half
    /// of the water in their place has to come along.
    pub fn new(gravity: Vec3, radius: f32) -> Self {
        let g = gravity.length();
        if g <= 0.0 {
            return Self { gravity, rise: Vec3::ZERO, lag: 0.0 };
        }
        let speed = 2.0 / 3.0 * (g * radius).sqrt();
        Self { gravity, rise: gravity * (-speed / g), lag: speed / (2.0 * g) }
    }

    /// Place and velocity of spray after `dt` seconds in the air.
    pub fn fly(&self, x: Vec3, v: Vec3, dt: f32) -> (Vec3, Vec3) {
        (x + v * dt + self.gravity * (0.5 * dt * dt), v + self.gravity * dt)
    }

    /// Those of foam in a liquid that flows at `flow` in the end [m/s]: the mean of both velocities is second order.
    pub fn carry(&self, x: Vec3, v: Vec3, flow: Vec3, dt: f32) -> (Vec3, Vec3) {
        (x + (v + flow) * (0.5 * dt), flow)
    }

    /// Those of a bubble: dv/dt = (flow + rise − v)/lag, solved.
    pub fn bob(&self, x: Vec3, v: Vec3, flow: Vec3, dt: f32) -> (Vec3, Vec3) {
        let end = flow + self.rise;
        if self.lag <= 0.0 {
            return (x + end * dt, end);
        }
        let kept = libm::expf(-dt / self.lag);
        (x + end * dt + (v - end) * (self.lag * (1.0 - kept)), end + (v - end) * kept)
    }
}
