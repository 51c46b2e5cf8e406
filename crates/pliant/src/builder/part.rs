//! One copy of one object, with indices of its own; `assemble` joins copies into the whole.

use crate::aero::aerodynamics::Air;
use crate::constraints::group::Raw;
use crate::constraints::{ConstraintKind, Softness};
use crate::math::RowData;
use crate::rigid::{Plastic, Skin, Stiffness};
use crate::scene::Elasticity;
use glam::{Quat, Vec3};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Marks a row index as an orientation, counted from 0, until the number of particles is known.
pub const ORIENTATION: u32 = 1 << 31;

/// A closed surface with pressure.
#[derive(Clone, Debug)]
pub struct Inside {
    /// Wanted volume over rest volume.
    pub pressure: f32,
    /// Rest volume [m³].
    pub volume: f32,
    /// Encoded softness.
    pub softness: f32,
}

/// What named places mean on a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outline {
    /// Grid of so many particles along each side.
    Grid([usize; 2]),
    /// Rope from the first particle to the last.
    Line,
    /// Nothing but "all".
    Body,
}

/// One copy of one object.
#[derive(Clone, Debug)]
pub struct Part {
    /// Positions at the start [m].
    pub positions: Vec<Vec3>,
    /// Positions at rest [m], in the same frame, for tethers and places.
    pub rest: Vec<Vec3>,
    /// Masses [kg].
    pub masses: Vec<f32>,
    /// Radius of every particle [m].
    pub radius: f32,
    /// Radii where particles differ, else empty [m].
    pub radii: Vec<f32>,
    /// Velocity of every particle [m/s].
    pub velocity: Vec3,
    /// Constraints by kind.
    pub constraints: BTreeMap<ConstraintKind, Raw>,
    /// Orientations of segments.
    pub orientations: Vec<Quat>,
    /// Inverse quaternion mass of each orientation.
    pub spin_weights: Vec<f32>,
    /// Surface for pictures, and for the air where `air` is set.
    pub triangles: Vec<[u32; 3]>,
    /// Tetrahedra.
    pub tets: Vec<[u32; 4]>,
    /// Segments.
    pub lines: Vec<[u32; 2]>,
    /// What the air does to the triangles.
    pub air: Option<Air<f32>>,
    /// Pressure inside.
    pub inside: Option<Inside>,
    /// Longest tether over rest distance to the nearest pin.
    pub tether: Option<f32>,
    /// What named places mean.
    pub outline: Outline,
    /// Whether its particles touch each other like those of different objects.
    pub loose: bool,
    /// How it keeps its shape, if as a whole.
    pub matching: Option<Matching>,
    /// Shortest way out of the body and depth below its surface [m], by particle; empty where it is none.
    pub fields: Vec<RowData>,
    /// A surface that follows its particles.
    pub coat: Option<Coat>,
    /// Particles that come into the world later.
    pub emitter: Option<EmitterShape>,
    /// Volume of each particle [m³]; empty for what has none, as sheets and ropes.
    pub volumes: Vec<f32>,
    /// Number of the liquid that it is.
    pub liquid: Option<usize>,
}

/// How a body of particles keeps its shape (S19, S20).
#[derive(Clone, Debug)]
pub struct Matching {
    /// How fast it comes back.
    pub stiffness: Stiffness,
    /// When it does not.
    pub plastic: Option<Plastic>,
    /// Particles of each region that keeps its own shape; none where the body is one.
    pub regions: Vec<Vec<u32>>,
}

/// A surface that follows the particles of a part.
#[derive(Clone, Debug)]
pub struct Coat {
    /// Which particles carry each vertex; all copies of the part share it.
    pub skin: Arc<Skin>,
    /// Triangles, vertex numbers.
    pub triangles: Vec<[u32; 3]>,
}

/// Where and when the particles of a part come into the world, in their order.
#[derive(Clone, Debug)]
pub struct EmitterShape {
    /// Where each comes out [m].
    pub places: Vec<Vec3>,
    /// How many in a second [1/s].
    pub per_second: f64,
    /// Places across the mouth.
    pub across: usize,
}

impl Part {
    /// A part at rest.
    pub fn new(positions: Vec<Vec3>, masses: Vec<f32>, outline: Outline) -> Self {
        Self {
            rest: positions.clone(),
            positions,
            masses,
            radius: 0.0,
            radii: Vec::new(),
            velocity: Vec3::ZERO,
            constraints: BTreeMap::new(),
            orientations: Vec::new(),
            spin_weights: Vec::new(),
            triangles: Vec::new(),
            tets: Vec::new(),
            lines: Vec::new(),
            air: None,
            inside: None,
            tether: None,
            outline,
            loose: false,
            matching: None,
            fields: Vec::new(),
            coat: None,
            emitter: None,
            volumes: Vec::new(),
            liquid: None,
        }
    }

    /// Adds one constraint.
    pub fn add(&mut self, kind: ConstraintKind, rows: &[u32], params: &[f32]) {
        debug_assert_eq!((rows.len(), params.len()), (kind.layout().rows, kind.layout().params));
        let raw = self.constraints.entry(kind).or_default();
        raw.rows.extend_from_slice(rows);
        raw.params.extend_from_slice(params);
    }

    /// Scales the starting positions about the lowest corner; the shape at rest stays.
    pub fn squash(&mut self, factors: Vec3) {
        if factors == Vec3::ONE {
            return;
        }
        let low = self.rest.iter().fold(Vec3::INFINITY, |m, &p| m.min(p));
        self.positions = self.rest.iter().map(|&p| low + (p - low) * factors).collect();
    }
}

/// Softness from the user's words; `stiffness` turns a modulus into the constraint's own stiffness 1/α.
pub fn soften(elasticity: Elasticity, stiffness: impl FnOnce(f32) -> f32) -> Softness {
    match elasticity {
        Elasticity::Compliance(alpha) => Softness::compliance(alpha),
        // Bounded so that an extreme modulus on an extreme element stays a finite compliance.
        Elasticity::Modulus(m) => Softness::compliance((1.0 / stiffness(m)).clamp(0.0, 1e30)),
        Elasticity::Stiffness(k) => Softness::stiffness(k),
    }
}

/// The same for a constraint that measures `scale` times the quantity the user's compliance is about:
/// its compliance is α·scale².
pub fn soften_scaled(elasticity: Elasticity, scale: f32, stiffness: impl FnOnce(f32) -> f32) -> Softness {
    match elasticity {
        Elasticity::Compliance(alpha) => Softness::compliance(alpha * scale * scale),
        other => soften(other, stiffness),
    }
}
