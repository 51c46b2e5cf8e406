//! Momentum of free objects on the GPU: tables, uniform record, passes.

use crate::contact::gpu::shaders::{COLLIDER_CONTACTS, ContactFeatures};
use crate::grip::gpu::GripTables;
use crate::integration::gpu::{FINALIZE_ROW, INTEGRATORS};
use crate::integration::momentum::FreeIsland;
use crate::runtime::gpu::program::{Bindings, Command, ProgramWriter, ShaderPart, ShaderSource};
use crate::runtime::gpu::shader_constants::shader_constants;
use crate::runtime::gpu::tables::TableArena;
use crate::scene::Integrator;
use crate::schedule::gpu::SHARED_MOTION;
use bytemuck::{Pod, Zeroable};
use std::ops::Range;

shader_constants! {
    /// Words of an island: place of its particles, their number, flags.
    ISLAND_WORDS = 3;
    /// Flag of an island with orientations.
    ISLAND_TURNS = 1;
}

/// Record of the passes (`momentum.wgsl`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct MomentumUniforms {
    /// First word of the islands in `topology`.
    pub islands: u32,
    /// First vector of what is saved in `work`.
    pub saved: u32,
    /// Number of islands.
    pub count: u32,
    /// First number in `params` of whether islands are rigid.
    pub rigid: u32,
    /// First vector of the grips in `constants`.
    pub grips: u32,
    /// First vector of the multipliers of grips in `work`.
    pub multipliers: u32,
    /// Grips for which there is room.
    pub grip_count: u32,
    /// 1 for BDF2.
    pub second_order: u32,
}

/// Offsets of the tables; no islands where nothing is restored.
#[derive(Clone, Copy, Debug, Default)]
pub struct MomentumTables {
    uniforms: MomentumUniforms,
    /// Islands there are; the others are still to come.
    islands: u32,
    /// Row that the first free word of the lists is for, and where that is in `topology`.
    room: (u32, u32),
}

impl MomentumTables {
    /// Writes the islands. There is room for so many more islands, of the rows `room`.
    pub fn new(islands: &[FreeIsland], more: usize, room: Range<usize>, arena: &mut TableArena) -> Self {
        let capacity = islands.len() + more;
        let mut directory = Vec::with_capacity(capacity * ISLAND_WORDS as usize);
        for island in islands {
            let turns = if island.has_orientations { ISLAND_TURNS } else { 0 };
            let list = arena.put_topology(island.particles.iter().copied());
            directory.extend([list, island.particles.len() as u32, turns]);
        }
        // Islands of no particles.
        directory.resize(capacity * ISLAND_WORDS as usize, 0);
        let saved = arena.reserve_work(2 * capacity);
        let rigid = arena.put_params(islands.iter().map(rigid_number).chain(std::iter::repeat_n(0.0, more)));
        let first = room.start as u32;
        let list = arena.put_topology(room.map(|row| row as u32));
        let count = capacity as u32;
        let islands_at = arena.put_topology(directory);
        let uniforms = MomentumUniforms { islands: islands_at, saved, count, rigid, ..MomentumUniforms::default() };
        Self { uniforms, islands: islands.len() as u32, room: (first, list) }
    }

    /// Takes what grips add to the momentum into account.
    pub fn with_grips(mut self, grips: &GripTables, integrator: Integrator) -> Self {
        (self.uniforms.grips, self.uniforms.multipliers) = (grips.grips, grips.multipliers);
        self.uniforms.grip_count = grips.room as u32;
        self.uniforms.second_order = u32::from(integrator == Integrator::Bdf2);
        self
    }

    /// Words of an island that was appended, of the rows `rows`, for which there must be room, and where they are in
    /// `topology`; none if it is there already, or nothing is restored.
    pub fn put_island(&mut self, islands: &[FreeIsland], rows: &Range<usize>) -> Option<(u32, [u32; 3])> {
        if self.uniforms.count == 0 || islands.len() as u32 <= self.islands {
            return None;
        }
        let at = self.uniforms.islands + ISLAND_WORDS * self.islands;
        self.islands += 1;
        let (first, list) = self.room;
        Some((at, [list + rows.start as u32 - first, rows.len() as u32, 0]))
    }

    /// Which islands are rigid again, after the parameters of constraints have changed.
    pub fn refresh(&self, islands: &[FreeIsland], arena: &mut TableArena) {
        let numbers = &mut arena.params[self.uniforms.rigid as usize..][..self.uniforms.count as usize];
        numbers.iter_mut().zip(islands).for_each(|(to, island)| *to = rigid_number(island));
    }

    /// Saves the momentum of all islands, if there are any.
    pub fn save(&self, out: &mut ProgramWriter) -> Option<Command> {
        self.run("save_momentum", out)
    }

    /// Restores the momentum of all islands that nothing has touched.
    pub fn restore(&self, out: &mut ProgramWriter) -> Option<Command> {
        self.run("restore_momentum", out)
    }

    fn run(&self, entry: &'static str, out: &mut ProgramWriter) -> Option<Command> {
        let groups = self.uniforms.count as usize;
        (groups > 0).then(|| out.run(momentum(entry), &self.uniforms, groups))
    }
}

fn rigid_number(island: &FreeIsland) -> f32 {
    f32::from(u8::from(island.is_rigid))
}

/// A pass of `momentum.wgsl`, named by its entry point.
pub fn momentum(entry: &'static str) -> ShaderSource {
    let mut parts: Vec<ShaderPart> = vec![INTEGRATORS.into()];
    parts.extend(ContactFeatures::default().collider_contact());
    let passes = [SHARED_MOTION, COLLIDER_CONTACTS, FINALIZE_ROW, include_str!("momentum.wgsl")];
    parts.extend(passes.map(ShaderPart::from));
    ShaderSource::new(entry, Bindings::SHARED, parts)
}
