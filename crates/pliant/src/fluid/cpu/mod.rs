//! Fluids: neighbor lists, and the density pass of stage solve (S23).
//!
//! An iteration has two sweeps over all neighbors: the first computes the multipliers of all fluid particles, the
//! second moves all particles, solids included. Each particle sums its own neighbors in list order and writes only
//! itself.

pub mod body_coupling;
pub mod boundary;
pub mod density;
pub mod density_measurement;
pub mod large_particles;
pub mod neighbor_sums;
pub mod pair_sums;
pub mod projection;
pub mod projection_terms;
pub mod surface_tension;
pub mod viscosity;
pub mod vorticity;

pub use crate::fluid::cpu::density_measurement::{DensityMeasurement, measure_density};

use crate::contact::collider_contact::MovingCollider;
use crate::fluid::cpu::boundary::BoundaryLists;
use crate::fluid::cpu::neighbor_sums::SweepVariant;
use crate::fluid::cpu::pair_sums::PairSums;
use crate::fluid::cpu::projection::Surroundings;
use crate::fluid::model::FluidModel;
use crate::fluid::parameters::Fluid;
use crate::fluid::projection::POSITION_SHARE;
use crate::math::RowData;
use crate::memory::of;
use crate::neighbors::{Cloud, Finder, INACTIVE, Pairs, Search};
use crate::rigid_body::integrate::velocity_changes;
use crate::runtime::cpu::isa::Isa;
use crate::runtime::cpu::threads::Threads;
use crate::schedule::passes::Pass;
use crate::schedule::substep::CpuContext;
use crate::state::State;
use glam::{DVec3, Vec3};

/// Neighbor lists and buffers of the passes.
pub struct FluidScratch {
    finder: Finder,
    /// Half the kernel radius for most particles, the radius for large solid particles.
    radii: Vec<f32>,
    phases: Vec<u32>,
    boundaries: BoundaryLists,
    /// Position of each particle, with its inverse mass per constraint; empty if all particles are fluid.
    seen: Vec<RowData>,
    /// Position of each particle, with the change of its multiplier.
    packed: Vec<RowData>,
    /// Gradient of each particle's constraint at its own position [1/m].
    gradients: Vec<RowData>,
    viscosity: viscosity::ViscosityScratch,
    surface_tension: surface_tension::SurfaceTensionScratch,
    projection: projection::ProjectionScratch,
}

impl Default for FluidScratch {
    fn default() -> Self {
        Self {
            finder: Finder::new(Search::Tree),
            radii: Vec::new(),
            phases: Vec::new(),
            boundaries: BoundaryLists::default(),
            seen: Vec::new(),
            packed: Vec::new(),
            gradients: Vec::new(),
            viscosity: viscosity::ViscosityScratch::default(),
            surface_tension: surface_tension::SurfaceTensionScratch::default(),
            projection: projection::ProjectionScratch::default(),
        }
    }
}

/// Phase in the fluid search: fluids find each other and solids; solids find fluids only.
pub fn phase_of(fluid: &Fluid, state: &State, i: usize) -> u32 {
    let nothing = fluid.volumes[i] == 0.0 && fluid.large_particle(i).is_none();
    if state.phases[i] == INACTIVE || nothing { INACTIVE } else { u32::from(fluid.liquids[i] == 0) }
}

