//! Upload and readback of the state.

use crate::contact::gpu::mass_splitting;
use crate::contact::gpu::tables::surface_fields;
use crate::fluid::gpu::tables::FluidTables;
use crate::math::RowData;
use crate::model::Model;
use crate::runtime::gpu::buffers::read;
use crate::runtime::gpu::error::GpuError;
use crate::runtime::gpu::shader_constants::NONE;
use crate::solver::gpu::state_transfer;
use crate::solver::gpu::status_readback::{self, Signal};
use crate::solver::gpu::{Gpu, Readback};
use crate::state::State;
use std::ops::Range;

impl Gpu {
    /// Waits and reads back the state and the active contacts.
    pub(crate) fn download(&self, model: &Model, state: &mut State) -> Result<Readback, GpuError> {
        if self.has_lists() {
            let _ = self.regrow_lists(model)?;
        }
        let (mut readback, mut found, mut carried) = (Readback::default(), Ok(Signal::Fine), Vec::new());
        let mut contacts = Vec::new();
        let n = state.particles;
        let (tables, device) = (&self.tables, &self.device);
        state_transfer::download(device, &self.buffers, state, tables, |work, flags| {
            found = status_readback::read(flags);
            let slot = |i| self.impulse_slot(model, i);
            contacts = tables.contact.colliders.contacts(&model.environments, n, work, flags, slot).collect();
            readback.pairs = tables.contact.active_pairs(n, work);
            carried = tables.fluid.seen(n, work).to_vec();
        })?;
        FluidTables::download(&carried, state);
        state.set_contacts(&model.runs, &contacts);
        tables.patches.packed_batches.iter().for_each(|batch| batch.restore(&mut state.multipliers));
        self.read_poses(state)?;
        state.rigid_bodies.clone_from(&self.rigid_bodies.state);
        state.substeps = self.substeps;
        state.time = self.records.time(self.substeps);
        readback.divergence = self.rigid_bodies.diverged;
        if let Signal::Diverged(divergence) = found? {
            readback.divergence = Some(divergence);
        }
        Ok(readback)
    }

    /// Row of a particle's collider impulses: its own, or that of its first copy.
    fn impulse_slot(&self, model: &Model, particle: usize) -> usize {
        let seam = self.tables.arena.topology[self.tables.seam_of as usize + particle];
        if seam == NONE { particle } else { model.phantoms.ties[seam as usize].first as usize }
    }

    /// Uploads a changed state.
    pub(crate) fn upload(&mut self, model: &Model, state: &State) {
        self.substeps = state.substeps;
        self.rigid_bodies.put(&state.rigid_bodies);
        self.upload_bodies(model, state);
        self.upload_poses(state);
        state_transfer::upload_state(&self.device, &self.buffers, state, &self.tables);
        if self.tables.contact.mass_splitting.is_some() {
            let slot = |i| self.impulse_slot(model, i);
            let tables = &self.tables.contact.colliders;
            tables.upload(&self.device, &self.buffers, &model.environments, &state.contacts, slot);
        }
        self.tables.fluid.upload(&self.device, &self.buffers, &model.fluid_model(), state);
        // Radii are part of the parameters, which are uploaded whole when others change.
        let changed = self.tables.change_radii(&state.radii);
        let at = 4 * changed.start as u64;
        self.buffers.write(&self.device, &self.buffers.params, at, &self.tables.arena.params[changed]);
        if let Some(particles) = self.tables.contact.particles {
            particles.upload_phases(&self.device, &self.buffers, state, 0..state.phases.len());
        }
    }

    /// Uploads masses of bodies, and depths of their particles.
    pub(crate) fn upload_bodies(&mut self, model: &Model, state: &State) {
        let (Some(here), Some(there)) = (&self.bodies, &state.shapes) else { return };
        self.tables.refresh_shapes(model, there, state.particles);
        here.upload(&self.device, &self.tables.shapes);
        let (mass_splitting, particles) = (self.tables.contact.mass_splitting, self.tables.contact.particles);
        let mut put = |at: u32, vectors: &[[u32; 4]]| {
            self.tables.arena.constants[at as usize..][..vectors.len()].copy_from_slice(vectors);
            self.buffers.write(&self.device, &self.buffers.constants, 16 * u64::from(at), vectors);
        };
        if let Some(tables) = mass_splitting {
            put(tables.shares, &mass_splitting::shares(there, state.particles));
        }
        let fields = particles.and_then(|p| p.fields);
        if let Some(fields) = fields.filter(|_| !(model.melts.is_empty() && model.freezes.is_empty())) {
            put(fields.at_rest, &surface_fields(&model.contact(), state));
        }
    }

