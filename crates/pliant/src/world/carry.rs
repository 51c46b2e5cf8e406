//! Carries model and state of objects over into a model that was built anew, without changing a bit of them.

use crate::builder::layout::{History, Layout, Member, Placed, PourChange, Source};
use crate::builder::part::Part;
use crate::contact::collider::Collider;
use crate::grip::Grip;
use crate::math::RowData;
use crate::math::row_map::RowMap;
use crate::model::Model;
use crate::neighbors::INACTIVE;
use crate::rigid_body::bodies::BodyState;
use crate::rigid_body::joint::WORLD;
#[cfg(feature = "gpu")]
use crate::runtime::gpu::shader_constants::NONE;
use crate::scene::ObjectKind;
use crate::settings::Clock;
#[cfg(feature = "gpu")]
use crate::solver::gpu::device_carry::{DeviceCarry, RowCounts};
use crate::state::{Contact, State};
use crate::world::definition::{Definition, Origins, origin};
use std::ops::Range;
use std::sync::Arc;

/// A world before its objects have changed.
pub(crate) struct Past<'a> {
    /// The objects there will be.
    pub definition: &'a Definition,
    /// Where they were.
    pub origins: &'a Origins,
    pub model: &'a Model,
    pub state: &'a State,
    pub layout: &'a Layout,
    /// The object whose emitter is another one from now on.
    pub repoured: Option<Source>,
}

impl Past<'_> {
    /// What an object has kept, and where that was; nothing of an object that is new.
    fn kept(&self, new: &Placed) -> Option<(Placed, Placed)> {
        let (mut old, new) = (*self.placed(new.source)?, *new);
        if self.repoured == Some(new.source) {
            let kept = self.pour(new.source).map_or(0, |change| change.kept);
            old.to.particles = old.to.particles.min(old.from.particles + kept);
            old.to.emitters = old.from.emitters;
        }
        Some((old, new))
    }

    /// Where an object was, if it was there.
    fn placed(&self, object: Source) -> Option<&Placed> {
        self.layout.find(origin(self.origins, object)?)
    }

    /// The particle of an object as its index is now.
    fn renamed(&self, (source, number): Member) -> Option<Member> {
        let old = &self.origins[source.kind as usize];
        // Indices only shift downward, and stay in order.
        let new = old.partition_point(|o| o.is_some_and(|o| o < source.index));
        (old.get(new) == Some(&Some(source.index))).then(|| (Source::new(source.kind, new), number))
    }
}

impl History for Past<'_> {
    fn edited(&self) -> bool {
        true
    }

    fn time(&self) -> f64 {
        self.state.time
    }

    fn start(&self, object: Source) -> f64 {
        self.definition.entry(object).map_or(0.0, |entry| entry.added)
    }

    fn pour(&self, object: Source) -> Option<PourChange> {
        self.definition.entry(object)?.pour
    }

    fn rows(&self, object: Source) -> Option<&[RowData]> {
        let kept = self.pour(object).filter(|_| self.repoured == Some(object)).map_or(usize::MAX, |c| c.kept);
        let rows = self.placed(object).map(|placed| &self.state.rows[placed.particles()])?;
        Some(&rows[..rows.len().min(kept)])
    }

    fn rigid_body(&self, object: Source, copy: usize) -> Option<BodyState> {
        let range = self.placed(object)?.rigid_bodies();
        self.state.rigid_bodies.bodies[range].get(copy).copied()
    }

    fn part(&self, object: Source) -> Option<Arc<Part>> {
        self.definition.entry(object)?.part.clone()
    }

    fn collider(&self, index: usize) -> Option<Collider> {
        let object = Source::new(ObjectKind::Collider, index);
        match origin(self.origins, object) {
            Some(old) => Some(self.model.colliders[old.index].clone()),
            None => self.definition.entry(object)?.collider.as_deref().cloned(),
        }
    }

    fn attachment(&self, index: usize) -> Option<Vec<[Member; 2]>> {
        let old = origin(self.origins, Source::new(ObjectKind::Attach, index))?;
        let pairs = self.layout.attachments.get(old.index)?;
        Some(pairs.iter().filter_map(|&[a, b]| Some([self.renamed(a)?, self.renamed(b)?])).collect())
    }
}