impl FluidScratch {
    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        let each = of(&self.radii) + of(&self.phases) + of(&self.packed) + of(&self.gradients) + of(&self.seen);
        self.finder.bytes()
            + self.boundaries.bytes()
            + self.viscosity.bytes()
            + self.surface_tension.bytes()
            + self.projection.bytes()
            + each
    }

    /// Warm-starts the substep with a share of the last one's pressure. The displacement by pressure is repeated as it
    /// was: it conserved momentum then, so it does now, and needs no sweep.
    pub fn begin(&mut self, threads: &Threads, fluid: &Fluid, state: &mut State, h: f32) {
        let n = state.particles;
        if fluid.projects {
            self.projection.begin(n);
            return accelerate(threads, state, h);
        }
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

    /// Pressures of the next substep; `expected` are the changes that rigid bodies will have from all else. `first`: of this
    /// substep, in which velocities have gravity already.
    fn project_velocities(
        &mut self,
        cx: &CpuContext<'_>,
        model: &FluidModel<'_>,
        state: &mut State,
        expected: &[[DVec3; 2]],
        first: bool,
    ) {
        let Some(fluid) = model.fluid else { return };
        let Self { finder, boundaries, projection, packed, .. } = self;
        packed.clear();
        packed.extend_from_slice(&state.rows[..state.particles]);
        let (near, way) = (finder.neighbors(), sweep_variant(fluid, cx.isa));
        let sums = PairSums { threads: cx.threads, model, near, way, rows: packed };
        let around = Surroundings { sums, fluid, boundaries, h: cx.substep.h };
        if !first {
            projection.filter(around, state);
            return projection.solve(model, state, around, model.settings.gravity, expected);
        }
        projection.solve(model, state, around, Vec3::ZERO, expected);
        // Bodies have moved already in this substep.
        for (params, body) in model.rigid_bodies.bodies.iter().zip(&mut state.rigid_bodies.bodies) {
            let [linear, angular] = velocity_changes(&params.shape, body.rotation, body.push);
            body.velocity += linear;
            body.position += linear * (0.5 * f64::from(cx.substep.h));
            body.spin += angular;
        }
    }

    /// Finds the neighbors within the kernel radius.
    pub fn find(&mut self, threads: &Threads, model: &FluidModel<'_>, state: &State) {
        let Some(fluid) = model.fluid else { return };
        let n = state.particles;
        if fluid.search() == Search::Grid {
            self.finder.set_cells(lattice(fluid));
        }
        self.radii.clear();
        self.radii.extend((0..n).map(|i| fluid.radius_of(i)));
        self.phases.clear();
        self.phases.extend((0..n).map(|i| phase_of(fluid, state, i)));
        let cloud = Cloud { rows: &state.rows[..n], radii: &self.radii, phases: &self.phases };
        self.finder.find_within(threads, cloud, model.environments.separation(), 0.0, Pairs::Both);
        if model.pairs.table.filters() {
            // Liquids have density constraints among themselves, whatever their groups.
            let wet = |i: usize| fluid.liquids[i] > 0;
            self.finder.retain(|i, j| wet(i) && wet(j) || model.pairs.touch(i, j));
        }
        self.packed.resize(n, [0.0; 4]);
        self.gradients.resize(n, [0.0; 4]);
    }

    /// Projects all density constraints once.
    pub fn project(&mut self, threads: &Threads, isa: Isa, model: &FluidModel<'_>, state: &mut State) {
        let Some(fluid) = &model.fluid else { return };
        if fluid.projects && POSITION_SHARE * self.projection.corrections >= model.settings.iterations {
            return;
        }
        let h = model.settings.dt / model.settings.substeps as f32;
        let params = fluid.density_params(h);
        let way = sweep_variant(fluid, isa);
        let Self { finder, boundaries, seen, packed, gradients, projection, .. } = self;
        if !fluid.even {
            let near = finder.neighbors();
            let rows = state.rows[..state.particles].iter().enumerate();
            seen.clear();
            seen.extend(rows.map(|(i, &[x, y, z, w])| match fluid.liquids[i] {
                0 => [x, y, z, w * near.of(i).len() as f32],
                _ => [x, y, z, w],
            }));
        }
        let work = density::DensityPass {
            fluid,
            params,
            artificial_pressure: fluid.artificial_pressure(),
            near: finder.neighbors(),
            way,
        };
        if fluid.projects {
            projection.corrections += 1;
            let lambdas = &mut projection.multipliers[..];
            work.update_multipliers(
                threads,
                model,
                &state.rows[..state.particles],
                lambdas,
                (boundaries, seen),
                (packed, gradients),
            );
            let sums = PairSums { threads, model, near: finder.neighbors(), way, rows: packed };
            let around = Surroundings { sums, fluid, boundaries, h };
            return projection.correct_positions(around, state, (packed, gradients));
        }
        let (rows, lambdas) = (&state.rows[..state.particles], &mut state.pressures[..]);
        work.update_multipliers(threads, model, rows, lambdas, (boundaries, seen), (packed, gradients));
        work.update_positions(threads, state, (packed, gradients));
    }

    /// Runs a pass. `moving_colliders` are the colliders of this substep, `expected` the changes of velocity and spin that
    /// rigid bodies will have from all but liquids.
    pub(crate) fn run(
        &mut self,
        pass: &Pass,
        cx: &CpuContext<'_>,
        model: &FluidModel<'_>,
        state: &mut State,
        (moving_colliders, expected): (&[MovingCollider], &[[DVec3; 2]]),
    ) {
        let Some(fluid) = model.fluid else { return };
        let CpuContext { threads, isa, substep, .. } = *cx;
        match pass {
            Pass::FluidNeighbors => {
                self.begin(threads, fluid, state, substep.h);
                self.find(threads, model, state);
            }
            Pass::FluidBoundary => {
                self.boundaries.find(threads, model, state, moving_colliders, substep);
                if fluid.projects && substep.index == 0 {
                    // No substep before has found the pressures of this one.
                    self.project_velocities(cx, model, state, expected, true);
                    accelerate(threads, state, substep.h);
                }
            }
            Pass::FluidDensity => self.project(threads, isa, model, state),
            Pass::Projection => self.project_velocities(cx, model, state, expected, false),
            _ => self.apply_forces(pass, cx, model, state),
        }
    }

    /// Forces that act on velocities, at the end of the substep.
    fn apply_forces(&mut self, pass: &Pass, cx: &CpuContext<'_>, model: &FluidModel<'_>, state: &mut State) {
        let Some(fluid) = model.fluid else { return };
        let threads = cx.threads;
        let Self { finder, boundaries, viscosity, surface_tension, packed, gradients, .. } = self;
        let way = sweep_variant(fluid, cx.isa);
        let around = viscosity::FluidNeighborhood { near: finder.neighbors(), boundaries, way, h: cx.substep.h };
        match pass {
            Pass::SurfaceTension => surface_tension.apply(threads, model, state, (packed, gradients), around),
            Pass::Viscosity => viscosity.apply(threads, model, state, around),
            Pass::Vorticity => vorticity::confine(threads, model, state, (packed, gradients), around),
            other => unreachable!("{other:?} is no pass of fluids"),
        }
    }
}

