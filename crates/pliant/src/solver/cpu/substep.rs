//! A substep: the stages in order, and the passes of stage solve.

use crate::aero::cpu::wind_forces;
use crate::constraints::Scales;
use crate::contact::cpu::ContactScratch;
use crate::contact::cpu::{collider_contacts, restitution};
use crate::error::Diverged;
use crate::integration::predict::IntegrationModel;
use crate::integration::{finalize, predict};
use crate::math::RowData;
use crate::model::Model;
use crate::rigid::{self, ShapeMatch};
use crate::runtime::cpu::{Isa, Threads};
use crate::scene::{Integrator, Method};
use crate::schedule::Stage;
use crate::schedule::passes::{BatchId, Copies, Pass};
use crate::schedule::stats::Times;
use crate::schedule::substep::{DivergenceFlag, Substep};
use crate::solver::cpu::Scratch;
use crate::solver::cpu::{gauss_seidel, inflate, jacobi, patches, phantoms};
use crate::state::State;
use std::time::Instant;

/// Chunks of a body's particles per thread, at least.
const SHAPE_GRAIN: usize = 16;

/// One substep, stage by stage.
pub fn run(
    threads: &Threads,
    isa: Isa,
    model: &Model,
    state: &mut State,
    scratch: &mut Scratch,
    times: &mut Times,
) -> Result<(), Diverged> {
    let settings = &model.settings;
    let (contact_model, fluid_model) = (model.contact(), model.fluid_model());
    let h = settings.dt / settings.substeps as f32;
    let length = f64::from(settings.dt) / f64::from(settings.substeps);
    let sub = Substep {
        index: state.substeps,
        h,
        keep: libm::expf(-settings.damping * h),
        start: state.time,
        end: (state.substeps + 1) as f64 * length,
    };
    let mut clock = Clock::start();
    let divergence = DivergenceFlag::new();

    scratch.contact.restitution.save_velocities(&contact_model, state);
    wind_forces(threads, (&model.aero_surfaces, settings.wind), state, &mut scratch.aero, &sub);
    let integration = IntegrationModel { settings, pins: &model.pins, spin_weights: &model.spin_weights };
    predict::predict(threads, &integration, state, &scratch.aero.forces, &sub, &divergence);
    clock.lap(&mut times.stages[Stage::Predict as usize]);
    check(&divergence, Stage::Predict, model, state)?;

    if let Some(shapes) = &mut state.shapes {
        shapes.begin(h, settings.iterations);
    }
    scratch.contact.mass_splitting.begin(&contact_model, state);
    if let Some(fluid) = &model.fluid {
        scratch.fluid.begin(threads, fluid, state);
        scratch.fluid.find(threads, fluid, state);
        clock.lap(&mut times.stages[Stage::Neighbors as usize]);
    }
    if model.particle_contact.is_some() {
        scratch.contact.particle_contacts.find(threads, &contact_model, state, &scratch.contact.mass_splitting);
        clock.lap(&mut times.stages[Stage::Neighbors as usize]);
        // Particles held back by a surface are out of their body's shape; shape matching would move them through it.
        let keeps = !model.has_surface();
        let shape = |shapes: &mut ShapeMatch, rows: &mut [RowData]| {
            if keeps {
                match_shapes(threads, isa, model, shapes, rows);
            }
        };
        scratch.contact.particle_contacts.stabilize((threads, isa), &contact_model, state, shape);
        clock.lap(&mut times.stages[Stage::Stabilize as usize]);
    }
    if !model.colliders.is_empty() {
        collider_contacts::find(threads, &contact_model, state, &mut scratch.contact, &sub);
        clock.lap(&mut times.stages[Stage::Contacts as usize]);
        collider_contacts::stabilize(threads, &contact_model, state, &mut scratch.contact);
        clock.lap(&mut times.stages[Stage::Stabilize as usize]);
        scratch.fluid.find_boundaries(threads, &fluid_model, state, &scratch.contact.moving_colliders, &sub);
        clock.lap(&mut times.stages[Stage::Contacts as usize]);
    }

    if let Some(shapes) = &mut state.shapes {
        shapes.begin(h, settings.iterations);
    }
    let scales = scales(model, &sub);
    patches::run_islands(threads, isa, model, state, scratch, scales);
    clock.lap(&mut times.stages[Stage::Solve as usize]);
    for iteration in 1..=settings.iterations {
        for pass in model.schedule.passes(iteration == settings.iterations) {
            run_pass(threads, isa, model, state, scratch, pass, scales);
            let time = clock.lap(&mut times.stages[Stage::Solve as usize]);
            add_group_time(model, pass, time, &mut times.groups);
        }
    }

    if state.shapes.is_some() && model.has_surface() {
        // Bodies take back their shape last, which may have led particles through a surface.
        collider_contacts::project_all(threads, model.schedule.islands, state, &mut scratch.contact);
        clock.lap(&mut times.stages[Stage::Solve as usize]);
    }
    patches::collect_seconds(threads, &mut scratch.patch_seconds, &mut times.groups);

    if let Some(shapes) = &mut state.shapes {
        shapes.flow(h);
    }
    finalize::finalize(threads, (settings, contact_model.liquids), state, &scratch.contact.contacts, &sub, &divergence);
    if model.particle_contact.is_some() {
        scratch.contact.particle_contacts.fall_back(&contact_model, state, 1.0 / h);
    }
    scratch.fluid.update_velocities(threads, isa, &fluid_model, state, &sub);
    restitution::apply(threads, &contact_model, state, &mut scratch.contact, &sub);
    state.substeps += 1;
    state.time = sub.end;
    clock.lap(&mut times.stages[Stage::Finalize as usize]);
    times.substeps += 1;
    check(&divergence, Stage::Solve, model, state)
}

