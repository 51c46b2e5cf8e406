//! Collision of diffuse particles with the colliders of the scene, and correction of neighbor counts next to them.

use glam::Vec3;
use pliant::contact::collider_contact::{
    ColliderShape, Friction, MovingCollider, Push, is_near, project, signed_distance,
};
use pliant::model::Model;

/// All colliders of a model with their poses at two times [s]. Diffuse particles slide along them without friction.
pub fn moving_colliders(model: &Model, from: f64, to: f64) -> Vec<MovingCollider> {
    let frictionless = Friction { static_friction: 0.0, kinetic_friction: 0.0 };
    let moving_collider = |c: &pliant::contact::collider::Collider| MovingCollider {
        shape: c.shape.clone(),
        before: c.motion.pose(from),
        after: c.motion.pose(to),
        friction: frictionless,
    };
    model.colliders.iter().map(moving_collider).collect()
}

/// Projects a diffuse particle that moved from `start` to `x` out of all colliders and removes the normal velocity into
/// them. Returns whether it touched any.
///
/// Collision with surfaces is continuous; other colliders thinner than the motion of a frame may be missed.
pub(crate) fn collide(
    colliders: &[MovingCollider],
    radius: f32,
    dt: f32,
    start: Vec3,
    x: &mut Vec3,
    v: &mut Vec3,
) -> bool {
    let mut touched = false;
    for collider in colliders {
        if !is_near(collider, radius, start, *x, 0.0) {
            continue;
        }
        let (out, _) = project(collider, radius, start, *x, Push::default(), 1.0);
        let Some(normal) = (out - *x).try_normalize() else { continue };
        // Velocity of the collider at the contact point [m/s].
        let carried = (out - collider.before.outward(collider.after.inward(out))) / dt;
        let into = (*v - carried).dot(normal).min(0.0);
        *v -= normal * into;
        *x = out;
        touched = true;
    }
    touched
}

/// Share of the ball of radius `reach` around a point that is not behind a collider.
pub(crate) fn open_share(colliders: &[MovingCollider], x: Vec3, reach: f32) -> f32 {
    let behind = |collider| distance(collider, x, reach).map_or(0.0, |(d, _)| cap_share(d / reach));
    // The corner of a box leaves an eighth.
    (1.0 - colliders.iter().map(behind).sum::<f32>()).max(0.125)
}

/// Whether a collider lies within `reach` in a direction: the liquid has no free surface there.
pub(crate) fn is_covered(colliders: &[MovingCollider], x: Vec3, direction: Vec3, reach: f32) -> bool {
    colliders
        .iter()
        .any(|collider| distance(collider, x, reach).is_some_and(|(_, normal)| normal.dot(direction) < -0.5))
}

/// Distance to a collider [m] and its normal, if it is nearer than `limit`.
fn distance(collider: &MovingCollider, x: Vec3, limit: f32) -> Option<(f32, Vec3)> {
    let local = collider.after.inward(x);
    if let Some((min, max)) = collider.shape.bounds()
        && local.distance_squared(local.clamp(min, max)) >= limit * limit
    {
        return None;
    }
    let (distance, normal) = match &collider.shape {
        ColliderShape::Surface(surface) => surface.nearest(local, limit).map(|near| (near.distance, near.normal))?,
        shape => signed_distance(shape, local),
    };
    (distance < limit).then(|| (distance, collider.after.rotation * normal))
}

/// Volume share of the spherical cap beyond a plane `s` radii from the center of a ball.
fn cap_share(s: f32) -> f32 {
    let s = s.clamp(0.0, 1.0);
    0.25 * (1.0 - s) * (1.0 - s) * (2.0 + s)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Quat;
    use pliant::math::Pose;

    fn floor(speed: f32) -> MovingCollider {
        let at = |y| Pose { position: Vec3::Y * y, rotation: Quat::IDENTITY };
        let friction = Friction { static_friction: 0.0, kinetic_friction: 0.0 };
        MovingCollider { shape: ColliderShape::Plane, before: at(-0.02 * speed), after: at(0.0), friction }
    }

    #[test]
    fn a_particle_slides_on_the_floor_and_is_lifted_by_a_rising_floor() {
        for speed in [0.0, 0.5] {
            let (start, mut x, mut v) = (Vec3::Y * 0.05, Vec3::new(0.02, -0.03, 0.0), Vec3::new(1.0, -4.0, 0.0));
            assert!(collide(&[floor(speed)], 0.01, 0.02, start, &mut x, &mut v));
            assert!((x - Vec3::new(0.02, 0.01, 0.0)).length() < 1e-6, "{x}");
            assert!((v - Vec3::new(1.0, speed, 0.0)).length() < 1e-5, "{v}");
        }
        let (mut x, mut v) = (Vec3::Y * 0.02, -Vec3::Y);
        assert!(!collide(&[floor(0.0)], 0.01, 0.02, Vec3::Y * 0.04, &mut x, &mut v));
        assert_eq!((x, v), (Vec3::Y * 0.02, -Vec3::Y));
    }

    #[test]
    fn half_of_a_ball_on_the_floor_is_open_and_all_of_it_high_above() {
        let share = |y: f32| open_share(&[floor(0.0)], Vec3::Y * y, 0.1);
        // A cap half a radius high is 5/32 of the ball.
        for (y, wanted) in [(0.0, 0.5), (-1.0, 0.5), (0.05, 27.0 / 32.0), (0.1, 1.0), (3.0, 1.0)] {
            assert!((share(y) - wanted).abs() < 1e-6, "{y}: {}", share(y));
        }
        assert!(is_covered(&[floor(0.0)], Vec3::Y * 0.05, -Vec3::Y, 0.1));
        assert!(!is_covered(&[floor(0.0)], Vec3::Y * 0.05, Vec3::Y, 0.1));
    }
}
