//! Joints of rigid bodies.

use crate::builder::BuildError;
use crate::error::SceneError;
use crate::frame::Topology;
use crate::rigid_body::bodies::BodyParams;
use crate::rigid_body::joint::{ANY_TURN, Drive, Joint, JointKind, Motor, WORLD};
use crate::scene::{self, AxisSpec, JointAxis, JointType, MotorSpec, Scene};
use glam::Vec3;

/// Joints of a scene.
pub fn joints(scene: &Scene, bodies: &[BodyParams], shape: &Topology) -> Result<Vec<Joint>, BuildError> {
    let find = |at: String, name: &str| {
        let object = shape.object_names.iter().position(|n| n == name);
        let body = object.and_then(|o| bodies.iter().position(|b| b.object as usize == o));
        let names: Vec<&str> =
            bodies.iter().filter_map(|b| shape.object_names.get(b.object as usize).map(String::as_str)).collect();
        body.map(|k| k as u32).ok_or_else(|| {
            let list = names.iter().take(8).map(|n| format!("{n:?}")).collect::<Vec<_>>().join(", ");
            let what = format!("names {name:?}, but the rigid bodies are {list}");
            SceneError::new(at, what).help("joints hold rigid bodies; copies are named \"name[k]\"")
        })
    };
    let build = |(i, spec): (usize, &scene::Joint)| {
        let body = find(format!("joint[{i}].body"), &spec.body)?;
        let other = match &spec.to {
            Some(name) => find(format!("joint[{i}].to"), name)?,
            None => WORLD,
        };
        let here = Vec3::from(spec.anchor).as_dvec3();
        let there = spec.anchor_to.map_or(here, |p| Vec3::from(p).as_dvec3());
        let kind = match spec.kind {
            JointType::Distance => JointKind::Distance {
                length: spec.length.map_or(here.distance(there), f64::from),
                locked: spec.is_spring() || spec.limits.is_none() && spec.motor.is_none(),
            },
            _ => JointKind::Axes { locked: JointAxis::ALL.map(|axis| !spec.frees(axis)) },
        };
        let compliance = spec.stiffness.map_or(f64::from(spec.compliance), |k| 1.0 / f64::from(k));
        let strength = [spec.break_force, spec.break_torque];
        Ok(Joint {
            bodies: [other, body],
            kind,
            anchors: [there, here],
            axis: Vec3::from(spec.axis).as_dvec3().normalize(),
            second_axis: spec.axis2.map(|v| Vec3::from(v).as_dvec3().normalize()),
            drives: drives(spec),
            soft: [compliance, f64::from(spec.damping)],
            soft_turn: [f64::from(spec.angular_compliance), f64::from(spec.angular_damping)],
            strength: strength.map(|s| s.map_or(f64::INFINITY, f64::from)),
            collide: spec.collide,
        })
    };
    scene.joint.iter().enumerate().map(build).collect()
}

/// What acts along or about the axes of a joint, in the order of axes.
fn drives(spec: &scene::Joint) -> Vec<Drive> {
    let mut all = Vec::new();
    for axis in JointAxis::ALL.into_iter().filter(|&axis| spec.frees(axis)) {
        let mut own = spec.axes.get(axis).unwrap_or_default();
        if spec.single_axis() == Some(axis) {
            own = AxisSpec { limits: spec.limits, motor: spec.motor, friction: spec.friction };
        } else if spec.kind == JointType::Universal && spec.friction > 0.0 {
            own.friction = spec.friction;
        }
        if own != AxisSpec::default() {
            all.push(drive(axis, &own));
        }
    }
    if spec.kind == JointType::Ball && spec.friction > 0.0 {
        let friction = f64::from(spec.friction);
        all.push(Drive { axis: ANY_TURN as u32, friction, ..Drive::default() });
    }
    all
}

/// What acts along or about an axis.
pub fn drive(axis: JointAxis, spec: &AxisSpec) -> Drive {
    let limits = spec.limits.map(|limits| limits.map(|v| f64::from(v) * unit(axis)));
    let motor = spec.motor.map(|m| motor(axis, &m));
    Drive { axis: axis as u32, limits, motor, friction: f64::from(spec.friction) }
}

/// A motor of an axis.
fn motor(axis: JointAxis, spec: &MotorSpec) -> Motor {
    Motor {
        speed: f64::from(spec.speed),
        most: f64::from(spec.most),
        target: f64::from(spec.target.unwrap_or(0.0)) * unit(axis),
        spring: spec.stiffness.map(|k| [f64::from(k), f64::from(spec.damping)]),
    }
}

/// Radians per degree for rotations.
fn unit(axis: JointAxis) -> f64 {
    if axis.is_rotation() { std::f64::consts::PI / 180.0 } else { 1.0 }
}
