//! Collision groups and surfaces of a model's objects.

use crate::collision::{CollisionGroups, ContactPairs, ContactTable, Friction, ObjectContact};
use crate::contact::collider::BodyCollider;
use crate::model::Model;
use crate::rigid_body::bodies::BodyParams;
use std::ops::Range;

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
        let scene = self.scene_surface();
        let piece = |piece: &BodyCollider| {
            let object = self.rigid_bodies.bodies[piece.body as usize].object as usize;
            of_piece(objects.get(object).copied().unwrap_or_default(), scene)
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
            set_surface(piece, &own, (friction, restitution));
        }
        self.contact_table = table;
    }

    /// Adds the pieces of the last rigid body, with its surface.
    pub(crate) fn append_pieces(&mut self, pieces: Vec<BodyCollider>) {
        let scene = self.scene_surface();
        for mut piece in pieces {
            let own = self.rigid_bodies.bodies[piece.body as usize].contact;
            set_surface(&mut piece, &own, scene);
            self.contact_table.append_piece(of_piece(own, scene));
            self.body_colliders.push(piece);
        }
    }

    /// Removes the pieces of some rigid bodies and renumbers those behind them. Returns the range of indices as particles see
    /// colliders.
    pub(crate) fn remove_pieces(&mut self, bodies: &Range<usize>) -> Range<usize> {
        let [first, end] =
            [bodies.start, bodies.end].map(|k| self.body_colliders.partition_point(|p| (p.body as usize) < k));
        self.body_colliders.drain(first..end);
        self.body_colliders[first..].iter_mut().for_each(|piece| piece.body -= bodies.len() as u32);
        let seen = self.colliders.len() + first..self.colliders.len() + end;
        self.contact_table.remove_pieces(seen.clone());
        seen
    }

    /// Friction and restitution of objects without their own: those of `contact` in the scene.
    fn scene_surface(&self) -> (Friction, f32) {
        let law = &self.rigid_bodies.between;
        let (static_friction, kinetic_friction) = (law.static_friction as f32, law.kinetic_friction as f32);
        (Friction { static_friction, kinetic_friction }, law.restitution as f32)
    }
}

/// What a piece has, whose body has `own`, where the scene has a friction and a restitution.
fn of_piece(own: ObjectContact, (friction, restitution): (Friction, f32)) -> ObjectContact {
    ObjectContact {
        friction: Some(own.friction.unwrap_or(friction)),
        restitution: Some(own.restitution.unwrap_or(restitution)),
        ..own
    }
}

/// Gives a piece the surface of its body.
fn set_surface(piece: &mut BodyCollider, own: &ObjectContact, (friction, restitution): (Friction, f32)) {
    piece.friction = own.friction.map_or(friction, |own| own.combined(friction));
    piece.restitution = own.restitution.map(|own| own.max(restitution));
}
