//! Lift and drag of one triangle, as a thin flat plate (S25; D3 cloth forces, D1 scene 0).
//!
//! u = wind − velocity of the triangle [m/s], n its normal oriented so that c = u·n ≥ 0, A its area [m²]: drag =
//! ½ρA·C_d·c·u, lift = ½ρA·C_l·c·(|u|n − (c/|u|)u). Drag is parallel to the flow, lift perpendicular; both vanish for a
//! plate parallel to the flow, and lift also for one perpendicular to it.

use crate::math::{Lane, V3};
use crate::settings::Wind;

/// Air parameters of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Air<F> {
    /// ½ρ, half the density of the air [kg/m³].
    pub half_density: F,
    /// Drag coefficient.
    pub drag: F,
    /// Lift coefficient.
    pub lift: F,
}

/// Force on a triangle [N] with relative wind `u` [m/s].
#[inline(always)]
pub fn triangle_force<F: Lane>(air: &Air<F>, [a, b, c]: [V3<F>; 3], u: V3<F>) -> V3<F> {
    let zero = F::splat(0.0);
    let normal = (b - a).cross(c - a);
    let doubled = normal.length();
    let n = normal * doubled.safe_recip();
    let along = u.dot(n);
    let side = F::pick_gt(zero, along, F::splat(-1.0), F::splat(1.0));
    let (n, along) = (n * side, along * side);
    let speed = u.length();
    let drag = u * air.drag;
    let lift = (n * speed - u * (along * speed.safe_recip())) * air.lift;
    (drag + lift) * (air.half_density * doubled * F::splat(0.5) * along)
}

/// Wind velocity [m/s] at a point and time: the mean, modulated in strength and direction by gusts. Gusts travel with
/// the wind, so that they pass along a long flag.
pub fn wind_at(wind: &Wind, at: V3<f32>, time: f32) -> V3<f32> {
    let mean = V3::new(wind.velocity.x, wind.velocity.y, wind.velocity.z);
    if wind.gust == 0.0 {
        return mean;
    }
    let speed = mean.length();
    // Phase in gusts: the pattern is advected at the mean speed.
    let carried = at.dot(mean) * (speed * speed).safe_recip();
    let phase = (time - carried) / wind.period;
    let swell = 0.65 * wave(phase) + 0.35 * wave(phase * 2.31 + 0.37);
    let sway = 0.6 * wave(phase * 1.37 + 0.21) + 0.4 * wave(phase * 3.13 + 0.71);
    let side = V3::new(mean.z, 0.0, -mean.x);
    mean * (1.0 + wind.gust * swell) + side * (0.5 * wind.gust * sway)
}

/// A smooth wave of period 1 between −1 and 1, without trigonometry so that results are the same on every platform.
fn wave(phase: f32) -> f32 {
    let sawtooth = phase - phase.floor();
    let ramp = (2.0 * sawtooth - 1.0).abs();
    2.0 * ramp * ramp * (3.0 - 2.0 * ramp) - 1.0
}
