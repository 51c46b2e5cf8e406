//! Surfaces of a model: vertices, primitives and a tree over them, in flat arrays.

use crate::collision::Friction;
use crate::geometry::bvh::Node;
use crate::memory::of;
use glam::Vec3;
use std::collections::BTreeSet;
use std::ops::Range;

/// Marks vertices that are no particles.
pub const NO_PARTICLE: u32 = u32::MAX;

/// A triangle, a segment (its last two corners are one vertex) or a point (all are).
///
/// Each vertex and each edge belongs to one primitive, so that every pair of features is met once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Primitive {
    /// Vertices.
    pub corners: [u32; 3],
    /// Which corners belong to it, as bits.
    pub own_vertices: u8,
    /// Which edges belong to it, as bits; edge k leads from corner k to the next.
    pub own_edges: u8,
}

impl Primitive {
    /// Whether it has an area.
    pub fn is_triangle(&self) -> bool {
        let [a, b, c] = self.corners;
        a != b && b != c
    }

    /// Whether both have a vertex in common.
    pub fn is_beside(&self, other: &Self) -> bool {
        self.corners.iter().any(|v| other.corners.contains(v))
    }

    /// Vertices that belong to it.
    pub fn vertices(&self) -> impl Iterator<Item = u32> + '_ {
        (0..3).filter(|k| self.own_vertices >> k & 1 == 1).map(|k| self.corners[k])
    }

    /// Edges that belong to it.
    pub fn edges(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        (0..3).filter(|k| self.own_edges >> k & 1 == 1).map(|k| [self.corners[k], self.corners[(k + 1) % 3]])
    }
}

/// Source of the motion of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// Particles of an object of the topology.
    Object(u32),
    /// A collider, or a piece of a rigid body, numbered as in contacts. Its vertices are in its frame.
    Collider(u32),
}

/// The surface of one object, or of one collider.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// Source of its motion.
    pub carrier: Carrier,
    /// Environment of a batch; that of a collider is that of the particles that see it.
    pub environment: u32,
    /// Vertices.
    pub vertices: Range<usize>,
    /// Primitives, in the order of leaves.
    pub primitives: Range<usize>,
    /// Nodes of the tree over them; indices within count from its first.
    pub nodes: Range<usize>,
    /// Mean length of edges at rest [m].
    pub edge: f32,
    /// Inverse mass of the rigid body that carries it, as its corners feel it; 0 for all others [1/kg].
    pub body_inv_mass: f32,
}

impl Surface {
    /// The object whose particles carry it.
    pub fn object(&self) -> Option<u32> {
        match self.carrier {
            Carrier::Object(object) => Some(object),
            Carrier::Collider(_) => None,
        }
    }

    /// The collider that carries it.
    pub fn collider(&self) -> Option<u32> {
        match self.carrier {
            Carrier::Object(_) => None,
            Carrier::Collider(collider) => Some(collider),
        }
    }
}

/// Surfaces of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceModel {
    /// Particle of each vertex, or [`NO_PARTICLE`].
    pub particles: Vec<u32>,
    /// Rest position of each vertex [m]; of colliders in their frame.
    pub rest: Vec<Vec3>,
    /// Radius of the round solid around each vertex of a collider [m]: spheres are points, capsules are segments.
    pub cores: Vec<f32>,
    /// Primitives.
    pub primitives: Vec<Primitive>,
    /// Nodes of all trees; boxes are those at rest.
    pub nodes: Vec<Node>,
    /// Surfaces, those of particles first.
    pub surfaces: Vec<Surface>,
    /// Particles that are on no surface: grains, liquids, bodies of particles.
    pub points: Vec<u32>,
    /// Pairs of objects that do not touch because attachments join them, the smaller number first.
    pub attached: BTreeSet<[u32; 2]>,
    /// Friction of objects without their own.
    pub friction: Friction,
    /// Maximum speed at which what overlaps separates [m/s].
    pub recovery_speed: f32,
}

impl SurfaceModel {
    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        let vertices = of(&self.particles) + of(&self.rest) + of(&self.cores) + of(&self.points);
        vertices + of(&self.primitives) + of(&self.nodes) + of(&self.surfaces)
    }
}
