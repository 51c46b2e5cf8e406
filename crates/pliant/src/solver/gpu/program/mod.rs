//! A substep as a list of dispatches, made once from the model's schedule.

pub mod iterations;

use crate::constraints::group::BLOCK;
use crate::contact::gpu::constants::TOUCHES;
use crate::contact::gpu::passes::ContactPasses;
use crate::fluid::gpu::passes::FluidPasses;
use crate::integration::gpu::{COLLIDERS, FinalizeUniforms, JOINS, PARTED, PredictPasses, SEAMS, finalize};
use crate::model::Model;
use crate::runtime::gpu::program::{Command, Dispatch, ProgramWriter, SIZE, ShaderSource, Uniform};
use crate::scene::Integrator;
use crate::schedule::Stage;
use crate::schedule::passes::{Halves, Pass};
use crate::shape_matching::gpu::passes::{match_shapes, plastic_flow, turn_surface_fields};
use crate::solver::gpu::model_packing::Tables;
use crate::solver::gpu::pass_uniforms::PatchUniforms;
use crate::solver::gpu::patches::TURNS;
use crate::solver::gpu::reactions::Pressure;
use crate::solver::gpu::shader_constants::{PARTICLE_BITS, PLAIN, SEAMS_TOGETHER};
use crate::state::State;
use std::ops::Range;

/// Maximum particles of a pass that does several substeps: it reports a divergence as substep and particle in one word.
pub(crate) const MAX_FUSED_PARTICLES: usize = 1 << PARTICLE_BITS;

/// Numbers of substeps that one dispatch may do.
pub(crate) const SUBSTEPS_PER_DISPATCH: [u32; 6] = [64, 32, 16, 8, 4, 2];

/// Neighbor searches, by the number of their command.
pub const FLUID_SEARCH: usize = 0;
/// The search for contacts between particles.
pub const CONTACT_SEARCH: usize = 1;
/// Number of searches.
pub const SEARCHES: usize = 2;

/// The dispatches of a substep by stage.
#[derive(Default)]
pub struct Program {
    /// Shaders, by the index of their pipeline.
    pub shaders: Vec<ShaderSource>,
    /// Uniform records of dispatches, by index.
    pub uniforms: Vec<Uniform>,
    /// Neighbor search at predicted positions.
    pub neighbors: Vec<Command>,
    /// Prediction, with collider contacts unless particles touch each other.
    pub predict: Vec<Command>,
    /// Pre-stabilization: separates particles that overlap at the start of the substep.
    pub stabilize: Vec<Command>,
    /// In the very first substep only, before the iterations: pressures of liquids that velocities determine.
    pub first: Vec<Command>,
    /// Patches that run all iterations in one dispatch: islands, and co-resident patches that exchange their seams. The
    /// whole substep, if there is nothing else.
    pub islands: Vec<Command>,
    /// Dispatches that do several whole substeps, with their number; the most first.
    pub multi_substep: Vec<(u64, Dispatch)>,
    /// First iteration, odd and even iterations; every iteration if there are rigid bodies, or liquids whose positions few
    /// of them correct.
    pub iterations: Vec<Vec<Command>>,
    /// Last iteration, if it differs.
    pub(crate) last: Option<Vec<Command>>,
    /// After the iterations.
    pub finalize: Vec<Command>,
    /// Number of iterations.
    pub count: u32,
}

impl Program {
    /// For a model whose tables are written. `coresident`: patches of a tiling run all iterations in one dispatch and
    /// exchange their seams. `software`: the device is a software driver.
    pub fn new(model: &Model, state: &State, tables: &Tables, coresident: bool, software: bool) -> Self {
        let contact = ContactPasses::new(model.contact(), &tables.contact, state.particles);
        let fluid = FluidPasses {
            model: model.fluid_model(),
            tables: &tables.fluid,
            particles: state.particles,
            contact: contact.features,
            reactions: tables.reactions.sums(),
        };
        let predict = PredictPasses {
            tables: &tables.integration,
            contact: contact.features,
            particles: state.particles,
            rows: state.velocities.len(),
            packed: tables.contact.particles.map_or(0, |p| p.packed[0]),
            mass_scaling: model.particle_contact.map_or(0.0, |m| m.stacking),
            carry: fluid.carry(),
        };
        let mut builder = ProgramBuilder {
            model,
            state,
            tables,
            coresident,
            software,
            whole: false,
            contact,
            fluid,
            predict,
            program: Self::default(),
            out: ProgramWriter::default(),
        };
        builder.whole = builder.is_whole();
        builder.program.neighbors = builder.neighbors();
        builder.program.predict = builder.predict();
        builder.program.stabilize = builder.stabilize();
        if builder.fluid.projects() && builder.has(&Pass::FluidBoundary) {
            builder.program.first = builder.fluid.first_pressures(&mut builder.out);
        }
        builder.islands();
        let apart = tables.contact.mass_splitting.is_some() || !model.bodies.is_empty() && model.elastic().pushed;
        let numbers = if apart || builder.fluid.projects() { model.settings.iterations.max(1) } else { 3 };
        for k in 0..numbers {
            let list = builder.list(k, false);
            builder.program.iterations.push(list);
        }
        if model.schedule.halves() == Halves::Last && !coresident && model.settings.iterations > 0 {
            builder.program.last = Some(builder.list(model.settings.iterations - 1, true));
        }
        builder.program.count = if builder.program.iterations[0].is_empty() { 0 } else { model.settings.iterations };
        builder.program.finalize = builder.finalize();
        let ProgramWriter { shaders, uniforms } = builder.out;
        Self { shaders, uniforms, ..builder.program }
    }

