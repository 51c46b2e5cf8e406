//! What host and GPU see alike: structs of the shaders with the same members, offsets and size.
//!
//! `tests/gpu` compares them with the layout that the shader compiler gives their twins.

use crate::aero::aerodynamics;
use crate::contact::collider_contact;
use crate::solver::gpu::shader_constants::{
    BOX, CAPSULE, COLLIDER_VECTORS, FIELD_SHAPE, HULL_SHAPE, PLANE, POSE_VECTORS, SPHERE, SURFACE_SHAPE,
};
use bytemuck::{Pod, Zeroable};

/// [`collider_contact::Pose`].
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Pose {
    /// Origin of the collider's frame [m]; the fourth number is unused.
    pub position: [f32; 4],
    /// Rotation of its frame: x, y, z, w.
    pub rotation: [f32; 4],
}

/// [`collider_contact::MovingCollider`].
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct MovingCollider {
    /// Where it stood at the start of the substep.
    pub before: Pose,
    /// Where it stands at the end.
    pub after: Pose,
    /// Half extents of a box (x, y, z); half length of a capsule (x); radius of a sphere or a capsule (w) [m].
    pub size: [f32; 4],
    /// Static coefficient of friction.
    pub static_friction: f32,
    /// Kinetic coefficient.
    pub kinetic_friction: f32,
    /// [`PLANE`], [`SPHERE`], [`CAPSULE`], [`BOX`], [`HULL_SHAPE`], [`SURFACE_SHAPE`] or [`FIELD_SHAPE`].
    pub shape: u32,
    /// First vector of its tables in `fixtures`, where it has some.
    pub table: u32,
}

/// [`aerodynamics::Air`].
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

const _: () = assert!(size_of::<Pose>() == 16 * POSE_VECTORS as usize);
const _: () = assert!(size_of::<MovingCollider>() == 16 * COLLIDER_VECTORS as usize);

impl From<&crate::math::Pose> for Pose {
    fn from(pose: &crate::math::Pose) -> Self {
        Self { position: pose.position.extend(0.0).to_array(), rotation: pose.rotation.to_array() }
    }
}

impl From<&collider_contact::MovingCollider> for MovingCollider {
    fn from(moving_collider: &collider_contact::MovingCollider) -> Self {
        let (shape, size) = match &moving_collider.shape {
            collider_contact::ColliderShape::Plane => (PLANE, [0.0; 4]),
            collider_contact::ColliderShape::Sphere { radius } => (SPHERE, [0.0, 0.0, 0.0, *radius]),
            collider_contact::ColliderShape::Capsule { half_length, radius } => {
                (CAPSULE, [*half_length, 0.0, 0.0, *radius])
            }
            collider_contact::ColliderShape::Box { half } => (BOX, half.extend(0.0).to_array()),
            collider_contact::ColliderShape::Convex(_) => (HULL_SHAPE, [0.0; 4]),
            collider_contact::ColliderShape::Surface(_) => (SURFACE_SHAPE, [0.0; 4]),
            collider_contact::ColliderShape::Field(_) => (FIELD_SHAPE, [0.0; 4]),
        };
        Self {
            before: Pose::from(&moving_collider.before),
            after: Pose::from(&moving_collider.after),
            size,
            static_friction: moving_collider.friction.static_friction,
            kinetic_friction: moving_collider.friction.kinetic_friction,
            shape,
            table: 0,
        }
    }
}

impl From<&aerodynamics::Air<f32>> for Air {
    fn from(air: &aerodynamics::Air<f32>) -> Self {
        Self { half_density: air.half_density, drag: air.drag, lift: air.lift, spare: 0.0 }
    }
}

/// Numbers of one substep, `Substep` of `bindings.wgsl`, which says what they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
#[allow(missing_docs)]
pub struct Substep {
    pub gravity: [f32; 3],
    pub h: f32,
    pub wind: [f32; 3],
    pub gust: f32,
    pub inv_h: f32,
    pub keep: f32,
    pub inv_h2: f32,
    pub memory: f32,
    pub gust_period: f32,
    pub sleep: f32,
    pub margin: f32,
    pub omega: f32,
    pub flags: u32,
    pub particles: u32,
    pub solid: u32,
    pub colliders: u32,
    pub stabilization: u32,
    pub moving_colliders: u32,
    pub poses: u32,
    pub radii: u32,
    pub spins: u32,
    pub counts: u32,
    pub island_bits: u32,
    pub seams: u32,
    pub seam_of: u32,
    pub masks: u32,
    pub first_order: u32,
    pub pushes: u32,
    pub forces: u32,
    pub exchange: u32,
    pub copies: u32,
    pub meets: u32,
    pub nexts: u32,
    pub fields: u32,
    pub carried: u32,
    pub wet: u32,
    pub mass_splitting: u32,
    pub contact_counts: u32,
    pub lasts: u32,
    pub cohesion: f32,
}