    /// Reads back the positions of a range of particles. All earlier steps must be done.
    pub(crate) fn read_places(&self, state: &mut State, range: Range<usize>) -> Result<(), GpuError> {
        self.buffers.count_read(16 * range.len() as u64);
        state_transfer::read_places(&self.device, &self.buffers, state, range)
    }

    /// Reads back positions and velocities.
    pub(crate) fn read_particles(&self, state: &mut State, range: Range<usize>) -> Result<(), GpuError> {
        self.read_places(state, range.clone())?;
        self.buffers.count_read(16 * range.len() as u64);
        state_transfer::read_velocities(&self.device, &self.buffers, state, range)
    }

    /// Reads back positions, velocities and the pressure warm start.
    pub(crate) fn read_all(&self, state: &mut State, range: Range<usize>) -> Result<(), GpuError> {
        self.read_particles(state, range.clone())?;
        self.buffers.count_read(16 * range.len() as u64);
        self.tables.fluid.read_carried(&self.device, &self.buffers, state, range)
    }

    /// Reads back the rows with these numbers, ascending, and with `multipliers` those of all constraints, in one go. All earlier
    /// steps must be done.
    pub(crate) fn read_some_rows(&self, state: &mut State, rows: &[u32], multipliers: bool) -> Result<(), GpuError> {
        let runs: Vec<&[u32]> = rows.chunk_by(|a, b| a + 1 == *b).collect();
        let part = |run: &&[u32]| (&self.buffers.rows, 16 * u64::from(run[0]), 16 * run.len() as u64);
        let mut parts: Vec<_> = runs.iter().map(part).collect();
        let numbers = state.multipliers.iter().map(Vec::len).sum::<usize>() + state.inflate_multipliers.len();
        if multipliers {
            parts.push((&self.buffers.lambda, 0, 4 * numbers as u64));
        }
        self.buffers.count_read(parts.iter().map(|(_, _, bytes)| bytes).sum());
        let words = self.device.download_parts(&parts)?;
        let (of_rows, mut left) = words.split_at(4 * rows.len());
        for (&row, four) in rows.iter().zip(of_rows.chunks_exact(4)) {
            state.rows[row as usize] = [0, 1, 2, 3].map(|k| f32::from_bits(four[k]));
        }
        if multipliers {
            for group in state.multipliers.iter_mut().chain(std::iter::once(&mut state.inflate_multipliers)) {
                let (own, rest) = left.split_at(group.len());
                group.iter_mut().zip(own).for_each(|(to, &word)| *to = f32::from_bits(word));
                left = rest;
            }
            self.tables.patches.packed_batches.iter().for_each(|batch| batch.restore(&mut state.multipliers));
        }
        Ok(())
    }

    /// Reads positions from particle `first` on. All earlier steps must be done.
    pub(crate) fn read_rows(&self, first: usize, to: &mut [RowData]) -> Result<(), GpuError> {
        self.buffers.count_read(size_of_val(to) as u64);
        read(&self.device, &self.buffers.rows, first, to)
    }

    /// The same of velocities, of `solid` particles and orientations.
    pub(crate) fn read_velocity_rows(&self, solid: usize, first: usize, to: &mut [RowData]) -> Result<(), GpuError> {
        self.buffers.count_read(size_of_val(to) as u64);
        read(&self.device, &self.buffers.motion, solid + first, to)
    }

    /// Uploads ranges of particles, orientations and bodies of a state; particles have no history.
    pub(crate) fn upload_parts(
        &self,
        model: &Model,
        state: &State,
        particles: &[Range<usize>],
        orientations: &[Range<usize>],
        bodies: &[Range<usize>],
    ) {
        let solid = state.velocities.len();
        for range in particles {
            self.upload_run(model, state, range.clone());
            if !state.first_order.is_empty() {
                state_transfer::upload_order(&self.device, &self.buffers, &self.tables, range.clone());
            }
        }
        for range in orientations {
            state_transfer::upload_rows(&self.device, &self.buffers, state, range.clone());
        }
        debug_assert!(orientations.iter().all(|range| range.end <= solid));
        if let (Some(here), Some(there)) = (&self.bodies, &state.shapes) {
            bodies.iter().for_each(|range| here.upload_some_poses(&self.device, there, range.clone()));
        }
    }

    /// Reads back poses of bodies. All earlier steps must be done.
    pub(crate) fn read_poses(&self, state: &mut State) -> Result<(), GpuError> {
        match (&self.bodies, &mut state.shapes) {
            (Some(here), Some(there)) => {
                self.buffers.count_read(here.poses().size());
                here.download(&self.device, there)
            }
            _ => Ok(()),
        }
    }

