//! Events of steps: contacts that begin and end, emission, draining, melting, freezing, sensors, joints that break,
//! sleeping, divergence.
//!
//! Recorded only on request. Contacts are those between objects, of all substeps of a step. Events of a step come in
//! the order of their kinds, then of the handles, on any number of threads.

use crate::builder::layout::{Layout, Source};
use crate::contact::force_scale::ForceScale;
use crate::math::position;
use crate::model::Model;
use crate::rigid_body::bodies::COLLIDER;
use crate::rigid_body::sleep::asleep;
use crate::scene::ObjectKind;
use crate::schedule::stats::ContactPair;
use crate::solver::cpu::rigid_bodies::collider_motions;
use crate::state::State;
use crate::transitions::drain_step::Taken;
use crate::world::World;
use crate::world::definition::{Definition, Handle};
use crate::world::sensors::Scenery;
use crate::world::sleeping::sleeps;
use std::collections::{BTreeMap, BTreeSet};

/// Something that has happened in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// Two objects touch that did not touch in the step before.
    ContactBegan {
        /// The one with the smaller handle.
        first: Handle,
        /// The other.
        second: Handle,
        /// Largest normal impulse of a substep in this step, over all contacts of the two [N·s].
        impulse: f32,
    },
    /// Two objects no longer touch.
    ContactEnded {
        /// The one with the smaller handle.
        first: Handle,
        /// The other.
        second: Handle,
        /// Largest normal impulse of a substep while they touched [N·s].
        impulse: f32,
    },
    /// Particles were emitted.
    Emitted {
        /// The liquid or grains.
        object: Handle,
        /// Number of particles.
        count: usize,
    },
    /// A drain has removed particles of an object.
    Drained {
        /// The drain.
        drain: Handle,
        /// The liquid or grains; the melting of particles that have melted.
        object: Handle,
        /// Number of particles.
        count: u64,
    },
    /// Particles of a body have melted.
    Melted {
        /// The melting.
        object: Handle,
        /// Number of particles.
        count: usize,
    },
    /// Particles of a liquid have frozen.
    Frozen {
        /// The freezing.
        object: Handle,
        /// Number of particles.
        count: usize,
    },
    /// All particles of an object have come to rest, in a world with a sleep speed; or a rigid body has fallen asleep.
    FellAsleep {
        /// The object.
        object: Handle,
    },
    /// An object has come into a sensor.
    SensorEntered {
        /// The sensor.
        sensor: Handle,
        /// The object.
        object: Handle,
    },
    /// An object has left a sensor, or is no more.
    SensorLeft {
        /// The sensor.
        sensor: Handle,
        /// The object.
        object: Handle,
    },
    /// A joint has broken.
    JointBroke {
        /// The joint.
        joint: Handle,
        /// The force that it carried [N].
        force: f32,
        /// The torque that it carried [N·m].
        torque: f32,
    },
    /// An object at rest moves again.
    Woke {
        /// The object.
        object: Handle,
    },
    /// The step has failed: a particle of this object diverged, if it is known.
    Diverged {
        /// The object.
        object: Option<Handle>,
    },
}

/// Events since they were last taken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Events {
    /// Time at the end of the step [s], and the event.
    pub all: Vec<(f64, Event)>,
    /// Number of further events for which there was no room.
    pub dropped: u64,
}

/// Records events.
#[derive(Debug, Default)]
pub(crate) struct EventRecorder {
    capacity: usize,
    events: Events,
    /// Pairs that touched in the last step, with the largest impulse so far [N·s].
    touching: BTreeMap<(Handle, Handle), f32>,
    /// Pairs of the step that runs.
    found: BTreeMap<(Handle, Handle), f32>,
    asleep: BTreeMap<Handle, bool>,
    /// Sensors, and what is in them.
    sensed: BTreeSet<(Handle, Handle)>,
}

/// Counts before a step.
pub(crate) struct Before {
    emitted: Vec<usize>,
    melted: Vec<usize>,
    frozen: Vec<usize>,
    broken: Vec<bool>,
}

impl Before {
    pub fn of(state: &State) -> Self {
        Self {
            emitted: state.emitted.clone(),
            melted: state.melted.clone(),
            frozen: state.frozen.iter().map(|f| f.count).collect(),
            broken: state.rigid_bodies.joints.iter().map(|joint| joint.broken).collect(),
        }
    }
}

