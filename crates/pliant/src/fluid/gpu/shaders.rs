//! WGSL of fluids, and the modules of their passes.

use crate::contact::gpu::shaders::ContactFeatures;
use crate::fluid::gpu::neighbor_lists::FLUID_GROUP;
use crate::runtime::gpu::program::{Bindings, Part, ShaderSource, binding};

/// Kernels of fluids: smoothing, boundaries, density, viscosity, surface tension, vorticity.
pub const FLUID_KERNELS: [&str; 6] = [
    include_str!("../sph_kernels.wgsl"),
    include_str!("../boundary.wgsl"),
    include_str!("../density.wgsl"),
    include_str!("../viscosity.wgsl"),
    include_str!("../surface_tension.wgsl"),
    include_str!("../vorticity.wgsl"),
];

const PASSES: [&str; 2] = [include_str!("fluid.wgsl"), include_str!("viscosity_sweeps.wgsl")];

/// Rows, motion, work, flags and constants beside the neighbor lists.
const BINDINGS: Bindings = Bindings {
    shared: &[
        binding::ROWS,
        binding::MOTION,
        binding::WORK,
        binding::FLAGS,
        binding::CONSTANTS,
        binding::SUBSTEP,
        binding::UNIFORMS,
    ],
    own: Some(&FLUID_GROUP),
};

/// A pass over fluid particles, named by its entry point in `fluid.wgsl` or `viscosity_sweeps.wgsl`. `constants` is WGSL
/// that declares the parameters of the fluids.
pub fn fluid_pass(entry: &'static str, constants: String, contact: &ContactFeatures) -> ShaderSource {
    let mut parts: Vec<Part> = FLUID_KERNELS.map(Part::from).to_vec();
    parts.extend(contact.collider_contacts());
    parts.push(constants.into());
    parts.extend(PASSES.map(Part::from));
    ShaderSource::new(entry, BINDINGS, parts)
}
