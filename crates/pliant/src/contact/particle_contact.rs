//! Contact of two particles, with friction (S10, S18).
//!
//! Non-penetration: C(x) = |x_a − x_b| − (r_a + r_b) ≥ 0, for all contacts of a particle at once from the same
//! positions (averaged Jacobi, D4 §3.1.3). A particle with n contacts has 1/n of its mass in each of them: momentum is
//! then conserved per contact, and corrections need not be divided afterwards (the phantoms of S12, with contacts in
//! place of colors).
//! Between bodies (S22) particles have a depth below their surface and an outward direction: D4 4.21–4.24.
//! Friction: D4 3.38–3.40 with the sign of E19; bounded by μ times the accumulated normal correction of the substep, as
//! in [`super::collider_contact`].
//!
//! Everything is bitwise odd in the exchange of a and b: each side may compute the contact independently.

use crate::constraints::Row;
use crate::contact::collider_contact::{Friction, Push};
use crate::math::{Lane, V3};
use glam::Vec3;

/// Margin of the neighbor search, as a share of the mean radius of a pair. It must not depend on other particles: what is
/// found would.
pub const MARGIN: f32 = 0.1;

/// Radius of a particle in the neighbor search, half of the margin included [m].
pub fn search_radius(radius: f32) -> f32 {
    radius * (1.0 + 0.5 * MARGIN)
}

/// Overlap that stabilization leaves, as a share of a radius: resting contacts are handled by the solver.
pub const SLOP: f32 = 0.005;

/// Overlap that the rounding of positions may cause, as a share of the sums of their coordinates: it is no contact.
pub const ROUNDING: f32 = f32::EPSILON;

/// Pairs of one object closer at rest than this multiple of the sum of their radii are skipped.
pub const AT_REST: f32 = 1.5;

/// One of the two particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Side {
    /// Position [m].
    pub x: Vec3,
    /// Position at the start of the substep [m].
    pub start: Vec3,
    /// Radius [m].
    pub radius: f32,
    /// Inverse of the split mass in this contact [1/kg].
    pub inv_mass: f32,
    /// Particle index: breaks the symmetry of coincident particles.
    pub number: u32,
    /// Depth and outward direction in its body.
    pub field: Field,
}

/// Signed distance field of the body at this particle, D4 4.21.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Field {
    /// Unit vector of the shortest way out.
    pub outward: Vec3,
    /// Depth below the surface [m]; 0 for particles without a body.
    pub depth: f32,
}

/// Particles of a body less deep than this multiple of their radius are at its surface. The outermost layer is one
/// radius deep, the next three; D4's "less than a radius" would omit the former.
pub(crate) const SURFACE_LAYER: f32 = 1.5;

/// Overlap at the start of the substep, as a share of the radii, up to which particles of bodies are separated with
/// velocity. Deeper overlaps are left to pre-stabilization: bodies that start overlapped would otherwise be thrown
/// apart.
pub(crate) const QUIET_OVERLAP: f32 = 0.1;
/// The same for a free particle and a body.
pub(crate) const QUIET_OVERLAP_ALONE: f32 = 0.25;

/// Parameters of a contact pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactParams {
    /// Friction between particles.
    pub friction: Friction,
    /// Factor on every correction.
    pub omega: f32,
    /// Whether previous positions are corrected too (pre-stabilization), which adds no velocity.
    pub parts: bool,
    /// Distance by which a substep may separate particles that overlap [m]: recovery speed times h.
    pub recovery: f32,
}

/// Whether two particles at `a` and `b` overlap.
#[inline]
pub fn overlap(a: Vec3, b: Vec3, radii: f32) -> bool {
    a.distance_squared(b) < radii * radii
}

/// Projects one contact once. Returns the impulse on `a` [kg·m] (`b` has its opposite) and the accumulated impulse of
/// the substep [kg·m].
#[inline]
pub fn project(a: &Side, b: &Side, params: ContactParams, push: Push) -> (Vec3, Push) {
    let inv_mass = a.inv_mass + b.inv_mass;
    if inv_mass == 0.0 {
        return (Vec3::ZERO, push);
    }
    let (normal, inside) = normal_and_depth(a, b, params.parts);
    let scale = params.omega / inv_mass;
    let moved = (a.x - a.start) - (b.x - b.start);
    let inside = if params.parts || a.field.depth > 0.0 || b.field.depth > 0.0 {
        inside
    } else {
        (inside - (rounding(a.x) + rounding(b.x))).min(params.recovery - moved.dot(normal))
    };
    // E16: the multiplier is clamped, but earlier corrections of the substep may be undone.
    let total = (push.normal + inside * scale).max(0.0);
    if total == 0.0 && push.normal == 0.0 {
        return (Vec3::ZERO, push);
    }
    let slip = moved - normal * moved.dot(normal);
    let free = push.tangent - slip * scale;
    let (square, bound) = (free.length_squared(), params.friction.static_friction * total);
    // Most contacts stick and need no square root.
    let tangent = if square <= bound * bound {
        free
    } else {
        free * (params.friction.kinetic_friction * total / square.sqrt()).min(1.0)
    };
    (normal * (total - push.normal) + (tangent - push.tangent), Push { normal: total, tangent })
}

/// Share of a position in [`ROUNDING`] [m].
#[inline]
fn rounding(x: Vec3) -> f32 {
    ROUNDING * (x.x.abs() + x.y.abs() + x.z.abs())
}

/// Particles without a body, as SIMD lanes.
#[derive(Clone, Copy, Debug)]
pub struct FreeLanes<F> {
    /// Position [m], and radius [m].
    pub place: Row<F>,
    /// Position at the start of the substep [m], and inverse of the split mass in this contact [1/kg].
    pub start: Row<F>,
}

