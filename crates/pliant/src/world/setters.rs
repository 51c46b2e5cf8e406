//! Changes of parameters between steps: materials, pressures, phases.

use crate::builder::layout::Placed;
use crate::constraints::group::BLOCK;
use crate::constraints::{ConstraintKind, Softness};
use crate::math::RowData;
use crate::methods::vbd::plan::ElasticBody;
use crate::methods::vbd::rigid::LeastCompliance;
use crate::model::Model;
use crate::neighbors::INACTIVE;
use crate::world::World;
use crate::world::definition::Handle;
use crate::world::edit::EditError;
use std::sync::Arc;

impl World {
    /// Changes the softness of an object's constraints of a kind (S16: materials that melt or stiffen). `object` is its
    /// number in [`Self::topology`].
    ///
    /// Returns the number of constraints changed; 0 if the object has none of that kind, or the kind gets its softness
    /// from a continuum material ([`Self::set_young`] changes that).
    pub fn set_softness(&mut self, object: u32, kind: ConstraintKind, softness: Softness) -> Result<usize, EditError> {
        let placed = self.numbered(object)?;
        if Softness::from_encoded(softness.encoded()).is_none() {
            return Err(EditError::Value(format!("{softness:?} is no softness")));
        }
        let rows = &self.state.memory().rows;
        let changed = change_softness(&mut self.model, rows, object, kind, softness);
        if changed > 0 {
            let copy = object as usize - placed.from.objects;
            Arc::make_mut(&mut self.definition).change_softness(placed.source, copy, kind, softness);
        }
        self.wake_number(object);
        self.params_changed();
        Ok(changed)
    }

    /// Changes the pressure of an object's inflatables, relative to that of their rest volume; returns their number.
    /// `object` is its number in [`Self::topology`]; one without a pressure is refused.
    pub fn set_pressure(&mut self, object: u32, pressure: f32) -> Result<usize, EditError> {
        self.numbered(object)?;
        if !(pressure.is_finite() && pressure >= 0.0) {
            return Err(EditError::Value(format!("the pressure is {pressure}, but must be finite and not negative")));
        }
        let bodies = self.model.inflatables.iter_mut().filter(|b| b.object == object);
        let changed = bodies.map(|b| b.pressure = pressure).count();
        if changed == 0 {
            return Err(EditError::Unsuitable("only inflatables have a pressure".to_owned()));
        }
        self.wake_number(object);
        self.params_changed();
        Ok(changed)
    }

    pub(super) fn params_changed(&mut self) {
        self.parameters = None;
        self.cpu.params_changed(&self.model);
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &mut self.gpu {
            gpu.upload_params(&self.model);
        }
    }

    /// Changes the phase of an object's active particles: particles of one phase do not touch each other, except in
    /// phase 0. `object` is its number in [`Self::topology`].
    pub fn set_phase(&mut self, object: u32, phase: u32) -> Result<(), EditError> {
        let placed = self.numbered(object)?;
        let own = |i: &usize| self.model.topology.objects[*i] == object;
        let particles = placed.particles().filter(own).collect();
        self.wake_number(object);
        self.put_phase(particles, phase)
    }

    /// Changes the phase of those that are active among some particles.
    fn put_phase(&mut self, particles: Vec<usize>, phase: u32) -> Result<(), EditError> {
        if phase == INACTIVE {
            return Err(EditError::Value(format!("{phase} is the phase of inactive particles")));
        }
        let state = self.state_mut();
        for i in particles {
            if !state.is_inactive(i) {
                state.phases[i] = phase;
            }
        }
        Ok(())
    }

    /// The object with a number in the topology, which may be one of its copies.
    fn numbered(&self, object: u32) -> Result<Placed, EditError> {
        let has = |p: &&Placed| p.objects().contains(&(object as usize)) && !p.is_removed();
        let placed = self.objects.placed.iter().find(has).copied();
        let total = self.model.topology.object_names.len();
        placed.ok_or_else(|| EditError::Value(format!("there is no object number {object} among {total}")))
    }
}

impl World {
    /// [`Self::set_softness`] of an object with all its copies. Returns the number of constraints changed.
    pub fn set_object_softness(
        &mut self,
        object: Handle,
        kind: ConstraintKind,
        softness: Softness,
    ) -> Result<usize, EditError> {
        let numbers = self.placed(object)?.objects();
        numbers.map(|number| self.set_softness(number as u32, kind, softness)).sum()
    }

    /// [`Self::set_pressure`] of an inflatable with all its copies, relative to that of its rest volume. An object without a
    /// pressure is refused.
    pub fn set_object_pressure(&mut self, object: Handle, pressure: f32) -> Result<(), EditError> {
        let numbers = self.placed(object)?.objects();
        numbers.map(|number| self.set_pressure(number as u32, pressure)).sum::<Result<usize, _>>().map(drop)
    }

    /// Phase of all active particles of an object: particles of one phase do not touch each other, except in phase 0.
    pub fn set_object_phase(&mut self, object: Handle, phase: u32) -> Result<(), EditError> {
        let range = self.particles_of(object)?;
        self.wake_particles(range.clone());
        self.put_phase(range.collect(), phase)
    }
}

/// Changes the softness of an object's constraints of a kind; returns their number. Elastic ones get no smaller compliance than
/// descent resolves. `rows` have the masses.
pub(super) fn change_softness(
    model: &mut Model,
    rows: &[RowData],
    object: u32,
    kind: ConstraintKind,
    softness: Softness,
) -> usize {
    let Some(place) = kind.layout().softness else { return 0 };
    let (objects, phantoms) = (&model.topology.objects, &model.phantoms);
    let mut changed = std::collections::BTreeSet::new();
    for (number, group) in model.groups.iter_mut().enumerate().filter(|(_, g)| g.kind == kind) {
        let (n, p) = (group.layout().rows, group.layout().params);
        let slots: Vec<_> = group.slots().collect();
        for (block, lane) in slots {
            let row = phantoms.seen(group.rows[block * n * BLOCK + lane]) as usize;
            if objects.get(row) == Some(&object) {
                group.params[(block * p + place) * BLOCK + lane] = softness.encoded();
                changed.insert((number, block * BLOCK + lane));
            }
        }
    }
    if softness.encoded() <= 0.0 {
        let h = model.settings.substep();
        let of = |body: &ElasticBody| body.least_compliances(kind, &model.groups, rows, h);
        let rigid: Vec<LeastCompliance> = model.bodies.iter().flat_map(of).collect();
        for LeastCompliance { group, slot, least } in rigid {
            if changed.contains(&(group, slot)) {
                let count = model.groups[group].layout().params;
                model.groups[group].params[(slot / BLOCK * count + place) * BLOCK + slot % BLOCK] = least;
            }
        }
    }
    model.find_rigid_islands();
    changed.len()
}
