//! Who may touch whom.

use crate::contact::model::ContactModel;
use crate::contact::particle_contact::{AT_REST, overlap};
use crate::memory::reserve;
use crate::neighbors::Neighbors;

/// For every particle whom it may touch, as [`crate::neighbors::Neighbors`] has it; without those that are near at rest.
#[derive(Default)]
pub struct ContactLists {
    /// Where the list of each particle starts; one more than there are particles.
    pub offsets: Vec<u32>,
    /// All lists.
    pub indices: Vec<u32>,
}

impl ContactLists {
    /// Whom a particle may touch.
    pub fn of(&self, i: usize) -> &[u32] {
        &self.indices[self.offsets[i] as usize..self.offsets[i + 1] as usize]
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Takes over what was found. Particles of one object that touch at rest, or nearly, are no contact: the object holds
    /// them where they are. What is attached to an object does not touch it.
    pub fn fill(&mut self, found: &Neighbors, model: &ContactModel<'_>, radii: &[f32]) {
        self.indices.clear();
        self.offsets.clear();
        reserve(&mut self.indices, found.indices().len());
        if model.rest.is_empty() {
            self.indices.extend_from_slice(found.indices());
            self.offsets.extend_from_slice(found.offsets());
            return;
        }
        let (objects, rest) = (&model.topology.objects, model.rest);
        self.offsets.push(0);
        for i in 0..found.len() {
            let held =
                |j: usize| objects[i] == objects[j] && overlap(rest[i], rest[j], AT_REST * (radii[i] + radii[j]));
            // Grains of one object are not held by anything.
            let loose = model.loose.get(objects[i] as usize).copied().unwrap_or(false);
            let joined =
                |j: usize| model.attachment_filter.holds(i, objects[j]) || model.attachment_filter.holds(j, objects[i]);
            let touching = found.of(i).iter().filter(|&&j| (loose || !held(j as usize)) && !joined(j as usize));
            self.indices.extend(touching);
            self.offsets.push(self.indices.len() as u32);
        }
    }
}
