//! A substep on the CPU: runs the passes of the schedule in order and times their stages.

use crate::aero::cpu::wind_forces;
use crate::constraints::Scales;
use crate::constraints::cpu::inflate;
use crate::contact;
use crate::error::Diverged;
use crate::integration;
use crate::methods::vbd::ElasticModel;
use crate::methods::{SolveData, scales};
use crate::model::Model;
use crate::runtime::cpu::{Isa, Threads};
use crate::schedule::Stage;
use crate::schedule::passes::{BatchId, Copies, Pass};
use crate::schedule::stats::Times;
use crate::schedule::substep::{CpuContext, DivergenceFlag, Substep};
use crate::shape_matching;
use crate::shape_matching::cpu::RigidSettings;
use crate::solver::cpu::Scratch;
use crate::state::State;
use crate::surface_contact;
use glam::DVec3;
use std::time::Instant;

/// One substep, pass by pass.
pub(crate) fn run(
    threads: &Threads,
    isa: Isa,
    model: &Model,
    state: &mut State,
    scratch: &mut Scratch,
    times: &mut Times,
) -> Result<(), Diverged> {
    let settings = &model.settings;
    let h = settings.dt / settings.substeps as f32;
    let substep = Substep {
        index: state.substeps,
        h,
        keep: libm::expf(-settings.damping * h),
        start: state.time,
        end: settings.time_after(state.substeps + 1),
    };
    let divergence = DivergenceFlag::new();
    let cx = CpuContext { threads, isa, substep: &substep, divergence: &divergence };
    let scales = scales(settings, &substep);
    scratch.grips.clear();
    scratch.grips.resize(model.grips.len(), DVec3::ZERO);
    let sleepers = model.sleep_groups.as_ref().filter(|groups| scratch.sleep.save(Some(groups), state));
    let mut clock = Clock::start();

    for (pass, stage) in &model.schedule.before {
        run_pass(pass, &cx, model, state, scratch, scales);
        clock.lap(&mut times.stages[*stage as usize]);
        if *pass == Pass::Predict {
            check(&divergence, Stage::Predict, model, state)?;
        }
    }
    scratch.elastic.begin_substep();
    // Contacts without a pair do nothing: objects that are far from each other cost no more than alone.
    let idle = |pass: &Pass| *pass == Pass::ParticleContacts && !scratch.contact.particle_contacts.has_pairs();
    let elastic_alone = |passes: &[Pass]| {
        passes.contains(&Pass::Elastic) && passes.iter().all(|pass| *pass == Pass::Elastic || idle(pass))
    };
    let only_elastic = [false, true].iter().all(|&last| elastic_alone(model.schedule.passes(last)));
    let most = if only_elastic { elastic_model(model, scratch).iterations() } else { u32::MAX };
    let iterations = settings.iterations.min(most);
    for iteration in 1..=iterations {
        for pass in model.schedule.passes(iteration == iterations) {
            run_pass(pass, &cx, model, state, scratch, scales);
            let time = clock.lap(&mut times.stages[Stage::Solve as usize]);
            add_group_time(model, pass, time, &mut times.groups);
        }
        for (grip, multiplier) in model.grips.iter().zip(&mut scratch.grips) {
            grip.project(&mut state.rows, multiplier, h);
        }
        scratch.rigid_bodies.project_anchors(model, state, h);
    }
    scratch.method.iter_mut().for_each(|method| method.collect_times(&cx, &mut times.groups));
    for (pass, stage) in &model.schedule.after {
        run_pass(pass, &cx, model, state, scratch, scales);
        clock.lap(&mut times.stages[*stage as usize]);
    }
    if let Some(groups) = sleepers {
        scratch.sleep.keep(threads, groups, state, &scratch.contact);
    }
    state.substeps += 1;
    state.time = substep.end;
    times.substeps += 1;
    check(&divergence, Stage::Solve, model, state)
}

/// What descent reads in this substep: contacts that have found no pair push nothing.
fn elastic_model<'a>(model: &'a Model, scratch: &Scratch) -> ElasticModel<'a> {
    let touching = model.particle_contact.is_some() && scratch.contact.particle_contacts.has_pairs();
    ElasticModel { pushed: touching || !model.grips.is_empty(), ..model.elastic() }
}

