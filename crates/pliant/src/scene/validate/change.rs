//! What leaves the world or changes in it.

use super::{Checked, collider, motion, one_of, range};
use crate::scene::{Drain, Melt};

pub fn drain(at: &str, d: &Drain) -> Checked {
    one_of(at, &[("box", d.cuboid.is_some()), ("sphere", d.sphere.is_some())])?;
    collider::plain(at, d.cuboid.as_ref(), d.sphere.as_ref())?;
    motion(at, d.motion.as_ref())
}

pub fn melt(at: &str, m: &Melt) -> Checked {
    range(&format!("{at}.start"), m.start, 0.0, 1e6)?;
    range(&format!("{at}.speed"), m.speed, 1e-9, 1e4)
}
