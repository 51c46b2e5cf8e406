//! Transforms, copies, named selections and motions.

use crate::builder::part::{Outline, Part};
use crate::error::SceneError;
use crate::math::Pose;
use crate::motion::{Drive, Key, Motion, turn_about};
use crate::scene::{ArraySpec, MotionSpec, Place, Region, Rotate, Transform};
use glam::{Quat, Vec3};

/// Scale, rotation, translation of a point.
pub fn transformer(t: &Transform) -> impl Fn(Vec3) -> Vec3 + use<> {
    let (scale, turn, shift) = (t.scale, rotation(t.rotate), Vec3::from(t.translate));
    move |p| turn * (p * scale) + shift
}

/// Displacement of every copy.
pub fn copies(array: Option<&ArraySpec>) -> Vec<Vec3> {
    let Some(a) = array else { return vec![Vec3::ZERO] };
    let [nx, ny, nz] = a.count;
    let spacing = Vec3::from(a.spacing);
    let lattice = (0..ny).flat_map(|y| (0..nz).flat_map(move |z| (0..nx).map(move |x| (x, y, z))));
    lattice.map(|(x, y, z)| Vec3::new(x as f32, y as f32, z as f32) * spacing).collect()
}

/// The rotation of a scene's transform.
pub fn rotation(r: Option<Rotate>) -> Quat {
    r.map_or(Quat::IDENTITY, |r| turn_about(Vec3::from(r.axis).normalize(), f64::from(r.degrees).to_radians()))
}

/// Particles of a part that the user selected: by name, list or region, or all.
pub fn select(
    at: &str,
    part: &Part,
    shift: Vec3,
    (place, particles, inside): (Option<Place>, Option<&[u32]>, Option<&Region>),
) -> Result<Vec<u32>, SceneError> {
    let n = part.positions.len();
    if let Some(list) = particles {
        if let Some(bad) = list.iter().find(|&&i| i as usize >= n) {
            let message = format!("names particle {bad}, but the object has particles 0..={}", n - 1);
            return Err(SceneError::new(format!("{at}.particles"), message).help("particle numbers start at 0"));
        }
        return Ok(list.to_vec());
    }
    if let Some(region) = inside {
        let (min, max) = (Vec3::from(region.min), Vec3::from(region.max));
        let within = |p: Vec3| p.cmpge(min).all() && p.cmple(max).all();
        return Ok((0..n as u32).filter(|&i| within(part.positions[i as usize] + shift)).collect());
    }
    named(at, place.unwrap_or(Place::All), part.outline, n)
}

fn named(at: &str, place: Place, outline: Outline, n: usize) -> Result<Vec<u32>, SceneError> {
    let all = || (0..n as u32).collect();
    let wrong = |allowed: &str| {
        let name = serde_json::to_value(place).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default();
        Err(SceneError::new(format!("{at}.at"), format!("is {name:?}, but this object only has {allowed}")))
    };
    match (outline, place) {
        (_, Place::All) => Ok(all()),
        (Outline::Line, Place::Start) => Ok(vec![0]),
        (Outline::Line, Place::End) => Ok(vec![n as u32 - 1]),
        (Outline::Line, _) => wrong("\"start\", \"end\" and \"all\""),
        (Outline::Body, _) => wrong("\"all\"; use particles or inside"),
        (Outline::Grid(_), Place::Start | Place::End) => wrong("edges, corners and \"all\""),
        (Outline::Grid([nx, ny]), _) => {
            let number = |i: usize, j: usize| (i * ny + j) as u32;
            let (right, top) = (nx - 1, ny - 1);
            let mut picked: Vec<u32> = match place {
                Place::LeftEdge => (0..ny).map(|j| number(0, j)).collect(),
                Place::RightEdge => (0..ny).map(|j| number(right, j)).collect(),
                Place::TopEdge => (0..nx).map(|i| number(i, top)).collect(),
                Place::BottomEdge => (0..nx).map(|i| number(i, 0)).collect(),
                Place::TopLeft => vec![number(0, top)],
                Place::TopRight => vec![number(right, top)],
                Place::BottomLeft => vec![number(0, 0)],
                Place::BottomRight => vec![number(right, 0)],
                _ => vec![number(0, 0), number(0, top), number(right, 0), number(right, top)],
            };
            picked.dedup();
            Ok(picked)
        }
    }
}

/// A motion relative to the pose `base`, from time `start` on [s].
pub fn motion(spec: Option<&MotionSpec>, base: Pose, start: f64) -> Motion {
    let drive = match spec {
        None => Drive::Still,
        Some(MotionSpec::Oscillate { amplitude, period, phase }) => {
            Drive::Oscillate { amplitude: Vec3::from(*amplitude), period: f64::from(*period), phase: f64::from(*phase) }
        }
        Some(MotionSpec::Spin { axis, center, rate }) => Drive::Spin {
            axis: Vec3::from(*axis).normalize(),
            center: Vec3::from(*center),
            rate: f64::from(*rate).to_radians(),
        },
        Some(MotionSpec::Keys { frames, center }) => Drive::Keys {
            keys: frames
                .iter()
                .map(|f| Key {
                    time: f64::from(f.time),
                    translate: Vec3::from(f.translate),
                    rotate: rotation(f.rotate),
                })
                .collect(),
            center: Vec3::from(*center),
        },
    };
    Motion { start, ..Motion::new(base, drive) }
}
