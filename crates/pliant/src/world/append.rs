//! Bodies that come and go at a cost in proportion to their size. On the CPU a new one is appended to all lists, a removed
//! one leaves inactive particles behind. Everything else in a world is built anew (`edit`), and so is one with many gaps. On a
//! GPU see `device_append`.
//!
//! Positions, velocities and contacts are the same as after a build: lists of bodies and particles have the same order.

use crate::builder::assembly::finish::RUN;
use crate::builder::depenetrate::TOLERANCE;
use crate::builder::layout::{ListLengths, Placed, Source};
use crate::builder::part::Part;
use crate::builder::placement::copies;
use crate::collision::{CollisionGroups, ObjectContact};
use crate::contact::collider_contact::{ColliderShape, depth};
use crate::integration::momentum::FreeIsland;
use crate::memory::grow;
use crate::model::Model;
use crate::neighbors::INACTIVE;
use crate::scene::{ObjectKind, Partition};
use crate::shape_matching::BodyDef;
use crate::state::State;
use crate::world::World;
use crate::world::definition::Handle;
use crate::world::edit::EditError;
use glam::Vec3;
use std::ops::Range;
use std::sync::Arc;

/// Particles from which on it is worth it: below, a build takes milliseconds, and leaves no gaps.
const LEAST_PARTICLES: usize = 16_384;

/// Share of inactive particles of removed bodies, one in so many, at which a world is built anew.
const MOST_GAPS: usize = 14;

/// Removals after which a world is built anew: its definition keeps a place for each until then.
const MOST_REMOVALS: usize = 4096;

impl World {
    /// Whether bodies can be appended to model and state: no other rows stand behind the particles, and passes for bodies
    /// and contacts exist.
    fn is_appendable(&mut self) -> bool {
        #[cfg(feature = "gpu")]
        if self.gpu.is_some() {
            return is_appendable(&self.model, self.state.memory());
        }
        self.current_state().is_ok_and(|state| is_appendable(&self.model, state))
    }

    /// Appends what was added since the last step, if all of it can be. Returns whether that was done.
    pub(super) fn append_added(&mut self) -> Result<bool, EditError> {
        // A build is needed anyway, or keeps the lists of what was removed short.
        if self.definition.has_removed() || self.removals > MOST_REMOVALS {
            return Ok(false);
        }
        let added = self.definition.unbuilt();
        if self.append_rigid(&added)? {
            return Ok(true);
        }
        if !self.is_appendable() {
            return Ok(false);
        }
        let mut parts = Vec::with_capacity(added.len());
        for &handle in &added {
            let Some(entry) = self.definition.get(handle) else { return Ok(false) };
            let Some(part) = entry.part.clone().filter(|_| entry.source.kind == ObjectKind::Body) else {
                return Ok(false);
            };
            let shifts = copies(self.definition.scene.array(entry.source.kind, entry.source.index));
            let own = self.definition.scene.contact_of(entry.source.kind, entry.source.index);
            if !is_simple(&part) || shifts.iter().any(|&shift| self.is_inside_collider(&part, own.groups, shift)) {
                return Ok(false);
            }
            // Passes and tables of collision groups and surfaces must be there.
            let bounces = own.restitution.is_some_and(|e| e > 0.0) && !self.model.has_restitution();
            if own != ObjectContact::default() && self.model.contact_table.is_empty() || bounces {
                return Ok(false);
            }
            parts.push((handle, part, shifts));
        }
        #[cfg(feature = "gpu")]
        if self.gpu.is_some() {
            return self.append_on_device(parts);
        }
        self.origin();
        self.check_edits();
        self.refit_bodies();
        for (handle, part, shifts) in parts {
            match self.last_slot(&part, &shifts) {
                Some(slot) => self.refill(handle, &part, shifts[0], slot),
                None => self.append(handle, &part, &shifts),
            }
        }
        Arc::make_mut(&mut self.definition).mark_built();
        self.appended = true;
        self.cpu.grow(self.model.topology.objects.len());
        self.structure_changed();
        Ok(true)
    }