/// Carries everything over that objects of both models have.
pub(crate) fn carry(past: &Past<'_>, model: &mut Model, state: &mut State, layout: &Layout) {
    let kept: Vec<(Placed, Placed)> = layout.placed.iter().filter_map(|new| past.kept(new)).collect();
    let (old, n) = (past.state, state.particles);
    let runs = |of: fn(&Placed) -> Range<usize>, from: usize, to: usize| {
        let run = |(a, b): &(Placed, Placed)| (of(a).start + from..of(a).end + from, of(b).start + to);
        kept.iter().map(run).collect::<Vec<_>>()
    };
    let particles = RowMap::new(runs(Placed::particles, 0, 0));
    let mut rows = runs(Placed::particles, 0, 0);
    rows.extend(runs(Placed::orientations, old.particles, n));
    let rows = RowMap::new(rows);

    rows.copy(&old.rows[..old.velocities.len()], &mut state.rows);
    rows.copy(&old.previous, &mut state.previous);
    rows.copy(&old.older, &mut state.older);
    rows.copy(&old.velocities, &mut state.velocities);
    rows.copy(&old.older_velocities, &mut state.older_velocities);
    particles.copy(&old.radii, &mut state.radii);
    particles.copy(&old.pressures, &mut state.pressures);
    particles.copy(&old.carried, &mut state.carried);
    // New objects have no history: their first substep is of first order.
    state.first_order.fill(true);
    particles.copy(&old.first_order, &mut state.first_order);
    carry_phases(&kept, past, state);
    let solid = state.velocities.len();
    for (copy, &owner) in model.phantoms.owners.iter().enumerate() {
        state.rows[solid + copy] = state.rows[owner as usize];
    }

    for (a, b) in &kept {
        let same = |from: Range<usize>, to: Range<usize>| from.zip(to);
        for (from, to) in same(a.from.emitters..a.to.emitters, b.from.emitters..b.to.emitters) {
            state.emitted[to] = old.emitted[from];
            let moved = |&particle: &u32| particles.get(particle as usize).map(|p| p as u32);
            state.returned[to] = old.returned[from].iter().filter_map(moved).collect();
        }
        for (from, to) in same(a.from.inflatables..a.to.inflatables, b.from.inflatables..b.to.inflatables) {
            state.inflate_multipliers[to] = old.inflate_multipliers[from];
            model.inflatables[to].pressure = past.model.inflatables[from].pressure;
        }
        for (from, to) in same(a.from.pins..a.to.pins, b.from.pins..b.to.pins) {
            model.pins[to].motion = past.model.pins[from].motion.clone();
        }
        for (from, to) in same(a.from.melts..a.to.melts, b.from.melts..b.to.melts) {
            state.melted[to] = old.melted[from];
        }
        for (from, to) in same(a.from.freezes..a.to.freezes, b.from.freezes..b.to.freezes) {
            state.frozen[to] = old.frozen[from].clone();
        }
    }
    if let (Some(new), Some(old)) = (&mut state.shapes, &old.shapes) {
        let mut origins = vec![None; new.len()];
        for (a, b) in &kept {
            b.bodies().zip(a.bodies()).for_each(|(to, from)| origins[to] = Some(from));
        }
        new.carry(old, &origins, &particles);
    }
    let mut origins = vec![None; state.rigid_bodies.bodies.len()];
    for (a, b) in &kept {
        b.rigid_bodies().zip(a.rigid_bodies()).for_each(|(to, from)| origins[to] = Some(from));
    }
    let collider = |old: u32| {
        let mut all = past.origins[ObjectKind::Collider as usize].iter();
        all.position(|o| *o == Some(old as usize)).map(|k| k as u32)
    };
    // New joints hold their bodies where these are now.
    let bodies = origins.iter().zip(&state.rigid_bodies.bodies);
    let now: Vec<_> = bodies.map(|(o, new)| o.map_or(*new, |o| old.rigid_bodies.bodies[o])).collect();
    let fresh = model.rigid_bodies.joints.iter().map(|joint| joint.state(&now)).collect();
    state.rigid_bodies.joints = fresh;
    let joint = |k: usize| origin(past.origins, Source::new(ObjectKind::Joint, k)).map(|o| o.index);
    let joints: Vec<Option<usize>> = (0..model.rigid_bodies.joints.len()).map(joint).collect();
    state.rigid_bodies.carry(&old.rigid_bodies, (&origins, &joints), collider);
    wake_joined(past, (&origins, &joints), model, state);
    carry_anchors(past, model, state);
    carry_grips(past, &particles, &origins, model);
    let before = &past.model.settings;
    // The first grains of a world may change its default number of substeps.
    let same_steps = (before.dt, before.substeps) == (model.settings.dt, model.settings.substeps);
    model.settings.clock = if same_steps { before.clock } else { Clock { substeps: old.substeps, time: old.time } };
    particles.copy(&past.model.rest, &mut model.rest);
    carry_contacts(past, &particles, model, state);
    state.drained = old.drained;
    (state.substeps, state.time) = (old.substeps, old.time);
    state.forget_bodies();
}

