//! A substep as a list of dispatches, made once from the model's schedule.

pub mod iterations;

use crate::constraints::group::BLOCK;
use crate::model::Model;
use crate::scene::Integrator;
use crate::schedule::Stage;
use crate::schedule::passes::{Halves, Pass};
use crate::solver::gpu::model_packing::{NONE, Tables};
use crate::solver::gpu::pass_uniforms::{
    FinalizeUniforms, PatchUniforms, PredictUniforms, SolverPassUniforms, Uniform,
};
use crate::solver::gpu::patches::TURNS;
use crate::solver::gpu::shader_constants::{self, JOINS, PARTICLE_BITS, PLAIN, SEAMS, SEAMS_TOGETHER, TOUCHES};
use crate::solver::gpu::shaders::{self, BindGroupKind, Source, Traits};
use crate::state::State;
use bytemuck::Pod;
use std::ops::Range;

/// Threads of a workgroup in passes over rows or constraints.
pub const SIZE: usize = shader_constants::SIZE as usize;

/// Particles that a pass of several substeps can tell apart.
pub(crate) const MOST_TOLD: usize = 1 << PARTICLE_BITS;

/// Substeps that one dispatch may do.
pub(crate) const SEVERAL: [u32; 6] = [64, 32, 16, 8, 4, 2];

/// One thing that is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// A dispatch.
    Run(Dispatch),
    /// Lists of neighbors are made.
    Find,
    /// Those of liquids are.
    FindFlow,
}

/// One dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dispatch {
    /// Number of the pipeline.
    pub pipeline: usize,
    /// Number of its uniform record.
    pub uniforms: usize,
    /// Workgroups.
    pub groups: usize,
    /// Which buffers it sees.
    pub bindings: BindGroupKind,
}

/// The list.
#[derive(Default)]
pub struct Program {
    /// Shaders, by number.
    pub pipelines: Vec<Source>,
    /// What dispatches are told, by number.
    pub uniforms: Vec<Uniform>,
    /// Who is near whom, found with where particles will be, before anything changes.
    pub neighbors: Vec<Command>,
    /// Before the iterations.
    pub predict: Vec<Command>,
    /// What particles that were inside each other do about it.
    pub stabilize: Vec<Command>,
    /// Islands, and pieces that exchange their seams: all of their iterations; where that is all there is, the whole
    /// substep.
    pub islands: Vec<Command>,
    /// Where one dispatch does the whole substep: those that do several, the most first.
    pub several: Vec<(u64, Dispatch)>,
    /// The first iteration, then odd and even ones in turn; with rigid bodies every one of them.
    pub iterations: Vec<Vec<Command>>,
    /// The last one, where it differs.
    pub(crate) last: Option<Vec<Command>>,
    /// After them.
    pub finalize: Vec<Command>,
    /// How often the iterations run.
    pub count: u32,
}

impl Program {
    /// From a model whose tables are written. `together`: the pieces of a mosaic run all iterations in one pass and
    /// exchange their seams. `software`: the device is a program.
    pub fn new(model: &Model, state: &State, tables: &Tables, together: bool, software: bool) -> Self {
        let program = Self::default();
        let mut maker = ProgramBuilder { model, state, tables, together, software, whole: false, program };
        maker.whole = maker.is_whole();
        maker.neighbors();
        maker.predict();
        maker.stabilize();
        maker.islands();
        let numbers = if tables.mass_splitting == NONE { 3 } else { model.settings.iterations.max(1) };
        for k in 0..numbers {
            let list = maker.list(k, false);
            maker.program.iterations.push(list);
        }
        if model.schedule.halves() == Halves::Last && !together && model.settings.iterations > 0 {
            maker.program.last = Some(maker.list(model.settings.iterations - 1, true));
        }
        maker.program.count = if maker.program.iterations[0].is_empty() { 0 } else { model.settings.iterations };
        maker.finalize();
        maker.program
    }

    /// The dispatches of iteration `k`.
    pub fn iteration(&self, k: u32) -> &[Command] {
        match &self.last {
            Some(last) if k + 1 == self.count => last,
            _ => self.iterations.get(k as usize).unwrap_or_else(|| &self.iterations[variant(k)]),
        }
    }

