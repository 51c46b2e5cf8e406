//! Boundary handling of fluids at colliders: the solid is treated as fluid at rest (S23).
//!
//! The share of the kernel inside a solid at distance δ is, with M_k = ∫ W·t^k dt from δ to H,
//!
//! B(δ) = 2π·M₂ − (π/s)·((s² − R²)·M₁ + M₃),   dB/dδ = (π/s²)·((s² − R²)·M₁ + M₃) − 2π·M₁,
//!
//! for a sphere of radius R whose center is s = R + δ away: of a sphere of radius t around the particle, the share ½ −
//! (s² − R² + t²)/(4·s·t) is inside. A plane is the sphere with 1/R = 0. The sphere is assumed larger than the kernel,
//! except for [`LargeParticle`]: where the kernel extends beyond its far side, moments end there.

use crate::fluid::sph_kernels::{Smoothing, lattice, layers};
use glam::Vec3;
use std::f32::consts::PI;

/// Collider near a particle, as its tangent plane or as a sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Boundary {
    /// Closest point of its surface [m].
    pub place: Vec3,
    /// Outward unit normal there.
    pub normal: Vec3,
    /// 1/R of a sphere, otherwise 0 [1/m].
    pub curvature: f32,
    /// Collider velocity there [m/s].
    pub velocity: Vec3,
}

impl Boundary {
    /// Distance of a point [m], and the outward normal there.
    #[inline]
    pub fn apart(&self, x: Vec3) -> (f32, Vec3) {
        if self.curvature == 0.0 {
            return ((x - self.place).dot(self.normal), self.normal);
        }
        let radius = 1.0 / self.curvature;
        let arm = x - (self.place - self.normal * radius);
        let length = arm.length();
        (length - radius, if length > 1e-12 { arm / length } else { self.normal })
    }
}

/// Share of the kernel inside a solid at distance `delta` [m], and its derivative by distance [1/m].
#[inline]
pub fn solid_share(smoothing: Smoothing, reach: f32, delta: f32, curvature: f32) -> (f32, f32) {
    if delta >= reach {
        return (0.0, 0.0);
    }
    // Penetrating particles are treated as on the surface.
    let delta = delta.max(0.0);
    share_from_moments(moments(smoothing, reach, delta), delta, curvature)
}

/// Share and derivative at a non-negative distance, from moments.
#[inline]
fn share_from_moments([m1, m2, m3]: [f32; 3], delta: f32, curvature: f32) -> (f32, f32) {
    // 1/s and (s² − R²)/s.
    let (inverse, across) = if curvature > 0.0 {
        let s = 1.0 / curvature + delta;
        (1.0 / s, delta * (2.0 * s - delta) / s)
    } else {
        (0.0, 2.0 * delta)
    };
    let part = across * m1 + m3 * inverse;
    (2.0 * PI * m2 - PI * part, PI * inverse * part - 2.0 * PI * m1)
}

/// Solid particle too large to be a sample point of the kernel sums.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LargeParticle {
    /// Radius less the boundary setback [m]; 0 for none.
    pub radius: f32,
    /// Volume over that of a sphere: 1, and more for a block of a body.
    pub scale: f32,
}

impl LargeParticle {
    /// From a radius [m] and a volume [m³], limited to that of a cube.
    pub fn new(radius: f32, space: f32, setback: f32) -> Self {
        let cube = 8.0 * radius * radius * radius;
        Self { radius: (radius - setback).max(0.5 * radius), scale: space.min(cube) / (PI / 6.0 * cube) }
    }

    /// Share of the kernel inside it, and (1/r)·d/dr of that [1/m²], at a squared center distance [m²].
    #[inline]
    pub fn at(&self, smoothing: Smoothing, reach: f32, square: f32) -> (f32, f32) {
        let distance = square.sqrt();
        let delta = (distance - self.radius).max(0.0);
        let (mut share, mut rate) = solid_share(smoothing, reach, delta, 1.0 / self.radius);
        let far = delta + 2.0 * self.radius;
        if far < reach {
            let behind = share_from_moments(moments(smoothing, reach, far), delta, 1.0 / self.radius);
            (share, rate) = (share - behind.0, rate - behind.1);
        }
        (share * self.scale, rate * self.scale / distance.max(1e-6 * self.radius))
    }
}

