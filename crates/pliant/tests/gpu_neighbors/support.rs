//! Devices, and transfers to and from them.

use crate::clouds::Case;
use crate::skip::skipped;
use pliant::math::RowData;
use pliant::neighbors::gpu::{Finder, Layout, Order, Report, Setup};
use pliant::neighbors::{Construction, Neighbors, Pairs, Search};
use pliant::runtime::gpu::{Cap, Device, GpuOptions, adapters, wgpu};
use std::sync::OnceLock;

/// A device for every kind of test: with checks, without them, and with no more than a browser grants. None where there
/// is no adapter.
pub fn devices() -> &'static [(&'static str, Device)] {
    static DEVICES: OnceLock<Vec<(&str, Device)>> = OnceLock::new();
    let devices = DEVICES.get_or_init(|| {
        if adapters().iter().all(|a| a.trouble.is_some()) {
            return Vec::new();
        }
        let plain = GpuOptions::default();
        let kinds = [
            ("plain", plain),
            ("checked", GpuOptions { checks: true, ..plain }),
            ("browser", GpuOptions { cap: Some(Cap::BROWSER), ..plain }),
        ];
        kinds.into_iter().map(|(name, options)| (name, Device::open(&options).expect("a device"))).collect()
    });
    if devices.is_empty() {
        assert!(std::env::var_os("PLIANT_REQUIRE_GPU").is_none(), "PLIANT_REQUIRE_GPU is set, but there is no adapter");
        skipped("no GPU adapter");
    }
    devices
}

/// The device that users have, if there is one.
pub fn plain() -> Option<&'static Device> {
    devices().first().map(|(_, device)| device)
}

/// A storage buffer with these contents, and of four words at least.
pub fn storage(device: &Device, words: &[u32]) -> wgpu::Buffer {
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC;
    let size = 4 * words.len().max(4) as u64;
    let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
    let buffer = device.device.create_buffer(&descriptor);
    device.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(words));
    buffer
}

/// SubstepUniforms into one compute pass and submits it.
pub fn submit(device: &Device, record: impl FnOnce(&mut wgpu::ComputePass<'_>)) {
    let mut encoder = device.device.create_command_encoder(&Default::default());
    record(&mut encoder.begin_compute_pass(&Default::default()));
    device.queue.submit([encoder.finish()]);
    device.alive().unwrap();
}

/// The words of a buffer.
pub fn words(device: &Device, buffer: &wgpu::Buffer) -> Vec<u32> {
    let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
    let size = buffer.size();
    let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
    let back = device.device.create_buffer(&descriptor);
    let mut encoder = device.device.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(buffer, 0, &back, 0, size);
    device.queue.submit([encoder.finish()]);
    device.read_words(&back).unwrap()
}

/// A search and the buffers it reads.
pub struct Rig {
    pub device: &'static Device,
    pub finder: Finder,
    rows: wgpu::Buffer,
}

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct How {
    pub search: Search,
    pub construction: Construction,
    pub pairs: Pairs,
    pub layout: Layout,
}

/// The simplest.
pub const GRID: How =
    How { search: Search::Grid, construction: Construction::Counting, pairs: Pairs::Once, layout: Layout::Apart };

/// Every search that there is: with pairs listed once lists lie apart, with both sides listed they are woven, as for
/// contacts.
pub fn every_way() -> impl Iterator<Item = How> {
    let ways = [
        (Search::Grid, Construction::Counting),
        (Search::Grid, Construction::Sorting),
        (Search::Tree, Construction::Counting),
    ];
    let layouts = [(Pairs::Once, Layout::Apart), (Pairs::Both, Layout::Interleaved)];
    let of = move |(search, construction)| layouts.map(|(pairs, layout)| How { search, construction, pairs, layout });
    ways.into_iter().flat_map(of)
}

impl Rig {
    /// With an initial capacity of `capacity` entries. Radii and phases follow other data in their buffers, as in a
    /// simulation.
    pub fn new(device: &'static Device, case: &Case, how: How, capacity: usize) -> Self {
        let rows = storage(device, bytemuck::cast_slice(&case.rows));
        let padding = [0x7fc0_0000; 5];
        let radii: Vec<u32> = padding.into_iter().chain(case.radii.iter().map(|r| r.to_bits())).collect();
        let phases: Vec<u32> = padding[..3].iter().chain(&case.phases).copied().collect();
        let (radii, phases) = (storage(device, &radii), storage(device, &phases));
        let setup = Setup {
            rows_at: 0,
            particles: case.rows.len(),
            rows: &rows,
            radii: &radii,
            radii_at: 5,
            phases: (!case.phases.is_empty()).then_some(&phases),
            phases_at: 3,
            margin: case.margin,
            pairs: how.pairs,
            search: how.search,
            construction: how.construction,
            order: Order::Numbers,
            layout: how.layout,
            capacity,
            cloud: Some(case.cloud()),
            separation: pliant::environments::Separation::default(),
        };
        let finder = Finder::new(device, &setup).unwrap();
        Self { device, finder, rows }
    }

    /// Moves the particles.
    pub fn place(&self, rows: &[RowData]) {
        self.device.queue.write_buffer(&self.rows, 0, bytemuck::cast_slice(rows));
    }

    /// Searches and grows as needed.
    pub fn find(&mut self) -> Neighbors {
        self.finder.search_until_fitting(self.device).unwrap();
        self.finder.lists(self.device).unwrap().expect("lists that fit")
    }

    /// One search without growing.
    pub fn once(&self) -> Report {
        submit(self.device, |pass| self.finder.encode(pass));
        self.finder.report(self.device).unwrap()
    }
}
