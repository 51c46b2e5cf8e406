//! Flags of fluid passes that the host and shaders share.

use crate::fluid::vorticity;
use crate::runtime::gpu::shader_constants::{shader_constants, shader_values};

shader_constants! {
    /// Flag of projection: motion of single particles against their neighbors is filtered.
    FILTERS = 4;
    /// Flag of projection: velocities gain by gravity before the pressures act.
    FALLS = 8;
    /// Flag of projection: pressures follow from the sweep.
    LAST_SWEEP = 16;
    /// Flag of projection: no pressure is lost at walls, where no earlier one is known.
    SEALED = 32;
    /// Flag of projection: the pass runs where a rigid body touches a liquid.
    IF_ACTING = 64;
    /// Flag of projection: the pass runs where none does.
    IF_FREE = 128;
    /// Flag of passes over points of bodies: particles are weighed, not their pressures summed.
    FITS = 256;

    /// Vectors of a rigid body in the record of a substep.
    BODY_RECORD = 11;
    /// Vectors of a rigid body in `work`.
    BODY_MOTION = 9;
    /// Threads of a workgroup that sums the pressure on a body.
    COUPLING_WIDTH = 128;
}

shader_values! {
    F32 VORTICITY_LEAST = vorticity::VORTICITY_LEAST;
}
