//! Rigid bodies with exact shapes that come and go in place: nothing is built anew, and no other body is touched or woken.
//!
//! Bodies keep the order of a build, so that positions, velocities and contacts are those after one. A removed body leaves a
//! name behind, as its object; the next build drops that.

use crate::builder::layout::{ListLengths, Placed};
use crate::builder::part::Part;
use crate::builder::placement::copies;
use crate::builder::rigid_body::added_pieces;
use crate::collision::ObjectContact;
use crate::contact::collider::BodyCollider;
use crate::model::rigid_edit::AddedBody;
use crate::rigid_body::bodies::{BodyParams, BodyState, RigidBodies};
use crate::rigid_body::sleep::change_awake;
use crate::scene::ObjectKind;
use crate::solver::cpu::rigid_bodies::collider_motions;
use crate::world::World;
use crate::world::definition::Handle;
use crate::world::edit::EditError;
use glam::{DVec3, Vec3};
use std::ops::Range;
use std::sync::Arc;

/// An object that was added.
struct Added {
    handle: Handle,
    part: Arc<Part>,
    /// How its copies are translated.
    shifts: Vec<Vec3>,
    contact: ObjectContact,
    /// Pieces of a copy, as particles see them.
    pieces: Vec<BodyCollider>,
}

impl World {
    /// Whether rigid bodies can be added and removed in place: there are passes and tables for them, and nothing else was made
    /// with all of them in view.
    fn edits_rigid_in_place(&self) -> bool {
        let model = &self.model;
        #[cfg(feature = "gpu")]
        if self.gpu.is_some() && !model.topology.objects.is_empty() {
            // Tables of the device have the pieces.
            return false;
        }
        !model.rigid_bodies.bodies.is_empty()
            && model.fluid.is_none()
            && model.surfaces.is_none()
            && model.environments.slots().is_empty()
    }

    /// Appends rigid bodies that were added since the last step, if all that was added is such. Returns whether that was done.
    pub(super) fn append_rigid(&mut self, added: &[Handle]) -> Result<bool, EditError> {
        if !self.edits_rigid_in_place() {
            return Ok(false);
        }
        let mut all: Vec<Added> = Vec::with_capacity(added.len());
        for &handle in added {
            let Some(entry) = self.definition.get(handle) else { return Ok(false) };
            let Some(part) = entry.part.clone() else { return Ok(false) };
            let Some(rigid) = &part.rigid else { return Ok(false) };
            let scene = &self.definition.scene;
            let (kind, index) = (entry.source.kind, entry.source.index);
            let own = scene.contact_of(kind, index);
            let bounces = own.restitution.is_some_and(|e| e > 0.0)
                && !self.model.topology.objects.is_empty()
                && !self.model.has_restitution();
            // Passes and tables of collision groups and surfaces must be there.
            if own != ObjectContact::default() && self.model.contact_table.is_empty() || bounces {
                return Ok(false);
            }
            // What can fail comes before the first change.
            let params = BodyParams { shape: rigid.shape.clone(), object: 0, environment: 0, contact: own };
            let pieces = added_pieces(&params)?;
            let shifts = copies(scene.array(kind, index));
            all.push(Added { handle, part, shifts, contact: own, pieces });
        }
        self.origin();
        self.check_edits();
        self.refit_bodies();
        let now = (self.time().to_bits(), self.changes);
        let places = self.rigid_places.take().filter(|(then, _)| *then == now);
        let first = self.model.rigid_bodies.bodies.len();
        all.into_iter().for_each(|added| self.append_rigid_object(added));
        Arc::make_mut(&mut self.definition).mark_built();
        self.appended = true;
        self.structure_changed();
        if let Some(((time, _), mut grid)) = places {
            let new = self.model.rigid_bodies.bodies[first..].iter().zip(&self.rigid_state()?.bodies[first..]);
            let numbered = new.zip(first as u32..);
            numbered.for_each(|((params, body), k)| grid.insert(k, body.position, params.shape.reach));
            self.rigid_places = Some(((time, self.changes), grid));
        }
        Ok(true)
    }

