//! What touches an object, where, and how hard.

use crate::contact::cpu::collider_contacts::each_push;
use crate::math::position;
use crate::rigid_body::bodies::COLLIDER;
use crate::schedule::stats::ContactPair;
use crate::world::World;
use crate::world::definition::Handle;
use crate::world::edit::EditError;
use crate::world::events::Owners;
use glam::Vec3;

/// A point at which two objects press on each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// The other object.
    pub other: Handle,
    /// Where they touch [m].
    pub position: Vec3,
    /// Unit normal, from the other object to this one.
    pub normal: Vec3,
    /// Force on this object along the normal [N].
    pub normal_force: f32,
    /// Friction on this object [N].
    pub friction: Vec3,
}

impl ContactPoint {
    /// Force on this object [N].
    pub fn force(&self) -> Vec3 {
        self.normal * self.normal_force + self.friction
    }
}

/// A point between two objects, as the first one sees it.
struct Found {
    objects: [Option<Handle>; 2],
    position: Vec3,
    /// From the second to the first.
    normal: Vec3,
    normal_force: f32,
    friction: Vec3,
}

impl World {
    /// Points at which other objects and colliders press on an object, or on a collider, with the mean forces of the last
    /// substep: times [`crate::settings::Settings::substep`] they are its impulses. Impacts with restitution of rigid bodies
    /// are no part of them.
    ///
    /// Friction between particles is not recorded and is zero here. Contacts between triangles (`contact.triangles`) and the
    /// pressure of liquids are no contact points. A GPU reads all of the state back.
    pub fn contacts(&mut self, object: Handle) -> Result<Vec<ContactPoint>, EditError> {
        self.source(object)?;
        self.apply_edits()?;
        self.current_state()?;
        let mut points = Vec::new();
        self.each_contact_point(|found| {
            let [Some(first), Some(second)] = found.objects else { return };
            if first == second || (first != object && second != object) {
                return;
            }
            let sign = if first == object { 1.0 } else { -1.0 };
            points.push(ContactPoint {
                other: if first == object { second } else { first },
                position: found.position,
                normal: found.normal * sign,
                normal_force: found.normal_force,
                friction: found.friction * sign,
            });
        });
        Ok(points)
    }

    fn each_contact_point(&self, mut visit: impl FnMut(Found)) {
        let (state, model) = (self.state(), &self.model);
        let owners = Owners { definition: &self.definition, layout: &self.objects };
        each_push(&model.contact(), state, |contact, push| {
            let i = contact.particle as usize;
            visit(Found {
                objects: [owners.particle(contact.particle), owners.collider(model, contact.collider)],
                position: position(state.rows[i]) - push.normal * state.radii[i],
                normal: push.normal,
                normal_force: push.force(contact.push.normal),
                friction: push.force(contact.push.tangent),
            });
        });
        for contact in &state.rigid_bodies.contacts {
            let first = match contact.key.a.checked_sub(COLLIDER) {
                Some(collider) => owners.collider(model, collider),
                None => owners.body(contact.key.a),
            };
            let body = &state.rigid_bodies.bodies[contact.key.b as usize];
            let points = contact.anchors.iter().zip(contact.mean).take(contact.count as usize);
            let total: f64 = points.clone().map(|(_, force)| force).sum();
            for (&anchor, force) in points.filter(|(_, force)| *force > 0.0) {
                visit(Found {
                    objects: [owners.body(contact.key.b), first],
                    position: body.frame().outward(anchor).as_vec3(),
                    normal: contact.direction.as_vec3(),
                    normal_force: force as f32,
                    // It acts once per manifold.
                    friction: (contact.mean_friction * (force / total)).as_vec3(),
                });
            }
        }
        for ContactPair { a, b, force } in self.contact_pairs() {
            let [i, j] = [a, b].map(|k| k as usize);
            let way = position(state.rows[i]) - position(state.rows[j]);
            let normal = way.try_normalize().unwrap_or(Vec3::Y);
            let touches = position(state.rows[j]) + normal * (way.length() + state.radii[j] - state.radii[i]) * 0.5;
            visit(Found {
                objects: [owners.particle(a), owners.particle(b)],
                position: touches,
                normal,
                normal_force: force.abs(),
                friction: Vec3::ZERO,
            });
        }
    }
}