    /// A place for a body behind all others, whose rows a removed one of as many particles has left: the order of bodies
    /// remains that of a build.
    fn last_slot(&mut self, part: &Part, shifts: &[Vec3]) -> Option<usize> {
        let placed = &self.objects.placed;
        let behind = placed.iter().rposition(|p| !p.is_removed()).map_or(0, |last| last + 1);
        let fits = |slot: usize| slot >= behind && placed[slot].particles().len() == part.positions.len();
        let found = (0..self.free_slots.len()).filter(|&k| shifts.len() == 1 && fits(self.free_slots[k]));
        found.min_by_key(|&k| self.free_slots[k]).map(|k| self.free_slots.swap_remove(k))
    }

    /// Puts a body into the rows of a removed one.
    pub(super) fn refill(&mut self, handle: Handle, part: &Part, shift: Vec3, slot: usize) {
        let Some(entry) = self.definition.get(handle) else { return };
        let (source, name) = (entry.source, entry.name.clone());
        let color = self.definition.scene.body[source.index].color;
        let placed = self.objects.placed[slot];
        let (rows, object, body) = (placed.particles(), placed.from.objects, placed.from.bodies);
        let (model, state) = (&mut self.model, self.state.memory());
        model.topology.object_names[object] = name;
        model.topology.colors[object] = color;
        model.contact_table.put(object as u32, self.definition.scene.contact_of(source.kind, source.index));
        place(model, state, part, shift, rows.clone(), object as u32);
        if let Some(shapes) = &mut state.shapes {
            shapes.refill(body, &definition(part, &rows), &state.rows);
        }
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &mut self.gpu {
            gpu.put_body(model, state, rows, body);
        }
        self.gaps -= part.positions.len();
        Arc::make_mut(&mut self.objects).refill(slot, source);
    }

    fn append(&mut self, handle: Handle, part: &Part, shifts: &[Vec3]) {
        let Some(entry) = self.definition.get(handle) else { return };
        let (source, name) = (entry.source, entry.name.clone());
        let color = self.definition.scene.body[source.index].color;
        let own = self.definition.scene.contact_of(source.kind, source.index);
        let before = self.lengths();
        self.first_slot = self.first_slot.min(before.particles);
        let (model, Some(state)) = (&mut self.model, self.state.get_mut()) else { return };
        for (k, &shift) in shifts.iter().enumerate() {
            let object = model.topology.object_names.len() as u32;
            model.topology.object_names.push(if shifts.len() > 1 { format!("{name}[{k}]") } else { name.clone() });
            model.topology.colors.push(color);
            model.loose.push(false);
            model.contact_table.put(object, own);
            let (first, n) = (state.particles, part.positions.len());
            make_room(model, state, n);
            let rows = first..first + n;
            lengthen(model, state, rows.end);
            place(model, state, part, shift, rows, object);
            model.attachment_filter.extend(n);
            state.particles += n;
            for start in (first..first + n).step_by(RUN) {
                model.runs.push(start..(start + RUN).min(first + n));
                state.contacts.push(Vec::new());
            }
            if let (Some(shapes), Some(matching)) = (&mut state.shapes, &part.matching) {
                let members = (first as u32..(first + n) as u32).collect();
                let (stiffness, plastic) = (matching.stiffness, matching.plastic);
                let particles = (first as u32..(first + n) as u32).collect();
                model.free_islands.push(FreeIsland { particles, ..FreeIsland::default() });
                shapes.append(&BodyDef { members, stiffness, plastic }, &state.rows);
            }
        }
        let placed = Placed { source, from: before, to: self.lengths() };
        Arc::make_mut(&mut self.objects).push(placed);
    }

    /// Lengths of the lists that objects are appended to.
    pub(super) fn lengths(&self) -> ListLengths {
        let last = self.objects.placed.last().map_or(ListLengths::default(), |p| p.to);
        let bodies = self.state.peek().and_then(|s| s.shapes.as_ref()).map_or(0, |shapes| shapes.len());
        let particles = self.model.topology.objects.len();
        ListLengths { particles, objects: self.model.topology.object_names.len(), bodies, ..last }
    }

