//! Materials of objects that shape the model: elasticity, viscosity, surface tension, contacts between particles.
//!
//! The scene's entry of the object changes, and the model is built anew with everything that moved: it is that of an
//! object with this material from the start, substeps that depend on it included.

use crate::builder::layout::{PourChange, Source};
use crate::constraints::ConstraintKind;
use crate::scene::{ContactSpec, Elasticity, Fem, Object, ObjectKind, PourSpec};
use crate::world::World;
use crate::world::contacts::at_object;
use crate::world::definition::{Definition, Handle};
use crate::world::edit::EditError;
use std::sync::Arc;

/// Constraints that stretch makes, and those that bending does.
const STRETCH: [ConstraintKind; 3] = [ConstraintKind::Stretch, ConstraintKind::Membrane, ConstraintKind::StretchShear];
const BEND: [ConstraintKind; 4] =
    [ConstraintKind::Bend, ConstraintKind::Isometric, ConstraintKind::RopeBending, ConstraintKind::BendTwist];

impl World {
    /// Young's modulus [Pa] of a soft body or a cloth with `fem`. The model is built anew.
    pub fn set_young(&mut self, object: Handle, young: f32) -> Result<(), EditError> {
        let set = |fem: &mut Option<Fem>| fem.as_mut().map(|fem| fem.young = young);
        self.change_object(object, &[], |object| {
            let done = match object {
                Object::Cloth(o) => set(&mut o.fem),
                Object::Soft(o) => set(&mut o.fem),
                _ => None,
            };
            done.ok_or("only soft bodies and cloth with fem have a Young's modulus")
        })
    }

    /// Stretch elasticity of a cloth, a rope, a soft body or an inflatable: a modulus, a compliance or a stiffness. The
    /// model is built anew; [`Self::set_object_softness`] is quicker where constraints have a compliance each.
    pub fn set_stretch(&mut self, object: Handle, stretch: Elasticity) -> Result<(), EditError> {
        self.change_object(object, &STRETCH, |object| {
            match object {
                Object::Cloth(o) if o.fem.is_none() => o.stretch = stretch,
                Object::Soft(o) if o.fem.is_none() => o.stretch = stretch,
                Object::Rope(o) => o.stretch = stretch,
                Object::Inflatable(o) => o.stretch = stretch,
                Object::Cloth(_) | Object::Soft(_) => return Err("it has fem, and a Young's modulus instead"),
                _ => return Err("only cloth, ropes, soft bodies and inflatables stretch"),
            }
            Ok(())
        })
    }

    /// Bending elasticity of a cloth, a rope or an inflatable; `None` for none. The model is built anew.
    pub fn set_bend(&mut self, object: Handle, bend: Option<Elasticity>) -> Result<(), EditError> {
        self.change_object(object, &BEND, |object| {
            match object {
                Object::Cloth(o) => o.bend = bend,
                Object::Rope(o) => o.bend = bend,
                Object::Inflatable(o) => o.bend = bend,
                _ => return Err("only cloth, ropes and inflatables bend"),
            }
            Ok(())
        })
    }

    /// Dynamic viscosity of a liquid [Pa·s]. The model is built anew.
    pub fn set_viscosity(&mut self, liquid: Handle, viscosity: f32) -> Result<(), EditError> {
        self.change_object(liquid, &[], |object| match object {
            Object::Liquid(o) => {
                o.viscosity = viscosity;
                Ok(())
            }
            _ => Err("only liquids have a viscosity"),
        })
    }

    /// Surface tension of a liquid [N/m]. The model is built anew. Liquids with it are solved by density constraints,
    /// also where their pressure was a projection before.
    pub fn set_surface_tension(&mut self, liquid: Handle, tension: f32) -> Result<(), EditError> {
        self.change_object(liquid, &[], |object| match object {
            Object::Liquid(o) => {
                o.tension = tension;
                Ok(())
            }
            _ => Err("only liquids have a surface tension"),
        })
    }

    /// Rolling resistance of a collider: decay rate of the velocity along it of what touches it [1/s].
    pub fn set_rolling(&mut self, collider: Handle, rolling: f32) -> Result<(), EditError> {
        let index = self.collider_index(collider)?;
        let mut spec = self.definition.scene.collider[index].clone();
        spec.rolling = rolling;
        let alone = crate::scene::Scene { collider: vec![spec.clone()], ..Default::default() };
        alone.validate().map_err(at_object)?;
        let before = self.model.has_restitution();
        Arc::make_mut(&mut self.definition).scene.collider[index] = spec;
        self.model.colliders[index].rolling = rolling;
        self.contacts_changed(before)
    }

    /// Settings of contacts between objects.
    pub fn contact_settings(&self) -> &ContactSpec {
        &self.definition.scene.contact
    }

