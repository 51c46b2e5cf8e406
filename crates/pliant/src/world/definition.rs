//! What a world consists of: its scene, and the handles of its objects.
//!
//! The model is built from here, so that this, the state and the parameters are all there is to a world. Objects that are
//! removed leave a gap in the list of their kind until the model is built again.

use crate::builder::layout::{PourChange, Source};
use crate::builder::part::Part;
use crate::bytes::{FNV, hash_bytes, hash_word};
use crate::constraints::{ConstraintKind, Softness};
use crate::contact::collider::Collider;
use crate::scene::{MOST_PARTICLES, Object, ObjectKind, Scene};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// An object of a [`crate::World`]. It stays valid until the object is removed, and never refers to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle {
    world: u32,
    slot: u32,
    generation: u64,
}

/// A generation that no handle has had. They are not part of snapshots: a handle that was made after the moment to which a
/// world returns must not fit what is added later.
pub(crate) fn next_generation() -> u64 {
    GENERATIONS.fetch_add(1, Ordering::Relaxed)
}

static GENERATIONS: AtomicU64 = AtomicU64::new(1);

/// An object as the definition knows it.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// Kind and index in the scene.
    pub source: Source,
    /// Name; empty for kinds without names.
    pub name: String,
    /// Time at which it was added [s].
    pub added: f64,
    /// Whether the model has it.
    pub built: bool,
    /// Particles and constraints, of objects that were added one by one.
    pub part: Option<Arc<Part>>,
    /// The collider, of those added one by one and not built yet.
    pub collider: Option<Arc<Collider>>,
    /// Change of what it emits, if there was one.
    pub pour: Option<PourChange>,
}

#[derive(Clone, Debug, Default)]
struct Slot {
    generation: u64,
    entry: Option<Entry>,
}

/// A change of softness by the caller, which a new model must repeat.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SoftnessChange {
    /// Slot of the object.
    slot: u32,
    /// Index of the copy.
    pub copy: usize,
    pub kind: ConstraintKind,
    pub softness: Softness,
}

/// A slot in an archive: generation, and the object, its name aside.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct SavedSlot {
    generation: u64,
    /// Kind, index, and time at which it was added [s].
    object: Option<(ObjectKind, usize, f64)>,
    pour: Option<PourChange>,
}

/// Slot of a removed object.
const GONE: u32 = u32::MAX;

/// Scene and handles.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    /// Objects and settings; also those removed since the model was built.
    pub scene: Scene,
    world: u32,
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// Slot of each object, by kind and index.
    lists: [Vec<u32>; ObjectKind::ALL.len()],
    names: HashMap<String, u32>,
    pub softness: Vec<SoftnessChange>,
    /// Stands for all changes of materials and emitters so far, with which the model was built; 0 for none.
    pub materials: u64,
    /// Whether objects were added or removed since the model was built.
    pub changed: bool,
    /// Whether objects were removed that the model still has.
    removed: bool,
    /// Objects that were added since the model was built, also those removed again.
    unbuilt: Vec<Handle>,
}

/// For each kind the index in the model that each object had before, if it was there.
pub(crate) type Origins = [Vec<Option<usize>>; ObjectKind::ALL.len()];

fn number(kind: ObjectKind) -> usize {
    kind as usize
}

impl Definition {
    /// Of a scene that the model is built from. Objects without a name get one.
    pub fn new(scene: &Scene) -> Self {
        static WORLDS: AtomicU32 = AtomicU32::new(1);
        let mut this = Self {
            scene: scene.clone(),
            world: WORLDS.fetch_add(1, Ordering::Relaxed),
            slots: Vec::new(),
            free: Vec::new(),
            lists: Default::default(),
            names: HashMap::new(),
            softness: Vec::new(),
            materials: 0,
            changed: false,
            removed: false,
            unbuilt: Vec::new(),
        };
        for kind in ObjectKind::ALL {
            for index in 0..this.scene.count(kind) {
                let name = this.scene.name_mut(kind, index).map(|name| {
                    if name.is_empty() {
                        *name = format!("{} {index}", kind.name());
                    }
                    name.clone()
                });
                this.insert(Source::new(kind, index), name.unwrap_or_default(), 0.0, true);
            }
        }
        this
    }

