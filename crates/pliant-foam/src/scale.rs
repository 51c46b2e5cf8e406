//! How large a scene is and how fast it can get: what is much foam in a bathtub is none in a harbor.

use crate::potential::Limits;
use glam::Vec3;
use pliant::Simulation;
use pliant::contact::collider_contact::{Solid, signed_distance};
use pliant::model::Model;

/// Steps on the way down; whoever has not arrived after so many goes along a wall.
const MOST_STEPS: usize = 200;

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
    /// As fast as it gets is what a particle has that falls from the highest place of the liquid, or its mouths, to the lowest, or to what
    /// is below, on top of the velocity that it starts with. As slow as nothing happens is the fall through its own
    /// size; where there is no gravity, the same share of the former that its size has in the scene.
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
        // How high the box around the liquid is, whichever way is down.
        let height = (high - low).dot(down.abs());
        let middle = (low + high) * 0.5;
        let below = way_down(model, middle, down);
        let fall = below.map_or(0.0, |way| way + 0.5 * height + radius).max(height + 2.0 * radius);
        if let Some(way) = below {
            (low, high) = fold((low, high), &(middle + down * way));
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
        // Without gravity and at rest: once through the scene in a second.
        let square = if g > 0.0 || start > 0.0 { 2.0 * g * fall + start * start } else { size * size };
        let least = if g > 0.0 { 2.0 * g * (2.0 * radius) } else { square * (2.0 * radius / size) };
        // In a scene that is a few particles high, half as fast must do.
        let (fast, slow) = (square.sqrt(), least.min(0.25 * square).sqrt());
        let margin = (high - low).length() + if g > 0.0 { 0.5 * square / g } else { size };
        let bounds = [low - margin, high + margin];
        Some(Self { limits: Limits { radius, reach, slow, fast }, gravity, bounds })
    }
}

/// How far the first collider below a point is [m], if there is one; by steps that none of them is nearer than.
fn way_down(model: &Model, from: Vec3, down: Vec3) -> Option<f32> {
    let distance = |x: Vec3| {
        let each = model.colliders.iter().map(|c| signed_distance(&c.solid, c.motion.pose(0.0).inward(x)).0);
        each.fold(f32::INFINITY, f32::min)
    };
    // Near enough to be there.
    let there = 1e-3 * distance(from);
    let mut way = 0.0;
    for _ in 0..MOST_STEPS {
        let clear = distance(from + down * way);
        if !clear.is_finite() {
            return None;
        }
        if clear <= there {
            return Some(way);
        }
        way += clear;
    }
    None
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
