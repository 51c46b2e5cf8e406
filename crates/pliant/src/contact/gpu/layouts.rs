//! Colliders and poses as shaders read them: the same members, offsets and size as in WGSL.
//!
//! `tests/gpu/layout.rs` compares them with the layout of the shader compiler.

use crate::contact::collider::{BodyCollider, Collider};
use crate::contact::collider_contact;
use crate::contact::gpu::constants::{COLLIDER_VECTORS, POSE_VECTORS};
use crate::math::RowData;
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
    /// Pose at the start of the substep.
    pub before: Pose,
    /// Pose at the end of the substep.
    pub after: Pose,
    /// Sizes of its shape, see `ColliderShape::shader_record`.
    pub size: [f32; 4],
    /// Static coefficient of friction.
    pub static_friction: f32,
    /// Kinetic coefficient.
    pub kinetic_friction: f32,
    /// Code of its shape, see `collider_shape::shader`.
    pub shape: u32,
    /// First vector of its tables in `constants`, where it has some.
    pub table: u32,
}

const _: () = assert!(size_of::<Pose>() == 16 * POSE_VECTORS as usize);
const _: () = assert!(size_of::<MovingCollider>() == 16 * COLLIDER_VECTORS as usize);

impl From<&crate::math::Pose> for Pose {
    fn from(pose: &crate::math::Pose) -> Self {
        Self { position: pose.position.extend(0.0).to_array(), rotation: pose.rotation.to_array() }
    }
}

/// The vectors of all colliders in the substep from `start` to `end` [s]; `tables` are their shape tables.
pub(crate) fn moving_colliders(colliders: &[Collider], tables: &[u32], start: f64, end: f64, to: &mut Vec<RowData>) {
    for (c, &table) in colliders.iter().zip(tables) {
        let moving_collider = collider_contact::MovingCollider {
            shape: c.shape.clone(),
            before: c.motion.pose(start),
            after: c.motion.pose(end),
            friction: c.friction,
        };
        let record = MovingCollider { table, ..MovingCollider::from(&moving_collider) };
        to.extend_from_slice(bytemuck::cast_slice(&[record]));
    }
}

/// The same of pieces of rigid bodies, whose bodies have moved from `before` to `after`.
pub(crate) fn moving_bodies(
    bodies: &[BodyCollider],
    tables: &[u32],
    (before, after): (&[crate::math::Pose], &[crate::math::Pose]),
    to: &mut Vec<RowData>,
) {
    for (piece, &table) in bodies.iter().zip(tables) {
        let body = piece.body as usize;
        let record = MovingCollider { table, ..MovingCollider::from(&piece.moved(before[body], after[body])) };
        to.extend_from_slice(bytemuck::cast_slice(&[record]));
    }
}

impl From<&collider_contact::MovingCollider> for MovingCollider {
    fn from(moving_collider: &collider_contact::MovingCollider) -> Self {
        let (shape, size) = moving_collider.shape.shader_record();
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
