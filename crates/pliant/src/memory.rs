//! Host memory of a simulation: allocated capacity, not length in use.

use crate::fluid::parameters::LIQUID;
use crate::frame::Topology;
use crate::model::{Model, SkinnedMeshes};
use crate::state::State;
use crate::transitions::emitter::Emitter;

/// Bytes of a list, by capacity.
pub(crate) fn of<T>(list: &Vec<T>) -> u64 {
    (list.capacity() * size_of::<T>()) as u64
}

/// Reserves the given number of elements plus an eighth: doubling, the default growth, would waste up to half.
pub(crate) fn reserve<T>(list: &mut Vec<T>, needed: usize) {
    if list.capacity() < needed {
        list.reserve_exact(needed + needed / 8 - list.len());
    }
}

/// Bytes of nested lists.
pub(crate) fn nested<T>(lists: &Vec<Vec<T>>) -> u64 {
    of(lists) + lists.iter().map(of).sum::<u64>()
}

fn topology(s: &Topology) -> u64 {
    let names = of(&s.object_names) + s.object_names.iter().map(|n| n.capacity() as u64).sum::<u64>();
    let elements = of(&s.triangles) + of(&s.tets) + of(&s.lines);
    elements + of(&s.objects) + of(&s.radii) + of(&s.colors) + of(&s.coated) + of(&s.enters) + names
}

fn skinned_meshes(c: &SkinnedMeshes) -> u64 {
    // Copies of an object are consecutive and share one skin.
    let mut skins: Vec<_> = c.all.iter().map(|coat| &coat.skin).collect();
    skins.dedup_by(|a, b| std::sync::Arc::ptr_eq(a, b));
    topology(&c.topology) + of(&c.all) + skins.iter().map(|skin| skin.bytes() as u64).sum::<u64>()
}

impl Model {
    /// Memory [bytes], except for a few hundred bytes of names and of the list of passes.
    pub fn bytes(&self) -> u64 {
        let groups = self.groups.iter().map(|g| of(&g.rows) + of(&g.params) + of(&g.batches));
        let inflated =
            self.inflatables.iter().map(|b| of(&b.particles) + of(&b.triangles) + of(&b.offsets) + of(&b.corners));
        let pins = self.pins.iter().map(|p| of(&p.particles) + of(&p.origins) + of(&p.orientations) + of(&p.turns));
        let emitters = self.emitters.iter().map(|p| of(&p.places));
        let changes = self.melts.iter().map(|m| of(&m.order)).chain(self.drains.iter().map(|d| of(&d.takes)));
        let changes = changes.chain(self.freezes.iter().map(|f| of(&f.takes)));
        let lists: u64 = groups.chain(inflated).chain(pins).chain(emitters).chain(changes).sum();
        let s = &self.aero_surfaces;
        let aero_surfaces =
            of(&s.triangles) + of(&s.air) + of(&s.airs) + of(&s.particles) + of(&s.offsets) + of(&s.incident);
        let joined = of(&self.incidence.offsets) + of(&self.incidence.entries) + of(&self.phantoms.owners);
        let fixed = joined + of(&self.phantoms.ties) + of(&self.spin_weights) + of(&self.rest) + of(&self.runs);
        lists
            + aero_surfaces
            + fixed
            + of(&self.loose)
            + of(&self.attachment_filter.offsets)
            + of(&self.attachment_filter.objects)
            + of(&self.fields)
            + self.fluid.as_ref().map_or(0, |f| of(&f.volumes) + of(&f.viscous_volumes) + of(&f.balls) + of(&f.liquids))
            + topology(&self.topology)
            + self.skinned_meshes.as_ref().map_or(0, skinned_meshes)
    }
}

/// List memory of a grain in a heap, which an inactive grain does not use yet [bytes]: nine neighbors, each in two
/// index lists and with an accumulated impulse.
const GRAIN_LISTS: u64 = 9 * (4 + 4 + 16);

/// The same for a fluid particle: 33 neighbors, in two index lists.
const LIQUID_LISTS: u64 = 33 * (4 + 4);

/// Expected host memory of a simulation later on, from that after its first step.
///
/// Measured on heaps, boxes and streams: lists grow by a twentieth of the total as piles settle; in water by a twelfth.
pub(crate) fn expected(model: &Model, state: &State, now: u64) -> u64 {
    if model.particle_contact.is_none() && model.fluid.is_none() {
        return now;
    }
    let each = |emitter: &Emitter| if emitter.phase == LIQUID { LIQUID_LISTS } else { GRAIN_LISTS };
    let waiting =
        model.emitters.iter().zip(&state.emitted).map(|(p, out)| p.places.len().saturating_sub(*out) as u64 * each(p));
    let full = now + waiting.sum::<u64>();
    full + if model.fluid.is_some() { full / 12 } else { full / 20 }
}

impl State {
    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        let rows = of(&self.rows) + of(&self.previous) + of(&self.older);
        let rates = of(&self.velocities) + of(&self.older_velocities);
        let particles =
            of(&self.radii) + of(&self.phases) + of(&self.first_order) + of(&self.emitted) + of(&self.melted);
        let particles = particles + self.returned.iter().map(|r| 4 * r.capacity() as u64).sum::<u64>();
        let particles = particles + self.frozen.iter().map(|f| of(&f.fields)).sum::<u64>();
        let shapes = self.shapes.as_ref().map_or(0, |shapes| shapes.bytes());
        let liquids = of(&self.pressures) + of(&self.carried);
        rows + rates + particles + shapes + liquids + nested(&self.multipliers) + of(&self.inflate_multipliers)
    }
}
