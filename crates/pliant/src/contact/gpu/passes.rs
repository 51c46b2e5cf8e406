//! Particle contact and shape matching passes of a substep.

use crate::contact::collider_contact::momentum;
use crate::contact::particle_contact::SLOP;
use crate::schedule::passes::Pass;
use crate::solver::gpu::layouts::Job;
use crate::solver::gpu::model_packing::NONE;
use crate::solver::gpu::program::{Command, ProgramBuilder, SIZE};
use crate::solver::gpu::shaders;

/// Job modes, as in the shaders: of particle contacts, and of the passes around them.
const PARTS: u32 = 1;
const TOUCHES: u32 = 2;
const PARTED: u32 = 1;
const COLLIDERS: u32 = 2;
const PARTS_NEXT: u32 = 4;
const BETWEEN: u32 = 1;
const AGAINST: u32 = 2;

impl ProgramBuilder<'_> {
    /// Neighbor search at predicted positions.
    pub(crate) fn neighbors(&mut self) {
        if self.model.particle_contact.is_none() && self.model.fluid.is_none() {
            return;
        }
        let (particles, scale) = (self.state.particles, self.model.particle_contact.map_or(0.0, |m| m.stacking));
        let mut list = Vec::from_iter(self.wind());
        let job = Job { scale, static_friction: self.carry(), ..Job::default() };
        list.push(self.run(shaders::predict("predict_positions"), job, particles.div_ceil(SIZE)));
        list.extend(self.pins("predict_pins", scale));
        let (fields, at_rest) = self.tables.fields;
        if fields != NONE {
            let job = Job { slots: at_rest, ..self.tables.shapes.job };
            list.push(self.run(shaders::shapes("turn_surface_fields"), job, self.tables.shapes.pieces));
        }
        if self.model.fluid.is_some() {
            list.push(Command::FindFlow);
        }
        if self.model.particle_contact.is_some() {
            list.push(Command::Find);
        }
        if !self.model.rest.is_empty() {
            let job = Job { params: self.tables.rest, slots: self.tables.attachment_filter, ..Job::default() };
            list.push(self.run(shaders::meets("filter_contacts"), job, particles.div_ceil(SIZE)));
        }
        self.program.neighbors = list;
    }

    /// Share of the last substep's pressure used as warm start.
    pub(crate) fn carry(&self) -> f32 {
        self.model.fluid.as_ref().map_or(0.0, |f| f.carry)
    }

    /// Job fields that stabilization adds to a packing pass, if the next pass separates previous positions.
    pub(crate) fn dealing(&self, parts: bool) -> Job {
        let job = Job { copies_out: self.tables.packed[0], ..Job::default() };
        if parts { Job { mode: PARTS_NEXT, omega: 1.0 - SLOP, ..job } } else { job }
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
            let job = Job {
                mode: PARTS,
                fresh: u32::from(turn == 0),
                omega: 1.0,
                copies_in: self.tables.packed[0],
                copies_out: NONE,
                ..Job::default()
            };
            list.extend(
                ["count_contacts", "project_contacts"].map(|entry| self.run(shaders::meets(entry), job, groups)),
            );
            // Bodies separate as a whole, except in scenes with surfaces: particles held back by a surface are out of
            // their body's shape, and shape matching would move them through it.
            if self.state.shapes.is_some() && !self.model.has_surface() {
                list.extend(self.shapes(1, true));
            }
            let last = turn + 1 == turns;
            let next = self.dealing(!last);
            let mode = next.mode | PARTED | if last { colliders } else { 0 };
            list.push(self.run(shaders::predict("finish_stabilization"), Job { mode, ..next }, groups));
        }
        if turns == 0 && colliders != 0 {
            let job = Job { mode: COLLIDERS, ..self.dealing(false) };
            list.push(self.run(shaders::predict("finish_stabilization"), job, groups));
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
        let job = Job {
            mode: if touch { TOUCHES } else { 0 },
            fresh: u32::from(variant == 0),
            static_friction: particle_contact.friction.static_friction,
            kinetic_friction: particle_contact.friction.kinetic_friction,
            omega: particle_contact.omega,
            scale: if rigid { momentum(number, self.model.settings.iterations) } else { 0.0 },
            copies_in: packed[odd],
            copies_out: if alone { packed[1 - odd] } else { NONE },
            ..Job::default()
        };
        let mut list = Vec::new();
        if !alone {
            list.push(self.run(shaders::passes("pack_particles"), self.dealing(false), groups));
        }
        if variant == 0 {
            list.push(self.run(shaders::meets("count_contacts"), job, groups));
            if rigid {
                // Contact counts of bodies are complete only now.
                let again = Job { fresh: 1, ..self.dealing(false) };
                list.push(self.run(shaders::passes("pack_particles"), again, groups));
            }
        }
        list.push(self.run(shaders::meets("project_contacts"), job, groups));
        list
    }

    /// Saves velocities for restitution, if any contact has it.
    pub(crate) fn remember(&mut self) -> Option<Command> {
        let job = Job { slots: self.tables.bounces.0, ..Job::default() };
        let groups = self.state.particles.div_ceil(SIZE);
        self.model.has_restitution().then(|| self.run(shaders::restitution("save_velocities"), job, groups))
    }

    /// Restitution: particle contacts first, then colliders, as in an iteration.
    pub(crate) fn restitution_passes(&mut self) -> Vec<Command> {
        let model = self.model;
        if !model.has_restitution() {
            return Vec::new();
        }
        let (groups, n) = (self.state.particles.div_ceil(SIZE), self.state.particles as u32);
        // The packed particles are no longer used: their memory is reused.
        let (slots, room) = (self.tables.bounces.0, self.tables.packed[0]);
        let base = Job { slots, copies_in: room, copies_out: room + n, first: self.tables.bounces.1, ..Job::default() };
        let mut list = Vec::new();
        let mut mode = 0;
        let between =
            model.particle_contact.map(|m| model.restitution_law(m.restitution, m.rolling)).filter(|b| b.acts());
        if let Some(bounce) = between {
            mode |= BETWEEN;
            let job =
                Job { static_friction: bounce.restitution, kinetic_friction: bounce.still, scale: bounce.drag, ..base };
            list.extend(
                ["count_restitution", "restitution_particles"]
                    .map(|entry| self.run(shaders::bounces(entry), job, groups)),
            );
        }
        if model.colliders.iter().any(|c| model.restitution_law(c.restitution, c.rolling).acts()) {
            mode |= AGAINST;
        }
        list.push(self.run(shaders::restitution("restitution_colliders"), Job { mode, ..base }, groups));
        list
    }

    /// Shape matching.
    pub(crate) fn shapes(&mut self, fresh: u32, parted: bool) -> Vec<Command> {
        let tables = &self.tables.shapes;
        let job = Job { fresh, static_friction: f32::from(u8::from(parted)), ..tables.job };
        let passes = tables.passes(self.state.particles);
        passes.into_iter().map(|(entry, groups)| self.run(shaders::shapes(entry), job, groups)).collect()
    }
}
