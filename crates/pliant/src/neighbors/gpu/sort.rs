//! Radix sort of (key, value) pairs on the device: stable, with the same order on every platform, as
//! [`crate::neighbors::RadixSort`].
//!
//! Eight bits per pass: digits are counted by block, counts are summed, pairs are scattered. With few blocks, each sums
//! the counts it needs while scattering; otherwise a separate dispatch does. Ranks within a block come from one word
//! per digit with a bit for each of 32 threads: no subgroup operations, whose width and order browsers do not
//! guarantee.

use crate::neighbors::gpu::constants;
use crate::neighbors::gpu::uniforms::SortUniforms;
use crate::neighbors::gpu::{GROUP, SUM};
use crate::runtime::gpu::device::Device;
use crate::runtime::gpu::error::GpuError;
use crate::runtime::gpu::pass_builder::{PassBuilder, Step};
use wgpu::{Buffer, ComputePass, ComputePipeline};

/// Threads per workgroup of sort.wgsl.
const THREADS: usize = 128;
/// Bits of a digit.
const DIGIT_BITS: u32 = 8;
/// Values of a digit.
pub(crate) const DIGITS: usize = 1 << DIGIT_BITS;

/// A sort of word pairs with its buffers, which can be recorded repeatedly.
#[derive(Debug)]
pub struct Sort {
    pairs: Pairs,
    ends: usize,
    steps: Vec<Step>,
    bytes: u64,
}

impl Sort {
    /// For `count` pairs whose keys are below 2^`bits`; digits above are ignored. Keys have 32 bits, so more mean 32.
    pub fn new(device: &Device, count: usize, bits: u32) -> Result<Self, GpuError> {
        let bits = bits.min(u32::BITS);
        let mut builder = PassBuilder::new(device, constants::wgsl());
        let (shaders, pairs) = (Shaders::new(&builder, count)?, Pairs::new(&mut builder, count)?);
        let (steps, ends) = shaders.passes(&mut builder, &pairs, bits)?;
        Ok(Self { pairs, ends, steps, bytes: builder.bytes })
    }

    /// Input keys; overwritten.
    pub fn keys(&self) -> &Buffer {
        &self.pairs.keys[0]
    }

    /// Input values; overwritten.
    pub fn values(&self) -> &Buffer {
        &self.pairs.values[0]
    }

    /// Sorted keys.
    pub fn sorted_keys(&self) -> &Buffer {
        &self.pairs.keys[self.ends]
    }

    /// Sorted values.
    pub fn sorted_values(&self) -> &Buffer {
        &self.pairs.values[self.ends]
    }

    /// Records the sort.
    pub fn encode(&self, pass: &mut ComputePass<'_>) {
        self.steps.iter().for_each(|step| step.encode(pass));
    }

    /// Memory of all buffers [bytes].
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// Maximum number of blocks that sum counts themselves: their reads grow with the square of their number, half a
/// kilobyte each.
const FEW: usize = 160;

/// Keys per thread. With few blocks, fewer blocks are better; with many, more keys per thread mean fewer counts to sum,
/// but large GPUs need hundreds of blocks.
fn each(count: usize) -> usize {
    match count {
        0..65_536 => 4,
        65_536..131_072 => 8,
        131_072..327_680 => 16,
        327_680..1_000_000 => 8,
        _ => 16,
    }
}

fn blocks(count: usize) -> usize {
    count.div_ceil(THREADS * each(count))
}

/// Pairs, double-buffered.
#[derive(Debug)]
pub(crate) struct Pairs {
    pub count: usize,
    pub keys: [Buffer; 2],
    pub values: [Buffer; 2],
    /// Digit counts by block: two per word where blocks sum counts themselves.
    table: Buffer,
    /// Total digit counts.
    totals: Buffer,
}

impl Pairs {
    pub fn new(builder: &mut PassBuilder<'_>, count: usize) -> Result<Self, GpuError> {
        Ok(Self {
            count,
            keys: [builder.words("keys", count)?, builder.words("keys", count)?],
            values: [builder.words("values", count)?, builder.words("values", count)?],
            table: builder.words("block digit counts", DIGITS * blocks(count))?,
            totals: builder.words("digits", DIGITS)?,
        })
    }
}

/// Pipelines of a sort.
pub(crate) struct Shaders {
    tally: ComputePipeline,
    /// None if blocks sum counts themselves.
    rows: Option<ComputePipeline>,
    scatter: ComputePipeline,
}

impl Shaders {
    /// For the given number of pairs.
    pub fn new(builder: &PassBuilder<'_>, count: usize) -> Result<Self, GpuError> {
        let alone = blocks(count) <= FEW;
        let each = format!("const EACH: u32 = {}u;", each(count));
        let sums = if alone { include_str!("sort_single_group.wgsl") } else { include_str!("sort_rows.wgsl") };
        let text = [&each, include_str!("sort.wgsl"), sums, SUM, GROUP];
        let make = |entry| builder.pipeline(entry, &text);
        let rows = if alone { None } else { Some(make("rows")?) };
        Ok(Self { tally: make("tally")?, rows, scatter: make("scatter")? })
    }

    /// Passes for keys of the given number of bits that start on side 0, and the side where they end.
    pub fn passes(
        &self,
        builder: &mut PassBuilder<'_>,
        pairs: &Pairs,
        bits: u32,
    ) -> Result<(Vec<Step>, usize), GpuError> {
        let blocks = blocks(pairs.count);
        let (mut steps, mut side, mut shift) = (Vec::new(), 0, 0);
        while shift < bits {
            let last = (1 << (bits - shift).min(DIGIT_BITS)) - 1;
            let record = SortUniforms { count: pairs.count as u32, shift, last, blocks: blocks as u32 };
            let args = builder.record("sort uniforms", &record)?;
            let ([keys, values], [to_keys, to_values]) =
                ([&pairs.keys[side], &pairs.values[side]], [&pairs.keys[1 - side], &pairs.values[1 - side]]);
            let (table, totals) = (&pairs.table, &pairs.totals);
            steps.push(builder.step(&self.tally, &[(0, &args), (1, keys), (3, table)], blocks)?);
            let mut all = vec![(0, &args), (1, keys), (2, values), (5, to_keys), (6, to_values)];
            if let Some(rows) = &self.rows {
                steps.push(builder.step(rows, &[(0, &args), (3, table), (4, totals)], DIGITS)?);
                all.extend([(3, table), (4, totals)]);
            } else {
                all.push((4, table));
            }
            steps.push(builder.step(&self.scatter, &all, blocks)?);
            (side, shift) = (1 - side, shift + DIGIT_BITS);
        }
        Ok((steps, side))
    }
}
