//! Grains and bodies of particles, and how particles touch each other, in the user's words.

use crate::scene::collider::FrictionSpec;
use crate::scene::placement::{ArraySpec, Transform};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Contact between particles: of different objects, and of grains among themselves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ContactSpec {
    /// Whether particles touch each other; default true where there are grains or bodies, or liquids
    /// beside other objects, or `itself` is set.
    pub between: Option<bool>,
    /// Whether cloth, ropes, soft bodies and inflatables touch themselves too; default false. Particles should be no
    /// farther apart than their diameter, and move less than their radius in a substep, or layers slip through.
    pub itself: bool,
    /// Friction between particles.
    pub friction: FrictionSpec,
    /// Factor on every correction, 0.1 to 1.9; default 1.5: a heap of grains then stands as with half again the
    /// iterations. Thin layers that touch themselves are better off with 1.
    pub omega: f32,
    /// How much heavier lower particles are in contacts, so that stacks stand with fewer iterations [1/m]: masses
    /// shrink by e for every 1/stacking meters of height. Default 0: true masses, which keep momentum.
    pub stacking: f32,
    /// Whether contacts push rigid bodies as a whole: they know the mass behind a particle. Default true. Without, bodies
    /// follow the particles that touch, the more slowly the more particles they have, and give way like something soft.
    pub whole: bool,
    /// Speed after a collision over speed before, 0 to 1; default 0.
    pub restitution: f32,
    /// Work that it takes to part the surfaces of two particles, by their area [J/m²]: spheres that touch resist a pull
    /// of 2π·cohesion times r₁·r₂/(r₁ + r₂). Default 0: dry.
    pub cohesion: f32,
    /// Rate at which particles that touch lose their speed along each other [1/s]; default 0.
    pub rolling: f32,
}

impl Default for ContactSpec {
    fn default() -> Self {
        Self {
            between: None,
            itself: false,
            friction: FrictionSpec::default(),
            omega: 1.5,
            stacking: 0.0,
            whole: true,
            restitution: 0.0,
            cohesion: 0.0,
            rolling: 0.0,
        }
    }
}

/// Loose grains: sand, gravel, balls. Give exactly one of `fill`, `mesh`, `pour`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Grains {
    /// Name for messages; default "grains N".
    pub name: String,
    /// The box that they fill at first.
    pub fill: Option<FillSpec>,
    /// File of a closed surface that they fill at first: grains on a lattice whose centers are inside.
    pub mesh: Option<String>,
    /// The nozzle that they come out of, one after the other.
    pub pour: Option<PourSpec>,
    /// Radius of a grain [m]; default 0.02.
    pub radius: f32,
    /// Distance of neighbors at first [m]; default two radii.
    pub distance: Option<f32>,
    /// How far grains are off their places at first, over the gap between neighbors that is left, or over a hundredth of
    /// the radius where there is none; default 1.
    pub jitter: f32,
    /// Where the box, the surface or the nozzle is placed. Its scale is that of the box or the surface, which hold more or
    /// fewer grains then; a nozzle has no use for scale and rotation.
    pub transform: Transform,
    /// Copies in rows, columns and layers.
    pub array: Option<ArraySpec>,
    /// Initial velocity [m/s]; grains that are poured have that of `pour`.
    pub velocity: [f32; 3],
    /// Density of a grain [kg/m³]; default 2,600.
    pub density: f32,
    /// Color in pictures; default from a palette.
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
            color: None,
        }
    }
}

/// A box by two corners.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FillSpec {
    /// Lowest corner [m].
    pub min: [f32; 3],
    /// Highest corner [m].
    pub max: [f32; 3],
}

/// A round nozzle that grains come out of. Until then they wait behind it, where nothing meets them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PourSpec {
    /// Middle of the nozzle [m].
    pub from: [f32; 3],
    /// Radius of the nozzle [m], which lies across the velocity: centers of grains stay a grain's radius within it.
    pub radius: f32,
    /// Grains per second [1/s]; no more than fit through.
    pub per_second: f32,
    /// Velocity of grains as they come out [m/s].
    pub velocity: [f32; 3],
    /// When the last of them comes out [s]; the first does at 0.
    pub until: f32,
}

