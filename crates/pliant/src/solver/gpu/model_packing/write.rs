//! Writes the parts of a model down, one after the other.

use crate::constraints::group::BLOCK;
use crate::contact::restitution::RestitutionLaw;
use crate::model::Model;
use crate::scene::{Method, Partition};
use crate::solver::gpu::fluid::FlowTables;
use crate::solver::gpu::layouts;
use crate::solver::gpu::model_packing::{GroupAt, NONE, Tables, common_radius, fields, first_outside};
use crate::solver::gpu::shader_constants::{AERO_TRIANGLE_WORDS, INFLATABLE_WORDS, MARKS, TIE_WORDS};
use crate::state::State;

impl Tables {
    pub(crate) fn put_groups(&mut self, model: &Model) {
        for group in &model.groups {
            let (layout, blocks) = (group.layout(), group.blocks());
            // Batches of patches come first and have their numbers on cards.
            let inside = first_outside(group) * BLOCK;
            let (rows, params) = (inside * layout.rows, inside * layout.params);
            self.groups.push(GroupAt {
                index: (self.topology.len() as u32).wrapping_sub(rows as u32),
                params: (self.params.len() as u32).wrapping_sub(params as u32),
                lambda: self.lambda as u32,
                slots: 0,
            });
            self.topology.extend_from_slice(&group.rows[rows..]);
            self.params.extend_from_slice(&group.params[params..]);
            self.lambda += blocks * layout.multipliers * BLOCK;
        }
    }

    pub(crate) fn put_rows(&mut self, model: &Model, state: &State) {
        self.params.push(common_radius(&state.radii));
        self.radii = self.params.len() as u32;
        self.params.extend_from_slice(&state.radii);
        self.spins = self.params.len() as u32;
        self.params.extend_from_slice(&model.spin_weights);
        self.island_bits = self.topology.len() as u32;
        let mut bits = vec![0_u32; state.particles.div_ceil(32)];
        for i in model.runs[..model.schedule.islands].iter().flat_map(|run| run.clone()) {
            bits[i / 32] |= 1 << (i % 32);
        }
        self.topology.extend(bits);
    }

    pub(crate) fn put_contacts(&mut self, model: &Model, state: &State) {
        let colliders = model.colliders.len();
        self.masks = MARKS;
        let copies = if self.fused { model.phantoms.seams } else { 0 };
        // Copies have their own.
        let masks = if colliders > 0 { (state.particles + copies) * colliders.div_ceil(32) } else { 0 };
        self.first_order = MARKS + masks as u32;
        self.exchange = self.first_order + state.first_order.len() as u32;
        self.marks = self.exchange as usize + 2 * 4 * copies;
        let arrays = if state.older.is_empty() { 2 } else { 4 };
        let forces = arrays * state.velocities.len();
        let shadows = forces + if model.aero_surfaces.triangles.is_empty() { 0 } else { state.particles };
        // Where they started, and their velocities; with a history nobody runs on.
        self.motion = shadows + if arrays == 2 { 2 * copies } else { 0 };
        (self.forces, self.shadows) = (forces as u32, shadows as u32);
        self.pushes = 0;
        self.work = state.rows.len() * colliders;
    }

    pub(crate) fn put_flow(&mut self, model: &Model, state: &State) {
        let Some(fluid) = &model.fluid else { return };
        let (n, h) = (state.particles, model.settings.dt / model.settings.substeps as f32);
        self.flow = FlowTables::new(fluid, n, self.work, self.topology.len(), self.params.len(), h);
        self.work += self.flow.work;
        self.topology.extend(std::iter::repeat_n(0, n));
        self.params.extend((0..n).map(|i| fluid.radius_of(i)));
        // Where particles will be.
        self.nexts = self.work as u32;
        self.work += if model.particle_contact.is_none() { n } else { 0 };
    }

    pub(crate) fn put_meets(&mut self, model: &Model, state: &State) {
        if model.particle_contact.is_none() {
            return;
        }
        self.meets = self.work as u32;
        self.nexts = (self.work + state.particles) as u32;
        let packed = 2 * state.particles;
        let first = self.nexts + state.particles as u32;
        self.packed = [first, first + packed as u32];
        self.work = first as usize + 2 * packed;
        if state.shapes.as_ref().is_some_and(|s| !model.fields.is_empty() && s.in_runs()) {
            self.fields = (self.work as u32, self.fixtures.len() as u32);
            self.work += state.particles;
            self.fixtures.extend(fields(model, state));
        }
        self.phases = self.topology.len() as u32;
        self.topology.extend_from_slice(&state.phases);
        if !model.attachment_filter.is_empty() {
            self.attachment_filter = self.topology.len() as u32;
            self.topology.extend_from_slice(&model.attachment_filter.offsets);
            self.topology.extend_from_slice(&model.attachment_filter.objects);
        }
        self.rest = self.params.len() as u32;
        for (place, &object) in model.rest.iter().zip(&model.topology.objects) {
            let loose = model.loose.get(object as usize).copied().unwrap_or(false);
            // Object numbers are exact in single precision: there are fewer than particles. Those of loose ones are
            // below 0, from -1 on.
            self.params.extend([place.x, place.y, place.z, if loose { -1.0 - object as f32 } else { object as f32 }]);
        }
    }

