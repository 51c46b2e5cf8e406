//! Liquids: who is near whom, and the pass of stage solve that keeps densities (S23).
//!
//! Two sweeps over all neighbors make an iteration: one for the multipliers of all liquid particles, one that moves
//! everybody by them, solids too. Every particle sums up its own neighbors, in the order of its list, and writes only
//! itself.

pub mod boundary;
pub mod density;
pub mod density_survey;
pub mod large_particles;
pub mod neighbor_sums;
pub mod surface_tension;
pub mod viscosity;
pub mod vorticity;

pub use crate::fluid::cpu::density_survey::{DensitySurvey, survey};

use crate::contact::collider_contact::MovingCollider;
use crate::fluid::cpu::boundary::BoundaryLists;
use crate::fluid::cpu::neighbor_sums::SweepVariant;
use crate::fluid::model::FluidModel;
use crate::fluid::parameters::Fluid;
use crate::math::RowData;
use crate::memory::of;
use crate::neighbors::{ASLEEP, Cloud, Finder, Pairs, Search};
use crate::runtime::cpu::isa::Isa;
use crate::runtime::cpu::threads::Threads;
use crate::schedule::substep::Substep;
use crate::state::State;

/// Lists and buffers of the passes.
pub struct Flow {
    finder: Finder,
    /// Half the kernel's reach for everybody, and their radius for balls.
    radii: Vec<f32>,
    phases: Vec<u32>,
    walls: BoundaryLists,
    /// Where each particle is, with the inverse mass that it has in each constraint; empty where all are of liquids.
    seen: Vec<RowData>,
    /// Where each particle is, with the change of its multiplier.
    packed: Vec<RowData>,
    /// Gradient of each particle's own constraint in its own place [1/m].
    gradients: Vec<RowData>,
    drag: viscosity::ViscosityScratch,
    pulls: surface_tension::SurfaceTensionScratch,
}

impl Default for Flow {
    fn default() -> Self {
        Self {
            finder: finder(Search::Grid),
            radii: Vec::new(),
            phases: Vec::new(),
            walls: BoundaryLists::default(),
            seen: Vec::new(),
            packed: Vec::new(),
            gradients: Vec::new(),
            drag: viscosity::ViscosityScratch::default(),
            pulls: surface_tension::SurfaceTensionScratch::default(),
        }
    }
}

/// Phase in the liquids' search: they see each other and solids; solids see liquids only.
pub fn phase_of(fluid: &Fluid, state: &State, i: usize) -> u32 {
    let nothing = fluid.volumes[i] == 0.0 && fluid.ball(i).is_none();
    if state.phases[i] == ASLEEP || nothing { ASLEEP } else { u32::from(fluid.liquids[i] == 0) }
}

impl Flow {
    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        let each = of(&self.radii) + of(&self.phases) + of(&self.packed) + of(&self.gradients) + of(&self.seen);
        self.finder.bytes() + self.walls.bytes() + self.drag.bytes() + self.pulls.bytes() + each
    }

    /// Starts the substep from a share of the last one's pressure. What pressure then did to positions is repeated as it
    /// was: it kept momentum then, so it does now, and costs no sweep.
    pub fn begin(&self, threads: &Threads, fluid: &Fluid, state: &mut State) {
        let n = state.particles;
        let carry = fluid.carry;
        let arrays = (&mut state.rows[..n], &mut state.carried[..], &mut state.pressures[..]);
        threads.zip(arrays, |_, rows, carried, pressures| {
            for ((row, shift), pressure) in rows.iter_mut().zip(carried).zip(pressures) {
                *pressure *= carry;
                let free = if row[3] > 0.0 { carry } else { 0.0 };
                for k in 0..3 {
                    shift[k] *= free;
                    row[k] += shift[k];
                }
            }
        });
    }

    /// Finds who is within reach of whom.
    pub fn find(&mut self, threads: &Threads, fluid: &Fluid, state: &State) {
        let n = state.particles;
        if self.radii.is_empty() && fluid.search() != Search::Grid {
            self.finder = finder(fluid.search());
        }
        self.radii.clear();
        self.radii.extend((0..n).map(|i| fluid.radius_of(i)));
        self.phases.clear();
        self.phases.extend((0..n).map(|i| phase_of(fluid, state, i)));
        let cloud = Cloud { rows: &state.rows[..n], radii: &self.radii, phases: &self.phases };
        self.finder.find(threads, cloud, 0.0, Pairs::Both);
        self.packed.resize(n, [0.0; 4]);
        self.gradients.resize(n, [0.0; 4]);
    }

    /// Finds solids of the environment within reach.
    pub fn find_walls(
        &mut self,
        threads: &Threads,
        model: &FluidModel<'_>,
        state: &State,
        moving_colliders: &[MovingCollider],
        sub: &Substep,
    ) {
        self.walls.find(threads, model, state, moving_colliders, sub);
    }

    /// All densities once.
    pub fn project(&mut self, threads: &Threads, isa: Isa, model: &FluidModel<'_>, state: &mut State) {
        let Some(fluid) = &model.fluid else { return };
        let h = model.settings.dt / model.settings.substeps as f32;
        let rule = fluid.rule(h);
        let way = way(fluid, isa);
        let Self { finder, walls, seen, packed, gradients, .. } = self;
        if !fluid.even {
            let near = finder.neighbors();
            let rows = state.rows[..state.particles].iter().enumerate();
            seen.clear();
            seen.extend(rows.map(|(i, &[x, y, z, w])| match fluid.liquids[i] {
                0 => [x, y, z, w * near.of(i).len() as f32],
                _ => [x, y, z, w],
            }));
        }
        let work = density::DensityPass { fluid, rule, spread: fluid.spread(), near: finder.neighbors(), way };
        work.multiply(threads, model, state, (walls, seen), (packed, gradients));
        work.move_all(threads, state, (packed, gradients));
    }

    /// Velocities at the end of the substep.
    pub fn settle(&mut self, threads: &Threads, isa: Isa, model: &FluidModel<'_>, state: &mut State, sub: &Substep) {
        let Some(fluid) = &model.fluid else { return };
        let Self { finder, walls, drag, pulls, packed, gradients, .. } = self;
        let around = viscosity::FluidNeighborhood { near: finder.neighbors(), walls, way: way(fluid, isa), h: sub.h };
        pulls.pull(threads, model, state, (packed, gradients), around);
        drag.settle(threads, model, state, around);
        vorticity::swirl(threads, model, state, (packed, gradients), around);
    }
}

/// A search, with lists in the order of cells where there are any.
fn finder(search: Search) -> Finder {
    if search == Search::Grid { Finder::new(search).in_cells() } else { Finder::new(search) }
}

fn way(fluid: &Fluid, isa: Isa) -> SweepVariant {
    SweepVariant { isa, smoothing: fluid.smoothing, reach: fluid.reach, even: fluid.even }
}
