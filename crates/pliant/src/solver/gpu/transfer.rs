//! What goes to the device and comes back from it when somebody looks at the state or changes it.

use crate::model::Model;
use crate::runtime::gpu::error::GpuError;
use crate::solver::gpu::fluid::FlowTables;
use crate::solver::gpu::model_packing::{self, NONE};
use crate::solver::gpu::rigid_mass_splitting;
use crate::solver::gpu::shape_matching::ShapeTables;
use crate::solver::gpu::status_readback::{self, Signal};
use crate::solver::gpu::{Gpu, Readback};
use crate::state::State;
use std::ops::Range;

impl Gpu {
    /// Waits and reads the state back, and what contacts have done.
    pub(crate) fn download(&self, model: &Model, state: &mut State) -> Result<Readback, GpuError> {
        if self.has_lists() {
            self.make_room(model)?;
        }
        let (mut readback, mut found, mut carried) = (Readback::default(), Ok(Signal::Fine), Vec::new());
        let n = state.particles;
        self.buffers.download(&self.device, state, &self.tables, |pushes, marks| {
            found = status_readback::read(marks);
            readback.contacts = self.tables.pushes(model, n, pushes, marks).collect();
            readback.pairs = self.tables.pairs(n, pushes);
            carried = self.tables.flow.seen(n, pushes).to_vec();
        })?;
        FlowTables::download(&carried, state);
        self.tables.patches.packed_batches.iter().for_each(|packed_batch| packed_batch.gather(&mut state.multipliers));
        self.read_poses(state)?;
        state.substeps = self.substeps;
        state.time = self.records.time(self.substeps);
        if let Signal::Ran(divergence) = found? {
            readback.divergence = Some(divergence);
        }
        Ok(readback)
    }

    /// Puts a changed state on the device.
    pub(crate) fn upload(&mut self, model: &Model, state: &State) {
        self.substeps = state.substeps;
        self.upload_bodies(model, state);
        self.upload_poses(state);
        self.buffers.upload_state(&self.device, state, &self.tables);
        self.tables.flow.upload(&self.device, &self.buffers, model, state);
        // Radii stand among the parameters, which are uploaded whole when others of them change.
        let changed = self.tables.change_radii(&state.radii);
        let at = 4 * changed.start as u64;
        self.buffers.write(&self.device, &self.buffers.params, at, &self.tables.params[changed]);
        if let Some(mut particle_contacts) = self.lock_contacts() {
            particle_contacts.refresh(&self.device, state);
        }
        if self.particle_contacts.is_some() {
            let at = 4 * u64::from(self.tables.phases);
            self.buffers.write(&self.device, &self.buffers.topology, at, &state.phases);
        }
    }

    /// Puts on the device what bodies weigh, and how deep their particles are.
    pub(crate) fn upload_bodies(&mut self, model: &Model, state: &State) {
        let (Some(here), Some(there)) = (&self.shapes, &state.shapes) else { return };
        let first = self.tables.shapes.uniforms.sums as usize;
        self.tables.shapes = ShapeTables::new(model, there, state.particles, first);
        here.upload(&self.device, &self.tables.shapes);
        let mut put = |at: u32, vectors: &[[u32; 4]]| {
            self.tables.fixtures[at as usize..][..vectors.len()].copy_from_slice(vectors);
            self.buffers.write(&self.device, &self.buffers.fixtures, 16 * u64::from(at), vectors);
        };
        if self.tables.mass_splitting != NONE {
            put(self.tables.mass_splitting, &rigid_mass_splitting::mass_splitting(there, state.particles));
        }
        let (fields, at_rest) = self.tables.fields;
        if fields != NONE && !(model.melts.is_empty() && model.freezes.is_empty()) {
            put(at_rest, &model_packing::fields(model, state));
        }
    }

    /// Brings where some particles are to the host. The steps before must be done.
    pub(crate) fn read_places(&self, state: &mut State, range: Range<usize>) -> Result<(), GpuError> {
        self.buffers.read_places(&self.device, state, range)
    }

    /// The same with velocities.
    pub(crate) fn read_particles(&self, state: &mut State, range: Range<usize>) -> Result<(), GpuError> {
        self.read_places(state, range.clone())?;
        self.buffers.read_velocities(&self.device, state, range)
    }

    /// The same with what pressure did.
    pub(crate) fn read_all(&self, state: &mut State, range: Range<usize>) -> Result<(), GpuError> {
        self.read_particles(state, range.clone())?;
        self.tables.flow.read_carried(&self.device, &self.buffers, state, range)
    }

    /// Brings to the host where bodies are. The steps before must be done.
    pub(crate) fn read_poses(&self, state: &mut State) -> Result<(), GpuError> {
        match (&self.shapes, &mut state.shapes) {
            (Some(here), Some(there)) => here.download(&self.device, there),
            _ => Ok(()),
        }
    }

    /// Puts on the device where bodies are.
    pub(crate) fn upload_poses(&self, state: &State) {
        if let (Some(here), Some(there)) = (&self.shapes, &state.shapes) {
            here.upload_poses(&self.device, there);
        }
    }

    /// Puts on the device how fast some particles are; they have no past then.
    pub(crate) fn upload_velocities(&self, state: &State, range: Range<usize>) {
        self.buffers.upload_velocities(&self.device, state, &self.tables, range);
    }

    /// Puts some particles of a state on the device, whatever the others do there. The steps before must be done.
    pub(crate) fn upload_particles(&self, model: &Model, state: &State, particles: &[u32]) {
        for run in particles.chunk_by(|a, b| a + 1 == *b) {
            self.upload_run(model, state, run[0] as usize..run[0] as usize + run.len());
        }
    }

    fn upload_run(&self, model: &Model, state: &State, range: Range<usize>) {
        self.buffers.upload_particles(&self.device, state, &self.tables, range.clone());
        if let Some(fluid) = &model.fluid {
            self.tables.flow.upload_phases(&self.device, &self.buffers, fluid, state, range.clone());
            self.tables.flow.upload_carried(&self.device, &self.buffers, state, range.clone());
        }
        let words = model.colliders.len().div_ceil(32);
        let masks = vec![0_u32; words * range.len()];
        let at = 4 * (u64::from(self.tables.masks) + (words * range.start) as u64);
        self.buffers.write(&self.device, &self.buffers.marks, at, &masks);
        if self.particle_contacts.is_some() {
            let at = 4 * (u64::from(self.tables.phases) + range.start as u64);
            self.buffers.write(&self.device, &self.buffers.topology, at, &state.phases[range]);
        }
    }

    /// Puts changed parameters on the device.
    pub(crate) fn upload_params(&mut self, model: &Model) {
        self.tables.refresh_params(model);
        self.buffers.upload_params(&self.device, &self.tables);
    }
}
