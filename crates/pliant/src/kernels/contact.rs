//! Contact of one particle with a solid of the environment, with friction (S17, S18).
//!
//! Non-penetration: C(x) = φ(x) − r ≥ 0 with φ the signed distance of the collider (D3; D4 3.33–3.36):
//! only pushes out, by the whole depth, since the collider does not yield.
//! Friction: D4 3.38–3.40 with the sign of E19: the correction opposes the slip. Its bound is μ times the
//! whole push of the substep, not of one iteration, so that the answer does not depend on how many
//! iterations shared the push.

use glam::{Quat, Vec3};

/// A collider's shape in its own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solid {
    /// Half-space below the plane y = 0.
    Plane,
    /// Ball of this radius [m].
    Sphere {
        /// Radius [m].
        radius: f32,
    },
    /// All points within `radius` of the segment (0, ±half_length, 0).
    Capsule {
        /// Half of the segment's length [m].
        half_length: f32,
        /// Radius [m].
        radius: f32,
    },
    /// Cuboid.
    Box {
        /// Half extents [m].
        half: Vec3,
    },
}

/// Where a collider stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Origin of its frame [m].
    pub position: Vec3,
    /// Rotation of its frame.
    pub rotation: Quat,
}

impl Pose {
    /// From the collider's frame to the world's.
    #[inline]
    pub fn outward(&self, local: Vec3) -> Vec3 {
        self.rotation * local + self.position
    }
    /// From the world's frame to the collider's.
    #[inline]
    pub fn inward(&self, world: Vec3) -> Vec3 {
        self.rotation.conjugate() * (world - self.position)
    }
}

/// Signed distance [m] (negative inside) and outward normal at a point of the collider's frame.
#[inline]
pub fn signed_distance(solid: &Solid, p: Vec3) -> (f32, Vec3) {
    match *solid {
        Solid::Plane => (p.y, Vec3::Y),
        Solid::Sphere { radius } => from_axis(p, radius),
        Solid::Capsule { half_length, radius } => {
            from_axis(p - Vec3::new(0.0, p.y.clamp(-half_length, half_length), 0.0), radius)
        }
        Solid::Box { half } => {
            let q = p.abs() - half;
            let outside = q.max(Vec3::ZERO);
            let length = outside.length();
            let sign = Vec3::new(sign(p.x), sign(p.y), sign(p.z));
            if length > 0.0 {
                (length, outside * sign / length)
            } else if q.x >= q.y && q.x >= q.z {
                (q.x, Vec3::new(sign.x, 0.0, 0.0))
            } else if q.y >= q.z {
                (q.y, Vec3::new(0.0, sign.y, 0.0))
            } else {
                (q.z, Vec3::new(0.0, 0.0, sign.z))
            }
        }
    }
}

/// Distance to a ball around the nearest point of an axis; at the very center it points up.
#[inline]
fn from_axis(d: Vec3, radius: f32) -> (f32, Vec3) {
    let length = d.length();
    let normal = if length > 1e-12 { d / length } else { Vec3::Y };
    (length - radius, normal)
}

#[inline]
fn sign(v: f32) -> f32 {
    if v < 0.0 { -1.0 } else { 1.0 }
}

/// Coulomb friction of a pair of surfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friction {
    /// Static coefficient: below it nothing slips.
    pub stick: f32,
    /// Kinetic coefficient.
    pub slide: f32,
}

/// What one contact has done so far in this substep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Push {
    /// Sum of the pushes along the normal [m].
    pub normal: f32,
    /// Sum of the friction corrections [m].
    pub tangent: Vec3,
}

/// A collider during one substep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obstacle {
    /// Its shape.
    pub solid: Solid,
    /// Where it stood at the start of the substep.
    pub before: Pose,
    /// Where it stands at the end.
    pub after: Pose,
    /// Its friction.
    pub friction: Friction,
}

/// Depth [m] (positive inside, radius included) and world normal of a particle at `x`.
#[inline]
pub fn depth(solid: &Solid, pose: &Pose, x: Vec3, radius: f32) -> (f32, Vec3) {
    let (distance, normal) = signed_distance(solid, pose.inward(x));
    (radius - distance, pose.rotation * normal)
}

/// Projects one contact: the new position and what the contact has done since the substep began.
///
/// `start` is the particle's position at the start of the substep.
#[inline]
pub fn project(obstacle: &Obstacle, radius: f32, start: Vec3, x: Vec3, push: Push) -> (Vec3, Push) {
    let (depth, normal) = depth(&obstacle.solid, &obstacle.after, x, radius);
    // E16: an inequality is clamped, but what was pushed before may be given back.
    let total = (push.normal + depth).max(0.0);
    if total == 0.0 && push.normal == 0.0 {
        return (x, push);
    }
    let out = x + normal * (total - push.normal);
    // Slip against the material point of the collider under the particle.
    let here = out - normal * radius;
    let carried = here - obstacle.before.outward(obstacle.after.inward(here));
    let moved = out - start - carried;
    let slip = moved - normal * moved.dot(normal);
    let free = slip - push.tangent;
    let length = free.length();
    let wanted = if length <= obstacle.friction.stick * total {
        -free
    } else {
        free * (-(obstacle.friction.slide * total / length).min(1.0))
    };
    (out + (wanted - push.tangent), Push { normal: total, tangent: wanted })
}