    /// Whether a build would move a body out of a collider.
    fn is_inside_collider(&self, part: &Part, groups: CollisionGroups, shift: Vec3) -> bool {
        let (time, table) = (self.time(), &self.model.contact_table);
        let met = self.model.colliders.iter().enumerate().filter(|(k, _)| groups.touches(table.collider(*k).groups));
        met.filter(|(_, c)| !matches!(c.shape, ColliderShape::Surface(_))).any(|(_, c)| {
            let pose = c.motion.pose(time);
            part.positions.iter().enumerate().any(|(k, &p)| {
                let radius = part.radii.get(k).copied().unwrap_or(part.radius);
                depth(&c.shape, &pose, p + shift, radius).0 > TOLERANCE * radius
            })
        })
    }

    /// Deactivates the particles of a body that is to be removed, if that can be done without a build; `handle` must be
    /// valid. Returns whether it was done.
    pub(super) fn deactivate(&mut self, handle: Handle) -> bool {
        // What is only known to the definition is simply removed from there.
        let Some(entry) = self.definition.get(handle).filter(|entry| entry.built) else { return false };
        let source = entry.source;
        if self.definition.changed && !matches!(self.append_added(), Ok(true)) {
            return false;
        }
        if self.remove_rigid(handle) {
            return true;
        }
        if source.kind != ObjectKind::Body || !self.is_appendable() {
            return false;
        }
        let Some(placed) = self.objects.find(source).copied() else { return false };
        let (range, gaps) = (placed.particles(), self.gaps + placed.particles().len());
        let gripped = self.model.grips.iter().any(|g| g.cluster.iter().any(|&i| range.contains(&(i as usize))));
        if gripped || gaps * MOST_GAPS > self.model.topology.objects.len() || placed.to.melts > placed.from.melts {
            return false;
        }
        self.origin();
        self.check_edits();
        self.refit_bodies();
        #[cfg(feature = "gpu")]
        if self.gpu.is_some() && !self.is_ready_to_deactivate() {
            return false;
        }
        self.empty_rows(&placed);
        #[cfg(feature = "gpu")]
        self.put_emptied(&placed);
        self.forget(source, &placed);
        self.structure_changed();
        true
    }

    /// Deactivates the particles of a removed body.
    pub(super) fn empty_rows(&mut self, placed: &Placed) {
        let (state, range) = (self.state.memory(), placed.particles());
        // Among the others: searches have cells for the space that all rows take.
        let [x, y, z, _] = state.rows[0];
        let row = [x, y, z, 0.0];
        for i in range.clone() {
            (state.rows[i], state.previous[i], state.velocities[i]) = (row, row, [0.0; 4]);
            state.phases[i] = INACTIVE;
            if let Some(first) = state.first_order.get_mut(i) {
                (*first, state.older[i], state.older_velocities[i]) = (true, row, [0.0; 4]);
            }
        }
        if let Some(shapes) = &mut state.shapes {
            range.clone().for_each(|row| shapes.leave(row));
            placed.bodies().for_each(|body| shapes.set_masses_of(body, &state.rows));
        }
        state.drop_contacts_of(&self.model.runs, &range);
    }

    /// Forgets a removed body, whose rows another one may take if it came after the model was built.
    pub(super) fn forget(&mut self, source: Source, placed: &Placed) {
        let rows = placed.particles();
        self.gaps += rows.len();
        self.removals += 1;
        let slot = Arc::make_mut(&mut self.objects).remove(source);
        let single = placed.objects().len() == 1 && placed.bodies().len() == 1;
        if single && rows.start >= self.first_slot {
            self.free_slots.extend(slot);
        }
    }

    /// After model and state have changed in place.
    pub(super) fn structure_changed(&mut self) {
        // A GPU has the change already.
        if let Some(state) = self.state.correct() {
            state.forget_bodies();
        }
        (self.fingerprint, self.parameters, self.bounds, self.index) = (None, None, None, None);
        (self.state_layout, self.pairs) = (None, None);
        self.forget_sleep();
        self.changes += 1;
    }
}

pub(super) fn definition(part: &Part, rows: &Range<usize>) -> BodyDef {
    let members = rows.clone().map(|i| i as u32).collect();
    let rigid = BodyDef::rigid(0..0);
    let (stiffness, plastic) = part.matching.as_ref().map_or((rigid.stiffness, None), |m| (m.stiffness, m.plastic));
    BodyDef { members, stiffness, plastic }
}

