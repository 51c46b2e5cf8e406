//! Flags of fluid passes that the host and shaders share.

use crate::runtime::gpu::shader_constants::shader_constants;

shader_constants! {
    /// Flag of projection: motion of single particles against their neighbors is filtered.
    FILTERS = 4;
    /// Flag of projection: velocities gain by gravity before the pressures act.
    FALLS = 8;
    /// Flag of projection: pressures follow from the sweep.
    LAST_SWEEP = 16;
}
