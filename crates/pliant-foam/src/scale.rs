//! How large a scene is and how fast it can get: what is much foam in a bathtub is none in a harbor.

use crate::potential::Limits;
use glam::Vec3;
use pliant::Simulation;
use pliant::kernels::contact::Solid;

/// Sizes and speeds of a scene's liquids, taken before its first step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// When there is foam.
    pub limits: Limits,
    /// Acceleration of gravity [m/s²].
    pub gravity: Vec3,
    /// Lowest and highest corner of the box that flecks vanish outside of [m].
    pub bounds: [Vec3; 2],
}

impl Scale {
    /// None where the scene has no liquid.
    ///
    /// As fast as it gets is what a particle has that falls from the highest place of the liquid, or its mouths, to the lowest, or the
    /// ground, on top of the velocity that it starts with. As slow as nothing happens is the fall through its own
    /// size, or an equal share of the former where there is no gravity.
    pub fn of(sim: &Simulation) -> Option<Self> {
        let (model, state) = (sim.model(), sim.state());
        let fluid = model.fluid.as_ref()?;
        let there = |i: &usize| fluid.liquids[*i] > 0 && !state.is_away(*i);
        let mut places: Vec<Vec3> = (0..state.particles).filter(there).map(|i| sim.position(i)).collect();
        let mut start = (0..state.particles).filter(there).map(|i| sim.velocity(i).length()).fold(0.0, f32::max);
        for pour in model.pours.iter().filter(|p| fluid.liquids[p.first] > 0) {
            places.extend_from_slice(&pour.places);
            start = start.max(pour.velocity.length());
        }
        let (radius, reach) = (fluid.radius, fluid.reach);
        let fold = |(low, high): (Vec3, Vec3), p: &Vec3| (low.min(*p), high.max(*p));
        let (mut low, mut high) = places.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), fold);
        if places.is_empty() {
            // It comes of bodies that melt.
            (low, high) = (0..state.particles).map(|i| sim.position(i)).fold((low, high), |b, p| fold(b, &p));
        }
        let gravity = model.settings.gravity;
        let (down, g) = (gravity.normalize_or(-Vec3::Y), gravity.length());
        let size = (high - low).length() + 2.0 * radius;
        let ends = [low, high].map(|p| p.dot(down));
        let mut fall = (ends[1] - ends[0]).abs() + 2.0 * radius;
        let middle = (low + high) * 0.5;
        for collider in model.colliders.iter().filter(|c| c.solid == Solid::Plane) {
            let pose = collider.motion.pose(0.0);
            let slope = -(pose.rotation * Vec3::Y).dot(down);
            let way = (middle - pose.position).dot(pose.rotation * Vec3::Y) / slope;
            // A ground, not a wall.
            if slope > 0.7 && way > 0.0 {
                fall = fall.max(way + 0.5 * (ends[1] - ends[0]).abs() + radius);
                (low, high) = (low.min(middle + down * way), high.max(middle + down * way));
            }
        }
        for collider in &model.colliders {
            if let Some((min, max)) = bounds_of(&collider.solid) {
                let pose = collider.motion.pose(0.0);
                for corner in 0..8 {
                    let pick = |axis: usize| if corner >> axis & 1 == 0 { min[axis] } else { max[axis] };
                    (low, high) = fold((low, high), &pose.outward(Vec3::new(pick(0), pick(1), pick(2))));
                }
            }
        }
        let way = if g > 0.0 { fall } else { size };
        // Without gravity and at rest: once through the scene in a second.
        let square = if g > 0.0 || start > 0.0 { 2.0 * g * fall + start * start } else { size * size };
        let fast = square.sqrt();
        // In a scene that is a few particles high, half as fast must do.
        let slow = fast * (2.0 * radius / way).min(0.25).sqrt();
        let margin = (high - low).length() + if g > 0.0 { 0.5 * square / g } else { size };
        let bounds = [low - margin, high + margin];
        Some(Self { limits: Limits { radius, reach, slow, fast }, gravity, bounds })
    }
}

/// A box around a shape in its own frame [m]; none around a plane.
fn bounds_of(solid: &Solid) -> Option<(Vec3, Vec3)> {
    let half = match *solid {
        Solid::Plane => return None,
        Solid::Sphere { radius } => Vec3::splat(radius),
        Solid::Capsule { half_length, radius } => Vec3::new(radius, half_length + radius, radius),
        Solid::Box { half } => half,
        Solid::Convex(_) | Solid::Surface(_) | Solid::Field(_) => return solid.bounds(),
    };
    Some((-half, half))
}
