//! Passes over the blocks of a body: forces, residuals of the implicit step, and the steps of a sweep.

use crate::math::{BLOCK, Row, RowData, V3};
use crate::methods::vbd::element::{self, at_row, force_at_row};
use crate::methods::vbd::lanes::{BlockLocal, Sum, gather, gather_row, load, loads};
use crate::methods::vbd::pack::{Block, Packed};
use crate::runtime::cpu::isa::{Isa, LaneWidth};
use crate::runtime::cpu::shared_slice::Shared;
use crate::runtime::cpu::simd::Pack;
use crate::runtime::cpu::threads::Threads;
use glam::{Mat3, Vec3};

/// Quantities computed for each block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Forces,
    ForcesAndEnergies,
    ForcesAndHessians,
}

/// A pass.
#[derive(Clone, Copy)]
struct BlockPass<'a> {
    what: What,
    x: &'a [RowData],
    /// Positions without forces, with m/h² of each vertex [N/m] in the fourth component, 0 where it is fixed; and where the
    /// rows go: steps to the minimum of each vertex with Hessians, else residuals. Elastic forces alone if there are none.
    inertia: Option<(&'a [RowData], Shared<'a, RowData>)>,
}

impl Packed {
    /// Elastic forces of all blocks.
    pub(super) fn forces(&self, isa: Isa, threads: &Threads, x: &[RowData], out: &mut [BlockLocal]) {
        self.pass(isa, threads, &BlockPass { what: What::Forces, x, inertia: None }, 0, out);
    }

    /// Elastic forces and Hessians of the blocks from `first` on.
    pub(super) fn locals(&self, isa: Isa, threads: &Threads, x: &[RowData], first: usize, out: &mut [BlockLocal]) {
        self.pass(isa, threads, &BlockPass { what: What::ForcesAndHessians, x, inertia: None }, first, out);
    }

    /// Elastic force on one vertex, and its Hessian.
    pub(super) fn local(&self, x: &[RowData], v: usize) -> (Vec3, Mat3) {
        self.check(x);
        let [block, lane] = self.slots[v];
        let mut out = [BlockLocal::default()];
        self.run(Isa::SCALAR, &BlockPass { what: What::ForcesAndHessians, x, inertia: None }, block as usize, &mut out);
        (out[0].force(lane as usize), out[0].hessian(lane as usize))
    }

    /// Forces on all vertices, inertia included [N]; `target` has m/h² in its fourth component. With `energies` each row has
    /// the vertex's share of the elastic energy in the fourth [J].
    pub(super) fn residual(
        &self,
        isa: Isa,
        threads: &Threads,
        (x, target): (&[RowData], &[RowData]),
        energies: bool,
        blocks: &mut [BlockLocal],
        out: &mut [RowData],
    ) {
        self.check(out);
        let what = if energies { What::ForcesAndEnergies } else { What::Forces };
        self.pass(isa, threads, &BlockPass { what, x, inertia: Some((target, Shared::new(out))) }, 0, blocks);
    }

    /// Steps of the vertices of the blocks from `first` on to the minima of their own problems, whose forces and Hessians,
    /// inertia included, are in `blocks` afterwards.
    pub(super) fn steps(
        &self,
        isa: Isa,
        threads: &Threads,
        (x, target): (&[RowData], &[RowData]),
        first: usize,
        blocks: &mut [BlockLocal],
        out: &mut [RowData],
    ) {
        self.check(out);
        let pass = BlockPass { what: What::ForcesAndHessians, x, inertia: Some((target, Shared::new(out))) };
        self.pass(isa, threads, &pass, first, blocks);
    }

    fn pass(&self, isa: Isa, threads: &Threads, pass: &BlockPass<'_>, first: usize, out: &mut [BlockLocal]) {
        self.check(pass.x);
        if let Some((target, _)) = pass.inertia {
            self.check(target);
        }
        threads.chunks(out, 1, |from, piece| self.run(isa, pass, first + from, piece));
    }

    /// All indices were taken from vertices of the body.
    fn check(&self, rows: &[RowData]) {
        assert!(rows.len() >= self.slots.len(), "{} rows for {} vertices", rows.len(), self.slots.len());
    }

