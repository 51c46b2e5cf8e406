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
const VERTEX_ELEMENTS: [&str; 3] = [
    include_str!("../../../shape_matching/rotation.wgsl"),
    include_str!("element.wgsl"),
    include_str!("vertex_elements.wgsl"),
];

impl ElasticFeatures {
    fn shader(&self, entry: &'static str, more: &[&'static str]) -> ShaderSource {
        let mut parts: Vec<ShaderPart> =
            vec![format!("const ELEMENTS: u32 = {}u;\n", self.kinds).into(), BINDINGS.into()];
        parts.extend(more.iter().map(|&part| ShaderPart::from(part)));
        ShaderSource::new(entry, Bindings::SHARED, parts)
    }

    fn with_contact(&self, entry: &'static str, more: &[&'static str]) -> ShaderSource {
        let mut source = self.shader(entry, &[]);
        source.parts.extend(self.contact.collider_contacts());
        source.parts.extend(more.iter().map(|&part| ShaderPart::from(part)));
        source
    }

    /// A pass over vertices.
    pub fn vertices(&self, entry: &'static str) -> ShaderSource {
        let mut parts = VERTEX_ELEMENTS.to_vec();
        parts.extend([include_str!("vertex_contact.wgsl"), include_str!("descent.wgsl")]);
        self.with_contact(entry, &parts)
    }

    /// A pass over aggregates.
    pub fn aggregates(&self, entry: &'static str) -> ShaderSource {
        self.shader(entry, &[VERTEX_ELEMENTS[0], include_str!("coarse_space.wgsl")])
    }

    /// Assembly of the coarse matrix.
    pub fn assembly(&self) -> ShaderSource {
        let [rotation, element, _] = VERTEX_ELEMENTS;
        self.shader("assemble", &[rotation, element, include_str!("coarse_assembly.wgsl")])
    }

    /// `factor` or `solve` of the coarse matrix.
    pub fn coarse(&self, entry: &'static str) -> ShaderSource {
        const { assert!(PANEL_ROWS * 12 * 4 <= 12 << 10 && COARSE_THREADS >= 12 * 8) };
        self.shader(entry, &[include_str!("coarse_solve.wgsl")])
    }

    /// A pass of the conjugate gradients of large bodies.
    pub fn two_level(&self, entry: &'static str) -> ShaderSource {
        const { assert!(BLOCK_NUMBERS == COARSE_WIDTH * COARSE_WIDTH && REGION_THREADS >= BLOCK_NUMBERS) };
        const { assert!(PANEL_WIDTH == PANEL_REGIONS * COARSE_WIDTH && PANEL_NUMBERS == PANEL_WIDTH * PANEL_WIDTH) };
        self.shader(entry, &[include_str!("block_inverse.wgsl"), include_str!("conjugate_gradients.wgsl")])
    }

    /// A pass that restores momentum.
    pub fn momentum(&self, entry: &'static str) -> ShaderSource {
        self.shader(entry, &[VERTEX_ELEMENTS[0], include_str!("momentum.wgsl")])
    }
}
