//! Contact of one particle with a collider, with friction (S17, S18).
//!
//! Non-penetration: C(x) = φ(x) − r ≥ 0 with φ the signed distance of the collider (D3; D4 3.33–3.36). The particle
//! gets the whole correction, since colliders have infinite mass.
//! Friction: D4 3.38–3.40 with the sign of E19: the correction opposes the slip. The bound is μ times the accumulated
//! normal correction of the substep, not of one iteration, so that the result does not depend on the iteration count.

pub use crate::collision::Friction;
pub use crate::contact::collider_shape::{ColliderShape, signed_distance};
use crate::geometry::Surface;
use crate::math::Pose;
pub use crate::state::Push;
use glam::Vec3;

/// Extrapolates the accumulated correction of a rigid-body contact: `push` plus `momentum` times its change since the
/// previous iteration, `last`.
///
/// Nesterov acceleration (Mazhar, Heyn, Negrut, Tasora, "Using Nesterov's method to accelerate multibody dynamics with
/// friction and contact", TOG 2015): reduces the n iterations of averaged Jacobi to √n. Requires steps that do not
/// overshoot, which mass splitting guarantees.
#[inline]
pub fn extrapolate(push: Push, last: Push, momentum: f32) -> Push {
    let normal = push.normal + (push.normal - last.normal) * momentum;
    if normal > 0.0 {
        Push { normal, tangent: push.tangent + (push.tangent - last.tangent) * momentum }
    } else {
        // Without a normal correction there is no friction to undo.
        Push::default()
    }
}

/// Momentum factor of rigid-body contacts in iteration `k` of `n` ([`extrapolate`]): (tₖ − 1)/tₖ₊₁ with tₖ₊₁ = (1
/// + √(1 + 4tₖ²))/2 and t₀ = 1; 0 in the last iteration, which must not overshoot.
pub fn momentum(k: u32, n: u32) -> f32 {
    let mut t = 1.0_f32;
    for _ in 0..k {
        t = 0.5 * (1.0 + (1.0 + 4.0 * t * t).sqrt());
    }
    let next = 0.5 * (1.0 + (1.0 + 4.0 * t * t).sqrt());
    if k + 1 < n { (t - 1.0) / next } else { 0.0 }
}

/// A collider during one substep.
#[derive(Clone, Debug, PartialEq)]
pub struct MovingCollider {
    /// Shape.
    pub shape: ColliderShape,
    /// Pose at the start of the substep.
    pub before: Pose,
    /// Pose at the end of the substep.
    pub after: Pose,
    /// Friction.
    pub friction: Friction,
}

/// Penetration depth [m] (positive inside, radius included) and world normal of a particle at `x`.
#[inline]
pub fn depth(shape: &ColliderShape, pose: &Pose, x: Vec3, radius: f32) -> (f32, Vec3) {
    let (distance, normal) = signed_distance(shape, pose.inward(x));
    (radius - distance, pose.rotation * normal)
}

/// Whether a particle that moves from `start` to `x` may come within `margin` [m] of the collider in this substep.
#[inline]
pub fn is_near(moving_collider: &MovingCollider, radius: f32, start: Vec3, x: Vec3, margin: f32) -> bool {
    // The solver may move a particle as far again as the prediction did.
    let reach = margin + (x - start).length();
    let Some((min, max)) = moving_collider.shape.table_bounds() else {
        let (inside, _) = depth(&moving_collider.shape, &moving_collider.after, x, radius);
        return inside > -reach;
    };
    let here = moving_collider.after.inward(x);
    // Relative motion: in the collider's frame the collider's own motion counts too.
    let reach = reach.max(margin + (here - moving_collider.before.inward(start)).length()) + radius;
    if here.distance(here.clamp(min, max)) >= reach {
        return false;
    }
    match &moving_collider.shape {
        ColliderShape::Surface(surface) => surface.nearest(here, reach).is_some(),
        shape => signed_distance(shape, here).0 < reach,
    }
}

/// Whether a particle that moves from `start` to `x` may touch the collider in this substep, by its bounding box alone, with
/// room for what stabilization does before contacts are found. False for shapes without tables.
#[inline]
pub fn is_near_bounds(moving_collider: &MovingCollider, radius: f32, start: Vec3, x: Vec3, margin: f32) -> bool {
    let Some((min, max)) = moving_collider.shape.table_bounds() else { return false };
    let here = moving_collider.after.inward(x);
    let way = (x - start).length().max((here - moving_collider.before.inward(start)).length());
    here.distance(here.clamp(min, max)) < 2.0 * (margin + way) + radius
}