    fn insert(&mut self, source: Source, name: String, added: f64, built: bool) -> Handle {
        let slot = self.free.pop().unwrap_or(self.slots.len() as u32);
        if slot as usize == self.slots.len() {
            self.slots.push(Slot::default());
        }
        if !name.is_empty() {
            self.names.insert(name.clone(), slot);
        }
        self.lists[number(source.kind)].push(slot);
        let entry = Entry { source, name, added, built, part: None, collider: None, pour: None };
        self.slots[slot as usize] = Slot { generation: next_generation(), entry: Some(entry) };
        let handle = self.handle(slot);
        if !built {
            self.unbuilt.push(handle);
        }
        handle
    }

    fn handle(&self, slot: u32) -> Handle {
        Handle { world: self.world, slot, generation: self.slots[slot as usize].generation }
    }

    /// Adds an object, at a time [s]. It must have a name that is free, or none: then it gets one.
    pub fn add(&mut self, mut object: Object, name: Option<String>, added: f64) -> Handle {
        let kind = object.kind();
        let name = name.unwrap_or_default();
        object.set_name(&name);
        let index = self.scene.push(object);
        self.changed = true;
        self.insert(Source::new(kind, index), name, added, false)
    }

    /// A name for an object without one; `None` for kinds without names.
    pub fn free_name(&self, kind: ObjectKind) -> Option<String> {
        let first = self.lists[number(kind)].len();
        let free = |k: usize| {
            let name = format!("{} {k}", kind.name());
            (!self.names.contains_key(&name)).then_some(name)
        };
        kind.is_named().then(|| (first..).find_map(free)).flatten()
    }

    /// The object of a handle; `None` if it was removed or is of another world.
    pub fn get(&self, handle: Handle) -> Option<&Entry> {
        let slot = self.slots.get(handle.slot as usize).filter(|_| handle.world == self.world)?;
        slot.entry.as_ref().filter(|_| slot.generation == handle.generation)
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, handle: Handle) -> Option<&mut Entry> {
        self.get(handle)?;
        self.slots[handle.slot as usize].entry.as_mut()
    }

    /// The object of an index in the scene.
    pub fn entry(&self, source: Source) -> Option<&Entry> {
        let slot = *self.lists[number(source.kind)].get(source.index)?;
        self.slots.get(slot as usize)?.entry.as_ref()
    }

    /// The handle of an index in the scene.
    pub fn handle_of(&self, source: Source) -> Option<Handle> {
        let slot = *self.lists[number(source.kind)].get(source.index)?;
        (slot != GONE).then(|| self.handle(slot))
    }

    /// The object of a name.
    pub fn find(&self, name: &str) -> Option<Handle> {
        self.names.get(name).map(|&slot| self.handle(slot))
    }

