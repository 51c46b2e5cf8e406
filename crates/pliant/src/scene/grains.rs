//! Scene format: grains, bodies of particles, and particle contacts.

use crate::scene::collider::FrictionSpec;
use crate::scene::collision::CollisionSpec;
use crate::scene::motion::Rotate;
use crate::scene::placement::{ArraySpec, Transform};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Particle contacts: between different objects, and between grains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ContactSpec {
    /// Whether particles of different objects, and grains, collide; default true. Cloth, ropes and soft bodies that never
    /// meet are faster with false.
    pub between: Option<bool>,
    /// Self-collision of cloth, ropes, soft bodies and inflatables; default false. Particle spacing should not exceed
    /// their diameter, and motion per substep not their radius, or layers pass through each other.
    pub itself: bool,
    /// Whether triangles collide: those of cloth, soft bodies and inflatables with each other and with themselves, with
    /// rigid bodies, colliders, ropes, grains and liquids. Nothing passes through them. Default false. On the CPU only.
    pub triangles: bool,
    /// Friction between particles.
    pub friction: FrictionSpec,
    /// Relaxation factor of contact corrections, 0.1 to 1.9; default 1.5, with which a pile of grains is as stable as
    /// with 1.5 times the iterations. For self-collision of thin layers 1 is better.
    pub omega: f32,
    /// Mass scaling of contacts by height, so that stacks are stable with fewer iterations [1/m]: masses decrease by a
    /// factor e per 1/stacking meters. Default 0: true masses, which conserve momentum.
    pub stacking: f32,
    /// Whether contacts apply to rigid bodies as a whole, with the mass of the body behind a particle. Default true. If
    /// false, shape matching follows the particles in contact, more slowly for more particles, and bodies yield softly.
    pub whole: bool,
    /// Coefficient of restitution, 0 to 1; default 0.
    pub restitution: f32,
    /// Work of adhesion between the surfaces of two particles [J/m²]: spheres in contact resist a tensile force
    /// of 2π·cohesion·r₁·r₂/(r₁ + r₂). Default 0: dry.
    pub cohesion: f32,
    /// Decay rate of the tangential relative velocity of particles in contact [1/s]; default 0.
    pub rolling: f32,
    /// Maximum speed at which particles that overlap separate [m/s]; default 1. Overlap that a scene starts with, or that
    /// an unconverged step leaves, gives no more velocity than this.
    pub recovery_speed: f32,
}

impl Default for ContactSpec {
    fn default() -> Self {
        Self {
            between: None,
            itself: false,
            triangles: false,
            friction: FrictionSpec::default(),
            omega: 1.5,
            stacking: 0.0,
            whole: true,
            restitution: 0.0,
            cohesion: 0.0,
            rolling: 0.0,
            recovery_speed: 1.0,
        }
    }
}

/// Loose grains: sand, gravel, balls. Give exactly one of `fill`, `mesh`, `pour`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Grains {
    /// Name for messages; default "grains N".
    pub name: String,
    /// The box that they fill initially.
    pub fill: Option<FillSpec>,
    /// Closed surface mesh file that they fill initially: grains on a lattice whose centers are inside.
    pub mesh: Option<String>,
    /// An emitter that releases them one after the other.
    pub pour: Option<PourSpec>,
    /// Radius of a grain [m]; default 0.02.
    pub radius: f32,
    /// Initial distance between neighbors [m]; default two radii.
    pub distance: Option<f32>,
    /// Jitter of initial positions, 0 to 1, relative to the gap between neighbors, or to 1 % of the radius if there is
    /// none; default 1.
    pub jitter: f32,
    /// Scale, rotation and translation of the box, surface or emitter. Scaling the box or surface changes the number of
    /// grains, not their size; an emitter ignores scale and rotation.
    pub transform: Transform,
    /// Copies in rows, columns and layers.
    pub array: Option<ArraySpec>,
    /// Initial velocity [m/s]; emitted grains have that of `pour`.
    pub velocity: [f32; 3],
    /// Density of a grain [kg/m³]; default 2,600.
    pub density: f32,
    /// Which objects it touches; default all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collision: Option<CollisionSpec>,
    /// Friction of its surface; default that of `contact`, or of the collider it touches. A pair has the geometric mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friction: Option<FrictionSpec>,
    /// Coefficient of restitution, 0 to 1; default that of `contact`, or of the collider it touches. A pair has the larger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f32>,
    /// Color for rendering; default from a palette.
    pub color: Option<[f32; 3]>,
}

