//! Bodies that come and go in a large world on a GPU, at a cost in proportion to their size and without a read-back.
//!
//! Model, state and tables have inactive rows behind all others (`Model::room`). A new body takes some of them, or those of a
//! removed body of as many particles; only its own numbers are uploaded. When the room is used up, larger buffers take over
//! the state within the device.

use crate::builder::assembly::finish::RUN;
use crate::builder::layout::{ListLengths, Placed};
use crate::builder::part::Part;
use crate::error::StepError;
use crate::integration::momentum::FreeIsland;
use crate::model::{Model, Room};
use crate::neighbors::INACTIVE;
use crate::runtime::gpu::shader_constants::NONE;
use crate::solver::gpu::device_carry::{DeviceCarry, RowCounts};
use crate::state::State;
use crate::world::World;
use crate::world::append::{definition, place};
use crate::world::definition::Handle;
use crate::world::edit::EditError;
use glam::Vec3;
use std::sync::Arc;

/// Rows of new room, as a share of the particles and at least: larger buffers cost time in proportion to the world.
const ROOM_SHARE: usize = 16;
const LEAST_ROOM: usize = 8192;

/// Bodies of new room at least.
const LEAST_BODIES: usize = 64;

/// A body to be added, with the translations of its copies.
pub(super) type Addition = (Handle, Arc<Part>, Vec<Vec3>);

impl World {
    /// Puts bodies into free rows. Returns whether that could be done; nothing has changed otherwise.
    pub(super) fn append_on_device(&mut self, parts: Vec<Addition>) -> Result<bool, EditError> {
        if !self.takes(&parts) {
            return Ok(false);
        }
        self.origin();
        self.settle()?;
        let mut slots = self.free_slots.clone();
        let reused: Vec<Option<usize>> = parts
            .iter()
            .map(|(_, part, shifts)| {
                let fits = |&slot: &usize| self.objects.placed[slot].particles().len() == part.positions.len();
                let found = slots.iter().rposition(fits).filter(|_| shifts.len() == 1);
                found.map(|k| slots.swap_remove(k))
            })
            .collect();
        let new = || parts.iter().zip(&reused).filter(|(_, slot)| slot.is_none()).map(|(part, _)| part);
        let rows: usize = new().map(|(_, part, shifts)| part.positions.len() * shifts.len()).sum();
        let bodies: usize = new().map(|(_, _, shifts)| shifts.len()).sum();
        if rows > self.model.room.rows.len() || bodies > self.model.room.bodies {
            let smallest = new().map(|(_, part, _)| part.positions.len()).min().unwrap_or(1);
            self.make_room(rows, bodies, smallest)?;
        }
        self.free_slots = slots;
        for ((handle, part, shifts), slot) in parts.iter().zip(reused) {
            match slot {
                Some(slot) => self.refill(*handle, part, shifts[0], slot),
                None => self.take_room(*handle, part, shifts),
            }
        }
        Arc::make_mut(&mut self.definition).mark_built();
        self.appended = true;
        self.structure_changed();
        Ok(true)
    }

    /// Whether the passes that bodies need are there, and their radii are such that searches stay as fast as they are.
    fn takes(&mut self, parts: &[Addition]) -> bool {
        if self.model.room.radii == [0.0; 2] {
            let radii = &self.state.memory().radii;
            let (low, high) = radii.iter().fold((f32::INFINITY, 0.0_f32), |(l, h), &r| (l.min(r), h.max(r)));
            self.model.room.radii = [low, high];
        }
        let [low, high] = self.model.room.radii;
        let Some(gpu) = &self.gpu else { return false };
        parts.iter().all(|(_, part, _)| {
            let Some(matching) = &part.matching else { return false };
            let plastic = matching.plastic.is_some();
            let rigid = matching.stiffness.is_rigid() && !plastic;
            let alike = part.radii.iter().chain([&part.radius]).all(|r| (0.25 * low..=2.0 * high).contains(r));
            alike && gpu.takes_body(part.positions.len(), rigid, plastic, !part.fields.is_empty())
        })
    }

    /// Makes room for rows and bodies. After an error the world is as it was.
    fn make_room(&mut self, rows: usize, bodies: usize, smallest: usize) -> Result<(), StepError> {
        let Some(gpu) = &mut self.gpu else { return Ok(()) };
        let (model, state) = (&mut self.model, self.state.memory());
        let (n, before, room) = (state.particles, RowCounts::of(state), model.room.clone());
        let more = (n / ROOM_SHARE).max(LEAST_ROOM).max(rows);
        extend(model, state, more);
        let start = if room.rows.is_empty() { n } else { room.rows.start };
        let bodies = room.bodies + bodies.max(more / smallest.max(1)).max(LEAST_BODIES);
        model.room = Room { rows: start..n + more, bodies, radii: room.radii };
        let mut carried = DeviceCarry::identity(model, state);
        carried.rows[n..].fill(NONE);
        carried.before = before;
        match gpu.replaced(model, state, &carried) {
            Ok(next) => **gpu = next,
            Err(e) => {
                truncate(model, state, n);
                model.room = room;
                return Err(e.into());
            }
        }
        self.appended = true;
        self.first_slot = self.first_slot.min(start);
        Ok(())
    }