    pub(crate) fn put_bounces(&mut self, model: &Model, state: &State) {
        if !model.has_restitution() {
            return;
        }
        self.bounces = (self.work as u32, self.fixtures.len() as u32);
        self.work += state.particles;
        for c in &model.colliders {
            let RestitutionLaw { restitution, rest_speed: still, rolling_damping: drag } =
                model.restitution_law(c.restitution, c.rolling);
            self.fixtures.push([restitution, still, drag, 0.0].map(f32::to_bits));
        }
    }

    pub(crate) fn put_ties(&mut self, model: &Model, state: &State) {
        let phantoms = &model.phantoms;
        self.seams = self.topology.len() as u32;
        for tie in &phantoms.ties {
            let words: [u32; TIE_WORDS as usize] = [tie.owner, tie.first, tie.count, tie.weight.to_bits()];
            self.topology.extend(words);
        }
        self.seam_of = self.topology.len() as u32;
        let mut of = vec![NONE; state.particles];
        if self.fused {
            for (k, tie) in phantoms.ties.iter().enumerate().take_while(|(_, tie)| phantoms.on_seam(tie.first)) {
                of[tie.owner as usize] = k as u32;
            }
        }
        self.topology.extend(of);
    }

    pub(crate) fn put_jacobi(&mut self, model: &Model) {
        if !matches!(model.settings.partition, Partition::Jacobi | Partition::JacobiGather) {
            return;
        }
        self.jacobi_slots = self.work as u32;
        let mut slots = 0;
        for (at, group) in self.groups.iter_mut().zip(&model.groups) {
            at.slots = slots as u32;
            slots += group.blocks() * group.layout().rows * BLOCK;
        }
        self.work += slots;
        let incidence = &model.incidence;
        let offsets = self.topology.len() as u32;
        self.topology.extend_from_slice(&incidence.offsets);
        self.incidence = (offsets, self.topology.len() as u32);
        self.topology.extend(incidence.entries.iter().map(|e| {
            let n = model.groups[usize::from(e.group)].layout().rows;
            let (block, lane) = (e.slot as usize / BLOCK, e.slot as usize % BLOCK);
            self.groups[usize::from(e.group)].slots + ((block * n + usize::from(e.place)) * BLOCK + lane) as u32
        }));
        if model.settings.method == Method::Xpbd {
            self.counts = self.params.len() as u32;
            self.params.extend(incidence.offsets.windows(2).map(|w| (w[1] - w[0]) as f32));
        }
    }

    pub(crate) fn put_sails(&mut self, model: &Model) {
        let aero_surfaces = &model.aero_surfaces;
        let particles = self.topology.len() as u32;
        for (&i, &first) in aero_surfaces.particles.iter().zip(&aero_surfaces.offsets) {
            self.topology.extend([i, first]);
        }
        self.topology.extend([NONE, aero_surfaces.offsets.last().copied().unwrap_or(0)]);
        let triangles = self.topology.len() as u32;
        for (&[a, b, c], &air) in aero_surfaces.triangles.iter().zip(&aero_surfaces.air) {
            let words: [u32; AERO_TRIANGLE_WORDS as usize] = [a, b, c, u32::from(air)];
            self.topology.extend(words);
        }
        let incident = self.topology.len() as u32;
        self.topology.extend_from_slice(&aero_surfaces.incident);
        self.aero_surfaces = (particles, triangles, incident, self.fixtures.len() as u32);
        let airs = aero_surfaces.airs.iter().map(layouts::Air::from);
        self.fixtures.extend(airs.map(|a| [a.half_density, a.drag, a.lift, a.spare].map(f32::to_bits)));
    }

    pub(crate) fn put_inflatables(&mut self, model: &Model) {
        self.inflatable_params = self.params.len() as u32;
        self.inflatable_lambda = self.lambda as u32;
        let mut directory = Vec::new();
        for body in &model.inflatables {
            let offsets = self.topology.len() as u32;
            self.topology.extend_from_slice(&body.offsets);
            let corners = self.topology.len() as u32;
            self.topology.extend(body.corners.as_flattened());
            let triangles = self.topology.len() as u32;
            self.topology.extend(body.triangles.as_flattened());
            let words: [u32; INFLATABLE_WORDS as usize] = [
                body.run().start as u32,
                body.particles.len() as u32,
                offsets,
                corners,
                triangles,
                body.triangles.len() as u32,
                self.params.len() as u32,
                self.lambda as u32,
                self.work as u32,
            ];
            directory.extend(words);
            self.params.extend([body.pressure * body.rest_volume, body.softness]);
            self.lambda += 1;
            self.work += body.particles.len();
        }
        self.inflatables = self.topology.len() as u32;
        self.topology.extend(directory);
    }

    pub(crate) fn put_pins(&mut self, model: &Model, state: &State) {
        let list = self.topology.len() as u32;
        let places = self.fixtures.len() as u32;
        for (pose, pins) in model.pins.iter().enumerate() {
            let rest = pins.motion.pose(0.0);
            for (&i, &origin) in pins.particles.iter().zip(&pins.origins) {
                self.topology.extend([i, pose as u32]);
                self.fixtures.push(rest.inward(origin).extend(0.0).to_array().map(f32::to_bits));
            }
            for (&q, &turn) in pins.orientations.iter().zip(&pins.turns) {
                self.topology.extend([state.particles as u32 + q, pose as u32]);
                self.fixtures.push((rest.rotation.conjugate() * turn).to_array().map(f32::to_bits));
            }
        }
        self.pins = (list, places);
        self.pinned = self.fixtures.len() as u32 - places;
    }
}
