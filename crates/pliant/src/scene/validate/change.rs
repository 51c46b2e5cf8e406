//! Validates drains, freezing and melting.

use crate::scene::validate::{Checked, SceneError, collider, color, motion, one_of, range, vector};
use crate::scene::{Drain, Freeze, Melt};

pub fn drain(at: &str, d: &Drain) -> Checked {
    one_of(at, &[("box", d.cuboid.is_some()), ("sphere", d.sphere.is_some())])?;
    collider::plain(at, d.cuboid.as_ref(), d.sphere.as_ref())?;
    motion(at, d.motion.as_ref())
}

pub fn melt(at: &str, m: &Melt) -> Checked {
    range(&format!("{at}.start"), m.start, 0.0, 1e6)?;
    range(&format!("{at}.speed"), m.speed, 1e-9, 1e4)
}

pub fn freeze(at: &str, f: &Freeze) -> Checked {
    range(&format!("{at}.start"), f.start, 0.0, 1e6)?;
    let somewhere = f.cuboid.is_some() || f.sphere.is_some();
    if somewhere {
        one_of(at, &[("box", f.cuboid.is_some()), ("sphere", f.sphere.is_some())])?;
    }
    collider::plain(at, f.cuboid.as_ref(), f.sphere.as_ref())?;
    if let Some(speed) = f.speed {
        range(&format!("{at}.speed"), speed, 1e-9, 1e4)?;
        if !somewhere {
            let what = "needs a region, in which the front ends";
            return Err(SceneError::new(format!("{at}.speed"), what).help("give box or sphere"));
        }
    }
    if let Some(from) = f.from {
        vector(&format!("{at}.from"), from, 1e5)?;
        if f.speed.is_none() {
            return Err(SceneError::new(format!("{at}.from"), "is the origin of a front, but speed is not set"));
        }
    }
    if let Some(density) = f.density {
        range(&format!("{at}.density"), density, 1e-3, 1e6)?;
    }
    color(at, f.color)
}
