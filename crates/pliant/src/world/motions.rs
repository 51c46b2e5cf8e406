//! Motions of colliders and pins.

use crate::builder::placement::motion;
use crate::integration::pins::MovedPins;
use crate::math::Pose;
use crate::motion::{Drive, Motion};
use crate::scene::{MotionSpec, ObjectKind, check_motion};
use crate::world::World;
use crate::world::definition::Handle;
use crate::world::edit::EditError;
use crate::world::steer::{checked, finite};
use glam::{Quat, Vec3};

/// No displacement.
const NOWHERE: Pose = Pose { position: Vec3::ZERO, rotation: Quat::IDENTITY };

impl World {
    /// Moves a collider to a pose during the next step; it pushes what is in its way, and stays there.
    pub fn set_pose(&mut self, collider: Handle, pose: Pose) -> Result<(), EditError> {
        let pose = checked(pose)?;
        let (time, dt) = (self.time(), f64::from(self.model.settings.dt));
        self.change_motion(collider, |now| Motion::between(now, pose, time, dt))
    }

    /// Moves a collider at a steady velocity [m/s], rotating at an angular velocity [rad/s] about its origin, until it
    /// is steered otherwise.
    pub fn set_collider_velocity(&mut self, collider: Handle, linear: Vec3, angular: Vec3) -> Result<(), EditError> {
        finite("the velocity", linear)?;
        finite("the angular velocity", angular)?;
        let time = self.time();
        self.change_motion(collider, |now| steady(now, now.position, (linear, angular), time))
    }

    /// Moves a collider along a motion that begins now: keys, an oscillation or a rotation, relative to the pose that
    /// it has; `None` stops it where it is. Its first key should be no displacement, or it jumps there.
    pub fn set_motion(&mut self, collider: Handle, spec: Option<MotionSpec>) -> Result<(), EditError> {
        check_motion(spec.as_ref())?;
        let time = self.time();
        self.change_motion(collider, |now| motion(spec.as_ref(), now, time))
    }

    pub(super) fn change_motion(
        &mut self,
        collider: Handle,
        change: impl FnOnce(Pose) -> Motion,
    ) -> Result<(), EditError> {
        let index = self.collider_index(collider)?;
        let now = self.model.colliders[index].motion.pose(self.time());
        self.model.colliders[index].motion = change(now);
        self.parameters = None;
        self.wake_all();
        self.update_backend(false)
    }

    /// Index of a collider in the model.
    pub(super) fn collider_index(&mut self, collider: Handle) -> Result<usize, EditError> {
        let kind = self.source(collider)?.kind;
        if kind != ObjectKind::Collider {
            return Err(EditError::Unsuitable(format!("it is an object of kind {:?}, not a collider", kind.name())));
        }
        self.apply_edits()?;
        Ok(self.source(collider)?.index)
    }

    /// Moves pinned particles of an object during the next step: those of its `pin` with that number, from 0, in all of
    /// its copies. The displacement [m] and the rotation about `center` [m] are from where they were at the start.
    pub fn move_pins(
        &mut self,
        object: Handle,
        pin: usize,
        displacement: Vec3,
        rotation: Quat,
        center: Vec3,
    ) -> Result<(), EditError> {
        finite("the displacement", displacement)?;
        finite("the center", center)?;
        let to = checked(Pose { position: center + displacement - rotation * center, rotation })?;
        let (time, dt) = (self.time(), f64::from(self.model.settings.dt));
        self.change_pins(object, pin, |pins, now, _| Motion::between_displacements(now, after(to, pins.rest), time, dt))
    }

    /// Moves pinned particles of an object along a motion that begins now, at the places that they have: keys, an
    /// oscillation or a rotation about a point of the world. `None` stops them. `pin` as for [`Self::move_pins`].
    pub fn set_pin_motion(&mut self, object: Handle, pin: usize, spec: Option<MotionSpec>) -> Result<(), EditError> {
        check_motion(spec.as_ref())?;
        let time = self.time();
        let first = motion(spec.as_ref(), NOWHERE, time).initial();
        self.change_pins(object, pin, |_, now, _| {
            // Its first key goes with the places that they have.
            let base = Pose {
                position: first.inward(now.position),
                rotation: (first.rotation.conjugate() * now.rotation).normalize(),
            };
            motion(spec.as_ref(), base, time)
        })
    }

    /// Moves pinned particles of an object at a steady velocity [m/s], rotating at an angular velocity [rad/s] about
    /// their mean position, until they are steered otherwise. `pin` as for [`Self::move_pins`].
    pub fn set_pin_velocity(
        &mut self,
        object: Handle,
        pin: usize,
        linear: Vec3,
        angular: Vec3,
    ) -> Result<(), EditError> {
        finite("the velocity", linear)?;
        finite("the angular velocity", angular)?;
        let time = self.time();
        self.change_pins(object, pin, |_, now, center| steady(now, center, (linear, angular), time))
    }

    /// Changes the motions of a pin of an object. `change` gets the pins, the pose of their motion now, and the mean
    /// position of their particles [m].
    fn change_pins(
        &mut self,
        object: Handle,
        pin: usize,
        change: impl Fn(&MovedPins, Pose, Vec3) -> Motion,
    ) -> Result<(), EditError> {
        let placed = self.placed(object)?;
        let (all, copies) = (placed.from.pins..placed.to.pins, placed.objects().len());
        let per_copy = all.len() / copies.max(1);
        if pin >= per_copy {
            let what = format!("has {per_copy} pins, numbered from 0; there is no pin {pin}");
            return Err(EditError::Unsuitable(format!("{:?} {what}", self.name(object)?)));
        }
        self.wake_particles(placed.particles());
        let time = self.time();
        let mut others = false;
        for pins in self.model.pins[all].iter_mut().skip(pin).step_by(per_copy.max(1)) {
            let (now, moved) = (pins.motion.pose(time), pins.motion.moves());
            let places = pins.origins.iter().map(|&origin| now.outward(pins.rest.inward(origin)).as_dvec3());
            let center = places.sum::<glam::DVec3>() / pins.origins.len().max(1) as f64;
            pins.motion = change(pins, now, center.as_vec3());
            others |= pins.motion.moves() != moved;
        }
        self.parameters = None;
        // A GPU has tables of those that move.
        self.update_backend(others)
    }
}

/// A displacement after another one.
fn after(later: Pose, first: Pose) -> Pose {
    Pose { position: later.outward(first.position), rotation: (later.rotation * first.rotation).normalize() }
}

/// Steady translation and rotation about a point that moves along.
fn steady(now: Pose, center: Vec3, (velocity, angular): (Vec3, Vec3), time: f64) -> Motion {
    let drive = match angular.try_normalize() {
        _ if velocity == Vec3::ZERO && angular == Vec3::ZERO => Drive::Still,
        Some(axis) => Drive::Uniform { velocity, center, axis, rate: f64::from(angular.length()) },
        None => Drive::Uniform { velocity, center, axis: Vec3::Y, rate: 0.0 },
    };
    Motion { start: time, ..Motion::new(now, drive) }
}