/// 1 where two particles overlap or have an accumulated impulse in this substep; otherwise 0.
#[inline(always)]
pub fn contact_mask<F: Lane>(a: Row<F>, b: Row<F>, pushed: F) -> F {
    let (zero, one, reach) = (F::splat(0.0), F::splat(1.0), a.w + b.w);
    F::pick_gt(reach * reach, (a.v - b.v).length_squared(), one, F::pick_gt(pushed, zero, one, zero))
}

/// Branch-free [`project`] for particles without a body, bitwise equal. `up` is 1 where `a` has the smaller index,
/// otherwise −1; `touched` is 0 for inactive lanes, otherwise 1. `push` is friction and normal impulse. Returns the
/// impulse on `a` [kg·m] and the new accumulated impulse.
#[inline(always)]
pub fn project_lanes<F: Lane>(
    a: &FreeLanes<F>,
    b: &FreeLanes<F>,
    up: F,
    touched: F,
    params: ContactParams,
    push: Row<F>,
) -> (V3<F>, Row<F>) {
    let (zero, one, tiny) = (F::splat(0.0), F::splat(1.0), F::splat(1e-12));
    let apart = a.place.v - b.place.v;
    let reach = a.place.w + b.place.w;
    let distance = apart.length();
    let line = apart * (one / distance);
    let normal = V3::new(
        F::pick_gt(distance, tiny, line.x, zero),
        F::pick_gt(distance, tiny, line.y, up),
        F::pick_gt(distance, tiny, line.z, zero),
    );
    let inv_mass = a.start.w + b.start.w;
    let scale = F::splat(params.omega) / inv_mass;
    let size = |v: V3<F>| v.x.abs() + v.y.abs() + v.z.abs();
    let tolerance = match params.parts {
        true => zero,
        false => F::splat(ROUNDING) * size(a.place.v) + F::splat(ROUNDING) * size(b.place.v),
    };
    let moved = (a.place.v - a.start.v) - (b.place.v - b.start.v);
    let along = moved.dot(normal);
    let inside = (reach - distance - tolerance).min(F::splat(params.recovery) - along);
    let total = (push.w + inside * scale).max(zero);
    let slip = moved - normal * along;
    let free = push.v - slip * scale;
    let (length, bound) = (free.length_squared(), F::splat(params.friction.static_friction) * total);
    let slid = free * (F::splat(params.friction.kinetic_friction) * total / length.sqrt()).min(one);
    let tangent = pick(length, bound * bound, slid, free);
    let impulse = normal * (total - push.w) + (tangent - push.v);
    // No change between two fixed particles, nor without a current or earlier impulse.
    let acts = F::pick_gt(total + push.w, zero, F::pick_gt(inv_mass, zero, touched, zero), zero);
    let done = Row { v: pick(acts, zero, tangent, push.v), w: F::pick_gt(acts, zero, total, push.w) };
    (pick(acts, zero, impulse, V3::zero()), done)
}

/// Per lane: `if a > b { yes } else { no }`.
#[inline(always)]
fn pick<F: Lane>(a: F, b: F, yes: V3<F>, no: V3<F>) -> V3<F> {
    V3::new(F::pick_gt(a, b, yes.x, no.x), F::pick_gt(a, b, yes.y, no.y), F::pick_gt(a, b, yes.z, no.z))
}

/// Contact normal toward `a` and penetration depth [m].
///
/// Free particles use the line between the centers. Of two particles deep in bodies, the one nearer to its surface
/// gives the normal (D4 4.22); otherwise interpenetrating bodies would stay so, as the center lines of all their
/// particles cancel. The depth is that of the deeper particle (D4's choice, since bodies respond slowly), at most the
/// sum of the radii: more would eject bodies. If one particle is at a surface, the center line is used, reflected where
/// it points inward (4.23).
///
/// Deep overlaps are resolved by pre-stabilization only. Passes that add velocity only prevent such particles from
/// approaching.
#[inline]
pub fn normal_and_depth(a: &Side, b: &Side, parts: bool) -> (Vec3, f32) {
    let apart = a.x - b.x;
    let distance = apart.length();
    let line = if distance > 1e-12 {
        apart * (1.0 / distance)
    } else if a.number < b.number {
        Vec3::Y
    } else {
        Vec3::NEG_Y
    };
    let inside = (a.radius + b.radius) - distance;
    let (mine, theirs) = (a.field.depth, b.field.depth);
    if (mine == 0.0 && theirs == 0.0) || inside <= 0.0 {
        return (line, inside);
    }
    // Ties go to the smaller index, so that both sides agree.
    let less = mine < theirs || (mine == theirs && a.number < b.number);
    let out = if theirs == 0.0 || (mine > 0.0 && less) { -a.field.outward } else { b.field.outward };
    let radii = a.radius + b.radius;
    let surface = |side: &Side| side.field.depth > 0.0 && side.field.depth < SURFACE_LAYER * side.radius;
    if surface(a) || surface(b) {
        let along = line.dot(out);
        let quiet = if mine > 0.0 && theirs > 0.0 { QUIET_OVERLAP } else { QUIET_OVERLAP_ALONE };
        let before = (radii - a.start.distance(b.start)) - quiet * radii;
        let new = if parts { inside } else { inside - before.max(0.0) };
        return (if along < 0.0 { line - out * (2.0 * along) } else { line }, new);
    }
    let way = if mine > 0.0 && theirs > 0.0 { out } else { line };
    if parts {
        return (way, mine.max(theirs).min(radii));
    }
    let moved = (a.x - a.start) - (b.x - b.start);
    (way, -moved.dot(way))
}
