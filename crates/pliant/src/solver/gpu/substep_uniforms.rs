//! Uniforms of each substep: step length, poses of colliders, positions of pins.
//!
//! If nothing is kinematic, two records are enough: one for the very first substep (BDF2 starts with
//! BDF1) and one for all others. Otherwise each submission uploads one for each of its substeps.

use crate::contact::gpu::constants::COLLIDER_VECTORS;
use crate::contact::gpu::layouts::{moving_bodies, moving_colliders};
use crate::integration::gpu::{pin_poses, pose_vectors};
use crate::math::{Pose, RowData};
use crate::model::Model;
use crate::runtime::gpu::buffers::Buffers;
use crate::runtime::gpu::device::Device;
use crate::schedule::gpu::Substep;
use crate::schedule::gpu::constants::SECOND_ORDER;
use crate::settings::Settings;
use crate::solver::gpu::model_packing::Tables;
use crate::state::State;

/// Substeps of one submission where things move.
const RING: u64 = 64;
/// Records that never change: the first substep's, and all others'.
const FIXED: u32 = 2;

/// The records, and where they are.
pub struct SubstepUniforms {
    /// Of a substep that is not the first.
    steady: Substep,
    /// Whether a collider or a pin is kinematic, or a caller has moved one.
    moving: bool,
    /// Whether there is room for places that differ from substep to substep.
    ring: bool,
    /// Vectors of the tables before the places of colliders and pins.
    base: u32,
    /// Vectors of one set of places.
    set: u32,
    /// Where the shape tables of each collider start.
    shapes: Vec<u32>,
    /// Vectors of the pieces of rigid bodies in the substep that is submitted next, or again.
    bodies: Vec<RowData>,
    /// Records of rigid bodies in liquids for that substep.
    coupled: Vec<RowData>,
    /// Times of substeps.
    settings: Settings,
}

impl SubstepUniforms {
    /// For a model.
    pub fn new(model: &Model, state: &State, tables: &Tables) -> Self {
        Self::with_sizes(model, (state.particles, state.velocities.len()), tables)
    }

    /// For a model with numbers of particles, and of particles and orientations.
    fn with_sizes(model: &Model, (particles, solid): (usize, usize), tables: &Tables) -> Self {
        let s = &model.settings;
        let (base, colliders) = (tables.arena.constants.len() as u32, model.contact().collider_count() as u32);
        let pieces = model.body_colliders.len();
        // The records of bodies in liquids stand before the poses of pins.
        let coupled = tables.fluid.bodies.record_vectors();
        let poses = base + COLLIDER_VECTORS * colliders + coupled as u32;
        let mut steady = Substep {
            omega: s.omega,
            particles: particles as u32,
            solid: solid as u32,
            moving_colliders: base,
            poses,
            radii: tables.radii,
            counts: tables.method.counts,
            island_bits: tables.island_bits,
            seams: tables.seams,
            seam_of: tables.seam_of,
            exchange: tables.exchange.0,
            copies: model.phantoms.seams as u32,
            predicted: tables.predicted,
            ..Substep::default()
        };
        tables.integration.fill(s, &mut steady);
        tables.aero.fill(&s.wind, &model.aero_surfaces, &mut steady);
        tables.contact.fill(&model.contact(), &mut steady);
        tables.fluid.fill(&mut steady);
        let pins = pose_vectors(&model.pins);
        Self {
            steady,
            moving: model.colliders.iter().any(|c| c.motion.moves()) || pins > 0 || pieces > 0,
            ring: colliders > 0 || pins > 0,
            base,
            set: COLLIDER_VECTORS * colliders + pins + coupled as u32,
            shapes: tables.contact.shapes.clone(),
            bodies: vec![[0.0; 4]; COLLIDER_VECTORS as usize * pieces],
            coupled: vec![[0.0; 4]; coupled],
            settings: *s,
        }
    }

    /// Places the pieces of rigid bodies, which move from one pose to another in the next substep.
    pub fn place_bodies(&mut self, model: &Model, before: &[Pose], after: &[Pose]) {
        self.bodies.clear();
        let tables = &self.shapes[model.colliders.len()..];
        moving_bodies(&model.body_colliders, tables, (before, after), &mut self.bodies);
    }

