//! Jacobi passes of stage solve: all constraints from the same positions, corrections averaged per particle and
//! over-relaxed (S09; D4 3.25–3.26, D3).
//!
//! Δxᵢ = (ω/nᵢ)·Σⱼ Δxᵢⱼ with nᵢ the number of constraints on row i. Under XPBD the multiplier has to match the
//! correction actually applied; therefore each particle is split into nᵢ parts of mass mᵢ/nᵢ for the solve (inverse
//! mass nᵢwᵢ), which makes the average equal to the sum of the impulses and conserves momentum.
//! Both forms add in the order of the incidence list, so they are bitwise equal.

use crate::constraints::group::{BLOCK, Group};
use crate::constraints::{Constraint, Row, Scales, Visitor};
use crate::math::Lane;
use crate::math::RowData;
use crate::methods::ConstraintModel;
use crate::methods::jacobi::JacobiCpu;
use crate::runtime::cpu::isa::{Isa, LaneWidth};
use crate::runtime::cpu::simd::Pack;
use crate::scene::Method;
use crate::schedule::substep::CpuContext;
use crate::state::State;

/// Scaling of inverse masses in the solve.
#[derive(Clone, Copy)]
struct Split<'a> {
    /// Number of constraints on each row, or empty for plain averaging.
    counts: &'a [f32],
    omega: f32,
}

impl Split<'_> {
    #[inline(always)]
    fn split_mass<F: Pack>(&self, row: Row<F>, index: &[u32]) -> Row<F> {
        if self.counts.is_empty() {
            return row;
        }
        let mut counts = [0.0; BLOCK];
        for (c, &i) in counts.iter_mut().zip(index) {
            *c = self.counts[i as usize];
        }
        Row { v: row.v, w: row.w * F::load(&counts) }
    }
}

/// By constraint: corrections are written to separate slots, then each row sums its slots.
pub fn scatter(
    cx: &CpuContext<'_>,
    model: &ConstraintModel<'_>,
    state: &mut State,
    scratch: &mut JacobiCpu,
    scales: Scales<f32>,
) {
    let CpuContext { threads, isa, .. } = *cx;
    let split = split(model, &scratch.counts);
    for ((group, lambda), slots) in model.groups.iter().zip(&mut state.multipliers).zip(&mut scratch.slots) {
        let rows = &state.rows;
        let layout = group.layout();
        let (m, n) = (layout.multipliers * BLOCK, layout.rows * BLOCK);
        let run = (lambda.len() / m).div_ceil(threads.count() * 4).max(64);
        threads.runs((lambda, m * run), (slots, n * run), |i, lambda, slots| {
            group.kind.visit(Scatter { isa, scales, group, rows, first: i * run, split, lambda, slots });
        });
    }
    let (slots, particles) = (&scratch.slots, state.particles);
    let omega = model.settings.omega;
    threads.chunks(&mut state.rows, 1, |first, rows| {
        for (k, row) in rows.iter_mut().enumerate() {
            let entries = entries(model, first + k);
            let sum = entries.iter().fold([0.0; 4], |sum, e| {
                let n = layout_rows(model, e.group);
                let slot = slots[usize::from(e.group)][slot_index(n, e.slot as usize, usize::from(e.place))];
                std::array::from_fn(|c| sum[c] + slot[c])
            });
            *row = apply(*row, sum, entries.len(), omega, first + k >= particles);
        }
    });
}