    /// Reads back the poses of some bodies. All earlier steps must be done.
    pub(crate) fn read_some_poses(&self, state: &mut State, bodies: Range<usize>) -> Result<(), GpuError> {
        match (&self.bodies, &mut state.shapes) {
            (Some(here), Some(there)) if !bodies.is_empty() => {
                self.buffers.count_read(here.pose_bytes() * bodies.len() as u64);
                here.download_some(&self.device, there, bodies)
            }
            _ => Ok(()),
        }
    }

    /// Uploads poses of bodies.
    pub(crate) fn upload_poses(&self, state: &State) {
        if let (Some(here), Some(there)) = (&self.bodies, &state.shapes) {
            here.upload_poses(&self.device, there);
        }
    }

    /// Uploads velocities of a range of particles and clears their history.
    pub(crate) fn upload_velocities(&self, state: &State, range: Range<usize>) {
        state_transfer::upload_velocities(&self.device, &self.buffers, state, &self.tables, range);
    }

    /// Uploads some particles of a state; the others keep their values on the device. All earlier steps must be done.
    pub(crate) fn upload_particles(&self, model: &Model, state: &State, particles: &[u32]) {
        for run in particles.chunk_by(|a, b| a + 1 == *b) {
            self.upload_run(model, state, run[0] as usize..run[0] as usize + run.len());
        }
    }

    /// Uploads positions, velocities and phases of a run of particles, and drops their contacts.
    pub(crate) fn upload_run(&self, model: &Model, state: &State, range: Range<usize>) {
        state_transfer::upload_particles(&self.device, &self.buffers, state, &self.tables, range.clone());
        if let Some(fluid) = &model.fluid {
            self.tables.fluid.upload_phases(&self.device, &self.buffers, fluid, state, range.clone());
            self.tables.fluid.upload_carried(&self.device, &self.buffers, state, range.clone());
        }
        self.tables.contact.colliders.clear_masks(&self.device, &self.buffers, range.clone());
        if let Some(particles) = self.tables.contact.particles {
            particles.upload_phases(&self.device, &self.buffers, state, range);
        }
    }

    /// Which groups of objects sleep. All earlier steps must be done.
    pub(crate) fn asleep(&self) -> Result<Vec<bool>, GpuError> {
        self.tables.sleep.download(&self.device, &self.buffers)
    }

    /// Says which groups of objects sleep; the others are awake.
    pub(crate) fn put_asleep(&self, asleep: &[bool]) {
        if self.tables.sleep.acts() {
            self.tables.sleep.upload(&self.device, &self.buffers, asleep);
        }
    }

    /// Wakes a group of objects.
    pub(crate) fn wake(&self, group: u32) {
        let (at, count) = self.tables.sleep.words();
        if (group as usize) < count {
            self.buffers.write(&self.device, &self.buffers.flags, 4 * u64::from(at + group), &[0_u32]);
        }
    }

    /// Grips for which there is room.
    pub(crate) fn grip_room(&self) -> usize {
        self.tables.grips.room
    }

    /// Uploads a grip, for which there must be room.
    pub(crate) fn upload_grip(&mut self, model: &Model, slot: usize) {
        let island = |i| model.free_island_of(i);
        self.tables.grips.upload(&self.device, &self.buffers, slot, &model.grips[slot], island);
    }

    /// Uploads the target of a grip.
    pub(crate) fn upload_grip_target(&mut self, model: &Model, slot: usize) {
        self.tables.grips.upload_target(&self.device, &self.buffers, slot, &model.grips[slot]);
    }

    /// Multiplier of a grip in the last substep [kg·m]; waits for it.
    pub(crate) fn grip_multiplier(&self, grip: usize) -> Result<[f32; 3], GpuError> {
        let at = 16 * (u64::from(self.tables.grips.multipliers) + grip as u64);
        let words = self.device.download_some(&self.buffers.work, at, 16)?;
        Ok([0, 1, 2].map(|k| f32::from_bits(words[k])))
    }

    /// Uploads records of substeps after gravity, wind, damping, motions or friction of colliders have changed.
    pub(crate) fn upload_records(&mut self, model: &Model) {
        let sizes = (model.topology.objects.len(), model.topology.objects.len() + model.spin_inv_inertias.len());
        self.records.refresh(model, sizes, &self.tables);
        self.records.upload_fixed(&self.device, &self.buffers, model);
    }

    /// Uploads constraint parameters.
    pub(crate) fn upload_params(&mut self, model: &Model) {
        self.tables.refresh_params(model);
        self.buffers.upload_params(&self.device, &self.tables.arena);
    }
}
