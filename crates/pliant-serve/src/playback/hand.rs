//! What a hand does in a world: it points, holds, lets go and throws.

use glam::Vec3;
use pliant::scene::Body;
use pliant::{EditError, Feature, GripHandle, Hit, World};

/// Farthest hit of a ray, in sizes of the scene.
const RAY_LENGTH: f32 = 100.0;

/// A ray from an eye.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it starts [m].
    pub origin: Vec3,
    /// Unit direction.
    pub direction: Vec3,
}

/// What a ray hits in a scene of a size [m]. Colliders are part of the background: who drags the floor wants to turn the view.
pub fn hit(world: &mut World, ray: &Ray, size: f32) -> Result<Option<Hit>, EditError> {
    let hit = world.ray_cast(ray.origin, ray.direction, RAY_LENGTH * size)?;
    Ok(hit.filter(|hit| hit.feature != Feature::Collider))
}

/// Lets go. A grip whose object is gone went with it.
pub fn release(world: &mut World, grip: GripHandle) -> Result<(), EditError> {
    match world.release(grip) {
        Ok(()) | Err(EditError::Stale) => Ok(()),
        Err(error) => Err(error),
    }
}

/// A ball of a twentieth of the scene's size, as heavy as wood, that flies through the scene in about half a second.
pub fn ball(ray: &Ray, size: f32) -> Body {
    let radius = 0.025 * size;
    Body::ball(radius)
        .density(600.0)
        .at((ray.origin + ray.direction * (4.0 * radius)).to_array())
        .velocity((ray.direction * (2.0 * size).min(30.0)).to_array())
        .color([0.85, 0.3, 0.2])
}