    fn run(&self, isa: Isa, pass: &BlockPass<'_>, first: usize, out: &mut [BlockLocal]) {
        match isa.width() {
            LaneWidth::Scalar => self.run_lanes::<f32>(pass, first, out),
            #[cfg(not(target_arch = "x86_64"))]
            LaneWidth::Four => self.run_lanes::<crate::runtime::cpu::simd::Four>(pass, first, out),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an `Isa` of AVX2 only exists where the processor was seen to have it.
            LaneWidth::Avx2 => unsafe { self.run_avx2(pass, first, out) },
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn run_avx2(&self, pass: &BlockPass<'_>, first: usize, out: &mut [BlockLocal]) {
        self.run_lanes::<crate::runtime::cpu::simd::Eight>(pass, first, out);
    }

    #[inline(always)]
    fn run_lanes<F: Pack>(&self, pass: &BlockPass<'_>, first: usize, out: &mut [BlockLocal]) {
        for (block, out) in self.blocks[first..].iter().zip(out) {
            for lane in (0..BLOCK).step_by(F::WIDTH) {
                let mut sum = Sum::<F>::zero();
                match pass.what {
                    What::Forces => self.add_all::<F, false, false>(pass.x, block, lane, &mut sum),
                    What::ForcesAndEnergies => self.add_all::<F, false, true>(pass.x, block, lane, &mut sum),
                    What::ForcesAndHessians => self.add_all::<F, true, false>(pass.x, block, lane, &mut sum),
                }
                sum.store(lane, out);
            }
            if !block.others.is_empty() {
                self.add_others(pass, block, out);
            }
            if let Some((target, rows)) = pass.inertia {
                for lane in (0..BLOCK).step_by(F::WIDTH) {
                    let row = finish::<F>(pass, target, block, lane, out);
                    let live = block.count.saturating_sub(lane).min(F::WIDTH);
                    // SAFETY: vertices are in range (`check`), and each belongs to one block.
                    unsafe { F::scatter(row, rows.all(), &block.vertices[lane..], live) };
                }
            }
        }
    }

    /// Elements that have no lanes.
    #[inline(never)]
    fn add_others(&self, pass: &BlockPass<'_>, block: &Block, out: &mut BlockLocal) {
        for (lane, o) in &self.others[block.others.clone()] {
            let rows = o.rows.map(|r| pass.x[r as usize]);
            if pass.what == What::ForcesAndHessians {
                let (force, hessian) = at_row(o.kind, &o.params, &rows, o.place as usize);
                out.add(*lane, force, hessian);
            } else {
                out.add_force(*lane, force_at_row(o.kind, &o.params, &rows, o.place as usize));
            }
            if pass.what == What::ForcesAndEnergies {
                out.energy[*lane] += element::energy(o.kind, &o.params, &rows) / o.kind.layout().rows as f32;
            }
        }
    }
}

/// Adds inertia to the elastic forces of some vertices of a block. Returns their residual, or with Hessians their step.
#[inline(always)]
fn finish<F: Pack>(
    pass: &BlockPass<'_>,
    target: &[RowData],
    block: &Block,
    lane: usize,
    out: &mut BlockLocal,
) -> Row<F> {
    let own = gather::<F>(pass.x, &block.vertices, lane);
    let target = gather_row::<F>(target, &block.vertices, lane);
    let (inertia, zero) = (target.w, F::splat(0.0));
    let [x, y, z] = loads::<F, 3>(&out.force, lane);
    let all = V3::new(x, y, z) + (target.v - own) * inertia;
    let free = |v: F| F::pick_gt(inertia, zero, v, zero);
    if pass.what != What::ForcesAndHessians {
        return Row { v: V3::new(free(all.x), free(all.y), free(all.z)), w: load::<F>(&out.energy, lane) };
    }
    let [xx, yy, zz, xy, xz, yz] = loads::<F, 6>(&out.hessian, lane);
    let (xx, yy, zz) = (xx + inertia, yy + inertia, zz + inertia);
    all.x.store(&mut out.force[0][lane..]);
    all.y.store(&mut out.force[1][lane..]);
    all.z.store(&mut out.force[2][lane..]);
    xx.store(&mut out.hessian[0][lane..]);
    yy.store(&mut out.hessian[1][lane..]);
    zz.store(&mut out.hessian[2][lane..]);
    // By cofactors.
    let (a, b, c) = (yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy);
    let (d, e, f) = (xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy);
    let inverse = F::splat(1.0) / (xx * a + xy * b + xz * c);
    let step = V3::new(
        (a * all.x + b * all.y + c * all.z) * inverse,
        (b * all.x + d * all.y + e * all.z) * inverse,
        (c * all.x + e * all.y + f * all.z) * inverse,
    );
    Row { v: V3::new(free(step.x), free(step.y), free(step.z)), w: zero }
}