/// Where the parts of a state were on the device.
#[cfg(feature = "gpu")]
pub(crate) fn device_carry(past: &Past<'_>, model: &Model, state: &State, layout: &Layout) -> DeviceCarry {
    let before = RowCounts::of(past.state);
    let number = |found: Option<usize>| found.map_or(NONE, |k| k as u32);
    let mut rows = vec![NONE; state.rows.len()];
    let mut bodies = vec![NONE; state.shapes.as_ref().map_or(0, |shapes| shapes.len())];
    let mut inflatables = vec![NONE; state.inflate_multipliers.len()];
    for new in &layout.placed {
        let Some((old, _)) = past.kept(new) else { continue };
        let put = |to: &mut [u32], from: Range<usize>| to.iter_mut().zip(from).for_each(|(to, k)| *to = k as u32);
        put(&mut rows[new.particles()], old.particles());
        let turned = new.orientations().start + state.particles..new.orientations().end + state.particles;
        put(&mut rows[turned], old.orientations().start + past.state.particles..usize::MAX);
        put(&mut bodies[new.bodies()], old.bodies());
        put(&mut inflatables[new.from.inflatables..new.to.inflatables], old.from.inflatables..old.to.inflatables);
    }
    let solid = state.velocities.len();
    for (copy, &owner) in model.phantoms.owners.iter().enumerate() {
        rows[solid + copy] = rows[owner as usize];
    }
    let collider =
        |new: usize| number(origin(past.origins, Source::new(ObjectKind::Collider, new)).map(|old| old.index));
    DeviceCarry { rows, bodies, inflatables, colliders: (0..model.colliders.len()).map(collider).collect(), before }
}

/// Phases are numbers of objects, except where a caller or a transition has changed them.
fn carry_phases(kept: &[(Placed, Placed)], past: &Past<'_>, state: &mut State) {
    for (a, b) in kept {
        let shift = b.from.objects as i64 - a.from.objects as i64;
        let own = a.from.objects as i64 + 1..a.to.objects as i64 + 1;
        for (from, to) in a.particles().zip(b.particles()) {
            let phase = past.state.phases[from];
            let numbered = phase != INACTIVE && own.contains(&i64::from(phase));
            state.phases[to] = if numbered { (i64::from(phase) + shift) as u32 } else { phase };
        }
    }
}

