//! Memory that a model holds on the host.

use crate::contact::collider_shape::ColliderShape;
use crate::frame::Topology;
use crate::memory::of;
use crate::methods::vbd::plan::ElasticBody;
use crate::model::{Carrier, Model, SkinnedMeshes};
use crate::neighbors::LIQUID;
use crate::state::State;
use crate::transitions::emitter::Emitter;
use std::collections::BTreeMap;

fn shape(s: &Topology) -> u64 {
    let names = of(&s.object_names) + s.object_names.iter().map(|n| n.capacity() as u64).sum::<u64>();
    let elements = of(&s.triangles) + of(&s.tets) + of(&s.lines);
    elements + of(&s.objects) + of(&s.radii) + of(&s.colors) + of(&s.is_skinned) + of(&s.enters) + names
}

fn skinned_meshes(c: &SkinnedMeshes) -> u64 {
    // Copies of an object are consecutive and share one skin.
    let mut skins: Vec<_> = Vec::new();
    let mut surfaces: Vec<_> = Vec::new();
    for mesh in &c.all {
        match &mesh.carrier {
            Carrier::Particles { skin, .. } => skins.push(skin),
            Carrier::Body { surface, .. } => surfaces.push(surface),
        }
    }
    skins.dedup_by(|a, b| std::sync::Arc::ptr_eq(a, b));
    surfaces.dedup_by(|a, b| std::sync::Arc::ptr_eq(a, b));
    let meshes = surfaces.iter().map(|mesh| of(&mesh.positions) + of(&mesh.triangles)).sum::<u64>();
    shape(&c.topology) + of(&c.all) + skins.iter().map(|skin| skin.bytes() as u64).sum::<u64>() + meshes
}

/// Tables of collider shapes, each once.
fn shapes<'a>(all: impl Iterator<Item = &'a ColliderShape>) -> u64 {
    let tables: BTreeMap<_, _> = all.filter_map(ColliderShape::table_bytes).collect();
    tables.into_values().sum()
}

impl Model {
    /// Memory [bytes], except for a few hundred bytes of names and the list of passes.
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
        let fixed = joined + of(&self.phantoms.ties) + of(&self.spin_inv_inertias) + of(&self.rest) + of(&self.runs);
        let islands = of(&self.free_islands) + self.free_islands.iter().map(|i| of(&i.particles)).sum::<u64>();
        lists
            + islands
            + self.bodies.iter().map(ElasticBody::bytes).sum::<u64>()
            + aero_surfaces
            + fixed
            + self.surfaces.as_ref().map_or(0, |s| s.bytes())
            + of(&self.loose)
            + of(&self.colliders)
            + of(&self.body_colliders)
            + shapes(self.colliders.iter().map(|c| &c.shape).chain(self.body_colliders.iter().map(|c| &c.shape)))
            + self.environments.bytes()
            + of(&self.attachment_filter.offsets)
            + of(&self.attachment_filter.objects)
            + self.contact_table.bytes()
            + of(&self.fields)
            + self.rigid_bodies.bytes()
            + self
                .fluid
                .as_ref()
                .map_or(0, |f| of(&f.volumes) + of(&f.viscous_volumes) + of(&f.large_particles) + of(&f.liquids))
            + shape(&self.topology)
            + self.skinned_meshes.as_ref().map_or(0, skinned_meshes)
    }
}

/// Contact lists of a grain in a heap [bytes], which grow once it is emitted: nine neighbors, each with an index in two
/// lists and a correction.
const GRAIN_LISTS: u64 = 9 * (4 + 4 + 16);

/// The same for a fluid particle: 33 neighbors, each with an index in two lists.
const LIQUID_LISTS: u64 = 33 * (4 + 4);

/// Expected host memory of a simulation in its later course [bytes], from its memory after the first step.
///
/// Measured on heaps, boxes and streams: contact lists grow by a twentieth of the total as objects pile up; those of
/// water by a twelfth.
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
