//! Impulses of particles on rigid bodies in a substep, summed on the device and read back by the host.

use crate::contact::gpu::shaders::ContactFeatures;
use crate::fluid::gpu::body_coupling::BodyCouplingTables;
use crate::fluid::gpu::shaders::FLUID_KERNELS;
use crate::math::RowData;
use crate::model::Model;
use crate::runtime::gpu::buffers::Buffers;
use crate::runtime::gpu::device::Device;
use crate::runtime::gpu::error::GpuError;
use crate::runtime::gpu::program::{Bindings, Command, ProgramWriter, ShaderPart, ShaderSource};
use crate::runtime::gpu::shader_constants::shader_constants;
use crate::runtime::gpu::tables::TableArena;
use crate::schedule::gpu::constants::STATUS_WORDS;
use crate::solver::gpu::status_readback::{self, Signal};
use bytemuck::{Pod, Zeroable};
use glam::DVec3;
use std::ops::Range;

shader_constants! {
    /// Threads of a workgroup that sums impulses.
    REACTION_WIDTH = 128;
}

/// Particles that one workgroup sums over at least.
const PARTICLES: usize = 1024;
/// Partial sums of a piece at most.
const MOST_PARTS: usize = 64;

/// Record of the pass (`reactions.wgsl`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ReactionUniforms {
    /// First vector in `work` of the sums: two for each part of each piece.
    pub sums: u32,
    /// Slot of the first piece among the colliders that a particle sees.
    pub first_slot: u32,
    /// Number of environments.
    pub environments: u32,
    /// Parts that particles are divided into.
    pub parts: u32,
}

/// Offsets of the sums; empty without particles or without bodies.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReactionTables {
    pieces: usize,
    uniforms: ReactionUniforms,
}

/// What is read back after a substep.
pub(crate) struct Reactions {
    /// Status of the device.
    pub signal: Signal,
    /// Linear and angular impulse on each piece, about its origin [N·s], [N·m·s].
    pub sums: Vec<[DVec3; 2]>,
    /// Pressure impulses of liquids on each body, in vectors of [`BodyCouplingTables`].
    pub coupled: Vec<RowData>,
}

impl ReactionTables {
    /// Reserves room, if there are both.
    pub fn new(model: &Model, particles: usize, arena: &mut TableArena) -> Self {
        let pieces = if particles > 0 { model.body_colliders.len() } else { 0 };
        if pieces == 0 {
            return Self::default();
        }
        let parts = particles.div_ceil(PARTICLES).clamp(1, MOST_PARTS);
        let environments = model.environments.count();
        let slots = model.environments.slot_count(model.contact().collider_count());
        let uniforms = ReactionUniforms {
            sums: arena.reserve_work(2 * pieces * parts),
            first_slot: (slots - pieces / environments) as u32,
            environments: environments as u32,
            parts: parts as u32,
        };
        Self { pieces, uniforms }
    }

    /// Whether there is nothing to sum.
    pub fn is_empty(&self) -> bool {
        self.pieces == 0
    }

    /// First vector in `work` of the sums, and number of parts.
    pub fn sums(&self) -> (u32, u32) {
        (self.uniforms.sums, if self.pieces > 0 { self.uniforms.parts } else { 0 })
    }

    /// The pass.
    pub fn sum(&self, contact: &ContactFeatures, pressure: Pressure, out: &mut ProgramWriter) -> Option<Command> {
        let groups = self.pieces * self.uniforms.parts as usize;
        (groups > 0).then(|| out.run(body_reactions(contact, pressure), &self.uniforms, groups))
    }

    /// Reads the sums of the last substep back, what pressure does to `bodies`, and what the device says about it.
    pub(crate) fn read(
        &self,
        device: &Device,
        buffers: &Buffers,
        bodies: &BodyCouplingTables,
    ) -> Result<Reactions, GpuError> {
        let (parts, status) = (self.uniforms.parts as usize, STATUS_WORDS as usize);
        let bytes = (32 * self.pieces * parts) as u64;
        let (flags, work) = ((&buffers.flags, 0, 4 * status as u64), (&buffers.work, self.uniforms.sums, bytes));
        let Range { start, end } = bodies.motions();
        let motions = (&buffers.work, 16 * start as u64, 16 * (end - start) as u64);
        let words = device.download_parts(&[flags, (work.0, 16 * u64::from(work.1), work.2), motions])?;
        let coupled = words[status + 8 * self.pieces * parts..].chunks_exact(4);
        let coupled = coupled.map(|row| [0, 1, 2, 3].map(|k| f32::from_bits(row[k]))).collect();
        let vector = |k: usize| {
            let [x, y, z] = [0, 1, 2].map(|i| f64::from(f32::from_bits(words[status + 4 * k + i])));
            DVec3::new(x, y, z)
        };
        let sums = (0..self.pieces).map(|piece| {
            let all = (0..parts).map(|part| 2 * (piece * parts + part));
            all.fold([DVec3::ZERO; 2], |[linear, angular], k| [linear + vector(k), angular + vector(k + 1)])
        });
        Ok(Reactions { signal: status_readback::read(&words)?, sums: sums.collect(), coupled })
    }
}

/// Coupling of liquids and rigid bodies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pressure {
    /// There are none.
    None,
    /// By density constraints; WGSL that declares the parameters of the liquids.
    Density(String),
    /// By projection of velocities, which is not a part of reactions.
    Projection,
}

/// Sums the impulses of particles on the pieces of rigid bodies.
pub fn body_reactions(contact: &ContactFeatures, pressure: Pressure) -> ShaderSource {
    let mut parts = contact.collider_contacts();
    match pressure {
        Pressure::Density(constants) => {
            parts.extend(FLUID_KERNELS.map(ShaderPart::from));
            parts.push(constants.into());
            parts.push(include_str!("reactions_of_liquids.wgsl").into());
        }
        Pressure::Projection => parts.push(include_str!("reactions_of_projection.wgsl").into()),
        Pressure::None => parts.push(include_str!("reactions_without_liquids.wgsl").into()),
    }
    parts.push(include_str!("reactions.wgsl").into());
    ShaderSource::new("body_reactions", Bindings::SHARED, parts)
}
