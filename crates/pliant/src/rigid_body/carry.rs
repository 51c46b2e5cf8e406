//! Rigid bodies that go on after objects were added or removed.

use crate::rigid_body::bodies::{COLLIDER, RigidBodies};
use crate::rigid_body::joint::JointDrive;

impl RigidBodies {
    /// Takes bodies and contacts over from `old`. `origins` has the old number of each body, and of each joint; `collider` gives the new number
    /// of an old collider.
    pub(crate) fn carry(
        &mut self,
        old: &Self,
        (origins, joints): (&[Option<usize>], &[Option<usize>]),
        collider: impl Fn(u32) -> Option<u32>,
    ) {
        let mut renamed = vec![None; old.bodies.len()];
        for (new, origin) in origins.iter().enumerate() {
            if let Some(origin) = *origin {
                self.bodies[new] = old.bodies[origin];
                renamed[origin] = Some(new as u32);
            }
        }
        for (own, origin) in self.joints.iter_mut().zip(joints) {
            if let Some(origin) = *origin {
                *own = old.joints[origin];
            }
        }
        self.drives.retain(|d| joints[d.joint as usize].is_none());
        for (new, origin) in joints.iter().enumerate() {
            let Some(origin) = *origin else { continue };
            let renamed = |d: &JointDrive| JointDrive { joint: new as u32, ..*d };
            self.drives.extend(old.drives_of(origin as u32).iter().map(renamed));
        }
        self.drives.sort_by_key(|d| (d.joint, d.drive.axis));
        let number = |k: u32| match k.checked_sub(COLLIDER) {
            Some(k) => collider(k).map(|k| k + COLLIDER),
            None => renamed[k as usize],
        };
        self.carry_rest(old, origins, &renamed);
        self.contacts.clear();
        for cached in &old.contacts {
            if let (Some(a), Some(b)) = (number(cached.key.a), number(cached.key.b)) {
                let mut own = *cached;
                (own.key.a, own.key.b) = (a, b);
                self.contacts.push(own);
            }
        }
        self.contacts.sort_unstable_by_key(|c| c.key);
    }

    /// Bodies go on sleeping, except those that touched one that is gone.
    fn carry_rest(&mut self, old: &Self, origins: &[Option<usize>], renamed: &[Option<u32>]) {
        self.wake();
        if old.rest.len() != old.bodies.len() {
            return;
        }
        self.rest.extend(origins.iter().map(|origin| origin.map_or(0.0, |origin| old.rest[origin])));
        self.surroundings = old.surroundings;
        for contact in &old.contacts {
            let number = |body: u32| renamed.get(body as usize).copied().flatten();
            match (contact.key.a < COLLIDER, number(contact.key.a), number(contact.key.b)) {
                (true, Some(left), None) | (true, None, Some(left)) => self.rest[left as usize] = 0.0,
                _ => {}
            }
        }
    }
}
