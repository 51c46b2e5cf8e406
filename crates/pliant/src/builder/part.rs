//! One copy of one object, with local indices; `assembly` joins copies into the model.

use crate::aero::aerodynamics::Air;
use crate::constraints::group::Raw;
use crate::constraints::{ConstraintKind, Softness};
use crate::math::RowData;
use crate::mesh::TriMesh;
use crate::rigid_body::bodies::BodyShape;
use crate::rigid_body::shape::Frame;
use crate::scene::Elasticity;
use crate::shape_matching::{Plastic, Skin, Stiffness};
use glam::{Quat, Vec3};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Marks a row index as an orientation, counted from 0, until the number of particles is known.
pub const ORIENTATION: u32 = 1 << 31;

/// A closed surface with pressure.
#[derive(Clone, Debug)]
pub struct Inflation {
    /// Target volume relative to rest volume.
    pub pressure: f32,
    /// Rest volume [m³].
    pub volume: f32,
    /// Encoded softness.
    pub softness: f32,
}

/// Meaning of named selections on a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outline {
    /// Grid with this number of particles along each side.
    Grid([usize; 2]),
    /// Rope from the first particle to the last.
    Line,
    /// Only "all".
    Body,
}

/// One copy of one object.
#[derive(Clone, Debug)]
pub struct Part {
    /// Initial positions [m].
    pub positions: Vec<Vec3>,
    /// Rest positions [m], in the same frame, for tethers and selections.
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
    pub spin_inv_inertias: Vec<f32>,
    /// Surface for rendering, and for aerodynamics if `air` is set.
    pub triangles: Vec<[u32; 3]>,
    /// Tetrahedra.
    pub tets: Vec<[u32; 4]>,
    /// Segments.
    pub lines: Vec<[u32; 2]>,
    /// Aerodynamic coefficients of the triangles.
    pub air: Option<Air<f32>>,
    /// Internal pressure.
    pub inside: Option<Inflation>,
    /// Maximum tether length relative to the rest distance to the nearest pin.
    pub tether: Option<f32>,
    /// Meaning of named selections.
    pub outline: Outline,
    /// Whether its particles collide with each other like those of different objects.
    pub loose: bool,
    /// Shape matching, if the part is a body.
    pub matching: Option<Matching>,
    /// Direction to the nearest surface point and depth below the surface [m], by particle; empty if no body.
    pub fields: Vec<RowData>,
    /// A skinned surface.
    pub skinned_surface: Option<SkinnedSurface>,
    /// Particles released later.
    pub emitter: Option<EmitterShape>,
    /// Volume of each particle [m³]; empty for sheets and ropes.
    pub volumes: Vec<f32>,
    /// Index of its liquid, if it is one.
    pub liquid: Option<usize>,
    /// Shape and pose, if it is a rigid body; it has no particles then.
    pub rigid: Option<RigidPart>,
}

/// A rigid body with an exact shape.
#[derive(Clone, Debug)]
pub struct RigidPart {
    /// Convex pieces and mass properties, shared by all copies.
    pub shape: Arc<BodyShape>,
    /// Center of mass and axes at the start.
    pub frame: Frame,
    /// Surface for drawing, relative to the center of mass and the axes.
    pub surface: Arc<TriMesh>,
}

/// Shape matching of a body (S19, S20).
#[derive(Clone, Debug)]
pub struct Matching {
    /// Stiffness of the shape.
    pub stiffness: Stiffness,
    /// Plastic deformation.
    pub plastic: Option<Plastic>,
    /// Particles of each shape-matching region; empty if the body is a single one.
    pub regions: Vec<Vec<u32>>,
}

/// A surface skinned to the particles of a part.
#[derive(Clone, Debug)]
pub struct SkinnedSurface {
    /// Carrying particles and weights of each vertex; shared by all copies of the part.
    pub skin: Arc<Skin>,
    /// Triangles, vertex numbers.
    pub triangles: Vec<[u32; 3]>,
}

/// Positions and times at which the particles of a part are released, in their order.
#[derive(Clone, Debug)]
pub struct EmitterShape {
    /// The first of them.
    pub first: usize,
    /// Release position of each [m].
    pub places: Vec<Vec3>,
    /// Release rate [1/s].
    pub per_second: f64,
    /// Sites across the emitter.
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
            spin_inv_inertias: Vec::new(),
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
            skinned_surface: None,
            emitter: None,
            volumes: Vec::new(),
            liquid: None,
            rigid: None,
        }
    }

    /// Adds one constraint.
    pub fn add(&mut self, kind: ConstraintKind, rows: &[u32], params: &[f32]) {
        debug_assert_eq!((rows.len(), params.len()), (kind.layout().rows, kind.layout().params));
        let raw = self.constraints.entry(kind).or_default();
        raw.rows.extend_from_slice(rows);
        raw.params.extend_from_slice(params);
    }

    /// Scales the initial positions about the lowest corner; the rest shape is unchanged.
    pub fn squash(&mut self, factors: Vec3) {
        if factors == Vec3::ONE {
            return;
        }
        let low = self.rest.iter().fold(Vec3::INFINITY, |m, &p| m.min(p));
        self.positions = self.rest.iter().map(|&p| low + (p - low) * factors).collect();
    }
}

/// Softness of an elasticity setting; `stiffness` converts a modulus to the constraint's stiffness 1/α.
pub fn soften(elasticity: Elasticity, stiffness: impl FnOnce(f32) -> f32) -> Softness {
    match elasticity {
        Elasticity::Compliance(alpha) => Softness::compliance(alpha),
        // Bounded so that an extreme modulus on an extreme element gives a finite compliance.
        Elasticity::Modulus(m) => Softness::compliance((1.0 / stiffness(m)).clamp(0.0, 1e30)),
        Elasticity::Stiffness(k) => Softness::stiffness(k),
    }
}

/// The same for a constraint that measures `scale` times the quantity of the user's compliance:
/// its compliance is α·scale².
pub fn soften_scaled(elasticity: Elasticity, scale: f32, stiffness: impl FnOnce(f32) -> f32) -> Softness {
    match elasticity {
        Elasticity::Compliance(alpha) => Softness::compliance(alpha * scale * scale),
        other => soften(other, stiffness),
    }
}
