//! Hessians of elements in the modes that deform them, eight elements at a time. Results are bitwise equal for all widths.

use crate::constraints::bend;
use crate::math::{BLOCK, RowData, V3};
use crate::memory::of;
use crate::methods::vbd::lanes::{Stretched, gather, gather_row, load, loads, positive_part};
use crate::methods::vbd::pack::{Indices, Numbers, Round};
use crate::runtime::cpu::isa::{Isa, LaneWidth};
use crate::runtime::cpu::simd::Pack;
use glam::Mat3;

/// Modes of a group at most: four aggregates with four each.
pub(super) const MODES: usize = 16;
/// Pairs of its modes.
const PAIRS: usize = MODES * (MODES + 1) / 2;

/// Columns of the block of a pair of modes, a number for each lane; symmetric blocks have xx, yy, zz, xy, xz, yz alone.
pub(super) type LaneSums = [[Numbers; 9]; PAIRS];

/// An element before it is packed: its rows, numbers, and the parts of all modes of the group in it.
pub(super) struct Single<const I: usize, const P: usize, const C: usize> {
    pub(super) rows: [u32; I],
    pub(super) numbers: [f32; P],
    pub(super) parts: Vec<[f32; C]>,
}

/// Elements of one kind in batches of eight, with the parts of those modes that deform any of them.
#[derive(Default)]
pub(super) struct Batches<const I: usize, const P: usize, const C: usize> {
    rounds: Vec<Round<I, P>>,
    /// These modes, ascending.
    active: Vec<u32>,
    /// Batch by batch and mode by mode.
    parts: Vec<[Numbers; C]>,
}

impl<const I: usize, const P: usize, const C: usize> Batches<I, P, C> {
    pub(super) fn new(all: &[Single<I, P, C>]) -> Self {
        let modes = all.first().map_or(0, |one| one.parts.len());
        let deforms = |m: &u32| all.iter().any(|one| one.parts[*m as usize] != [0.0; C]);
        let active: Vec<u32> = (0..modes as u32).filter(deforms).collect();
        let (mut rounds, mut parts) = (Vec::new(), Vec::new());
        for eight in all.chunks(BLOCK) {
            // Lanes without an element have no stiffness, and rows that are in range.
            let rows =
                |i: usize| -> Indices { std::array::from_fn(|l| eight.get(l).map_or(eight[0].rows[0], |e| e.rows[i])) };
            let numbers = |p: usize| -> Numbers { std::array::from_fn(|l| eight.get(l).map_or(0.0, |e| e.numbers[p])) };
            rounds.push(Round { others: std::array::from_fn(rows), numbers: std::array::from_fn(numbers) });
            for &m in &active {
                let part = |c: usize| -> Numbers {
                    std::array::from_fn(|l| eight.get(l).map_or(0.0, |e| e.parts[m as usize][c]))
                };
                parts.push(std::array::from_fn(part));
            }
        }
        Self { rounds, active, parts }
    }

    pub(super) fn bytes(&self) -> u64 {
        of(&self.rounds) + of(&self.active) + of(&self.parts)
    }

    /// Adds the sums of all lanes, in a fixed order, to the blocks of all pairs of modes of the group.
    fn collect(&self, lanes: &LaneSums, sums: &mut [Mat3], symmetric: bool) {
        let mut own = lanes.iter();
        for (i, &m) in self.active.iter().enumerate() {
            for (&n, own) in self.active[..=i].iter().zip(&mut own) {
                let total = |k: usize| {
                    let s = &own[k];
                    let half: [f32; 4] = std::array::from_fn(|l| s[l] + s[l + 4]);
                    (half[0] + half[2]) + (half[1] + half[3])
                };
                let entries =
                    if symmetric { [0, 3, 4, 3, 1, 5, 4, 5, 2].map(total) } else { std::array::from_fn(total) };
                sums[(m * (m + 1) / 2 + n) as usize] += Mat3::from_cols_array(&entries);
            }
        }
    }
}

