//! Bodies that are put into rows kept free for them: only their own numbers are uploaded.

use crate::contact::gpu::mass_splitting;
use crate::contact::gpu::tables::contact_vector;
use crate::contact::particle_contact::search_radius;
use crate::math::RowData;
use crate::model::Model;
use crate::runtime::gpu::tables::Vector;
use crate::shape_matching::gpu::tables::PIECE;
use crate::solver::gpu::Gpu;
use crate::solver::gpu::model_packing::step_settings;
use crate::state::State;
use std::ops::Range;

impl Gpu {
    /// Whether a body of so many particles can be put into free rows: the passes that it needs are there, and its rows fit
    /// one piece. `fields`: it has shortest ways out.
    pub(crate) fn takes_body(&self, count: usize, rigid: bool, plastic: bool, fields: bool) -> bool {
        let (contact, shapes) = (&self.tables.contact, &self.tables.shapes);
        count <= PIECE
            && !shapes.lists
            && contact.particles.is_some_and(|p| !fields || p.fields.is_some())
            && contact.surface_bodies.is_none()
            && contact.environments.is_none()
            && (!plastic || shapes.plastic)
            && (!rigid || contact.mass_splitting.is_some())
    }

    /// Uploads a body of consecutive rows, and what tables say of these: after it was put there, or deactivated. All earlier
    /// steps must be done.
    pub(crate) fn put_body(&mut self, model: &Model, state: &State, rows: Range<usize>, body: usize) {
        self.upload_run(model, state, rows.clone());
        self.put_radii(state, rows.clone());
        self.put_contact_tables(model, rows.clone());
        let (Some(here), Some(shapes)) = (&self.bodies, &state.shapes) else { return };
        for changed in self.tables.shapes.put_body(step_settings(model), shapes, body) {
            here.upload_some(&self.device, &self.tables.shapes, changed.clone());
            self.buffers.count_written(16 * changed.len() as u64);
        }
        here.upload_some_poses(&self.device, shapes, body..body + 1);
        if let Some(tables) = self.tables.contact.mass_splitting {
            let own = mass_splitting::shares_of(shapes, body);
            self.put_constants(tables.shares + rows.start as u32, &own);
        }
        if let Some((at, words)) = self.tables.momentum.put_island(&model.free_islands, &rows) {
            self.tables.arena.topology[at as usize..][..words.len()].copy_from_slice(&words);
            self.buffers.write(&self.device, &self.buffers.topology, 4 * u64::from(at), &words);
        }
    }

    /// Uploads rows, velocities and pose of a body that was moved. All earlier steps must be done.
    pub(crate) fn put_moved_body(&self, model: &Model, state: &State, rows: Range<usize>, body: usize) {
        self.upload_run(model, state, rows);
        if let (Some(here), Some(shapes)) = (&self.bodies, &state.shapes) {
            here.upload_some_poses(&self.device, shapes, body..body + 1);
        }
    }

    fn put_radii(&mut self, state: &State, rows: Range<usize>) {
        let arena = &mut self.tables.arena;
        let (radii, search) = (self.tables.radii as usize, self.tables.search_radii as usize);
        arena.params[radii + rows.start..radii + rows.end].copy_from_slice(&state.radii[rows.clone()]);
        for i in rows.clone() {
            arena.params[search + i] = search_radius(state.radii[i]);
        }
        // The word before them is the common radius, or negative where they differ.
        if rows.clone().any(|i| state.radii[i] != arena.params[radii - 1]) {
            arena.params[radii - 1] = -1.0;
            self.write_params(radii - 1..radii);
        }
        for first in [radii, search] {
            self.write_params(first + rows.start..first + rows.end);
        }
    }

    fn put_contact_tables(&mut self, model: &Model, rows: Range<usize>) {
        if let Some(at) = self.tables.contact.object_contacts {
            let own = |&object: &u32| contact_vector(&model.contact_table.object(object));
            let vectors: Vec<Vector> = model.topology.objects[rows.clone()].iter().map(own).collect();
            self.put_constants(at + rows.start as u32, &vectors);
        }
        let Some(tables) = self.tables.contact.particles else { return };
        if !model.rest.is_empty() {
            let at = tables.rest as usize + 4 * rows.start;
            for (k, i) in rows.clone().enumerate() {
                let (place, object) = (model.rest[i], model.topology.objects[i]);
                let own: RowData = [place.x, place.y, place.z, object as f32];
                self.tables.arena.params[at + 4 * k..][..4].copy_from_slice(&own);
            }
            self.write_params(at..at + 4 * rows.len());
        }
        if let Some(fields) = tables.fields {
            let own: Vec<Vector> = model.fields[rows.clone()].iter().map(|field| field.map(f32::to_bits)).collect();
            self.put_constants(fields.at_rest + rows.start as u32, &own);
        }
    }

    fn put_constants(&mut self, at: u32, vectors: &[Vector]) {
        self.tables.arena.constants[at as usize..][..vectors.len()].copy_from_slice(vectors);
        self.buffers.write(&self.device, &self.buffers.constants, 16 * u64::from(at), vectors);
    }

    fn write_params(&self, range: Range<usize>) {
        let at = 4 * range.start as u64;
        self.buffers.write(&self.device, &self.buffers.params, at, &self.tables.arena.params[range]);
    }
}