    /// The dispatches of iteration `k`.
    pub fn iteration(&self, k: u32) -> &[Command] {
        match &self.last {
            Some(last) if k + 1 == self.count => last,
            _ => self.iterations.get(k as usize).unwrap_or_else(|| &self.iterations[variant(k)]),
        }
    }

    /// Dispatches of a whole substep; `searches` are those of each neighbor search.
    pub fn passes(&self, searches: [usize; SEARCHES]) -> usize {
        let one = |command: &Command| match command {
            Command::Run(_) => 1,
            Command::Search(number) => searches[*number],
        };
        let count = |list: &[Command]| -> usize { list.iter().map(one).sum() };
        let around = [&self.neighbors, &self.predict, &self.stabilize, &self.islands, &self.finalize];
        around.into_iter().map(|list| count(list)).sum::<usize>()
            + (0..self.count).map(|k| count(self.iteration(k))).sum::<usize>()
    }

    /// Commands of a stage; contacts are part of predict, or of stabilize where particles touch each other.
    pub fn stage(&self, stage: Stage) -> Vec<Command> {
        match stage {
            Stage::Predict => self.predict.clone(),
            Stage::Neighbors => self.neighbors.clone(),
            Stage::Contacts => Vec::new(),
            Stage::Stabilize => self.stabilize.clone(),
            Stage::Solve => {
                let all = (0..self.count).flat_map(|k| self.iteration(k).iter().copied());
                self.islands.iter().copied().chain(all).collect()
            }
            Stage::Finalize => self.finalize.clone(),
        }
    }
}

/// 0 is the first iteration, 1 the second, fourth, …, 2 the third, fifth, ….
pub(crate) fn variant(k: u32) -> usize {
    if k == 0 { 0 } else { (2 - k % 2) as usize }
}

pub(crate) struct ProgramBuilder<'a> {
    pub(crate) model: &'a Model,
    pub(crate) state: &'a State,
    pub(crate) tables: &'a Tables,
    pub(crate) coresident: bool,
    /// Whether the device is a software driver.
    pub(crate) software: bool,
    /// Whether one pass over patches does all of a substep.
    pub(crate) whole: bool,
    pub(crate) contact: ContactPasses<'a>,
    pub(crate) fluid: FluidPasses<'a>,
    pub(crate) predict: PredictPasses<'a>,
    pub(crate) program: Program,
    pub(crate) out: ProgramWriter,
}

