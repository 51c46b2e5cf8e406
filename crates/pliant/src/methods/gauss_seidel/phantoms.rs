//! Particle copies within stage solve: spread to the copies, and join to their mean (S12, S13; D2 eq 7).

use crate::constraints::phantoms::Tie;
use crate::math::RowData;
use crate::runtime::cpu::shared_slice::Shared;
use crate::runtime::cpu::threads::Threads;

/// Sets all copies to their particles' positions, with their share of the mass.
pub fn spread_all(threads: &Threads, ties: &[Tie], rows: &mut [RowData]) {
    let rows = Shared::new(rows);
    // SAFETY: `builder::packing` has proved that a particle is tied once per run of ties and that copies have one
    // owner.
    threads.over(ties, |tie| unsafe { spread(rows, tie) });
}

/// Sets all particles to the mean of their copies.
pub fn join_all(threads: &Threads, ties: &[Tie], rows: &mut [RowData]) {
    let rows = Shared::new(rows);
    // SAFETY: as above.
    threads.over(ties, |tie| unsafe { join(rows, tie) });
}

/// Copies of one particle.
///
/// # Safety
/// No other thread may access the particle or its copies.
#[inline]
pub unsafe fn spread(rows: Shared<'_, RowData>, tie: &Tie) {
    // SAFETY: guaranteed by the caller.
    let [x, y, z, w] = unsafe { *rows.get(tie.owner as usize) };
    let (first, end) = (tie.first as usize, (tie.first + tie.count) as usize);
    debug_assert!(!(first..end).contains(&(tie.owner as usize)), "a particle is its own copy: {tie:?}");
    // SAFETY: as above.
    unsafe { rows.slice(first..end) }.fill([x, y, z, w * tie.inv_mass]);
}

/// x ← x + (1/N)·Σ(xⱼ − x): as a sum of changes, so that unmoved particles stay bitwise unchanged.
///
/// # Safety
/// No other thread may access the particle or its copies.
#[inline]
pub unsafe fn join(rows: Shared<'_, RowData>, tie: &Tie) {
    debug_assert!(!(tie.first..tie.first + tie.count).contains(&tie.owner), "a particle is its own copy: {tie:?}");
    // SAFETY: guaranteed by the caller.
    let owner = unsafe { rows.get(tie.owner as usize) };
    // SAFETY: as above; the owner is not among its copies.
    let copies = unsafe { rows.slice(tie.first as usize..(tie.first + tie.count) as usize) };
    let share = 1.0 / tie.count as f32;
    for k in 0..3 {
        let change: f32 = copies.iter().map(|copy| copy[k] - owner[k]).sum();
        owner[k] += change * share;
    }
}