impl PourSpec {
    /// How many grains come out in all.
    pub fn count(&self) -> u64 {
        // Less a thousandth of a grain: 0.4 s of 120 grains per second are 48, though single precision makes 0.4 more.
        (f64::from(self.until) * f64::from(self.per_second) - 1e-3).ceil().max(1.0) as u64
    }
}

/// Most grains that lie side by side along the diameter of a nozzle.
pub(crate) const MOST_ACROSS: f32 = 1000.0;

/// Where grains come out of a nozzle, from its middle [m]: a square lattice of this spacing, out to `reach`.
pub(crate) fn emitter_sites(reach: f32, spacing: f32) -> Vec<[f32; 2]> {
    let n = (reach / spacing).clamp(0.0, MOST_ACROSS) as i32;
    let lattice = (-n..=n).flat_map(|i| (-n..=n).map(move |j| [i as f32 * spacing, j as f32 * spacing]));
    lattice.filter(|[x, y]| x * x + y * y <= reach * reach).collect()
}

/// A body of particles that keeps its shape: rigid, or softer, or one that keeps dents. Give exactly one of `box`,
/// `ball`, `mesh`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Body {
    /// Name for messages; default "body N".
    pub name: String,
    /// A cuboid with these edges [m], around the origin.
    #[serde(rename = "box")]
    pub cuboid: Option<[f32; 3]>,
    /// A ball of this radius [m], around the origin.
    pub ball: Option<f32>,
    /// File of a closed surface.
    pub mesh: Option<String>,
    /// Particles along its longest side; default 8.
    pub grid: u32,
    /// Depth below the surface, in particles of the grid, from which on they are joined by eights into larger ones, as
    /// often as it goes; 0.5 or more. Default 0: none are.
    pub merge: f32,
    /// Density [kg/m³]; default 1,000.
    pub density: f32,
    /// Seconds in which a dent comes back to 1/e; default 0: rigid.
    pub recovery: f32,
    /// Regions that keep their shape each for itself, so that the body bends; default the body as a whole.
    pub regions: Option<RegionSpec>,
    /// What it takes to stay dented; default it never does.
    pub plastic: Option<PlasticSpec>,
    /// What outputs show; default the mesh where `mesh` is given, else particles.
    pub show: Option<Show>,
    /// Where it is placed.
    pub transform: Transform,
    /// Copies in rows, columns and layers.
    pub array: Option<ArraySpec>,
    /// Initial velocity [m/s].
    pub velocity: [f32; 3],
    /// Color in pictures; default from a palette.
    pub color: Option<[f32; 3]>,
}

impl Default for Body {
    fn default() -> Self {
        Self {
            name: String::new(),
            cuboid: None,
            ball: None,
            mesh: None,
            grid: 8,
            merge: 0.0,
            density: 1000.0,
            recovery: 0.0,
            regions: None,
            plastic: None,
            show: None,
            transform: Transform::default(),
            array: None,
            velocity: [0.0; 3],
            color: None,
        }
    }
}

/// When a body stays deformed (S20).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PlasticSpec {
    /// Strain below which it springs back; default 0.05.
    pub threshold: f32,
    /// Share of the strain beyond that it takes over per second [1/s]; default 20.
    pub creep: f32,
    /// Strain that it takes over at most; default 1.
    pub most: f32,
}

impl Default for PlasticSpec {
    fn default() -> Self {
        Self { threshold: 0.05, creep: 20.0, most: 1.0 }
    }
}

/// Overlapping regions of a body (S19). Particles in several of them hold these together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegionSpec {
    /// Edge of the cubes that the body is cut into [m]: the smaller, the more it bends.
    pub size: f32,
    /// How far a region reaches beyond its cube [m], at most the size; default half of it. The more, the stiffer.
    pub overlap: Option<f32>,
}

/// What outputs show of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Show {
    /// Its particles.
    Particles,
    /// The surface that it was made from, which follows the particles (S20). Particles are written besides.
    Mesh,
}
