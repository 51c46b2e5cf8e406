//! Mass, center and inertia of solids of uniform density.

use crate::rigid_body::shape::{Convex, Frame};
use glam::{DMat3, DVec3};

/// Mass properties about the center of mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass [kg].
    pub mass: f64,
    /// Center of mass [m].
    pub center: DVec3,
    /// Inertia about it [kg·m²].
    pub inertia: DMat3,
}

impl MassProperties {
    /// Nothing.
    pub const ZERO: Self = Self { mass: 0.0, center: DVec3::ZERO, inertia: DMat3::ZERO };

    /// A convex shape of a density [kg/m³].
    pub fn of_convex(shape: &Convex, density: f64) -> Self {
        use std::f64::consts::PI;
        let about =
            |mass: f64, center: DVec3, moments: DVec3| Self { mass, center, inertia: DMat3::from_diagonal(moments) };
        match shape {
            Convex::Sphere { radius: r } => {
                let mass = density * 4.0 / 3.0 * PI * r * r * r;
                about(mass, DVec3::ZERO, DVec3::splat(0.4 * mass * r * r))
            }
            Convex::Box { half, .. } => {
                let mass = density * 8.0 * half.x * half.y * half.z;
                let s = *half * *half;
                about(mass, DVec3::ZERO, DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y) * (mass / 3.0))
            }
            Convex::Cylinder { half_length: h, radius: r } => {
                let mass = density * 2.0 * PI * r * r * h;
                let across = mass * (0.25 * r * r + h * h / 3.0);
                about(mass, DVec3::ZERO, DVec3::new(across, 0.5 * mass * r * r, across))
            }
            Convex::Cone { half_length: h, radius: r } => {
                let (mass, height) = (density * 2.0 / 3.0 * PI * r * r * h, 2.0 * h);
                let across = mass * (0.15 * r * r + 0.0375 * height * height);
                about(mass, DVec3::Y * (-0.5 * h), DVec3::new(across, 0.3 * mass * r * r, across))
            }
            Convex::Capsule { half_length: h, radius: r } => {
                let (tube, ball) = (density * 2.0 * PI * r * r * h, density * 4.0 / 3.0 * PI * r * r * r);
                let along = 0.5 * tube * r * r + 0.4 * ball * r * r;
                // Halves of the ball, shifted to the ends; the centroid of a half is 3r/8 from its base.
                let across = tube * (0.25 * r * r + h * h / 3.0) + ball * (0.4 * r * r + h * h + 0.75 * h * r);
                about(tube + ball, DVec3::ZERO, DVec3::new(across, along, across))
            }
            Convex::Hull(polytope) => {
                let triangles = polytope
                    .faces
                    .iter()
                    .flat_map(|f| (1..f.corners.len() - 1).map(|k| [f.corners[0], f.corners[k], f.corners[k + 1]]));
                Self::of_mesh(&polytope.corners, triangles, density)
            }
        }
    }

    /// The inside of a closed surface, counter-clockwise from outside, by tetrahedra from a point.
    pub fn of_mesh(points: &[DVec3], triangles: impl Iterator<Item = [u32; 3]>, density: f64) -> Self {
        // From a point of the surface, so that a mesh far from the origin loses no digits.
        let origin = points.first().copied().unwrap_or(DVec3::ZERO);
        let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
        for t in triangles {
            let [a, b, c] = t.map(|k| points[k as usize] - origin);
            let six = a.dot(b.cross(c));
            let sum = a + b + c;
            volume += six / 6.0;
            first += sum * (six / 24.0);
            let outer = |u: DVec3| DMat3::from_cols(u * u.x, u * u.y, u * u.z);
            second += (outer(sum) + outer(a) + outer(b) + outer(c)) * (six / 120.0);
        }
        if volume <= 0.0 {
            return Self::ZERO;
        }
        let center = first / volume;
        let about = second - DMat3::from_cols(center * center.x, center * center.y, center * center.z) * volume;
        let trace = about.x_axis.x + about.y_axis.y + about.z_axis.z;
        let inertia = (DMat3::from_diagonal(DVec3::splat(trace)) - about) * density;
        Self { mass: volume * density, center: center + origin, inertia }
    }

    /// The same in another frame.
    #[must_use]
    pub fn placed(&self, frame: &Frame) -> Self {
        let r = DMat3::from_quat(frame.rotation);
        Self { center: frame.outward(self.center), inertia: r * self.inertia * r.transpose(), ..*self }
    }

    /// Of two solids that do not overlap.
    #[must_use]
    pub fn joined(&self, other: &Self) -> Self {
        let mass = self.mass + other.mass;
        if mass <= 0.0 {
            return *self;
        }
        let center = (self.center * self.mass + other.center * other.mass) / mass;
        let shifted = |m: &Self| {
            let d = m.center - center;
            let outer = DMat3::from_cols(d * d.x, d * d.y, d * d.z);
            m.inertia + (DMat3::from_diagonal(DVec3::splat(d.length_squared())) - outer) * m.mass
        };
        Self { mass, center, inertia: shifted(self) + shifted(other) }
    }
}