/// Writes the particles of a body into rows.
pub(super) fn place(model: &mut Model, state: &mut State, part: &Part, shift: Vec3, rows: Range<usize>, object: u32) {
    let v = [part.velocity.x, part.velocity.y, part.velocity.z, 0.0];
    for (k, i) in rows.clone().enumerate() {
        let p = part.positions[k] + shift;
        let row = [p.x, p.y, p.z, 1.0 / part.masses[k]];
        (state.rows[i], state.previous[i], state.velocities[i]) = (row, row, v);
        if let Some(first) = state.first_order.get_mut(i) {
            // No history: the first substep is of first order.
            (*first, state.older[i], state.older_velocities[i]) = (true, row, v);
        }
        let radius = part.radii.get(k).copied().unwrap_or(part.radius);
        (state.radii[i], model.topology.radii[i]) = (radius, radius);
        if let Some(rest) = model.rest.get_mut(i) {
            *rest = part.rest[k] + shift;
        }
        if let (Some(field), Some(own)) = (model.fields.get_mut(i), part.fields.get(k)) {
            *field = *own;
        }
    }
    state.phases[rows.clone()].fill(object + 1);
    model.topology.objects[rows].fill(object);
}

/// Lengthens all lists of particles, which [`place`] fills.
fn lengthen(model: &mut Model, state: &mut State, end: usize) {
    let State { rows, previous, velocities, older, older_velocities, .. } = state;
    let has_history = !older.is_empty();
    [rows, previous, velocities].into_iter().for_each(|list| list.resize(end, [0.0; 4]));
    if has_history {
        [older, older_velocities].into_iter().for_each(|list| list.resize(end, [0.0; 4]));
        state.first_order.resize(end, true);
    }
    state.radii.resize(end, 0.0);
    state.phases.resize(end, INACTIVE);
    model.topology.radii.resize(end, 0.0);
    model.topology.objects.resize(end, 0);
    if !model.rest.is_empty() {
        model.rest.resize(end, Vec3::ZERO);
    }
    if !model.topology.enters.is_empty() {
        model.topology.enters.resize(end, 0.0);
    }
    model.fields.resize(end, [0.0; 4]);
}

/// Room for `n` more particles of one object.
fn make_room(model: &mut Model, state: &mut State, n: usize) {
    let State { rows, previous, velocities, older, older_velocities, .. } = state;
    [rows, previous, velocities, older, older_velocities].into_iter().for_each(|list| extend_room(list, n));
    extend_room(&mut state.first_order, n);
    extend_room(&mut state.radii, n);
    extend_room(&mut state.phases, n);
    extend_room(&mut model.topology.radii, n);
    extend_room(&mut model.topology.objects, n);
    extend_room(&mut model.rest, n);
    extend_room(&mut model.fields, n);
    extend_room(&mut model.attachment_filter.offsets, n);
    extend_room(&mut model.free_islands, 1);
    extend_room(&mut model.topology.object_names, 1);
    extend_room(&mut model.topology.colors, 1);
    extend_room(&mut model.runs, n.div_ceil(RUN));
    extend_room(&mut state.contacts, n.div_ceil(RUN));
}

/// Room for `more` elements of a list that is in use.
fn extend_room<T>(list: &mut Vec<T>, more: usize) {
    if !list.is_empty() {
        grow(list, list.len() + more);
    }
}

/// Whether bodies can be appended to model and state.
fn is_appendable(model: &Model, state: &State) -> bool {
    state.particles >= LEAST_PARTICLES
        && state.rows.len() == state.particles
        && state.shapes.is_some()
        && model.particle_contact.is_some()
        && model.fluid.is_none()
        && model.surfaces.is_none()
        && model.skinned_meshes.is_none()
        && !matches!(model.settings.partition, Partition::Jacobi | Partition::JacobiGather)
}

/// Whether a part is a body of one shape and nothing else.
fn is_simple(part: &Part) -> bool {
    part.matching.as_ref().is_some_and(|m| m.regions.is_empty())
        && part.skinned_surface.is_none()
        && part.constraints.is_empty()
        && part.orientations.is_empty()
        && part.triangles.is_empty()
        && part.fields.len() == part.positions.len()
}