impl Default for Grains {
    fn default() -> Self {
        Self {
            name: String::new(),
            fill: None,
            mesh: None,
            pour: None,
            radius: 0.02,
            distance: None,
            jitter: 1.0,
            transform: Transform::default(),
            array: None,
            velocity: [0.0; 3],
            density: 2600.0,
            collision: None,
            friction: None,
            restitution: None,
            color: None,
        }
    }
}

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FillSpec {
    /// Lowest corner [m].
    pub min: [f32; 3],
    /// Highest corner [m].
    pub max: [f32; 3],
}

/// A circular emitter. Particles are inactive until it releases them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PourSpec {
    /// Center of the emitter [m].
    pub from: [f32; 3],
    /// Radius of the emitter disk [m], perpendicular to the velocity: centers stay one particle radius inside it.
    pub radius: f32,
    /// Emission rate [1/s]; limited by the number that fits through.
    pub per_second: f32,
    /// Velocity of emitted particles [m/s].
    pub velocity: [f32; 3],
    /// Time of the last emission [s]; the first is at 0.
    pub until: f32,
}

impl PourSpec {
    /// Total number of particles emitted.
    pub fn count(&self) -> u64 {
        // Minus a thousandth of a particle: 0.4 s at 120 particles per second are 48, though 0.4 is larger in single
        // precision.
        (f64::from(self.until) * f64::from(self.per_second) - 1e-3).ceil().max(1.0) as u64
    }
}

/// Maximum particles along the diameter of an emitter.
pub(crate) const MOST_ACROSS: f32 = 1000.0;

/// Emission sites relative to the emitter's center [m]: a square lattice of this spacing, out to `reach`.
pub(crate) fn emitter_sites(reach: f32, spacing: f32) -> Vec<[f32; 2]> {
    let n = (reach / spacing).clamp(0.0, MOST_ACROSS) as i32;
    let lattice = (-n..=n).flat_map(|i| (-n..=n).map(move |j| [i as f32 * spacing, j as f32 * spacing]));
    lattice.filter(|[x, y]| x * x + y * y <= reach * reach).collect()
}

/// A body: rigid with an exact shape, or of shape-matched particles (rigid, elastic or plastic). Give exactly one of `box`,
/// `ball`, `mesh`, `capsule`, `cylinder`, `cone`, `convex`, `parts`; the last five are rigid only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Body {
    /// Name for messages; default "body N".
    pub name: String,
    /// Edge lengths of a box around the origin [m].
    #[serde(rename = "box")]
    pub cuboid: Option<[f32; 3]>,
    /// Radius of a ball around the origin [m].
    pub ball: Option<f32>,
    /// Closed surface mesh file. A rigid body collides as convex pieces of it.
    pub mesh: Option<String>,
    /// Most convex pieces of a rigid `mesh`, 1 to 256; default 32. As few are made as have no more than 3 % of volume beside
    /// the mesh. 1 is its convex hull.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pieces: Option<u32>,
    /// A capsule along y around the origin.
    pub capsule: Option<RoundSpec>,
    /// A cylinder along y around the origin.
    pub cylinder: Option<RoundSpec>,
    /// A cone along y with its apex up; the origin is at half of its height.
    pub cone: Option<RoundSpec>,
    /// Points whose convex hull it is [m].
    pub convex: Option<Vec<[f32; 3]>>,
    /// Convex parts that are fixed to each other. They should not overlap: each counts with its mass.
    pub parts: Vec<BodyPart>,
    /// How it is simulated; default "particles" where a key of particles is given (`grid`, `merge`, `recovery`, `regions`,
    /// `plastic`, `show = "particles"`) or a melt, freeze or attachment names it, else "rigid".
    pub model: Option<BodyModel>,
    /// Particles along the longest side; default 8.
    pub grid: u32,
    /// Depth below the surface, in particles of the grid, beyond which eight particles are merged into a larger one,
    /// recursively; 0.5 or more. Default 0: no merging.
    pub merge: f32,
    /// Density [kg/m³]; default 1,000.
    pub density: f32,
    /// Time in which a deformation decays to 1/e [s]; default 0: rigid.
    pub recovery: f32,
    /// Overlapping shape-matching regions, which let the body bend; default one region.
    pub regions: Option<RegionSpec>,
    /// Plastic deformation; default none.
    pub plastic: Option<PlasticSpec>,
    /// Output representation; default the mesh if `mesh` is given, else particles.
    pub show: Option<Show>,
    /// Scale, rotation and translation.
    pub transform: Transform,
    /// Copies in rows, columns and layers.
    pub array: Option<ArraySpec>,
    /// Initial velocity [m/s].
    pub velocity: [f32; 3],
    /// Which objects it touches; default all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collision: Option<CollisionSpec>,
    /// Whether it only reports what overlaps it, and pushes nothing; rigid bodies only; default false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sensor: bool,
    /// Friction of its surface; default that of `contact`, or of the collider it touches. A pair has the geometric mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friction: Option<FrictionSpec>,
    /// Coefficient of restitution, 0 to 1; default that of `contact`, or of the collider it touches. A pair has the larger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f32>,
    /// Color for rendering; default from a palette.
    pub color: Option<[f32; 3]>,
}