/// Springs and stencils: rows; their weights, rest [m], stiffness [N/m], least lateral stiffness relative to it; one part.
pub(super) type Lines = Batches<4, 7, 1>;
/// Membrane triangles: rows; shape gradients of the second and third [1/m], stiffness [J]; two parts.
pub(super) type Triangles = Batches<3, 7, 2>;
/// Dihedral angles or volumes: rows; stiffness; a part for each row.
pub(super) type Scalars = Batches<4, 1, 4>;

/// What kind of scalar.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ScalarKind {
    Angle,
    Volume,
}

/// Adds the elements of a group to the blocks of pairs of its modes. `least`: lateral stiffness of triangles, relative.
pub(super) fn add_all(
    isa: Isa,
    x: &[RowData],
    (lines, triangles, angles, volumes): (&Lines, &Triangles, &Scalars, &Scalars),
    least: f32,
    lanes: &mut LaneSums,
    sums: &mut [Mat3],
) {
    if !lines.rounds.is_empty() {
        run(isa, x, &AssemblyTask::Lines(lines), lanes);
        lines.collect(lanes, sums, true);
    }
    if !triangles.rounds.is_empty() {
        run(isa, x, &AssemblyTask::Triangles(triangles, least), lanes);
        triangles.collect(lanes, sums, false);
    }
    for (scalars, kind) in [(angles, ScalarKind::Angle), (volumes, ScalarKind::Volume)] {
        if !scalars.rounds.is_empty() {
            run(isa, x, &AssemblyTask::Scalars(scalars, kind), lanes);
            scalars.collect(lanes, sums, false);
        }
    }
}

/// Zeros.
pub(super) static NO_SUMS: LaneSums = [[[0.0; BLOCK]; 9]; PAIRS];

