//! WGSL of shape matching, and the modules of its passes.

use crate::runtime::gpu::program::{Bindings, ShaderPart, ShaderSource, binding};
use crate::shape_matching::gpu::bodies::BODY_GROUP;

/// Rotation extraction.
pub const ROTATION: &str = include_str!("../rotation.wgsl");
/// Plastic rest shapes; uses [`ROTATION`].
pub const PLASTICITY: &str = include_str!("../plasticity.wgsl");

/// Rows, work, flags and constants beside bodies and poses.
const BINDINGS: Bindings = Bindings {
    shared: &[binding::ROWS, binding::WORK, binding::FLAGS, binding::CONSTANTS, binding::SUBSTEP, binding::UNIFORMS],
    own: Some(&BODY_GROUP),
};

/// A pass over bodies, named by its entry point in `shape_matching.wgsl`.
pub fn shape_matching(entry: &'static str) -> ShaderSource {
    let uniforms = include_str!("shape_matching_uniforms.wgsl");
    let parts = [ROTATION, PLASTICITY, uniforms, include_str!("shape_matching.wgsl")];
    ShaderSource::new(entry, BINDINGS, parts.map(ShaderPart::from).to_vec())
}
