//! Nearest points of a vertex and a triangle, and of two edges, as weights of their four vertices.
//!
//! Home of the maths only: pure functions without branches, generic over [`Lane`].
//!
//! The weights β of a pair sum to zero, those of its first feature to 1: Σ βᵢ xᵢ is the vector from the second feature to
//! the first, and its gradient by xᵢ is βᵢ. Whatever is nearest is taken over all candidates, face and edges or both lines
//! and their ends, so that slivers and parallel edges, whose quotients cancel, cost no accuracy of the distance.

use crate::math::{Lane, V3};

/// Weights of the four vertices of a pair, and the squared distance at them.
#[derive(Clone, Copy, Debug)]
pub struct Nearest<F> {
    /// Weights β.
    pub weights: [F; 4],
    /// |Σ βᵢ xᵢ|² [m²].
    pub square: F,
}

impl<F: Lane> Nearest<F> {
    /// The nearer of both.
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        let pick = |a, b| F::pick_gt(self.square, other.square, b, a);
        let weights = std::array::from_fn(|k| pick(self.weights[k], other.weights[k]));
        Self { weights, square: pick(self.square, other.square) }
    }
}

/// Σ βᵢ xᵢ.
#[inline(always)]
pub fn combine<F: Lane>(weights: &[F; 4], x: &[V3<F>; 4]) -> V3<F> {
    x[0] * weights[0] + x[1] * weights[1] + (x[2] * weights[2] + x[3] * weights[3])
}

/// Share of the way from `a` to `b` at which a segment is nearest to `p`.
#[inline(always)]
fn share_on_segment<F: Lane>(p: V3<F>, a: V3<F>, b: V3<F>) -> F {
    let along = b - a;
    let share = (p - a).dot(along) * along.length_squared().safe_recip();
    share.max(F::splat(0.0)).min(F::splat(1.0))
}

/// Nearest points of the vertex `x[0]` and the triangle of the other three.
#[inline(always)]
pub fn vertex_triangle<F: Lane>(x: &[V3<F>; 4]) -> Nearest<F> {
    let (zero, one) = (F::splat(0.0), F::splat(1.0));
    let [p, a, b, c] = *x;
    let at = |u: F, v: F, w: F| {
        let weights = [one, -u, -v, -w];
        // From differences to `p`: rounding is relative to the distance.
        let apart = (p - a) * u + (p - b) * v + (p - c) * w;
        Nearest { weights, square: apart.length_squared() }
    };
    let on_edge = |from: V3<F>, to: V3<F>| share_on_segment(p, from, to);
    let (s, t, r) = (on_edge(a, b), on_edge(b, c), on_edge(c, a));
    let edges = at(one - s, s, zero).or(at(zero, one - t, t)).or(at(r, zero, one - r));
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d00, d01, d11) = (ab.dot(ab), ab.dot(ac), ac.dot(ac));
    let (d20, d21) = (ap.dot(ab), ap.dot(ac));
    let scale = (d00 * d11 - d01 * d01).safe_recip();
    let v = (d11 * d20 - d01 * d21) * scale;
    let w = (d00 * d21 - d01 * d20) * scale;
    let u = one - v - w;
    // Outside of the triangle the plane does not count.
    let inside = F::pick_gt(u, zero, F::pick_gt(v, zero, F::pick_gt(w, zero, one, zero), zero), zero);
    let half = F::splat(0.5);
    let (u, v, w) =
        (F::pick_gt(inside, half, u, one), F::pick_gt(inside, half, v, zero), F::pick_gt(inside, half, w, zero));
    edges.or(at(u, v, w))
}

/// Nearest points of the edges `x[0]`–`x[1]` and `x[2]`–`x[3]`.
#[inline(always)]
pub fn edge_edge<F: Lane>(x: &[V3<F>; 4]) -> Nearest<F> {
    let (zero, one) = (F::splat(0.0), F::splat(1.0));
    let [p, q, a, b] = *x;
    let at = |s: F, t: F| {
        let (u, v) = (one - s, one - t);
        let weights = [u, s, -v, -t];
        let apart = (p - a) * u + (q - a) * s - (b - a) * t;
        Nearest { weights, square: apart.length_squared() }
    };
    let ends = at(zero, share_on_segment(p, a, b))
        .or(at(one, share_on_segment(q, a, b)))
        .or(at(share_on_segment(a, p, q), zero))
        .or(at(share_on_segment(b, p, q), one));
    let (d1, d2, r) = (q - p, b - a, p - a);
    let (d11, d12, d22) = (d1.dot(d1), d1.dot(d2), d2.dot(d2));
    let (r1, r2) = (d1.dot(r), d2.dot(r));
    let clamp = |v: F| v.max(zero).min(one);
    let s = clamp((d12 * r2 - r1 * d22) * (d11 * d22 - d12 * d12).safe_recip());
    let t = clamp((d12 * s + r2) * d22.safe_recip());
    let s = clamp((d12 * t - r1) * d11.safe_recip());
    ends.or(at(s, t))
}
