//! Forces, Hessians and energies of the elements of a block of vertices, as many vertices at a time as the processor has
//! lanes. Results are bitwise equal for all widths.

use crate::constraints::bend::difference;
use crate::math::lane::atan2;
use crate::math::{Lane, Row, RowData, V3};
use crate::methods::vbd::pack::{Block, Hinge, Indices, Numbers, Packed, Sheet, Spring, Stencil, Tet};
use crate::runtime::cpu::simd::Pack;
use glam::{Mat3, Vec3};

/// Forces on the vertices of a block, and their Hessians: xx, yy, zz, xy, xz, yz.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BlockLocal {
    pub(super) force: [Numbers; 3],
    pub(super) hessian: [Numbers; 6],
    /// Shares of the vertices in the energies of their elements [J].
    pub(super) energy: Numbers,
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

    pub(super) fn add_force(&mut self, lane: usize, force: Vec3) {
        (0..3).for_each(|c| self.force[c][lane] += force[c]);
    }

    pub(super) fn add(&mut self, lane: usize, force: Vec3, hessian: Mat3) {
        self.add_force(lane, force);
        let h = hessian.to_cols_array_2d();
        let entries = [h[0][0], h[1][1], h[2][2], h[1][0], h[2][0], h[2][1]];
        self.hessian.iter_mut().zip(entries).for_each(|(to, entry)| to[lane] += entry);
    }
}

impl Packed {
    /// `H`: with Hessians, `E`: with energies.
    #[inline(always)]
    pub(super) fn add_all<F: Pack, const H: bool, const E: bool>(
        &self,
        x: &[RowData],
        block: &Block,
        lane: usize,
        sum: &mut Sum<F>,
    ) {
        let own = gather::<F>(x, &block.vertices, lane);
        for it in &self.springs[block.springs.clone()] {
            spring::<F, H, E>(it, x, own, lane, sum);
        }
        for it in &self.stencils[block.stencils.clone()] {
            stencil::<F, H, E>(it, x, own, lane, sum);
        }
        for it in &self.tets[block.tets.clone()] {
            tet::<F, H, E>(it, x, own, lane, sum);
        }
        let mut last = V3::zero();
        for (it, chained) in self.sheets[block.sheets.clone()].iter().zip(&self.chained[block.sheets.clone()]) {
            let e0 = if *chained { last } else { gather::<F>(x, &it.others[0], lane) - own };
            last = gather::<F>(x, &it.others[1], lane) - own;
            sheet::<F, H, E>(it, e0, last, lane, sum);
        }
        for it in &self.wings[block.wings.clone()] {
            wing::<F, H, E>(it, x, own, lane, sum);
        }
        for it in &self.edges[block.edges.clone()] {
            edge::<F, H, E>(it, x, own, lane, sum);
        }
    }
}

#[inline(always)]
pub(super) fn load<F: Pack>(numbers: &Numbers, lane: usize) -> F {
    F::load(&numbers[lane..])
}

/// Several of them. A loop instead of closures: only functions that are always inlined are certain to be compiled for the
/// wide instructions.
#[inline(always)]
pub(super) fn loads<F: Pack, const N: usize>(numbers: &[Numbers], lane: usize) -> [F; N] {
    let mut all = [F::splat(0.0); N];
    for k in 0..N {
        all[k] = load(&numbers[k], lane);
    }
    all
}

/// Positions of the vertices of some lanes.
#[inline(always)]
pub(super) fn gather<F: Pack>(x: &[RowData], indices: &Indices, lane: usize) -> V3<F> {
    gather_row::<F>(x, indices, lane).v
}

#[inline(always)]
pub(super) fn gather_row<F: Pack>(x: &[RowData], indices: &Indices, lane: usize) -> Row<F> {
    // SAFETY: indices are numbers of vertices, of which `x` has all (`Packed::check`), and `x` is shared for reading.
    unsafe { F::gather(x, &indices[lane..]) }
}

