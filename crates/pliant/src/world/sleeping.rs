//! Sleeping of single objects: rigid bodies (`rigid_body::sleep`) and objects of particles (`integration::sleeping`).

use crate::builder::layout::Placed;
use crate::error::StepError;
use crate::integration::sleeping::{SleepGroups, stop};
use crate::math::position;
use crate::rigid_body::bodies::RigidBodies;
use crate::rigid_body::sleep::{asleep, set_asleep};
use crate::scene::ObjectKind;
use crate::solver::cpu::rigid_bodies::collider_motions;
use crate::world::World;
use crate::world::definition::Handle;
use crate::world::edit::EditError;
use glam::Vec3;
use std::ops::Range;

impl World {
    /// Puts an object to sleep, with all that presses on it or is joined to it: they stop, and do not move until something
    /// touches them, a caller changes or wakes one of them, or objects, settings or colliders change. Liquids do not sleep.
    pub fn sleep(&mut self, object: Handle) -> Result<(), EditError> {
        self.change_sleep(object, true)
    }

    /// Wakes an object, with all that presses on it or is joined to it, as far as that sleeps.
    pub fn wake(&mut self, object: Handle) -> Result<(), EditError> {
        self.change_sleep(object, false)
    }

    /// Whether an object is asleep: put to sleep by a caller, or all of its rigid bodies at rest; in a world with a sleep speed
    /// also whether all of its free particles are at rest. From a GPU only that is read back.
    pub fn is_asleep(&mut self, object: Handle) -> Result<bool, EditError> {
        let bodies = self.rigid_bodies_of(object)?;
        if !bodies.is_empty() {
            let all = self.sleeping_bodies()?;
            return Ok(bodies.into_iter().all(|k| all[k]));
        }
        let placed = self.placed(object)?;
        let asleep = self.sleeping_objects()?;
        if sleeps(&placed, self.model.sleep_groups.as_ref(), &asleep) {
            return Ok(true);
        }
        if self.model.settings.sleep_speed == 0.0 {
            return Ok(false);
        }
        let range = self.particles_of(object)?;
        let state = self.read_rows(range.clone(), true)?;
        let mut free = range.filter(|&i| state.rows[i][3] > 0.0).peekable();
        Ok(free.peek().is_some() && free.all(|i| position(state.velocities[i]) == Vec3::ZERO))
    }

    fn sleeping_bodies(&self) -> Result<Vec<bool>, StepError> {
        let (gravity, colliders) = (self.model.settings.gravity.as_dvec3(), collider_motions(&self.model, self.time()));
        Ok(asleep(&self.model.rigid_bodies, self.rigid_state()?, (gravity, &colliders)))
    }

    /// Which groups of objects of particles sleep; empty where none was ever put to sleep.
    fn sleeping_objects(&self) -> Result<Vec<bool>, StepError> {
        if self.model.sleep_groups.is_none() {
            return Ok(Vec::new());
        }
        #[cfg(feature = "gpu")]
        if let Some(gpu) = self.gpu.as_ref().filter(|_| self.state.peek().is_none()) {
            gpu.wait(&self.model)?;
            return Ok(gpu.asleep()?);
        }
        Ok(self.current_state()?.asleep.clone())
    }

    fn change_sleep(&mut self, object: Handle, asleep: bool) -> Result<(), EditError> {
        let range = self.rigid_bodies_of(object)?;
        if range.is_empty() {
            return self.change_particle_sleep(object, asleep);
        }
        self.rigid_state()?;
        let (gravity, colliders) = (self.model.settings.gravity.as_dvec3(), collider_motions(&self.model, self.time()));
        let model = &self.model.rigid_bodies;
        let change = |bodies: &mut RigidBodies| set_asleep(model, bodies, (gravity, &colliders), range.clone(), asleep);
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &mut self.gpu {
            change(&mut gpu.rigid_bodies.state);
        }
        if let Some(state) = self.state.correct() {
            change(&mut state.rigid_bodies);
        }
        self.changes += 1;
        Ok(())
    }

    fn change_particle_sleep(&mut self, object: Handle, asleep: bool) -> Result<(), EditError> {
        let placed = self.placed(object)?;
        if placed.source.kind == ObjectKind::Liquid {
            return Err(EditError::Unsuitable("liquids do not sleep".to_owned()));
        }
        if !asleep && self.model.sleep_groups.is_none() {
            return Ok(());
        }
        self.prepare_sleep()?;
        #[cfg(feature = "gpu")]
        self.settle()?;
        let Some(groups) = self.model.sleep_groups.clone() else { return Ok(()) };
        let own = placed.objects().map(|object| groups.objects[object]).collect();
        let island = self.island_of(&groups, own)?;
        let mut all = self.sleeping_objects()?;
        all.resize(groups.objects.len(), false);
        let changed: Vec<u32> = island.into_iter().filter(|&group| asleep || all[group as usize]).collect();
        changed.iter().for_each(|&group| all[group as usize] = asleep);
        if asleep {
            self.stop_objects(&groups, &changed);
        }
        self.put_asleep(all);
        Ok(())
    }

