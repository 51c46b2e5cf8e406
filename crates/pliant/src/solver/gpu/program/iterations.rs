//! The passes of an iteration as dispatches.

use crate::constraints::group::BLOCK;
use crate::schedule::passes::{Half, Halves, Pass};
use crate::solver::gpu::model_packing::has_multipliers;
use crate::solver::gpu::pass_uniforms::{ConstraintUniforms, InflateUniforms, PatchUniforms, SolverPassUniforms};
use crate::solver::gpu::patches::TURNS;
use crate::solver::gpu::program::{Command, Dispatch, ProgramBuilder, SIZE, variant};
use crate::solver::gpu::shader_constants::{
    FIRST_HALF, PATCH_WORDS, PLAIN, SEAMS_BETWEEN, SEAMS_FIRST, SEAMS_LATER, SECOND_HALF,
};
use crate::solver::gpu::shaders::{self, PatchShader};
use std::ops::Range;

impl ProgramBuilder<'_> {
    /// What a pass over patches is told. Odd passes read copies that even ones have written, and the other way round.
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
            copy_motion: t.shadows,
        }
    }

    /// A pass over patches.
    pub(crate) fn patches(&mut self, range: &Range<usize>, args: &PatchUniforms) -> Dispatch {
        let t = self.tables;
        let source = shaders::patches(PatchShader {
            kinds: t.patches.kinds.clone(),
            memory: t.patches.memory(range),
            multipliers: has_multipliers(self.model),
            whole: self.whole,
        });
        self.dispatch(source, args, range.len())
    }

    /// Passes over a tiling in so many iterations, the last of them in halves if it ever is.
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
        // Who keeps multipliers has written all of them back after the first half.
        let kept = self.tables.patches.memory(range).lambda.is_some();
        let fresh = u32::from(number == 0 && (first || !kept));
        let half = if first { FIRST_HALF } else { SECOND_HALF };
        let args = PatchUniforms { half, ..self.patch_args(range, mode, 1, odd, fresh) };
        Command::Run(self.patches(range, &args))
    }

    /// Iteration `number`, as any of its variant or as the last one.
    pub(crate) fn list(&mut self, number: u32, last: bool) -> Vec<Command> {
        let mut list = Vec::new();
        if self.together {
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
                // Whoever reads a seam particle joins its copies and looks at its contacts.
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
                Pass::Method(_) => {
                    for group in 0..self.model.groups.len() {
                        let count = self.model.groups[group].count;
                        list.push(Command::Run(self.constraints(group, "jacobi", 0, count, fresh)));
                    }
                    let (jacobi_starts, jacobi_entries) = self.tables.incidence;
                    let args = SolverPassUniforms {
                        jacobi_starts,
                        jacobi_entries,
                        jacobi_corrections: self.tables.jacobi_slots,
                        ..SolverPassUniforms::default()
                    };
                    list.push(self.run(shaders::passes("jacobi_apply"), &args, self.solid().div_ceil(SIZE)));
                }
                Pass::Spread(copies) | Pass::Join(copies) => {
                    let name = if matches!(pass, Pass::Spread(_)) { "spread_copies" } else { "join_copies" };
                    let (first_tie, count) = (copies.ties.start as u32, copies.ties.len());
                    let args = SolverPassUniforms { first_tie, count: count as u32, ..SolverPassUniforms::default() };
                    list.push(self.run(shaders::passes(name), &args, count.div_ceil(SIZE)));
                }
                Pass::Inflate => {
                    let args = InflateUniforms { bodies: self.tables.inflatables, fresh };
                    list.push(self.run(shaders::inflate(), &args, self.model.inflatables.len()));
                }
                Pass::ParticleContacts => {
                    let touch = passes.get(k + 1) == Some(&Pass::ColliderContacts);
                    list.extend(self.meet(number, variant, touch));
                }
                Pass::ShapeMatching => list.extend(self.shapes(fresh, false)),
                Pass::FluidDensity => {
                    let touch = passes.get(k + 1) == Some(&Pass::ColliderContacts);
                    list.extend(self.densities(fresh, touch));
                }
                // Done with the pressure.
                Pass::ColliderContacts if k > 0 && passes[k - 1] == Pass::FluidDensity && self.flow_touches() => {}
                // Done with the contacts between particles.
                Pass::ColliderContacts if k > 0 && passes[k - 1] == Pass::ParticleContacts => {}
                Pass::ColliderContacts => list.push(self.touch(false)),
                other => unreachable!("{other:?} does not run in iterations"),
            }
        }
        list
    }

    /// Contacts with colliders, in islands or outside of them.
    pub(crate) fn touch(&mut self, in_islands: bool) -> Command {
        let groups = self.state.particles.div_ceil(SIZE);
        let args = SolverPassUniforms { in_islands: u32::from(in_islands), ..SolverPassUniforms::default() };
        self.run(shaders::passes("collider_contacts"), &args, groups)
    }

    pub(crate) fn constraints(
        &mut self,
        group: usize,
        entry: &'static str,
        block: usize,
        count: usize,
        fresh: u32,
    ) -> Dispatch {
        let (g, at) = (&self.model.groups[group], self.tables.groups[group]);
        let (layout, first) = (g.layout(), (block * BLOCK) as u32);
        let args = ConstraintUniforms {
            count: count as u32,
            indices: at.index.wrapping_add(first * layout.rows as u32),
            params: at.params.wrapping_add(first * layout.params as u32),
            multipliers: at.lambda + first * layout.multipliers as u32,
            corrections: self.tables.jacobi_slots + at.slots,
            fresh,
        };
        self.dispatch(shaders::constraint(g.kind, entry), &args, count.div_ceil(SIZE))
    }
}
