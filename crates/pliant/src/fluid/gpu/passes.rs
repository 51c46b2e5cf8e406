//! Fluid passes of a substep as dispatches.

use crate::contact::gpu::constants::TOUCHES;
use crate::contact::gpu::shaders::ContactFeatures;
use crate::fluid::gpu::shaders::fluid_pass;
use crate::fluid::gpu::tables::FluidTables;
use crate::fluid::gpu::uniforms::FluidUniforms;
use crate::fluid::model::FluidModel;
use crate::runtime::gpu::program::{Command, ProgramWriter};

/// Makes the fluid passes.
#[derive(Clone, Copy)]
pub struct FluidPasses<'a> {
    /// The fluids.
    pub model: FluidModel<'a>,
    /// Their tables.
    pub tables: &'a FluidTables,
    /// Number of particles.
    pub particles: usize,
    /// The colliders that fluids touch.
    pub contact: ContactFeatures,
    /// Where the impulses of contacts on pieces of rigid bodies are in `work`, and into how many parts they are divided.
    pub reactions: (u32, u32),
}

impl FluidPasses<'_> {
    pub(super) fn run(&self, entry: &'static str, args: FluidUniforms, out: &mut ProgramWriter) -> Option<Command> {
        let constants = self.tables.constants(self.model.fluid?, self.model.settings.substep());
        Some(out.run_each(fluid_pass(entry, constants, &self.contact), &args, self.particles))
    }

    /// Whether all particles are fluid.
    pub fn is_all(&self) -> bool {
        self.tables.wet == 0
    }

    /// Share of the last substep's pressure used as warm start; all of it if that was found for this one.
    pub fn carry(&self) -> f32 {
        self.model.fluid.map_or(0.0, |f| if f.projects { 1.0 } else { f.carry })
    }

    /// Removes solids from the neighbor lists that liquids do not touch, if there can be any.
    pub fn filter(&self, out: &mut ProgramWriter) -> Option<Command> {
        let filters = self.contact.own_contacts && !self.is_all();
        if filters { self.run("filter_neighbors", FluidUniforms::default(), out) } else { None }
    }

    /// One density iteration, with collider contacts in the same pass or without.
    pub fn density(&self, fresh: u32, with_colliders: bool, out: &mut ProgramWriter) -> Vec<Command> {
        let mode = if with_colliders { TOUCHES } else { 0 };
        let args = FluidUniforms { fresh, mode, ..FluidUniforms::default() };
        self.all(["density_multipliers", "apply_pressure"], args, out)
    }

    /// Surface tension.
    pub fn surface_tension(&self, out: &mut ProgramWriter) -> Vec<Command> {
        self.all(["surface_normals", "surface_tension"], FluidUniforms::default(), out)
    }

    /// Vorticity confinement.
    pub fn vorticity(&self, out: &mut ProgramWriter) -> Vec<Command> {
        self.all(["vorticity", "confine_vorticity"], FluidUniforms::default(), out)
    }

    fn all(&self, entries: [&'static str; 2], args: FluidUniforms, out: &mut ProgramWriter) -> Vec<Command> {
        entries.into_iter().filter_map(|entry| self.run(entry, args, out)).collect()
    }

    /// Viscosity sweeps, if a fluid is viscous.
    pub fn viscosity(&self, out: &mut ProgramWriter) -> Vec<Command> {
        let mut list = Vec::new();
        let plan = self.model.fluid.map(|f| f.viscosity(self.model.settings.substep()));
        let Some(plan) = plan.filter(|plan| plan.sweeps > 0) else { return list };
        let steps = self.tables.steps;
        let args = |sweep: u32| {
            let (even, odd) = (steps[sweep as usize % 2], steps[1 - sweep as usize % 2]);
            FluidUniforms { sweep, steps_in: even, steps_out: odd, ..FluidUniforms::default() }
        };
        for k in 0..plan.sweeps {
            list.extend(self.run("viscosity_sweep", args(k), out));
        }
        list.extend(self.run("viscosity_finish", args(plan.sweeps), out));
        list
    }
}
