//! Validates collision groups and surfaces of objects.

use crate::collision::GROUPS;
use crate::error::SceneError;
use crate::scene::validate::{Checked, range};
use crate::scene::{CollisionSpec, FrictionSpec};

/// Collision groups and surface of an object.
pub(crate) fn surface(
    at: &str,
    c: Option<&CollisionSpec>,
    f: Option<&FrictionSpec>,
    restitution: Option<f32>,
) -> Checked {
    collision(at, c)?;
    f.map_or(Ok(()), |f| friction(&format!("{at}.friction"), f))?;
    restitution.map_or(Ok(()), |e| range(&format!("{at}.restitution"), e, 0.0, 1.0))
}

pub(super) fn collision(at: &str, spec: Option<&CollisionSpec>) -> Checked {
    let Some(spec) = spec else { return Ok(()) };
    for (key, list) in [("groups", &spec.groups), ("with", &spec.with)] {
        for (k, &group) in list.iter().flatten().enumerate() {
            if group >= GROUPS {
                let what = format!("is {group}, but groups are numbered from 0 to {}", GROUPS - 1);
                return Err(SceneError::new(format!("{at}.collision.{key}[{k}]"), what));
            }
        }
    }
    Ok(())
}

/// Refuses self-collision of what always has it, or never.
pub(super) fn not_itself(at: &str, spec: Option<&CollisionSpec>) -> Checked {
    if spec.is_some_and(|spec| spec.itself.is_some()) {
        let what = "is given, but only cloth, ropes, soft bodies and inflatables choose it";
        return Err(SceneError::new(format!("{at}.collision.itself"), what));
    }
    Ok(())
}

pub(super) fn friction(at: &str, f: &FrictionSpec) -> Checked {
    range(&format!("{at}.static"), f.static_friction, 0.0, 100.0)?;
    let (found, most) = (f.kinetic_friction, f.static_friction);
    if !(found >= 0.0 && found <= most) {
        let what = format!("is {found}, but must lie between 0 and the static coefficient {most}");
        return Err(SceneError::new(format!("{at}.kinetic"), what));
    }
    Ok(())
}
