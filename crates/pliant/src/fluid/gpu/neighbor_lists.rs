//! Neighbor lists of fluids on the device.

use crate::environments::Separation;
use crate::fluid::gpu::tables::FluidTables;
use crate::neighbors::gpu::neighbor_overflow::OverflowSearch;
use crate::neighbors::gpu::{Finder, Layout, Order, Setup};
use crate::neighbors::{Construction, Pairs};
use crate::runtime::gpu::bind_groups::own_group;
use crate::runtime::gpu::buffers::Buffers;
use crate::runtime::gpu::device::Device;
use crate::runtime::gpu::error::GpuError;
use crate::runtime::gpu::program::OwnGroup;
use crate::schedule::gpu::constants;

/// Initial list capacity per particle: a lattice at rest has 32 neighbors within four radii.
const ROOM: usize = 40;

/// Bindings of `fluid.wgsl`: ranges and entries of the lists, order of the search.
pub static FLUID_GROUP: OwnGroup = OwnGroup { name: "fluid", read_only: &[false; 3] };

/// Bindings of `body_coupling.wgsl`: cells of the search and their table, order of the search.
pub static FLUID_CELLS: OwnGroup = OwnGroup { name: "fluid cells", read_only: &[true; 3] };

/// Neighbor lists.
pub struct FluidNeighbors {
    search: OverflowSearch,
    layout: wgpu::BindGroupLayout,
    /// Bind group of the lists.
    pub group: wgpu::BindGroup,
    /// Bind group of the cells, where points of rigid bodies search.
    pub cells: Option<wgpu::BindGroup>,
}

impl FluidNeighbors {
    /// Allocates buffers for `n` particles; `layouts` are those of [`FLUID_GROUP`] and [`FLUID_CELLS`], `predicted` the offset
    /// of the predicted positions in `work`.
    pub fn new(
        device: &Device,
        [layout, cell_layout]: [&wgpu::BindGroupLayout; 2],
        buffers: &Buffers,
        tables: &FluidTables,
        predicted: u32,
        n: usize,
        separation: Separation<'_>,
    ) -> Result<Self, GpuError> {
        let search = OverflowSearch::new(
            device,
            &Setup {
                particles: n,
                rows: &buffers.work,
                rows_at: predicted,
                radii: &buffers.params,
                radii_at: tables.radii,
                phases: Some(&buffers.topology),
                phases_at: tables.phases,
                margin: 0.0,
                pairs: Pairs::Both,
                search: tables.search,
                construction: Construction::Counting,
                order: Order::Cells,
                layout: Layout::Apart,
                capacity: ROOM * n,
                cloud: None,
                separation,
            },
            &buffers.flags,
            &constants::wgsl(),
        )?;
        let layout = layout.clone();
        let group = group(device, &layout, &search.finder)?;
        let cells = match search.finder.grid().filter(|_| tables.bodies.bodies > 0) {
            Some([cells, table]) => {
                let buffers = [cells, table, &search.finder.slots()[1]];
                Some(device.attempt("fluid cells", || own_group(device, cell_layout, &buffers))?)
            }
            None => None,
        };
        Ok(Self { search, layout, group, cells })
    }

    /// Neighbor search.
    pub fn search(&self) -> &OverflowSearch {
        &self.search
    }

    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        self.search.finder.bytes()
    }

    /// Reallocates if the last searches overflowed.
    pub fn grow(&mut self, device: &Device) -> Result<(), GpuError> {
        if self.search.grow(device, size_of::<u32>() as u64)? {
            self.group = group(device, &self.layout, &self.search.finder)?;
        }
        Ok(())
    }
}

fn group(device: &Device, layout: &wgpu::BindGroupLayout, finder: &Finder) -> Result<wgpu::BindGroup, GpuError> {
    let buffers = [finder.ranges(), finder.indices(), &finder.slots()[1]];
    device.attempt("fluid bind group", || own_group(device, layout, &buffers))
}
