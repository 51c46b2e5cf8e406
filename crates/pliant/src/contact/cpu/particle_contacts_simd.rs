//! Contacts of particles that are of no body and no liquid, several of a list at once.
//!
//! As in [`super::meet`]: every particle sums up its own contacts in the order of its list, whatever the width.

use crate::constraints::Row;
use crate::constraints::group::BLOCK;
use crate::contact::collider_contact::Push;
use crate::contact::cpu::contact_lists::ContactLists;
use crate::contact::cpu::particle_contacts::ContactParticle;
use crate::contact::particle_contact::{Loose, Rule, meet_loose, touch_loose};
use crate::math::RowData;
use crate::math::V3;
use crate::runtime::cpu::isa::{Isa, LaneWidth};
use crate::runtime::cpu::shared_slice::Shared;
use crate::runtime::cpu::simd::Pack;
use crate::runtime::cpu::threads::Threads;
use std::ptr::{slice_from_raw_parts, slice_from_raw_parts_mut};

/// Entries at the end of a list that are taken one by one: fewer than a pack is worth.
const FEW: usize = 2;

/// As many ones as a pack may have, then as many zeros.
const HERE: [f32; 2 * BLOCK] = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];

/// A row for each of a pack, one after the other.
const ONE_BY_ONE: [u32; BLOCK] = [0, 1, 2, 3, 4, 5, 6, 7];

const _: () = assert!(size_of::<ContactParticle>() == 2 * size_of::<RowData>());
const _: () = assert!(size_of::<Push>() == size_of::<RowData>());

/// One pass over all contacts.
#[derive(Clone, Copy)]
pub struct SimdPass<'a> {
    /// Numbers in them are those of cards.
    pub lists: &'a ContactLists,
    pub packed: &'a [ContactParticle],
    /// Inverse mass of each particle [1/kg].
    pub weights: &'a [f32],
    pub rows: &'a [RowData],
    pub rule: Rule,
    /// Whether pushes are to be taken for nothing, whatever is there.
    pub fresh: bool,
    /// By entry of the lists.
    pub pushes: Shared<'a, Push>,
    /// Contacts of each particle, one at least.
    pub counts: Shared<'a, f32>,
}

impl SimdPass<'_> {
    /// Where contacts move particles to.
    pub fn run(self, threads: &Threads, isa: Isa, next: &mut [RowData]) {
        assert!(self.lists.len() == next.len() && self.packed.len() == next.len());
        assert_eq!(self.pushes.all().len(), self.lists.indices.len(), "one push per entry of the lists");
        threads.chunks(next, 1, |first, next| match isa.width() {
            LaneWidth::Scalar => self.move_all::<f32>(first, next),
            #[cfg(not(target_arch = "x86_64"))]
            LaneWidth::Four => self.move_all::<crate::runtime::cpu::simd::Four>(first, next),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an `Isa` of AVX2 only exists where the processor was seen to have it.
            LaneWidth::Avx2 => unsafe { self.move_all_avx2(first, next) },
        });
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn move_all_avx2(&self, first: usize, next: &mut [RowData]) {
        self.move_all::<crate::runtime::cpu::simd::Eight>(first, next);
    }

    #[inline(always)]
    fn move_all<F: Pack>(&self, first: usize, next: &mut [RowData]) {
        let offsets = &self.lists.offsets;
        for (k, next) in next.iter_mut().enumerate() {
            let i = first + k;
            let (mut entry, end) = (offsets[i] as usize, offsets[i + 1] as usize);
            // Impulse, and how many touch.
            let mut sum = [0.0_f32; 4];
            while entry + FEW < end {
                let live = (end - entry).min(F::WIDTH);
                self.meet_some::<F>(i, entry, live, &mut sum);
                entry += live;
            }
            while entry < end {
                self.meet_some::<f32>(i, entry, 1, &mut sum);
                entry += 1;
            }
            // SAFETY: particle i belongs to this thread.
            unsafe { *self.counts.get(i) = sum[3].max(1.0) };
            let (x, weight) = (self.packed[i].x, self.weights[i]);
            *next = [x.x + sum[0] * weight, x.y + sum[1] * weight, x.z + sum[2] * weight, self.rows[i][3]];
        }
    }

    /// `live` contacts of particle `i` from an entry of the lists on.
    #[inline(always)]
    fn meet_some<F: Pack>(&self, i: usize, entry: usize, live: usize, sum: &mut [f32; 4]) {
        // Places that stand for nobody have the number of the last.
        let (mut entries, mut places, mut up) = ([0_u32; BLOCK], [0_u32; BLOCK], [1.0_f32; BLOCK]);
        let list = &self.lists.indices[entry..entry + live];
        for k in 0..F::WIDTH {
            let n = k.min(live - 1);
            entries[k] = (entry + n) as u32;
            places[k] = 2 * list[n];
            up[k] = if list[n] as usize > i { 1.0 } else { -1.0 };
        }
        let ContactParticle { x, radius, start, weight } = self.packed[i];
        let splat = F::splat;
        let own = Loose {
            place: Row { v: V3::new(splat(x.x), splat(x.y), splat(x.z)), w: splat(radius) },
            start: Row { v: V3::new(splat(start.x), splat(start.y), splat(start.z)), w: splat(weight) },
        };
        let (first, rows) = (self.packed.as_ptr().cast::<RowData>(), 2 * self.packed.len());
        // The same rows from the first on and from the second on: an entry's place, then its start.
        let (packed, starts) =
            (slice_from_raw_parts(first, rows), slice_from_raw_parts(first.wrapping_add(1), rows - 1));
        let pushes = slice_from_raw_parts_mut(self.pushes.all().cast::<RowData>(), self.pushes.all().len());
        // SAFETY: numbers in lists are below the number of particles, which is that of entries, and an entry is two rows.
        let place = unsafe { F::gather(packed, &places) };
        let push = if self.fresh {
            Row { v: V3::zero(), w: F::splat(0.0) }
        } else {
            // SAFETY: the entries of particle i belong to this thread, and pushes are as many as entries.
            unsafe { F::gather(pushes, &entries) }
        };
        let zero = F::splat(0.0);
        let here = F::load(&HERE[BLOCK - live..]);
        let touched = F::pick_gt(here, zero, touch_loose(own.place, place, push.w), zero);
        // Most of a list is near, but does not touch.
        if !touched.any() {
            if self.fresh {
                // SAFETY: as above.
                unsafe { F::scatter(push, pushes, &entries, live) };
            }
            return;
        }
        // SAFETY: as for the places.
        let other = Loose { place, start: unsafe { F::gather(starts, &places) } };
        let (impulse, done) = meet_loose(&own, &other, F::load(&up), touched, self.rule, push);
        let mut impulses = [[0.0_f32; 4]; BLOCK];
        // SAFETY: as above; and impulses has a row for each of a pack.
        unsafe {
            F::scatter(done, pushes, &entries, live);
            F::scatter(Row { v: impulse, w: touched }, &mut impulses, &ONE_BY_ONE, live);
        }
        for impulse in &impulses[..live] {
            for (sum, part) in sum.iter_mut().zip(impulse) {
                *sum += part;
            }
        }
    }
}