    /// Makes sure that objects of particles can sleep. With a GPU its buffers are made anew within the device, once.
    pub(super) fn prepare_sleep(&mut self) -> Result<(), EditError> {
        if self.model.sleep_groups.is_some() {
            return Ok(());
        }
        let model = &self.model;
        let mut rows = model.topology.objects.clone();
        for placed in &self.objects.placed {
            // Copies of an object have as many orientations each.
            let (turned, copies) = (placed.orientations(), placed.objects().len().max(1));
            let each = (turned.len() / copies).max(1);
            rows.extend((0..turned.len()).map(|k| (placed.from.objects + k / each) as u32));
        }
        let particle = |member| self.objects.particle(member).map(|i| model.topology.objects[i as usize]);
        let pairs = self.objects.attachments.iter().flatten();
        let attached = pairs.filter_map(|&[a, b]| Some([particle(a)?, particle(b)?]));
        let shapes = self.state.memory().shapes.as_ref();
        let first = |body: usize| shapes.and_then(|s| s.members_of_body(body).next()).unwrap_or(0);
        let bodies: Vec<u32> = (0..shapes.map_or(0, |s| s.len())).map(first).collect();
        let attached: Vec<[u32; 2]> = attached.collect();
        let groups = SleepGroups::new(model.topology.object_names.len(), &rows, attached.into_iter(), &bodies);
        self.model.sleep_groups = Some(groups);
        self.update_backend(true)
    }

    /// Wakes the objects of some particles, after a caller has changed them. Reads nothing.
    pub(super) fn wake_particles(&mut self, particles: Range<usize>) {
        let Some(groups) = &self.model.sleep_groups else { return };
        let mut woken = groups.rows[particles].to_vec();
        woken.dedup();
        self.wake_groups(&woken);
    }

    /// The same of an object with its number in the topology.
    pub(super) fn wake_number(&mut self, object: u32) {
        let group = self.model.sleep_groups.as_ref().and_then(|groups| groups.objects.get(object as usize)).copied();
        self.wake_groups(group.as_slice());
    }

    fn wake_groups(&mut self, woken: &[u32]) {
        let state = self.state.memory();
        for &group in woken {
            if let Some(asleep) = state.asleep.get_mut(group as usize) {
                *asleep = false;
            }
            #[cfg(feature = "gpu")]
            if let Some(gpu) = &self.gpu {
                gpu.wake(group);
            }
        }
    }

    /// Wakes all objects of particles.
    pub(super) fn wake_all(&mut self) {
        if self.model.sleep_groups.is_some() {
            self.put_asleep(Vec::new());
        }
    }

    /// Forgets what sleeps together, and wakes all, after objects have changed in place.
    pub(super) fn forget_sleep(&mut self) {
        self.wake_all();
        self.model.sleep_groups = None;
    }

    /// Says which groups sleep, on the host and on a GPU.
    fn put_asleep(&mut self, all: Vec<bool>) {
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &self.gpu {
            gpu.put_asleep(&all);
        }
        self.state.memory().asleep = all;
        self.changes += 1;
    }

    /// Stops the particles and orientations of some groups.
    fn stop_objects(&mut self, groups: &SleepGroups, changed: &[u32]) {
        let state = self.state.memory();
        let own = |&(_, group): &(usize, &u32)| changed.contains(group);
        let rows: Vec<usize> = groups.rows.iter().enumerate().filter(own).map(|(i, _)| i).collect();
        stop(state, rows.iter().copied());
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &self.gpu {
            for run in rows.chunk_by(|a, b| a + 1 == *b) {
                gpu.upload_velocities(state, run[0]..run[0] + run.len());
            }
        }
    }

    /// Groups that press on some groups, directly or by others, and these. From a GPU only what is near is read back.
    fn island_of(&mut self, groups: &SleepGroups, start: Vec<u32>) -> Result<Vec<u32>, EditError> {
        let (mut island, mut open) = (start.clone(), start);
        while let Some(group) = open.pop().filter(|_| self.model.particle_contact.is_some()) {
            for other in self.touching(groups, group)? {
                if !island.contains(&other) {
                    island.push(other);
                    open.push(other);
                }
            }
        }
        island.sort_unstable();
        island.dedup();
        Ok(island)
    }

