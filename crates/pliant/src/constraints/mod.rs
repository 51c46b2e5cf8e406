//! Constraint math: one constraint or operator per file, pure functions over [`Lane`].
//!
//! Kernels access no memory and no particle indices. A constraint kernel gets the rows it joins, its
//! parameters and its multipliers, and returns their changes. `builder` decides which constraints
//! exist, `partition` which run concurrently, and `solver` calls the kernels.
//!
//! Each `.rs` file has a `.wgsl` version for the GPU; `tests/gpu` checks that both agree.
//!
//! To add a constraint: write its two files, then add it to [`ConstraintKind`] and to the lists of its methods below.
//!
//! References used throughout: [XPBD] Macklin, Müller, Chentanez, "XPBD", MIG 2016; D0–D4 and E01–E33
//! are the documents and errata listed in docs/requirements.md.

pub mod attach;
pub mod bend;
pub(crate) mod cpu;
pub mod fem_tet;
pub mod fem_triangle;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod group;
pub mod inflate;
pub mod isometric;
pub mod membrane;
pub mod neo_hookean_tet;
pub mod neo_hookean_triangle;
pub mod phantoms;
pub mod rod;
pub mod rope_bending;
pub mod stretch;
pub mod tether;
pub mod volume;
pub mod xpbd;

pub use crate::constraints::xpbd::{Scales, Softness};
pub use crate::math::Row;
pub use crate::math::lane::{Lane, V3};
use serde::{Deserialize, Serialize};

/// Result of a projection: rows and multipliers.
#[derive(Clone, Copy, Debug)]
pub struct Update<F, const N: usize, const M: usize> {
    /// Change of each row. `w` is ignored unless [`Constraint::TURNS`].
    pub rows: [Row<F>; N],
    /// New multipliers, accumulated within one substep.
    pub lambda: [F; M],
}

/// A constraint between `N` rows with `P` parameters and `M` multipliers.
pub trait Constraint<const N: usize, const P: usize, const M: usize>: Send + Sync + 'static {
    /// Whether some rows are orientations, so that the fourth component changes, too.
    const TURNS: bool = false;
    /// Number of rows it may move, the first ones; the rows after them are fixed and only read, so any number of
    /// constraints may share them.
    const MOVES: usize = N;
    /// Index of the parameter that holds the [`Softness`].
    const SOFTNESS: Option<usize>;

    /// C(x), which is zero where the constraint is satisfied.
    fn evaluate<F: Lane>(params: &[F; P], rows: &[Row<F>; N]) -> [F; M];

    /// One projection of all its rows.
    fn project<F: Lane>(scales: &Scales<F>, params: &[F; P], rows: &[Row<F>; N], lambda: &[F; M]) -> Update<F, N, M>;

    /// Error relative to the constraint's characteristic size; 0 where it is satisfied.
    fn residual<F: Lane>(params: &[F; P], rows: &[Row<F>; N]) -> F;

    /// Elastic energy [J]; 0 for constraints without a compliance.
    fn energy<F: Lane>(params: &[F; P], rows: &[Row<F>; N]) -> F {
        let half = F::splat(0.5);
        let Some(slot) = Self::SOFTNESS else { return F::splat(0.0) };
        let alpha = params[slot];
        Self::evaluate(params, rows).iter().fold(F::splat(0.0), |sum, &c| sum + half * c * c * alpha.safe_recip())
    }
}

/// The kinds of constraints that run in batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConstraintKind {
    /// Distance of two particles.
    Stretch,
    /// Dihedral angle of two triangles.
    Bend,
    /// Quadratic (isometric) bending of two triangles.
    Isometric,
    /// Volume of a tetrahedron.
    Volume,
    /// St Venant–Kirchhoff triangle.
    FemTriangle,
    /// St Venant–Kirchhoff tetrahedron.
    FemTet,
    /// Linear membrane triangle.
    Membrane,
    /// Stable neo-Hookean triangle.
    NeoHookeanTriangle,
    /// Stable neo-Hookean tetrahedron.
    NeoHookeanTet,
    /// Straightness of three particles of a rope.
    RopeBending,
    /// Stretch and shear of a rod segment with its orientation.
    StretchShear,
    /// Bending and torsion between two rod orientations.
    BendTwist,
    /// Maximum distance from an anchor.
    Tether,
    /// Two particles at the same position.
    Attach,
}

/// An operation generic over the type of a kernel, see [`ConstraintKind::visit`].
pub trait Visitor {
    /// Result type.
    type Output;
    /// Called with the kernel of the kind.
    fn visit<K: Constraint<N, P, M>, const N: usize, const P: usize, const M: usize>(self) -> Self::Output;
}

