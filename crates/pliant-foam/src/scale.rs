//! Length and velocity scales of a scene, from which the limits of the potentials follow.

use crate::potential::PotentialLimits;
use glam::Vec3;
use pliant::World;
use pliant::contact::collider_contact::signed_distance;
use pliant::model::Model;

/// Maximum number of sphere-tracing steps; a ray that needs more runs along a wall.
const MOST_STEPS: usize = 200;

/// Length and velocity scales of the liquids of a scene, before the first step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneScale {
    /// PotentialLimits of the potentials.
    pub limits: PotentialLimits,
    /// Acceleration of gravity [m/s²].
    pub gravity: Vec3,
    /// Lowest and highest corner of the box outside of which diffuse particles are removed [m].
    pub bounds: [Vec3; 2],
}

impl SceneScale {
    /// `None` for a scene without liquid.
    ///
    /// The maximum speed is that of a fall from the highest point of the liquid or its emitters to the lowest point or the
    /// collider below, in addition to the initial velocity. The minimum speed is that of a fall through one particle
    /// diameter; without gravity, the same fraction of the maximum speed that the diameter is of the scene size.
    pub fn of(sim: &World) -> Option<Self> {
        let (model, state) = (sim.model(), sim.state());
        let fluid = model.fluid.as_ref()?;
        let is_active = |i: &usize| fluid.liquids[*i] > 0 && !state.is_inactive(*i);
        let mut points: Vec<Vec3> = (0..state.particles).filter(is_active).map(|i| sim.position(i)).collect();
        let mut start = (0..state.particles).filter(is_active).map(|i| sim.velocity(i).length()).fold(0.0, f32::max);
        for pour in model.emitters.iter().filter(|p| fluid.liquids[p.first] > 0) {
            points.extend_from_slice(&pour.places);
            start = start.max(pour.velocity.length());
        }
        let (radius, reach) = (fluid.radius, fluid.reach);
        let fold = |(low, high): (Vec3, Vec3), p: &Vec3| (low.min(*p), high.max(*p));
        let (mut low, mut high) = points.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), fold);
        if points.is_empty() {
            // The liquid comes from melting bodies.
            (low, high) = (0..state.particles).map(|i| sim.position(i)).fold((low, high), |b, p| fold(b, &p));
        }
        let gravity = model.settings.gravity;
        let (down, g) = (gravity.normalize_or(-Vec3::Y), gravity.length());
        let size = (high - low).length() + 2.0 * radius;
        // Height of the bounding box of the liquid along gravity [m].
        let height = (high - low).dot(down.abs());
        let center = (low + high) * 0.5;
        let below = distance_below(model, center, down);
        let fall = below.map_or(0.0, |distance| distance + 0.5 * height + radius).max(height + 2.0 * radius);
        if let Some(distance) = below {
            (low, high) = fold((low, high), &(center + down * distance));
        }
        for collider in &model.colliders {
            if let Some((min, max)) = collider.shape.bounds() {
                let pose = collider.motion.pose(0.0);
                for corner in 0..8 {
                    let pick = |axis: usize| if corner >> axis & 1 == 0 { min[axis] } else { max[axis] };
                    (low, high) = fold((low, high), &pose.outward(Vec3::new(pick(0), pick(1), pick(2))));
                }
            }
        }
        // Without gravity and at rest: the scene size in one second.
        let square = if g > 0.0 || start > 0.0 { 2.0 * g * fall + start * start } else { size * size };
        let least = if g > 0.0 { 2.0 * g * (2.0 * radius) } else { square * (2.0 * radius / size) };
        // In a scene a few particles high, the minimum speed is at most half of the maximum.
        let (max_speed, min_speed) = (square.sqrt(), least.min(0.25 * square).sqrt());
        let margin = (high - low).length() + if g > 0.0 { 0.5 * square / g } else { size };
        let bounds = [low - margin, high + margin];
        Some(Self { limits: PotentialLimits { radius, reach, min_speed, max_speed }, gravity, bounds })
    }
}

/// Distance to the first collider below a point [m], by sphere tracing.
fn distance_below(model: &Model, from: Vec3, down: Vec3) -> Option<f32> {
    let distance = |x: Vec3| {
        let each = model.colliders.iter().map(|c| signed_distance(&c.shape, c.motion.pose(0.0).inward(x)).0);
        each.fold(f32::INFINITY, f32::min)
    };
    // Tolerance of a hit [m].
    let tolerance = 1e-3 * distance(from);
    let mut travelled = 0.0;
    for _ in 0..MOST_STEPS {
        let clear = distance(from + down * travelled);
        if !clear.is_finite() {
            return None;
        }
        if clear <= tolerance {
            return Some(travelled);
        }
        travelled += clear;
    }
    None
}
