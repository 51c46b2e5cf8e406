//! Innermost loop: neighbors of one particle among a run of slots.
//!
//! Scalar and 8-wide versions; both give bitwise equal results in the same order. There is no branch on the result:
//! about one candidate in ten is a neighbor, and most of those would be mispredicted.

use crate::neighbors::sorted_particles::{Probe, Sorted, WIDTH};
use crate::neighbors::{INACTIVE, Pairs, near, phases_collide};
#[cfg(target_arch = "x86_64")]
use crate::runtime::cpu::isa::{Isa, LaneWidth};

/// A method to test a run of slots.
pub(crate) trait SlotFilter {
    /// Appends the indices of all neighbors of `probe` among slots `first..end` to `out`, in order.
    fn filter(sorted: &Sorted, first: usize, end: usize, probe: &Probe, out: &mut Vec<u32>);

    /// Sorts the elements appended to `out` since it had `begin` elements; they are distinct.
    fn ascend(out: &mut Vec<u32>, begin: usize);
}

/// One slot at a time.
pub(crate) struct One;

impl SlotFilter for One {
    #[inline(always)]
    fn filter(sorted: &Sorted, first: usize, end: usize, probe: &Probe, out: &mut Vec<u32>) {
        let at = [probe.x, probe.y, probe.z, 0.0];
        for s in first..end {
            let (other, index) = ([sorted.x[s], sorted.y[s], sorted.z[s], 0.0], sorted.index[s]);
            let mine = match probe.pairs {
                Pairs::Once => index > probe.index,
                Pairs::Both => index != probe.index,
            };
            let collide = phases_collide(probe.phase, sorted.phase[s]);
            if mine & collide & near(at, probe.radius, other, sorted.radius[s], probe.margin) {
                out.push(index);
            }
        }
    }

    #[inline(always)]
    fn ascend(out: &mut Vec<u32>, begin: usize) {
        let list = &mut out[begin..];
        if list.len() > 24 {
            return list.sort_unstable();
        }
        for i in 1..list.len() {
            let value = list[i];
            let mut at = i;
            while at > 0 && list[at - 1] > value {
                list[at] = list[at - 1];
                at -= 1;
            }
            list[at] = value;
        }
    }
}

/// Eight slots at a time. Used only in functions compiled for AVX2.
#[cfg(target_arch = "x86_64")]
pub(crate) struct Eight;

