//! Parameters of a model that setters change: part of every snapshot.

use crate::bytes::{Reader, SnapshotError, Writer};
use crate::collision::ContactTable;
use crate::contact::collider_contact::Friction;
use crate::grip::Grip;
use crate::model::Model;
use crate::motion::Motion;
use crate::settings::{Clock, Settings};

/// What a caller may change of a collider.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ColliderParameters {
    pub motion: Motion,
    pub friction: Friction,
    pub restitution: f32,
    pub rolling: f32,
}

impl ColliderParameters {
    /// From a motion, static and kinetic friction, restitution and rolling resistance.
    pub fn new(motion: &Motion, [static_friction, kinetic_friction, restitution, rolling]: [f32; 4]) -> Self {
        let friction = Friction { static_friction, kinetic_friction };
        Self { motion: motion.clone(), friction, restitution, rolling }
    }
}

/// Parameters of the model that setters change.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parameters {
    /// Constraint parameters of each group.
    pub groups: Vec<Vec<f32>>,
    /// Pressure of each inflatable.
    pub pressures: Vec<f32>,
    pub settings: Settings,
    pub colliders: Vec<ColliderParameters>,
    /// Motion of each group of pins.
    pub pins: Vec<Motion>,
    pub grips: Vec<Grip>,
    /// Collision groups and surfaces of objects.
    pub contacts: ContactTable,
}

impl Parameters {
    pub fn of(model: &Model) -> Self {
        let collider = |c: &crate::contact::collider::Collider| ColliderParameters {
            motion: c.motion.clone(),
            friction: c.friction,
            restitution: c.restitution,
            rolling: c.rolling,
        };
        Self {
            groups: model.groups.iter().map(|g| g.params.clone()).collect(),
            pressures: model.inflatables.iter().map(|b| b.pressure).collect(),
            settings: model.settings,
            colliders: model.colliders.iter().map(collider).collect(),
            pins: model.pins.iter().map(|p| p.motion.clone()).collect(),
            grips: model.grips.clone(),
            contacts: model.contact_table.clone(),
        }
    }

    /// Changes a model accordingly. Returns whether more than the records of a GPU's substeps depends on it.
    pub fn apply(&self, model: &mut Model) -> bool {
        model.groups.iter_mut().zip(&self.groups).for_each(|(group, params)| group.params.clone_from(params));
        model.find_rigid_islands();
        model.inflatables.iter_mut().zip(&self.pressures).for_each(|(body, &pressure)| body.pressure = pressure);
        let steady = |s: &Settings| Settings { clock: Clock::default(), ..*s };
        let mut deep = steady(&model.settings) != steady(&self.settings);
        model.settings = self.settings;
        for (collider, from) in model.colliders.iter_mut().zip(&self.colliders) {
            deep |= (collider.restitution, collider.rolling) != (from.restitution, from.rolling);
            collider.motion.clone_from(&from.motion);
            (collider.friction, collider.restitution, collider.rolling) =
                (from.friction, from.restitution, from.rolling);
        }
        deep |= model.contact_table != self.contacts;
        model.set_contact_table(self.contacts.clone());
        deep |= model.grips != self.grips;
        model.grips.clone_from(&self.grips);
        for (pins, motion) in model.pins.iter_mut().zip(&self.pins) {
            deep |= pins.motion.moves() != motion.moves();
            pins.motion.clone_from(motion);
        }
        deep
    }

    /// Writes the constraint parameters; all others are in an [`crate::world::archive::Archive`].
    pub fn write(&self, to: &mut Writer) {
        self.groups.iter().for_each(|list| to.list(list));
        to.list(&self.pressures);
    }

    pub fn read(&mut self, from: &mut Reader<'_>) -> Result<(), SnapshotError> {
        for list in &mut self.groups {
            from.fill("constraint parameters", list)?;
        }
        from.fill("pressures of inflatables", &mut self.pressures)
    }
}
