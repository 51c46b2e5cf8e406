//! Scene format: colliders.

use crate::scene::cloth::InlineMesh;
use crate::scene::collision::CollisionSpec;
use crate::scene::motion::{MotionSpec, Rotate};
use crate::scene::placement::Transform;
use crate::scene::soft::{FigureSpec, TorusSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A collider. Give exactly one of `plane`, `sphere`, `capsule`, `cylinder`, `box`, `convex`, `surface`, `sdf`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Collider {
    /// Name for messages; default "collider N".
    pub name: String,
    /// A half-space below a plane.
    pub plane: Option<PlaneShape>,
    /// A sphere.
    pub sphere: Option<SphereShape>,
    /// A capsule.
    pub capsule: Option<CapsuleShape>,
    /// A cylinder.
    pub cylinder: Option<CylinderShape>,
    /// A box.
    #[serde(rename = "box")]
    pub cuboid: Option<BoxShape>,
    /// The convex hull of a mesh or of points.
    pub convex: Option<MeshShape>,
    /// A two-sided triangle surface, open or closed, with continuous collision detection: fast particles do not pass
    /// through it.
    pub surface: Option<MeshShape>,
    /// The inside of a closed mesh, as a signed distance field on a grid.
    pub sdf: Option<MeshShape>,
    /// Friction with particles.
    pub friction: FrictionSpec,
    /// Coefficient of restitution, 0 to 1; default 0.
    pub restitution: f32,
    /// Decay rate of the tangential velocity of particles in contact [1/s]; default 0.
    pub rolling: f32,
    /// Which objects it touches; default all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collision: Option<CollisionSpec>,
    /// Whether it only reports what overlaps it, and pushes nothing; default false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sensor: bool,
    /// Motion of the collider; default none.
    pub motion: Option<MotionSpec>,
}

/// Coulomb friction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FrictionSpec {
    /// Static coefficient; default 0.5.
    #[serde(rename = "static")]
    pub static_friction: f32,
    /// Kinetic coefficient, at most the static one; default 0.4.
    #[serde(rename = "kinetic")]
    pub kinetic_friction: f32,
}

impl Default for FrictionSpec {
    fn default() -> Self {
        Self { static_friction: 0.5, kinetic_friction: 0.4 }
    }
}

/// Half-space {x : normal·x ≤ offset}.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaneShape {
    /// Outward normal; any length but 0. Default up.
    #[serde(default = "up")]
    pub normal: [f32; 3],
    /// Distance of the plane from the origin along the normal [m]; default 0.
    #[serde(default)]
    pub offset: f32,
}

fn up() -> [f32; 3] {
    [0.0, 1.0, 0.0]
}

/// A sphere.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SphereShape {
    /// Center [m].
    pub center: [f32; 3],
    /// Radius [m].
    pub radius: f32,
}

/// All points within `radius` of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CapsuleShape {
    /// One end of the segment [m].
    pub from: [f32; 3],
    /// The other end [m].
    pub to: [f32; 3],
    /// Radius [m].
    pub radius: f32,
}

/// All points within `radius` of a segment, and between the planes through its ends.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CylinderShape {
    /// Center of one end [m].
    pub from: [f32; 3],
    /// Center of the other end [m].
    pub to: [f32; 3],
    /// Radius [m].
    pub radius: f32,
}

/// A box.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxShape {
    /// Center [m].
    pub center: [f32; 3],
    /// Edge lengths [m].
    pub size: [f32; 3],
    /// Rotation about the center; default none.
    #[serde(default)]
    pub rotate: Option<Rotate>,
}

/// A triangle mesh. Give exactly one of `mesh`, `inline`, `bowl`, `torus`, `figure`, or, for `convex`, `points`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MeshShape {
    /// Triangle mesh file; closed for `sdf`.
    pub mesh: Option<String>,
    /// An inline mesh, without masses.
    pub inline: Option<InlineMesh>,
    /// A bowl of zero thickness.
    pub bowl: Option<BowlSpec>,
    /// The surface of a ring.
    pub torus: Option<TorusSpec>,
    /// The surface of a figure.
    pub figure: Option<FigureSpec>,
    /// Points of the hull [m]; `convex` only.
    pub points: Option<Vec<[f32; 3]>>,
    /// Grid points along the longest side, 4 to 256; `sdf` only; default 64. Features smaller than the grid spacing are
    /// lost.
    pub grid: Option<u32>,
    /// Scale, rotation and translation.
    pub transform: Transform,
}

/// The lower part of a sphere, open above, with its lowest point at the origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BowlSpec {
    /// Radius of the sphere [m].
    pub radius: f32,
    /// Height of the rim [m], less than two radii.
    pub height: f32,
    /// Triangles around the axis; default 48.
    #[serde(default = "bowl_segments")]
    pub segments: u32,
}

fn bowl_segments() -> u32 {
    48
}