/// By particle: each row projects every constraint it belongs to and keeps its own share.
pub fn gather(
    cx: &CpuContext<'_>,
    model: &ConstraintModel<'_>,
    state: &mut State,
    scratch: &mut JacobiCpu,
    scales: Scales<f32>,
) {
    let threads = cx.threads;
    let split = split(model, &scratch.counts);
    let (rows, multipliers, particles) = (&state.rows, &state.multipliers, state.particles);
    let omega = model.settings.omega;
    threads.chunks(&mut scratch.next, 1, |first, next| {
        for (k, after) in next.iter_mut().enumerate() {
            let entries = entries(model, first + k);
            let sum = entries.iter().fold([0.0; 4], |sum, e| {
                let group = &model.groups[usize::from(e.group)];
                let lambda = &multipliers[usize::from(e.group)];
                let share = group.kind.visit(One { scales, group, rows, split, lambda, slot: e.slot as usize });
                let own = share.rows[usize::from(e.place)];
                std::array::from_fn(|c| sum[c] + own[c])
            });
            *after = apply(rows[first + k], sum, entries.len(), omega, first + k >= particles);
        }
    });
    for (group, lambda) in model.groups.iter().zip(&mut state.multipliers) {
        let m = group.layout().multipliers;
        let rows = &state.rows;
        threads.chunks(lambda, m * BLOCK, |first, piece| {
            for slot in 0..piece.len() / m {
                let block = slot / BLOCK;
                let local = One { scales, group, rows, split, lambda: piece, slot: first * BLOCK + slot };
                let after = local.at(first).lambda;
                for (c, value) in after.iter().enumerate().take(m) {
                    piece[(block * m + c) * BLOCK + slot % BLOCK] = *value;
                }
            }
        });
    }
    std::mem::swap(&mut state.rows, &mut scratch.next);
}

fn split<'a>(model: &ConstraintModel<'_>, counts: &'a [f32]) -> Split<'a> {
    let counts = if model.settings.method != Method::Pbd { counts } else { &counts[..0] };
    Split { counts, omega: model.settings.omega }
}

fn entries<'a>(model: &ConstraintModel<'a>, row: usize) -> &'a [crate::constraints::group::Entry] {
    let offsets = &model.incidence.offsets;
    &model.incidence.entries[offsets[row] as usize..offsets[row + 1] as usize]
}

fn layout_rows(model: &ConstraintModel<'_>, group: u16) -> usize {
    model.groups[usize::from(group)].layout().rows
}

/// Index of a row's correction: slots are `[block][row of the constraint][lane]`.
fn slot_index(n: usize, slot: usize, place: usize) -> usize {
    (slot / BLOCK * n + place) * BLOCK + slot % BLOCK
}

fn apply(row: RowData, sum: RowData, count: usize, omega: f32, orientation: bool) -> RowData {
    if count == 0 {
        return row;
    }
    let s = omega / count as f32;
    if !orientation {
        return [row[0] + sum[0] * s, row[1] + sum[1] * s, row[2] + sum[2] * s, row[3]];
    }
    let q: RowData = std::array::from_fn(|c| row[c] + sum[c] * s);
    let length = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
    q.map(|c| c / length)
}

/// Scatters the corrections of one group's blocks to slots.
struct Scatter<'a> {
    isa: Isa,
    scales: Scales<f32>,
    group: &'a Group,
    rows: &'a [RowData],
    first: usize,
    split: Split<'a>,
    lambda: &'a mut [f32],
    slots: &'a mut [RowData],
}

