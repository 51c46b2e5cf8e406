//! Dispatches as data: shaders, uniform records and commands, written once and encoded for every substep.

use crate::runtime::gpu::shader_constants;
use bytemuck::Pod;
use std::borrow::Cow;

/// Threads of a workgroup in passes with one thread per row or constraint.
pub const SIZE: usize = shader_constants::SIZE as usize;

/// Numbers of the bindings of group 0, which all shaders share.
pub mod binding {
    /// Rows.
    pub const ROWS: u32 = 0;
    /// Start of the substep, velocities, history, forces.
    pub const MOTION: u32 = 1;
    /// Multipliers.
    pub const LAMBDA: u32 = 2;
    /// Vectors that live for a substep or less.
    pub const WORK: u32 = 3;
    /// Atomic words.
    pub const FLAGS: u32 = 4;
    /// Read-only numbers.
    pub const PARAMS: u32 = 5;
    /// Read-only words.
    pub const TOPOLOGY: u32 = 6;
    /// Read-only vectors.
    pub const CONSTANTS: u32 = 7;
    /// Uniform record of the substep.
    pub const SUBSTEP: u32 = 8;
    /// Uniform record of the dispatch.
    pub const UNIFORMS: u32 = 9;
    /// All of them.
    pub const ALL: &[u32] = &[ROWS, MOTION, LAMBDA, WORK, FLAGS, PARAMS, TOPOLOGY, CONSTANTS, SUBSTEP, UNIFORMS];
}

/// Storage buffers of one phenomenon, bound as group 1 in the order of their bindings.
#[derive(Debug, PartialEq, Eq)]
pub struct OwnGroup {
    /// Name, different from that of every other group.
    pub name: &'static str,
    /// Whether shaders only read each of them.
    pub read_only: &'static [bool],
}

/// Buffers that a shader sees. A shader may bind eight storage buffers, so that a shader with buffers of its own leaves some
/// of the shared ones out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bindings {
    /// Bindings of group 0, ascending.
    pub shared: &'static [u32],
    /// Group 1.
    pub own: Option<&'static OwnGroup>,
}

impl Bindings {
    /// All shared buffers and no others.
    pub const SHARED: Self = Self { shared: binding::ALL, own: None };
}

/// Part of a WGSL module.
pub type ShaderPart = Cow<'static, str>;

/// A shader as its parts. The declarations that all modules share are not among them.
#[derive(Clone, Debug)]
pub struct ShaderSource {
    /// Entry point.
    pub entry: &'static str,
    /// Name in error messages.
    pub label: String,
    /// Buffers it sees.
    pub bindings: Bindings,
    /// Parts in order; a part given twice is compiled once.
    pub parts: Vec<ShaderPart>,
}

impl ShaderSource {
    /// A shader labeled like its entry point.
    pub fn new(entry: &'static str, bindings: Bindings, parts: Vec<ShaderPart>) -> Self {
        Self { entry, label: entry.to_owned(), bindings, parts }
    }
}

impl PartialEq for ShaderSource {
    fn eq(&self, other: &Self) -> bool {
        self.entry == other.entry && self.bindings == other.bindings && self.parts == other.parts
    }
}

/// Words of the largest uniform record of a dispatch.
const WORDS: usize = 20;

/// A uniform record as it is stored: its words, then zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uniform([u32; WORDS]);

impl Uniform {
    /// Size of every stored record [bytes].
    pub const BYTES: usize = size_of::<[u32; WORDS]>();

    /// From a pass's record.
    pub fn of<T: Pod>(record: &T) -> Self {
        const { assert!(size_of::<T>() <= Self::BYTES) };
        let mut words = [0; WORDS];
        bytemuck::bytes_of_mut(&mut words)[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(record));
        Self(words)
    }

    /// Its words.
    pub fn words(&self) -> &[u32] {
        &self.0
    }
}

/// One dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dispatch {
    /// Index of the pipeline.
    pub pipeline: usize,
    /// Index of its uniform record.
    pub uniforms: usize,
    /// Number of workgroups.
    pub groups: usize,
}

/// One entry of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// A dispatch.
    Run(Dispatch),
    /// The neighbor search with this number.
    Search(usize),
}

/// Collects shaders and uniform records, each once.
#[derive(Default)]
pub struct ProgramWriter {
    /// Shaders, by the index of their pipeline.
    pub shaders: Vec<ShaderSource>,
    /// Uniform records, by index.
    pub uniforms: Vec<Uniform>,
}

impl ProgramWriter {
    /// A dispatch of so many workgroups.
    pub fn dispatch<T: Pod>(&mut self, source: ShaderSource, args: &T, groups: usize) -> Dispatch {
        let pipeline = index_of(&mut self.shaders, source);
        let uniforms = index_of(&mut self.uniforms, Uniform::of(args));
        Dispatch { pipeline, uniforms, groups }
    }

    /// The same as a command.
    pub fn run<T: Pod>(&mut self, source: ShaderSource, args: &T, groups: usize) -> Command {
        Command::Run(self.dispatch(source, args, groups))
    }

    /// A command with one thread for each of `count` items, in workgroups of [`SIZE`].
    pub fn run_each<T: Pod>(&mut self, source: ShaderSource, args: &T, count: usize) -> Command {
        self.run(source, args, count.div_ceil(SIZE))
    }
}

/// Index of an item, which is appended if it is new.
fn index_of<T: PartialEq>(all: &mut Vec<T>, item: T) -> usize {
    all.iter().position(|known| *known == item).unwrap_or_else(|| {
        all.push(item);
        all.len() - 1
    })
}
