//! Joints of rigid bodies.

use crate::builder::BuildError;
use crate::error::SceneError;
use crate::frame::Topology;
use crate::rigid_body::bodies::BodyParams;
use crate::rigid_body::joint::{Joint, JointKind, Motor, WORLD};
use crate::scene::{self, JointType, Scene};
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
            SceneError::new(at, what).help("joints hold rigid bodies on the CPU; copies are named \"name[k]\"")
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
            JointType::Ball => JointKind::Ball,
            JointType::Hinge => JointKind::Hinge,
            JointType::Slider => JointKind::Slider,
            JointType::Fixed => JointKind::Fixed,
            JointType::Distance => JointKind::Distance {
                length: spec.length.map_or(here.distance(there), f64::from),
                spring: spec.stiffness.map(|k| [f64::from(k), f64::from(spec.damping)]),
            },
        };
        let unit = if spec.kind == JointType::Hinge { std::f64::consts::PI / 180.0 } else { 1.0 };
        Ok(Joint {
            bodies: [other, body],
            kind,
            anchors: [there, here],
            axis: Vec3::from(spec.axis).as_dvec3().normalize(),
            limits: spec.limits.map(|l| l.map(|v| f64::from(v) * unit)),
            motor: spec.motor.map(|m| Motor { speed: f64::from(m.speed), most: f64::from(m.most) }),
            collide: spec.collide,
        })
    };
    scene.joint.iter().enumerate().map(build).collect()
}

/// Pairs of bodies that joints keep from colliding.
pub fn separated(joints: &[Joint]) -> Vec<(u32, u32)> {
    let apart = joints.iter().filter(|j| !j.collide && j.bodies[0] != WORLD);
    let mut all: Vec<(u32, u32)> =
        apart.map(|j| (j.bodies[0].min(j.bodies[1]), j.bodies[0].max(j.bodies[1]))).collect();
    all.sort_unstable();
    all.dedup();
    all
}
