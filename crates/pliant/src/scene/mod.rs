//! What the user said: objects, materials, colliders, solver settings. Plain data in SI units.
//!
//! Knows no particle number and no backend. TOML and JSON read into the same types, unknown keys are
//! refused, and the JSON Schema is made from them, so these comments are the reference of the format.

mod change;
mod cloth;
mod collider;
mod grains;
mod inflatable;
mod liquid;
mod locate;
mod material;
mod motion;
mod parse;
mod placement;
mod rope;
mod soft;
mod validate;
mod view;

pub use crate::scene::change::{Drain, Freeze, Melt};
pub use crate::scene::cloth::{Cloth, GridPlane, GridSpec, InlineMesh};
pub use crate::scene::collider::{
    BowlSpec, BoxShape, CapsuleShape, Collider, FrictionSpec, MeshShape, PlaneShape, SphereShape,
};
pub(crate) use crate::scene::grains::emitter_sites;
pub use crate::scene::grains::{Body, ContactSpec, FillSpec, Grains, PlasticSpec, PourSpec, RegionSpec, Show};
pub use crate::scene::inflatable::{IcosphereSpec, Inflatable};
pub use crate::scene::liquid::{FluidSpec, Liquid, Smoothing};
pub use crate::scene::material::{BendModel, Elasticity, Fem};
pub use crate::scene::motion::{Keyframe, MotionSpec, Rotate};
pub use crate::scene::parse::{Format, Override, place_of};
pub use crate::scene::placement::{ArraySpec, Attach, Pin, Place, Region, Select, Transform};
pub use crate::scene::rope::Rope;
pub use crate::scene::soft::{BallSpec, BlockSpec, FigureSpec, Soft, SpikeSpec, Tessellation, TorusSpec, UrchinSpec};
pub(crate) use crate::scene::validate::as_grains;
pub use crate::scene::view::{Camera, FoamSpec, Output, SurfaceSpec};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A scene: everything that is simulated, and how.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Scene {
    /// One line that says what is to be seen.
    pub title: String,
    /// How to step in time and solve constraints.
    pub solver: Solver,
    /// Gravity, air and damping.
    pub world: World,
    /// Sheets of cloth.
    pub cloth: Vec<Cloth>,
    /// Ropes and elastic rods.
    pub rope: Vec<Rope>,
    /// Solid bodies that deform.
    pub soft: Vec<Soft>,
    /// Closed skins with pressure inside.
    pub inflatable: Vec<Inflatable>,
    /// Loose grains.
    pub grains: Vec<Grains>,
    /// Bodies of particles that keep their shape.
    pub body: Vec<Body>,
    /// Liquids.
    pub liquid: Vec<Liquid>,
    /// What all liquids share.
    pub fluid: FluidSpec,
    /// How particles touch each other.
    pub contact: ContactSpec,
    /// Places where two objects hold together.
    pub attach: Vec<Attach>,
    /// Solids of the environment.
    pub collider: Vec<Collider>,
    /// Regions that take liquids and grains away.
    pub drain: Vec<Drain>,
    /// Bodies that turn into liquids.
    pub melt: Vec<Melt>,
    /// Liquids that turn into bodies.
    pub freeze: Vec<Freeze>,
    /// Where pictures are taken from; framed automatically where nothing is said.
    pub camera: Camera,
    /// Length of the run and size of its pictures.
    pub output: Output,
}

/// How constraints are softened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Classic position-based dynamics: stiffness depends on iterations and time step.
    Pbd,
    /// Extended: compliance in physical units, independent of both.
    #[default]
    Xpbd,
}

/// How positions are carried through time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Integrator {
    /// First order: robust, loses energy.
    #[default]
    Bdf1,
    /// Second order: loses much less; particles in contact fall back to the first order.
    Bdf2,
}

/// Colors that "phantom" and "hybrid" count to, for the sake of memory: each row has a counter for each.
pub const MOST_COLORS: u32 = 256;

/// Iterations per substep at most.
pub const MOST_ITERATIONS: u32 = 100_000;

/// How the orientation of a body is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Extraction {
    /// Columns one after the other: cheap, but turns bodies that are only sheared. Rods, and bodies with adaptive
    /// weights, are decomposed instead.
    GramSchmidt,
    /// Polar decomposition: without memory, so orientations may jump where they are not determined.
    Polar,
    /// From the last orientation on: continuous in time.
    #[default]
    Iterative,
}

/// How constraints are split into sets that run side by side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Partition {
    /// What suits the processor, whatever the number of threads: patches on a CPU, a mosaic on a GPU.
    #[default]
    Auto,
    /// One constraint after the other, as listed.
    Serial,
    /// Colors in smallest-last order: parallel Gauss–Seidel.
    Color,
    /// As few colors as wished: particles that too many constraints share are split into copies.
    Phantom,
    /// The first colors as Gauss–Seidel, all that is left at once with averaged corrections.
    Hybrid,
    /// Pieces of bodies that fit a cache or a workgroup's memory, colors within.
    Patch,
    /// The same with all kinds in one pass: pieces share the particles on their seams, as copies that are averaged.
    #[serde(rename = "mosaic")]
    SharedVertexPatches,
    /// All at once, corrections averaged and over-relaxed by omega; written per constraint.
    Jacobi,
    /// The same, computed per particle.
    JacobiGather,
}