impl Default for Body {
    fn default() -> Self {
        Self {
            name: String::new(),
            cuboid: None,
            ball: None,
            mesh: None,
            pieces: None,
            capsule: None,
            cylinder: None,
            cone: None,
            convex: None,
            parts: Vec::new(),
            model: None,
            grid: 0,
            merge: 0.0,
            density: 1000.0,
            recovery: 0.0,
            regions: None,
            plastic: None,
            show: None,
            transform: Transform::default(),
            array: None,
            velocity: [0.0; 3],
            collision: None,
            sensor: false,
            friction: None,
            restitution: None,
            color: None,
        }
    }
}

impl Body {
    /// Whether a key is given that only bodies of particles have.
    pub(crate) fn names_particles(&self) -> bool {
        let keys = self.grid > 0 || self.merge > 0.0 || self.recovery > 0.0;
        keys || self.regions.is_some() || self.plastic.is_some() || self.show == Some(Show::Particles)
    }

    /// Whether it has a shape that only rigid bodies have.
    pub(crate) fn has_rigid_shape(&self) -> bool {
        let round = self.capsule.is_some() || self.cylinder.is_some() || self.cone.is_some();
        round || self.convex.is_some() || !self.parts.is_empty() || self.pieces.is_some()
    }

    /// Particles along the longest side.
    pub(crate) fn particles_across(&self) -> u32 {
        if self.grid > 0 { self.grid } else { 8 }
    }
}

/// How a body is simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BodyModel {
    /// Position, orientation and velocities, with its exact shape.
    Rigid,
    /// Particles held together by shape matching.
    Particles,
}

/// Size of a capsule, cylinder or cone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoundSpec {
    /// Radius [m].
    pub radius: f32,
    /// Length along its axis [m]: of a capsule without its round ends.
    pub length: f32,
}

/// A convex part of a body. Give exactly one of `box`, `ball`, `capsule`, `cylinder`, `cone`, `convex`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BodyPart {
    /// Edge lengths of a box around the part's origin [m].
    #[serde(rename = "box")]
    pub cuboid: Option<[f32; 3]>,
    /// Radius of a ball [m].
    pub ball: Option<f32>,
    /// A capsule along y.
    pub capsule: Option<RoundSpec>,
    /// A cylinder along y.
    pub cylinder: Option<RoundSpec>,
    /// A cone along y with its apex up.
    pub cone: Option<RoundSpec>,
    /// Points whose convex hull it is [m].
    pub convex: Option<Vec<[f32; 3]>>,
    /// Where it is in the body [m]; default its origin.
    pub translate: [f32; 3],
    /// Rotation about its own origin.
    pub rotate: Option<Rotate>,
}

/// Plastic deformation of a body (S20).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PlasticSpec {
    /// Strain up to which the deformation is elastic; default 0.05.
    pub threshold: f32,
    /// Rate at which strain beyond the threshold becomes permanent [1/s]; default 20.
    pub creep: f32,
    /// Maximum permanent strain; default 1.
    pub most: f32,
}

impl Default for PlasticSpec {
    fn default() -> Self {
        Self { threshold: 0.05, creep: 20.0, most: 1.0 }
    }
}

/// Overlapping shape-matching regions of a body (S19), coupled by the particles they share.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegionSpec {
    /// Edge length of the cubes that the body is divided into [m]: smaller cubes bend more.
    pub size: f32,
    /// Distance by which a region extends beyond its cube [m], at most `size`; default half of it. A larger overlap is
    /// stiffer.
    pub overlap: Option<f32>,
}

/// Output representation of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Show {
    /// Its particles.
    Particles,
    /// The surface it was made from, skinned to the particles (S20). Particles are written, too.
    Mesh,
}
