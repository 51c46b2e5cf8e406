//! Neighbor search: buffers and passes, outputs, and reallocation.

use crate::neighbors::gpu::constants;
use crate::neighbors::gpu::setup::{Layout, Order, Setup};
use crate::neighbors::gpu::uniforms::QueryUniforms;
use crate::neighbors::gpu::{CELLS, GROUP, QUERY, SUM, Shared, grid, tree};
use crate::neighbors::{Construction, MAX_PARTICLES, Neighbors, Pairs, Search};
use crate::runtime::cpu::Threads;
use crate::runtime::gpu::device::Device;
use crate::runtime::gpu::error::GpuError;
use crate::runtime::gpu::pass_builder::{PassBuilder, Step};
use wgpu::{Buffer, ComputePass, ComputePipeline};

/// Lists interleaved together.
pub(crate) const INTERLEAVE: usize = 32;
/// Flag in the length of an interleaved list.
pub(crate) const INTERLEAVED: u32 = 1 << 31;

/// Positions of the entries of a list, from the two words of its range.
pub fn entries_of(range: [u32; 2]) -> impl Iterator<Item = usize> {
    let [first, length] = range;
    let step = if length & INTERLEAVED == 0 { 1 } else { INTERLEAVE };
    (0..(length & !INTERLEAVED) as usize).map(move |n| first as usize + n * step)
}

/// Number of header words.
pub const HEADER: usize = 12;

/// Report of a search: the header, read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// Entries taken by the lists of the last search, including padding.
    pub wanted: u64,
    /// Capacity [entries].
    pub capacity: u32,
    /// Whether they did not fit. Lists are then invalid, though within bounds: grow, and search again.
    pub overflow: bool,
    /// Maximum number of entries wanted by any earlier search at this capacity; `u32::MAX` stands for more.
    pub most: u32,
    /// Number of earlier searches at this capacity that overflowed.
    pub missed: u32,
    /// Buckets of the grid's table.
    pub places: u32,
}

impl Report {
    /// From the header words.
    pub fn from_words(words: [u32; HEADER]) -> Self {
        let [low, high, capacity, overflow, _, places, most, missed, ..] = words;
        let wanted = u64::from(high) << 32 | u64::from(low);
        Self { wanted, capacity, overflow: overflow != 0, most, missed, places }
    }

    /// Capacity that would have sufficed for every search so far.
    pub fn needed(&self) -> u64 {
        self.wanted.max(u64::from(self.most))
    }
}

/// Neighbor search on the device with its buffers.
#[derive(Debug)]
pub struct Finder {
    particles: usize,
    used: Search,
    record: QueryUniforms,
    query: Buffer,
    build: Vec<Step>,
    list: [Step; 2],
    /// List shaders and their inputs, to be bound again after the lists have grown.
    list_passes: [ListPass; 2],
    tree: Option<Buffer>,
    slots: [Buffer; 2],
    ranges: Buffer,
    indices: Buffer,
    header: Buffer,
    fixed_bytes: u64,
}

/// A dispatch that writes lists.
#[derive(Debug)]
struct ListPass {
    pipeline: ComputePipeline,
    /// Input buffers, by binding.
    reads: Vec<(u32, Buffer)>,
    groups: usize,
}

/// Words of `Cells` before its environments.
const CELL_WORDS: usize = 24;

/// Minimum growth, to avoid frequent reallocation.
const GROWTH: u64 = 4096;

