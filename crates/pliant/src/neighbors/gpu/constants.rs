//! Constants of the neighbor search that shaders share with the host.

use crate::neighbors::gpu::{finder, sort};
use crate::neighbors::{INACTIVE as INACTIVE_PHASE, OUTWARD as OUTWARD_FACTOR, cells, morton};
use crate::runtime::gpu::shader_constants::{self, shader_values};

shader_values! {
    U32 INACTIVE = INACTIVE_PHASE;
    F32 OUTWARD = OUTWARD_FACTOR;
    F32 FARTHEST_CELL = cells::FARTHEST_CELL;
    F32 SMALLEST_CELL = cells::SMALLEST_CELL;
    F32 TOP_COORDINATE = morton::TOP_COORDINATE;
    U32 INTERLEAVE = finder::INTERLEAVE as u32;
    U32 INTERLEAVED = finder::INTERLEAVED;
    U32 DIGITS = sort::DIGITS as u32;
}

/// Header of the modules of the search.
pub(crate) fn wgsl() -> String {
    shader_constants::wgsl(&[VALUES])
}
