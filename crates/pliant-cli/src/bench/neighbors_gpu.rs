//! Speed of the neighbor search on a GPU: many searches per submission and one wait.

use super::neighbors_block::{Lcg, NeighborRow, ParticleBlock, pair_count, search_name};
use crate::failure::Failure;
use crate::statistics::median;
use pliant::Backend;
use pliant::neighbors::Construction;
use pliant::neighbors::gpu::{Finder, Layout, Order, Setup, Sort};
use pliant::runtime::gpu::wgpu::{self, BufferUsages};
use pliant::runtime::gpu::{Device, GpuError, GpuOptions, adapters};
use std::time::Instant;

/// Target duration of a sample [s].
const SAMPLE_SECONDS: f64 = 0.05;
/// Maximum number of searches of a sample.
const MAX_SEARCHES: u32 = 500;
/// Number of particles below which the CPU is faster.
const MIN_GPU_PARTICLES: usize = 5000;

/// Options of the GPU to use, if any; `auto` takes a hardware GPU for enough particles.
pub fn options(backend: Backend, particles: usize) -> Option<GpuOptions> {
    let has_hardware = || adapters().iter().any(|a| a.trouble.is_none() && a.class != "software");
    match backend {
        Backend::Gpu(options) => Some(options),
        Backend::Auto if particles >= MIN_GPU_PARTICLES && has_hardware() => Some(GpuOptions::default()),
        _ => None,
    }
}

pub fn measure(block: &ParticleBlock, options: &GpuOptions, repeat: u32) -> Result<NeighborRow, Failure> {
    let device = Device::open(options)?;
    let n = block.rows.len();
    let rows = buffer(&device, block.rows.iter().flatten().flat_map(|v| v.to_ne_bytes()).collect());
    let radii = buffer(&device, block.radii.iter().flat_map(|v| v.to_ne_bytes()).collect());
    let phases = (!block.phases.is_empty())
        .then(|| buffer(&device, block.phases.iter().flat_map(|v| v.to_ne_bytes()).collect()));
    let setup = Setup {
        rows_at: 0,
        particles: n,
        rows: &rows,
        radii: &radii,
        radii_at: 0,
        phases: phases.as_ref(),
        phases_at: 0,
        margin: block.margin(),
        pairs: block.pairs,
        search: block.search,
        construction: Construction::Counting,
        order: Order::Numbers,
        layout: Layout::Apart,
        capacity: 8 * n,
        cloud: Some(block.cloud()),
        separation: pliant::environments::Separation::default(),
    };
    let mut finder = Finder::new(&device, &setup)?;
    let report = finder.search_until_fitting(&device)?;
    let total = sample(&device, repeat, |encoder| finder.encode(&mut begin(encoder)))?;
    let build = sample(&device, repeat, |encoder| finder.encode_build(&mut begin(encoder)))?;
    let entries = report.wanted;
    Ok(NeighborRow {
        particles: n,
        backend: "gpu",
        sort_ms: sort(&device, n, repeat)? * 1e3,
        adapter: Some(device.name),
        threads: None,
        search: search_name(finder.used()),
        spread: block.spread,
        bodies: block.bodies,
        build_ms: build * 1e3,
        lists_ms: (total - build).max(0.0) * 1e3,
        total_ms: total * 1e3,
        pairs: pair_count(entries, block.pairs),
        entries,
        bytes: finder.bytes(),
        dispatches: finder.dispatches(),
    })
}

/// Time of a sort of random pairs [s]. The keys are copied before each sort, because sorted keys take less time; the time
/// of the copies is subtracted.
fn sort(device: &Device, count: usize, repeat: u32) -> Result<f64, Failure> {
    let sort = Sort::new(device, count, 32)?;
    let mut rng = Lcg(7);
    let keys = buffer(device, (0..count).flat_map(|_| (rng.next() as u32).to_ne_bytes()).collect());
    let bytes = 4 * count as u64;
    let copy = |encoder: &mut wgpu::CommandEncoder| encoder.copy_buffer_to_buffer(&keys, 0, sort.keys(), 0, bytes);
    let both = sample(device, repeat, |encoder| {
        copy(encoder);
        sort.encode(&mut begin(encoder));
    })?;
    // An empty pass separates the copies, as the sort does.
    let copies = sample(device, repeat, |encoder| {
        copy(encoder);
        drop(begin(encoder));
    })?;
    Ok((both - copies).max(0.0))
}

fn begin(encoder: &mut wgpu::CommandEncoder) -> wgpu::ComputePass<'_> {
    encoder.begin_compute_pass(&Default::default())
}

/// Median time of one recording [s].
fn sample(device: &Device, repeat: u32, record: impl Fn(&mut wgpu::CommandEncoder)) -> Result<f64, GpuError> {
    let run = |count: u32| -> Result<f64, GpuError> {
        let mut encoder = device.device.create_command_encoder(&Default::default());
        (0..count).for_each(|_| record(&mut encoder));
        let commands = encoder.finish();
        device.wait()?;
        let start = Instant::now();
        device.queue.submit([commands]);
        device.wait()?;
        Ok(start.elapsed().as_secs_f64() / f64::from(count))
    };
    run(1)?;
    let count = (SAMPLE_SECONDS / run(4)?.max(1e-9)).round().clamp(1.0, f64::from(MAX_SEARCHES)) as u32;
    let samples = (0..repeat).map(|_| run(count)).collect::<Result<Vec<_>, _>>()?;
    Ok(median(samples.into_iter()))
}

fn buffer(device: &Device, bytes: Vec<u8>) -> wgpu::Buffer {
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
    let size = bytes.len().max(16) as u64;
    let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
    let made = device.device.create_buffer(&descriptor);
    device.queue.write_buffer(&made, 0, &bytes);
    made
}