/// The objects of particles and colliders.
#[derive(Clone, Copy)]
pub(crate) struct Owners<'a> {
    pub definition: &'a Definition,
    pub layout: &'a Layout,
}

impl Owners<'_> {
    pub fn particle(&self, i: u32) -> Option<Handle> {
        self.definition.handle_of(self.layout.member(i)?.0)
    }

    /// Of a collider, or of the rigid body whose piece it is.
    pub fn collider(&self, model: &Model, index: u32) -> Option<Handle> {
        match model.body_colliders.get((index as usize).wrapping_sub(model.colliders.len())) {
            Some(piece) => self.body(piece.body),
            None => self.definition.handle_of(Source::new(ObjectKind::Collider, index as usize)),
        }
    }

    pub fn body(&self, body: u32) -> Option<Handle> {
        let after = self.layout.placed.partition_point(|p| p.to.rigid_bodies <= body as usize);
        self.definition.handle_of(self.layout.placed.get(after)?.source)
    }
}

impl EventRecorder {
    pub fn new(capacity: usize) -> Self {
        Self { capacity, ..Self::default() }
    }

    fn push(&mut self, time: f64, event: Event) {
        if self.events.all.len() < self.capacity {
            self.events.all.push((time, event));
        } else {
            self.events.dropped += 1;
        }
    }

    pub fn take(&mut self) -> Events {
        std::mem::take(&mut self.events)
    }

    /// Collects the contacts of a substep.
    pub fn substep(
        &mut self,
        owners: Owners<'_>,
        model: &Model,
        state: &State,
        pairs: impl Iterator<Item = ContactPair>,
    ) {
        let h = model.settings.substep();
        let mut sums: BTreeMap<(Handle, Handle), f32> = BTreeMap::new();
        let mut add = |a: Option<Handle>, b: Option<Handle>, impulse: f32| {
            if let (Some(a), Some(b)) = (a, b)
                && a != b
            {
                *sums.entry((a.min(b), a.max(b))).or_default() += impulse;
            }
        };
        let scale = ForceScale::new(&model.contact(), state);
        for c in state.contacts.iter().flatten().filter(|c| c.push.normal > 0.0) {
            let weight = state.rows[c.particle as usize][3];
            let impulse = c.push.normal / (weight * h) * scale.of(c.particle as usize);
            let impulse = if weight > 0.0 { impulse } else { 0.0 };
            add(owners.particle(c.particle), owners.collider(model, c.collider), impulse);
        }
        for c in &state.rigid_bodies.contacts {
            let force: f64 = c.mean[..c.count as usize].iter().sum();
            let first = match c.key.a.checked_sub(COLLIDER) {
                Some(collider) => owners.collider(model, collider),
                None => owners.body(c.key.a),
            };
            add(first, owners.body(c.key.b), force as f32 * h);
        }
        let objects = &model.topology.objects;
        for pair in pairs.filter(|p| objects[p.a as usize] != objects[p.b as usize]) {
            add(owners.particle(pair.a), owners.particle(pair.b), pair.force.abs() * h);
        }
        for (pair, impulse) in sums {
            let most = self.found.entry(pair).or_default();
            *most = most.max(impulse);
        }
    }

