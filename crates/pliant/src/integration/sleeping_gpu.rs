//! Sleeping objects of particles on the GPU: tables, shaders, passes. What they do is described in `sleeping`.

use crate::contact::gpu::shaders::ContactFeatures;
use crate::integration::sleeping::SleepGroups;
use crate::runtime::gpu::buffers::Buffers;
use crate::runtime::gpu::device::Device;
use crate::runtime::gpu::error::GpuError;
use crate::runtime::gpu::program::{Bindings, Command, ProgramWriter, ShaderPart, ShaderSource, binding};
use crate::runtime::gpu::tables::TableArena;
use crate::shape_matching::gpu::bodies::BODY_GROUP;
use crate::shape_matching::gpu::constants::BODY_POSE_VECTORS;
use bytemuck::{Pod, Zeroable};

/// Poses beside what sleeps.
const POSES: Bindings = Bindings {
    shared: &[binding::WORK, binding::FLAGS, binding::TOPOLOGY, binding::SUBSTEP, binding::UNIFORMS],
    own: Some(&BODY_GROUP),
};

/// Record of the passes (`sleeping.wgsl`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct SleepUniforms {
    /// First word in `flags` of whether each group sleeps; behind them whether something has touched it in this substep.
    pub asleep: u32,
    /// Number of groups.
    pub groups: u32,
    /// First word in `topology` of the group of each row; behind them that of each body.
    pub rows: u32,
    /// First vector in `work` of rows at the start of the substep; behind them the poses of bodies.
    pub saved: u32,
    /// Number of bodies.
    pub bodies: u32,
    /// Rows whose velocities are set with history: 1 under BDF2.
    pub has_history: u32,
}

/// Offsets of the tables; no groups where nothing was ever put to sleep.
#[derive(Clone, Copy, Debug, Default)]
pub struct SleepTables {
    uniforms: SleepUniforms,
    solid: usize,
}

impl SleepTables {
    /// Writes the groups, if there are any. `solid`: particles and orientations.
    pub fn new(groups: Option<&SleepGroups>, solid: usize, has_history: bool, arena: &mut TableArena) -> Self {
        let Some(groups) = groups else { return Self::default() };
        let count = groups.objects.len();
        let uniforms = SleepUniforms {
            asleep: arena.reserve_flags(2 * count),
            groups: count as u32,
            rows: arena.put_topology(groups.rows.iter().chain(&groups.bodies).copied()),
            saved: arena.reserve_work(solid + BODY_POSE_VECTORS as usize * groups.bodies.len()),
            bodies: groups.bodies.len() as u32,
            has_history: u32::from(has_history),
        };
        Self { uniforms, solid }
    }

    /// Whether objects can sleep.
    pub fn acts(&self) -> bool {
        self.uniforms.groups > 0
    }

    /// Offset and number of the words in `flags`: masks of sleeping groups, then of touched groups.
    pub fn words(&self) -> (u32, usize) {
        (self.uniforms.asleep, self.uniforms.groups as usize)
    }

    /// Uploads what sleeps.
    pub fn upload(&self, device: &Device, buffers: &Buffers, asleep: &[bool]) {
        let (at, count) = self.words();
        let mut words = vec![0_u32; 2 * count];
        words.iter_mut().zip(asleep).for_each(|(word, &asleep)| *word = u32::from(asleep));
        buffers.write(device, &buffers.flags, 4 * u64::from(at), &words);
    }

    /// Reads back what sleeps.
    pub fn download(&self, device: &Device, buffers: &Buffers) -> Result<Vec<bool>, GpuError> {
        let (at, count) = self.words();
        let bytes = 4 * count as u64;
        buffers.count_read(bytes);
        let words = device.download_some(&buffers.flags, 4 * u64::from(at), bytes)?;
        Ok(words.into_iter().map(|word| word != 0).collect())
    }

    /// Remembers where everything is.
    pub fn save(&self, out: &mut ProgramWriter) -> Vec<Command> {
        let mut list = Vec::new();
        if self.acts() {
            list.push(out.run_each(rows("save_sleepers"), &self.uniforms, self.solid));
            list.extend(self.poses("save_poses", out));
        }
        list
    }

    /// Finds what something has touched, and puts everything else that sleeps back. `lists`: particles have contacts with
    /// each other.
    pub fn keep(
        &self,
        contact: &ContactFeatures,
        lists: bool,
        particles: usize,
        out: &mut ProgramWriter,
    ) -> Vec<Command> {
        let mut list = Vec::new();
        if !self.acts() {
            return list;
        }
        let args = &self.uniforms;
        list.push(out.run_each(touched_by_colliders(contact), args, particles));
        if lists {
            let parts = [include_str!("sleeping_groups.wgsl"), include_str!("sleeping_contacts.wgsl")];
            list.push(out.run_each(contact.beside_lists("touched_by_particles", &parts), args, particles));
        }
        list.push(out.run_each(rows("keep_sleepers"), args, self.solid));
        list.extend(self.poses("keep_poses", out));
        list.push(out.run_each(rows("wake_touched"), args, args.groups as usize));
        list
    }

    fn poses(&self, entry: &'static str, out: &mut ProgramWriter) -> Option<Command> {
        let parts = [include_str!("sleeping_groups.wgsl"), include_str!("sleeping_poses.wgsl")];
        let source = ShaderSource::new(entry, POSES, parts.map(ShaderPart::from).to_vec());
        let vectors = (self.uniforms.bodies * BODY_POSE_VECTORS) as usize;
        (vectors > 0).then(|| out.run_each(source, &self.uniforms, vectors))
    }
}

/// A pass over rows or groups.
pub fn rows(entry: &'static str) -> ShaderSource {
    let parts = [include_str!("sleeping_groups.wgsl"), include_str!("sleeping.wgsl")];
    ShaderSource::new(entry, Bindings::SHARED, parts.map(ShaderPart::from).to_vec())
}

/// The pass over contacts with colliders.
pub fn touched_by_colliders(contact: &ContactFeatures) -> ShaderSource {
    let mut parts = contact.collider_contacts();
    let own = [include_str!("sleeping_groups.wgsl"), include_str!("sleeping_colliders.wgsl")];
    parts.extend(own.map(ShaderPart::from));
    ShaderSource::new("touched_by_colliders", Bindings::SHARED, parts)
}
