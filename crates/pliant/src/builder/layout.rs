//! Ranges of the objects of a scene in model and state.

use crate::builder::part::Part;
use crate::contact::collider::Collider;
use crate::environments::{ColliderSlot, Environments};
use crate::math::RowData;
use crate::rigid_body::bodies::BodyState;
use crate::scene::ObjectKind;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// An object of a scene: its kind, and its index in the scene's list of that kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct Source {
    /// Kind of object.
    pub kind: ObjectKind,
    /// Index among the objects of that kind.
    pub index: usize,
}

impl Source {
    /// Object `index` of a kind.
    pub fn new(kind: ObjectKind, index: usize) -> Self {
        Self { kind, index }
    }
}

/// Lengths of the lists that objects are appended to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListLengths {
    /// Particles.
    pub particles: usize,
    /// Orientations.
    pub orientations: usize,
    /// Objects of the topology: copies of the scene's objects.
    pub objects: usize,
    /// Shape-matched bodies.
    pub bodies: usize,
    /// Rigid bodies with exact shapes.
    pub rigid_bodies: usize,
    /// Emitters.
    pub emitters: usize,
    /// Closed surfaces with pressure.
    pub inflatables: usize,
    /// Pins.
    pub pins: usize,
    /// Melting bodies.
    pub melts: usize,
    /// Freezing liquids.
    pub freezes: usize,
}

/// The parts of the lists that an object has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The object.
    pub source: Source,
    /// Where its parts begin.
    pub from: ListLengths,
    /// Where they end.
    pub to: ListLengths,
}

impl Placed {
    /// Whether the object was removed.
    pub fn is_removed(&self) -> bool {
        self.source.index == usize::MAX
    }

    /// Its particles.
    pub fn particles(&self) -> Range<usize> {
        self.from.particles..self.to.particles
    }

    /// Its orientations, counted from 0.
    pub fn orientations(&self) -> Range<usize> {
        self.from.orientations..self.to.orientations
    }

    /// Its objects in the topology.
    pub fn objects(&self) -> Range<usize> {
        self.from.objects..self.to.objects
    }

    /// Its rigid bodies with exact shapes.
    pub fn rigid_bodies(&self) -> Range<usize> {
        self.from.rigid_bodies..self.to.rigid_bodies
    }

    /// Its shape-matched bodies.
    pub fn bodies(&self) -> Range<usize> {
        self.from.bodies..self.to.bodies
    }
}

/// A particle of an object, counted from the object's first.
pub type Member = (Source, u32);

/// Where all objects are.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Objects with particles, in the order of their particles.
    pub placed: Vec<Placed>,
    /// Particles that each attachment joins; of one with a rigid body the particle, and the number of the body in its object.
    pub attachments: Vec<Vec<[Member; 2]>>,
    /// Index in `placed` of each object.
    places: HashMap<Source, usize>,
}

impl Layout {
    /// From objects in the order of their particles.
    pub fn new(placed: Vec<Placed>, attachments: Vec<Vec<[Member; 2]>>) -> Self {
        let places = placed.iter().enumerate().map(|(k, p)| (p.source, k)).collect();
        Self { placed, attachments, places }
    }

    /// Adds an object behind all others.
    pub fn push(&mut self, placed: Placed) {
        self.places.insert(placed.source, self.placed.len());
        self.placed.push(placed);
    }

    /// Forgets an object, whose particles stay as those of none. Returns its index in `placed`.
    pub fn remove(&mut self, source: Source) -> Option<usize> {
        let place = self.places.remove(&source)?;
        self.placed[place].source.index = usize::MAX;
        Some(place)
    }

    /// Forgets an object of rigid bodies, which are gone: those behind them are renumbered.
    pub fn remove_rigid(&mut self, source: Source, bodies: &Range<usize>) {
        if let Some(place) = self.remove(source) {
            let behind = &mut self.placed[place..];
            for (k, placed) in behind.iter_mut().enumerate() {
                placed.from.rigid_bodies -= if k == 0 { 0 } else { bodies.len() };
                placed.to.rigid_bodies -= bodies.len();
            }
        }
    }