    /// Groups with particles that touch those of a group.
    fn touching(&mut self, groups: &SleepGroups, group: u32) -> Result<Vec<u32>, EditError> {
        let n = self.model.topology.objects.len();
        let own: Vec<usize> = (0..n).filter(|&i| groups.rows[i] == group).collect();
        for run in own.chunk_by(|a, b| a + 1 == *b) {
            self.read_rows(run[0]..run[0] + run.len(), false)?;
        }
        let state = self.state.memory();
        let sphere = |i: usize| (i, position(state.rows[i]), state.radii[i]);
        let own: Vec<(usize, Vec3, f32)> = own.into_iter().filter(|&i| !state.is_inactive(i)).map(sphere).collect();
        let (low, high) = own
            .iter()
            .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), &(_, x, r)| (low.min(x - r), high.max(x + r)));
        let largest = state.radii.iter().fold(0.0_f32, |most, &r| most.max(r));
        let off = 2.0 * (TOUCHING - 1.0) * largest;
        let near = self.free_particles_near(low - off, high + off)?;
        let (model, state) = (&self.model, self.state.memory());
        let others: Vec<(usize, Vec3, f32)> = near
            .into_iter()
            .filter(|&(i, _)| groups.rows[i] != group && state.rows[i][3] > 0.0)
            .map(|(i, x)| (i, x, state.radii[i]))
            .collect();
        Ok(touching_groups(&own, &others, |i, j| model.contact_pairs().touch(i, j), groups))
    }

    /// Free particles whose spheres reach into a box, without liquids.
    fn free_particles_near(&mut self, low: Vec3, high: Vec3) -> Result<Vec<(usize, Vec3)>, EditError> {
        let liquids = self.model.fluid.as_ref().map_or(&[][..], |fluid| &fluid.liquids);
        let solid = |i: usize| liquids.get(i).is_none_or(|&liquid| liquid == 0);
        #[cfg(feature = "gpu")]
        if let Some(gpu) = self.gpu.as_ref().filter(|_| self.state.peek().is_none()) {
            let found = gpu.rows_near(self.model.topology.objects.len(), low, high).map_err(StepError::from)?;
            if let Some(found) = found {
                let phases = &self.state.memory().phases;
                let active = |&(i, _): &(usize, Vec3)| solid(i) && phases[i] != crate::neighbors::INACTIVE;
                return Ok(found.into_iter().filter(active).collect());
            }
        }
        let state = self.current_state()?;
        let near = (0..state.particles).filter(|&i| solid(i) && !state.is_inactive(i)).map(|i| (i, state.radii[i]));
        let near = near.map(|(i, r)| (i, position(state.rows[i]), r));
        let inside = |x: Vec3, r: f32| (x + r).cmpge(low).all() && (x - r).cmple(high).all();
        Ok(near.filter(|&(_, x, r)| inside(x, r)).map(|(i, x, _)| (i, x)).collect())
    }
}

/// Whether all objects of a handle sleep.
pub(super) fn sleeps(placed: &Placed, groups: Option<&SleepGroups>, asleep: &[bool]) -> bool {
    let Some(groups) = groups else { return false };
    let one = |object: usize| asleep.get(groups.objects[object] as usize) == Some(&true);
    !placed.particles().is_empty() && placed.objects().all(one)
}

/// Distance over the sum of radii up to which spheres count as touching: what lies on something may be just off it.
const TOUCHING: f32 = 1.02;

/// Groups of those of `others` that touch one of `own`: numbers, centers and radii of spheres.
fn touching_groups(
    own: &[(usize, Vec3, f32)],
    others: &[(usize, Vec3, f32)],
    touch: impl Fn(usize, usize) -> bool,
    groups: &SleepGroups,
) -> Vec<u32> {
    let largest = own.iter().chain(others).fold(0.0_f32, |most, s| most.max(s.2));
    if largest <= 0.0 {
        return Vec::new();
    }
    let size = 2.0 * TOUCHING * largest;
    let cell = |x: Vec3| (x / size).floor().as_ivec3();
    let mut cells: std::collections::HashMap<glam::IVec3, Vec<usize>> = std::collections::HashMap::new();
    own.iter().enumerate().for_each(|(k, s)| cells.entry(cell(s.1)).or_default().push(k));
    let mut found = std::collections::BTreeSet::new();
    for &(j, y, s) in others {
        if found.contains(&groups.rows[j]) {
            continue;
        }
        let around = (0..27).map(|k| cell(y) + glam::IVec3::new(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1));
        let mut near = around.filter_map(|cell| cells.get(&cell)).flatten().map(|&k| own[k]);
        if near.any(|(i, x, r)| x.distance(y) <= TOUCHING * (r + s) && touch(i, j)) {
            found.insert(groups.rows[j]);
        }
    }
    found.into_iter().collect()
}
