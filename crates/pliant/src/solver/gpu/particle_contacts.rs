//! Particle contacts on the device: neighbor lists, accumulated impulses, and their buffers.
//!
//! The neighbor search uses predicted positions, before the state is changed.

use crate::contact::particle_contact::MARGIN;
use crate::math::RowData;
use crate::model::Model;
use crate::neighbors::gpu::neighbor_overflow::OverflowSearch;
use crate::neighbors::gpu::{Finder, Layout, Order, Setup, entries_of};
use crate::neighbors::{Cloud, Construction, Pairs, Search};
use crate::runtime::gpu::device::Device;
use crate::runtime::gpu::error::GpuError;
use crate::schedule::stats::ContactPair;
use crate::solver::gpu::bind_groups::{BindGroups, own_group};
use crate::solver::gpu::buffers::Buffers;
use crate::solver::gpu::model_packing::{NONE, Tables};
use crate::solver::gpu::shader_constants;
use crate::state::State;
use wgpu::{Buffer, BufferUsages};

/// Initial list capacity per particle. Grains in a dense packing have twelve contacts; a heap has eight including near
/// ones, and both sides are listed.
const ROOM: usize = 12;

/// Neighbor lists and accumulated impulses.
pub struct ParticleContacts {
    search: OverflowSearch,
    pushes: Buffer,
    /// Bind group of lists and impulses.
    pub group: wgpu::BindGroup,
    /// Vectors per list entry: its impulse, and that of the previous iteration where there are rigid bodies.
    vectors: u32,
    /// Smallest radius, which scales the margin [m].
    smallest: f32,
}

impl ParticleContacts {
    /// Allocates buffers for the particles of a state.
    pub fn new(
        device: &Device,
        bind_groups: &BindGroups,
        buffers: &Buffers,
        tables: &Tables,
        state: &State,
    ) -> Result<Self, GpuError> {
        let n = state.particles;
        let smallest = smallest(state);
        let search = OverflowSearch::new(
            device,
            &Setup {
                particles: n,
                rows: &buffers.work,
                rows_at: tables.nexts,
                radii: &buffers.params,
                radii_at: tables.radii,
                phases: Some(&buffers.topology),
                phases_at: tables.phases,
                margin: MARGIN * smallest,
                pairs: Pairs::Both,
                search: Search::Auto,
                construction: Construction::Counting,
                order: Order::Numbers,
                layout: Layout::Interleaved,
                capacity: ROOM * n,
                cloud: Some(Cloud { rows: &state.rows[..n], radii: &state.radii, phases: &state.phases }),
            },
            &buffers.marks,
            &shader_constants::wgsl(),
        )?;
        let vectors = if tables.mass_splitting == NONE { 1 } else { 2 };
        let pushes = pushes(device, search.finder.capacity(), vectors)?;
        let group = group(device, bind_groups, &search.finder, &pushes)?;
        Ok(Self { search, pushes, group, vectors, smallest })
    }

    /// Neighbor search.
    pub fn search(&self) -> &OverflowSearch {
        &self.search
    }

    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        self.search.finder.bytes() + self.pushes.size()
    }

    /// Reallocates if the last searches overflowed.
    pub fn grow(&mut self, device: &Device, bind_groups: &BindGroups) -> Result<(), GpuError> {
        if self.search.grow(device, size_of::<RowData>() as u64 * u64::from(self.vectors))? {
            self.pushes = pushes(device, self.search.finder.capacity(), self.vectors)?;
            self.group = group(device, bind_groups, &self.search.finder, &self.pushes)?;
        }
        Ok(())
    }

    /// Uploads radii changed by the caller.
    pub fn refresh(&mut self, device: &Device, state: &State) {
        let smallest = smallest(state);
        if smallest != self.smallest {
            self.smallest = smallest;
            self.search.finder.set_margin(device, MARGIN * smallest);
        }
    }

    /// Contact pairs that were active in the last substep, by the smaller index; blocks until they are read back.
    pub fn contact_pairs(&self, device: &Device, model: &Model) -> Result<Vec<ContactPair>, GpuError> {
        let h = model.settings.dt / model.settings.substeps as f32;
        let ranges = device.download(self.search.finder.ranges())?;
        let near = device.download(self.search.finder.indices())?;
        let pushes = device.download(&self.pushes)?;
        // Impulses of the first 32 entries are valid where their bit is set.
        let mut kept = vec![0; model.topology.objects.len()];
        for order in device.download(&self.search.finder.slots()[1])?.chunks_exact(2).take(kept.len()) {
            kept[order[0] as usize] = order[1];
        }
        let mut all = Vec::new();
        for (i, range) in ranges.chunks_exact(2).enumerate().take(model.topology.objects.len()) {
            for (n, e) in entries_of([range[0], range[1]]).enumerate() {
                let j = near[e];
                let normal = f32::from_bits(pushes[4 * e + 3]);
                let is_kept = n >= 32 || kept[i] >> n & 1 == 1;
                if j as usize > i && is_kept && normal != 0.0 {
                    all.push(ContactPair { a: i as u32, b: j, force: normal / (h * h) });
                }
            }
        }
        Ok(all)
    }
}

fn smallest(state: &State) -> f32 {
    state.radii.iter().copied().fold(f32::INFINITY, f32::min).min(1e3)
}

fn pushes(device: &Device, entries: u32, vectors: u32) -> Result<Buffer, GpuError> {
    let bytes = u64::from(entries) * u64::from(vectors) * size_of::<RowData>() as u64;
    device.buffer("particle contact impulses", bytes, BufferUsages::STORAGE | BufferUsages::COPY_SRC)
}

fn group(
    device: &Device,
    bind_groups: &BindGroups,
    finder: &Finder,
    pushes: &Buffer,
) -> Result<wgpu::BindGroup, GpuError> {
    let buffers = [finder.ranges(), finder.indices(), pushes, &finder.slots()[1]];
    device.attempt("particle contact bind group", || own_group(device, &bind_groups.meets, &buffers))
}
