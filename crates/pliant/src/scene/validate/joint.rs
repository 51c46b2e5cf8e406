//! Validates joints.

use crate::error::SceneError;
use crate::scene::validate::{Checked, direction, range, vector};
use crate::scene::{Joint, JointType};

pub fn joint(at: &str, j: &Joint) -> Checked {
    if j.to.as_ref() == Some(&j.body) {
        let what = format!("is {:?}, the same as body, but a joint needs two bodies", j.body);
        return Err(SceneError::new(format!("{at}.to"), what).help("leave it out to join the body with the world"));
    }
    vector(&format!("{at}.anchor"), j.anchor, 1e5)?;
    vector(&format!("{at}.anchor_to"), j.anchor_to.unwrap_or_default(), 1e5)?;
    vector(&format!("{at}.axis"), j.axis, 1e5)?;
    direction(&format!("{at}.axis"), j.axis)?;
    let moves = matches!(j.kind, JointType::Hinge | JointType::Slider);
    let distance = j.kind == JointType::Distance;
    let only = [
        ("limits", j.limits.is_some() && !moves, "hinge and slider"),
        ("motor", j.motor.is_some() && !moves, "hinge and slider"),
        ("anchor_to", j.anchor_to.is_some() && !distance, "distance"),
        ("length", j.length.is_some() && !distance, "distance"),
        ("stiffness", j.stiffness.is_some() && !distance, "distance"),
        ("damping", j.damping != 0.0 && !distance, "distance"),
    ];
    if let Some((key, _, kinds)) = only.iter().find(|(_, wrong, _)| *wrong) {
        return Err(SceneError::new(
            format!("{at}.{key}"),
            format!("is given, but only joints of kind {kinds} have it"),
        ));
    }
    if let Some([low, high]) = j.limits {
        let most = if j.kind == JointType::Hinge { 180.0 } else { 1e5 };
        range(&format!("{at}.limits[0]"), low, -most, 0.0)?;
        range(&format!("{at}.limits[1]"), high, 0.0, most)?;
    }
    if let Some(m) = j.motor {
        range(&format!("{at}.motor.speed"), m.speed, -1e6, 1e6)?;
        range(&format!("{at}.motor.most"), m.most, 0.0, 1e9)?;
    }
    range(&format!("{at}.length"), j.length.unwrap_or(1.0), 1e-6, 1e5)?;
    range(&format!("{at}.stiffness"), j.stiffness.unwrap_or(1.0), 1e-9, 1e9)?;
    range(&format!("{at}.damping"), j.damping, 0.0, 1e9)
}
