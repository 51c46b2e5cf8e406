//! Constants of the solve stage, and the header of every module: the constants of all phenomena.

use crate::aero;
use crate::contact;
use crate::fluid;
use crate::grip;
use crate::integration;
use crate::methods;
use crate::neighbors;
use crate::runtime::gpu::shader_constants::{self, ShaderConstants, shader_constants};
use crate::schedule;
use crate::shape_matching;
use crate::solver::gpu::reactions;

shader_constants! {
    /// Mode of patches: rows are those of the list.
    PLAIN = 0;
    /// Mode of patches: copies of seam particles start from the particles.
    SEAMS_FIRST = 1;
    /// Mode of patches: copies start from their mean, contacts included.
    SEAMS_LATER = 2;
    /// Mode of patches: patches run all iterations concurrently and exchange their seams.
    SEAMS_TOGETHER = 3;
    /// Mode of patches: second half of an iteration, copies start from their mean after the first.
    SEAMS_BETWEEN = 4;
    /// Half of a patch: steps before the exchange of seams.
    FIRST_HALF = 1;
    /// Half of a patch: steps after it.
    SECOND_HALF = 2;

    /// Step of a patch: copies of split particles are written. Lower numbers are kinds of constraints.
    STEP_SPREAD = 101;
    /// Step of a patch: split particles become the mean of their copies.
    STEP_JOIN = 102;
    /// Step of a patch: seams are exchanged, with contacts if its second word says so.
    STEP_EXCHANGE = 103;
    /// Step of a patch: seams are exchanged between the halves of the last iteration.
    STEP_LAST_EXCHANGE = 104;
    /// Words of a patch in the directory.
    PATCH_WORDS = 13;
    /// Bits of a particle's number in what a pass of several substeps reports; the substep stands above.
    PARTICLE_BITS = 25;

    /// Words of an inflatable body.
    INFLATABLE_WORDS = 9;
}

/// Constants of all phenomena.
const LISTS: [ShaderConstants; 20] = [
    shader_constants::ALL,
    schedule::gpu::constants::ALL,
    schedule::gpu::constants::VALUES,
    contact::collider_shape::shader::ALL,
    contact::gpu::constants::ALL,
    contact::gpu::constants::VALUES,
    fluid::gpu::constants::ALL,
    fluid::gpu::constants::VALUES,
    shape_matching::gpu::constants::ALL,
    shape_matching::gpu::constants::VALUES,
    aero::gpu::ALL,
    grip::gpu::ALL,
    grip::gpu::VALUES,
    integration::gpu::ALL,
    integration::momentum_gpu::ALL,
    methods::vbd::gpu::constants::ALL,
    methods::vbd::gpu::constants::VALUES,
    neighbors::gpu::constants::VALUES,
    reactions::ALL,
    ALL,
];

/// The header of every module.
pub fn wgsl() -> String {
    shader_constants::wgsl(&LISTS)
}
