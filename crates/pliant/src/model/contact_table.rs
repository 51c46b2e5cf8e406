//! Collision groups and surfaces of a model's objects.

use crate::collision::{CollisionGroups, ContactPairs, ContactTable, Friction, ObjectContact};
use crate::contact::collider::BodyCollider;
use crate::model::Model;
use crate::rigid_body::bodies::BodyParams;

impl Model {
    /// Which particles and colliders touch.
    pub fn contact_pairs(&self) -> ContactPairs<'_> {
        ContactPairs { table: &self.contact_table, objects: &self.topology.objects }
    }

    /// Whether a rigid body meets a collider of the scene.
    pub(crate) fn body_sees(&self, body: usize, collider: usize) -> bool {
        let BodyParams { environment, contact, .. } = &self.rigid_bodies.bodies[body];
        self.environments.sees(*environment, collider)
            && contact.groups.touches(self.contact_table.collider(collider).groups)
    }

    /// The contact table of objects and colliders; pieces of rigid bodies are as their objects.
    pub(crate) fn contact_table_of(
        &self,
        objects: Vec<ObjectContact>,
        colliders: Vec<CollisionGroups>,
    ) -> ContactTable {
        let (friction, restitution) = self.scene_surface();
        let piece = |piece: &BodyCollider| {
            let object = self.rigid_bodies.bodies[piece.body as usize].object as usize;
            let own = objects.get(object).copied().unwrap_or_default();
            ObjectContact {
                friction: Some(own.friction.unwrap_or(friction)),
                restitution: Some(own.restitution.unwrap_or(restitution)),
                ..own
            }
        };
        let pieces = self.body_colliders.iter().map(piece).collect();
        ContactTable::new(objects, colliders, pieces)
    }

    /// Gives objects, rigid bodies and their pieces other collision groups and surfaces.
    pub(crate) fn set_contact_table(&mut self, table: ContactTable) {
        let (friction, restitution) = self.scene_surface();
        for body in &mut self.rigid_bodies.bodies {
            body.contact = table.object(body.object);
        }
        for piece in &mut self.body_colliders {
            let own = self.rigid_bodies.bodies[piece.body as usize].contact;
            piece.friction = own.friction.map_or(friction, |own| own.combined(friction));
            piece.restitution = own.restitution.map(|own| own.max(restitution));
        }
        self.contact_table = table;
    }

    /// Friction and restitution of objects without their own: those of `contact` in the scene.
    fn scene_surface(&self) -> (Friction, f32) {
        let law = &self.rigid_bodies.between;
        let (static_friction, kinetic_friction) = (law.static_friction as f32, law.kinetic_friction as f32);
        (Friction { static_friction, kinetic_friction }, law.restitution as f32)
    }
}
