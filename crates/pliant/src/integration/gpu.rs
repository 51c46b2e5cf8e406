//! Predict, finalize and kinematic pins on the GPU: tables, uniform records, shaders, passes.

use crate::contact::gpu::constants::POSE_VECTORS;
use crate::contact::gpu::layouts::Pose;
use crate::contact::gpu::shaders::{COLLIDER_CONTACTS, ContactFeatures, PACKED_PARTICLES};
use crate::contact::particle_contact::SLOP;
use crate::integration::pins::{MovedPins, moving};
use crate::math::RowData;
use crate::runtime::gpu::program::{Bindings, Command, ProgramWriter, ShaderPart, ShaderSource};
use crate::runtime::gpu::shader_constants::shader_constants;
use crate::runtime::gpu::tables::TableArena;
use crate::scene::{Integrator, Method};
use crate::schedule::gpu::constants::{KEEPS_HISTORY, SECOND_ORDER};
use crate::schedule::gpu::{SHARED_MOTION, Substep};
use crate::settings::Settings;
use crate::state::State;
use bytemuck::{Pod, Zeroable};

shader_constants! {
    /// Flag of stabilization: contacts between particles have moved the positions at the start of the substep.
    PARTED = 1;
    /// Flag of stabilization: contacts with colliders are found and stabilized.
    COLLIDERS = 2;
    /// Flag of predict and stabilization: the next contact pass corrects the positions at the start of the substep.
    PARTS_NEXT = 4;

    /// Flag of finalize: copies on seams are joined.
    JOINS = 1;
    /// Flag of finalize: copies on seams have contacts of their own.
    SEAMS = 4;
}

/// Time integration.
pub const INTEGRATORS: &str = include_str!("bdf.wgsl");
/// Prediction of one row; uses [`INTEGRATORS`].
pub const PREDICT_ROW: &str = include_str!("predict_row.wgsl");
/// Finalization of one row; uses [`INTEGRATORS`].
pub const FINALIZE_ROW: &str = include_str!("finalize_row.wgsl");

/// Predict and stabilize (`predict.wgsl`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct PredictUniforms {
    /// Flags: [`PARTED`], [`COLLIDERS`], [`PARTS_NEXT`].
    pub mode: u32,
    /// First vector in `work` of the packed particles for the next contact pass.
    pub packed: u32,
    /// Factor on radii in a contact pass that corrects positions at the start of the substep.
    pub radius_scale: f32,
    /// Mass scaling by height, lower is heavier [1/m]; 0 for none.
    pub mass_scaling: f32,
    /// Share of the last substep's pressure that this one starts with.
    pub carry: f32,
    /// Number of kinematic rows.
    pub pin_count: u32,
    /// First word in `topology` of kinematic rows, each with the number of its pose.
    pub pin_rows: u32,
    /// First vector in `constants` of their places relative to the poses.
    pub pin_places: u32,
}

/// Finalize (`finalize.wgsl`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct FinalizeUniforms {
    /// Flags: [`JOINS`], [`SEAMS`], `TOUCHES`.
    pub mode: u32,
    /// First row of the copies on seams that are joined.
    pub copies: u32,
}

/// A pass of `predict.wgsl`, named by its entry point.
pub fn predict(entry: &'static str, contact: &ContactFeatures) -> ShaderSource {
    let mut parts: Vec<ShaderPart> = vec![INTEGRATORS.into()];
    parts.extend(contact.collider_contacts());
    parts.extend([PACKED_PARTICLES, PREDICT_ROW, include_str!("predict.wgsl")].map(ShaderPart::from));
    ShaderSource::new(entry, Bindings::SHARED, parts)
}

/// Velocities, sleeping, check for divergence. Colliders with tables have passes of their own.
pub fn finalize(contact: &ContactFeatures) -> ShaderSource {
    let mut parts: Vec<ShaderPart> = vec![INTEGRATORS.into()];
    parts.extend(contact.analytic().collider_contact());
    let passes = [SHARED_MOTION, COLLIDER_CONTACTS, FINALIZE_ROW, include_str!("finalize.wgsl")];
    parts.extend(passes.map(ShaderPart::from));
    ShaderSource::new("finalize", Bindings::SHARED, parts)
}

/// Offsets of the tables.
#[derive(Clone, Copy, Debug, Default)]
pub struct IntegrationTables {
    /// Inverse quaternion masses of orientations in `params`.
    pub spins: u32,
    /// Flags of particles of first order in `flags`.
    pub first_order: u32,
    /// Kinematic rows in `topology` and their places in `constants`.
    pin_rows: u32,
    pin_places: u32,
    /// Number of kinematic rows.
    pub pin_count: u32,
}

impl IntegrationTables {
    /// Reserves motion and flags of all rows.
    pub fn new(spin_inv_inertias: &[f32], state: &State, arena: &mut TableArena) -> Self {
        arena.reserve_motion(motion_arrays(state) * state.velocities.len());
        Self {
            spins: arena.put_params(spin_inv_inertias.iter().copied()),
            first_order: arena.reserve_flags(state.first_order.len()),
            ..Self::default()
        }
    }

