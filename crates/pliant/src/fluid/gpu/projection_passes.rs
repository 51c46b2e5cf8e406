//! Pressure by projection of velocities as dispatches: [`crate::fluid::cpu::projection`] with what is exact in fewer passes.

use crate::contact::gpu::constants::TOUCHES;
use crate::fluid::gpu::constants::{FALLS, FILTERS, LAST_SWEEP};
use crate::fluid::gpu::passes::FluidPasses;
use crate::fluid::gpu::shaders::projection_pass;
use crate::fluid::gpu::uniforms::FluidUniforms;
use crate::fluid::projection::{EXTRA_SWEEPS, FIRST_ROUNDS, POSITION_SHARE, momentum_after};
use crate::runtime::gpu::program::{Command, ProgramWriter};

impl FluidPasses<'_> {
    /// Whether pressure is a projection of velocities.
    pub fn projects(&self) -> bool {
        self.model.fluid.is_some_and(|fluid| fluid.projects)
    }

    fn project(&self, entry: &'static str, args: FluidUniforms, out: &mut ProgramWriter) -> Option<Command> {
        let fluid = self.model.fluid?;
        let constants = self.tables.constants(fluid, self.model.settings.substep());
        let constants = constants + &self.tables.projection_constants(fluid);
        Some(out.run_each(projection_pass(entry, constants, &self.contact), &args, self.particles))
    }

    /// Correction of positions in iteration `number`, if it has one. With colliders the last one does the contacts of all
    /// iterations after it, too: those of a particle depend on no other.
    pub fn correct(&self, number: u32, with_colliders: bool, out: &mut ProgramWriter) -> Vec<Command> {
        let iterations = self.model.settings.iterations;
        let corrections = iterations.div_ceil(POSITION_SHARE);
        if number >= corrections {
            return Vec::new();
        }
        let fresh = FluidUniforms { fresh: u32::from(number == 0), ..FluidUniforms::default() };
        let args = FluidUniforms {
            mode: if with_colliders { TOUCHES } else { 0 },
            repeats: if number + 1 == corrections { 1 + iterations - corrections } else { 1 },
            ..FluidUniforms::default()
        };
        let both = [self.run("density_multipliers", fresh, out), self.project("correct_positions", args, out)];
        both.into_iter().flatten().collect()
    }

    /// Pressures of the next substep, at the end of one.
    pub fn project_velocities(&self, out: &mut ProgramWriter) -> Vec<Command> {
        self.solve(FILTERS, FALLS, 1, out)
    }

    /// Pressures of the very first substep, and the motion by them: no substep before has found any. On the CPU more rounds
    /// also follow wherever no particle has pressure; here the host does not know.
    pub fn first_pressures(&self, out: &mut ProgramWriter) -> Vec<Command> {
        let mut list = self.solve(0, 0, FIRST_ROUNDS, out);
        list.extend(self.project("accelerate", FluidUniforms::default(), out));
        list
    }

    fn solve(&self, filters: u32, falls: u32, rounds: u32, out: &mut ProgramWriter) -> Vec<Command> {
        let mode = |mode: u32| FluidUniforms { mode, ..FluidUniforms::default() };
        let mut list = Vec::new();
        list.extend(self.project("measure_neighbors", mode(filters), out));
        for round in 0..rounds {
            list.extend(self.project("pressure_force", mode(if round == 0 { filters } else { 0 }), out));
            list.extend(self.project("expect_velocities", mode(falls), out));
            list.extend(self.project("smooth_velocities", mode(0), out));
            list.extend(self.project("compression_rates", mode(0), out));
            list.extend(self.sweeps(out));
        }
        list.extend(self.project("pressure_force", mode(0), out));
        list.extend(self.project("carry_pressure", mode(0), out));
        list
    }

    /// Sweeps of the Laplacian after the first, which is part of the pass before.
    fn sweeps(&self, out: &mut ProgramWriter) -> Vec<Command> {
        let sweeps = self.model.settings.iterations + EXTRA_SWEEPS;
        let places = [self.tables.packed, self.tables.steps[0]];
        let mut ahead = momentum_after(1.0);
        let mut list = Vec::new();
        for k in 1..sweeps {
            let before = ahead;
            ahead = momentum_after(before);
            let args = FluidUniforms {
                mode: if k + 1 == sweeps { LAST_SWEEP } else { 0 },
                steps_in: places[(k as usize + 1) % 2],
                steps_out: places[k as usize % 2],
                momentum: (before - 1.0) / ahead,
                ..FluidUniforms::default()
            };
            list.extend(self.project("pressure_sweep", args, out));
        }
        list
    }
}
