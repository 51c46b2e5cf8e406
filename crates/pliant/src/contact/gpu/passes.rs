//! Contact passes of a substep as dispatches.

use crate::contact::collider_contact::momentum;
use crate::contact::gpu::constants::{AGAINST, BETWEEN, PARTS, TOUCHES};
use crate::contact::gpu::shaders::ContactFeatures;
use crate::contact::gpu::tables::{ContactTables, SurfaceBodyTables};
use crate::contact::gpu::uniforms::{ContactPassUniforms, ParticleContactUniforms, RestitutionUniforms};
use crate::contact::model::ContactModel;
use crate::contact::restitution::RestitutionLaw;
use crate::runtime::gpu::program::{Command, ProgramWriter};
use crate::runtime::gpu::shader_constants::NONE;

/// Makes the contact passes.
#[derive(Clone, Copy)]
pub struct ContactPasses<'a> {
    model: ContactModel<'a>,
    tables: &'a ContactTables,
    particles: usize,
    /// Features that their shaders depend on.
    pub features: ContactFeatures,
}

/// Place of a particle contact pass among the others.
#[derive(Clone, Copy)]
pub struct Iteration {
    /// Number of the iteration.
    pub number: u32,
    /// Whether it is the first of the substep.
    pub first: bool,
    /// Whether it reads the second set of packed particles, if no other pass moves particles.
    pub odd: bool,
    /// Whether only contact passes move particles: then each packs them for the next.
    pub alone: bool,
    /// Whether collider contacts come next and share the pass.
    pub with_colliders: bool,
}

impl<'a> ContactPasses<'a> {
    /// For a model whose tables are written.
    pub fn new(model: ContactModel<'a>, tables: &'a ContactTables, particles: usize) -> Self {
        Self { model, tables, particles, features: ContactFeatures::of(&model, tables) }
    }

    /// Removes from the neighbor lists the pairs that do not collide, if there can be any.
    pub fn filter(&self, out: &mut ProgramWriter) -> Option<Command> {
        let filters = !self.model.rest.is_empty() || self.features.own_contacts;
        let tables = self.tables.particles.filter(|_| filters)?;
        let args = ParticleContactUniforms {
            rest: tables.rest,
            attachments: tables.attachments,
            ..ParticleContactUniforms::default()
        };
        Some(out.run_each(self.features.particle_contacts("filter_contacts"), &args, self.particles))
    }

    /// One pass of stabilization: separates particles that overlap at the start of the substep.
    pub fn stabilize(&self, first: bool, out: &mut ProgramWriter) -> Vec<Command> {
        let Some(tables) = self.tables.particles else { return Vec::new() };
        let args = ParticleContactUniforms {
            mode: PARTS,
            fresh: u32::from(first),
            omega: 1.0,
            packed_in: tables.packed[0],
            packed_out: NONE,
            ..ParticleContactUniforms::default()
        };
        let mut run = |entry| out.run_each(self.features.particle_contacts(entry), &args, self.particles);
        vec![run("count_contacts"), run("project_contacts")]
    }

    /// Particle contacts of an iteration, with collider contacts if those are next. Where no other pass moves particles,
    /// each pass packs particles for the next; the first uses those of stabilization.
    pub fn project(&self, at: Iteration, out: &mut ProgramWriter) -> Vec<Command> {
        let (Some(settings), Some(tables)) = (self.model.particle_contact, self.tables.particles) else {
            return Vec::new();
        };
        let odd = usize::from(at.alone && at.odd);
        let rigid = self.tables.mass_splitting.is_some();
        let args = ParticleContactUniforms {
            mode: if at.with_colliders { TOUCHES } else { 0 },
            fresh: u32::from(at.first),
            static_friction: settings.friction.static_friction,
            kinetic_friction: settings.friction.kinetic_friction,
            omega: settings.omega,
            recovery: settings.recovery_speed * self.model.settings.substep(),
            momentum: if rigid { momentum(at.number, self.model.settings.iterations) } else { 0.0 },
            packed_in: tables.packed[odd],
            packed_out: if at.alone { tables.packed[1 - odd] } else { NONE },
            ..ParticleContactUniforms::default()
        };
        let mut list = Vec::new();
        if !at.alone {
            list.push(self.pack(tables.packed[0], false, out));
        }
        if at.first {
            list.push(out.run_each(self.features.particle_contacts("count_contacts"), &args, self.particles));
            if rigid {
                // The contact counts of bodies are known only now.
                list.push(self.pack(tables.packed[0], true, out));
            }
        }
        list.push(out.run_each(self.features.particle_contacts("project_contacts"), &args, self.particles));
        list
    }