/// Wakes the bodies of joints that have come or gone.
fn wake_joined(
    past: &Past<'_>,
    (origins, joints): (&[Option<usize>], &[Option<usize>]),
    model: &Model,
    state: &mut State,
) {
    let rest = &mut state.rigid_bodies.rest;
    if rest.is_empty() {
        return;
    }
    let new = model.rigid_bodies.joints.iter().zip(joints).filter(|(_, origin)| origin.is_none());
    for body in new.flat_map(|(joint, _)| joint.bodies).filter(|&body| body != WORLD) {
        rest[body as usize] = 0.0;
    }
    let mut stays = vec![false; past.model.rigid_bodies.joints.len()];
    joints.iter().flatten().for_each(|&origin| stays[origin] = true);
    let gone = past.model.rigid_bodies.joints.iter().zip(&stays).filter(|(_, stays)| !**stays);
    for body in gone.flat_map(|(joint, _)| joint.bodies) {
        if let Some(now) = origins.iter().position(|origin| *origin == Some(body as usize)) {
            rest[now] = 0.0;
        }
    }
}

/// Attached particles stay where they are on their bodies. Those of an attachment are one after the other.
fn carry_anchors(past: &Past<'_>, model: &Model, state: &mut State) {
    let (old_model, old) = (&past.model.rigid_bodies, &past.state.rigid_bodies);
    let start = |attachment: usize| old_model.anchors.partition_point(|a| (a.attachment as usize) < attachment);
    let mut before = None;
    for (anchor, own) in model.rigid_bodies.anchors.iter().zip(&mut state.rigid_bodies.anchors) {
        let source = Source::new(ObjectKind::Attach, anchor.attachment as usize);
        let Some(attachment) = origin(past.origins, source).map(|o| o.index) else { continue };
        let place = match before {
            Some((last, place)) if last == anchor.attachment => place + 1,
            _ => start(attachment),
        };
        if old_model.anchors.get(place).is_some_and(|a| a.attachment as usize == attachment) {
            *own = old.anchors[place];
        }
        before = Some((anchor.attachment, place));
    }
}

/// Grips on objects that are there no more keep their place, but hold nothing.
fn carry_grips(past: &Past<'_>, particles: &RowMap, bodies: &[Option<usize>], model: &mut Model) {
    let carried = |grip: &Grip| {
        if let Some((old, local)) = grip.body {
            let new = bodies.iter().position(|origin| *origin == Some(old as usize));
            return new.map_or_else(Grip::released, |new| Grip { body: Some((new as u32, local)), ..grip.clone() });
        }
        let renamed = |i: u32| particles.get(i as usize).map(|i| i as u32);
        let cluster: Option<Vec<u32>> = grip.cluster.iter().map(|&i| renamed(i)).collect();
        let [a, b, c] = grip.anchor.map(|(i, w)| renamed(i).map(|i| (i, w)));
        let anchor = [a, b, c].into_iter().collect::<Option<Vec<_>>>().and_then(|all| all.try_into().ok());
        match (cluster, anchor) {
            (Some(cluster), Some(anchor)) => Grip { cluster, anchor, ..grip.clone() },
            _ => Grip::released(),
        }
    };
    model.grips = past.model.grips.iter().map(carried).collect();
}

/// Contacts of rigid bodies are warm-started.
fn carry_contacts(past: &Past<'_>, particles: &RowMap, model: &Model, state: &mut State) {
    let mut colliders = vec![None; past.model.colliders.len()];
    for new in 0..model.colliders.len() {
        if let Some(old) = origin(past.origins, Source::new(ObjectKind::Collider, new)) {
            colliders[old.index] = Some(new as u32);
        }
    }
    let renamed = |c: &Contact| {
        let particle = particles.get(c.particle as usize)? as u32;
        Some(Contact { particle, collider: (*colliders.get(c.collider as usize)?)?, ..*c })
    };
    let mut contacts: Vec<Contact> = past.state.contacts.iter().flatten().filter_map(renamed).collect();
    contacts.sort_by_key(|c| (c.particle, c.collider));
    state.set_contacts(&model.runs, &contacts);
}
