//! Solids of the environment within reach of a liquid, by their tangent planes.

use crate::contact::collider_contact::{MovingCollider, Solid, signed_distance};
use crate::fluid::boundary::Wall;
use crate::fluid::model::FluidModel;
use crate::fluid::parameters::Fluid;
use crate::math::position;
use crate::memory::of;
use crate::runtime::cpu::threads::Threads;
use crate::schedule::substep::Substep;
use crate::state::State;
use glam::Vec3;

/// Walls by run of particles.
#[derive(Default)]
pub struct BoundaryLists {
    runs: Vec<Run>,
}

/// Walls near the particles of a run.
#[derive(Default)]
pub struct Run {
    /// Where the walls of each particle begin, and one more at the end; empty where there are none at all.
    starts: Vec<u32>,
    all: Vec<Wall>,
}

impl Run {
    /// Walls near a particle, counted from the run's first.
    #[inline]
    pub fn of(&self, k: usize) -> &[Wall] {
        match self.starts.get(k..k + 2) {
            Some(&[first, end]) => &self.all[first as usize..end as usize],
            _ => &[],
        }
    }
}

impl BoundaryLists {
    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        of(&self.runs) + self.runs.iter().map(|run| of(&run.starts) + of(&run.all)).sum::<u64>()
    }

    /// Finds them, with where particles and solids are at the end of the substep.
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
        threads.each(&mut self.runs, |number, run| {
            run.starts.clear();
            run.all.clear();
            for i in model.runs[number].clone() {
                run.starts.push(run.all.len() as u32);
                if fluid.liquids[i] > 0 && state.rows[i][3] > 0.0 {
                    let x = position(state.rows[i]);
                    run.all.extend(moving_colliders.iter().filter_map(|o| wall(fluid, o, x, sub.h)));
                }
            }
            run.starts.push(run.all.len() as u32);
        });
    }

    /// Those of a run.
    pub fn run(&self, number: usize) -> Option<&Run> {
        self.runs.get(number)
    }
}

/// A solid as a particle at `x` sees it, if it is within reach.
fn wall(fluid: &Fluid, moving_collider: &MovingCollider, x: Vec3, h: f32) -> Option<Wall> {
    let pose = &moving_collider.after;
    let here = pose.inward(x);
    let (distance, normal) = match &moving_collider.solid {
        Solid::Surface(surface) => {
            let near = surface.nearest(here, fluid.reach)?;
            (near.distance, near.normal)
        }
        solid => {
            if let Some((min, max)) = solid.bounds()
                && here.distance(here.clamp(min, max)) >= fluid.reach
            {
                return None;
            }
            signed_distance(solid, here)
        }
    };
    if distance >= fluid.reach {
        return None;
    }
    let normal = pose.rotation * normal;
    let there = x - normal * distance;
    let bend = match moving_collider.solid {
        // A smaller ball than the kernel is taken for a plane: the formula would see both its sides.
        Solid::Sphere { radius } if radius > fluid.reach => 1.0 / radius,
        _ => 0.0,
    };
    let velocity = (there - moving_collider.before.outward(pose.inward(there))) / h;
    // A ball that is set back is a smaller one around the same center.
    let bend = if bend > 0.0 { 1.0 / (1.0 / bend - fluid.setback) } else { 0.0 };
    Some(Wall { place: there - normal * fluid.setback, normal, bend, velocity })
}
