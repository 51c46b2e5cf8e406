//! Neighbor lists, and their construction.
//!
//! A search runs once, by chunks of slots, into growable buffers: there is no fixed capacity and nothing is dropped
//! (E33). The lists are then copied to their offsets by particle index. Two searches, one to count and one to fill,
//! would need no buffers, but take twice as long.

use crate::memory::{of, resize};
use crate::neighbors::filter::SlotFilter;
use crate::neighbors::sorted_particles::{Sorted, WIDTH};
use crate::runtime::cpu::Threads;
use crate::runtime::cpu::shared_slice::Shared;
use std::ops::Range;

/// Slots per chunk. Results do not depend on it.
const CHUNK: usize = 2048;

/// Neighbors of every particle, in one array.
///
/// List `i` is `indices[offsets[i]..offsets[i + 1]]`, ascending. With [`super::Pairs::Once`] it holds those above `i`.
#[derive(Clone, Debug, Default)]
pub struct Neighbors {
    offsets: Vec<u32>,
    indices: Vec<u32>,
    chunks: Vec<Chunk>,
    /// Source of each particle's list.
    sources: Vec<Source>,
    /// Whether lists keep the order of the search.
    pub(crate) as_found: bool,
}

/// Position in a chunk.
#[derive(Clone, Copy, Debug, Default)]
struct Source {
    chunk: u32,
    begin: u32,
}

/// Lists found for a range of slots.
#[derive(Clone, Debug, Default)]
struct Chunk {
    /// Lists in slot order, concatenated.
    found: Vec<u32>,
    /// End of each slot's list.
    ends: Vec<u32>,
    /// Scratch memory of the search, kept to avoid allocation.
    scratch: Vec<[u32; 3]>,
}

impl Neighbors {
    /// Number of particles.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        let found = self.chunks.iter().map(|c| of(&c.found) + of(&c.ends) + of(&c.scratch)).sum::<u64>();
        of(&self.offsets) + of(&self.indices) + of(&self.sources) + of(&self.chunks) + found
    }

    /// Whether there are no particles.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Neighbors of one particle, ascending.
    pub fn of(&self, i: usize) -> &[u32] {
        &self.indices[self.offsets[i] as usize..self.offsets[i + 1] as usize]
    }

    /// Start of each list, plus the end of the last: particles + 1 entries.
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// All lists, concatenated.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// All entries as (particle, neighbor), by particle, then by neighbor.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..self.len()).flat_map(|i| self.of(i).iter().map(move |&j| (i as u32, j)))
    }

    /// Keeps only the entries for which `keep` holds of particle and neighbor.
    pub(crate) fn retain(&mut self, keep: impl Fn(usize, usize) -> bool) {
        let (mut from, mut kept) = (0, 0);
        for i in 0..self.len() {
            for e in from..self.offsets[i + 1] as usize {
                let j = self.indices[e];
                if keep(i, j as usize) {
                    self.indices[kept] = j;
                    kept += 1;
                }
            }
            from = self.offsets[i + 1] as usize;
            self.offsets[i + 1] = kept as u32;
        }
        self.indices.truncate(kept);
    }

    /// From lists found elsewhere, by particle.
    #[cfg(feature = "gpu")]
    pub(crate) fn from_lists<'a>(lists: impl Iterator<Item = &'a [u32]>) -> Self {
        let mut all = Self { offsets: vec![0], ..Self::default() };
        for list in lists {
            all.indices.extend_from_slice(list);
            all.offsets.push(all.indices.len() as u32);
        }
        all
    }

    /// Fills the lists from a search over the slots of `sorted`.
    pub(crate) fn collect(
        &mut self,
        threads: &Threads,
        sorted: &Sorted,
        search: impl Fn(Range<usize>, &mut Collector<'_>) + Sync + Send,
    ) {
        let Self { offsets, indices, chunks, sources, as_found } = self;
        let as_found = *as_found;
        let n = sorted.len;
        let used = n.div_ceil(CHUNK);
        if chunks.len() < used {
            chunks.resize_with(used, Chunk::default);
        }
        let chunks = &mut chunks[..used];
        let range = |c: usize| c * CHUNK..((c + 1) * CHUNK).min(n);
        threads.each(chunks, |c, chunk| {
            chunk.found.clear();
            chunk.ends.clear();
            search(range(c), &mut Collector { chunk, as_found });
        });
        offsets.clear();
        resize(offsets, n + 1, 0);
        resize(sources, n, Source::default());
        for (c, chunk) in chunks.iter_mut().enumerate() {
            let mut begin = 0;
            for (&i, &end) in sorted.index[range(c)].iter().zip(&chunk.ends) {
                offsets[i as usize + 1] = end - begin;
                sources[i as usize] = Source { chunk: c as u32, begin };
                begin = end;
            }
            // Padding, so that WIDTH elements can be read from every list.
            chunk.found.extend([0; WIDTH]);
        }
        let mut sum = 0_u32;
        for offset in offsets.iter_mut() {
            sum = sum.checked_add(*offset).expect("neighbor lists hold fewer than 2^32 entries");
            *offset = sum;
        }
        crate::memory::reserve(indices, sum as usize);
        indices.resize(sum as usize, 0);
        let (all, chunks) = (Shared::new(indices), &*chunks);
        let offsets = &*offsets;
        threads.chunks(sources, 1, |first, sources| {
            let at = |i: usize| offsets[first + i] as usize;
            // SAFETY: pieces are ranges of particles, whose lists are contiguous without overlap.
            let out = unsafe { all.slice(at(0)..at(sources.len())) };
            for (i, source) in sources.iter().enumerate() {
                let (begin, to, end) = (source.begin as usize, at(i) - at(0), at(i + 1) - at(0));
                let found = &chunks[source.chunk as usize].found;
                // Most lists are short: copying eight elements, whose excess the next list overwrites, is faster than
                // copying the exact length.
                if end - to <= WIDTH && to + WIDTH <= out.len() {
                    out[to..to + WIDTH].copy_from_slice(&found[begin..begin + WIDTH]);
                } else {
                    out[to..end].copy_from_slice(&found[begin..begin + end - to]);
                }
            }
        });
    }
}

/// Collects the lists of one chunk, slot by slot.
pub(crate) struct Collector<'a> {
    chunk: &'a mut Chunk,
    as_found: bool,
}

impl Collector<'_> {
    /// Lends an empty buffer to the search, which returns it.
    pub fn take_scratch(&mut self) -> Vec<[u32; 3]> {
        std::mem::take(&mut self.chunk.scratch)
    }

    /// See [`Self::take_scratch`].
    pub fn put_scratch(&mut self, scratch: Vec<[u32; 3]>) {
        self.chunk.scratch = scratch;
    }

    /// Adds the list of the next slot: the elements that `search` appends.
    #[inline(always)]
    pub fn list<S: SlotFilter>(&mut self, search: impl FnOnce(&mut Vec<u32>)) {
        let begin = self.chunk.found.len();
        search(&mut self.chunk.found);
        if !self.as_found {
            S::ascend(&mut self.chunk.found, begin);
        }
        let end = u32::try_from(self.chunk.found.len()).expect("neighbor lists hold fewer than 2^32 entries");
        self.chunk.ends.push(end);
    }
}
