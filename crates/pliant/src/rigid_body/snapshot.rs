//! Rigid bodies in snapshots.

use crate::bytes::{Reader, SnapshotError, Writer};
use crate::rigid_body::bodies::{BodyState, CachedManifold, ManifoldKey, RigidBodies};
use crate::rigid_body::joint::{ANY_TURN, Drive, JointDrive, Motor};
use crate::rigid_body::manifold::POINTS;
use crate::rigid_body::shape::Frame;
use glam::{DQuat, DVec3};

impl BodyState {
    /// Position, orientation, velocity, spin.
    pub(crate) fn numbers(&self) -> [f64; 13] {
        let (p, q, v, w) = (self.position, self.rotation, self.velocity, self.spin);
        [p.x, p.y, p.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z]
    }

    fn from_numbers(n: [f64; 13], push: [[f64; 3]; 2]) -> Self {
        Self {
            push: push.map(DVec3::from_array),
            position: DVec3::new(n[0], n[1], n[2]),
            rotation: DQuat::from_xyzw(n[3], n[4], n[5], n[6]),
            velocity: DVec3::new(n[7], n[8], n[9]),
            spin: DVec3::new(n[10], n[11], n[12]),
        }
    }
}

impl RigidBodies {
    /// Writes all of it.
    pub(crate) fn write(&self, to: &mut Writer) {
        for body in &self.bodies {
            to.put(body.numbers());
            to.put(body.push.map(|p| p.to_array()));
        }
        for joint in &self.joints {
            to.put(joint.frames.map(|f| {
                let (p, q) = (f.position, f.rotation);
                [p.x, p.y, p.z, q.x, q.y, q.z, q.w]
            }));
            to.put(joint.force.map(|f| f.to_array()));
            to.put(u32::from(joint.broken));
        }
        for anchor in &self.anchors {
            to.put([anchor.local.to_array(), anchor.force.to_array()]);
        }
        to.put(self.drives.len() as u64);
        for JointDrive { joint, drive } in &self.drives {
            let motor = drive.motor.unwrap_or_default();
            let given = [drive.limits.is_some(), drive.motor.is_some(), motor.spring.is_some()].map(u32::from);
            to.put([*joint, drive.axis]);
            to.put(given);
            let [low, high] = drive.limits.unwrap_or_default();
            let [stiffness, damping] = motor.spring.unwrap_or_default();
            to.put([low, high, drive.friction, motor.speed, motor.most, motor.target, stiffness, damping]);
        }
        to.put(self.surroundings);
        to.put(self.rest.len() as u64);
        self.rest.iter().for_each(|&rest| to.put(rest));
        to.put(self.contacts.len() as u64);
        for c in &self.contacts {
            to.put([c.key.b, c.key.a, c.key.piece_b, c.key.piece_a, c.count]);
            to.put(c.anchors.map(|a| a.to_array()));
            to.put(c.direction.to_array());
            to.put(c.normal);
            to.put(c.friction.to_array());
            to.put(c.twist);
            to.put(c.mean);
            to.put(c.mean_friction.to_array());
        }
    }

    fn read_drives(&mut self, from: &mut Reader<'_>) -> Result<(), SnapshotError> {
        let count = from.take::<u64>()?;
        self.drives.clear();
        for _ in 0..count {
            let ([joint, axis], given) = (from.take::<[u32; 2]>()?, from.take::<[u32; 3]>()?.map(|g| g != 0));
            let [low, high, friction, speed, most, target, stiffness, damping] = from.take::<[f64; 8]>()?;
            let after = self.drives.last().is_none_or(|d| (d.joint, d.drive.axis) < (joint, axis));
            if joint as usize >= self.joints.len() || axis as usize > ANY_TURN || !after {
                return Err(SnapshotError::Damaged("a motor or limit is of no joint".into()));
            }
            let limits = given[0].then_some([low, high]);
            let spring = given[2].then_some([stiffness, damping]);
            let motor = given[1].then_some(Motor { speed, most, target, spring });
            self.drives.push(JointDrive { joint, drive: Drive { axis, limits, motor, friction } });
        }
        Ok(())
    }

    /// Reads it again, into as many bodies. The numbers of bodies in contacts are checked here.
    pub(crate) fn read(&mut self, from: &mut Reader<'_>) -> Result<(), SnapshotError> {
        for body in &mut self.bodies {
            *body = BodyState::from_numbers(from.take()?, from.take()?);
            if (body.rotation.length() - 1.0).abs() > 1e-3 {
                return Err(SnapshotError::Damaged("the orientation of a rigid body is no rotation".into()));
            }
        }
        for joint in &mut self.joints {
            joint.frames = from.take::<[[f64; 7]; 2]>()?.map(|n| Frame {
                position: DVec3::new(n[0], n[1], n[2]),
                rotation: DQuat::from_xyzw(n[3], n[4], n[5], n[6]),
            });
            joint.force = from.take::<[[f64; 3]; 2]>()?.map(DVec3::from_array);
            joint.broken = from.take::<u32>()? != 0;
        }
        for anchor in &mut self.anchors {
            [anchor.local, anchor.force] = from.take::<[[f64; 3]; 2]>()?.map(DVec3::from_array);
        }
        self.read_drives(from)?;
        self.surroundings = from.take()?;
        let count = from.take::<u64>()?;
        if count != 0 && count != self.bodies.len() as u64 {
            return Err(SnapshotError::Damaged(format!("{count} times at rest")));
        }
        self.rest.clear();
        for _ in 0..count {
            self.rest.push(from.take()?);
        }
        let count = from.take::<u64>()?;
        let most = (self.bodies.len() as u64 + 1) << 24;
        if count > most {
            return Err(SnapshotError::Damaged(format!("{count} contacts of rigid bodies")));
        }
        self.contacts.clear();
        for _ in 0..count {
            let [b, a, piece_b, piece_a, count] = from.take::<[u32; 5]>()?;
            let key = ManifoldKey { b, a, piece_b, piece_a };
            if b as usize >= self.bodies.len() || count as usize > POINTS {
                return Err(SnapshotError::Damaged("a contact of rigid bodies is out of range".into()));
            }
            let anchors = from.take::<[[f64; 3]; POINTS]>()?.map(DVec3::from_array);
            let direction = DVec3::from_array(from.take()?);
            let normal = from.take()?;
            let friction = DVec3::from_array(from.take()?);
            let (twist, mean) = (from.take()?, from.take()?);
            let mean_friction = DVec3::from_array(from.take()?);
            let own = CachedManifold { key, count, anchors, direction, normal, friction, twist, mean, mean_friction };
            self.contacts.push(own);
        }
        if !self.contacts.is_sorted_by(|a, b| a.key < b.key) {
            return Err(SnapshotError::Damaged("contacts of rigid bodies are out of order".into()));
        }
        Ok(())
    }
}
