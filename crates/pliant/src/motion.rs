//! Prescribed motion of pins and colliders.

use crate::math::Pose;
use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};

/// Pose over time, relative to a base pose.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Motion {
    /// Base pose.
    pub base: Option<Pose>,
    /// Kind of motion.
    pub drive: Drive,
    /// Time at which it begins [s]: times of `drive` count from here.
    pub start: f64,
}

/// Kind of motion.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Drive {
    /// None.
    #[default]
    Still,
    /// amplitude·sin(2π(t/period + phase)), minus its value at time 0.
    Oscillate {
        /// Amplitude [m].
        amplitude: Vec3,
        /// Period [s].
        period: f64,
        /// Shift in periods.
        phase: f64,
    },
    /// Steady rotation about an axis through a point.
    Spin {
        /// Unit axis.
        axis: Vec3,
        /// A point of the axis [m].
        center: Vec3,
        /// Rate [rad/s].
        rate: f64,
    },
    /// Steady translation, and rotation about a point that moves along.
    Uniform {
        /// Velocity [m/s].
        velocity: Vec3,
        /// The point at the beginning [m].
        center: Vec3,
        /// Unit axis.
        axis: Vec3,
        /// Rate [rad/s].
        rate: f64,
    },
    /// Linear interpolation between keys, constant before the first and after the last.
    Keys {
        /// Keys in order of time.
        keys: Vec<Key>,
        /// Center of rotation [m].
        center: Vec3,
    },
}

/// One key.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Key {
    /// Time [s].
    pub time: f64,
    /// Displacement from the base [m].
    pub translate: Vec3,
    /// Rotation from the base.
    pub rotate: Quat,
}

impl Motion {
    /// Placed at `base`, moved by `drive`.
    pub fn new(base: Pose, drive: Drive) -> Self {
        Self { base: Some(base), drive, start: 0.0 }
    }

    /// From a pose at time `start` [s] to another `duration` seconds later, where it stays.
    pub fn between(from: Pose, to: Pose, start: f64, duration: f64) -> Self {
        let key = |time: f64, translate: Vec3, rotate: Quat| Key { time, translate, rotate };
        let turn = (to.rotation * from.rotation.conjugate()).normalize();
        let keys = vec![key(0.0, Vec3::ZERO, Quat::IDENTITY), key(duration, to.position - from.position, turn)];
        Self { base: Some(from), drive: Drive::Keys { keys, center: from.position }, start }
    }

    /// [`Self::between`] two poses that are displacements of the whole space: it ends at `to` to the bit.
    pub fn between_displacements(from: Pose, to: Pose, start: f64, duration: f64) -> Self {
        let key = |time: f64, pose: Pose| Key { time, translate: pose.position, rotate: pose.rotation };
        let keys = vec![key(0.0, from), key(duration, to)];
        Self { base: None, drive: Drive::Keys { keys, center: Vec3::ZERO }, start }
    }

    /// Whether it ever moves.
    pub fn moves(&self) -> bool {
        self.drive != Drive::Still
    }

    /// Whether every number is finite and keys are in order: true for all motions but those of a forged file.
    pub(crate) fn is_valid(&self) -> bool {
        let pose = |p: &Pose| p.position.is_finite() && (p.rotation.length() - 1.0).abs() < 1e-3;
        let unit = |axis: &Vec3| (axis.length() - 1.0).abs() < 1e-3;
        let drive = match &self.drive {
            Drive::Still => true,
            Drive::Oscillate { amplitude, period, phase } => {
                amplitude.is_finite() && period.is_finite() && *period > 0.0 && phase.is_finite()
            }
            Drive::Spin { axis, center, rate } => unit(axis) && center.is_finite() && rate.is_finite(),
            Drive::Uniform { velocity, center, axis, rate } => {
                velocity.is_finite() && center.is_finite() && unit(axis) && rate.is_finite()
            }
            Drive::Keys { keys, center } => {
                let key = |k: &Key| k.time.is_finite() && k.translate.is_finite() && k.rotate.is_normalized();
                let ordered = keys.is_sorted_by(|a, b| a.time < b.time);
                !keys.is_empty() && ordered && keys.iter().all(key) && center.is_finite()
            }
        };
        drive && self.start.is_finite() && self.base.as_ref().is_none_or(pose)
    }

    /// Pose at time `t` [s].
    pub fn pose(&self, t: f64) -> Pose {
        self.pose_after(t - self.start)
    }

    /// Pose at its beginning.
    pub fn initial(&self) -> Pose {
        self.pose_after(0.0)
    }

    /// Pose `t` seconds after its beginning.
    fn pose_after(&self, t: f64) -> Pose {
        let base = self.base.unwrap_or(Pose { position: Vec3::ZERO, rotation: Quat::IDENTITY });
        let (shift, turn, center) = match &self.drive {
            Drive::Still => return base,
            Drive::Oscillate { amplitude, period, phase } => {
                let wave = |t: f64| libm::sin(std::f64::consts::TAU * (t / period + phase));
                (*amplitude * (wave(t) - wave(0.0)) as f32, Quat::IDENTITY, Vec3::ZERO)
            }
            Drive::Spin { axis, center, rate } => (Vec3::ZERO, turn_about(*axis, rate * t), *center),
            Drive::Uniform { velocity, center, axis, rate } => {
                (*velocity * t as f32, turn_about(*axis, rate * t), *center)
            }
            Drive::Keys { keys, center } => {
                let (shift, turn) = between(keys, t);
                (shift, turn, *center)
            }
        };
        Pose {
            position: turn * (base.position - center) + center + shift,
            rotation: (turn * base.rotation).normalize(),
        }
    }
}

/// Rotation by `angle` [rad] about a unit axis.
pub fn turn_about(axis: Vec3, angle: f64) -> Quat {
    let (sin, cos) = (libm::sin(angle * 0.5) as f32, libm::cos(angle * 0.5) as f32);
    Quat::from_xyzw(axis.x * sin, axis.y * sin, axis.z * sin, cos)
}

fn between(keys: &[Key], t: f64) -> (Vec3, Quat) {
    let after = keys.partition_point(|k| k.time <= t);
    let Some(a) = after.checked_sub(1).map(|i| keys[i]) else {
        return (keys[0].translate, keys[0].rotate);
    };
    let Some(b) = keys.get(after) else { return (a.translate, a.rotate) };
    let s = ((t - a.time) / (b.time - a.time)) as f32;
    // Shortest rotation, by normalized interpolation: no trigonometry, and exact at both keys.
    let near = if a.rotate.dot(b.rotate) < 0.0 { -b.rotate } else { b.rotate };
    (a.translate.lerp(b.translate, s), (a.rotate * (1.0 - s) + near * s).normalize())
}
