//! Joints of rigid bodies, by handle: forces, motion, motors and limits.

use crate::builder::joint::drive;
use crate::rigid_body::joint::{Drive, JointKind, JointPose, TURN, WORLD, frame_of};
use crate::scene::{AxisSpec, JointAxis, MotorSpec, ObjectKind, validate_axis};
use crate::world::World;
use crate::world::definition::Handle;
use crate::world::edit::EditError;
use glam::{DVec3, Vec3};

/// What a joint carries.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointForce {
    /// Its force on `body` [N], as a mean over the last substep; `to` or the world has the opposite.
    pub force: Vec3,
    /// Its torque on `body` about the anchor [N·m].
    pub torque: Vec3,
}

impl World {
    /// Force and torque of a joint in the last substep: of what it holds, of its limits, motors and friction together. A
    /// joint that has broken still has those at which it did. With a GPU nothing is read back.
    pub fn joint_force(&mut self, joint: Handle) -> Result<JointForce, EditError> {
        let index = self.joint_index(joint)?;
        let [force, torque] = self.rigid_state()?.joints[index].force.map(|f| f.as_vec3());
        Ok(JointForce { force, torque })
    }

    /// Whether a joint has broken: it holds nothing any more, and its bodies collide.
    pub fn is_joint_broken(&mut self, joint: Handle) -> Result<bool, EditError> {
        let index = self.joint_index(joint)?;
        Ok(self.rigid_state()?.joints[index].broken)
    }

    /// Place on an axis of a joint from the start [m] or [rad], of a distance its length, and the speed [m/s] or [rad/s];
    /// `None` is the only free axis of a hinge, slider or distance.
    pub fn joint_motion(&mut self, joint: Handle, axis: Option<JointAxis>) -> Result<(f32, f32), EditError> {
        let axis = self.joint_axis(joint, axis, false)?;
        let index = self.joint_index(joint)?;
        let (state, spec) = (self.rigid_state()?, &self.model.rigid_bodies.joints[index]);
        let pose = JointPose::new(spec, &state.joints[index], &state.bodies);
        let direction = pose.directions[axis as usize];
        let motion = |side: usize| match spec.bodies[side] {
            WORLD => [DVec3::ZERO; 2],
            body => [state.bodies[body as usize].velocity, state.bodies[body as usize].spin],
        };
        let [[va, wa], [vb, wb]] = [motion(0), motion(1)];
        let speed = if (axis as usize) < TURN {
            let at = pose.frames[1].position;
            let first = match spec.kind {
                JointKind::Distance { .. } => pose.frames[0].position,
                JointKind::Axes { .. } => at,
            };
            let arm = |side: usize, at: DVec3| at - frame_of(&state.bodies, spec.bodies[side]).position;
            direction.dot(vb + wb.cross(arm(1, at)) - va - wa.cross(arm(0, first)))
        } else {
            direction.dot(wb - wa)
        };
        Ok((pose.places[axis as usize] as f32, speed as f32))
    }

    /// Gives an axis of a joint a motor, or takes it away; `None` is the only free axis of a hinge, slider or distance. A
    /// joint of kind distance without a length of its own must have had a motor or limits from the start.
    pub fn set_joint_motor(
        &mut self,
        joint: Handle,
        axis: Option<JointAxis>,
        motor: Option<MotorSpec>,
    ) -> Result<(), EditError> {
        self.change_joint(joint, axis, AxisSpec { motor, ..AxisSpec::default() }, |to, from| to.motor = from.motor)
    }

    /// Gives an axis of a joint limits [degrees] or [m], or takes them away: see [`Self::set_joint_motor`].
    pub fn set_joint_limits(
        &mut self,
        joint: Handle,
        axis: Option<JointAxis>,
        limits: Option<[f32; 2]>,
    ) -> Result<(), EditError> {
        self.change_joint(joint, axis, AxisSpec { limits, ..AxisSpec::default() }, |to, from| to.limits = from.limits)
    }

    /// Dry friction of an axis of a joint [N·m] or [N]: see [`Self::set_joint_motor`].
    pub fn set_joint_friction(
        &mut self,
        joint: Handle,
        axis: Option<JointAxis>,
        friction: f32,
    ) -> Result<(), EditError> {
        let spec = AxisSpec { friction, ..AxisSpec::default() };
        self.change_joint(joint, axis, spec, |to, from| to.friction = from.friction)
    }

    fn change_joint(
        &mut self,
        joint: Handle,
        axis: Option<JointAxis>,
        spec: AxisSpec,
        change: impl Fn(&mut Drive, &Drive),
    ) -> Result<(), EditError> {
        let axis = self.joint_axis(joint, axis, true)?;
        let index = self.joint_index(joint)?;
        let distance = matches!(self.model.rigid_bodies.joints[index].kind, JointKind::Distance { .. });
        validate_axis(&format!("joint[{index}]"), &spec, axis, distance)?;
        let new = drive(axis, &spec);
        let body = self.model.rigid_bodies.joints[index].bodies[1] as usize;
        self.change_rigid(body..body + 1, |bodies| change(bodies.drive_mut(index as u32, axis as u32), &new));
        Ok(())
    }

    /// The axis of a joint that is meant. With `driven` it must be free.
    fn joint_axis(&mut self, joint: Handle, axis: Option<JointAxis>, driven: bool) -> Result<JointAxis, EditError> {
        let index = self.joint_index(joint)?;
        let spec = &self.definition.scene.joint[index];
        let kind = format!("{:?}", spec.kind).to_lowercase();
        let Some(axis) = axis.or(spec.single_axis()) else {
            let what = format!("a joint of kind {kind} has no single axis: name the one that is meant");
            return Err(EditError::Unsuitable(what));
        };
        let known = match self.model.rigid_bodies.joints[index].kind {
            JointKind::Distance { locked, .. } => axis == JointAxis::X && !(driven && locked && !spec.is_spring()),
            JointKind::Axes { locked } => !(driven && locked[axis as usize]),
        };
        if !known {
            let what = format!("axis {} of a joint of kind {kind} is not free", axis.name());
            return Err(EditError::Unsuitable(what));
        }
        Ok(axis)
    }

    /// Number of a joint in the model.
    fn joint_index(&mut self, joint: Handle) -> Result<usize, EditError> {
        let kind = self.source(joint)?.kind;
        if kind != ObjectKind::Joint {
            let message = format!("it is an object of kind {:?}, not a joint", kind.name());
            return Err(EditError::Unsuitable(message));
        }
        self.apply_edits()?;
        Ok(self.source(joint)?.index)
    }
}