    /// Handles of all objects, in the order of their kinds.
    pub fn handles(&self) -> impl Iterator<Item = Handle> + '_ {
        self.lists.iter().flatten().filter(|&&slot| slot != GONE).map(|&slot| self.handle(slot))
    }

    /// Removes an object. The handle must be valid.
    pub fn remove(&mut self, handle: Handle) {
        let slot = &mut self.slots[handle.slot as usize];
        let Some(entry) = slot.entry.take() else { return };
        self.free.push(handle.slot);
        self.lists[number(entry.source.kind)][entry.source.index] = GONE;
        self.names.remove(&entry.name);
        self.softness.retain(|change| change.slot != handle.slot);
        (self.changed, self.removed) = (true, true);
    }

    /// Objects that cannot be without an object: attachments, melting, freezing, drains that name it, and a liquid that
    /// nothing flows or melts into any more.
    pub fn dependents(&self, handle: Handle) -> Vec<Handle> {
        let Some(entry) = self.get(handle) else { return Vec::new() };
        let (name, scene) = (&entry.name, &self.scene);
        let mut found = Vec::new();
        let mut add = |kind: ObjectKind, index: usize| found.extend(self.handle_of(Source::new(kind, index)));
        if entry.source.kind == ObjectKind::Melt {
            let into = &scene.melt[entry.source.index].liquid;
            let live = |i: usize| self.entry(Source::new(ObjectKind::Melt, i)).is_some();
            let others = (0..scene.melt.len()).filter(|&i| i != entry.source.index && live(i));
            let mut others = others.filter(|&i| scene.melt[i].liquid == *into);
            let unused = |l: &crate::scene::Liquid| l.name == *into && !l.has_source();
            if others.next().is_none() {
                (0..scene.liquid.len()).filter(|&i| unused(&scene.liquid[i])).for_each(|i| add(ObjectKind::Liquid, i));
            }
        }
        if !name.is_empty() {
            for (i, a) in scene.attach.iter().enumerate() {
                if a.from.object == *name || a.to.object == *name {
                    add(ObjectKind::Attach, i);
                }
            }
            let names = |own: &str| own == name || own.strip_prefix(name.as_str()).is_some_and(|k| k.starts_with('['));
            for (i, j) in scene.joint.iter().enumerate() {
                if names(&j.body) || j.to.as_deref().is_some_and(names) {
                    add(ObjectKind::Joint, i);
                }
            }
            for (i, m) in scene.melt.iter().enumerate() {
                if m.body == *name || m.liquid == *name {
                    add(ObjectKind::Melt, i);
                }
            }
            for (i, f) in scene.freeze.iter().enumerate() {
                if f.liquid == *name {
                    add(ObjectKind::Freeze, i);
                }
            }
            for (i, d) in scene.drain.iter().enumerate() {
                if d.object.as_ref() == Some(name) {
                    add(ObjectKind::Drain, i);
                }
            }
        }
        found.retain(|&other| other != handle);
        found
    }

    /// Without gaps, and where each object was in the model.
    pub fn compacted(&self) -> (Self, Origins) {
        let (mut next, mut origins) = (self.clone(), Origins::default());
        for kind in ObjectKind::ALL {
            let list = &self.lists[number(kind)];
            next.scene.retain(kind, |index| list[index] != GONE);
            let kept = list.iter().enumerate().filter(|(_, slot)| **slot != GONE);
            for (new, (old, &slot)) in kept.clone().enumerate() {
                let Some(entry) = &mut next.slots[slot as usize].entry else { continue };
                entry.source.index = new;
                origins[number(kind)].push(entry.built.then_some(old));
                entry.built = true;
            }
            next.lists[number(kind)] = kept.map(|(_, &slot)| slot).collect();
        }
        (next.changed, next.removed) = (false, false);
        next.unbuilt.clear();
        (next, origins)
    }

    /// Removes all objects that the model does not have.
    pub fn drop_unbuilt(&mut self) {
        self.unbuilt().into_iter().for_each(|handle| self.remove(handle));
    }

    /// Whether two are of the same world.
    pub fn is_of(&self, other: &Self) -> bool {
        self.world == other.world
    }

    /// Its slots, to be archived. There must be no gaps.
    pub fn saved_slots(&self) -> Vec<SavedSlot> {
        let object = |slot: &Slot| slot.entry.as_ref().map(|e| (e.source.kind, e.source.index, e.added));
        let pour = |slot: &Slot| slot.entry.as_ref().and_then(|e| e.pour);
        let saved = |slot: &Slot| SavedSlot { generation: slot.generation, object: object(slot), pour: pour(slot) };
        self.slots.iter().map(saved).collect()
    }

    /// Its changes of softness, to be archived.
    pub fn saved_softness(&self) -> Vec<(u32, usize, ConstraintKind, f32)> {
        self.softness.iter().map(|c| (c.slot, c.copy, c.kind, c.softness.encoded())).collect()
    }

    /// From an archive, for the same world; `None` if slots and scene do not fit together.
    pub fn restored(&self, mut scene: Scene, saved: Vec<SavedSlot>) -> Option<Self> {
        let mut this = Self::new(&Scene::default());
        this.world = self.world;
        let total: usize = ObjectKind::ALL.iter().map(|&kind| scene.count(kind)).sum();
        for kind in ObjectKind::ALL {
            this.lists[number(kind)] = vec![GONE; scene.count(kind)];
        }
        let mut found = 0;
        for (slot, saved) in saved.into_iter().enumerate() {
            let mut entry = None;
            if let Some((kind, index, added)) = saved.object {
                let place = this.lists[number(kind)].get_mut(index).filter(|s| **s == GONE && added.is_finite())?;
                *place = slot as u32;
                found += 1;
                let name = scene.name_mut(kind, index).cloned().unwrap_or_default();
                if kind.is_named() && (name.is_empty() || this.names.insert(name.clone(), slot as u32).is_some()) {
                    return None;
                }
                let source = Source::new(kind, index);
                let pour = saved.pour;
                if pour.is_some_and(|p| !fits(&p, scene.pour(kind, index).is_some())) {
                    return None;
                }
                entry = Some(Entry { source, name, added, built: true, part: None, collider: None, pour });
            } else {
                this.free.push(slot as u32);
            }
            GENERATIONS.fetch_max(saved.generation.saturating_add(1), Ordering::Relaxed);
            this.slots.push(Slot { generation: saved.generation, entry });
        }
        this.scene = scene;
        (found == total).then_some(this)
    }

    /// A change of softness from an archive; one of an object that is not there is left out.
    pub fn restore_softness(&mut self, slot: u32, copy: usize, kind: ConstraintKind, softness: Softness) {
        if self.slots.get(slot as usize).is_some_and(|s| s.entry.is_some()) {
            self.softness.push(SoftnessChange { slot, copy, kind, softness });
        }
    }

    /// Whether objects were removed that the model still has.
    pub fn has_removed(&self) -> bool {
        self.removed
    }

    /// Removes an object whose particles the model has deactivated.
    pub fn remove_deactivated(&mut self, handle: Handle) {
        let before = (self.changed, self.removed);
        self.remove(handle);
        (self.changed, self.removed) = before;
    }

    /// Objects that the model does not have, in the order in which they were added.
    pub fn unbuilt(&self) -> Vec<Handle> {
        self.unbuilt.iter().copied().filter(|&handle| self.get(handle).is_some()).collect()
    }

    /// Remembers that the model has all objects.
    pub fn mark_built(&mut self) {
        for handle in std::mem::take(&mut self.unbuilt) {
            if let Some(entry) = self.get_mut(handle) {
                entry.built = true;
            }
        }
        self.changed = false;
    }

    /// An object of the scene was changed, or what it emits: the model is no longer that of objects with the same names
    /// and numbers of particles.
    pub fn note_change(&mut self) {
        let text = serde_json::to_vec(&(&self.scene, self.saved_slots())).unwrap_or_default();
        self.materials = hash_word(hash_word(FNV, self.materials), hash_bytes(&text));
    }

    /// Forgets changes of softness of some kinds of constraints of an object.
    pub fn forget_softness(&mut self, source: Source, kinds: &[ConstraintKind]) {
        let Some(&slot) = self.lists[number(source.kind)].get(source.index) else { return };
        self.softness.retain(|change| change.slot != slot || !kinds.contains(&change.kind));
    }

    /// Remembers a change of softness of a copy of an object.
    pub fn change_softness(&mut self, source: Source, copy: usize, kind: ConstraintKind, softness: Softness) {
        let Some(&slot) = self.lists[number(source.kind)].get(source.index) else { return };
        self.softness.retain(|c| (c.slot, c.copy, c.kind) != (slot, copy, kind));
        self.softness.push(SoftnessChange { slot, copy, kind, softness });
    }

    /// The object of a change of softness.
    pub fn changed_object(&self, change: &SoftnessChange) -> Option<Source> {
        self.slots[change.slot as usize].entry.as_ref().map(|entry| entry.source)
    }
}

/// Whether a change of an emitter from a file can be.
fn fits(change: &PourChange, pours: bool) -> bool {
    pours && change.start.is_finite() && change.kept as u64 <= MOST_PARTICLES
}

/// Where an object was in the model before.
pub(crate) fn origin(origins: &Origins, source: Source) -> Option<Source> {
    let index = *origins[number(source.kind)].get(source.index)?;
    index.map(|index| Source::new(source.kind, index))
}
