//! A pair of features that may touch in a substep: a vertex and a triangle, or two edges.
//!
//! Non-penetration: C(x) = n·Σ βᵢ xᵢ − d ≥ 0, with the weights β and the unit normal n of the nearest points and d the sum
//! of the contact radii. Gradients are βᵢ n, so impulses βᵢ λ n on the vertices change no momentum. Friction is that of
//! particles ([`crate::contact::particle_contact`]): the tangential part of the relative motion since the start of the
//! substep, bounded by the accumulated normal impulse.

use crate::collision::Friction;
use crate::contact::collider_contact::Push;
use crate::math::V3;
use crate::surface_contact::conservative::time_of_contact;
use crate::surface_contact::features::{combine, edge_edge, vertex_triangle};
use glam::Vec3;

/// Kinds of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The first vertex, and the triangle of the other three.
    VertexTriangle,
    /// The edge of the first two vertices, and that of the others.
    EdgeEdge,
}

/// Nearest points of a pair.
#[derive(Clone, Copy, Debug)]
pub struct Feet {
    /// Weights of the vertices.
    pub weights: [f32; 4],
    /// From the second feature to the first [m].
    pub apart: Vec3,
    /// Its length [m].
    pub distance: f32,
}

/// Nearest points at positions `x`.
#[inline]
pub fn nearest(kind: Kind, x: &[Vec3; 4]) -> Feet {
    // Relative to one of them: coordinates far from the origin round coarsely.
    let origin = x[3];
    let local = x.map(|x| {
        let d = x - origin;
        V3::new(d.x, d.y, d.z)
    });
    let found = match kind {
        Kind::VertexTriangle => vertex_triangle(&local),
        Kind::EdgeEdge => edge_edge(&local),
    };
    let apart = combine(&found.weights, &local);
    Feet { weights: found.weights, apart: Vec3::new(apart.x, apart.y, apart.z), distance: found.square.sqrt() }
}

/// Marks pairs that are projected.
pub const NO_FEATURE: u32 = u32::MAX;

/// A pair that may touch in this substep.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// Vertices.
    pub vertices: [u32; 4],
    /// Kind.
    pub kind: Kind,
    /// Distance that contact keeps [m].
    pub thickness: f32,
    /// Radius of round solids around the features, which `thickness` is above [m].
    pub core: f32,
    /// Distance at the start of the substep, from solid to solid [m].
    pub start_distance: f32,
    /// Direction from the second feature to the first at the start: tells the sides apart.
    pub side: Vec3,
    /// Friction between both.
    pub friction: Friction,
    /// Accumulated impulse of the substep [kg·m].
    pub push: Push,
    /// The same with all changes of its normal: what the features have received [kg·m].
    pub received: Vec3,
    /// Weights of the vertices where it pushed last.
    pub weights: [f32; 4],
    /// Its number among those that solvers of elastic bodies may take, or [`NO_FEATURE`].
    pub feature: u32,
}

/// Part of the overlap at the start of a substep that it removes: more would give resting layers velocity.
const RECOVERY: f32 = 0.25;

/// A vertex moves by at most this multiple of what a pair corrects.
const LEVER: f32 = 4.0;

/// Inverse mass of a pair along its normal [1/kg]: Σ wᵢ βᵢ². Where pins leave only a vertex that is far from the contact, its
/// lever would throw it: the pair corrects less then.
#[inline]
pub fn effective_inv_mass(beta: &[f32; 4], w: &[f32; 4]) -> f32 {
    let share: [f32; 4] = std::array::from_fn(|k| beta[k].abs() * w[k]);
    let sum = inv_mass_of(beta, w);
    let most = share[0].max(share[1]).max(share[2].max(share[3]));
    sum.max(most / LEVER)
}

/// Σ wᵢ βᵢ².
#[inline]
pub fn inv_mass_of(beta: &[f32; 4], w: &[f32; 4]) -> f32 {
    let [a, b, c, d]: [f32; 4] = std::array::from_fn(|k| beta[k] * beta[k] * w[k]);
    a + b + (c + d)
}

/// Weights of the nearest points, and positions, where the features of a pair meet on straight lines from the start of the
/// substep; none if they only turn around each other. Those that touched at the start may have met at once.
fn meeting(pair: &Pair, x: &[Vec3; 4], start: &[Vec3; 4]) -> Option<([f32; 4], [Vec3; 4])> {
    if pair.start_distance <= TOUCHING {
        return Some((nearest(pair.kind, start).weights, *start));
    }
    let way: [Vec3; 4] = std::array::from_fn(|k| x[k] - start[k]);
    let (distance, bound) = (pair.start_distance + pair.core, pair.core + MET * pair.start_distance);
    let time = time_of_contact(pair.kind, start, &way, distance, bound)?;
    let at = std::array::from_fn(|k| start[k] + way[k] * time);
    Some((nearest(pair.kind, &at).weights, at))
}

/// Share of the distance at the start below which features have met.
const MET: f32 = 0.02;
/// Features nearer than this have no distance that could be kept [m].
pub const TOUCHING: f32 = 1e-9;