/// ∫ W·t^k dt from `delta` to the reach, k = 1, 2, 3.
#[inline]
fn moments(smoothing: Smoothing, reach: f32, delta: f32) -> [f32; 3] {
    let (unit, scaled) = match smoothing {
        Smoothing::Cubic => {
            let h = 0.5 * reach;
            let q = delta / h;
            let (a, b) = (2.0 - q, (1.0 - q).max(0.0));
            // ∫ u³·(c − u)^k du from 0 to u, for c = 2 and c = 1.
            let outer = |u: f32| {
                let u4 = u * u * u * u;
                [u4 * (0.5 - u * 0.2), u4 * (1.0 - u * (0.8 - u / 6.0)), u4 * (2.0 - u * (2.4 - u * (1.0 - u / 7.0)))]
            };
            let inner = |u: f32| {
                let u4 = u * u * u * u;
                [
                    u4 * (0.25 - u * 0.2),
                    u4 * (0.25 - u * (0.4 - u / 6.0)),
                    u4 * (0.25 - u * (0.6 - u * (0.5 - u / 7.0))),
                ]
            };
            let (o, i) = (outer(a), inner(b));
            (h, [0, 1, 2].map(|k| (0.25 * o[k] - i[k]) / PI))
        }
        Smoothing::Poly6 => {
            let q = delta / reach;
            let (q2, s) = (q * q, 1.0 - q * q);
            let s4 = s * s * s * s;
            let q3 = q2 * q;
            let m2 = 16.0 / 315.0 - q3 * (1.0 / 3.0 - q2 * (0.6 - q2 * (3.0 / 7.0 - q2 / 9.0)));
            (reach, [s4 * 0.125, m2, s4 * (0.125 - s * 0.1)].map(|m| m * 315.0 / (64.0 * PI)))
        }
    };
    let [m1, m2, m3] = scaled;
    [m1 / unit, m2, m3 * unit]
}

/// Boundary setback [m]: distance by which colliders are moved back.
///
/// A fluid at rest has layers of particles, the first one radius from the boundary. The layers behind the boundary
/// would add less than the half-space does, 0.150 instead of 0.188 for the cubic kernel at four radii: the first layer
/// would be displaced by a fifth of a radius, and a fluid that starts at rest would jump.
pub fn setback(smoothing: Smoothing, reach: f32, radius: f32) -> f32 {
    // Volumes are scaled so that a lattice has rest density.
    let behind = layers(smoothing, reach, radius, |z| z > 0) / lattice(smoothing, reach, radius);
    let (mut near, mut off) = (0.0, reach);
    for _ in 0..40 {
        let middle = 0.5 * (near + off);
        if solid_share(smoothing, reach, radius + middle, 0.0).0 > behind {
            near = middle;
        } else {
            off = middle;
        }
    }
    near
}

/// Contribution of all colliders near a particle at `x` to its constraint, and its gradient [1/m].
///
/// Behind the edge of two solids the overlap would be counted twice. A separable kernel would leave (1 − B₁)·(1 − B₂)
/// open; this one differs by 0.002 at the positions of a fluid at rest.
#[inline]
pub fn boundary_contribution(boundaries: &[Boundary], smoothing: Smoothing, reach: f32, x: Vec3) -> (f32, Vec3) {
    let (mut open, mut gradient) = (1.0, Vec3::ZERO);
    for boundary in boundaries {
        let (delta, normal) = boundary.apart(x);
        let (share, rate) = solid_share(smoothing, reach, delta, boundary.curvature);
        // Gradient of the open share, by the product rule.
        gradient = gradient * (1.0 - share) - normal * (rate * open);
        open *= 1.0 - share;
    }
    (1.0 - open, -gradient)
}