impl Visitor for Scatter<'_> {
    type Output = ();
    fn visit<K: Constraint<N, P, M>, const N: usize, const P: usize, const M: usize>(self) {
        match self.isa.width() {
            LaneWidth::Scalar => scatter_blocks::<f32, K, N, P, M>(self),
            #[cfg(not(target_arch = "x86_64"))]
            LaneWidth::Four => scatter_blocks::<crate::runtime::cpu::simd::Four, K, N, P, M>(self),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an `Isa` of AVX2 only exists where the processor was seen to have it.
            LaneWidth::Avx2 => unsafe { scatter_avx2::<K, N, P, M>(self) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn scatter_avx2<K: Constraint<N, P, M>, const N: usize, const P: usize, const M: usize>(work: Scatter<'_>) {
    scatter_blocks::<crate::runtime::cpu::simd::Eight, K, N, P, M>(work);
}

#[inline(always)]
fn scatter_blocks<F: Pack, K: Constraint<N, P, M>, const N: usize, const P: usize, const M: usize>(work: Scatter<'_>) {
    let scales = Scales::<F>::splat(work.scales);
    let omega = F::splat(work.split.omega);
    let lambda = work.lambda.chunks_exact_mut(M * BLOCK);
    for (b, (lambda, slots)) in lambda.zip(work.slots.chunks_exact_mut(N * BLOCK)).enumerate() {
        let block = work.first + b;
        let index = &work.group.rows[block * N * BLOCK..(block + 1) * N * BLOCK];
        let params = &work.group.params[block * P * BLOCK..(block + 1) * P * BLOCK];
        for part in (0..BLOCK).step_by(F::WIDTH) {
            let rows = std::array::from_fn(|k| {
                let index = &index[k * BLOCK + part..(k + 1) * BLOCK];
                // SAFETY: `builder::packing` has proved the indices in range; no thread writes rows in this pass.
                let row = unsafe { F::gather(work.rows, index) };
                if K::TURNS { row } else { work.split.split_mass(row, index) }
            });
            let p = std::array::from_fn(|k| F::load(&params[k * BLOCK + part..(k + 1) * BLOCK]));
            let l = std::array::from_fn(|k| F::load(&lambda[k * BLOCK + part..(k + 1) * BLOCK]));
            let update = K::project(&scales, &p, &rows, &l);
            for k in 0..N {
                let own: [u32; BLOCK] = std::array::from_fn(|lane| (k * BLOCK + part + lane) as u32);
                // SAFETY: the slots of this block belong to it alone; `own` stays below N × BLOCK because
                // only the first WIDTH lanes from `part` on are written.
                unsafe { F::scatter(update.rows[k], slots, &own, F::WIDTH) };
            }
            for k in 0..M {
                (l[k] + (update.lambda[k] - l[k]) * omega).store(&mut lambda[k * BLOCK + part..(k + 1) * BLOCK]);
            }
        }
    }
}

/// One constraint, scalar.
struct One<'a> {
    scales: Scales<f32>,
    group: &'a Group,
    rows: &'a [RowData],
    split: Split<'a>,
    lambda: &'a [f32],
    slot: usize,
}

/// Its corrections, including the over-relaxed multiplier.
struct Share {
    rows: [RowData; 4],
    lambda: [f32; 6],
}

impl One<'_> {
    /// With `lambda` starting at block `first`.
    fn at(&self, first: usize) -> Share {
        struct Local<'a>(&'a One<'a>, usize);
        impl Visitor for Local<'_> {
            type Output = Share;
            fn visit<K: Constraint<N, P, M>, const N: usize, const P: usize, const M: usize>(self) -> Share {
                project_one::<K, N, P, M>(self.0, self.1)
            }
        }
        self.group.kind.visit(Local(self, first))
    }
}

impl Visitor for One<'_> {
    type Output = Share;
    fn visit<K: Constraint<N, P, M>, const N: usize, const P: usize, const M: usize>(self) -> Share {
        project_one::<K, N, P, M>(&self, 0)
    }
}

fn project_one<K: Constraint<N, P, M>, const N: usize, const P: usize, const M: usize>(
    one: &One<'_>,
    first: usize,
) -> Share {
    let (block, lane) = (one.slot / BLOCK, one.slot % BLOCK);
    let rows = std::array::from_fn(|k| {
        let index = [one.group.rows[(block * N + k) * BLOCK + lane]];
        let [x, y, z, w] = one.rows[index[0] as usize];
        let row = Row { v: crate::math::V3::new(x, y, z), w };
        if K::TURNS { row } else { one.split.split_mass(row, &index) }
    });
    let p = std::array::from_fn(|k| one.group.params[(block * P + k) * BLOCK + lane]);
    let l: [f32; M] = std::array::from_fn(|k| one.lambda[((block - first) * M + k) * BLOCK + lane]);
    let update = K::project(&Scales::splat(one.scales), &p, &rows, &l);
    let mut share = Share { rows: [[0.0; 4]; 4], lambda: [0.0; 6] };
    for (to, from) in share.rows.iter_mut().zip(&update.rows) {
        *to = [from.v.x, from.v.y, from.v.z, from.w];
    }
    for k in 0..M {
        share.lambda[k] = l[k] + (update.lambda[k] - l[k]) * f32::splat(one.split.omega);
    }
    share
}
