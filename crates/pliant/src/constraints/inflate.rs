//! Volume of a closed surface and its gradient, for inflatables (S16, D3).
//!
//! V(x) = Σ (x₀ × x₁)·x₂ / 6 over the triangles; C(x) = V − p·V₀ with p the pressure (1 keeps the rest
//! volume). The gradient at a vertex is Σ (xⱼ × xₖ)/6 over its triangles, with j, k the other two corners
//! in order. One constraint joins all particles of the body, so it is not a `ConstraintKind`.

use crate::math::{Lane, V3};

/// Volume of the tetrahedron between the origin and a triangle [m³].
#[inline(always)]
pub fn triangle_volume<F: Lane>(a: V3<F>, b: V3<F>, c: V3<F>) -> F {
    a.cross(b).dot(c) * F::splat(1.0 / 6.0)
}

/// Contribution of one triangle to the gradient at its first corner, given the other two in order [m²].
#[inline(always)]
pub fn corner_gradient<F: Lane>(b: V3<F>, c: V3<F>) -> V3<F> {
    b.cross(c) * F::splat(1.0 / 6.0)
}
