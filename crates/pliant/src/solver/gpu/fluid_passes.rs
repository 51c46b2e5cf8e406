//! Fluid passes of a substep.

use crate::solver::gpu::pass_uniforms::FluidUniforms;
use crate::solver::gpu::program::{Command, ProgramBuilder, SIZE};
use crate::solver::gpu::shader_constants::TOUCHES;
use crate::solver::gpu::shaders;

impl ProgramBuilder<'_> {
    fn flow(&mut self, entry: &'static str, args: FluidUniforms) -> Option<Command> {
        let fluid = self.model.fluid.as_ref()?;
        let source = shaders::flow(entry, self.tables.flow.constants(self.model, fluid));
        Some(self.run(source, &args, self.state.particles.div_ceil(SIZE)))
    }

    /// Whether pressure and collider contacts share one pass: if all particles are fluid.
    pub(crate) fn flow_touches(&self) -> bool {
        self.model.particle_contact.is_none() && self.tables.flow.wet == 0
    }

    /// One density iteration, and collider contacts if those are next.
    pub(crate) fn densities(&mut self, fresh: u32, touch: bool) -> Vec<Command> {
        let mode = if touch && self.flow_touches() { TOUCHES } else { 0 };
        let args = FluidUniforms { fresh, mode, ..FluidUniforms::default() };
        ["density_multipliers", "apply_pressure"].into_iter().filter_map(|entry| self.flow(entry, args)).collect()
    }

    /// Surface tension, viscosity and vorticity, after velocities are updated.
    pub(crate) fn settle(&mut self) -> Vec<Command> {
        let mut list = Vec::new();
        if self.model.fluid.as_ref().is_some_and(|f| f.surface_tension().is_some()) {
            list.extend(
                ["surface_normals", "surface_tension"]
                    .into_iter()
                    .filter_map(|entry| self.flow(entry, FluidUniforms::default())),
            );
        }
        list.extend(self.viscosity_sweeps());
        if self.model.fluid.as_ref().is_some_and(|f| f.vorticity > 0.0) {
            list.extend(
                ["vorticity", "confine_vorticity"]
                    .into_iter()
                    .filter_map(|entry| self.flow(entry, FluidUniforms::default())),
            );
        }
        list
    }

    /// Viscosity sweeps.
    fn viscosity_sweeps(&mut self) -> Vec<Command> {
        let mut list = Vec::new();
        let Some(plan) = self.tables.flow.plan(self.model) else { return list };
        let steps = self.tables.flow.steps;
        let args = |sweep: u32| {
            let (even, odd) = (steps[sweep as usize % 2], steps[1 - sweep as usize % 2]);
            FluidUniforms { sweep, steps_in: even, steps_out: odd, ..FluidUniforms::default() }
        };
        for k in 0..plan.sweeps {
            list.extend(self.flow("viscosity_sweep", args(k)));
        }
        list.extend(self.flow("viscosity_finish", args(plan.sweeps)));
        list
    }
}