    /// Ends a step.
    pub fn step(&mut self, owners: Owners<'_>, model: &Model, state: &State, before: &Before, taken: &[Taken]) {
        let time = state.time;
        let found = std::mem::take(&mut self.found);
        let old = std::mem::take(&mut self.touching);
        for (&(first, second), &impulse) in found.iter().filter(|(pair, _)| !old.contains_key(pair)) {
            self.push(time, Event::ContactBegan { first, second, impulse });
        }
        for (&(first, second), &impulse) in old.iter().filter(|(pair, _)| !found.contains_key(pair)) {
            self.push(time, Event::ContactEnded { first, second, impulse });
        }
        self.touching =
            found.into_iter().map(|(pair, now)| (pair, now.max(old.get(&pair).copied().unwrap_or(0.0)))).collect();
        for placed in &owners.layout.placed {
            let Some(object) = owners.definition.handle_of(placed.source) else { continue };
            let more = |now: &dyn Fn(usize) -> usize, then: &[usize], range: std::ops::Range<usize>| -> usize {
                range.map(|k| now(k).saturating_sub(then.get(k).copied().unwrap_or(0))).sum()
            };
            let emitted = more(&|k| state.emitted[k], &before.emitted, placed.from.emitters..placed.to.emitters);
            let melted = more(&|k| state.melted[k], &before.melted, placed.from.melts..placed.to.melts);
            let frozen = more(&|k| state.frozen[k].count, &before.frozen, placed.from.freezes..placed.to.freezes);
            if emitted > 0 {
                self.push(time, Event::Emitted { object, count: emitted });
            }
            if melted > 0 {
                self.push(time, Event::Melted { object, count: melted });
            }
            if frozen > 0 {
                self.push(time, Event::Frozen { object, count: frozen });
            }
        }
        let mut drained: BTreeMap<(Handle, Handle), u64> = BTreeMap::new();
        for taken in taken {
            let drain = owners.definition.handle_of(Source::new(ObjectKind::Drain, taken.drain as usize));
            if let (Some(drain), Some(object)) = (drain, owners.particle(taken.particle)) {
                *drained.entry((drain, object)).or_default() += 1;
            }
        }
        for ((drain, object), count) in drained {
            self.push(time, Event::Drained { drain, object, count });
        }
        self.sense(Scenery { definition: owners.definition, layout: owners.layout, model, state });
        for (k, own) in state.rigid_bodies.joints.iter().enumerate().filter(|(_, own)| own.broken) {
            let joint = owners.definition.handle_of(Source::new(ObjectKind::Joint, k));
            if let (Some(joint), Some(false)) = (joint, before.broken.get(k)) {
                let [force, torque] = own.force.map(|f| f.length() as f32);
                self.push(time, Event::JointBroke { joint, force, torque });
            }
        }
        // After objects have changed everything is awake.
        let known = !model.rigid_bodies.bodies.is_empty() || !self.asleep.is_empty();
        if model.settings.sleep_speed > 0.0 || known || model.sleep_groups.is_some() {
            self.sleep(owners, model, state);
        }
    }

    fn sense(&mut self, scenery: Scenery<'_>) {
        let all = scenery.all().into_iter();
        let now: BTreeSet<_> = all.flat_map(|(s, objects)| objects.into_iter().map(move |o| (s, o))).collect();
        let old = std::mem::replace(&mut self.sensed, now.clone());
        for &(sensor, object) in now.difference(&old) {
            self.push(scenery.state.time, Event::SensorEntered { sensor, object });
        }
        for &(sensor, object) in old.difference(&now) {
            self.push(scenery.state.time, Event::SensorLeft { sensor, object });
        }
    }

    fn sleep(&mut self, owners: Owners<'_>, model: &Model, state: &State) {
        let mut now = BTreeMap::new();
        let around = (model.settings.gravity.as_dvec3(), &collider_motions(model, state.time)[..]);
        let bodies = asleep(&model.rigid_bodies, &state.rigid_bodies, around);
        for placed in &owners.layout.placed {
            let Some(object) = owners.definition.handle_of(placed.source) else { continue };
            if !placed.rigid_bodies().is_empty() {
                now.insert(object, placed.rigid_bodies().all(|k| bodies[k]));
                continue;
            }
            let put = sleeps(placed, model.sleep_groups.as_ref(), &state.asleep);
            if model.settings.sleep_speed == 0.0 {
                if model.sleep_groups.is_some() {
                    now.insert(object, put);
                }
                continue;
            }
            let mut free = placed.particles().filter(|&i| state.rows[i][3] > 0.0).peekable();
            let rests = free.peek().is_some() && free.all(|i| position(state.velocities[i]) == glam::Vec3::ZERO);
            now.insert(object, rests || put);
        }
        for (&object, &rests) in &now {
            match (self.asleep.get(&object).copied().unwrap_or(false), rests) {
                (false, true) => self.push(state.time, Event::FellAsleep { object }),
                (true, false) => self.push(state.time, Event::Woke { object }),
                _ => {}
            }
        }
        self.asleep = now;
    }

    pub fn diverged(&mut self, time: f64, object: Option<Handle>) {
        self.push(time, Event::Diverged { object });
    }
}

impl World {
    /// Records at most this many events until they are taken by [`Self::events`]; 0 stops recording. Costs a pass over all
    /// contacts in every substep; on a GPU every step is waited for and read back.
    pub fn record_events(&mut self, capacity: usize) {
        self.recorder = (capacity > 0).then(|| EventRecorder::new(capacity));
    }

    /// Takes the events since the last call, in order of time.
    pub fn events(&mut self) -> Events {
        self.recorder.as_mut().map(EventRecorder::take).unwrap_or_default()
    }
}