/// Sums of a block.
pub(super) struct Sum<F> {
    force: V3<F>,
    /// xx, yy, zz, xy, xz, yz.
    hessian: [F; 6],
    /// The part of the Hessian that is the same in all directions.
    even: F,
    energy: F,
}

impl<F: Pack> Sum<F> {
    #[inline(always)]
    pub(super) fn zero() -> Self {
        let zero = F::splat(0.0);
        Self { force: V3::zero(), hessian: [zero; 6], even: zero, energy: zero }
    }

    /// Adds k·v·vᵀ to the Hessian.
    #[inline(always)]
    fn outer(&mut self, k: F, v: V3<F>) {
        let [xx, yy, zz, xy, xz, yz] = self.hessian;
        let a = v * k;
        self.hessian = [xx + a.x * v.x, yy + a.y * v.y, zz + a.z * v.z, xy + a.x * v.y, xz + a.x * v.z, yz + a.y * v.z];
    }

    #[inline(always)]
    pub(super) fn store(&self, lane: usize, out: &mut BlockLocal) {
        self.force.x.store(&mut out.force[0][lane..]);
        self.force.y.store(&mut out.force[1][lane..]);
        self.force.z.store(&mut out.force[2][lane..]);
        for k in 0..6 {
            let entry = if k < 3 { self.hessian[k] + self.even } else { self.hessian[k] };
            entry.store(&mut out.hessian[k][lane..]);
        }
        self.energy.store(&mut out.energy[lane..]);
    }
}