    fn append_rigid_object(&mut self, added: Added) {
        let Added { handle, part, shifts, contact, pieces } = added;
        let (Some(entry), Some(rigid)) = (self.definition.get(handle), &part.rigid) else { return };
        let (source, name) = (entry.source, entry.name.clone());
        let color = self.definition.scene.body[source.index].color;
        let from = self.lengths();
        for (k, &shift) in shifts.iter().enumerate() {
            let name = if shifts.len() > 1 { format!("{name}[{k}]") } else { name.clone() };
            let (shape, surface) = (rigid.shape.clone(), rigid.surface.clone());
            self.model.append_rigid(AddedBody { name, color, contact, shape, surface, pieces: pieces.clone() });
            let body = BodyState {
                position: rigid.frame.position + shift.as_dvec3(),
                rotation: rigid.frame.rotation,
                velocity: part.velocity.as_dvec3(),
                spin: DVec3::ZERO,
                push: [DVec3::ZERO; 2],
            };
            self.each_rigid_state(|state| state.append(body));
        }
        let objects = self.model.topology.object_names.len();
        let to = ListLengths { objects, rigid_bodies: from.rigid_bodies + shifts.len(), ..from };
        Arc::make_mut(&mut self.objects).push(Placed { source, from, to });
    }

    /// Removes a rigid body whose handle is valid, if that can be done without a build. Returns whether it was done.
    pub(super) fn remove_rigid(&mut self, handle: Handle) -> bool {
        let Some(source) = self.definition.get(handle).map(|entry| entry.source) else { return false };
        let Some(placed) = self.objects.find(source).copied() else { return false };
        let bodies = placed.rigid_bodies();
        let last = bodies.len() == self.model.rigid_bodies.bodies.len();
        let gripped =
            self.model.grips.iter().any(|grip| grip.body.is_some_and(|(k, _)| bodies.contains(&(k as usize))));
        let usable = source.kind == ObjectKind::Body && !bodies.is_empty() && placed.particles().is_empty();
        let held = self.model.rigid_bodies.holds_any(&bodies);
        if !usable || last || gripped || held || !self.edits_rigid_in_place() {
            return false;
        }
        self.origin();
        self.check_edits();
        self.refit_bodies();
        let (gravity, colliders) = (self.model.settings.gravity.as_dvec3(), collider_motions(&self.model, self.time()));
        let pieces = self.model.remove_rigid(&bodies);
        self.each_rigid_state(|state| {
            change_awake(state, (gravity, &colliders), |state| state.remove(&bodies));
        });
        self.renumber_contacts(&pieces);
        for grip in &mut self.model.grips {
            if let Some((body, _)) = grip.body.as_mut().filter(|(body, _)| *body as usize >= bodies.end) {
                *body -= bodies.len() as u32;
            }
        }
        Arc::make_mut(&mut self.objects).remove_rigid(source, &bodies);
        self.removals += 1;
        self.appended = true;
        self.structure_changed();
        true
    }

    /// Drops contacts of particles with pieces that are gone, and renumbers those with the pieces behind them.
    fn renumber_contacts(&mut self, gone: &Range<usize>) {
        for contact in &mut self.state.memory().contacts {
            contact.retain(|c| !gone.contains(&(c.collider as usize)));
            for c in contact.iter_mut().filter(|c| c.collider as usize >= gone.end) {
                c.collider -= gone.len() as u32;
            }
        }
    }

    /// Changes rigid bodies where they are: on the host, and in what it keeps for a GPU.
    fn each_rigid_state(&mut self, change: impl Fn(&mut RigidBodies)) {
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &mut self.gpu {
            change(&mut gpu.rigid_bodies.state);
        }
        change(&mut self.state.memory().rigid_bodies);
    }
}