impl Partition {
    /// All choices.
    pub const ALL: [Self; 9] = [
        Self::Auto,
        Self::Serial,
        Self::Color,
        Self::Phantom,
        Self::Hybrid,
        Self::Patch,
        Self::SharedVertexPatches,
        Self::Jacobi,
        Self::JacobiGather,
    ];

    /// Name in scenes, tables and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Serial => "serial",
            Self::Color => "color",
            Self::Phantom => "phantom",
            Self::Hybrid => "hybrid",
            Self::Patch => "patch",
            Self::SharedVertexPatches => "mosaic",
            Self::Jacobi => "jacobi",
            Self::JacobiGather => "jacobi-gather",
        }
    }

    /// Whether bodies that do not fit are cut into pieces of a given size.
    pub fn is_patched(self) -> bool {
        matches!(self, Self::Patch | Self::SharedVertexPatches)
    }

    /// Whether its sets hold constraints that share no row, so that Gauss–Seidel runs side by side.
    pub fn is_parallel(self) -> bool {
        !matches!(self, Self::Serial | Self::Jacobi | Self::JacobiGather)
    }
}

/// How to step in time and solve constraints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Solver {
    /// "xpbd" (default) or "pbd".
    pub method: Method,
    /// "bdf1" (default) or "bdf2".
    pub integrator: Integrator,
    /// How constraints are split: "auto" (default), "serial", "color", "phantom", "hybrid", "patch", "mosaic",
    /// "jacobi", "jacobi-gather".
    pub partition: Partition,
    /// Colors per kind that "phantom" and "hybrid" make do with, 2 to 256; default half of the largest
    /// number of constraints that all get in each other's way. Within the pieces of "mosaic" as far as there is room;
    /// default what suits the processor.
    pub colors: Option<u32>,
    /// Whether colors are evened out; default false. "phantom" and the pieces of "patch" and
    /// "mosaic" always are.
    pub balance: bool,
    /// Whether "color" colors all kinds of constraints together instead of each by itself; default false.
    pub together: bool,
    /// Particles of a patch at most, for "patch" and "mosaic"; default what fits a core's cache or a workgroup's
    /// memory and keeps the processor busy.
    pub patch_particles: Option<u32>,
    /// Time step [s]; default 0.01.
    pub dt: f32,
    /// Substeps per step; default 1.
    pub substeps: u32,
    /// Iterations per substep; default 16.
    pub iterations: u32,
    /// Passes of pre-stabilization per substep; default 2.
    pub stabilization: u32,
    /// Over-relaxation of Jacobi passes, 0 to 2; default 1.5.
    pub omega: f32,
    /// How the rotation of a body is found: "iterative" (default), from the last one on; "polar", without memory;
    /// "gram-schmidt", cheap and biased.
    pub rotation: Extraction,
    /// Particles slower than this stay where they are [m/s]; default 0, never.
    pub sleep_speed: f32,
    /// Gap below which a particle is watched for contact [m], on top of its own movement; default 0.02.
    pub contact_margin: f32,
}

impl Default for Solver {
    fn default() -> Self {
        Self {
            method: Method::default(),
            integrator: Integrator::default(),
            partition: Partition::default(),
            colors: None,
            balance: false,
            together: false,
            patch_particles: None,
            dt: 0.01,
            substeps: 1,
            iterations: 16,
            stabilization: 2,
            omega: 1.5,
            rotation: Extraction::default(),
            sleep_speed: 0.0,
            contact_margin: 0.02,
        }
    }
}

/// Gravity, air and damping.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct World {
    /// Acceleration of gravity [m/s²]; default [0, -9.81, 0].
    pub gravity: [f32; 3],
    /// Density of the air [kg/m³]; default 1.2. 0 is a vacuum: no drag, no lift, no wind.
    pub air_density: f32,
    /// Wind; default none.
    pub wind: Option<WindSpec>,
    /// Rate at which all velocities decay [1/s]; default 0.
    pub damping: f32,
}

impl Default for World {
    fn default() -> Self {
        Self { gravity: [0.0, -9.81, 0.0], air_density: 1.2, wind: None, damping: 0.0 }
    }
}

/// Wind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindSpec {
    /// Mean velocity [m/s].
    pub velocity: [f32; 3],
    /// Strength of gusts relative to the mean, 0 to 1; default 0.
    #[serde(default)]
    pub gust: f32,
    /// Time between gusts [s]; default 2.
    #[serde(default = "default_gust_period")]
    pub period: f32,
}

fn default_gust_period() -> f32 {
    2.0
}

/// JSON Schema of the scene file.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Scene).into()
}