#[inline(always)]
fn spring<F: Pack, const H: bool, const E: bool>(
    it: &Spring,
    x: &[RowData],
    own: V3<F>,
    lane: usize,
    sum: &mut Sum<F>,
) {
    let (rest, k) = (load::<F>(&it.numbers[0], lane), load::<F>(&it.numbers[1], lane));
    let d = own - gather::<F>(x, &it.others[0], lane);
    let length = d.length().max(F::splat(1e-12));
    let inverse = F::splat(1.0) / length;
    let along = d * inverse;
    sum.force = sum.force - along * (k * (length - rest));
    if E {
        let c = length - rest;
        sum.energy = sum.energy + F::splat(0.25) * k * c * c;
    }
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
fn stencil<F: Pack, const H: bool, const E: bool>(
    it: &Stencil,
    x: &[RowData],
    own: V3<F>,
    lane: usize,
    sum: &mut Sum<F>,
) {
    let (way, weight) = stencil_way::<F>(it, x, own, lane);
    let (rest, k) = (load::<F>(&it.numbers[3], lane), load::<F>(&it.numbers[4], lane));
    let zero = F::splat(0.0);
    let length = way.length().max(F::splat(1e-12));
    let inverse = F::splat(1.0) / length;
    let along = way * (weight * inverse);
    sum.force = sum.force - along * (k * (length - rest));
    if E {
        let (c, share) = (length - rest, load::<F>(&it.numbers[5], lane));
        sum.energy = sum.energy + F::splat(0.5) * share * k * c * c;
    }
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
fn tet<F: Pack, const H: bool, const E: bool>(it: &Tet, x: &[RowData], own: V3<F>, lane: usize, sum: &mut Sum<F>) {
    let t = TetShape::<F>::new(it, x, own, lane);
    let [mu, lambda, alpha] = loads::<F, 3>(&it.numbers[7..], lane);
    let one = F::splat(1.0);
    // μ times the first derivative of I²/(1 + I), and twice the second.
    let inverse = one / (one + t.invariant);
    let shear = mu * (one - inverse * inverse);
    sum.force = sum.force - (t.shape * shear + t.volume * (lambda * (t.j - alpha)));
    if E {
        sum.energy = sum.energy + F::splat(0.25) * t.energy(it, lane);
    }
    if H {
        let stiffening = F::splat(4.0) * mu * inverse * inverse * inverse;
        sum.outer(lambda, t.volume);
        sum.outer(stiffening, t.shape);
        let weights = load::<F>(&it.numbers[0], lane) + load(&it.numbers[1], lane) + load(&it.numbers[2], lane);
        sum.even = sum.even - weights * shear;
    }
}

/// A deformed membrane triangle (`sheet.rs`).
pub(super) struct Stretched<F> {
    pub(super) r: [V3<F>; 2],
    strain: [F; 3],
    pub(super) stress: [F; 3],
    /// The vertex's own shape gradient.
    n: [F; 2],
}

impl<F: Pack> Stretched<F> {
    /// From the edges to the two other corners.
    #[inline(always)]
    pub(super) fn new(numbers: &[Numbers; 7], e0: V3<F>, e1: V3<F>, lane: usize) -> Self {
        let [a, b, c, d, normal, cross, shear] = loads::<F, 7>(numbers, lane);
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
fn sheet<F: Pack, const H: bool, const E: bool>(it: &Sheet, e0: V3<F>, e1: V3<F>, lane: usize, sum: &mut Sum<F>) {
    let s = Stretched::<F>::new(&it.numbers, e0, e1, lane);
    if E {
        sum.energy = sum.energy + F::splat(1.0 / 3.0) * s.energy();
    }
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
pub(super) fn positive_part<F: Lane>([a, b, c]: [F; 3]) -> [F; 3] {
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

/// Adds ½kc² of an angle, with the gradient of c at the vertex.
#[inline(always)]
fn add_angle<F: Pack, const H: bool, const E: bool>(it: &Hinge, theta: F, g: V3<F>, lane: usize, sum: &mut Sum<F>) {
    let (rest, k) = (load::<F>(&it.numbers[0], lane), load::<F>(&it.numbers[1], lane));
    let c = difference(theta, rest);
    sum.force = sum.force - g * (k * c);
    if E {
        sum.energy = sum.energy + F::splat(0.125) * k * c * c;
    }
    if H {
        sum.outer(k, g);
    }
}

/// A dihedral angle at an opposite corner (`constraints/bend.rs`, first row).
#[inline(always)]
fn wing<F: Pack, const H: bool, const E: bool>(it: &Hinge, x: &[RowData], own: V3<F>, lane: usize, sum: &mut Sum<F>) {
    let b = gather::<F>(x, &it.others[0], lane);
    let c = gather::<F>(x, &it.others[1], lane);
    let d = gather::<F>(x, &it.others[2], lane);
    let e = d - c;
    let length = e.length();
    let n0 = (c - own).cross(d - own);
    let n1 = (d - b).cross(c - b);
    let theta = atan2(n0.cross(n1).dot(e) * length.safe_recip(), n0.dot(n1));
    let g = n0 * (-length * n0.length_squared().safe_recip());
    add_angle::<F, H, E>(it, theta, g, lane, sum);
}

/// A dihedral angle at an end of its edge (third row).
#[inline(always)]
fn edge<F: Pack, const H: bool, const E: bool>(it: &Hinge, x: &[RowData], own: V3<F>, lane: usize, sum: &mut Sum<F>) {
    let a = gather::<F>(x, &it.others[0], lane);
    let b = gather::<F>(x, &it.others[1], lane);
    let d = gather::<F>(x, &it.others[2], lane);
    let e = d - own;
    let per_length = e.length().safe_recip();
    let (da, db) = (d - a, d - b);
    let n0 = (own - a).cross(da);
    let n1 = db.cross(own - b);
    let theta = atan2(n0.cross(n1).dot(e) * per_length, n0.dot(n1));
    let (p, q) = (n0.length_squared().safe_recip(), n1.length_squared().safe_recip());
    let g = n0 * (p * (da.dot(e) * per_length)) + n1 * (q * (db.dot(e) * per_length));
    add_angle::<F, H, E>(it, theta, g, lane, sum);
}