    /// Puts an object in the place of a removed one.
    pub fn refill(&mut self, place: usize, source: Source) {
        self.placed[place].source = source;
        self.places.insert(source, place);
    }

    /// Where an object is; none for those without particles.
    pub fn find(&self, source: Source) -> Option<&Placed> {
        self.places.get(&source).map(|&k| &self.placed[k])
    }

    /// The object of a particle, and the particle's number in it.
    pub fn member(&self, particle: u32) -> Option<Member> {
        let after = self.placed.partition_point(|p| p.from.particles <= particle as usize);
        let placed = self.placed[..after].iter().rev().find(|p| p.particles().contains(&(particle as usize)))?;
        Some((placed.source, particle - placed.from.particles as u32))
    }

    /// Number of a rigid body of an object.
    pub fn rigid_body(&self, (source, number): Member) -> Option<u32> {
        let body = self.find(source)?.rigid_bodies().nth(number as usize)?;
        Some(body as u32)
    }

    /// Number of a particle of an object.
    pub fn particle(&self, (source, number): Member) -> Option<u32> {
        let placed = self.find(source).filter(|p| (number as usize) < p.particles().len());
        placed.map(|p| p.from.particles as u32 + number)
    }
}

/// Environments of a batch's scene, whose lists of objects have the copies of each object one after the other: object
/// `index` of a list is copy `index % count`. Colliders are in slots.
#[derive(Clone, Debug)]
pub struct EnvironmentPlan {
    /// Number of environments.
    pub count: u32,
    /// Colliders.
    pub slots: Vec<ColliderSlot>,
}

impl EnvironmentPlan {
    /// Environment of an object with particles.
    pub fn of(&self, object: Source) -> u32 {
        object.index as u32 % self.count
    }

    /// Environments of `particles` particles of objects.
    pub fn environments(&self, placed: &[Placed], particles: usize) -> Environments {
        let mut of = vec![0; particles];
        placed.iter().for_each(|p| of[p.particles()].fill(self.of(p.source)));
        Environments::new(self.count, of, self.slots.clone())
    }

    /// Indices of the colliders of an environment.
    pub fn colliders(&self, environment: u32) -> Vec<usize> {
        let index = |s: &ColliderSlot| s.first as usize + if s.separate { environment as usize } else { 0 };
        self.slots.iter().map(index).collect()
    }
}

/// A change of what a living object emits.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PourChange {
    /// Particles that the object has from before; those to be emitted come after them.
    pub kept: usize,
    /// Time of the change, at which emission begins [s].
    pub start: f64,
    /// Whether nothing more is emitted.
    pub stopped: bool,
}

/// What is known of a scene's objects from the world that they have been in. Objects without a past answer nothing.
pub trait History {
    /// Whether any object has a past.
    fn edited(&self) -> bool {
        false
    }
    /// Environments, if the scene is that of a batch.
    fn environments(&self) -> Option<&EnvironmentPlan> {
        None
    }
    /// Simulated time [s].
    fn time(&self) -> f64 {
        0.0
    }
    /// Time at which an object was added [s]; its motion and its emitter begin then.
    fn start(&self, _object: Source) -> f64 {
        0.0
    }
    /// Change of what it emits, if there was one.
    fn pour(&self, _object: Source) -> Option<PourChange> {
        None
    }
    /// Current rows of its particles.
    fn rows(&self, _object: Source) -> Option<&[RowData]> {
        None
    }
    /// A rigid body of it as it is now.
    fn rigid_body(&self, _object: Source, _copy: usize) -> Option<BodyState> {
        None
    }
    /// The part, if it was built already.
    fn part(&self, _object: Source) -> Option<Arc<Part>> {
        None
    }
    /// The collider, if it was built already.
    fn collider(&self, _index: usize) -> Option<Collider> {
        None
    }
    /// Particles that an attachment joins.
    fn attachment(&self, _index: usize) -> Option<Vec<[Member; 2]>> {
        None
    }
}

/// All objects are new.
pub struct NoHistory;

impl History for NoHistory {}
