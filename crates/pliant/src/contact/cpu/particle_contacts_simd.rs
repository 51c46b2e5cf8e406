//! Contacts of particles without body or fluid, several list entries at once.
//!
//! As in [`super::particle_contacts`]: each particle sums its contacts in list order, whatever the SIMD width.

use crate::constraints::Row;
use crate::constraints::group::BLOCK;
use crate::contact::collider_contact::Push;
use crate::contact::cpu::contact_lists::ContactLists;
use crate::contact::cpu::particle_contacts::ContactParticle;
use crate::contact::particle_contact::{ContactParams, FreeLanes, contact_mask, project_lanes};
use crate::math::RowData;
use crate::math::V3;
use crate::runtime::cpu::isa::{Isa, LaneWidth};
use crate::runtime::cpu::shared_slice::Shared;
use crate::runtime::cpu::simd::Pack;
use crate::runtime::cpu::threads::Threads;
use std::ptr::{slice_from_raw_parts, slice_from_raw_parts_mut};

/// Up to this many remaining entries of a list are processed one by one, which is faster than a partly filled SIMD
/// block.
const FEW: usize = 2;

/// Lane mask source: BLOCK ones, then BLOCK zeros.
const HERE: [f32; 2 * BLOCK] = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];

/// Consecutive row indices of a SIMD pack.
const ONE_BY_ONE: [u32; BLOCK] = [0, 1, 2, 3, 4, 5, 6, 7];

const _: () = assert!(size_of::<ContactParticle>() == 2 * size_of::<RowData>());
const _: () = assert!(size_of::<Push>() == size_of::<RowData>());

/// One pass over all contacts.
#[derive(Clone, Copy)]
pub struct SimdPass<'a> {
    /// Indices refer to `packed`.
    pub lists: &'a ContactLists,
    pub packed: &'a [ContactParticle],
    /// Inverse mass of each particle [1/kg].
    pub inv_masses: &'a [f32],
    pub rows: &'a [RowData],
    pub params: ContactParams,
    /// Whether accumulated corrections are treated as zero.
    pub fresh: bool,
    /// Per list entry.
    pub pushes: Shared<'a, Push>,
    /// Contact count of each particle, at least 1.
    pub counts: Shared<'a, f32>,
}

impl SimdPass<'_> {
    /// Writes the corrected positions.
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
            // Impulse, and number of contacts.
            let mut sum = [0.0_f32; 4];
            while entry + FEW < end {
                let live = (end - entry).min(F::WIDTH);
                self.project_block::<F>(i, entry, live, &mut sum);
                entry += live;
            }
            while entry < end {
                self.project_block::<f32>(i, entry, 1, &mut sum);
                entry += 1;
            }
            // SAFETY: particle i belongs to this thread.
            unsafe { *self.counts.get(i) = sum[3].max(1.0) };
            let (x, inv_mass) = (self.packed[i].x, self.inv_masses[i]);
            *next = [x.x + sum[0] * inv_mass, x.y + sum[1] * inv_mass, x.z + sum[2] * inv_mass, self.rows[i][3]];
        }
    }

    /// Projects `live` contacts of particle `i`, starting at a list entry.
    #[inline(always)]
    fn project_block<F: Pack>(&self, i: usize, entry: usize, live: usize, sum: &mut [f32; 4]) {
        // Unused lanes repeat the last index.
        let (mut entries, mut places, mut up) = ([0_u32; BLOCK], [0_u32; BLOCK], [1.0_f32; BLOCK]);
        let list = &self.lists.indices[entry..entry + live];
        for k in 0..F::WIDTH {
            let n = k.min(live - 1);
            entries[k] = (entry + n) as u32;
            places[k] = 2 * list[n];
            up[k] = if list[n] as usize > i { 1.0 } else { -1.0 };
        }
        let ContactParticle { x, radius, start, inv_mass } = self.packed[i];
        let splat = F::splat;
        let own = FreeLanes {
            place: Row { v: V3::new(splat(x.x), splat(x.y), splat(x.z)), w: splat(radius) },
            start: Row { v: V3::new(splat(start.x), splat(start.y), splat(start.z)), w: splat(inv_mass) },
        };
        let (first, rows) = (self.packed.as_ptr().cast::<RowData>(), 2 * self.packed.len());
        // The same memory from the first row and from the second row on: current positions, then start positions.
        let (packed, starts) =
            (slice_from_raw_parts(first, rows), slice_from_raw_parts(first.wrapping_add(1), rows - 1));
        let pushes = slice_from_raw_parts_mut(self.pushes.all().cast::<RowData>(), self.pushes.all().len());
        // SAFETY: list entries are particle indices, `packed` has one element per particle, and an element is two rows.
        let place = unsafe { F::gather(packed, &places) };
        let push = if self.fresh {
            Row { v: V3::zero(), w: F::splat(0.0) }
        } else {
            // SAFETY: the entries of particle i belong to this thread, and `pushes` has one element per entry.
            unsafe { F::gather(pushes, &entries) }
        };
        let zero = F::splat(0.0);
        let here = F::load(&HERE[BLOCK - live..]);
        let touched = F::pick_gt(here, zero, contact_mask(own.place, place, push.w), zero);
        // Most list entries are near but not in contact.
        if !touched.any() {
            if self.fresh {
                // SAFETY: as above.
                unsafe { F::scatter(push, pushes, &entries, live) };
            }
            return;
        }
        // SAFETY: as for the places.
        let other = FreeLanes { place, start: unsafe { F::gather(starts, &places) } };
        let (impulse, done) = project_lanes(&own, &other, F::load(&up), touched, self.params, push);
        let mut impulses = [[0.0_f32; 4]; BLOCK];
        // SAFETY: as above; and impulses has a row for each lane of a pack.
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
