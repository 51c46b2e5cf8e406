//! Who is attached to what.

/// For each particle the objects that it is attached to. It does not touch them: contacts would part what the attachment
/// holds together, and the two would push each other about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AttachmentFilter {
    /// Where the objects of each particle begin, and where those of the last one end; empty without attachments.
    pub offsets: Vec<u32>,
    /// Object numbers, in rising order for each particle.
    pub objects: Vec<u32>,
}

impl AttachmentFilter {
    /// From pairs of a particle and an object, for `n` particles.
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

    /// Whether nothing is attached.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Whether particle `i` is attached to an object.
    #[inline]
    pub fn holds(&self, i: usize, object: u32) -> bool {
        !self.is_empty() && self.objects[self.offsets[i] as usize..self.offsets[i + 1] as usize].contains(&object)
    }
}
