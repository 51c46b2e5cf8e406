//! Islands and tilings of stage solve: patches that a thread runs independently.

use crate::constraints::group::{BLOCK, Group};
use crate::constraints::phantoms::Phantoms;
use crate::constraints::{ConstraintKind, Scales};
use crate::contact::cpu::ContactScratch;
use crate::contact::cpu::collider_contacts::ColliderPass;
use crate::math::RowData;
use crate::methods::ConstraintModel;
use crate::methods::gauss_seidel::{batches, phantoms};
use crate::runtime::cpu::isa::Isa;
use crate::runtime::cpu::shared_slice::Shared;
use crate::runtime::cpu::threads::Threads;
use crate::schedule::passes::{Copies, Half, PatchOp};
use crate::schedule::substep::CpuContext;
use crate::state::State;
use std::ops::Range;
use std::time::Instant;

/// Runs all iterations of every island, in parallel over islands.
pub fn run_islands(
    cx: &CpuContext<'_>,
    model: &ConstraintModel<'_>,
    state: &mut State,
    (contact, seconds): (&ContactScratch, &mut [Vec<f64>]),
    scales: Scales<f32>,
) {
    let islands = &model.schedule.patches[..model.schedule.islands];
    if islands.is_empty() {
        return;
    }
    let pass = ColliderPass {
        seen: contact.seen_colliders(),
        slippery: &contact.slippery,
        radii: &state.radii,
        phases: &state.phases,
        previous: &state.previous,
        mass_splitting: &contact.mass_splitting,
    };
    let lambda = multipliers(&mut state.multipliers);
    let task = patch_task(cx.isa, scales, model, &mut state.rows, &lambda);
    let n = islands.len();
    let contacts = (&mut state.contacts[..n], 1);
    let seconds = (&mut seconds[..n], 1);
    cx.threads.runs(contacts, seconds, |i, contacts, seconds| {
        for _ in 0..model.settings.iterations {
            // SAFETY: each island is processed once, and shares no row with another.
            unsafe { task.run(&islands[i], &mut seconds[0]) };
            // SAFETY: the run of an island holds its own particles only.
            unsafe { pass.run(task.rows, &mut contacts[0]) };
        }
    });
}

/// Runs one tiling, or half of its operations: patches in parallel.
pub fn run_tiling(
    cx: &CpuContext<'_>,
    model: &ConstraintModel<'_>,
    state: &mut State,
    seconds: &mut [Vec<f64>],
    scales: Scales<f32>,
    (range, half): (&Range<usize>, Option<Half>),
) {
    let patches = &model.schedule.patches[range.clone()];
    let lambda = multipliers(&mut state.multipliers);
    let task = patch_task(cx.isa, scales, model, &mut state.rows, &lambda);
    cx.threads.each(&mut seconds[range.clone()], |i, seconds| {
        let jobs = half.map_or(&patches[i][..], |half| half.of(&patches[i]));
        // SAFETY: each patch is processed once, and shares no row with another of its tiling.
        unsafe { task.run(jobs, seconds) };
    });
}

/// Multipliers of all groups, shared between threads; at most one group per kind, without allocation.
fn multipliers(groups: &mut [Vec<f32>]) -> [Shared<'_, f32>; ConstraintKind::ALL.len()] {
    let mut all = std::array::from_fn(|_| Shared::new(&mut []));
    for (shared, group) in all.iter_mut().zip(groups) {
        *shared = Shared::new(group);
    }
    all
}

fn patch_task<'a>(
    isa: Isa,
    scales: Scales<f32>,
    model: &ConstraintModel<'a>,
    rows: &'a mut [RowData],
    lambda: &'a [Shared<'a, f32>],
) -> PatchTask<'a> {
    PatchTask { isa, scales, groups: model.groups, phantoms: model.phantoms, rows: Shared::new(rows), lambda }
}

/// Moves the patches' time per group to the groups' times, divided by the thread count.
pub fn collect_seconds(threads: &Threads, patches: &mut [Vec<f64>], groups: &mut [f64]) {
    for patch in patches {
        for (sum, part) in groups.iter_mut().zip(patch) {
            *sum += std::mem::take(part) / threads.count() as f64;
        }
    }
}

/// Shared data of patches.
#[derive(Clone, Copy)]
struct PatchTask<'a> {
    isa: Isa,
    scales: Scales<f32>,
    groups: &'a [Group],
    phantoms: &'a Phantoms,
    rows: Shared<'a, RowData>,
    lambda: &'a [Shared<'a, f32>],
}

impl PatchTask<'_> {
    /// Runs one patch once: its operations in order. Adds the seconds spent on each group.
    ///
    /// # Safety
    /// No other thread may run this patch or one that shares rows with it.
    unsafe fn run(&self, jobs: &[PatchOp], seconds: &mut [f64]) {
        for job in jobs {
            let clock = Instant::now();
            let group = match job {
                PatchOp::Batches { group, batches } => {
                    // SAFETY: the batches belong to this patch, and so to this thread.
                    unsafe { self.run_batches(*group, batches.clone()) };
                    Some(*group)
                }
                PatchOp::Spread(Copies { group, ties }) => {
                    for tie in &self.phantoms.ties[ties.clone()] {
                        // SAFETY: the particle and its copies belong to this patch.
                        unsafe { phantoms::spread(self.rows, tie) };
                    }
                    *group
                }
                PatchOp::Join(Copies { group, ties }) => {
                    for tie in &self.phantoms.ties[ties.clone()] {
                        // SAFETY: as above.
                        unsafe { phantoms::join(self.rows, tie) };
                    }
                    *group
                }
                PatchOp::Seams => None,
            };
            // Copies on seams are spread and joined outside patches.
            group.iter().for_each(|&g| seconds[g] += clock.elapsed().as_secs_f64());
        }
    }

    unsafe fn run_batches(&self, g: usize, range: Range<usize>) {
        let group = &self.groups[g];
        let batches = &group.batches[range];
        let (Some(first), Some(last)) = (batches.first(), batches.last()) else { return };
        let m = group.layout().multipliers * BLOCK;
        // SAFETY: the caller has exclusive access to these batches, which are contiguous in memory.
        let lambda = unsafe { self.lambda[g].slice(first.first * m..(last.first + last.blocks()) * m) };
        // SAFETY: as above for their rows.
        unsafe { batches::run_batches(self.isa, self.scales, group, batches, self.rows, lambda) };
    }
}