    /// Changes friction, restitution, cohesion, rolling resistance and the numbers of contacts between objects. The
    /// model is built anew. What touches what (`between`, `itself`, `triangles`) belongs to the plan and stays as it
    /// is.
    pub fn set_contact_settings(&mut self, contact: ContactSpec) -> Result<(), EditError> {
        let now = &self.definition.scene.contact;
        let plan = |c: &ContactSpec| (c.between, c.itself, c.triangles);
        if plan(&contact) != plan(now) {
            let what = "between, itself and triangles of contacts cannot change in a world";
            return Err(EditError::Unsuitable(what.to_owned()));
        }
        if contact == *now {
            return Ok(());
        }
        self.apply_edits()?;
        self.change_definition(None, |definition| definition.scene.contact = contact)
    }

    /// Begins, changes or ends what grains or a liquid emit, from now on; what they have emitted stays. Times of the
    /// emitter count from now; `None` ends it. Objects that filled a box before may be poured, too. Particles that were
    /// still to be emitted are given up; those that a drain has taken stay as inactive ones.
    ///
    /// Objects with copies, and liquids that freeze, are refused.
    pub fn set_pour(&mut self, object: Handle, pour: Option<PourSpec>) -> Result<(), EditError> {
        let kind = self.source(object)?.kind;
        if !matches!(kind, ObjectKind::Grains | ObjectKind::Liquid) {
            let what = format!("only grains and liquids are poured, not an object of kind {:?}", kind.name());
            return Err(EditError::Unsuitable(what));
        }
        self.apply_edits()?;
        let source = self.source(object)?;
        let scene = &self.definition.scene;
        let now = self.definition.get(object).and_then(|entry| entry.pour);
        let before = scene.pour(kind, source.index);
        if pour.is_none() && (before.is_none() || now.is_some_and(|change| change.stopped)) {
            return Ok(());
        }
        let name = self.name(object)?;
        if kind == ObjectKind::Liquid && scene.freeze.iter().any(|f| f.liquid == name) {
            return Err(EditError::Unsuitable(format!("{name:?} freezes, and its particles cannot change")));
        }
        let mut next = scene.object(kind, source.index);
        if crate::world::overlap::copies_of(next.array()) > 1 {
            return Err(EditError::Unsuitable(format!("{name:?} has copies, which are poured as they were built")));
        }
        let kept = self.particles_so_far(source);
        let change = PourChange {
            kept: if pour.is_none() { kept.max(1) } else { kept },
            start: self.time(),
            stopped: pour.is_none(),
        };
        match &mut next {
            Object::Grains(o) => {
                (o.fill, o.mesh, o.pour, o.velocity) = (None, None, pour.or(o.pour), [0.0; 3]);
            }
            Object::Liquid(o) => {
                (o.fill, o.mesh, o.pour, o.velocity) = (None, None, pour.or(o.pour), [0.0; 3]);
            }
            _ => {}
        }
        if pour.is_some() {
            let part = crate::builder::part_of(&next, &self.definition.scene, &*self.meshes)?;
            self.check_size(part.positions.len())?;
        }
        self.change_definition(Some(object), |definition| {
            definition.scene.replace(source.index, next);
            if let Some(entry) = definition.get_mut(object) {
                (entry.pour, entry.part) = (Some(change), None);
            }
        })
    }

    /// Particles that an object has emitted or had from the start: the first ones.
    fn particles_so_far(&mut self, source: Source) -> usize {
        let Some(placed) = self.objects.find(source).copied() else { return 0 };
        let Some(number) = (placed.from.emitters..placed.to.emitters).next() else { return placed.particles().len() };
        let emitter = &self.model.emitters[number];
        if emitter.endless {
            return placed.particles().len();
        }
        let emitted = self.state.memory().emitted.get(number).copied().unwrap_or(0);
        emitter.first - placed.from.particles + emitted.min(emitter.places.len())
    }

    /// Changes the scene's entry of an object and forgets the softness that kinds of its constraints were given.
    fn change_object(
        &mut self,
        object: Handle,
        kinds: &[ConstraintKind],
        change: impl FnOnce(&mut Object) -> Result<(), &'static str>,
    ) -> Result<(), EditError> {
        self.source(object)?;
        self.apply_edits()?;
        let source = self.source(object)?;
        let now = self.definition.scene.object(source.kind, source.index);
        let mut next = now.clone();
        change(&mut next).map_err(|what| EditError::Unsuitable(what.to_owned()))?;
        self.change_definition(None, |definition| {
            definition.scene.replace(source.index, next);
            definition.forget_softness(source, kinds);
            if let Some(entry) = definition.get_mut(object) {
                entry.part = None;
            }
        })
    }

    /// Builds the world with a changed definition; after an error it is as it was.
    fn change_definition(
        &mut self,
        repoured: Option<Handle>,
        change: impl FnOnce(&mut Definition),
    ) -> Result<(), EditError> {
        // A snapshot of the world before must tell that its model was another one.
        self.origin();
        let before = self.definition.clone();
        let definition = Arc::make_mut(&mut self.definition);
        change(definition);
        definition.note_change();
        self.rebuild_with(repoured).inspect_err(|_| self.definition = before)?;
        self.wake_all();
        Ok(())
    }
}