enum AssemblyTask<'a> {
    Lines(&'a Lines),
    Triangles(&'a Triangles, f32),
    Scalars(&'a Scalars, ScalarKind),
}

fn run(isa: Isa, x: &[RowData], task: &AssemblyTask<'_>, lanes: &mut LaneSums) {
    match isa.width() {
        LaneWidth::Scalar => run_lanes::<f32>(x, task, lanes),
        #[cfg(not(target_arch = "x86_64"))]
        LaneWidth::Four => run_lanes::<crate::runtime::cpu::simd::Four>(x, task, lanes),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: an `Isa` of AVX2 only exists where the processor was seen to have it.
        LaneWidth::Avx2 => unsafe { run_avx2(x, task, lanes) },
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn run_avx2(x: &[RowData], task: &AssemblyTask<'_>, lanes: &mut LaneSums) {
    run_lanes::<crate::runtime::cpu::simd::Eight>(x, task, lanes);
}

#[inline(always)]
fn run_lanes<F: Pack>(x: &[RowData], task: &AssemblyTask<'_>, lanes: &mut LaneSums) {
    match task {
        AssemblyTask::Lines(all) => add_lines::<F>(x, all, lanes),
        AssemblyTask::Triangles(all, least) => add_triangles::<F>(x, all, *least, lanes),
        AssemblyTask::Scalars(all, ScalarKind::Angle) => add_scalars::<F, true>(x, all, lanes),
        AssemblyTask::Scalars(all, ScalarKind::Volume) => add_scalars::<F, false>(x, all, lanes),
    }
}

/// Adds to a number of each lane; the first batch replaces what was there.
#[inline(always)]
fn add<F: Pack>(fresh: bool, to: &mut Numbers, lane: usize, value: F) {
    let sum = if fresh { value } else { load::<F>(to, lane) + value };
    sum.store(&mut to[lane..]);
}

#[inline(always)]
fn add_lines<F: Pack>(x: &[RowData], all: &Lines, lanes: &mut LaneSums) {
    let modes = all.active.len();
    for (number, (round, parts)) in all.rounds.iter().zip(all.parts.chunks_exact(modes.max(1))).enumerate() {
        let fresh = number == 0;
        for lane in (0..BLOCK).step_by(F::WIDTH) {
            let w = loads::<F, 7>(&round.numbers, lane);
            // Relative to the first row: far from the origin the sum would lose a small curvature.
            let origin = gather::<F>(x, &round.others[0], lane);
            let mut s = (gather::<F>(x, &round.others[1], lane) - origin) * w[1];
            // Springs have no third and fourth row.
            if round.numbers[2] != [0.0; BLOCK] {
                s = s
                    + ((gather::<F>(x, &round.others[2], lane) - origin) * w[2]
                        + (gather::<F>(x, &round.others[3], lane) - origin) * w[3]);
            }
            let (one, zero) = (F::splat(1.0), F::splat(0.0));
            let length = s.length().max(F::splat(1e-12));
            let stretched = (one - w[4] / length).max(w[6]);
            let lateral = w[5] * F::pick_gt(w[4], zero, stretched, one);
            let along = s * ((w[5] - lateral) / (length * length));
            let block = [
                along.x * s.x + lateral,
                along.y * s.y + lateral,
                along.z * s.z + lateral,
                along.x * s.y,
                along.x * s.z,
                along.y * s.z,
            ];
            let mut pair = 0;
            for m in 0..modes {
                let first = load::<F>(&parts[m][0], lane);
                for second in &parts[..=m] {
                    let weight = first * load::<F>(&second[0], lane);
                    let sums = &mut lanes[pair];
                    for k in 0..6 {
                        add(fresh, &mut sums[k], lane, weight * block[k]);
                    }
                    pair += 1;
                }
            }
        }
    }
}

/// a·bᵀ, its columns.
#[inline(always)]
fn outer<F: Pack>(a: V3<F>, b: V3<F>) -> [V3<F>; 3] {
    [a * b.x, a * b.y, a * b.z]
}

#[inline(always)]
fn add_triangles<F: Pack>(x: &[RowData], all: &Triangles, least: f32, lanes: &mut LaneSums) {
    let modes = all.active.len();
    for (number, (round, parts)) in all.rounds.iter().zip(all.parts.chunks_exact(modes.max(1))).enumerate() {
        let fresh = number == 0;
        for lane in (0..BLOCK).step_by(F::WIDTH) {
            let origin = gather::<F>(x, &round.others[0], lane);
            let e0 = gather::<F>(x, &round.others[1], lane) - origin;
            let e1 = gather::<F>(x, &round.others[2], lane) - origin;
            let it = Stretched::<F>::new(&round.numbers, e0, e1, lane);
            let [normal, cross, shear] = loads::<F, 3>(&round.numbers[4..], lane);
            let [mut s00, mut s11, s01] = positive_part(it.stress);
            let even = F::splat(least) * normal;
            (s00, s11) = (s00 + even, s11 + even);
            let [r0, r1] = it.r;
            let (o00, o11) = (outer(r0, r0), outer(r1, r1));
            let (o01, o10) = (outer(r0 * cross, r1), outer(r1 * shear, r0));
            // Columns of the matrices of the Hessian Σ nₐqᵦAₐᵦ of two modes, tension included; A₁₀ is A₀₁ᵀ.
            let mut a00 = [V3::zero(); 3];
            let mut a11 = [V3::zero(); 3];
            let mut a01 = [V3::zero(); 3];
            for c in 0..3 {
                a00[c] = o00[c] * normal + o11[c] * shear;
                a11[c] = o11[c] * normal + o00[c] * shear;
                a01[c] = o01[c] + o10[c];
            }
            (a00[0].x, a00[1].y, a00[2].z) = (a00[0].x + s00, a00[1].y + s00, a00[2].z + s00);
            (a11[0].x, a11[1].y, a11[2].z) = (a11[0].x + s11, a11[1].y + s11, a11[2].z + s11);
            (a01[0].x, a01[1].y, a01[2].z) = (a01[0].x + s01, a01[1].y + s01, a01[2].z + s01);
            let a10 = [
                V3::new(a01[0].x, a01[1].x, a01[2].x),
                V3::new(a01[0].y, a01[1].y, a01[2].y),
                V3::new(a01[0].z, a01[1].z, a01[2].z),
            ];
            let mut pair = 0;
            for m in 0..modes {
                let (u, v) = (load::<F>(&parts[m][0], lane), load::<F>(&parts[m][1], lane));
                let mut left = [V3::zero(); 3];
                let mut right = [V3::zero(); 3];
                for c in 0..3 {
                    left[c] = a00[c] * u + a10[c] * v;
                    right[c] = a01[c] * u + a11[c] * v;
                }
                for second in &parts[..=m] {
                    let (p, q) = (load::<F>(&second[0], lane), load::<F>(&second[1], lane));
                    let sums = &mut lanes[pair];
                    for c in 0..3 {
                        let column = left[c] * p + right[c] * q;
                        add(fresh, &mut sums[3 * c], lane, column.x);
                        add(fresh, &mut sums[3 * c + 1], lane, column.y);
                        add(fresh, &mut sums[3 * c + 2], lane, column.z);
                    }
                    pair += 1;
                }
            }
        }
    }
}

#[inline(always)]
fn add_scalars<F: Pack, const ANGLE: bool>(x: &[RowData], all: &Scalars, lanes: &mut LaneSums) {
    let modes = all.active.len();
    for (number, (round, parts)) in all.rounds.iter().zip(all.parts.chunks_exact(modes.max(1))).enumerate() {
        let fresh = number == 0;
        for lane in (0..BLOCK).step_by(F::WIDTH) {
            let g = if ANGLE { angle_gradients::<F>(x, round, lane) } else { volume_gradients::<F>(x, round, lane) };
            let k = load::<F>(&round.numbers[0], lane);
            let mut along = [V3::zero(); MODES];
            for m in 0..modes {
                let w = loads::<F, 4>(&parts[m], lane);
                along[m] = (g[0] * w[0] + g[1] * w[1]) + (g[2] * w[2] + g[3] * w[3]);
            }
            let mut pair = 0;
            for m in 0..modes {
                let first = along[m] * k;
                for second in &along[..=m] {
                    let columns = outer(first, *second);
                    let sums = &mut lanes[pair];
                    for c in 0..3 {
                        add(fresh, &mut sums[3 * c], lane, columns[c].x);
                        add(fresh, &mut sums[3 * c + 1], lane, columns[c].y);
                        add(fresh, &mut sums[3 * c + 2], lane, columns[c].z);
                    }
                    pair += 1;
                }
            }
        }
    }
}

#[inline(always)]
fn angle_gradients<F: Pack>(x: &[RowData], round: &Round<4, 1>, lane: usize) -> [V3<F>; 4] {
    let rows = [
        gather_row::<F>(x, &round.others[0], lane),
        gather_row::<F>(x, &round.others[1], lane),
        gather_row::<F>(x, &round.others[2], lane),
        gather_row::<F>(x, &round.others[3], lane),
    ];
    bend::angle(&rows).1
}

#[inline(always)]
fn volume_gradients<F: Pack>(x: &[RowData], round: &Round<4, 1>, lane: usize) -> [V3<F>; 4] {
    let origin = gather::<F>(x, &round.others[0], lane);
    let e0 = gather::<F>(x, &round.others[1], lane) - origin;
    let e1 = gather::<F>(x, &round.others[2], lane) - origin;
    let e2 = gather::<F>(x, &round.others[3], lane) - origin;
    let sixth = F::splat(1.0 / 6.0);
    let (a, b, c) = (e1.cross(e2) * sixth, e2.cross(e0) * sixth, e0.cross(e1) * sixth);
    [-(a + b + c), a, b, c]
}

/// Part of a mode in a sum with weights. What vanishes but for rounding is zero: affine motions do not bend a flat hinge, and
/// moving does not stretch.
pub(super) fn part(weights: &[f32], mode: &[f32; 4]) -> f32 {
    let products = || weights.iter().zip(mode).map(|(w, m)| w * m);
    let (sum, size) = (products().fold(0.0, |a, b| a + b), products().fold(0.0, |a: f32, b| a + b.abs()));
    if sum.abs() <= 1e-5 * size { 0.0 } else { sum }
}