/// Moves particles by the pressure that the last substep has found for this one.
fn accelerate(threads: &Threads, state: &mut State, h: f32) {
    let n = state.particles;
    let carried = &state.carried;
    let arrays = (&mut state.rows[..n], &mut state.velocities[..n], &mut state.previous[..n]);
    threads.zip(arrays, |first, rows, velocities, _| {
        for ((row, velocity), shift) in rows.iter_mut().zip(velocities).zip(&carried[first..]) {
            let free = if row[3] > 0.0 { 1.0 } else { 0.0 };
            for k in 0..3 {
                row[k] += free * shift[k];
                velocity[k] += free * shift[k] / h;
            }
        }
    });
}

/// A neighbor search of a fluid.
fn finder_for(fluid: &Fluid) -> Finder {
    let mut finder = Finder::new(Search::Tree);
    if fluid.search() == Search::Grid {
        finder.set_cells(lattice(fluid));
    }
    finder
}

/// Reach that the cells of the search are made for [m]; 0 if they are chosen for the particles. The shape in which a drop comes
/// to rest depends on the order of sums: with a fixed lattice one on a plane rests 12 % higher than half a ball.
fn lattice(fluid: &Fluid) -> f32 {
    if fluid.surface_tension().is_some() { 0.0 } else { fluid.reach }
}

fn sweep_variant(fluid: &Fluid, isa: Isa) -> SweepVariant {
    SweepVariant { isa, smoothing: fluid.smoothing, reach: fluid.reach, even: fluid.even }
}
