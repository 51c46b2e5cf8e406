//! Steering of contacts: collision groups, friction and restitution of objects and colliders.

use crate::builder::layout::{Layout, Source};
use crate::builder::object_contacts;
use crate::collision::{CollisionGroups, ContactTable, Friction};
use crate::error::SceneError;
use crate::model::Model;
use crate::scene::{CollisionSpec, FrictionSpec, ObjectKind, Scene};
use crate::world::World;
use crate::world::definition::Handle;
use crate::world::edit::EditError;
use std::sync::Arc;

impl World {
    /// Which objects an object or a collider touches, from the next step on. Rigid bodies wake up.
    pub fn set_collision_groups(&mut self, object: Handle, groups: CollisionGroups) -> Result<(), EditError> {
        let source = self.source(object)?;
        if self.definition.scene.sensor_of(source.kind, source.index).is_some() {
            return Err(EditError::Unsuitable("a sensor touches nothing".to_owned()));
        }
        self.change_contact(object, |scene, source| {
            let spec = scene.collision_mut(source.kind, source.index).ok_or_else(|| touches_nothing(source.kind))?;
            *spec = CollisionSpec::with_groups(spec.as_ref(), groups);
            Ok(())
        })
    }

    /// Which objects an object or a collider touches.
    pub fn collision_groups(&self, object: Handle) -> Result<CollisionGroups, EditError> {
        let source = self.source(object)?;
        Ok(self.definition.scene.contact_of(source.kind, source.index).groups)
    }

    /// Coefficients of static and kinetic friction of a collider, or of an object's own surface. A pair has the geometric
    /// mean of both; an object without its own those of the collider, or with another object those of the scene.
    pub fn set_friction(
        &mut self,
        object: Handle,
        static_friction: f32,
        kinetic_friction: f32,
    ) -> Result<(), EditError> {
        let spec = FrictionSpec { static_friction, kinetic_friction };
        if self.source(object)?.kind != ObjectKind::Collider {
            return self.change_contact(object, |scene, source| match scene.friction_mut(source.kind, source.index) {
                Some(own) => {
                    *own = Some(spec);
                    Ok(())
                }
                None if source.kind == ObjectKind::Liquid => {
                    Err(EditError::Unsuitable("liquids have a viscosity instead of friction".to_owned()))
                }
                None => Err(touches_nothing(source.kind)),
            });
        }
        let index = self.collider_index(object)?;
        let mut collider = self.definition.scene.collider[index].clone();
        collider.friction = spec;
        Scene { collider: vec![collider.clone()], ..Scene::default() }.validate().map_err(at_object)?;
        Arc::make_mut(&mut self.definition).scene.collider[index] = collider;
        self.model.colliders[index].friction = Friction { static_friction, kinetic_friction };
        self.parameters = None;
        self.wake_all();
        self.update_backend(false)
    }

    /// Coefficient of restitution of a collider, or of an object's own surface, 0 to 1. A pair has the larger one; an object
    /// without its own that of the collider, or with another object that of the scene.
    pub fn set_restitution(&mut self, object: Handle, restitution: f32) -> Result<(), EditError> {
        if self.source(object)?.kind != ObjectKind::Collider {
            return self.change_contact(object, |scene, source| {
                let own = scene.restitution_mut(source.kind, source.index);
                *own.ok_or_else(|| touches_nothing(source.kind))? = Some(restitution);
                Ok(())
            });
        }
        let index = self.collider_index(object)?;
        let mut spec = self.definition.scene.collider[index].clone();
        spec.restitution = restitution;
        Scene { collider: vec![spec.clone()], ..Scene::default() }.validate().map_err(at_object)?;
        let before = self.model.has_restitution();
        Arc::make_mut(&mut self.definition).scene.collider[index] = spec;
        self.model.colliders[index].restitution = restitution;
        self.contacts_changed(before)
    }

    /// Changes what an object has of its own in contacts.
    fn change_contact(
        &mut self,
        object: Handle,
        change: impl FnOnce(&mut Scene, Source) -> Result<(), EditError>,
    ) -> Result<(), EditError> {
        self.source(object)?;
        self.apply_edits()?;
        let source = self.source(object)?;
        let mut alone = Scene::default();
        let index = alone.push(self.definition.scene.object(source.kind, source.index));
        change(&mut alone, Source::new(source.kind, index))?;
        // Only what has changed: an object may need others of its scene to be valid.
        alone.validate_surface(source.kind, index).map_err(at_object)?;
        let scene = &mut Arc::make_mut(&mut self.definition).scene;
        if let (Some(to), Some(from)) =
            (scene.collision_mut(source.kind, source.index), alone.collision_mut(source.kind, index))
        {
            to.clone_from(from);
        }
        if let (Some(to), Some(from)) =
            (scene.friction_mut(source.kind, source.index), alone.friction_mut(source.kind, index))
        {
            *to = *from;
        }
        if let (Some(to), Some(from)) =
            (scene.restitution_mut(source.kind, source.index), alone.restitution_mut(source.kind, index))
        {
            *to = *from;
        }
        let before = self.model.has_restitution();
        let table = contact_table(&self.definition.scene, &self.objects, &self.model);
        if table == self.model.contact_table {
            return Ok(());
        }
        self.model.set_contact_table(table);
        let bodies = self.model.rigid_bodies.bodies.len();
        if bodies > 0 {
            // What lies on something else now must fall.
            self.change_rigid(0..bodies, |_| ());
        }
        self.contacts_changed(before)
    }

    /// After collision groups or restitution have changed. `bounced`: whether contacts had restitution before.
    pub(super) fn contacts_changed(&mut self, bounced: bool) -> Result<(), EditError> {
        self.parameters = None;
        self.wake_all();
        if self.model.has_restitution() != bounced {
            // There are other passes now.
            return self.rebuild();
        }
        self.update_backend(true)
    }
}

/// The contact table of a scene whose objects are in a model.
pub(super) fn contact_table(scene: &Scene, layout: &Layout, model: &Model) -> ContactTable {
    let (objects, colliders) = object_contacts(scene, layout);
    model.contact_table_of(objects, colliders)
}

fn touches_nothing(kind: ObjectKind) -> EditError {
    EditError::Unsuitable(format!("an object of kind {:?} touches nothing", kind.name()))
}

pub(super) fn at_object(error: SceneError) -> EditError {
    EditError::Value(error.to_string())
}