impl Finder {
    /// Creates buffers and shaders.
    pub fn new(device: &Device, setup: &Setup<'_>) -> Result<Self, GpuError> {
        let n = setup.particles;
        if n >= MAX_PARTICLES {
            let (needed, most) = (16 * n as u64, 16 * (MAX_PARTICLES as u64 - 1));
            return Err(GpuError::TooLarge { buffer: "slots", needed, most, adapter: device.name.clone() });
        }
        check_margin(setup.margin);
        setup.check();
        let used = match (setup.search, setup.cloud) {
            _ if setup.separation.acts() => Search::Grid,
            (Search::Auto, Some(cloud)) => {
                let threads = Threads::new(1).map_err(|e| GpuError::Lost(e.to_string()))?;
                crate::neighbors::choose(&threads, cloud, setup.margin)
            }
            (Search::Auto, None) => Search::Grid,
            (given, _) => given,
        };
        let mut builder = PassBuilder::new(device, constants::wgsl());
        let record = QueryUniforms {
            particles: n as u32,
            capacity: 0,
            radii_at: setup.radii_at,
            phases_at: setup.phases_at,
            margin: setup.margin,
            once: u32::from(setup.pairs == Pairs::Once),
            phased: u32::from(setup.phases.is_some()),
            places: grid::places(n) as u32,
            zero: 0,
            used: if used == Search::Grid { 1 } else { 2 },
            rows_at: setup.rows_at,
            environments: setup.separation.count.max(1),
        };
        let shared = Shared {
            particles: n,
            rows: setup.rows,
            radii: setup.radii,
            phases: setup.phases.unwrap_or(setup.radii),
            query: builder.record("query", &record)?,
            cells: builder.words("cells", CELL_WORDS + setup.separation.of.len().max(4))?,
            header: builder.words("header", HEADER)?,
            slots: builder.words("slots", 4 * n)?,
            tags: builder.words("tags", 2 * n)?,
        };
        if setup.separation.acts() {
            let at = 4 * CELL_WORDS as u64;
            device.queue.write_buffer(&shared.cells, at, bytemuck::cast_slice(setup.separation.of));
        }
        let ranges = builder.words("ranges", 2 * n)?;
        let queue = builder.words("queue", n)?;
        let lists = include_str!("lists.wgsl");
        let allocation = include_str!("list_allocation.wgsl");
        let mut reads = vec![(1, shared.slots.clone()), (2, shared.tags.clone()), (8, queue.clone())];
        let interleaving =
            if setup.layout == Layout::Interleaved { "const INTERLEAVES: bool = true;\n" } else { CONTIGUOUS };
        let (build, pipeline, tree);
        if used == Search::Tree {
            let (steps, forks) = tree::build(&mut builder, &shared)?;
            let text = [
                QUERY,
                tree::BOXES,
                allocation,
                KEEP,
                interleaving,
                lists,
                include_str!("search_tree.wgsl"),
                SUM,
                GROUP,
            ];
            reads.push((6, forks.clone()));
            (build, pipeline, tree) = (steps, builder.pipeline("list", &text)?, Some(forks));
        } else {
            let (mut steps, table) = grid::build(&mut builder, &shared, setup.construction)?;
            if setup.order == Order::Cells && setup.construction == Construction::Counting {
                steps.push(grid::sort_cells(&builder, &shared, &table)?);
            }
            let keep = if setup.order == Order::Cells { KEEP_UNSORTED } else { KEEP };
            let text =
                [QUERY, CELLS, allocation, keep, interleaving, lists, include_str!("search_grid.wgsl"), SUM, GROUP];
            reads.extend([(6, shared.cells.clone()), (7, table)]);
            (build, pipeline, tree) = (steps, builder.pipeline("list", &text)?, None);
        }
        let finish = builder.pipeline("finish", &[QUERY, CELLS, allocation, include_str!("long_lists.wgsl"), SUM])?;
        let particles = [(1, shared.rows), (2, shared.radii), (6, shared.phases), (7, &shared.cells), (8, &queue)];
        let particles = particles.map(|(binding, buffer)| (binding, buffer.clone())).to_vec();
        let list_passes = [
            ListPass { pipeline, reads, groups: n.div_ceil(LISTED) },
            ListPass { pipeline: finish, reads: particles, groups: long_list_groups(device, n) },
        ];
        let fixed_bytes = builder.bytes;
        let capacity = setup.capacity.clamp(1, most_entries(device));
        let indices = builder.words("neighbors", capacity)?;
        let Shared { query, header, slots, tags, .. } = shared;
        let list = bind(&builder, &list_passes, [&query, &ranges, &indices, &header])?;
        let mut finder = Self {
            particles: n,
            used,
            record,
            query,
            build,
            list,
            list_passes,
            tree,
            slots: [slots, tags],
            ranges,
            indices,
            header,
            fixed_bytes,
        };
        finder.set_capacity(device, capacity as u32);
        device.alive()?;
        Ok(finder)
    }

