//! Colliders of the scene: flecks do not enter them, and what is behind a wall is not air.

use glam::Vec3;
use pliant::kernels::contact::{Friction, Obstacle, Push, Solid, is_near, project, signed_distance};
use pliant::model::Model;

/// All colliders of a model on their way from one time to another [s]. Flecks slide along them without friction.
pub fn obstacles(model: &Model, from: f64, to: f64) -> Vec<Obstacle> {
    let slippery = Friction { stick: 0.0, slide: 0.0 };
    let obstacle = |c: &pliant::model::Collider| Obstacle {
        solid: c.solid.clone(),
        before: c.motion.pose(from),
        after: c.motion.pose(to),
        friction: slippery,
    };
    model.colliders.iter().map(obstacle).collect()
}

/// Moves a fleck that went from `start` to `x` out of all walls; what it had of velocity into them is gone. Returns whether
/// it touched any.
///
/// Surfaces are swept; through what else is thinner than a frame's way a fleck may pass.
pub(crate) fn collide(walls: &[Obstacle], radius: f32, dt: f32, start: Vec3, x: &mut Vec3, v: &mut Vec3) -> bool {
    let mut touched = false;
    for wall in walls {
        if !is_near(wall, radius, start, *x, 0.0) {
            continue;
        }
        let (out, _) = project(wall, radius, start, *x, Push::default(), 1.0);
        let Some(normal) = (out - *x).try_normalize() else { continue };
        // The wall's own velocity there.
        let carried = (out - wall.before.outward(wall.after.inward(out))) / dt;
        let into = (*v - carried).dot(normal).min(0.0);
        *v -= normal * into;
        *x = out;
        touched = true;
    }
    touched
}

/// Share of the ball of `reach` around a point that is not behind a wall.
pub(crate) fn open_share(walls: &[Obstacle], x: Vec3, reach: f32) -> f32 {
    let behind = |wall| distance(wall, x, reach).map_or(0.0, |(d, _)| cap(d / reach));
    // A corner of a box leaves an eighth.
    (1.0 - walls.iter().map(behind).sum::<f32>()).max(0.125)
}

/// Whether a wall is within `reach` in a direction: what looks like a surface there is none.
pub(crate) fn is_walled(walls: &[Obstacle], x: Vec3, direction: Vec3, reach: f32) -> bool {
    walls.iter().any(|wall| distance(wall, x, reach).is_some_and(|(_, normal)| normal.dot(direction) < -0.5))
}

/// Distance of a wall [m] and its normal, if it is nearer than `limit`.
fn distance(wall: &Obstacle, x: Vec3, limit: f32) -> Option<(f32, Vec3)> {
    let local = wall.after.inward(x);
    if let Some((min, max)) = wall.solid.bounds()
        && local.distance_squared(local.clamp(min, max)) >= limit * limit
    {
        return None;
    }
    let (distance, normal) = match &wall.solid {
        Solid::Surface(surface) => surface.nearest(local, limit).map(|near| (near.distance, near.normal))?,
        solid => signed_distance(solid, local),
    };
    (distance < limit).then(|| (distance, wall.after.rotation * normal))
}

/// Share of a ball beyond a plane that is `s` radii off its center.
fn cap(s: f32) -> f32 {
    let s = s.clamp(0.0, 1.0);
    0.25 * (1.0 - s) * (1.0 - s) * (2.0 + s)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Quat;
    use pliant::kernels::contact::Pose;

    fn floor(speed: f32) -> Obstacle {
        let at = |y| Pose { position: Vec3::Y * y, rotation: Quat::IDENTITY };
        let friction = Friction { stick: 0.0, slide: 0.0 };
        Obstacle { solid: Solid::Plane, before: at(-0.02 * speed), after: at(0.0), friction }
    }

    #[test]
    fn a_fleck_stops_at_the_floor_slides_on_and_is_lifted_by_a_floor_that_rises() {
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
    fn half_of_a_ball_on_a_floor_is_open_and_all_of_it_high_above() {
        let share = |y: f32| open_share(&[floor(0.0)], Vec3::Y * y, 0.1);
        // A cap half a radius high is 5/32 of the ball.
        for (y, wanted) in [(0.0, 0.5), (-1.0, 0.5), (0.05, 27.0 / 32.0), (0.1, 1.0), (3.0, 1.0)] {
            assert!((share(y) - wanted).abs() < 1e-6, "{y}: {}", share(y));
        }
        assert!(is_walled(&[floor(0.0)], Vec3::Y * 0.05, -Vec3::Y, 0.1));
        assert!(!is_walled(&[floor(0.0)], Vec3::Y * 0.05, Vec3::Y, 0.1));
    }
}
