//! Changes of parameters between steps: materials, pressures, phases.

use crate::constraints::group::BLOCK;
use crate::constraints::{ConstraintKind, Softness};
use crate::model::Model;
use crate::world::World;
use std::sync::Arc;

impl World {
    /// Changes the softness of an object's constraints of a kind (S16: materials that melt or stiffen).
    ///
    /// Returns the number of constraints changed; 0 if the object has none of that kind, or the kind gets its softness
    /// from a continuum material.
    pub fn set_softness(&mut self, object: u32, kind: ConstraintKind, softness: Softness) -> usize {
        let changed = change_softness(&mut self.model, object, kind, softness);
        let placed = self.objects.placed.iter().find(|p| p.objects().contains(&(object as usize)));
        if let Some(placed) = placed.filter(|_| changed > 0) {
            let copy = object as usize - placed.from.objects;
            Arc::make_mut(&mut self.definition).change_softness(placed.source, copy, kind, softness);
        }
        self.params_changed();
        changed
    }

    /// Changes the pressure of an object's inflatables; returns their number.
    pub fn set_pressure(&mut self, object: u32, pressure: f32) -> usize {
        let bodies = self.model.inflatables.iter_mut().filter(|b| b.object == object);
        let changed = bodies.map(|b| b.pressure = pressure).count();
        self.params_changed();
        changed
    }

    pub(super) fn params_changed(&mut self) {
        self.parameters = None;
        self.cpu.params_changed(&self.model);
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &mut self.gpu {
            gpu.upload_params(&self.model);
        }
    }

    /// Changes the phase of an object's particles, which selects their contact partners.
    pub fn set_phase(&mut self, object: u32, phase: u32) {
        let objects = std::mem::take(&mut self.model.topology.objects);
        for (p, _) in self.state_mut().phases.iter_mut().zip(&objects).filter(|(_, o)| **o == object) {
            *p = phase;
        }
        self.model.topology.objects = objects;
    }
}

/// Changes the softness of an object's constraints of a kind; returns their number.
pub(super) fn change_softness(model: &mut Model, object: u32, kind: ConstraintKind, softness: Softness) -> usize {
    let Some(place) = kind.layout().softness else { return 0 };
    let (objects, phantoms) = (&model.topology.objects, &model.phantoms);
    let mut changed = 0;
    for group in model.groups.iter_mut().filter(|g| g.kind == kind) {
        let (n, p) = (group.layout().rows, group.layout().params);
        let slots: Vec<_> = group.slots().collect();
        for (block, lane) in slots {
            let row = phantoms.seen(group.rows[block * n * BLOCK + lane]) as usize;
            if objects.get(row) == Some(&object) {
                group.params[(block * p + place) * BLOCK + lane] = softness.encoded();
                changed += 1;
            }
        }
    }
    model.find_rigid_islands();
    changed
}