impl ProgramBuilder<'_> {
    /// Whether one dispatch can do the substep: every row is in a patch, all patches run in one pass, and no other pass
    /// lies between.
    pub(crate) fn is_whole(&self) -> bool {
        let (schedule, settings, patches) = (&self.model.schedule, &self.model.settings, &self.tables.patches);
        let alone = match schedule.tilings().next() {
            // Patches that share a particle read its previous position, which BDF2's history would have replaced.
            Some(_) => self.coresident && schedule.islands == 0 && settings.integrator == Integrator::Bdf1,
            None => schedule.iteration.is_empty() && settings.iterations <= patches.iterations(&(0..schedule.islands)),
        };
        let local = patches.memories.iter().all(|(_, memory)| memory.rows.is_some());
        alone
            && local
            && !self.model.has_tables()
            && self.tables.grips.room == 0
            && !self.tables.sleep.acts()
            && patches.complete
            && self.tables.integration.pin_count == 0
            && self.state.particles < MAX_FUSED_PARTICLES
            && settings.iterations > 0
    }

    pub(crate) fn solid(&self) -> usize {
        self.state.velocities.len()
    }

    /// Whether particles have neighbor lists.
    fn has_neighbors(&self) -> bool {
        self.has(&Pass::ContactNeighbors) || self.has(&Pass::FluidNeighbors)
    }

    /// Neighbor search at predicted positions.
    fn neighbors(&mut self) -> Vec<Command> {
        let mut list = Vec::new();
        if !self.has_neighbors() {
            return list;
        }
        let [fluid, contact] = [Pass::FluidNeighbors, Pass::ContactNeighbors].map(|pass| self.has(&pass));
        let (tables, out) = (self.tables, &mut self.out);
        list.extend(tables.aero.forces(out));
        list.push(self.predict.predict_positions(out));
        list.extend(self.predict.predict_pins(out));
        list.extend(self.contact.mark_surface_bodies(out));
        if let Some(fields) = tables.contact.particles.and_then(|p| p.fields) {
            list.push(turn_surface_fields(&tables.shapes, fields.at_rest, out));
        }
        if fluid {
            list.push(Command::Search(FLUID_SEARCH));
            list.extend(self.fluid.filter(out));
        }
        if contact {
            list.push(Command::Search(CONTACT_SEARCH));
        }
        list.extend(self.contact.filter(out));
        list
    }

    fn predict(&mut self) -> Vec<Command> {
        let mut list = Vec::new();
        if !self.has_neighbors() {
            list.extend(self.tables.aero.forces(&mut self.out));
        }
        list.extend(self.contact.save_velocities(&mut self.out));
        list.extend(self.tables.momentum.save(&mut self.out));
        list.extend(self.tables.sleep.save(&mut self.out));
        if !self.whole {
            list.push(self.predict.predict(self.model.settings.stabilization > 0, &mut self.out));
            list.extend(self.predict.pins(&mut self.out));
        }
        list
    }

    /// Separates overlapping particles, then tests colliders. Leaves packed particles for the first iteration.
    fn stabilize(&mut self) -> Vec<Command> {
        let mut list = Vec::new();
        if !self.has(&Pass::SeparateParticles) {
            // Then the separation from colliders is part of predict.
            return list;
        }
        let turns = self.model.settings.stabilization;
        let colliders = if self.has(&Pass::SeparateColliders) { COLLIDERS } else { 0 };
        for turn in 0..turns {
            list.extend(self.contact.stabilize(turn == 0, &mut self.out));
            // Bodies separate as a whole, except near surfaces: particles held back by a surface are out of their body's
            // shape, and shape matching would move them through it.
            if self.state.shapes.is_some() {
                list.extend(self.shapes(1, true));
            }
            let last = turn + 1 == turns;
            let flags = PARTED | if last { colliders } else { 0 };
            list.push(self.predict.finish_stabilization(flags, !last, &mut self.out));
        }
        if turns == 0 && colliders != 0 {
            list.push(self.predict.finish_stabilization(colliders, false, &mut self.out));
        }
        list
    }

    /// Shape matching.
    pub(crate) fn shapes(&mut self, fresh: u32, parted: bool) -> Vec<Command> {
        match_shapes(&self.tables.shapes, self.state.particles, fresh, parted, &mut self.out)
    }

    pub(crate) fn islands(&mut self) {
        let mut passes = Vec::new();
        let islands = self.model.schedule.islands;
        // Contacts with colliders that have tables are projected between iterations.
        let apart = self.model.has_tables();
        let gripped = self.tables.grips.room > 0;
        let all = self.model.settings.iterations;
        if islands > 0 {
            let most = if apart || gripped { 1 } else { self.tables.patches.iterations(&(0..islands)) };
            for first in (0..all).step_by(most as usize) {
                let fresh = u32::from(first == 0);
                passes.push((0..islands, self.patch_args(&(0..islands), PLAIN, most.min(all - first), false, fresh)));
            }
        }
        let alone = passes.len();
        if let Some(range) = self.model.schedule.tilings().next().filter(|_| self.coresident) {
            let args = self.patch_args(&range, SEAMS_TOGETHER, all, false, 1);
            passes.push((range, args));
        }
        for (k, (range, args)) in passes.iter().enumerate() {
            let d = self.patches(range, args);
            self.program.islands.push(Command::Run(d));
            if apart && k < alone {
                let touch = self.contact.colliders(true, &mut self.out);
                self.program.islands.push(touch);
            }
            if k < alone {
                self.program.islands.extend(self.tables.grips.project(u32::from(k == 0), &mut self.out));
            }
        }
        if !self.model.bodies.is_empty() && !self.model.elastic().pushed {
            let elastic = self.tables.elastic.solve(self.contact.features, &mut self.out);
            self.program.islands.extend(elastic);
        }
        if let ([(range, args)], 1) = (&passes[..], self.program.islands.len()) {
            self.multi_substep(range, args);
        }
    }

    /// Dispatches that do several substeps, if nothing happens between substeps either: workgroup memory is loaded once.
    fn multi_substep(&mut self, range: &Range<usize>, args: &PatchUniforms) {
        if !self.whole || !self.program.predict.is_empty() || !self.program.neighbors.is_empty() {
            return;
        }
        // Software drivers abort long loops; a GPU takes milliseconds for as many iterations.
        let longest = self.tables.patches.iterations(&(0..self.model.schedule.patches.len()));
        let longest = if self.software { longest } else { 4 * longest };
        for substeps in SUBSTEPS_PER_DISPATCH.into_iter().filter(|n| n * self.model.settings.iterations <= longest) {
            let d = self.patches(range, &PatchUniforms { substeps, ..*args });
            self.program.multi_substep.push((u64::from(substeps), d));
        }
    }

    /// The passes after the iterations. A pass over patches that does all of a substep has done most of them.
    fn finalize(&mut self) -> Vec<Command> {
        let (mut list, whole) = (Vec::new(), self.whole);
        for (pass, _) in &self.model.schedule.after {
            match pass {
                Pass::SurfaceContacts | Pass::Plasticity | Pass::Finalize if whole => {}
                Pass::SurfaceContacts => list.push(self.contact.surfaces(&mut self.out)),
                Pass::Plasticity => list.extend(plastic_flow(&self.tables.shapes, &mut self.out)),
                Pass::Finalize => {
                    let args = self.finalize_args();
                    list.push(self.out.run_each(finalize(&self.contact.features), &args, self.solid()));
                }
                Pass::BodyReactions => list.extend(self.reactions()),
                // Part of finalize.
                Pass::ContactOrder => {}
                Pass::RestoreMomentum => list.extend(self.tables.momentum.restore(&mut self.out)),
                Pass::SurfaceTension => list.extend(self.fluid.surface_tension(&mut self.out)),
                Pass::Viscosity => list.extend(self.fluid.viscosity(&mut self.out)),
                Pass::Vorticity => list.extend(self.fluid.vorticity(&mut self.out)),
                Pass::Projection => list.extend(self.fluid.project_velocities(&mut self.out)),
                Pass::Restitution => list.extend(self.contact.restitution(&mut self.out)),
                other => unreachable!("{other:?} does not run after the iterations"),
            }
        }
        let (features, lists) = (self.contact.features, self.has(&Pass::ContactNeighbors));
        list.extend(self.tables.sleep.keep(&features, lists, self.state.particles, &mut self.out));
        list
    }

    /// Passes that sum impulses of particles on rigid bodies.
    fn reactions(&mut self) -> Option<Command> {
        let pressure = match &self.model.fluid {
            Some(fluid) if fluid.projects => Pressure::Projection,
            Some(fluid) => Pressure::Density(self.tables.fluid.constants(fluid, self.model.settings.substep())),
            None => Pressure::None,
        };
        self.tables.reactions.sum(&self.contact.features, pressure, &mut self.out)
    }

    /// How finalize treats copies on seams.
    fn finalize_args(&self) -> FinalizeUniforms {
        let (solid, copies) = (self.solid() as u32, self.model.phantoms.owners.len() as u32);
        let touches = self.model.schedule.iteration.last() == Some(&Pass::ColliderContacts);
        let fused = self.tables.fused && self.program.count > 0;
        let mut mode = if self.tables.fused { SEAMS } else { 0 };
        if fused {
            mode |= JOINS | if touches { TOUCHES } else { 0 };
        }
        // Odd passes write the second set of copies.
        let last_odd = self.turns(self.program.count).is_multiple_of(2);
        FinalizeUniforms { mode, copies: if last_odd { solid + copies } else { solid } }
    }

    /// Whether a pass runs before the iterations.
    fn has(&self, pass: &Pass) -> bool {
        self.model.schedule.before.iter().any(|(scheduled, _)| scheduled == pass)
    }
}

const _: () = assert!(SIZE.is_multiple_of(BLOCK) && TURNS.is_multiple_of(BLOCK));