    /// Writes the kinematic rows of pins that move.
    pub fn put_pins(&mut self, pins: &[MovedPins], particles: usize, arena: &mut TableArena) {
        (self.pin_rows, self.pin_places) = (arena.topology.len() as u32, arena.constants.len() as u32);
        for (pose, pins) in moving(pins).enumerate() {
            let rest = pins.rest;
            for (&i, &origin) in pins.particles.iter().zip(&pins.origins) {
                arena.put_topology([i, pose as u32]);
                arena.put_constants([rest.inward(origin).extend(0.0).to_array().map(f32::to_bits)]);
            }
            for (&q, &turn) in pins.orientations.iter().zip(&pins.turns) {
                arena.put_topology([particles as u32 + q, pose as u32]);
                arena.put_constants([(rest.rotation.conjugate() * turn).to_array().map(f32::to_bits)]);
            }
        }
        self.pin_count = arena.constants.len() as u32 - self.pin_places;
    }

    /// Writes what integration tells every shader of a substep.
    pub fn fill(&self, s: &Settings, record: &mut Substep) {
        let h = s.substep();
        let second = s.integrator == Integrator::Bdf2;
        record.gravity = s.gravity.to_array();
        record.h = h;
        record.inv_h = 1.0 / h;
        record.keep = libm::expf(-s.damping * h);
        record.inv_h2 = if second { 9.0 / (4.0 * h * h) } else { 1.0 / (h * h) };
        record.memory = if s.method != Method::Pbd { 1.0 } else { 0.0 };
        record.sleep = s.sleep_speed * h;
        record.flags |= if second { KEEPS_HISTORY | SECOND_ORDER } else { 0 };
        record.spins = self.spins;
        record.first_order = self.first_order;
    }
}

/// Arrays of rows in `motion`: start of the substep and velocities; with BDF2 also those of the substep before.
pub fn motion_arrays(state: &State) -> usize {
    if state.older.is_empty() { 2 } else { 4 }
}

/// The poses of all moving pins at `end` [s].
pub(crate) fn pin_poses(pins: &[MovedPins], end: f64, to: &mut Vec<RowData>) {
    for pins in moving(pins) {
        to.extend_from_slice(bytemuck::cast_slice(&[Pose::from(&pins.motion.pose(end))]));
    }
}

/// Vectors of all poses of moving pins in `constants`.
pub(crate) fn pose_vectors(pins: &[MovedPins]) -> u32 {
    POSE_VECTORS * moving(pins).count() as u32
}

/// Makes the passes of predict and stabilize.
#[derive(Clone, Copy)]
pub struct PredictPasses<'a> {
    /// Offsets of the tables.
    pub tables: &'a IntegrationTables,
    /// The colliders that particles touch.
    pub contact: ContactFeatures,
    /// Number of particles.
    pub particles: usize,
    /// Number of particles and orientations.
    pub rows: usize,
    /// First vector in `work` of the packed particles.
    pub packed: u32,
    /// Mass scaling by height [1/m]; 0 for none.
    pub mass_scaling: f32,
    /// Share of the last substep's pressure used as warm start.
    pub carry: f32,
}

impl PredictPasses<'_> {
    /// Positions of particles for the neighbor search, before anything changes.
    pub fn predict_positions(&self, out: &mut ProgramWriter) -> Command {
        let args = PredictUniforms { mass_scaling: self.mass_scaling, carry: self.carry, ..PredictUniforms::default() };
        out.run_each(predict("predict_positions", &self.contact), &args, self.particles)
    }

    /// The same for kinematic rows, if there are any.
    pub fn predict_pins(&self, out: &mut ProgramWriter) -> Option<Command> {
        self.kinematic("predict_pins", self.mass_scaling, out)
    }

    /// Prediction of all rows, with collider contacts where particles do not collide with each other. `parts`: the next
    /// contact pass corrects positions at the start of the substep.
    pub fn predict(&self, parts: bool, out: &mut ProgramWriter) -> Command {
        let args = PredictUniforms { mass_scaling: self.mass_scaling, carry: self.carry, ..self.packing(parts) };
        out.run_each(predict("predict", &self.contact), &args, self.rows)
    }

    /// Moves kinematic rows, if there are any.
    pub fn pins(&self, out: &mut ProgramWriter) -> Option<Command> {
        self.kinematic("pins", 0.0, out)
    }

    fn kinematic(&self, entry: &'static str, mass_scaling: f32, out: &mut ProgramWriter) -> Option<Command> {
        let IntegrationTables { pin_count, pin_rows, pin_places, .. } = *self.tables;
        let args = PredictUniforms { mass_scaling, pin_count, pin_rows, pin_places, ..PredictUniforms::default() };
        (pin_count > 0).then(|| out.run_each(predict(entry, &self.contact), &args, pin_count as usize))
    }

    /// The end of a pass of stabilization. `flags`: [`PARTED`], [`COLLIDERS`]; `parts` as for [`Self::predict`].
    pub fn finish_stabilization(&self, flags: u32, parts: bool, out: &mut ProgramWriter) -> Command {
        let mut args = self.packing(parts);
        args.mode |= flags;
        out.run_each(predict("finish_stabilization", &self.contact), &args, self.particles)
    }

    /// Packing of particles for the next contact pass.
    fn packing(&self, parts: bool) -> PredictUniforms {
        let args = PredictUniforms { packed: self.packed, ..PredictUniforms::default() };
        if parts { PredictUniforms { mode: PARTS_NEXT, radius_scale: 1.0 - SLOP, ..args } } else { args }
    }
}