/// Correction that moves a particle at `x` out of a collider at `pose`; none if it does not penetrate.
#[inline]
pub fn depenetration(shape: &ColliderShape, pose: &Pose, x: Vec3, radius: f32) -> Option<Vec3> {
    if let ColliderShape::Surface(surface) = shape {
        let way = surface.depenetration(pose.inward(x), radius);
        return (way != Vec3::ZERO).then(|| pose.rotation * way);
    }
    let (inside, normal) = depth(shape, pose, x, radius);
    (inside > 0.0).then(|| normal * inside)
}

/// Projects one contact: the new position and the accumulated correction of the substep.
///
/// `start` is the particle's position at the start of the substep. `overpush` scales the correction of a particle whose
/// rigid body follows by less: 1 for a free particle. Surfaces ignore it.
#[inline]
pub fn project(
    moving_collider: &MovingCollider,
    radius: f32,
    start: Vec3,
    x: Vec3,
    push: Push,
    overpush: f32,
) -> (Vec3, Push) {
    if let ColliderShape::Surface(surface) = &moving_collider.shape {
        return project_swept(moving_collider, surface, radius, start, x, push);
    }
    let (depth, normal) = depth(&moving_collider.shape, &moving_collider.after, x, radius);
    // E16: the multiplier is clamped, but earlier corrections of the substep may be undone.
    let total = (push.normal + depth * overpush).max(0.0);
    if total == 0.0 && push.normal == 0.0 {
        return (x, push);
    }
    let out = x + normal * (total - push.normal);
    apply_friction(moving_collider, radius, start, out, Normal { total, normal, overpush }, push)
}

/// Result of the normal part of a contact.
#[derive(Clone, Copy)]
struct Normal {
    /// Accumulated normal correction of the substep [m].
    total: f32,
    normal: Vec3,
    /// As for [`project`].
    overpush: f32,
}

/// Friction part of a contact, for a particle at `out` after the normal correction.
#[inline]
fn apply_friction(
    moving_collider: &MovingCollider,
    radius: f32,
    start: Vec3,
    out: Vec3,
    done: Normal,
    push: Push,
) -> (Vec3, Push) {
    let Normal { total, normal, overpush } = done;
    // Slip relative to the material point of the collider under the particle.
    let here = out - normal * radius;
    let carried = here - moving_collider.before.outward(moving_collider.after.inward(here));
    let moved = out - start - carried;
    let slip = moved - normal * moved.dot(normal);
    let free = slip * overpush - push.tangent;
    let length = free.length();
    let wanted = if length <= moving_collider.friction.static_friction * total {
        -free
    } else {
        free * (-(moving_collider.friction.kinetic_friction * total / length).min(1.0))
    };
    (out + (wanted - push.tangent), Push { normal: total, tangent: wanted })
}

/// Continuous contact with a surface: sweeps the particle's path of the substep in the collider's frame, so that
/// neither a fast particle nor a fast collider tunnels.
///
/// The normal correction is the change made by the sweep. If there is none, earlier corrections of the substep are
/// undone (E16).
fn project_swept(
    moving_collider: &MovingCollider,
    surface: &Surface,
    radius: f32,
    start: Vec3,
    x: Vec3,
    push: Push,
) -> (Vec3, Push) {
    let radius = surface.radius(radius);
    let (before, after) = (&moving_collider.before, &moving_collider.after);
    let (from, to) = (before.inward(start), after.inward(x));
    let end = surface.slide(from, to, radius);
    let (place, total, normal) = if end.touched {
        let out = end.place - to;
        // Closest point at the end of the sweep. A displacement by rounding error alone has no usable direction.
        let near = surface.nearest(end.place, 1.5 * radius);
        let normal = near.map_or_else(|| out.normalize_or(Vec3::Y), |near| near.normal);
        (end.place, push.normal + out.length(), normal)
    } else if push.normal > 0.0 {
        match surface.nearest(to, radius + push.normal) {
            Some(near) => {
                let total = (push.normal + radius - near.distance).max(0.0);
                (to + near.normal * (total - push.normal), total, near.normal)
            }
            None => (to, 0.0, Vec3::Y),
        }
    } else {
        return (x, push);
    };
    let normal = after.rotation * normal;
    let (with_friction, done) = apply_friction(
        moving_collider,
        radius,
        start,
        after.outward(place),
        Normal { total, normal, overpush: 1.0 },
        push,
    );
    // Neither friction nor undone corrections may cross the surface.
    let last = after.inward(with_friction);
    let share = surface.straight(from, last, radius);
    (if share < 1.0 { after.outward(from + (last - from) * share) } else { with_friction }, done)
}
