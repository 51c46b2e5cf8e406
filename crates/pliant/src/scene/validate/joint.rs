//! Validates joints.

use crate::error::SceneError;
use crate::scene::validate::{Checked, direction, range, vector};
use crate::scene::{AxisSpec, Joint, JointAxis, JointType, MotorSpec};

pub fn joint(at: &str, j: &Joint) -> Checked {
    if j.to.as_ref() == Some(&j.body) {
        let what = format!("is {:?}, the same as body, but a joint needs two bodies", j.body);
        return Err(SceneError::new(format!("{at}.to"), what).help("leave it out to join the body with the world"));
    }
    vector(&format!("{at}.anchor"), j.anchor, 1e5)?;
    vector(&format!("{at}.anchor_to"), j.anchor_to.unwrap_or_default(), 1e5)?;
    vector(&format!("{at}.axis"), j.axis, 1e5)?;
    direction(&format!("{at}.axis"), j.axis)?;
    second_axis(at, j)?;
    only(at, j)?;
    axes(at, j)?;
    if let Some(limits) = j.limits {
        match j.kind {
            JointType::Distance => {
                range(&format!("{at}.limits[0]"), limits[0], 0.0, 1e5)?;
                range(&format!("{at}.limits[1]"), limits[1], limits[0].max(1e-6), 1e5)?;
            }
            kind => self::limits(&format!("{at}.limits"), limits, kind == JointType::Hinge)?,
        }
    }
    if let Some(m) = &j.motor {
        motor(&format!("{at}.motor"), m, j.kind == JointType::Hinge)?;
    }
    range(&format!("{at}.friction"), j.friction, 0.0, 1e9)?;
    range(&format!("{at}.length"), j.length.unwrap_or(1.0), 1e-6, 1e5)?;
    range(&format!("{at}.stiffness"), j.stiffness.unwrap_or(1.0), 1e-9, 1e9)?;
    range(&format!("{at}.compliance"), j.compliance, 0.0, 1e9)?;
    range(&format!("{at}.damping"), j.damping, 0.0, 1e9)?;
    range(&format!("{at}.angular_compliance"), j.angular_compliance, 0.0, 1e9)?;
    range(&format!("{at}.angular_damping"), j.angular_damping, 0.0, 1e9)?;
    range(&format!("{at}.break_force"), j.break_force.unwrap_or(1.0), 1e-9, 1e9)?;
    range(&format!("{at}.break_torque"), j.break_torque.unwrap_or(1.0), 1e-9, 1e9)
}

/// Keys that only some kinds have.
fn only(at: &str, j: &Joint) -> Checked {
    use JointType::{Ball, Distance, Fixed, Hinge, Six, Slider, Universal};
    let (one, turns) = ([Hinge, Slider, Distance], [Hinge, Slider, Fixed, Universal, Six]);
    let keys: [(&str, bool, &[JointType]); 9] = [
        ("limits", j.limits.is_some(), &one),
        ("motor", j.motor.is_some(), &one),
        ("friction", j.friction != 0.0, &[Hinge, Slider, Distance, Ball, Universal]),
        ("anchor_to", j.anchor_to.is_some(), &[Distance]),
        ("axis2", j.axis2.is_some(), &[Universal, Six, Ball]),
        ("length", j.length.is_some(), &[Distance]),
        ("stiffness", j.stiffness.is_some(), &[Distance]),
        ("angular_compliance", j.angular_compliance != 0.0, &turns),
        ("break_torque", j.break_torque.is_some(), &turns),
    ];
    for (key, given, kinds) in keys {
        if given && !kinds.contains(&j.kind) {
            let names: Vec<String> = kinds.iter().map(|k| format!("{k:?}").to_lowercase()).collect();
            let what = format!("is given, but only joints of kind {} have it", names.join(", "));
            let mut error = SceneError::new(format!("{at}.{key}"), what);
            if matches!(key, "limits" | "motor" | "friction") {
                error = error.help("joints with several free axes have limits, motors and friction in axes");
            }
            return Err(error);
        }
    }
    let both = |first: &str, second: &str, what: &str| {
        Err(SceneError::new(format!("{at}.{first}"), format!("is given {what} {second}")))
    };
    if j.stiffness.is_some() && j.compliance != 0.0 {
        return both("compliance", "stiffness", "beside its inverse,");
    }
    if j.damping != 0.0 && j.stiffness.is_none() && j.compliance == 0.0 {
        return both("damping", "compliance", "to a joint without stiffness or");
    }
    if j.angular_damping != 0.0 && j.angular_compliance == 0.0 {
        return both("angular_damping", "angular_compliance", "to a joint without");
    }
    Ok(())
}

