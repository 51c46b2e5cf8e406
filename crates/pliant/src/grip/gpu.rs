//! Grips on the GPU: tables with room for further grips, shader, pass.

use crate::grip::{self, Grip, MOST_MEMBERS};
use crate::runtime::gpu::buffers::Buffers;
use crate::runtime::gpu::device::Device;
use crate::runtime::gpu::program::{Bindings, Command, ProgramWriter, ShaderPart, ShaderSource};
use crate::runtime::gpu::shader_constants::{NONE, shader_constants, shader_values};
use crate::runtime::gpu::tables::{TableArena, Vector};
use bytemuck::{Pod, Zeroable};

shader_constants! {
    /// Vectors of a grip: target and compliance; anchor particles and number of members; weights and maximum force; reach,
    /// first member or NONE, place of the list of members, and free island or NONE.
    GRIP_VECTORS = 4;
}

shader_values! {
    F32 MAX_ROTATION = grip::MAX_ROTATION as f32;
}

/// Grips for which there is room at least.
const LEAST_ROOM: usize = 8;

/// Record of the pass (`grip.wgsl`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct GripUniforms {
    /// First vector of the grips in `constants`.
    pub grips: u32,
    /// First vector of their multipliers in `work`.
    pub multipliers: u32,
    /// 1 in the first iteration of a substep.
    pub fresh: u32,
    /// Number of grips.
    pub count: u32,
}

/// Offsets of the tables; no room without grips.
#[derive(Clone, Copy, Debug, Default)]
pub struct GripTables {
    /// Grips for which there is room.
    pub room: usize,
    pub(crate) grips: u32,
    members: u32,
    pub(crate) multipliers: u32,
}

impl GripTables {
    /// Reserves room, if there are grips. `island` finds the free island of a particle.
    pub fn new(grips: &[Grip], island: impl Fn(u32) -> Option<usize>, arena: &mut TableArena) -> Self {
        if grips.is_empty() {
            return Self::default();
        }
        let room = grips.len().next_power_of_two().max(LEAST_ROOM);
        let mut this = Self { room, ..Self::default() };
        this.members = arena.put_topology(std::iter::repeat_n(0, room * MOST_MEMBERS));
        this.grips = arena.put_constants(std::iter::repeat_n([0; 4], room * GRIP_VECTORS as usize));
        this.multipliers = arena.reserve_work(room);
        for (k, grip) in grips.iter().enumerate() {
            let (vectors, members) = this.pack(k, grip, &island);
            let at = this.grips as usize + k * GRIP_VECTORS as usize;
            arena.constants[at..at + vectors.len()].copy_from_slice(&vectors);
            let at = this.members as usize + k * MOST_MEMBERS;
            arena.topology[at..at + members.len()].copy_from_slice(members);
        }
        this
    }

    /// Vectors of a grip, and its members if they are no run.
    fn pack<'a>(
        &self,
        slot: usize,
        grip: &'a Grip,
        island: impl Fn(u32) -> Option<usize>,
    ) -> ([Vector; GRIP_VECTORS as usize], &'a [u32]) {
        let run = grip.cluster.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        let [x, y, z] = grip.target.to_array().map(f32::to_bits);
        let [(a, u), (b, v), (c, w)] = grip.anchor;
        // Longer lists are never made (`World::grab`).
        let count = if run { grip.cluster.len() } else { grip.cluster.len().min(MOST_MEMBERS) };
        let first = if run { grip.cluster.first().copied().unwrap_or(0) } else { NONE };
        let of = grip.cluster.first().and_then(|&i| island(i)).map_or(NONE, |k| k as u32);
        let list = self.members + (slot * MOST_MEMBERS) as u32;
        let vectors = [
            [x, y, z, grip.compliance.to_bits()],
            [a, b, c, count as u32],
            [u, v, w, grip.max_force].map(f32::to_bits),
            [grip.reach.to_bits(), first, list, of],
        ];
        (vectors, if run { &[] } else { &grip.cluster[..count] })
    }

    /// Uploads a grip, for which there must be room.
    pub fn upload(
        &self,
        device: &Device,
        buffers: &Buffers,
        slot: usize,
        grip: &Grip,
        island: impl Fn(u32) -> Option<usize>,
    ) {
        let (vectors, members) = self.pack(slot, grip, island);
        buffers.write(device, &buffers.constants, self.byte_of(slot), &vectors);
        if !members.is_empty() {
            let at = u64::from(self.members) + (slot * MOST_MEMBERS) as u64;
            buffers.write(device, &buffers.topology, 4 * at, members);
        }
    }

    /// Uploads the target of a grip. Nothing has to be looked for.
    pub fn upload_target(&self, device: &Device, buffers: &Buffers, slot: usize, grip: &Grip) {
        let [x, y, z] = grip.target.to_array();
        buffers.write(device, &buffers.constants, self.byte_of(slot), &[[x, y, z, grip.compliance]]);
    }

    fn byte_of(&self, slot: usize) -> u64 {
        16 * (u64::from(self.grips) + (slot * GRIP_VECTORS as usize) as u64)
    }

    /// One correction of all grips, if there is room for any.
    pub fn project(&self, fresh: u32, out: &mut ProgramWriter) -> Option<Command> {
        let args = GripUniforms { grips: self.grips, multipliers: self.multipliers, fresh, count: self.room as u32 };
        (self.room > 0).then(|| out.run(project_grips(), &args, self.room))
    }
}

/// Projects all grips.
pub fn project_grips() -> ShaderSource {
    ShaderSource::new("project_grips", Bindings::SHARED, vec![ShaderPart::from(include_str!("grip.wgsl"))])
}