    /// Packs particles for a contact pass. `first_contacts`: bodies use the contact counts of the first iteration.
    fn pack(&self, packed: u32, first_contacts: bool, out: &mut ProgramWriter) -> Command {
        let first_contacts = u32::from(first_contacts);
        let args = ContactPassUniforms { packed, first_contacts, ..ContactPassUniforms::default() };
        out.run_each(self.features.contact_pass("pack_particles"), &args, self.particles)
    }

    /// Collider contacts of particles in islands, or of those outside.
    pub fn colliders(&self, in_islands: bool, out: &mut ProgramWriter) -> Command {
        let args = ContactPassUniforms { in_islands: u32::from(in_islands), ..ContactPassUniforms::default() };
        out.run_each(self.features.contact_pass("collider_contacts"), &args, self.particles)
    }

    /// Contacts of bodies with triangle surfaces.
    pub fn surfaces(&self, out: &mut ProgramWriter) -> Command {
        let (bodies, row_bodies) = self.tables.surface_bodies.map_or((0, 0), |t| (t.bodies as u32, t.row_bodies));
        let args = ContactPassUniforms { surfaces: 1, bodies, row_bodies, ..ContactPassUniforms::default() };
        out.run_each(self.features.contact_pass("collider_contacts"), &args, self.particles)
    }

    /// Marks bodies near triangle surfaces, from predicted positions, if there are both.
    pub fn mark_surface_bodies(&self, out: &mut ProgramWriter) -> Vec<Command> {
        let Some(SurfaceBodyTables { bodies, row_bodies, .. }) = self.tables.surface_bodies else { return Vec::new() };
        let args = ContactPassUniforms { bodies: bodies as u32, row_bodies, ..ContactPassUniforms::default() };
        let mut run = |entry, count| out.run_each(self.features.contact_pass(entry), &args, count);
        vec![run("clear_surface_bodies", bodies), run("mark_surface_bodies", self.particles)]
    }

    /// Saves velocities for restitution, if any contact has it.
    pub fn save_velocities(&self, out: &mut ProgramWriter) -> Option<Command> {
        let velocities_before = self.tables.restitution?.velocities_before;
        let args = RestitutionUniforms { velocities_before, ..RestitutionUniforms::default() };
        Some(out.run_each(self.features.restitution_colliders("save_velocities"), &args, self.particles))
    }

    /// Restitution: particle contacts first, then colliders, as in an iteration.
    pub fn restitution(&self, out: &mut ProgramWriter) -> Vec<Command> {
        let (model, mut list) = (&self.model, Vec::new());
        let Some(tables) = self.tables.restitution else { return list };
        // The packed particles are no longer needed: their memory is reused.
        let room = self.tables.particles.map_or(0, |p| p.packed[0]);
        let base = RestitutionUniforms {
            velocities_before: tables.velocities_before,
            shares: room,
            velocities_after: room + self.particles as u32,
            collider_laws: tables.collider_laws,
            ..RestitutionUniforms::default()
        };
        let mut mode = 0;
        let own = model.table.has_restitution();
        let between = model.particle_contact.map(|m| model.restitution_law(m.restitution, m.rolling));
        let between = between.filter(|law| law.acts() || own);
        if let Some(RestitutionLaw { restitution, rest_speed, rolling_damping, .. }) = between {
            mode |= BETWEEN;
            let args = RestitutionUniforms { restitution, rest_speed, rolling_damping, ..base };
            let mut run = |entry| out.run_each(self.features.restitution_particles(entry), &args, self.particles);
            list.extend([run("count_restitution"), run("restitution_particles")]);
        }
        if own || model.collider_laws().any(|law| law.acts()) {
            mode |= AGAINST;
        }
        let args = RestitutionUniforms { mode, ..base };
        list.push(out.run_each(self.features.restitution_colliders("restitution_colliders"), &args, self.particles));
        list
    }
}
