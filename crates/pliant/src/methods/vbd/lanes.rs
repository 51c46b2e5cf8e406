//! Forces, Hessians and energies of the elements of a block of vertices, as many vertices at a time as the processor has
//! lanes. Results are bitwise equal for all widths.

use crate::constraints::bend;
use crate::math::{BLOCK, Lane, Row, RowData, V3};
use crate::methods::vbd::element::{self, at_row};
use crate::methods::vbd::pack::{Block, Hinge, Indices, Numbers, Packed, Sheet, Spring, Stencil, Tet};
use crate::runtime::cpu::isa::{Isa, LaneWidth};
use crate::runtime::cpu::simd::Pack;
use crate::runtime::cpu::threads::Threads;
use glam::{Mat3, Vec3};
use std::ops::Range;

/// Forces on the vertices of a block, and their Hessians: xx, yy, zz, xy, xz, yz.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BlockLocal {
    force: [Numbers; 3],
    hessian: [Numbers; 6],
}

impl BlockLocal {
    /// Elastic force on one vertex [N].
    #[inline]
    pub(super) fn force(&self, lane: usize) -> Vec3 {
        Vec3::new(self.force[0][lane], self.force[1][lane], self.force[2][lane])
    }

    /// Its Hessian [N/m].
    #[inline]
    pub(super) fn hessian(&self, lane: usize) -> Mat3 {
        let [xx, yy, zz, xy, xz, yz] = self.hessian.map(|numbers| numbers[lane]);
        Mat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz])
    }

    fn add(&mut self, lane: usize, force: Vec3, hessian: Mat3) {
        (0..3).for_each(|c| self.force[c][lane] += force[c]);
        let h = hessian.to_cols_array_2d();
        let entries = [h[0][0], h[1][1], h[2][2], h[1][0], h[2][0], h[2][1]];
        self.hessian.iter_mut().zip(entries).for_each(|(to, entry)| to[lane] += entry);
    }
}

/// What is computed of each block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Forces,
    ForcesAndHessians,
}

impl Packed {
    /// Elastic forces of all blocks.
    pub(super) fn forces(&self, isa: Isa, threads: &Threads, x: &[RowData], out: &mut [BlockLocal]) {
        self.check(x);
        threads.chunks(out, 1, |first, piece| self.run(isa, x, What::Forces, first, piece));
    }

    /// Elastic forces and Hessians of the blocks from `first` on.
    pub(super) fn locals(&self, isa: Isa, threads: &Threads, x: &[RowData], first: usize, out: &mut [BlockLocal]) {
        self.check(x);
        threads.chunks(out, 1, |from, piece| self.run(isa, x, What::ForcesAndHessians, first + from, piece));
    }

    /// Elastic force on one vertex, and its Hessian.
    pub(super) fn local(&self, x: &[RowData], v: usize) -> (Vec3, Mat3) {
        self.check(x);
        let [block, lane] = self.slots[v];
        let mut out = [BlockLocal::default()];
        self.run(Isa::SCALAR, x, What::ForcesAndHessians, block as usize, &mut out);
        (out[0].force(lane as usize), out[0].hessian(lane as usize))
    }

    /// Elastic energy [J].
    pub(super) fn energy(&self, isa: Isa, threads: &Threads, x: &[RowData]) -> f64 {
        self.check(x);
        threads.sum(self.blocks.len(), |range| self.energies(isa, x, range))
    }

    /// All indices were taken from vertices of the body.
    fn check(&self, x: &[RowData]) {
        assert!(x.len() >= self.slots.len(), "{} rows for {} vertices", x.len(), self.slots.len());
    }

