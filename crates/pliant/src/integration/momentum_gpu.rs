//! Momentum of free objects on the GPU: tables, uniform record, passes.

use crate::contact::gpu::shaders::{COLLIDER_CONTACTS, ContactFeatures};
use crate::integration::gpu::{FINALIZE_ROW, INTEGRATORS};
use crate::integration::momentum::FreeIsland;
use crate::runtime::gpu::program::{Bindings, Command, Part, ProgramWriter, ShaderSource};
use crate::runtime::gpu::shader_constants::shader_constants;
use crate::runtime::gpu::tables::TableArena;
use crate::schedule::gpu::SHARED_MOTION;
use bytemuck::{Pod, Zeroable};

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
}

/// Offsets of the tables; no islands where nothing is restored.
#[derive(Clone, Copy, Debug, Default)]
pub struct MomentumTables {
    uniforms: MomentumUniforms,
}

impl MomentumTables {
    /// Writes the islands.
    pub fn new(islands: &[FreeIsland], arena: &mut TableArena) -> Self {
        let mut directory = Vec::with_capacity(islands.len() * ISLAND_WORDS as usize);
        for island in islands {
            let turns = if island.has_orientations { ISLAND_TURNS } else { 0 };
            let list = arena.put_topology(island.particles.iter().copied());
            directory.extend([list, island.particles.len() as u32, turns]);
        }
        let saved = arena.reserve_work(2 * islands.len());
        let count = islands.len() as u32;
        let rigid = arena.put_params(islands.iter().map(rigid_number));
        Self { uniforms: MomentumUniforms { islands: arena.put_topology(directory), saved, count, rigid } }
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
    let mut parts: Vec<Part> = vec![INTEGRATORS.into()];
    parts.extend(ContactFeatures::default().collider_contact());
    let passes = [SHARED_MOTION, COLLIDER_CONTACTS, FINALIZE_ROW, include_str!("momentum.wgsl")];
    parts.extend(passes.map(Part::from));
    ShaderSource::new(entry, Bindings::SHARED, parts)
}
