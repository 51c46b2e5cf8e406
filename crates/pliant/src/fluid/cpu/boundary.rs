//! Colliders within the kernel radius of fluid particles, as tangent planes.

use crate::contact::collider_contact::{ColliderShape, MovingCollider, signed_distance};
use crate::fluid::boundary::{Boundary, solid_share};
use crate::fluid::model::FluidModel;
use crate::fluid::parameters::Fluid;
use crate::fluid::projection::BODY_RANGE;
use crate::math::position;
use crate::memory::of;
use crate::runtime::cpu::threads::Threads;
use crate::schedule::substep::Substep;
use crate::state::State;
use glam::Vec3;

/// Boundaries per run of particles.
#[derive(Default)]
pub struct BoundaryLists {
    runs: Vec<Run>,
}

/// Boundaries near the particles of a run.
#[derive(Default)]
pub struct Run {
    /// Start of the boundaries of each particle, plus the end; empty without any.
    starts: Vec<u32>,
    all: Vec<Boundary>,
    /// Collider of each.
    colliders: Vec<u32>,
}

impl Run {
    /// Boundaries near particle `k` of the run.
    #[inline]
    pub fn of(&self, k: usize) -> &[Boundary] {
        match self.starts.get(k..k + 2) {
            Some(&[first, end]) => &self.all[first as usize..end as usize],
            _ => &[],
        }
    }

    /// Colliders of these boundaries.
    #[inline]
    pub fn colliders_of(&self, k: usize) -> &[u32] {
        match self.starts.get(k..k + 2) {
            Some(&[first, end]) => &self.colliders[first as usize..end as usize],
            _ => &[],
        }
    }
}

impl BoundaryLists {
    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        of(&self.runs) + self.runs.iter().map(|run| of(&run.starts) + of(&run.all) + of(&run.colliders)).sum::<u64>()
    }

    /// Finds them from positions and poses at the end of the substep.
    pub fn find(
        &mut self,
        threads: &Threads,
        model: &FluidModel<'_>,
        state: &State,
        moving_colliders: &[MovingCollider],
        sub: &Substep,
    ) {
        let Some(fluid) = &model.fluid else { return };
        self.runs.resize_with(model.runs.len(), Run::default);
        let in_projection = |c: usize| fluid.projects && c >= model.colliders.len();
        let reach_of = |c: usize| if in_projection(c) { BODY_RANGE * fluid.reach } else { fluid.reach };
        threads.each(&mut self.runs, |number, run| {
            run.starts.clear();
            run.all.clear();
            run.colliders.clear();
            for i in model.runs[number].clone() {
                run.starts.push(run.all.len() as u32);
                if fluid.liquids[i] > 0 && state.rows[i][3] > 0.0 {
                    let x = position(state.rows[i]);
                    let seen = model.environments.colliders_of(i, moving_colliders.len());
                    let seen = seen.filter(|&c| model.pairs.touches_collider(i, c));
                    for (c, boundary) in
                        seen.filter_map(|c| Some((c, boundary_at(fluid, &moving_colliders[c], x, sub.h, reach_of(c))?)))
                    {
                        run.all.push(boundary);
                        run.colliders.push(c as u32);
                    }
                }
            }
            run.starts.push(run.all.len() as u32);
        });
    }

    /// Boundaries of a run.
    pub fn run(&self, number: usize) -> Option<&Run> {
        self.runs.get(number)
    }
}

/// Calls `found` with the impulse [N·s] of each liquid particle on each of `moving_colliders` from `first` on, by the
/// pressure of the last substep, and the point where it acts [m].
pub(crate) fn pressure_impulses(
    model: &FluidModel<'_>,
    state: &State,
    (moving_colliders, first): (&[MovingCollider], usize),
    h: f32,
    mut found: impl FnMut(usize, Vec3, Vec3),
) {
    let Some(fluid) = &model.fluid else { return };
    for i in (0..state.particles).filter(|&i| fluid.liquids[i] > 0 && state.rows[i][3] > 0.0) {
        if state.pressures[i] == 0.0 {
            continue;
        }
        let x = position(state.rows[i]);
        for (k, collider) in moving_colliders.iter().enumerate().skip(first) {
            if !model.pairs.touches_collider(i, k) {
                continue;
            }
            let Some(boundary) = boundary_at(fluid, collider, x, h, fluid.reach) else { continue };
            let (delta, normal) = boundary.apart(x);
            let (_, rate) = solid_share(fluid.smoothing, fluid.reach, delta, boundary.curvature);
            // The particle moves by w·λ·∇C, with ∇C = rate·normal; the solid takes the opposite momentum.
            found(k, x - normal * delta, normal * (-state.pressures[i] * rate / h));
        }
    }
}

/// Boundary of a collider for a particle at `x`, if within a distance.
fn boundary_at(fluid: &Fluid, moving_collider: &MovingCollider, x: Vec3, h: f32, reach: f32) -> Option<Boundary> {
    let pose = &moving_collider.after;
    let here = pose.inward(x);
    let (distance, normal) = match &moving_collider.shape {
        ColliderShape::Surface(surface) => {
            let near = surface.nearest(here, reach)?;
            (near.distance, near.normal)
        }
        shape => {
            if let Some((min, max)) = shape.table_bounds()
                && here.distance(here.clamp(min, max)) >= reach
            {
                return None;
            }
            signed_distance(shape, here)
        }
    };
    if distance >= reach {
        return None;
    }
    let normal = pose.rotation * normal;
    let there = x - normal * distance;
    let curvature = match moving_collider.shape {
        // A sphere smaller than the kernel is treated as a plane: the formula assumes that the far side is out of
        // range.
        ColliderShape::Sphere { radius } if radius > fluid.reach => 1.0 / radius,
        _ => 0.0,
    };
    let velocity = (there - moving_collider.before.outward(pose.inward(there))) / h;
    // Setback shrinks a sphere around the same center.
    let curvature = if curvature > 0.0 { 1.0 / (1.0 / curvature - fluid.setback) } else { 0.0 };
    Some(Boundary { place: there - normal * fluid.setback, normal, curvature, velocity })
}