/// Nearest points of a pair that may have passed through each other since the start of the substep.
#[derive(Clone, Copy, Debug)]
pub struct Separation {
    /// Weights of the vertices.
    pub weights: [f32; 4],
    /// Distance, negative where they have [m].
    pub line: f32,
    /// From the second feature to the first, on the side that they came from.
    pub normal: Vec3,
    /// Whether they have come to the other side of each other around their borders: other features are between them.
    pub beside: bool,
}

/// Nearest points of a pair at positions `x`, from `start`.
#[inline]
pub fn separation(pair: &Pair, x: &[Vec3; 4], start: &[Vec3; 4]) -> Separation {
    let feet = nearest(pair.kind, x);
    let along = feet.apart.dot(pair.side);
    // Through each other within the substep: where they met tells which points of them, and from which side.
    if along < 0.0
        && let Some((weights, at)) = meeting(pair, x, start)
    {
        if let Some(normal) = normal_between(pair, &weights, &at) {
            let [a, b, c] = [0, 1, 2].map(|k| (x[k] - x[3]) * weights[k]);
            return Separation { weights, line: (a + b + c).dot(normal), normal, beside: false };
        }
        let normal = if feet.distance > 1e-9 { feet.apart / -feet.distance } else { pair.side };
        return Separation { weights: feet.weights, line: -feet.distance, normal, beside: true };
    }
    let normal = if feet.distance > 1e-9 { feet.apart / feet.distance } else { pair.side };
    Separation { weights: feet.weights, line: feet.distance, normal, beside: along < ASIDE * feet.distance }
}

/// Normal of the triangle, or of both edges, on the side from which the pair came, if it has met between their borders.
fn normal_between(pair: &Pair, weights: &[f32; 4], x: &[Vec3; 4]) -> Option<Vec3> {
    let (normal, size, inner) = match pair.kind {
        Kind::VertexTriangle => {
            let (a, b) = (x[2] - x[1], x[3] - x[1]);
            (a.cross(b), a.length() * b.length(), &weights[1..])
        }
        Kind::EdgeEdge => {
            let (a, b) = (x[1] - x[0], x[3] - x[2]);
            (a.cross(b), a.length() * b.length(), &weights[..])
        }
    };
    let length = normal.length();
    let meets = length > PARALLEL * size && inner.iter().all(|w| w.abs() > BORDER);
    meets.then(|| normal / if normal.dot(pair.side) < 0.0 { -length } else { length })
}

/// Weights below which a point lies at the border of a triangle or edge.
const BORDER: f32 = 1e-3;
/// Sine of the angle below which edges have no normal in common.
const PARALLEL: f32 = 0.05;
/// Cosine of the angle from which on the direction between features says no more on which sides of each other they are.
const ASIDE: f32 = 0.3;

/// Projects a pair once. `x`, `start`: positions now and at the start of the substep; `w`: inverse masses [1/kg];
/// `bodies`: those of rigid bodies that carry the vertices; they move by the impulse in the next substep, which counts as if
/// they had. `recovery`: distance by which a substep may separate what overlaps [m]. Returns the displacements.
#[inline]
pub fn project(
    pair: &mut Pair,
    x: &[Vec3; 4],
    start: &[Vec3; 4],
    (w, bodies): (&[f32; 4], &[f32; 4]),
    recovery: f32,
) -> Option<[Vec3; 4]> {
    let Separation { weights: beta, line, normal, .. } = separation(pair, x, start);
    let behind = inv_mass_of(&beta, bodies);
    let distance = line - pair.core + pair.push.normal * behind;
    if distance >= pair.thickness && pair.push.normal == 0.0 {
        return None;
    }
    let inv_mass = effective_inv_mass(&beta, w) + behind;
    if inv_mass <= 0.0 || normal == Vec3::ZERO {
        return None;
    }
    let scale = 1.0 / inv_mass;
    let way: [Vec3; 4] = std::array::from_fn(|k| x[k] - start[k]);
    let moved = way[0] * beta[0] + way[1] * beta[1] + (way[2] * beta[2] + way[3] * beta[3]);
    let moved = moved + (normal * pair.push.normal + pair.push.tangent) * behind;
    let along = moved.dot(normal);
    let overlap = (pair.thickness - pair.start_distance).max(0.0);
    let most = (RECOVERY * overlap).min(recovery);
    let inside = (pair.thickness - distance).min(if overlap > 0.0 { most - along } else { f32::INFINITY });
    let total = (pair.push.normal + inside * scale).max(0.0);
    let slip = moved - normal * along;
    let free = pair.push.tangent - slip * scale;
    let free = free - normal * free.dot(normal);
    let (square, bound) = (free.length_squared(), pair.friction.static_friction * total);
    let tangent = if square <= bound * bound {
        free
    } else {
        free * (pair.friction.kinetic_friction * total / square.sqrt()).min(1.0)
    };
    let impulse = normal * (total - pair.push.normal) + (tangent - pair.push.tangent);
    pair.push = Push { normal: total, tangent };
    pair.received += impulse;
    pair.weights = beta;
    Some(std::array::from_fn(|k| impulse * (beta[k] * w[k])))
}
