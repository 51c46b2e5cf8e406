//! The kernel of contacts: manifolds in blocks of eight, lane by lane.

use crate::math::{Row, RowData, V3};
use crate::rigid_body::contact_solver::ContactConstraint;
use crate::rigid_body::manifold::POINTS;
use crate::runtime::cpu::simd::Pack;
use crate::runtime::cpu::{Isa, LaneWidth};
use glam::DVec3;

/// Manifolds of a block.
pub(crate) const LANES: usize = 8;
/// Rows of a body: velocity and inverse mass, spin, way, rotation, inverse inertia in two rows, and two unused, so that a
/// body has two cache lines.
pub(crate) const ROWS: usize = 8;
pub(crate) const SPIN: usize = 1;
pub(crate) const MOVED: usize = 2;
pub(crate) const TURNED: usize = 3;
pub(crate) const DIAGONAL: usize = 4;
pub(crate) const CROSSED: usize = 5;
/// Colors that a body keeps track of; manifolds beyond are solved one by one.
pub(crate) const COLORS: usize = 64;

pub(crate) type Lanes = [f32; LANES];

/// A point of eight manifolds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Point {
    pub(crate) place: [Lanes; 2],
    pub(crate) separation: Lanes,
    pub(crate) mass: Lanes,
    pub(crate) lever: Lanes,
    pub(crate) impulse: Lanes,
}

/// Eight manifolds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    /// First row of both bodies.
    pub(crate) bodies: [[u32; LANES]; 2],
    pub(crate) normal: [Lanes; 3],
    pub(crate) tangent: [Lanes; 3],
    pub(crate) center: [[Lanes; 3]; 2],
    pub(crate) coupling: [Lanes; 6],
    pub(crate) tangent_mass: [Lanes; 3],
    pub(crate) twist_mass: Lanes,
    pub(crate) static_friction: Lanes,
    pub(crate) kinetic_friction: Lanes,
    pub(crate) friction: [Lanes; 2],
    pub(crate) twist: Lanes,
    pub(crate) points: [Point; POINTS],
    /// Impulses of the points and of friction, summed over the small steps so far.
    pub(crate) sums: [Lanes; POINTS + 2],
    /// Lanes in use.
    pub(crate) live: usize,
    /// Most points of one of them.
    pub(crate) most: usize,
    /// Whether the first bodies are colliders, which no impulse moves.
    pub(crate) still: bool,
}

/// Numbers of a pass.
#[derive(Clone, Copy)]
pub(crate) struct PassNumbers {
    pub(crate) inv_h: f32,
    pub(crate) bias_rate: f32,
    pub(crate) mass_scale: f32,
    pub(crate) impulse_scale: f32,
    pub(crate) push_speed: f32,
}

impl Block {
    /// Puts a manifold into a lane.
    pub(crate) fn put(&mut self, lane: usize, contact: &ContactConstraint) {
        let vector = |to: &mut [Lanes; 3], v: DVec3| {
            (to[0][lane], to[1][lane], to[2][lane]) = (v.x as f32, v.y as f32, v.z as f32);
        };
        vector(&mut self.normal, contact.normal);
        vector(&mut self.tangent, contact.tangents[0]);
        for side in 0..2 {
            self.bodies[side][lane] = (ROWS * contact.bodies[side]) as u32;
            vector(&mut self.center[side], contact.center[side]);
            self.friction[side][lane] = contact.friction[side] as f32;
        }
        self.coupling.iter_mut().zip(contact.coupling).for_each(|(to, v)| to[lane] = v as f32);
        self.tangent_mass.iter_mut().zip(contact.tangent_mass).for_each(|(to, v)| to[lane] = v as f32);
        self.twist_mass[lane] = contact.twist_mass as f32;
        self.static_friction[lane] = contact.law.static_friction as f32;
        self.kinetic_friction[lane] = contact.law.kinetic_friction as f32;
        self.twist[lane] = contact.twist as f32;
        for (to, p) in self.points.iter_mut().zip(&contact.points[..contact.count]) {
            (to.place[0][lane], to.place[1][lane]) = (p.place[0] as f32, p.place[1] as f32);
            to.separation[lane] = p.separation as f32;
            to.mass[lane] = p.mass as f32;
            to.lever[lane] = p.lever() as f32;
            to.impulse[lane] = p.impulse as f32;
        }
        self.live = self.live.max(lane + 1);
        self.most = self.most.max(contact.count);
    }

