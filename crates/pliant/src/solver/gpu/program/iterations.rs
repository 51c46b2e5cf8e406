//! The passes of an iteration as dispatches.

use crate::constraints::gpu::ConstraintUniforms;
use crate::constraints::group::BLOCK;
use crate::contact::gpu::passes::Iteration;
use crate::methods::{GpuSolve, method};
use crate::model::Model;
use crate::runtime::gpu::program::{Command, Dispatch, ProgramWriter, SIZE};
use crate::schedule::passes::{Half, Halves, Pass};
use crate::solver::gpu::model_packing::{Tables, has_multipliers};
use crate::solver::gpu::pass_uniforms::{CopyUniforms, PatchUniforms};
use crate::solver::gpu::patches::TURNS;
use crate::solver::gpu::program::{ProgramBuilder, variant};
use crate::solver::gpu::shader_constants::{
    FIRST_HALF, PATCH_WORDS, PLAIN, SEAMS_BETWEEN, SEAMS_FIRST, SEAMS_LATER, SECOND_HALF,
};
use crate::solver::gpu::shaders::{self, PatchShader};
use std::ops::Range;

impl ProgramBuilder<'_> {
    /// Uniforms of a pass over patches. Odd passes read the copies that even ones have written, and vice versa.
    pub(crate) fn patch_args(
        &self,
        range: &Range<usize>,
        mode: u32,
        iterations: u32,
        odd: bool,
        fresh: u32,
    ) -> PatchUniforms {
        let t = self.tables;
        let (solid, copies) = (self.solid() as u32, self.model.phantoms.owners.len() as u32);
        let (copies_in, copies_out) = if odd { (solid, solid + copies) } else { (solid + copies, solid) };
        PatchUniforms {
            directory: t.patches.directory + PATCH_WORDS * range.start as u32,
            count: range.len() as u32,
            mode,
            half: 0,
            iterations,
            copies_in,
            copies_out,
            fresh,
            substeps: 1,
            copy_motion: t.copy_motion,
        }
    }

    /// A pass over patches.
    pub(crate) fn patches(&mut self, range: &Range<usize>, args: &PatchUniforms) -> Dispatch {
        let t = self.tables;
        let source = shaders::patches(&PatchShader {
            kinds: t.patches.kinds.clone(),
            contact: self.contact.features,
            memory: t.patches.memory(range),
            multipliers: has_multipliers(self.model),
            whole: self.whole,
        });
        self.out.dispatch(source, args, range.len())
    }

    /// Passes over a tiling in `iterations` iterations; an iteration in halves is two passes.
    pub(crate) fn turns(&self, iterations: u32) -> u32 {
        match self.model.schedule.halves() {
            Halves::None => iterations,
            Halves::Last => iterations + u32::from(iterations == self.model.settings.iterations),
            Halves::All => 2 * iterations,
        }
    }

    /// Half of a tiling, in iteration `number`.
    pub(crate) fn half(&mut self, range: &Range<usize>, half: Half, number: u32) -> Command {
        let (fused, first) = (self.tables.fused, half == Half::First);
        let mode = match (fused, half, number) {
            (false, ..) => PLAIN,
            (true, Half::Second, _) => SEAMS_BETWEEN,
            (true, Half::First, 0) => SEAMS_FIRST,
            (true, Half::First, _) => SEAMS_LATER,
        };
        let odd = (self.turns(number) % 2 == 1) == first;
        // Multipliers in workgroup memory were written back after the first half.
        let kept = self.tables.patches.memory(range).lambda.is_some();
        let fresh = u32::from(number == 0 && (first || !kept));
        let half = if first { FIRST_HALF } else { SECOND_HALF };
        let args = PatchUniforms { half, ..self.patch_args(range, mode, 1, odd, fresh) };
        Command::Run(self.patches(range, &args))
    }

    /// Commands of iteration `number`, or of the last one.
    pub(crate) fn list(&mut self, number: u32, last: bool) -> Vec<Command> {
        let mut list = Vec::new();
        if self.coresident {
            return list;
        }
        let (fused, variant) = (self.tables.fused, variant(number));
        let odd = number % 2 == 1;
        let model = self.model;
        let passes = model.schedule.passes(last);
        for (k, pass) in passes.iter().enumerate() {
            let fresh = u32::from(variant == 0);
            match pass {
                Pass::Patches(range) if fused => {
                    let mode = if variant == 0 { SEAMS_FIRST } else { SEAMS_LATER };
                    let args = self.patch_args(range, mode, 1, odd, fresh);
                    list.push(Command::Run(self.patches(range, &args)));
                }
                Pass::Half(range, half) => list.push(self.half(range, *half, number)),
                // Patches join the copies of a seam particle, and project its contacts, when they load it.
                Pass::Spread(_) | Pass::Join(_) | Pass::ColliderContacts if fused => {}
                Pass::Patches(range) => {
                    let args = self.patch_args(range, PLAIN, 1, odd, fresh);
                    list.push(Command::Run(self.patches(range, &args)));
                }
                Pass::Batches(ids) => {
                    for id in ids {
                        let batch = self.model.groups[id.group].batches[id.batch];
                        let one = self.constraints(id.group, "batch", batch.first, batch.count, fresh);
                        list.push(Command::Run(one));
                    }
                }
                Pass::Serial { group } => {
                    let count = self.model.groups[*group].count;
                    for first in (0..count).step_by(TURNS) {
                        let part = TURNS.min(count - first);
                        let one = self.constraints(*group, "serial", first / BLOCK, part, fresh);
                        list.push(Command::Run(Dispatch { groups: 1, ..one }));
                    }
                }
                Pass::Method(number) => {
                    let (model, tables) = (self.model, self.tables);
                    let all = |out: &mut ProgramWriter, group: usize, entry| {
                        Command::Run(constraints(
                            model,
                            tables,
                            out,
                            (group, entry),
                            (0, model.groups[group].count),
                            fresh,
                        ))
                    };
                    list.extend(method(model.settings.partition).encode(
                        *number,
                        &mut GpuSolve {
                            groups: model.groups.len(),
                            rows: self.state.velocities.len(),
                            tables: &tables.method,
                            constraints: &all,
                            out: &mut self.out,
                        },
                    ));
                }
                Pass::Spread(copies) | Pass::Join(copies) => {
                    let name = if matches!(pass, Pass::Spread(_)) { "spread_copies" } else { "join_copies" };
                    let (first_tie, count) = (copies.ties.start as u32, copies.ties.len());
                    let args = CopyUniforms { first_tie, count: count as u32 };
                    list.push(self.out.run_each(shaders::copies(name), &args, count));
                }
                // Bodies that nothing else pushes have done all iterations before.
                Pass::Elastic if !model.elastic().pushed => {}
                Pass::Elastic => {
                    let contact = self.contact.features;
                    list.extend(self.tables.elastic.iteration(number + 1, contact, &mut self.out));
                }
                Pass::Inflate => list.push(self.tables.inflatables.project(fresh, &mut self.out)),
                Pass::ParticleContacts => {
                    let is_contact = |p: &Pass| matches!(p, Pass::ParticleContacts | Pass::ColliderContacts);
                    let at = Iteration {
                        number,
                        first: variant == 0,
                        odd: variant == 1,
                        alone: model.schedule.iteration.iter().all(is_contact),
                        with_colliders: passes.get(k + 1) == Some(&Pass::ColliderContacts) && model.bodies.is_empty(),
                    };
                    list.extend(self.contact.project(at, &mut self.out));
                }
                Pass::ShapeMatching => list.extend(self.shapes(fresh, false)),
                Pass::FluidDensity => {
                    let touch = passes.get(k + 1) == Some(&Pass::ColliderContacts) && self.fluid_touches();
                    list.extend(if self.fluid.projects() {
                        self.fluid.correct(number, touch, &mut self.out)
                    } else {
                        self.fluid.density(fresh, touch, &mut self.out)
                    });
                }
                // Done with the pressure.
                Pass::ColliderContacts if k > 0 && passes[k - 1] == Pass::FluidDensity && self.fluid_touches() => {}
                // Done with the contacts between particles.
                Pass::ColliderContacts
                    if k > 0 && passes[k - 1] == Pass::ParticleContacts && model.bodies.is_empty() => {}
                Pass::ColliderContacts => list.push(self.contact.colliders(false, &mut self.out)),
                other => unreachable!("{other:?} does not run in iterations"),
            }
        }
        // Islands have their own passes.
        let islands = model.schedule.islands > 0;
        if !islands || !list.is_empty() {
            let fresh = u32::from(number == 0 && !islands);
            list.extend(self.tables.grips.project(fresh, &mut self.out));
        }
        list
    }

    /// Whether pressure and collider contacts share one pass: if all particles are fluid. Where that pass does the contacts
    /// of several iterations, nothing else may move particles between them.
    fn fluid_touches(&self) -> bool {
        let alone = !self.fluid.projects() || self.tables.grips.room == 0;
        self.model.particle_contact.is_none() && self.fluid.is_all() && alone
    }

    fn constraints(&mut self, group: usize, entry: &'static str, block: usize, count: usize, fresh: u32) -> Dispatch {
        constraints(self.model, self.tables, &mut self.out, (group, entry), (block, count), fresh)
    }
}

/// A dispatch over `count` constraints of a group from `block` on.
fn constraints(
    model: &Model,
    tables: &Tables,
    out: &mut ProgramWriter,
    (group, entry): (usize, &'static str),
    (block, count): (usize, usize),
    fresh: u32,
) -> Dispatch {
    let (g, at) = (&model.groups[group], tables.groups[group]);
    let (layout, first) = (g.layout(), (block * BLOCK) as u32);
    let args = ConstraintUniforms {
        count: count as u32,
        indices: at.index.wrapping_add(first * layout.rows as u32),
        params: at.params.wrapping_add(first * layout.params as u32),
        multipliers: at.lambda + first * layout.multipliers as u32,
        corrections: tables.method.corrections.get(group).copied().unwrap_or(0),
        fresh,
    };
    out.dispatch(shaders::constraint(g.kind, entry), &args, count.div_ceil(SIZE))
}
