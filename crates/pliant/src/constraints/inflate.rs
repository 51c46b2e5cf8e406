//! Volume of a closed surface and its gradient, for inflatables (S16, D3).
//!
//! V(x) = Σ (x₀ × x₁)·x₂ / 6 over the triangles; C(x) = V − p·V₀ with p the pressure (1 keeps the rest
//! volume). The gradient at a vertex is Σ (xⱼ × xₖ)/6 over its triangles, with j, k the other two corners
//! in order. One constraint joins all particles of the body, so it is not a `ConstraintKind`.

use crate::math::{Lane, V3};
use crate::schedule::passes::Pass;
use crate::schedule::phenomenon::{Field, PassInfo, Phenomenon};
use std::ops::Range;

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

/// A closed surface whose volume is kept.
#[derive(Clone, Debug)]
pub struct Inflatable {
    /// Object it belongs to.
    pub object: u32,
    /// Particles of the surface.
    pub particles: Vec<u32>,
    /// Triangles, particle numbers.
    pub triangles: Vec<[u32; 3]>,
    /// For each particle of `particles`, where its corners start in `corners`; one more at the end.
    pub offsets: Vec<u32>,
    /// The other two corners of each incident triangle, in order.
    pub corners: Vec<[u32; 2]>,
    /// Rest volume [m³].
    pub rest_volume: f32,
    /// Wanted volume over rest volume.
    pub pressure: f32,
    /// Encoded softness (compliance in m³/Pa).
    pub softness: f32,
}

impl Inflatable {
    /// Its particles, which are consecutive.
    pub fn run(&self) -> Range<usize> {
        let first = self.particles.first().map_or(0, |&p| p as usize);
        first..first + self.particles.len()
    }
}

/// All inflatables of a model, as the schedule sees them. Constraints in batches are passes of the solution method.
pub(crate) struct Inflatables<'a>(pub(crate) &'a [Inflatable]);

impl Phenomenon for Inflatables<'_> {
    fn name(&self) -> &'static str {
        "constraints"
    }

    fn passes(&self) -> Vec<PassInfo> {
        use Field::{Multipliers, Positions};
        let inflate =
            PassInfo { pass: Pass::Inflate, reads: &[Positions, Multipliers], writes: &[Positions, Multipliers] };
        if self.0.is_empty() { Vec::new() } else { vec![inflate] }
    }

    fn kept(&self) -> &'static [Field] {
        &[]
    }
}