    fn run(&self, isa: Isa, x: &[RowData], what: What, first: usize, out: &mut [BlockLocal]) {
        match isa.width() {
            LaneWidth::Scalar => self.run_lanes::<f32>(x, what, first, out),
            #[cfg(not(target_arch = "x86_64"))]
            LaneWidth::Four => self.run_lanes::<crate::runtime::cpu::simd::Four>(x, what, first, out),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an `Isa` of AVX2 only exists where the processor was seen to have it.
            LaneWidth::Avx2 => unsafe { self.run_avx2(x, what, first, out) },
        }
        for (block, out) in self.blocks[first..].iter().zip(out) {
            for (lane, o) in &self.others[block.others.clone()] {
                let rows = o.rows.map(|r| x[r as usize]);
                let (force, hessian) = at_row(o.kind, &o.params, &rows, o.place as usize);
                out.add(*lane, force, hessian);
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn run_avx2(&self, x: &[RowData], what: What, first: usize, out: &mut [BlockLocal]) {
        self.run_lanes::<crate::runtime::cpu::simd::Eight>(x, what, first, out);
    }

    #[inline(always)]
    fn run_lanes<F: Pack>(&self, x: &[RowData], what: What, first: usize, out: &mut [BlockLocal]) {
        for (block, out) in self.blocks[first..].iter().zip(out) {
            for lane in (0..BLOCK).step_by(F::WIDTH) {
                let mut sum = Sum::<F>::zero();
                match what {
                    What::Forces => self.add_all::<F, false>(x, block, lane, &mut sum),
                    What::ForcesAndHessians => self.add_all::<F, true>(x, block, lane, &mut sum),
                }
                sum.store(lane, out);
            }
        }
    }

    #[inline(always)]
    fn add_all<F: Pack, const H: bool>(&self, x: &[RowData], block: &Block, lane: usize, sum: &mut Sum<F>) {
        let own = gather::<F>(x, &block.vertices, lane);
        for it in &self.springs[block.springs.clone()] {
            spring::<F, H>(it, x, own, lane, sum);
        }
        for it in &self.stencils[block.stencils.clone()] {
            stencil::<F, H>(it, x, own, lane, sum);
        }
        for it in &self.tets[block.tets.clone()] {
            tet::<F, H>(it, x, own, lane, sum);
        }
        for it in &self.sheets[block.sheets.clone()] {
            sheet::<F, H>(it, x, own, lane, sum);
        }
        for it in &self.hinges[block.hinges.clone()] {
            hinge::<F, H>(it, x, lane, sum);
        }
    }

    fn energies(&self, isa: Isa, x: &[RowData], blocks: Range<usize>) -> f64 {
        let mut sum = match isa.width() {
            LaneWidth::Scalar => self.energy_lanes::<f32>(x, blocks.clone()),
            #[cfg(not(target_arch = "x86_64"))]
            LaneWidth::Four => self.energy_lanes::<crate::runtime::cpu::simd::Four>(x, blocks.clone()),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            LaneWidth::Avx2 => unsafe { self.energy_avx2(x, blocks.clone()) },
        };
        for (_, o) in blocks.flat_map(|b| &self.others[self.blocks[b].others.clone()]) {
            let rows = o.rows.map(|r| x[r as usize]);
            sum += f64::from(element::energy(o.kind, &o.params, &rows)) / o.kind.layout().rows as f64;
        }
        sum
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn energy_avx2(&self, x: &[RowData], blocks: Range<usize>) -> f64 {
        self.energy_lanes::<crate::runtime::cpu::simd::Eight>(x, blocks)
    }

    #[inline(always)]
    fn energy_lanes<F: Pack>(&self, x: &[RowData], blocks: Range<usize>) -> f64 {
        let mut all = 0.0;
        for block in &self.blocks[blocks] {
            let mut numbers = [0.0; BLOCK];
            for lane in (0..BLOCK).step_by(F::WIDTH) {
                self.block_energy::<F>(x, block, lane).store(&mut numbers[lane..]);
            }
            all += numbers[..block.count].iter().map(|&e| f64::from(e)).sum::<f64>();
        }
        all
    }

    /// Shares of the vertices in the energies of their elements.
    #[inline(always)]
    fn block_energy<F: Pack>(&self, x: &[RowData], block: &Block, lane: usize) -> F {
        let own = gather::<F>(x, &block.vertices, lane);
        let (half, third, quarter) = (F::splat(0.5), F::splat(1.0 / 3.0), F::splat(0.25));
        let mut sum = F::splat(0.0);
        for it in &self.springs[block.springs.clone()] {
            let c = (own - gather::<F>(x, &it.others[0], lane)).length() - load(&it.numbers[0], lane);
            sum = sum + quarter * load::<F>(&it.numbers[1], lane) * c * c;
        }
        for it in &self.stencils[block.stencils.clone()] {
            let (way, _) = stencil_way::<F>(it, x, own, lane);
            let c = way.length() - load(&it.numbers[3], lane);
            sum = sum + half * load::<F>(&it.numbers[5], lane) * load(&it.numbers[4], lane) * c * c;
        }
        for it in &self.tets[block.tets.clone()] {
            sum = sum + quarter * TetShape::<F>::new(it, x, own, lane).energy(it, lane);
        }
        for it in &self.sheets[block.sheets.clone()] {
            sum = sum + third * Stretched::<F>::new(it, x, own, lane).energy();
        }
        for it in &self.hinges[block.hinges.clone()] {
            let (c, _) = hinge_angle::<F>(it, x, lane);
            sum = sum + half * quarter * load::<F>(&it.numbers[1], lane) * c * c;
        }
        sum
    }
}

#[inline(always)]
fn load<F: Pack>(numbers: &Numbers, lane: usize) -> F {
    F::load(&numbers[lane..])
}

/// Several of them. A loop instead of closures: only functions that are always inlined are certain to be compiled for the
/// wide instructions.
#[inline(always)]
fn loads<F: Pack, const N: usize>(numbers: &[Numbers], lane: usize) -> [F; N] {
    let mut all = [F::splat(0.0); N];
    for k in 0..N {
        all[k] = load(&numbers[k], lane);
    }
    all
}

/// Positions of the vertices of some lanes.
#[inline(always)]
fn gather<F: Pack>(x: &[RowData], indices: &Indices, lane: usize) -> V3<F> {
    gather_row::<F>(x, indices, lane).v
}

#[inline(always)]
fn gather_row<F: Pack>(x: &[RowData], indices: &Indices, lane: usize) -> Row<F> {
    // SAFETY: indices are numbers of vertices, of which `x` has all (`Packed::check`), and `x` is shared for reading.
    unsafe { F::gather(x, &indices[lane..]) }
}

/// Sums of a block.
struct Sum<F> {
    force: V3<F>,
    /// xx, yy, zz, xy, xz, yz.
    hessian: [F; 6],
    /// The part of the Hessian that is the same in all directions.
    even: F,
}

impl<F: Pack> Sum<F> {
    #[inline(always)]
    fn zero() -> Self {
        let zero = F::splat(0.0);
        Self { force: V3::zero(), hessian: [zero; 6], even: zero }
    }

    /// Adds k·v·vᵀ to the Hessian.
    #[inline(always)]
    fn outer(&mut self, k: F, v: V3<F>) {
        let [xx, yy, zz, xy, xz, yz] = self.hessian;
        let a = v * k;
        self.hessian = [xx + a.x * v.x, yy + a.y * v.y, zz + a.z * v.z, xy + a.x * v.y, xz + a.x * v.z, yz + a.y * v.z];
    }

    #[inline(always)]
    fn store(&self, lane: usize, out: &mut BlockLocal) {
        self.force.x.store(&mut out.force[0][lane..]);
        self.force.y.store(&mut out.force[1][lane..]);
        self.force.z.store(&mut out.force[2][lane..]);
        for k in 0..6 {
            let entry = if k < 3 { self.hessian[k] + self.even } else { self.hessian[k] };
            entry.store(&mut out.hessian[k][lane..]);
        }
    }
}

#[inline(always)]
fn spring<F: Pack, const H: bool>(it: &Spring, x: &[RowData], own: V3<F>, lane: usize, sum: &mut Sum<F>) {
    let (rest, k) = (load::<F>(&it.numbers[0], lane), load::<F>(&it.numbers[1], lane));
    let d = own - gather::<F>(x, &it.others[0], lane);
    let length = d.length().max(F::splat(1e-12));
    let inverse = F::splat(1.0) / length;
    let along = d * inverse;
    sum.force = sum.force - along * (k * (length - rest));
    if H {
        let lateral = k * (F::splat(1.0) - rest * inverse).max(F::splat(0.0));
        sum.outer(k - lateral, along);
        sum.even = sum.even + lateral;
    }
}

/// s, relative to the vertex: far from the origin the sum would lose the small curvature. And the vertex's own weight.
#[inline(always)]
fn stencil_way<F: Pack>(it: &Stencil, x: &[RowData], own: V3<F>, lane: usize) -> (V3<F>, F) {
    let [a, b, c] = loads::<F, 3>(&it.numbers, lane);
    let d = gather::<F>(x, &it.others[0], lane) - own;
    let e = gather::<F>(x, &it.others[1], lane) - own;
    let f = gather::<F>(x, &it.others[2], lane) - own;
    (d * a + e * b + f * c, -(a + b + c))
}

#[inline(always)]
fn stencil<F: Pack, const H: bool>(it: &Stencil, x: &[RowData], own: V3<F>, lane: usize, sum: &mut Sum<F>) {
    let (way, weight) = stencil_way::<F>(it, x, own, lane);
    let (rest, k) = (load::<F>(&it.numbers[3], lane), load::<F>(&it.numbers[4], lane));
    let zero = F::splat(0.0);
    let length = way.length().max(F::splat(1e-12));
    let inverse = F::splat(1.0) / length;
    let along = way * (weight * inverse);
    sum.force = sum.force - along * (k * (length - rest));
    if H {
        let stretched = k * (F::splat(1.0) - rest * inverse).max(zero);
        let lateral = F::pick_gt(rest, zero, stretched, k);
        sum.outer(k - lateral, along);
        sum.even = sum.even + lateral * weight * weight;
    }
}

/// A tetrahedron near the current position of one of its corners.
struct TetShape<F> {
    /// Relative volume, and its gradient.
    j: F,
    volume: V3<F>,
    /// I = |F|², and half its gradient.
    invariant: F,
    shape: V3<F>,
}

impl<F: Pack> TetShape<F> {
    #[inline(always)]
    fn new(it: &Tet, x: &[RowData], own: V3<F>, lane: usize) -> Self {
        let w = loads::<F, 7>(&it.numbers, lane);
        let e0 = gather::<F>(x, &it.others[0], lane) - own;
        let e1 = gather::<F>(x, &it.others[1], lane) - own;
        let e2 = gather::<F>(x, &it.others[2], lane) - own;
        let (a, b, c) = (e1.cross(e2), e2.cross(e0), e0.cross(e1));
        let density = w[6];
        let own = w[0] * e0.length_squared() + w[1] * e1.length_squared() + w[2] * e2.length_squared();
        let (f0, f1, f2) = (e1 - e2, e2 - e0, e0 - e1);
        let across = w[3] * f0.length_squared() + w[4] * f1.length_squared() + w[5] * f2.length_squared();
        Self {
            j: e0.dot(a) * density,
            volume: (a + b + c) * -density,
            invariant: -(own + across),
            shape: e0 * w[0] + e1 * w[1] + e2 * w[2],
        }
    }

    /// Above that of the rest shape; differences of squares in factors, or single precision would lose them.
    #[inline(always)]
    fn energy(&self, it: &Tet, lane: usize) -> F {
        let [mu, lambda, alpha] = loads::<F, 3>(&it.numbers[7..], lane);
        let (j, i) = (self.j, self.invariant);
        let (half, one, two, three, four) = (F::splat(0.5), F::splat(1.0), F::splat(2.0), F::splat(3.0), F::splat(4.0));
        let hydrostatic = (j - one) * (j + one - two * alpha) * lambda;
        half * (hydrostatic + (i - three) * (four * i + three) / (four * (one + i)) * mu)
    }
}

#[inline(always)]
fn tet<F: Pack, const H: bool>(it: &Tet, x: &[RowData], own: V3<F>, lane: usize, sum: &mut Sum<F>) {
    let t = TetShape::<F>::new(it, x, own, lane);
    let [mu, lambda, alpha] = loads::<F, 3>(&it.numbers[7..], lane);
    let one = F::splat(1.0);
    // μ times the first derivative of I²/(1 + I), and twice the second.
    let inverse = one / (one + t.invariant);
    let shear = mu * (one - inverse * inverse);
    sum.force = sum.force - (t.shape * shear + t.volume * (lambda * (t.j - alpha)));
    if H {
        let stiffening = F::splat(4.0) * mu * inverse * inverse * inverse;
        sum.outer(lambda, t.volume);
        sum.outer(stiffening, t.shape);
        let weights = load::<F>(&it.numbers[0], lane) + load(&it.numbers[1], lane) + load(&it.numbers[2], lane);
        sum.even = sum.even - weights * shear;
    }
}

/// A deformed membrane triangle (`sheet.rs`).
struct Stretched<F> {
    r: [V3<F>; 2],
    strain: [F; 3],
    stress: [F; 3],
    /// The vertex's own shape gradient.
    n: [F; 2],
}

impl<F: Pack> Stretched<F> {
    #[inline(always)]
    fn new(it: &Sheet, x: &[RowData], own: V3<F>, lane: usize) -> Self {
        let [a, b, c, d, normal, cross, shear] = loads::<F, 7>(&it.numbers, lane);
        let e0 = gather::<F>(x, &it.others[0], lane) - own;
        let e1 = gather::<F>(x, &it.others[1], lane) - own;
        let (f0, f1) = (e0 * a + e1 * c, e0 * b + e1 * d);
        let (one, two, tiny) = (F::splat(1.0), F::splat(2.0), F::splat(1e-30));
        let (p, q) = (f0.length_squared(), f1.length_squared());
        let up = f0.cross(f1);
        let j = up.length();
        let n = up * (one / j.max(tiny));
        let inverse = one / (p + q + two * j).sqrt().max(tiny);
        let r = [(f0 + f1.cross(n)) * inverse, (f1 + n.cross(f0)) * inverse];
        let strain = [(p + j) * inverse - one, (q + j) * inverse - one, two * f0.dot(f1) * inverse];
        let stress =
            [normal * strain[0] + cross * strain[1], cross * strain[0] + normal * strain[1], shear * strain[2]];
        Self { r, strain, stress, n: [-(a + c), -(b + d)] }
    }

    #[inline(always)]
    fn energy(&self) -> F {
        let [a, b, c] = self.stress;
        F::splat(0.5) * (a * self.strain[0] + b * self.strain[1] + c * self.strain[2])
    }
}

#[inline(always)]
fn sheet<F: Pack, const H: bool>(it: &Sheet, x: &[RowData], own: V3<F>, lane: usize, sum: &mut Sum<F>) {
    let s = Stretched::<F>::new(it, x, own, lane);
    let ([r0, r1], [n0, n1], [t00, t11, t01]) = (s.r, s.n, s.stress);
    sum.force = sum.force - (r0 * (t00 * n0 + t01 * n1) + r1 * (t01 * n0 + t11 * n1));
    if H {
        let [normal, cross, shear] = loads::<F, 3>(&it.numbers[4..], lane);
        let (a, b) = (r0 * n0, r1 * n1);
        // normal·(aaᵀ + bbᵀ) + cross·(abᵀ + baᵀ), as squares.
        sum.outer(normal - cross, a);
        sum.outer(normal - cross, b);
        sum.outer(cross, a + b);
        sum.outer(shear, r0 * n1 + r1 * n0);
        let [s00, s11, s01] = positive_part(s.stress);
        sum.even = sum.even + n0 * n0 * s00 + n1 * n1 * s11 + F::splat(2.0) * n0 * n1 * s01;
    }
}

/// The positive part of a symmetric 2×2 matrix (xx, yy, xy).
#[inline(always)]
fn positive_part<F: Lane>([a, b, c]: [F; 3]) -> [F; 3] {
    let (zero, half) = (F::splat(0.0), F::splat(0.5));
    let (mean, off) = (half * (a + b), half * (a - b));
    let radius = (off * off + c * c).sqrt();
    let (high, low) = (mean + radius, mean - radius);
    // high · (A − low·I)/(high − low), the projection on the first eigenvector.
    let scale = high * (high - low).safe_recip();
    let scale = F::pick_gt(high, zero, scale, zero);
    [
        F::pick_gt(zero, low, (a - low) * scale, a),
        F::pick_gt(zero, low, (b - low) * scale, b),
        F::pick_gt(zero, low, c * scale, c),
    ]
}

/// How far the angle is from rest, and its gradient at the vertex.
#[inline(always)]
fn hinge_angle<F: Pack>(it: &Hinge, x: &[RowData], lane: usize) -> (F, V3<F>) {
    let rows = [
        gather_row::<F>(x, &it.others[0], lane),
        gather_row::<F>(x, &it.others[1], lane),
        gather_row::<F>(x, &it.others[2], lane),
        gather_row::<F>(x, &it.others[3], lane),
    ];
    let (theta, g) = bend::angle(&rows);
    let [rest, _, a, b, c, d] = loads::<F, 6>(&it.numbers, lane);
    (bend::difference(theta, rest), g[0] * a + g[1] * b + (g[2] * c + g[3] * d))
}

#[inline(always)]
fn hinge<F: Pack, const H: bool>(it: &Hinge, x: &[RowData], lane: usize, sum: &mut Sum<F>) {
    let (c, g) = hinge_angle::<F>(it, x, lane);
    let k = load::<F>(&it.numbers[1], lane);
    sum.force = sum.force - g * (k * c);
    if H {
        sum.outer(k, g);
    }
}