#[cfg(target_arch = "x86_64")]
impl SlotFilter for Eight {
    #[inline(always)]
    fn filter(sorted: &Sorted, first: usize, end: usize, probe: &Probe, out: &mut Vec<u32>) {
        use std::arch::x86_64::*;
        assert!(end <= sorted.len);
        if first >= end || probe.phase == INACTIVE {
            return;
        }
        // Eight elements are always stored.
        out.reserve(end - first + WIDTH);
        debug_assert!(
            [sorted.x.len(), sorted.y.len(), sorted.z.len(), sorted.radius.len()].iter().all(|&n| n >= end + WIDTH)
                && sorted.index.len().min(sorted.phase.len()) >= end + WIDTH,
            "arrays without {WIDTH} elements behind slot {end}"
        );
        let mut len = out.len();
        // SAFETY: the functions that use `Eight` are compiled for AVX2 and called where it is present. Loads: first
        // < end ≤ len, and every array has WIDTH elements more than that (`Sorted::resize`). Stores: `len` grows by
        // at most one per slot, and WIDTH elements behind the last are reserved.
        unsafe {
            let (px, py, pz) = (_mm256_set1_ps(probe.x), _mm256_set1_ps(probe.y), _mm256_set1_ps(probe.z));
            let (pr, margin) = (_mm256_set1_ps(probe.radius), _mm256_set1_ps(probe.margin));
            let phase = _mm256_set1_epi32(probe.phase as i32);
            let no_phase = _mm256_cmpeq_epi32(phase, _mm256_setzero_si256());
            let asleep = _mm256_set1_epi32(INACTIVE as i32);
            let own = _mm256_set1_epi32(probe.index as i32);
            let floor = _mm256_set1_epi32(if probe.pairs == Pairs::Once { probe.index as i32 } else { -1 });
            let mut s = first;
            while s < end {
                let dx = _mm256_sub_ps(px, _mm256_loadu_ps(sorted.x.as_ptr().add(s)));
                let dy = _mm256_sub_ps(py, _mm256_loadu_ps(sorted.y.as_ptr().add(s)));
                let dz = _mm256_sub_ps(pz, _mm256_loadu_ps(sorted.z.as_ptr().add(s)));
                let reach = _mm256_add_ps(_mm256_add_ps(pr, _mm256_loadu_ps(sorted.radius.as_ptr().add(s))), margin);
                let square = _mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy));
                let square = _mm256_add_ps(square, _mm256_mul_ps(dz, dz));
                let close = _mm256_cmp_ps::<_CMP_LT_OQ>(square, _mm256_mul_ps(reach, reach));
                let index = _mm256_loadu_si256(sorted.index.as_ptr().add(s).cast());
                // Particle indices are below 2²⁸, so signed comparison is valid.
                let mine = _mm256_andnot_si256(_mm256_cmpeq_epi32(index, own), _mm256_cmpgt_epi32(index, floor));
                let other = _mm256_loadu_si256(sorted.phase.as_ptr().add(s).cast());
                let same = _mm256_cmpeq_epi32(phase, other);
                let awake = _mm256_andnot_si256(_mm256_cmpeq_epi32(other, asleep), mine);
                let collide = _mm256_andnot_si256(_mm256_andnot_si256(no_phase, same), awake);
                let yes = _mm256_and_ps(close, _mm256_castsi256_ps(collide));
                // Slots from `end` on are masked out.
                let live = if end - s >= WIDTH { 0xff } else { (1_u32 << (end - s)) - 1 };
                let mask = _mm256_movemask_ps(yes) as u32 & live;
                let packed =
                    _mm256_permutevar8x32_epi32(index, _mm256_loadu_si256(PACK.0[mask as usize].as_ptr().cast()));
                debug_assert!(len + WIDTH <= out.capacity());
                _mm256_storeu_si256(out.as_mut_ptr().add(len).cast(), packed);
                len += mask.count_ones() as usize;
                s += WIDTH;
            }
            out.set_len(len);
        }
    }

    /// Rank sort of up to eight indices, without branches.
    #[inline(always)]
    fn ascend(out: &mut Vec<u32>, begin: usize) {
        use std::arch::x86_64::*;
        let len = out.len() - begin;
        if len < 2 {
            return;
        }
        if len > WIDTH {
            return One::ascend(out, begin);
        }
        assert!(out.capacity() >= begin + WIDTH);
        // SAFETY: AVX2 as in `filter`. WIDTH elements from `begin` on are within the capacity, and `filter` has written
        // all of them: it stores WIDTH elements behind what was there before.
        unsafe {
            let at = out.as_mut_ptr().add(begin);
            // Missing elements become greater than any particle index.
            let missing = _mm256_loadu_si256(MISSING.as_ptr().add(WIDTH - len).cast());
            let list = _mm256_or_si256(_mm256_loadu_si256(at.cast()), missing);
            let mut values = [0_i32; WIDTH];
            _mm256_storeu_si256(values.as_mut_ptr().cast(), list);
            for value in values {
                let less = _mm256_cmpgt_epi32(_mm256_set1_epi32(value), list);
                let rank = (_mm256_movemask_ps(_mm256_castsi256_ps(less)) as u32).count_ones();
                // Missing elements rank behind the list, where they are not read.
                debug_assert!((rank as usize) < WIDTH);
                at.add(rank as usize).write(value as u32);
            }
        }
    }
}

/// Eight elements from `8 - len` on are 0 for the first `len` lanes, then greater than any particle index.
#[cfg(target_arch = "x86_64")]
static MISSING: [i32; 2 * WIDTH] = {
    let mut lanes = [0; 2 * WIDTH];
    let mut k = WIDTH;
    while k < 2 * WIDTH {
        lanes[k] = i32::MAX;
        k += 1;
    }
    lanes
};

/// For every 8-bit mask: permutation that moves the set lanes to the front, in order.
#[cfg(target_arch = "x86_64")]
#[repr(align(32))]
struct Pack([[u32; WIDTH]; 256]);

#[cfg(target_arch = "x86_64")]
static PACK: Pack = Pack(pack());

#[cfg(target_arch = "x86_64")]
const fn pack() -> [[u32; WIDTH]; 256] {
    let mut table = [[0; WIDTH]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut to) = (0, 0);
        while lane < WIDTH {
            if mask >> lane & 1 == 1 {
                table[mask][to] = lane as u32;
                to += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
}

/// Whether [`Eight`] may be used. An [`Isa`] of AVX2 does not imply POPCNT, which is detected here.
#[cfg(target_arch = "x86_64")]
pub(crate) fn eight(isa: Isa) -> bool {
    isa.width() == LaneWidth::Avx2 && std::arch::is_x86_feature_detected!("popcnt")
}
