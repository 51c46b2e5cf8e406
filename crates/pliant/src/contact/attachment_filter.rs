//! Contact filter for attached particles.

/// Objects that each particle is attached to. Contacts between them are disabled: they would act against the
/// attachment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AttachmentFilter {
    /// Start of the objects of each particle, plus the end of the last; empty without attachments.
    pub offsets: Vec<u32>,
    /// Object indices, ascending per particle.
    pub objects: Vec<u32>,
}

impl AttachmentFilter {
    /// Builds the filter from (particle, object) pairs, for `n` particles.
    pub fn new(mut pairs: Vec<(u32, u32)>, n: usize) -> Self {
        if pairs.is_empty() {
            return Self::default();
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut offsets = vec![0; n + 1];
        pairs.iter().for_each(|(i, _)| offsets[*i as usize + 1] += 1);
        for i in 0..n {
            offsets[i + 1] += offsets[i];
        }
        Self { offsets, objects: pairs.into_iter().map(|(_, object)| object).collect() }
    }

    /// Appends particles without attachments.
    pub fn extend(&mut self, particles: usize) {
        if let Some(&last) = self.offsets.last() {
            self.offsets.resize(self.offsets.len() + particles, last);
        }
    }

    /// Forgets all particles from `particles` on, which must have no attachments.
    #[cfg(feature = "gpu")]
    pub(crate) fn truncate(&mut self, particles: usize) {
        self.offsets.truncate(particles + 1);
    }

    /// Whether there are no attachments.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Whether particle `i` is attached to an object.
    #[inline]
    pub fn holds(&self, i: usize, object: u32) -> bool {
        !self.is_empty() && self.objects[self.offsets[i] as usize..self.offsets[i + 1] as usize].contains(&object)
    }
}