/// Adds the time of a pass [s] to that of its groups. Patches measure their own.
fn add_group_time(model: &Model, pass: &Pass, time: f64, groups: &mut [f64]) {
    // Kinds that run together split the time by their constraint counts.
    let count = |id: &BatchId| model.groups[id.group].batches[id.batch].count;
    let all: usize = match pass {
        Pass::Batches(ids) => ids.iter().map(count).sum(),
        _ => model.groups.iter().map(|g| g.count).sum(),
    };
    let share = |own: usize| time * own as f64 / all as f64;
    match pass {
        Pass::Serial { group } => groups[*group] += time,
        Pass::Spread(Copies { group: Some(group), .. }) | Pass::Join(Copies { group: Some(group), .. }) => {
            groups[*group] += time;
        }
        Pass::Spread(_) | Pass::Join(_) => {
            groups.iter_mut().zip(&model.groups).for_each(|(sum, g)| *sum += share(g.count));
        }
        Pass::Batches(ids) => ids.iter().for_each(|id| groups[id.group] += share(count(id))),
        _ => {}
    }
}

/// α̃/α and the multiplier factor of this substep (E11, E12).
fn scales(model: &Model, sub: &Substep) -> Scales<f32> {
    let second = model.settings.integrator == Integrator::Bdf2 && sub.index > 0;
    Scales {
        inv_h2: if second { 9.0 / (4.0 * sub.h * sub.h) } else { 1.0 / (sub.h * sub.h) },
        memory: if model.settings.method == Method::Xpbd { 1.0 } else { 0.0 },
    }
}

fn run_pass(
    threads: &Threads,
    isa: Isa,
    model: &Model,
    state: &mut State,
    scratch: &mut Scratch,
    pass: &Pass,
    scales: Scales<f32>,
) {
    match pass {
        Pass::Batches(ids) => {
            for id in ids {
                let g = &model.groups[id.group];
                let lambda = &mut state.multipliers[id.group];
                gauss_seidel::run_batch(threads, isa, scales, g, g.batches[id.batch], &mut state.rows, lambda);
            }
        }
        Pass::Patches(range) => {
            patches::run_tiling((threads, isa), model, state, &mut scratch.patch_seconds, scales, (range, None));
        }
        Pass::Half(range, half) => {
            let tiling = (range, Some(*half));
            patches::run_tiling((threads, isa), model, state, &mut scratch.patch_seconds, scales, tiling);
        }
        Pass::Spread(copies) => {
            phantoms::spread_all(threads, &model.phantoms.ties[copies.ties.clone()], &mut state.rows);
        }
        Pass::Join(copies) => {
            phantoms::join_all(threads, &model.phantoms.ties[copies.ties.clone()], &mut state.rows);
        }
        Pass::Serial { group } => {
            let lambda = &mut state.multipliers[*group];
            gauss_seidel::run_serial(scales, &model.groups[*group], &mut state.rows, lambda);
        }
        Pass::JacobiScatter => jacobi::scatter(threads, isa, model, state, scratch, scales),
        Pass::JacobiGather => jacobi::gather(threads, model, state, scratch, scales),
        Pass::Inflate => inflate::inflate(threads, model, state, scratch, &scales),
        Pass::ColliderContacts => {
            collider_contacts::project_all(threads, model.schedule.islands, state, &mut scratch.contact)
        }
        Pass::ParticleContacts => {
            let ContactScratch { particle_contacts, mass_splitting, contacts, .. } = &mut scratch.contact;
            let between = particle_contacts.count_contacts(threads, state);
            mass_splitting.count(between, &state.rows, contacts, model.settings.iterations);
            particle_contacts.project_all((threads, isa), &model.contact(), state, mass_splitting);
        }
        Pass::FluidDensity => scratch.fluid.project(threads, isa, &model.fluid_model(), state),
        Pass::ShapeMatching => {
            if let Some(shapes) = &mut state.shapes {
                match_shapes(threads, isa, model, shapes, &mut state.rows);
            }
        }
    }
}

/// Shape matching of bodies.
fn match_shapes(threads: &Threads, isa: Isa, model: &Model, shapes: &mut ShapeMatch, rows: &mut [RowData]) {
    let grain = if threads.count() > 1 { SHAPE_GRAIN } else { usize::MAX };
    let pass = rigid::MatchSettings { extraction: model.settings.extraction, weights: None, grain, isa, forced: true };
    rigid::match_shapes(shapes, rows, &pass);
}

fn check(divergence: &DivergenceFlag, stage: Stage, model: &Model, state: &State) -> Result<(), Diverged> {
    let Some(particle) = divergence.first() else { return Ok(()) };
    let [x, y, z, _] = state.rows[particle];
    Err(model.diverged(stage, particle, [x, y, z], state.time))
}

/// Stopwatch with laps.
struct Clock(Instant);

impl Clock {
    fn start() -> Self {
        Self(Instant::now())
    }
    /// Adds the time since the last lap [s] and returns it.
    fn lap(&mut self, sum: &mut f64) -> f64 {
        let now = Instant::now();
        let seconds = now.duration_since(self.0).as_secs_f64();
        self.0 = now;
        *sum += seconds;
        seconds
    }
}
