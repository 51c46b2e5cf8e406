//! Particle contacts on the device: neighbor lists, accumulated impulses, and their buffers.
//!
//! The neighbor search uses predicted positions, before the state is changed.

use crate::contact::gpu::tables::ContactTables;
use crate::contact::model::ContactModel;
use crate::environments::Separation;
use crate::math::RowData;
use crate::neighbors::gpu::neighbor_overflow::OverflowSearch;
use crate::neighbors::gpu::{Finder, Layout, Order, Setup, entries_of};
use crate::neighbors::{Cloud, Construction, Pairs, Search};
use crate::runtime::gpu::bind_groups::own_group;
use crate::runtime::gpu::buffers::Buffers;
use crate::runtime::gpu::device::Device;
use crate::runtime::gpu::error::GpuError;
use crate::runtime::gpu::program::OwnGroup;
use crate::schedule::gpu::constants;
use crate::schedule::stats::ContactPair;
use crate::state::State;
use wgpu::{Buffer, BufferUsages};

/// Initial list capacity per particle. Grains in a dense packing have twelve contacts; a heap has eight including near
/// ones, and both sides are listed.
const ROOM: usize = 12;

/// Bindings of `neighbor_bindings.wgsl`: ranges and entries of the lists, impulses, order of the search.
pub static PARTICLE_CONTACT_GROUP: OwnGroup = OwnGroup { name: "particle contacts", read_only: &[false; 4] };

/// Neighbor lists and accumulated impulses.
pub struct ParticleContacts {
    search: OverflowSearch,
    impulses: Buffer,
    layout: wgpu::BindGroupLayout,
    /// Bind group of lists and impulses.
    pub group: wgpu::BindGroup,
    /// Vectors per list entry: its impulse, and that of the previous iteration where there are rigid bodies.
    vectors: u32,
}

impl ParticleContacts {
    /// Allocates buffers for the particles of a state; `layout` is that of [`PARTICLE_CONTACT_GROUP`], `radii` the offset
    /// of the search radii in `params`. `None` if particles do not collide with each other.
    pub fn new(
        device: &Device,
        layout: &wgpu::BindGroupLayout,
        buffers: &Buffers,
        tables: &ContactTables,
        radii: u32,
        state: &State,
        separation: Separation<'_>,
    ) -> Result<Option<Self>, GpuError> {
        let Some(own) = tables.particles else { return Ok(None) };
        let n = state.particles;
        let search = OverflowSearch::new(
            device,
            &Setup {
                particles: n,
                rows: &buffers.work,
                rows_at: own.predicted,
                radii: &buffers.params,
                radii_at: radii,
                phases: Some(&buffers.topology),
                phases_at: own.phases,
                margin: 0.0,
                pairs: Pairs::Both,
                search: Search::Auto,
                construction: Construction::Counting,
                order: Order::Numbers,
                layout: Layout::Interleaved,
                capacity: ROOM * n,
                cloud: Some(Cloud { rows: &state.rows[..n], radii: &state.radii, phases: &state.phases }),
                separation,
            },
            &buffers.flags,
            &constants::wgsl(),
        )?;
        let vectors = if tables.mass_splitting.is_none() { 1 } else { 2 };
        let impulses = impulses(device, search.finder.capacity(), vectors)?;
        let layout = layout.clone();
        let group = group(device, &layout, &search.finder, &impulses)?;
        Ok(Some(Self { search, impulses, layout, group, vectors }))
    }

    /// Neighbor search.
    pub fn search(&self) -> &OverflowSearch {
        &self.search
    }

    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        self.search.finder.bytes() + self.impulses.size()
    }

    /// Reallocates if the last searches overflowed.
    pub fn grow(&mut self, device: &Device) -> Result<(), GpuError> {
        if self.search.grow(device, size_of::<RowData>() as u64 * u64::from(self.vectors))? {
            self.impulses = impulses(device, self.search.finder.capacity(), self.vectors)?;
            self.group = group(device, &self.layout, &self.search.finder, &self.impulses)?;
        }
        Ok(())
    }

    /// Contact pairs that were active in the last substep, by the smaller index; blocks until they are read back.
    pub fn contact_pairs(&self, device: &Device, model: &ContactModel<'_>) -> Result<Vec<ContactPair>, GpuError> {
        let h = model.settings.substep();
        let ranges = device.download(self.search.finder.ranges())?;
        let near = device.download(self.search.finder.indices())?;
        let impulses = device.download(&self.impulses)?;
        // Impulses of the first 32 entries are valid where their bit is set.
        let mut kept = vec![0; model.topology.objects.len()];
        for order in device.download(&self.search.finder.slots()[1])?.chunks_exact(2).take(kept.len()) {
            kept[order[0] as usize] = order[1];
        }
        let mut all = Vec::new();
        for (i, range) in ranges.chunks_exact(2).enumerate().take(model.topology.objects.len()) {
            for (n, e) in entries_of([range[0], range[1]]).enumerate() {
                let j = near[e];
                let normal = f32::from_bits(impulses[4 * e + 3]);
                let is_kept = n >= 32 || kept[i] >> n & 1 == 1;
                if j as usize > i && is_kept && normal != 0.0 {
                    all.push(ContactPair { a: i as u32, b: j, force: normal / (h * h) });
                }
            }
        }
        Ok(all)
    }
}

fn impulses(device: &Device, entries: u32, vectors: u32) -> Result<Buffer, GpuError> {
    let bytes = u64::from(entries) * u64::from(vectors) * size_of::<RowData>() as u64;
    device.buffer("particle contact impulses", bytes, BufferUsages::STORAGE | BufferUsages::COPY_SRC)
}

fn group(
    device: &Device,
    layout: &wgpu::BindGroupLayout,
    finder: &Finder,
    impulses: &Buffer,
) -> Result<wgpu::BindGroup, GpuError> {
    let buffers = [finder.ranges(), finder.indices(), impulses, &finder.slots()[1]];
    device.attempt("particle contact bind group", || own_group(device, layout, &buffers))
}