    /// Records a whole search.
    pub fn encode(&self, pass: &mut ComputePass<'_>) {
        self.encode_build(pass);
        self.encode_lists(pass);
    }

    /// Records the first half: everything before the lists, and a header reset.
    pub fn encode_build(&self, pass: &mut ComputePass<'_>) {
        self.build.iter().for_each(|step| step.encode(pass));
    }

    /// Records the second half, once for every first half.
    pub fn encode_lists(&self, pass: &mut ComputePass<'_>) {
        self.list.iter().for_each(|step| step.encode(pass));
    }

    /// Reallocates the lists for the given number of entries; their contents are lost. Fails if the adapter cannot bind
    /// that many.
    pub fn grow(&mut self, device: &Device, entries: u64) -> Result<(), GpuError> {
        let most = most_entries(device) as u64;
        if entries > most {
            let (needed, most) = (4 * entries, 4 * most);
            return Err(GpuError::TooLarge { buffer: "neighbors", needed, most, adapter: device.name.clone() });
        }
        let mut builder = PassBuilder::new(device, constants::wgsl());
        let indices = builder.words("neighbors", entries.max(1) as usize)?;
        self.list = bind(&builder, &self.list_passes, [&self.query, &self.ranges, &indices, &self.header])?;
        self.indices = indices;
        self.set_capacity(device, entries.max(1) as u32);
        Ok(())
    }

    /// Searches, waits, and grows until all lists fit. For setup, tests and tools: it reads back.
    pub fn search_until_fitting(&mut self, device: &Device) -> Result<Report, GpuError> {
        loop {
            let mut encoder = device.device.create_command_encoder(&Default::default());
            self.encode(&mut encoder.begin_compute_pass(&Default::default()));
            device.queue.submit([encoder.finish()]);
            let report = self.report(device)?;
            if !report.overflow {
                return Ok(report);
            }
            // Some headroom for the next steps.
            let wanted = report.wanted.saturating_add(report.wanted / 8).saturating_add(GROWTH);
            self.grow(device, wanted.min((most_entries(device) as u64).max(report.wanted)))?;
        }
    }

    /// Header, after everything submitted is done.
    pub fn report(&self, device: &Device) -> Result<Report, GpuError> {
        let words = self.read(device, &self.header, HEADER)?;
        Ok(Report::from_words(std::array::from_fn(|k| words[k])))
    }

    /// Lists by particle index, after everything submitted is done; `None` if they did not fit.
    pub fn lists(&self, device: &Device) -> Result<Option<Neighbors>, GpuError> {
        let report = self.report(device)?;
        if report.overflow {
            return Ok(None);
        }
        let ranges = self.read(device, &self.ranges, 2 * self.particles)?;
        let indices = self.read(device, &self.indices, report.wanted as usize)?;
        let list = |range: &[u32]| entries_of([range[0], range[1]]).map(|e| indices[e]).collect::<Vec<u32>>();
        let lists: Vec<Vec<u32>> = ranges.chunks_exact(2).map(list).collect();
        Ok(Some(Neighbors::from_lists(lists.iter().map(Vec::as_slice))))
    }

    fn read(&self, device: &Device, buffer: &Buffer, words: usize) -> Result<Vec<u32>, GpuError> {
        if words == 0 {
            return Ok(Vec::new());
        }
        device.download_some(buffer, 0, 4 * words as u64)
    }

    /// Sets another margin [m] from the next submission on.
    pub fn set_margin(&mut self, device: &Device, margin: f32) {
        check_margin(margin);
        self.record.margin = margin;
        device.queue.write_buffer(&self.query, 0, bytemuck::bytes_of(&self.record));
    }

    fn set_capacity(&mut self, device: &Device, capacity: u32) {
        self.record.capacity = capacity;
        device.queue.write_buffer(&self.query, 0, bytemuck::bytes_of(&self.record));
        device.queue.write_buffer(&self.header, 0, bytemuck::cast_slice(&[0_u32; HEADER]));
    }