    /// Puts a body and its copies into free rows.
    fn take_room(&mut self, handle: Handle, part: &Part, shifts: &[Vec3]) {
        let Some(entry) = self.definition.get(handle) else { return };
        let (source, name) = (entry.source, entry.name.clone());
        let color = self.definition.scene.body[source.index].color;
        let own = self.definition.scene.contact_of(source.kind, source.index);
        let from = self.lengths_of_room();
        for (k, &shift) in shifts.iter().enumerate() {
            let (model, state) = (&mut self.model, self.state.memory());
            let object = model.topology.object_names.len() as u32;
            model.topology.object_names.push(if shifts.len() > 1 { format!("{name}[{k}]") } else { name.clone() });
            model.topology.colors.push(color);
            model.loose.push(false);
            model.contact_table.put(object, own);
            let rows = model.room.rows.start..model.room.rows.start + part.positions.len();
            (model.room.rows.start, model.room.bodies) = (rows.end, model.room.bodies - 1);
            place(model, state, part, shift, rows.clone(), object);
            let Some(shapes) = &mut state.shapes else { return };
            let body = shapes.len();
            shapes.append(&definition(part, &rows), &state.rows);
            if !model.free_islands.is_empty() {
                let particles = rows.clone().map(|i| i as u32).collect();
                model.free_islands.push(FreeIsland { particles, ..FreeIsland::default() });
            }
            if let Some(gpu) = &mut self.gpu {
                gpu.put_body(model, state, rows, body);
            }
        }
        let placed = Placed { source, from, to: self.lengths_of_room() };
        Arc::make_mut(&mut self.objects).push(placed);
    }

    /// Whether particles on a GPU can be deactivated: bodies are runs, and all steps are done.
    pub(super) fn is_ready_to_deactivate(&mut self) -> bool {
        let listed = |shapes: &crate::shape_matching::ShapeMatch| shapes.lists.is_some();
        !self.state.memory().shapes.as_ref().is_none_or(listed) && self.settle().is_ok()
    }

    /// Uploads the rows of a removed body, if there is a GPU.
    pub(super) fn put_emptied(&mut self, placed: &Placed) {
        let Some(gpu) = &mut self.gpu else { return };
        let (model, state) = (&mut self.model, self.state.memory());
        for body in placed.bodies() {
            let rows = state.shapes.as_ref().map_or(0..0, |shapes| shapes.run_of(body));
            gpu.put_body(model, state, rows, body);
        }
    }

    /// Where the lists that objects are appended to go on: their particles in the room.
    fn lengths_of_room(&mut self) -> ListLengths {
        let last = self.objects.placed.last().map_or(ListLengths::default(), |p| p.to);
        let bodies = self.state.memory().shapes.as_ref().map_or(0, |shapes| shapes.len());
        let objects = self.model.topology.object_names.len();
        ListLengths { particles: self.model.room.rows.start, objects, bodies, ..last }
    }
}

/// Appends inactive rows, of an object without a name.
fn extend(model: &mut Model, state: &mut State, more: usize) {
    let (first, end) = (state.particles, state.particles + more);
    let object = model.topology.object_names.len() as u32;
    model.topology.object_names.push(String::new());
    model.topology.colors.push(None);
    model.loose.push(false);
    // Somewhere among the others: searches measure the space that all rows take.
    let [x, y, z, _] = state.rows.first().copied().unwrap_or_default();
    let (row, radius) = ([x, y, z, 0.0], state.radii.first().copied().unwrap_or_default());
    state.rows.resize(end, row);
    state.previous.resize(end, row);
    state.velocities.resize(end, [0.0; 4]);
    if !state.older.is_empty() {
        state.older.resize(end, row);
        state.older_velocities.resize(end, [0.0; 4]);
        state.first_order.resize(end, true);
    }
    state.radii.resize(end, radius);
    state.phases.resize(end, INACTIVE);
    model.topology.radii.resize(end, radius);
    model.topology.objects.resize(end, object);
    if !model.topology.enters.is_empty() {
        model.topology.enters.resize(end, 0.0);
    }
    if let Some(&rest) = model.rest.first() {
        model.rest.resize(end, rest);
    }
    model.fields.resize(end, [0.0; 4]);
    model.attachment_filter.extend(more);
    state.particles = end;
    for start in (first..end).step_by(RUN) {
        model.runs.push(start..(start + RUN).min(end));
        state.contacts.push(Vec::new());
    }
    if let Some(shapes) = &mut state.shapes {
        shapes.extend_rows(end);
    }
}

/// Undoes [`extend`].
fn truncate(model: &mut Model, state: &mut State, n: usize) {
    for rows in [&mut state.rows, &mut state.previous, &mut state.older] {
        rows.truncate(n);
    }
    for rates in [&mut state.velocities, &mut state.older_velocities] {
        rates.truncate(n);
    }
    state.first_order.truncate(n);
    state.radii.truncate(n);
    state.phases.truncate(n);
    state.particles = n;
    model.topology.object_names.pop();
    model.topology.colors.pop();
    model.loose.pop();
    model.topology.radii.truncate(n);
    model.topology.objects.truncate(n);
    model.topology.enters.truncate(n);
    model.rest.truncate(n);
    model.fields.truncate(n);
    model.attachment_filter.truncate(n);
    model.runs.retain(|run| run.start < n);
    state.contacts.truncate(model.runs.len());
    if let Some(shapes) = &mut state.shapes {
        shapes.truncate_rows(n);
    }
}
