//! What host and GPU see alike: structs of `kernels/*.wgsl` with the same members, offsets and size.
//!
//! `tests/gpu` compares them with the layout that the shader compiler gives their twins.

use crate::kernels::{aero, contact};
use bytemuck::{Pod, Zeroable};

/// [`contact::Pose`].
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Pose {
    /// Origin of the collider's frame [m]; the fourth number is unused.
    pub position: [f32; 4],
    /// Rotation of its frame: x, y, z, w.
    pub rotation: [f32; 4],
}

/// [`contact::Obstacle`].
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Obstacle {
    /// Where it stood at the start of the substep.
    pub before: Pose,
    /// Where it stands at the end.
    pub after: Pose,
    /// Half extents of a box (x, y, z); half length of a capsule (x); radius of a sphere or a capsule (w) [m].
    pub size: [f32; 4],
    /// Static coefficient of friction.
    pub stick: f32,
    /// Kinetic coefficient.
    pub slide: f32,
    /// 0 plane, 1 sphere, 2 capsule, 3 box.
    pub shape: u32,
    /// Unused.
    pub spare: u32,
}

/// [`aero::Air`].
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Air {
    /// ½ρ, half the density of the air [kg/m³].
    pub half_density: f32,
    /// Drag coefficient.
    pub drag: f32,
    /// Lift coefficient.
    pub lift: f32,
    /// Unused.
    pub spare: f32,
}

impl From<&contact::Pose> for Pose {
    fn from(pose: &contact::Pose) -> Self {
        Self { position: pose.position.extend(0.0).to_array(), rotation: pose.rotation.to_array() }
    }
}

impl From<&contact::Obstacle> for Obstacle {
    fn from(obstacle: &contact::Obstacle) -> Self {
        let (shape, size) = match obstacle.solid {
            contact::Solid::Plane => (0, [0.0; 4]),
            contact::Solid::Sphere { radius } => (1, [0.0, 0.0, 0.0, radius]),
            contact::Solid::Capsule { half_length, radius } => (2, [half_length, 0.0, 0.0, radius]),
            contact::Solid::Box { half } => (3, half.extend(0.0).to_array()),
        };
        Self {
            before: Pose::from(&obstacle.before),
            after: Pose::from(&obstacle.after),
            size,
            stick: obstacle.friction.stick,
            slide: obstacle.friction.slide,
            shape,
            spare: 0,
        }
    }
}

impl From<&aero::Air<f32>> for Air {
    fn from(air: &aero::Air<f32>) -> Self {
        Self { half_density: air.half_density, drag: air.drag, lift: air.lift, spare: 0.0 }
    }
}