impl ConstraintKind {
    /// All kinds, in iteration order.
    pub const ALL: [Self; 14] = [
        Self::Stretch,
        Self::Bend,
        Self::Isometric,
        Self::Volume,
        Self::FemTriangle,
        Self::FemTet,
        Self::Membrane,
        Self::NeoHookeanTriangle,
        Self::NeoHookeanTet,
        Self::RopeBending,
        Self::StretchShear,
        Self::BendTwist,
        Self::Tether,
        Self::Attach,
    ];

    /// Calls the visitor with the kind's kernel.
    #[inline(always)]
    pub fn visit<V: Visitor>(self, visitor: V) -> V::Output {
        match self {
            Self::Stretch => visitor.visit::<stretch::Stretch, 2, 2, 1>(),
            Self::Bend => visitor.visit::<bend::Bend, 4, 2, 1>(),
            Self::Isometric => visitor.visit::<isometric::Isometric, 4, 7, 1>(),
            Self::Volume => visitor.visit::<volume::Volume, 4, 2, 1>(),
            Self::FemTriangle => visitor.visit::<fem_triangle::FemTriangle, 3, 7, 3>(),
            Self::FemTet => visitor.visit::<fem_tet::FemTet, 4, 12, 6>(),
            Self::Membrane => visitor.visit::<membrane::Membrane, 3, 7, 3>(),
            Self::NeoHookeanTriangle => visitor.visit::<neo_hookean_triangle::NeoHookeanTriangle, 3, 7, 2>(),
            Self::NeoHookeanTet => visitor.visit::<neo_hookean_tet::NeoHookeanTet, 4, 12, 2>(),
            Self::RopeBending => visitor.visit::<rope_bending::RopeBending, 3, 3, 1>(),
            Self::StretchShear => visitor.visit::<rod::StretchShear, 3, 3, 3>(),
            Self::BendTwist => visitor.visit::<rod::BendTwist, 2, 8, 3>(),
            Self::Tether => visitor.visit::<tether::Tether, 2, 2, 1>(),
            Self::Attach => visitor.visit::<attach::Attach, 2, 1, 3>(),
        }
    }

    /// Name in files, reports and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stretch => "stretch",
            Self::Bend => "bend",
            Self::Isometric => "isometric",
            Self::Volume => "volume",
            Self::FemTriangle => "fem_triangle",
            Self::FemTet => "fem_tet",
            Self::Membrane => "membrane",
            Self::NeoHookeanTriangle => "neo_hookean_triangle",
            Self::NeoHookeanTet => "neo_hookean_tet",
            Self::RopeBending => "rope_bending",
            Self::StretchShear => "stretch_shear",
            Self::BendTwist => "bend_twist",
            Self::Tether => "tether",
            Self::Attach => "attach",
        }
    }

    /// WGSL source of the kernel, a function with the kind's [name](Self::name). Kinds may share one.
    #[cfg(feature = "gpu")]
    pub fn wgsl(self) -> &'static str {
        match self {
            Self::Stretch => include_str!("stretch.wgsl"),
            Self::Bend => include_str!("bend.wgsl"),
            Self::Isometric => include_str!("isometric.wgsl"),
            Self::Volume => include_str!("volume.wgsl"),
            Self::FemTriangle => include_str!("fem_triangle.wgsl"),
            Self::FemTet => include_str!("fem_tet.wgsl"),
            Self::Membrane => include_str!("membrane.wgsl"),
            Self::NeoHookeanTriangle => include_str!("neo_hookean_triangle.wgsl"),
            Self::NeoHookeanTet => include_str!("neo_hookean_tet.wgsl"),
            Self::RopeBending => include_str!("rope_bending.wgsl"),
            Self::StretchShear | Self::BendTwist => include_str!("rod.wgsl"),
            Self::Tether => include_str!("tether.wgsl"),
            Self::Attach => include_str!("attach.wgsl"),
        }
    }

    /// Rows, parameters and multipliers of one constraint.
    pub fn layout(self) -> Layout {
        struct Measure;
        impl Visitor for Measure {
            type Output = Layout;
            fn visit<K: Constraint<N, P, M>, const N: usize, const P: usize, const M: usize>(self) -> Layout {
                Layout { rows: N, moves: K::MOVES, turns: K::TURNS, params: P, multipliers: M, softness: K::SOFTNESS }
            }
        }
        self.visit(Measure)
    }
}

/// Sizes of one constraint of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Number of rows.
    pub rows: usize,
    /// Number of rows, from the first on, that it may move.
    pub moves: usize,
    /// Whether some of its rows are orientations.
    pub turns: bool,
    /// Number of parameters.
    pub params: usize,
    /// Number of multipliers.
    pub multipliers: usize,
    /// Index of the parameter that holds the [`Softness`].
    pub softness: Option<usize>,
}

impl Layout {
    /// Memory of one constraint: row indices, parameters and multipliers [bytes].
    pub fn bytes(&self) -> usize {
        4 * (self.rows + self.params + self.multipliers)
    }
}
