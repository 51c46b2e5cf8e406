//! Joints between bodies, and between bodies and the world.

/// A joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {}

/// What a joint carries over to the next step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointState {}