fn second_axis(at: &str, j: &Joint) -> Checked {
    let Some(second) = j.axis2 else {
        if j.kind == JointType::Universal {
            let what = "is missing, but a universal joint needs a second axis";
            return Err(SceneError::new(format!("{at}.axis2"), what).help("perpendicular to axis, fixed to body"));
        }
        return Ok(());
    };
    direction(&format!("{at}.axis2"), second)?;
    let [a, b] = [j.axis, second].map(|v| glam::Vec3::from(v).normalize());
    let (most, needed) = match j.kind {
        JointType::Universal => (1e-3, "be perpendicular to it"),
        _ => (0.999, "not be parallel to it"),
    };
    if a.dot(b).abs() > most {
        let angle = libm::acosf(a.dot(b).clamp(-1.0, 1.0)).to_degrees();
        let what = format!("is at {angle:.1} degrees to axis, but must {needed}");
        return Err(SceneError::new(format!("{at}.axis2"), what));
    }
    Ok(())
}

fn axes(at: &str, j: &Joint) -> Checked {
    for axis in JointAxis::ALL {
        let Some(spec) = j.axes.get(axis) else { continue };
        let at = format!("{at}.axes.{}", axis.name());
        let known = matches!(j.kind, JointType::Six | JointType::Ball | JointType::Universal);
        if !known || !j.frees(axis) {
            let what = match j.kind {
                JointType::Universal => "is given, but a universal joint is free about rx and ry only",
                JointType::Ball => "is given, but a ball joint is free about rx, ry and rz only",
                _ => "is given, but only joints of kind six, ball and universal have axes",
            };
            return Err(SceneError::new(at, what));
        }
        if j.friction != 0.0 && spec.friction != 0.0 {
            return Err(SceneError::new(format!("{at}.friction"), "is given beside that of the joint"));
        }
        self::axis(&at, &spec, axis.is_rotation())?;
    }
    Ok(())
}

/// What a caller sets on an axis of a joint.
pub(crate) fn validate_axis(at: &str, spec: &AxisSpec, axis: JointAxis, distance: bool) -> Checked {
    let lengths = spec.limits.filter(|_| distance);
    if let Some([low, high]) = lengths {
        range(&format!("{at}.limits[0]"), low, 0.0, 1e5)?;
        range(&format!("{at}.limits[1]"), high, low.max(1e-6), 1e5)?;
    }
    self::axis(at, &AxisSpec { limits: spec.limits.filter(|_| !distance), ..*spec }, axis.is_rotation())
}

/// What acts along or about an axis.
fn axis(at: &str, spec: &AxisSpec, rotation: bool) -> Checked {
    if let Some(limits) = spec.limits {
        self::limits(&format!("{at}.limits"), limits, rotation)?;
    }
    if let Some(m) = &spec.motor {
        motor(&format!("{at}.motor"), m, rotation)?;
    }
    range(&format!("{at}.friction"), spec.friction, 0.0, 1e9)
}

fn limits(at: &str, [low, high]: [f32; 2], rotation: bool) -> Checked {
    let most = if rotation { 180.0 } else { 1e5 };
    range(&format!("{at}[0]"), low, -most, 0.0)?;
    range(&format!("{at}[1]"), high, 0.0, most)
}

fn motor(at: &str, m: &MotorSpec, rotation: bool) -> Checked {
    range(&format!("{at}.speed"), m.speed, -1e6, 1e6)?;
    range(&format!("{at}.most"), m.most, 0.0, 1e9)?;
    let most = if rotation { 180.0 } else { 1e5 };
    range(&format!("{at}.target"), m.target.unwrap_or(0.0), -most, most)?;
    range(&format!("{at}.stiffness"), m.stiffness.unwrap_or(1.0), 1e-9, 1e9)?;
    range(&format!("{at}.damping"), m.damping, 0.0, 1e9)?;
    for (key, given) in [("target", m.target.is_some()), ("damping", m.damping != 0.0)] {
        if given && m.stiffness.is_none() {
            let what = "is given, but only motors with a stiffness have it";
            return Err(SceneError::new(format!("{at}.{key}"), what));
        }
    }
    Ok(())
}