    /// Offset of the records of rigid bodies in liquids, for the next substep.
    pub fn coupled(&mut self) -> &mut Vec<RowData> {
        &mut self.coupled
    }

    /// The same after settings, motions or friction have changed.
    pub fn refresh(&mut self, model: &Model, state_sizes: (usize, usize), tables: &Tables) {
        let (moving, bodies, coupled) =
            (self.moving, std::mem::take(&mut self.bodies), std::mem::take(&mut self.coupled));
        *self = Self::with_sizes(model, state_sizes, tables);
        self.moving |= moving;
        (self.bodies, self.coupled) = (bodies, coupled);
    }

    /// Number of records.
    pub fn slots(&self) -> usize {
        (u64::from(FIXED) + if self.ring { RING } else { 0 }) as usize
    }

    /// Vectors of `constants`.
    pub fn constants(&self) -> usize {
        (self.base + self.set) as usize + if self.ring { RING as usize * self.set as usize } else { 0 }
    }

    /// Substeps of one submission at most.
    pub fn most(&self) -> u64 {
        if self.moving { RING } else { u64::MAX }
    }

    /// How many of `count` substeps from `k` on have the same record.
    pub fn alike(&self, done: u64, k: u64, count: u64) -> u64 {
        if self.moving || done + k == 0 { 1 } else { count }
    }

    /// Record of the substep `k` of a submission that begins after `done` substeps.
    pub fn slot(&self, done: u64, k: u64) -> u32 {
        match (self.moving, done + k) {
            (true, _) => FIXED + k as u32,
            (false, 0) => 0,
            (false, _) => 1,
        }
    }

    /// Time after so many substeps [s].
    pub fn time(&self, substeps: u64) -> f64 {
        self.settings.time_after(substeps)
    }

    /// The records that never change.
    pub fn upload_fixed(&self, device: &Device, buffers: &Buffers, model: &Model) {
        for slot in 0..FIXED {
            let at = u64::from(slot * buffers.stride);
            buffers.write(device, &buffers.substeps, at, &[self.record(u64::from(slot), 0)]);
        }
        let places = self.places(model, 0);
        buffers.write(device, &buffers.constants, u64::from(self.base) * 16, &places);
    }

    /// The records of a submission, where they differ from substep to substep.
    pub fn upload(&self, device: &Device, buffers: &Buffers, model: &Model, done: u64, count: u64) {
        if !self.moving {
            return;
        }
        let stride = buffers.stride as usize;
        let mut records = vec![0_u8; count as usize * stride];
        let mut places = Vec::with_capacity(count as usize * self.set as usize);
        for k in 0..count {
            let record = self.record(done + k, (k as u32 + 1) * self.set);
            let bytes = bytemuck::bytes_of(&record);
            records[k as usize * stride..][..bytes.len()].copy_from_slice(bytes);
            places.extend(self.places(model, done + k));
        }
        buffers.write(device, &buffers.substeps, u64::from(FIXED * buffers.stride), &records);
        buffers.write(device, &buffers.constants, u64::from(self.base + self.set) * 16, &places);
    }

    /// Record of substep `index`, with places `shift` vectors behind the first.
    fn record(&self, index: u64, shift: u32) -> Substep {
        let mut record = self.steady;
        record.moving_colliders += shift;
        record.poses += shift;
        if index == 0 && record.flags & SECOND_ORDER != 0 {
            record.flags &= !SECOND_ORDER;
            record.inv_h2 = 1.0 / (record.h * record.h);
        }
        record
    }

    /// Poses of colliders and pins in substep `index`.
    fn places(&self, model: &Model, index: u64) -> Vec<RowData> {
        let (start, end) = (self.time(index), self.time(index + 1));
        let mut all = Vec::with_capacity(self.set as usize);
        moving_colliders(&model.colliders, &self.shapes, start, end, &mut all);
        all.extend_from_slice(&self.bodies);
        all.extend_from_slice(&self.coupled);
        pin_poses(&model.pins, end, &mut all);
        all
    }
}
