//! Environments: the copies of a scene that share a world and never touch each other.
//!
//! A world of its own has one, and needs no tables. In a batch every particle belongs to one environment; a collider
//! belongs to one, or is shared by all of them.

/// Environment of every particle, for searches that must not find pairs of different ones.
#[derive(Clone, Copy, Debug, Default)]
pub struct Separation<'a> {
    /// Number of environments; 0 and 1 stand for no separation.
    pub count: u32,
    /// Environment of each particle; empty without separation.
    pub of: &'a [u32],
}

impl Separation<'_> {
    /// Whether there is more than one environment.
    pub fn acts(&self) -> bool {
        self.count > 1
    }
}

/// A collider as particles see it: one that all environments share, or one of a row of colliders, one per environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColliderSlot {
    /// Its index, or that of the first environment's.
    pub first: u32,
    /// Whether each environment has its own, with consecutive indices.
    pub separate: bool,
}

/// Environments of a model.
#[derive(Clone, Debug, Default)]
pub struct Environments {
    count: u32,
    particles: Vec<u32>,
    slots: Vec<ColliderSlot>,
    /// Slot of each collider.
    slot_of: Vec<u32>,
}

impl Environments {
    /// Of `count` environments, with that of each particle, and colliders by slot.
    pub fn new(count: u32, particles: Vec<u32>, slots: Vec<ColliderSlot>) -> Self {
        let mut slot_of = Vec::new();
        for (number, slot) in slots.iter().enumerate() {
            let end = slot.first as usize + if slot.separate { count as usize } else { 1 };
            slot_of.resize(end, number as u32);
        }
        Self { count, particles, slots, slot_of }
    }

    /// Adds slots for `colliders` pieces of rigid bodies, numbered from `first` on: in a batch the pieces of all
    /// environments that correspond to each other are consecutive.
    pub fn add_bodies(&mut self, first: usize, colliders: usize) {
        if self.count == 0 {
            return;
        }
        for k in (0..colliders).step_by(self.count()) {
            self.slots.push(ColliderSlot { first: (first + k) as u32, separate: true });
            self.slot_of.resize(first + k + self.count(), self.slots.len() as u32 - 1);
        }
    }

    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        let words = self.particles.capacity() + self.slot_of.capacity();
        (size_of::<u32>() * words + size_of::<ColliderSlot>() * self.slots.capacity()) as u64
    }

    /// Number of environments.
    pub fn count(&self) -> usize {
        self.count.max(1) as usize
    }

    /// Whether there is more than one.
    pub fn are_separate(&self) -> bool {
        self.count > 1
    }

    /// Environment of a particle.
    pub fn of(&self, particle: usize) -> usize {
        self.particles.get(particle).map_or(0, |&e| e as usize)
    }

    /// For searches.
    pub fn separation(&self) -> Separation<'_> {
        Separation { count: self.count, of: &self.particles }
    }

    /// Colliders that a particle may touch, of `colliders` in all.
    pub fn slot_count(&self, colliders: usize) -> usize {
        if self.slots.is_empty() { colliders } else { self.slots.len() }
    }

    /// Slots of colliders; empty where a collider's slot is its index.
    pub fn slots(&self) -> &[ColliderSlot] {
        &self.slots
    }

    /// Index of the collider that a particle sees in a slot.
    #[inline]
    pub fn collider(&self, particle: usize, slot: usize) -> usize {
        match self.slots.get(slot) {
            Some(s) if s.separate => s.first as usize + self.of(particle),
            Some(s) => s.first as usize,
            None => slot,
        }
    }

    /// Whether bodies of an environment meet a collider.
    pub fn sees(&self, environment: u32, collider: usize) -> bool {
        match self.slots.get(self.slot(collider)) {
            Some(s) if s.separate => s.first as usize + environment as usize == collider,
            _ => true,
        }
    }

    /// Slot of a collider.
    pub fn slot(&self, collider: usize) -> usize {
        self.slot_of.get(collider).map_or(collider, |&slot| slot as usize)
    }

    /// Indices of the colliders that a particle may touch, ascending, of `colliders` in all. Pieces of rigid bodies come
    /// last: with the number of the scene's colliders they are left out.
    #[inline]
    pub fn colliders_of(&self, particle: usize, colliders: usize) -> impl Iterator<Item = usize> + '_ {
        let all = (0..self.slot_count(colliders)).map(move |slot| self.collider(particle, slot));
        all.filter(move |&collider| collider < colliders)
    }
}
