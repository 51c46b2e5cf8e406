//! Pressure by projection of velocities as dispatches: [`crate::fluid::cpu::projection`] with what is exact in fewer passes.

use crate::contact::gpu::constants::TOUCHES;
use crate::fluid::body_coupling::ROUNDS;
use crate::fluid::gpu::body_coupling::{BodyCouplingTables, BodyCouplingUniforms, body_pass};
use crate::fluid::gpu::constants::{FALLS, FILTERS, FITS, IF_ACTING, IF_FREE, LAST_SWEEP, SEALED};
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
        let rounds = if self.has_bodies() { ROUNDS } else { 1 };
        self.solve(FILTERS, FALLS, rounds, out)
    }

    /// Pressures of the very first substep, and the motion by them: no substep before has found any. On the CPU more rounds
    /// also follow wherever no particle has pressure; here the host does not know.
    pub fn first_pressures(&self, out: &mut ProgramWriter) -> Vec<Command> {
        let mut list = self.solve(0, 0, FIRST_ROUNDS, out);
        list.extend(self.project("accelerate", FluidUniforms::default(), out));
        list
    }

    /// Whether the scene has rigid bodies.
    fn has_bodies(&self) -> bool {
        self.tables.bodies.bodies > 0
    }

    fn solve(&self, filters: u32, falls: u32, rounds: u32, out: &mut ProgramWriter) -> Vec<Command> {
        let mode = |mode: u32| FluidUniforms { mode, ..FluidUniforms::default() };
        let (bodies, first) = (self.has_bodies(), falls == 0);
        let mut list = self.bodies("begin_bodies", falls, out);
        list.extend(self.project("measure_neighbors", mode(filters), out));
        if bodies && first {
            list.extend(self.project("measure_neighbors", mode(SEALED | IF_ACTING), out));
        }
        list.extend(self.bodies("press_points", FITS | IF_ACTING, out));
        for round in 0..rounds {
            // Without a body in reach, a liquid is solved as if there were none.
            let gate = if bodies && !first && round > 0 { IF_ACTING } else { 0 };
            list.extend(self.project("pressure_force", mode(if round == 0 { filters } else { gate }), out));
            list.extend(self.project("expect_velocities", mode(falls | gate), out));
            list.extend(self.project("smooth_velocities", mode(gate), out));
            list.extend(self.project("compression_rates", mode(gate), out));
            if bodies && first {
                list.extend(self.sweeps(self.first_sweeps(), IF_ACTING, out));
                list.extend(self.sweeps(self.usual_sweeps(), IF_FREE, out));
            } else {
                list.extend(self.sweeps(self.usual_sweeps(), gate, out));
            }
            list.extend(self.bodies("press_points", IF_ACTING, out));
            list.extend(self.bodies("move_bodies", IF_ACTING, out));
            if bodies && first && round == 0 {
                list.extend(self.project("measure_neighbors", mode(IF_ACTING), out));
            }
        }
        list.extend(self.project("pressure_force", mode(0), out));
        list.extend(self.project("carry_pressure", mode(0), out));
        list
    }

    /// A pass over rigid bodies, or points of their surfaces, if there are any.
    fn bodies(&self, entry: &'static str, mode: u32, out: &mut ProgramWriter) -> Vec<Command> {
        let Some(fluid) = self.model.fluid.filter(|_| self.has_bodies()) else { return Vec::new() };
        let constants = self.tables.constants(fluid, self.model.settings.substep());
        let source = body_pass(entry, constants + &self.tables.projection_constants(fluid), &self.contact);
        let (sums, parts) = self.reactions;
        let args = BodyCouplingUniforms { mode, sums, parts };
        let BodyCouplingTables { bodies, points, .. } = self.tables.bodies;
        vec![match entry {
            "move_bodies" => out.run(source, &args, bodies),
            "begin_bodies" => out.run_each(source, &args, bodies),
            _ => out.run_each(source, &args, points),
        }]
    }

    fn usual_sweeps(&self) -> u32 {
        self.model.settings.iterations + EXTRA_SWEEPS
    }

    fn first_sweeps(&self) -> u32 {
        self.model.fluid.map_or(0, |fluid| fluid.first_sweeps)
    }

    /// Sweeps of the Laplacian after the first, which is part of the pass before. `gate` says when they are made.
    fn sweeps(&self, sweeps: u32, gate: u32, out: &mut ProgramWriter) -> Vec<Command> {
        let places = [self.tables.packed, self.tables.steps[0]];
        let mut ahead = momentum_after(1.0);
        let mut list = Vec::new();
        for k in 1..sweeps {
            let before = ahead;
            ahead = momentum_after(before);
            let args = FluidUniforms {
                mode: gate | if k + 1 == sweeps { LAST_SWEEP } else { 0 },
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
