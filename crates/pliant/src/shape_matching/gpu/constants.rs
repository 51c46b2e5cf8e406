//! Constants that shape matching and the host share.

use crate::runtime::gpu::shader_constants::{shader_constants, shader_values};
use crate::shape_matching::rotation::{self, Extraction};

shader_constants! {
    /// Vectors of a body.
    BODY_VECTORS = 13;
    /// Vectors of the pose of a body.
    BODY_POSE_VECTORS = 8;
    /// Vectors of the sums of a piece in `work`.
    SUMS_VECTORS = 4;
    /// Vectors of the goal of a body in `work`.
    GOAL_VECTORS = 4;
    /// Flag of a body: it is plastic.
    PLASTIC_BODY = 1;
    /// Flag of a body: it turns by its torque alone.
    RIGID_BODY = 2;
    /// Flag of a body: its rows are a list.
    LISTED_BODY = 4;
    /// Rotation extraction: Gram–Schmidt.
    GRAM_SCHMIDT = Extraction::GramSchmidt as u32;
    /// Rotation extraction: polar decomposition.
    POLAR = Extraction::Polar as u32;
    /// Rotation extraction: iterations from the last orientation.
    ITERATIVE = Extraction::Iterative as u32;
}

shader_values! {
    U32 MOST_STEPS = rotation::MOST_STEPS;
    F32 NO_DIRECTION = rotation::NO_DIRECTION;
}