    /// Adds the impulses of a small step to the sums.
    pub(crate) fn accumulate(&mut self) {
        let impulses = self.points.iter().map(|p| &p.impulse).chain(&self.friction);
        for (sum, impulse) in self.sums.iter_mut().zip(impulses) {
            sum.iter_mut().zip(impulse).for_each(|(sum, impulse)| *sum += impulse);
        }
    }
}

/// One pass over blocks, which share no body with another block of their color.
pub(crate) fn pass(isa: Isa, blocks: &mut [Block], rows: &mut [RowData], numbers: &PassNumbers, biased: bool) {
    match isa.width() {
        LaneWidth::Scalar => pass_lanes::<f32>(blocks, rows, numbers, biased),
        #[cfg(not(target_arch = "x86_64"))]
        LaneWidth::Four => pass_lanes::<crate::runtime::cpu::simd::Four>(blocks, rows, numbers, biased),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: an `Isa` of AVX2 only exists where the processor was seen to have it.
        LaneWidth::Avx2 => unsafe { pass_avx2(blocks, rows, numbers, biased) },
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn pass_avx2(blocks: &mut [Block], rows: &mut [RowData], numbers: &PassNumbers, biased: bool) {
    pass_lanes::<crate::runtime::cpu::simd::Eight>(blocks, rows, numbers, biased);
}

#[inline(always)]
fn pass_lanes<P: Pack>(blocks: &mut [Block], rows: &mut [RowData], numbers: &PassNumbers, biased: bool) {
    for block in blocks {
        for first in (0..block.live).step_by(P::WIDTH) {
            solve_lanes::<P>(block, rows, numbers, biased, first);
        }
    }
}

/// A body in lanes.
#[derive(Clone, Copy)]
struct BodyLanes<P> {
    velocity: V3<P>,
    inverse_mass: P,
    spin: V3<P>,
    moved: V3<P>,
    turned: V3<P>,
    diagonal: V3<P>,
    crossed: V3<P>,
}

impl<P: Pack> BodyLanes<P> {
    #[inline(always)]
    fn gather(rows: &[RowData], index: &[u32]) -> Self {
        let velocity = take::<P>(rows, index, 0);
        Self {
            velocity: velocity.v,
            inverse_mass: velocity.w,
            spin: take::<P>(rows, index, SPIN).v,
            moved: take::<P>(rows, index, MOVED).v,
            turned: take::<P>(rows, index, TURNED).v,
            diagonal: take::<P>(rows, index, DIAGONAL).v,
            crossed: take::<P>(rows, index, CROSSED).v,
        }
    }

    #[inline(always)]
    fn scatter(&self, rows: &mut [RowData], index: &[u32], live: usize) {
        let zero = P::splat(0.0);
        // SAFETY: as above; manifolds of a block share no body, and nothing else uses the rows.
        unsafe {
            P::scatter(Row { v: self.velocity, w: self.inverse_mass }, &raw mut *rows, index, live);
            P::scatter(Row { v: self.spin, w: zero }, &raw mut rows[SPIN..], index, live);
        }
    }

    /// Inverse inertia times a vector.
    #[inline(always)]
    fn turn(&self, v: V3<P>) -> V3<P> {
        let (d, c) = (self.diagonal, self.crossed);
        V3::new(d.x * v.x + c.x * v.y + c.y * v.z, c.x * v.x + d.y * v.y + c.z * v.z, c.y * v.x + c.z * v.y + d.z * v.z)
    }
}

// Functions instead of closures: only these are certain to be inlined into what is compiled for wide instructions.

/// Row of a kind of some bodies.
#[inline(always)]
fn take<P: Pack>(rows: &[RowData], index: &[u32], kind: usize) -> Row<P> {
    // SAFETY: rows are counted from that of the kind on, and every index is ROWS times the number of a body in `rows`.
    unsafe { P::gather(&raw const rows[kind..], index) }
}

#[inline(always)]
fn load<P: Pack>(from: &Lanes, first: usize) -> P {
    P::load(&from[first..])
}

#[inline(always)]
fn vector<P: Pack>(from: &[Lanes; 3], first: usize) -> V3<P> {
    V3::new(P::load(&from[0][first..]), P::load(&from[1][first..]), P::load(&from[2][first..]))
}

/// Friction: a torque about the normal, and a force in the plane.
#[inline(always)]
fn solve_friction<P: Pack>(
    block: &mut Block,
    [a, b]: [&mut BodyLanes<P>; 2],
    [normal, t0, t1, arm_a, arm_b]: [V3<P>; 5],
    first: usize,
) {
    let (zero, one) = (P::splat(0.0), P::splat(1.0));
    let (mut pressed, mut levers) = (zero, zero);
    for p in &block.points[..block.most] {
        let impulse = load::<P>(&p.impulse, first);
        pressed = pressed + impulse;
        levers = levers + impulse * load::<P>(&p.lever, first);
    }
    let most = load::<P>(&block.static_friction, first) * levers;
    let old = load::<P>(&block.twist, first);
    let twist = (old - load::<P>(&block.twist_mass, first) * normal.dot(b.spin - a.spin)).min(most).max(-most);
    twist.store(&mut block.twist[first..]);
    let torque = normal * (twist - old);
    a.spin = a.spin - a.turn(torque);
    b.spin = b.spin + b.turn(torque);

    let slip = b.velocity + b.spin.cross(arm_b) - a.velocity - a.spin.cross(arm_a);
    let (x, y) = (slip.dot(t0), slip.dot(t1));
    let mass = &block.tangent_mass;
    let (xx, xy, yy): (P, P, P) = (load::<P>(&mass[0], first), load::<P>(&mass[1], first), load::<P>(&mass[2], first));
    let old = [load::<P>(&block.friction[0], first), load::<P>(&block.friction[1], first)];
    let wanted = [old[0] - (xx * x + xy * y), old[1] - (xy * x + yy * y)];
    let size = (wanted[0] * wanted[0] + wanted[1] * wanted[1]).sqrt();
    // Coulomb: sticks within the static cone, else slides with the kinetic coefficient.
    let slides = load::<P>(&block.kinetic_friction, first) * pressed * size.safe_recip();
    let share = P::pick_gt(size, load::<P>(&block.static_friction, first) * pressed, slides, one);
    let new = [wanted[0] * share, wanted[1] * share];
    new[0].store(&mut block.friction[0][first..]);
    new[1].store(&mut block.friction[1][first..]);
    let impulse = t0 * (new[0] - old[0]) + t1 * (new[1] - old[1]);
    a.velocity = a.velocity - impulse * a.inverse_mass;
    a.spin = a.spin - a.turn(arm_a.cross(impulse));
    b.velocity = b.velocity + impulse * b.inverse_mass;
    b.spin = b.spin + b.turn(arm_b.cross(impulse));
}

/// The manifolds of some lanes: friction first, where no overlap is removed, then their points.
#[inline(always)]
fn solve_lanes<P: Pack>(block: &mut Block, rows: &mut [RowData], numbers: &PassNumbers, biased: bool, first: usize) {
    let numbers_of = block.bodies;
    let index = [&numbers_of[0][first..], &numbers_of[1][first..]];
    let (mut a, mut b) = (BodyLanes::<P>::gather(rows, index[0]), BodyLanes::<P>::gather(rows, index[1]));
    let (zero, one) = (P::splat(0.0), P::splat(1.0));
    let (normal, t0) = (vector::<P>(&block.normal, first), vector::<P>(&block.tangent, first));
    let t1 = normal.cross(t0);
    let [arm_a, arm_b] = [vector::<P>(&block.center[0], first), vector::<P>(&block.center[1], first)];

    // In velocities that remove overlap friction would see slip that is none, and load what it holds with it: pyramids of
    // twenty rows tremble with 6 J by that.
    if !biased {
        solve_friction(block, [&mut a, &mut b], [normal, t0, t1, arm_a, arm_b], first);
    }

    // Points: speeds and distances at the center and their slopes, which impulses of all points change.
    let (an, bn) = (arm_a.cross(normal), arm_b.cross(normal));
    let about = b.spin - a.spin;
    let mut speed = normal.dot(b.velocity - a.velocity) + bn.dot(b.spin) - an.dot(a.spin);
    let (mut tilt0, mut tilt1) = (t0.dot(about), t1.dot(about));
    let turned = b.turned - a.turned;
    let way = normal.dot(b.moved - a.moved) + bn.dot(b.turned) - an.dot(a.turned);
    let (lean0, lean1) = (t0.dot(turned), t1.dot(turned));
    let k = &block.coupling;
    let (k00, k01, k02): (P, P, P) = (load::<P>(&k[0], first), load::<P>(&k[1], first), load::<P>(&k[2], first));
    let (k11, k12, k22): (P, P, P) = (load::<P>(&k[3], first), load::<P>(&k[4], first), load::<P>(&k[5], first));
    let (mut sum, mut sum0, mut sum1) = (zero, zero, zero);
    let (rate, push, inv_h) = (P::splat(numbers.bias_rate), P::splat(numbers.push_speed), P::splat(numbers.inv_h));
    let (mass_scale, kept) = (P::splat(numbers.mass_scale), P::splat(1.0 - numbers.impulse_scale));
    for p in &mut block.points[..block.most] {
        let (u, w, old) = (load::<P>(&p.place[0], first), load::<P>(&p.place[1], first), load::<P>(&p.impulse, first));
        let gap = load::<P>(&p.separation, first) + way + u * lean0 + w * lean1;
        let approach = speed + u * tilt0 + w * tilt1;
        // An open gap may close within this small step, and no more.
        let bias = P::pick_gt(gap, zero, gap * inv_h, (rate * gap).max(-push));
        let scale = P::pick_gt(gap, zero, one, mass_scale);
        let keep = P::pick_gt(gap, zero, one, kept);
        let total = (old * keep - load::<P>(&p.mass, first) * scale * (approach + bias)).max(zero);
        // After positions have moved, a gap that is still open is for the next small step.
        let total = if biased { total } else { P::pick_gt(gap, zero, P::pick_gt(old, zero, total, zero), total) };
        total.store(&mut p.impulse[first..]);
        let change = total - old;
        speed = speed + (k00 + k01 * u + k02 * w) * change;
        tilt0 = tilt0 + (k01 + k11 * u + k12 * w) * change;
        tilt1 = tilt1 + (k02 + k12 * u + k22 * w) * change;
        sum = sum + change;
        sum0 = sum0 + u * change;
        sum1 = sum1 + w * change;
    }
    let torque = t0 * sum0 + t1 * sum1;
    a.velocity = a.velocity - normal * (sum * a.inverse_mass);
    a.spin = a.spin - a.turn(an * sum + torque);
    b.velocity = b.velocity + normal * (sum * b.inverse_mass);
    b.spin = b.spin + b.turn(bn * sum + torque);
    let live = (block.live - first).min(P::WIDTH);
    if !block.still {
        a.scatter(rows, index[0], live);
    }
    b.scatter(rows, index[1], live);
}