    /// Dispatches of a whole substep, of which finding neighbors takes `find`, and those of liquids `flow`.
    pub fn passes(&self, find: usize, flow: usize) -> usize {
        let one = |command: &Command| match command {
            Command::Run(_) => 1,
            Command::Find => find,
            Command::FindFlow => flow,
        };
        let count = |list: &[Command]| -> usize { list.iter().map(one).sum() };
        let around = [&self.neighbors, &self.predict, &self.stabilize, &self.islands, &self.finalize];
        around.into_iter().map(|list| count(list)).sum::<usize>()
            + (0..self.count).map(|k| count(self.iteration(k))).sum::<usize>()
    }

    /// What a stage does; contacts are part of predict, or of stabilize where particles touch each other.
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
    pub(crate) together: bool,
    /// Whether the device is a program.
    pub(crate) software: bool,
    /// Whether one pass over patches does all of a substep.
    pub(crate) whole: bool,
    pub(crate) program: Program,
}

impl ProgramBuilder<'_> {
    pub(crate) fn pipeline(&mut self, source: Source) -> usize {
        let source = source.with(Traits::of(self.model, self.tables));
        let known = self.program.pipelines.iter().position(|p| *p == source);
        known.unwrap_or_else(|| {
            self.program.pipelines.push(source);
            self.program.pipelines.len() - 1
        })
    }

    pub(crate) fn dispatch<T: Pod>(&mut self, source: Source, args: &T, groups: usize) -> Dispatch {
        let pipeline = self.pipeline(source);
        let record = Uniform::of(args);
        let uniforms = self.program.uniforms.iter().position(|u| *u == record).unwrap_or_else(|| {
            self.program.uniforms.push(record);
            self.program.uniforms.len() - 1
        });
        let bindings = self.program.pipelines[pipeline].bindings();
        Dispatch { pipeline, uniforms, groups, bindings }
    }

    pub(crate) fn run<T: Pod>(&mut self, source: Source, args: &T, groups: usize) -> Command {
        Command::Run(self.dispatch(source, args, groups))
    }

    /// Whether every row is in a patch, all patches run in one pass, and nobody else has a say in between.
    pub(crate) fn is_whole(&self) -> bool {
        let (schedule, settings, patches) = (&self.model.schedule, &self.model.settings, &self.tables.patches);
        let alone = match schedule.tilings().next() {
            // Who shares a particle reads what it was before: history would be gone by then.
            Some(_) => self.together && schedule.islands == 0 && settings.integrator == Integrator::Bdf1,
            None => schedule.iteration.is_empty() && settings.iterations <= patches.iterations(&(0..schedule.islands)),
        };
        let local = patches.memories.iter().all(|(_, memory)| memory.rows.is_some());
        alone
            && local
            && !self.model.has_tables()
            && patches.complete
            && self.tables.pinned == 0
            && self.state.particles < MOST_TOLD
            && settings.iterations > 0
    }

    pub(crate) fn solid(&self) -> usize {
        self.state.velocities.len()
    }

    /// Forces of the air, if there are any.
    pub(crate) fn wind(&mut self) -> Option<Command> {
        let aero_surfaces = self.model.aero_surfaces.particles.len();
        let (aero_particles, aero_triangles, aero_incidence, aero_coefficients) = self.tables.aero_surfaces;
        let args = SolverPassUniforms {
            count: aero_surfaces as u32,
            aero_particles,
            aero_triangles,
            aero_incidence,
            aero_coefficients,
            ..SolverPassUniforms::default()
        };
        (aero_surfaces > 0).then(|| self.run(shaders::passes("wind"), &args, aero_surfaces.div_ceil(SIZE)))
    }

    /// Pins that follow a motion, if there are any.
    pub(crate) fn pins(&mut self, entry: &'static str, mass_scaling: f32) -> Option<Command> {
        let t = self.tables;
        let (pin_rows, pin_places) = t.pins;
        let args =
            PredictUniforms { mass_scaling, pin_count: t.pinned, pin_rows, pin_places, ..PredictUniforms::default() };
        (t.pinned > 0).then(|| self.run(shaders::predict(entry), &args, (t.pinned as usize).div_ceil(SIZE)))
    }

    pub(crate) fn predict(&mut self) {
        let particle_contact = self.model.particle_contact;
        let mut list = Vec::new();
        if particle_contact.is_none() && self.model.fluid.is_none() {
            list.extend(self.wind());
        }
        list.extend(self.remember());
        if !self.whole {
            let args = PredictUniforms {
                mass_scaling: particle_contact.map_or(0.0, |m| m.stacking),
                carry: self.carry(),
                ..self.packing(self.model.settings.stabilization > 0)
            };
            list.push(self.run(shaders::predict("predict"), &args, self.solid().div_ceil(SIZE)));
            list.extend(self.pins("pins", 0.0));
        }
        self.program.predict = list;
    }

    pub(crate) fn islands(&mut self) {
        let mut passes = Vec::new();
        let islands = self.model.schedule.islands;
        // Colliders with tables are touched between iterations.
        let apart = self.model.has_tables();
        let all = self.model.settings.iterations;
        if islands > 0 {
            let most = if apart { 1 } else { self.tables.patches.iterations(&(0..islands)) };
            for first in (0..all).step_by(most as usize) {
                let fresh = u32::from(first == 0);
                passes.push((0..islands, self.patch_args(&(0..islands), PLAIN, most.min(all - first), false, fresh)));
            }
        }
        let alone = passes.len();
        if let Some(range) = self.model.schedule.tilings().next().filter(|_| self.together) {
            let args = self.patch_args(&range, SEAMS_TOGETHER, all, false, 1);
            passes.push((range, args));
        }
        for (k, (range, args)) in passes.iter().enumerate() {
            let d = self.patches(range, args);
            self.program.islands.push(Command::Run(d));
            if apart && k < alone {
                let touch = self.touch(true);
                self.program.islands.push(touch);
            }
        }
        if let ([(range, args)], 1) = (&passes[..], self.program.islands.len()) {
            self.several(range, args);
        }
    }

    /// Where nobody has a say between substeps either, a dispatch may do several: what a workgroup keeps is loaded once.
    fn several(&mut self, range: &Range<usize>, args: &PatchUniforms) {
        if !self.whole || !self.program.predict.is_empty() || !self.program.neighbors.is_empty() {
            return;
        }
        // A software driver ends long loops; a card takes milliseconds for as many.
        let longest = self.tables.patches.iterations(&(0..self.model.schedule.patches.len()));
        let longest = if self.software { longest } else { 4 * longest };
        for substeps in SEVERAL.into_iter().filter(|n| n * self.model.settings.iterations <= longest) {
            let d = self.patches(range, &PatchUniforms { substeps, ..*args });
            self.program.several.push((u64::from(substeps), d));
        }
    }

    pub(crate) fn finalize(&mut self) {
        if !self.whole {
            self.finish();
        }
        let settle = self.settle();
        self.program.finalize.extend(settle);
        let bounces = self.restitution_passes();
        self.program.finalize.extend(bounces);
    }

    pub(crate) fn finish(&mut self) {
        let (solid, copies) = (self.solid() as u32, self.model.phantoms.owners.len() as u32);
        let touches = self.model.schedule.iteration.last() == Some(&Pass::ColliderContacts);
        let fused = self.tables.fused && self.program.count > 0;
        let mut mode = if self.tables.fused { SEAMS } else { 0 };
        if fused {
            mode |= JOINS | if touches { TOUCHES } else { 0 };
        }
        // Odd passes write the second set of copies.
        let last_odd = self.turns(self.program.count).is_multiple_of(2);
        let args = FinalizeUniforms { mode, copies: if last_odd { solid + copies } else { solid } };
        if self.state.shapes.is_some() && self.model.has_surface() {
            // Bodies take back their shape last, which may have led particles through a surface.
            let touch = self.touch(false);
            self.program.finalize.push(touch);
        }
        let shapes = &self.tables.shapes;
        if shapes.plastic {
            let (args, bodies) = (&shapes.uniforms, shapes.uniforms.body_count as usize);
            let flow = self.run(shaders::shapes("shape_flow"), args, bodies.div_ceil(SIZE));
            self.program.finalize.push(flow);
        }
        let command = self.run(shaders::finalize(), &args, self.solid().div_ceil(SIZE));
        self.program.finalize.push(command);
    }
}

const _: () = assert!(SIZE.is_multiple_of(BLOCK) && TURNS.is_multiple_of(BLOCK));
