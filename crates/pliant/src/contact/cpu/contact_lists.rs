//! Candidate lists of particle contacts.

use crate::contact::model::ContactModel;
use crate::contact::particle_contact::{AT_REST, overlap};
use crate::memory::{grow, replace, reserve};
use crate::neighbors::Neighbors;

/// Contact candidates of each particle, from [`crate::neighbors::Neighbors`]; without pairs that are close at rest.
#[derive(Default)]
pub struct ContactLists {
    /// Start of the list of each particle; particles + 1 entries.
    pub offsets: Vec<u32>,
    /// All lists.
    pub indices: Vec<u32>,
}

impl ContactLists {
    /// Candidates of a particle.
    pub fn of(&self, i: usize) -> &[u32] {
        &self.indices[self.offsets[i] as usize..self.offsets[i + 1] as usize]
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Copies the neighbor lists. Skips pairs of one object closer than [`AT_REST`] times the sum of their radii at
    /// rest, whose distance is set by constraints, pairs of a particle and an object that it is attached to, and pairs whose
    /// collision groups do not touch.
    pub fn fill(&mut self, found: &Neighbors, model: &ContactModel<'_>, radii: &[f32]) {
        self.indices.clear();
        self.offsets.clear();
        reserve(&mut self.indices, found.indices().len());
        let filters = model.table.filters();
        if model.rest.is_empty() && !filters {
            self.indices.extend_from_slice(found.indices());
            replace(&mut self.offsets, found.offsets().iter().copied());
            return;
        }
        let (objects, rest, pairs) = (&model.topology.objects, model.rest, model.pairs());
        grow(&mut self.offsets, found.len() + 1);
        self.offsets.push(0);
        for i in 0..found.len() {
            let held = |j: usize| {
                let same = !rest.is_empty() && objects[i] == objects[j];
                same && overlap(rest[i], rest[j], AT_REST * (radii[i] + radii[j]))
            };
            // Grains of one object have no constraints between them.
            let loose = model.loose.get(objects[i] as usize).copied().unwrap_or(false);
            let joined =
                |j: usize| model.attachment_filter.holds(i, objects[j]) || model.attachment_filter.holds(j, objects[i]);
            let wanted = |j: usize| !filters || pairs.touch(i, j);
            let touching = found.of(i).iter().filter(|&&j| {
                let j = j as usize;
                (loose || !held(j)) && !joined(j) && wanted(j)
            });
            self.indices.extend(touching);
            self.offsets.push(self.indices.len() as u32);
        }
    }
}