/// Hands a pass to its phenomenon, or to the solution method.
fn run_pass(
    pass: &Pass,
    cx: &CpuContext<'_>,
    model: &Model,
    state: &mut State,
    scratch: &mut Scratch,
    scales: Scales<f32>,
) {
    match pass {
        Pass::AeroForces => {
            let surfaces = (&model.aero_surfaces, model.settings.wind);
            wind_forces(cx.threads, surfaces, state, &mut scratch.aero, cx.substep);
        }
        Pass::SaveMomentum => scratch.momentum.save(cx, &model.momentum(), state, &scratch.aero.forces),
        Pass::RestoreMomentum => {
            let pushed = (&scratch.contact, scratch.surfaces.touched());
            let pulls = (&scratch.grips[..], scratch.rigid_bodies.anchor_pulls());
            scratch.momentum.restore(cx, &model.momentum(), state, pushed, pulls);
        }
        Pass::Predict | Pass::Finalize => {
            let inputs =
                integration::cpu::Inputs { aero_forces: &scratch.aero.forces, liquids: model.contact().liquids };
            integration::cpu::run(pass, cx, &model.integration(), state, &inputs);
        }
        Pass::BeginBodies | Pass::BeginBodySolve | Pass::ShapeMatching | Pass::Plasticity => {
            let Some(shapes) = &mut state.shapes else { return };
            let (iterations, extraction) = (model.settings.iterations, model.settings.extraction);
            let settings = RigidSettings { h: cx.substep.h, iterations, extraction };
            shape_matching::cpu::run(pass, (cx.threads, cx.isa), settings, shapes, &mut state.rows);
        }
        Pass::RigidBodies => {
            let poses = state.rigid_bodies.bodies.iter().map(contact::cpu::collider_contacts::pose_of);
            scratch.contact.body_starts.clear();
            scratch.contact.body_starts.extend(poses);
            scratch.rigid_bodies.step(cx, model, state.particles, &mut state.rigid_bodies);
            scratch.rigid_bodies.grip_multipliers(model, f64::from(cx.substep.h), &mut scratch.grips);
        }
        Pass::BodyReactions => {
            let impulses = scratch.surfaces.impulses();
            scratch.rigid_bodies.react(cx.substep.h, model, state, &scratch.contact.moving_colliders, impulses);
        }
        Pass::SaveVelocities
        | Pass::BeginMassSplitting
        | Pass::ContactNeighbors
        | Pass::SeparateParticles
        | Pass::ColliderBroadPhase
        | Pass::SeparateColliders
        | Pass::ParticleContacts
        | Pass::ColliderContacts
        | Pass::SurfaceContacts
        | Pass::ContactOrder
        | Pass::Restitution => {
            contact::cpu::run(pass, cx, &model.contact(), model.own_contacts(), state, &mut scratch.contact);
        }
        Pass::SavePositions | Pass::TrianglePairs | Pass::TriangleContacts | Pass::LimitTriangles => {
            let Some(surfaces) = &model.surfaces else { return };
            let elastic = !model.elastic().bodies.is_empty();
            let inputs = surface_contact::cpu::Inputs { surfaces, contact: &model.contact(), elastic };
            scratch.surfaces.run(pass, cx, &inputs, state, &scratch.contact);
        }
        Pass::FluidNeighbors
        | Pass::FluidBoundary
        | Pass::FluidDensity
        | Pass::SurfaceTension
        | Pass::Viscosity
        | Pass::Vorticity
        | Pass::Projection => {
            let solids = (&scratch.contact.moving_colliders[..], &scratch.rigid_bodies.expected[..]);
            scratch.fluid.run(pass, cx, &model.fluid_model(), state, solids);
        }
        Pass::Elastic => {
            let elastic = elastic_model(model, scratch);
            let features = &mut scratch.surfaces.features;
            scratch.elastic.run(cx, &elastic, state, &scratch.contact, features, scales.inv_h2);
        }
        Pass::Inflate => {
            let State { rows, inflate_multipliers, .. } = state;
            inflate(cx.threads, &model.inflatables, (rows, inflate_multipliers), &mut scratch.gradients, &scales);
        }
        Pass::Islands
        | Pass::Batches(_)
        | Pass::Patches(_)
        | Pass::Half(..)
        | Pass::Spread(_)
        | Pass::Join(_)
        | Pass::Serial { .. }
        | Pass::Method(_) => {
            let data = SolveData { state, contact: &mut scratch.contact, scales };
            if let Some(method) = &mut scratch.method {
                method.run(pass, cx, &model.constraint_model(), data);
            }
        }
    }
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
        Pass::Spread(_) | Pass::Join(_) | Pass::Method(_) | Pass::Elastic => {
            groups.iter_mut().zip(&model.groups).for_each(|(sum, g)| *sum += share(g.count));
        }
        Pass::Batches(ids) => ids.iter().for_each(|id| groups[id.group] += share(count(id))),
        _ => {}
    }
}

fn check(divergence: &DivergenceFlag, stage: Stage, model: &Model, state: &State) -> Result<(), Diverged> {
    let Some(particle) = divergence.first() else { return Ok(()) };
    if let Some(body) = particle.checked_sub(state.particles) {
        let position = state.rigid_bodies.bodies[body].position.as_vec3().to_array();
        return Err(model.diverged_body(stage, body, position, state.time));
    }
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
