//! Particle contact and shape matching passes of a substep.

use crate::contact::collider_contact::momentum;
use crate::contact::particle_contact::SLOP;
use crate::contact::restitution::RestitutionLaw;
use crate::schedule::passes::Pass;
use crate::solver::gpu::model_packing::NONE;
use crate::solver::gpu::pass_uniforms::{
    ParticleContactUniforms, PredictUniforms, RestitutionUniforms, ShapeMatchingUniforms, SolverPassUniforms,
};
use crate::solver::gpu::program::{Command, ProgramBuilder, SIZE};
use crate::solver::gpu::shader_constants::{AGAINST, BETWEEN, COLLIDERS, PARTED, PARTS, PARTS_NEXT, TOUCHES};
use crate::solver::gpu::shaders;

impl ProgramBuilder<'_> {
    /// Neighbor search at predicted positions.
    pub(crate) fn neighbors(&mut self) {
        if self.model.particle_contact.is_none() && self.model.fluid.is_none() {
            return;
        }
        let (particles, mass_scaling) = (self.state.particles, self.model.particle_contact.map_or(0.0, |m| m.stacking));
        let mut list = Vec::from_iter(self.wind());
        let args = PredictUniforms { mass_scaling, carry: self.carry(), ..PredictUniforms::default() };
        list.push(self.run(shaders::predict("predict_positions"), &args, particles.div_ceil(SIZE)));
        list.extend(self.pins("predict_pins", mass_scaling));
        let (fields, at_rest) = self.tables.fields;
        if fields != NONE {
            let args = ShapeMatchingUniforms { rest_fields: at_rest, ..self.tables.shapes.uniforms };
            list.push(self.run(shaders::shapes("turn_surface_fields"), &args, self.tables.shapes.pieces));
        }
        if self.model.fluid.is_some() {
            list.push(Command::FindFlow);
        }
        if self.model.particle_contact.is_some() {
            list.push(Command::Find);
        }
        if !self.model.rest.is_empty() {
            let args = ParticleContactUniforms {
                rest: self.tables.rest,
                attachments: self.tables.attachment_filter,
                ..ParticleContactUniforms::default()
            };
            list.push(self.run(shaders::meets("filter_contacts"), &args, particles.div_ceil(SIZE)));
        }
        self.program.neighbors = list;
    }

    /// Share of the last substep's pressure used as warm start.
    pub(crate) fn carry(&self) -> f32 {
        self.model.fluid.as_ref().map_or(0.0, |f| f.carry)
    }

    /// What predict and stabilization are told to pack particles; `parts`: the next pass parts old positions.
    pub(crate) fn packing(&self, parts: bool) -> PredictUniforms {
        let args = PredictUniforms { packed: self.tables.packed[0], ..PredictUniforms::default() };
        if parts { PredictUniforms { mode: PARTS_NEXT, radius_scale: 1.0 - SLOP, ..args } } else { args }
    }

    /// Packs particles for a contact pass. `first_contacts`: bodies go by the contacts of the first iteration.
    fn pack(&mut self, first_contacts: bool) -> Command {
        let args = SolverPassUniforms {
            packed: self.tables.packed[0],
            first_contacts: u32::from(first_contacts),
            ..SolverPassUniforms::default()
        };
        self.run(shaders::passes("pack_particles"), &args, self.state.particles.div_ceil(SIZE))
    }

    /// Separates overlapping particles, then tests colliders. Leaves packed particles for the first iteration.
    pub(crate) fn stabilize(&mut self) {
        if self.model.particle_contact.is_none() {
            return;
        }
        let turns = self.model.settings.stabilization;
        let colliders = if self.model.colliders.is_empty() { 0 } else { COLLIDERS };
        let groups = self.state.particles.div_ceil(SIZE);
        let mut list = Vec::new();
        for turn in 0..turns {
            let args = ParticleContactUniforms {
                mode: PARTS,
                fresh: u32::from(turn == 0),
                omega: 1.0,
                packed_in: self.tables.packed[0],
                packed_out: NONE,
                ..ParticleContactUniforms::default()
            };
            list.extend(
                ["count_contacts", "project_contacts"].map(|entry| self.run(shaders::meets(entry), &args, groups)),
            );
            // Bodies separate as a whole, except in scenes with surfaces: particles held back by a surface are out of
            // their body's shape, and shape matching would move them through it.
            if self.state.shapes.is_some() && !self.model.has_surface() {
                list.extend(self.shapes(1, true));
            }
            let last = turn + 1 == turns;
            let mut args = self.packing(!last);
            args.mode |= PARTED | if last { colliders } else { 0 };
            list.push(self.run(shaders::predict("finish_stabilization"), &args, groups));
        }
        if turns == 0 && colliders != 0 {
            let args = PredictUniforms { mode: COLLIDERS, ..self.packing(false) };
            list.push(self.run(shaders::predict("finish_stabilization"), &args, groups));
        }
        self.program.stabilize = list;
    }

    /// Particle contacts of an iteration, and collider contacts if those are next. Where no other pass moves particles,
    /// each pass packs particles for the next; the first uses those of stabilization.
    pub(crate) fn meet(&mut self, number: u32, variant: usize, touch: bool) -> Vec<Command> {
        let Some(particle_contact) = self.model.particle_contact else { return Vec::new() };
        let (groups, packed) = (self.state.particles.div_ceil(SIZE), self.tables.packed);
        let alone =
            self.model.schedule.iteration.iter().all(|p| matches!(p, Pass::ParticleContacts | Pass::ColliderContacts));
        let odd = usize::from(alone && variant == 1);
        let rigid = self.tables.mass_splitting != NONE;
        let args = ParticleContactUniforms {
            mode: if touch { TOUCHES } else { 0 },
            fresh: u32::from(variant == 0),
            static_friction: particle_contact.friction.static_friction,
            kinetic_friction: particle_contact.friction.kinetic_friction,
            omega: particle_contact.omega,
            momentum: if rigid { momentum(number, self.model.settings.iterations) } else { 0.0 },
            packed_in: packed[odd],
            packed_out: if alone { packed[1 - odd] } else { NONE },
            ..ParticleContactUniforms::default()
        };
        let mut list = Vec::new();
        if !alone {
            list.push(self.pack(false));
        }
        if variant == 0 {
            list.push(self.run(shaders::meets("count_contacts"), &args, groups));
            if rigid {
                // Bodies know only now how many contacts they have.
                list.push(self.pack(true));
            }
        }
        list.push(self.run(shaders::meets("project_contacts"), &args, groups));
        list
    }

    /// Saves velocities for restitution, if any contact has it.
    pub(crate) fn remember(&mut self) -> Option<Command> {
        let args = RestitutionUniforms { velocities_before: self.tables.bounces.0, ..RestitutionUniforms::default() };
        let groups = self.state.particles.div_ceil(SIZE);
        self.model.has_restitution().then(|| self.run(shaders::restitution("save_velocities"), &args, groups))
    }

    /// Restitution: particle contacts first, then colliders, as in an iteration.
    pub(crate) fn restitution_passes(&mut self) -> Vec<Command> {
        let model = self.model;
        if !model.has_restitution() {
            return Vec::new();
        }
        let (groups, n) = (self.state.particles.div_ceil(SIZE), self.state.particles as u32);
        // Nobody needs the cards of contacts any more.
        let ((velocities_before, collider_laws), room) = (self.tables.bounces, self.tables.packed[0]);
        let base = RestitutionUniforms {
            velocities_before,
            shares: room,
            velocities_after: room + n,
            collider_laws,
            ..RestitutionUniforms::default()
        };
        let mut list = Vec::new();
        let mut mode = 0;
        let between =
            model.particle_contact.map(|m| model.restitution_law(m.restitution, m.rolling)).filter(|b| b.acts());
        if let Some(bounce) = between {
            mode |= BETWEEN;
            let RestitutionLaw { restitution, rest_speed: still, rolling_damping: drag } = bounce;
            let args = RestitutionUniforms { restitution, still, drag, ..base };
            list.extend(
                ["count_restitution", "restitution_particles"]
                    .map(|entry| self.run(shaders::bounces(entry), &args, groups)),
            );
        }
        if model.colliders.iter().any(|c| model.restitution_law(c.restitution, c.rolling).acts()) {
            mode |= AGAINST;
        }
        let args = RestitutionUniforms { mode, ..base };
        list.push(self.run(shaders::restitution("restitution_colliders"), &args, groups));
        list
    }

    /// Shape matching.
    pub(crate) fn shapes(&mut self, fresh: u32, parted: bool) -> Vec<Command> {
        let tables = &self.tables.shapes;
        let args = ShapeMatchingUniforms { fresh, parted: u32::from(parted), ..tables.uniforms };
        let passes = tables.passes(self.state.particles);
        passes.into_iter().map(|(entry, groups)| self.run(shaders::shapes(entry), &args, groups)).collect()
    }
}
