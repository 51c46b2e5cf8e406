//! Modules of descent.

use crate::contact::gpu::shaders::ContactFeatures;
use crate::methods::vbd::gpu::constants::{
    BLOCK_NUMBERS, COARSE_THREADS, COARSE_WIDTH, PANEL_NUMBERS, PANEL_REGIONS, PANEL_ROWS, PANEL_WIDTH, REGION_THREADS,
};
use crate::runtime::gpu::program::{Bindings, ShaderPart, ShaderSource};

/// Features of a model that the shaders depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ElasticFeatures {
    /// Bits of the codes of elements.
    pub kinds: u32,
    /// Colliders.
    pub contact: ContactFeatures,
}

const BINDINGS: &str = include_str!("bindings.wgsl");
const ROTATION: &str = include_str!("../../../shape_matching/rotation.wgsl");
const ELEMENT: &str = include_str!("element.wgsl");
/// What descent does to one vertex.
const VERTEX: [&str; 5] = [
    ROTATION,
    ELEMENT,
    include_str!("vertex_elements.wgsl"),
    include_str!("vertex_contact.wgsl"),
    include_str!("descent.wgsl"),
];
const MOMENTUM: &str = include_str!("momentum.wgsl");
const CHAIN_SOLVE: &str = include_str!("chain_solve.wgsl");

impl ElasticFeatures {
    /// `group` is the number of threads of a workgroup.
    fn shader(&self, entry: &'static str, group: &str, more: &[&'static str]) -> ShaderSource {
        let numbers = format!("const ELEMENTS: u32 = {}u;\nconst GROUP: u32 = {group};\n", self.kinds);
        let mut parts: Vec<ShaderPart> = vec![numbers.into(), BINDINGS.into()];
        parts.extend(more.iter().map(|&part| ShaderPart::from(part)));
        ShaderSource::new(entry, Bindings::SHARED, parts)
    }

    fn with_contact(&self, entry: &'static str, group: &str, more: &[&'static str]) -> ShaderSource {
        let mut source = self.shader(entry, group, &[]);
        source.parts.extend(self.contact.collider_contacts());
        source.parts.extend(more.iter().map(|&part| ShaderPart::from(part)));
        source
    }

    /// A pass over vertices.
    pub fn vertices(&self, entry: &'static str) -> ShaderSource {
        let mut parts = VERTEX.to_vec();
        parts.push(include_str!("descent_passes.wgsl"));
        self.with_contact(entry, "SIZE", &parts)
    }

    /// A pass over bodies that one workgroup each solves, of so many threads.
    pub fn bodies(&self, entry: &'static str, threads: u32) -> ShaderSource {
        let mut parts = VERTEX.to_vec();
        parts.extend([MOMENTUM, CHAIN_SOLVE, include_str!("body_passes.wgsl")]);
        self.with_contact(entry, &format!("{threads}u"), &parts)
    }

    /// A pass over aggregates.
    pub fn aggregates(&self, entry: &'static str) -> ShaderSource {
        self.shader(entry, "SIZE", &[ROTATION, include_str!("coarse_space.wgsl")])
    }

    /// Assembly of the coarse matrix.
    pub fn assembly(&self) -> ShaderSource {
        self.shader("assemble", "SIZE", &[ROTATION, ELEMENT, include_str!("coarse_assembly.wgsl")])
    }

    /// `factor` or `solve` of the coarse matrix.
    pub fn coarse(&self, entry: &'static str) -> ShaderSource {
        const { assert!(PANEL_ROWS * 12 * 4 <= 12 << 10 && COARSE_THREADS >= 12 * 8) };
        self.shader(entry, "COARSE_THREADS", &[CHAIN_SOLVE, include_str!("coarse_solve.wgsl")])
    }

    /// A pass of the conjugate gradients of large bodies.
    pub fn two_level(&self, entry: &'static str) -> ShaderSource {
        const { assert!(BLOCK_NUMBERS == COARSE_WIDTH * COARSE_WIDTH && REGION_THREADS >= BLOCK_NUMBERS) };
        const { assert!(PANEL_WIDTH == PANEL_REGIONS * COARSE_WIDTH && PANEL_NUMBERS == PANEL_WIDTH * PANEL_WIDTH) };
        let parts = [include_str!("block_inverse.wgsl"), include_str!("conjugate_gradients.wgsl")];
        self.shader(entry, "REGION_THREADS", &parts)
    }

    /// A pass that restores momentum.
    pub fn momentum(&self, entry: &'static str) -> ShaderSource {
        self.shader(entry, "SIZE", &[ROTATION, MOMENTUM, include_str!("momentum_passes.wgsl")])
    }
}