    /// Capacity [entries].
    pub fn capacity(&self) -> u32 {
        self.record.capacity
    }

    /// By particle, `vec2<u32>`: its first entry and its length, with the highest bit set if the stride is 32. Particle
    /// indices are below the number of particles and ranges within `indices`, even if the header shows an overflow.
    pub fn ranges(&self) -> &Buffer {
        &self.ranges
    }

    /// Entries, `u32`: particle indices.
    pub fn indices(&self) -> &Buffer {
        &self.indices
    }

    /// See [`Report::from_words`]; the fourth word is not 0 if lists did not fit.
    pub fn header(&self) -> &Buffer {
        &self.header
    }

    /// By slot, `vec4<f32>` and `vec2<u32>`: position and radius; index and phase. Consecutive slots are close in
    /// space.
    pub fn slots(&self) -> &[Buffer; 2] {
        &self.slots
    }

    /// By fork of the tree, 64 bytes: for each side minimum coordinates [m] and the child, maximum coordinates and the
    /// phase common to all particles below, or 0. Forks have the indices of Karras' inner nodes; a child is a fork, or
    /// with the highest bit set a run of slots: eight times the first, plus the size minus one. `None` if the grid
    /// searches.
    pub fn forks(&self) -> Option<&Buffer> {
        self.tree.as_ref()
    }

    /// Cells of the grid (`cells.wgsl`), and the first slot of each bucket of its table; `None` if the tree searches.
    pub fn grid(&self) -> Option<[&Buffer; 2]> {
        let at = |number: u32| self.list_passes[0].reads.iter().find(|(binding, _)| *binding == number);
        if self.used == Search::Grid { Some([&at(6)?.1, &at(7)?.1]) } else { None }
    }

    /// Search structure in use: grid or tree.
    pub fn used(&self) -> Search {
        self.used
    }

    /// Number of dispatches of a search.
    pub fn dispatches(&self) -> usize {
        self.build.len() + self.list.len()
    }

    /// Memory on the device [bytes].
    pub fn bytes(&self) -> u64 {
        self.fixed_bytes + self.indices.size()
    }
}

fn check_margin(margin: f32) {
    assert!(margin >= 0.0, "the margin of a neighbor search is {margin} m, but must not be negative");
}

/// Maximum number of entries that the adapter can bind.
fn most_entries(device: &Device) -> usize {
    (device.binding_bytes / 4).min(u64::from(u32::MAX) - 1) as usize
}

/// Particles per workgroup of lists.wgsl.
const LISTED: usize = 64;

/// Indices kept per thread: contact lists are shorter, so nearly all are written at once.
const KEEP: &str = "const KEEP: u32 = 32u;\nconst SORTS: bool = true;\n";
/// The same for lists in cell order: those of fluids.
const KEEP_UNSORTED: &str = "const KEEP: u32 = 64u;\nconst SORTS: bool = false;\n";

const CONTIGUOUS: &str = "const INTERLEAVES: bool = false;\n";

/// Workgroups of long_lists.wgsl: as many as run at once. Most searches leave it nothing to do, and a software driver takes
/// 40 µs for each workgroup all the same. It needs some, because Mesa's leaves a shader's loops after 65,535 iterations in
/// all: those of sorting some 180 lists of 2,048 entries.
fn long_list_groups(device: &Device, particles: usize) -> usize {
    let most = if device.software { particles.div_ceil(160).clamp(4, 512) } else { 512 };
    particles.min(most)
}

fn bind(builder: &PassBuilder<'_>, list_passes: &[ListPass; 2], own: [&Buffer; 4]) -> Result<[Step; 2], GpuError> {
    let step = |pass: &ListPass| {
        let mut bound: Vec<(u32, &Buffer)> = [0, 3, 4, 5].into_iter().zip(own).collect();
        bound.extend(pass.reads.iter().map(|(binding, buffer)| (*binding, buffer)));
        builder.step(&pass.pipeline, &bound, pass.groups)
    };
    Ok([step(&list_passes[0])?, step(&list_passes[1])?])
}
