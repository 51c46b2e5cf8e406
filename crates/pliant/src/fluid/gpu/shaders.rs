//! WGSL of fluids, and the modules of their passes.

use crate::contact::gpu::shaders::ContactFeatures;
use crate::fluid::gpu::neighbor_lists::FLUID_GROUP;
use crate::fluid::projection;
use crate::runtime::gpu::program::{Bindings, ShaderPart, ShaderSource, binding};

/// Kernels of fluids: smoothing, boundaries, density, viscosity, surface tension, vorticity.
pub const FLUID_KERNELS: [&str; 6] = [
    include_str!("../sph_kernels.wgsl"),
    include_str!("../boundary.wgsl"),
    include_str!("../density.wgsl"),
    include_str!("../viscosity.wgsl"),
    include_str!("../surface_tension.wgsl"),
    include_str!("../vorticity.wgsl"),
];

/// Kernels of the projection of velocities; use [`projection_constants`].
pub const PROJECTION_KERNELS: &str = include_str!("../projection.wgsl");

/// Rigid bodies in them; use the constants of `BodyCouplingTables`.
pub const PROJECTION_BODIES: &str = include_str!("projection_bodies.wgsl");

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
    let mut parts: Vec<ShaderPart> = FLUID_KERNELS.map(ShaderPart::from).to_vec();
    parts.extend(contact.collider_contacts());
    parts.push(constants.into());
    parts.extend(PASSES.map(ShaderPart::from));
    ShaderSource::new(entry, BINDINGS, parts)
}

/// A pass of the projection of velocities, named by its entry point in `projection.wgsl`.
pub fn projection_pass(entry: &'static str, constants: String, contact: &ContactFeatures) -> ShaderSource {
    let mut source = fluid_pass(entry, constants, contact);
    source.parts.push(projection_constants().into());
    source.parts.extend([PROJECTION_KERNELS, PROJECTION_BODIES, include_str!("projection.wgsl")].map(ShaderPart::from));
    source
}

/// WGSL that declares the constants of [`projection`].
pub fn projection_constants() -> String {
    let (low, high) = projection::DETERMINANTS;
    let all = [
        ("FILTER", projection::FILTER),
        ("LAPLACIAN_RELAXATION", projection::RELAXATION),
        ("SPARSE", projection::SPARSE),
        ("CLOSING", projection::CLOSING),
        ("LOW_DETERMINANT", low),
        ("HIGH_DETERMINANT", high),
        ("WALL_DIAGONAL", projection::WALL_DIAGONAL),
        ("CLOSED_DIAGONAL", projection::CLOSED_DIAGONAL),
        ("LEAST_AIR", projection::AIR.0),
        ("MOST_AIR", projection::AIR.1),
        ("BODY_RANGE", projection::BODY_RANGE),
        ("FILTER_AT_BODY", projection::FILTER_AT_BODY),
    ];
    all.iter().map(|(name, value)| format!("const {name}: f32 = {value:?}f;\n")).collect()
}
