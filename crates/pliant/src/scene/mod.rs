//! Scene description: objects, materials, colliders, solver settings. Plain data in SI units.
//!
//! Independent of particle indices and backends. TOML and JSON deserialize into the same types, unknown keys are
//! rejected, and the JSON Schema is generated from them, so these comments are the reference of the format.

mod change;
mod cloth;
mod collider;
mod collision;
mod construct;
mod grains;
mod inflatable;
mod joint;
mod liquid;
mod locate;
mod material;
mod motion;
mod object;
mod parse;
mod placement;
mod rope;
mod sample;
mod soft;
mod strict;
mod validate;
mod view;

pub use crate::scene::change::{Drain, Freeze, Melt};
pub use crate::scene::cloth::{Cloth, GridPlane, GridSpec, InlineMesh};
pub use crate::scene::collider::{
    BowlSpec, BoxShape, CapsuleShape, Collider, CylinderShape, FrictionSpec, MeshShape, PlaneShape, SphereShape,
};
pub use crate::scene::collision::CollisionSpec;
pub(crate) use crate::scene::grains::emitter_sites;
pub use crate::scene::grains::{
    Body, BodyModel, BodyPart, ContactSpec, FillSpec, Grains, PlasticSpec, PourSpec, RegionSpec, RoundSpec, Show,
};
pub use crate::scene::inflatable::{IcosphereSpec, Inflatable};
pub use crate::scene::joint::{AxisSpec, Joint, JointAxes, JointAxis, JointType, MotorSpec};
pub use crate::scene::liquid::{FluidMethod, FluidSpec, Liquid, Smoothing};
pub use crate::scene::material::{BendModel, Elasticity, Fem, FemMaterial};
pub use crate::scene::motion::{Keyframe, MotionSpec, Rotate};
pub use crate::scene::object::{Object, ObjectKind};
pub use crate::scene::parse::{Format, Override, place_of};
pub use crate::scene::placement::{ArraySpec, Attach, Pin, Place, Region, Select, Transform};
pub use crate::scene::rope::Rope;
pub use crate::scene::sample::{ObjectSample, samples};
pub use crate::scene::soft::{
    BallSpec, BlockSpec, FigureSpec, Soft, SpikeSpec, Tessellation, TetrahedraSpec, TorusSpec, UrchinSpec,
};
pub(crate) use crate::scene::validate::joint::validate_axis;
pub(crate) use crate::scene::validate::{MOST_PARTICLES, as_grains, check_motion};
pub use crate::scene::view::{Camera, FoamSpec, Output, SurfaceSpec};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A scene: all objects, and the settings of the simulation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Scene {
    /// One-line description.
    pub title: String,
    /// Time stepping and constraint solver.
    pub solver: Solver,
    /// Gravity, air and damping.
    pub world: WorldSpec,
    /// Sheets of cloth.
    pub cloth: Vec<Cloth>,
    /// Ropes and elastic rods.
    pub rope: Vec<Rope>,
    /// Deformable solids of tetrahedra.
    pub soft: Vec<Soft>,
    /// Closed surfaces with internal pressure.
    pub inflatable: Vec<Inflatable>,
    /// Loose grains.
    pub grains: Vec<Grains>,
    /// Rigid bodies, and shape-matched bodies of particles.
    pub body: Vec<Body>,
    /// Liquids.
    pub liquid: Vec<Liquid>,
    /// Settings common to all liquids.
    pub fluid: FluidSpec,
    /// Particle contacts.
    pub contact: ContactSpec,
    /// Attachments between two objects.
    pub attach: Vec<Attach>,
    /// Joints of rigid bodies.
    pub joint: Vec<Joint>,
    /// Colliders.
    pub collider: Vec<Collider>,
    /// Regions that remove liquids and grains.
    pub drain: Vec<Drain>,
    /// Bodies that melt into liquids.
    pub melt: Vec<Melt>,
    /// Liquids that freeze to bodies.
    pub freeze: Vec<Freeze>,
    /// Camera for rendering; framed automatically by default.
    pub camera: Camera,
    /// Duration and image size.
    pub output: Output,
}

/// Solution method of constraints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// "vbd" where neither `iterations` nor `partition` is given, else "xpbd".
    #[default]
    Auto,
    /// Classic position-based dynamics: stiffness depends on iterations and time step.
    Pbd,
    /// Extended PBD: compliance in physical units, independent of both once it has converged.
    Xpbd,
    /// Vertex block descent with a coarse correction for elastic bodies (cloth, ropes, rods and soft bodies with a
    /// modulus or compliance above 0): the implicit step itself. All others as "xpbd".
    Vbd,
}

/// How much time a scene without settings of its own is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Quality {
    /// One substep: fast; heaps of grains are compressed.
    Draft,
    /// Substeps short enough that grains pack as real ones do.
    #[default]
    Default,
    /// Twice as many.
    Accurate,
}

/// Time integrator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Integrator {
    /// First order: robust, dissipative.
    #[default]
    Bdf1,
    /// Second order: much less dissipative; particles in contact fall back to first order.
    Bdf2,
}

/// Maximum colors of "phantom" and "hybrid", which limits memory: each row has one counter per color.
pub const MOST_COLORS: u32 = 256;

/// Maximum iterations per substep.
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
    /// Default of the processor, independent of the number of threads: "patch" on a CPU, "shared-patch" on a GPU.
    #[default]
    Auto,
    /// One constraint after the other, in order.
    Serial,
    /// Colors in smallest-last order: parallel Gauss–Seidel.
    Color,
    /// A given number of colors: particles shared by too many constraints are split into copies.
    Phantom,
    /// The first colors by Gauss–Seidel, all others concurrently with averaged corrections.
    Hybrid,
    /// Pieces of bodies that fit a cache or workgroup memory, colored within.
    Patch,
    /// The same with all kinds in one pass: pieces share the particles on their seams, as copies that are averaged.
    /// Its name was "mosaic", which is still read.
    #[serde(rename = "shared-patch", alias = "mosaic")]
    SharedVertexPatches,
    /// All constraints concurrently, corrections averaged and over-relaxed by omega; computed per constraint.
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

    /// Name in scenes, reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Serial => "serial",
            Self::Color => "color",
            Self::Phantom => "phantom",
            Self::Hybrid => "hybrid",
            Self::Patch => "patch",
            Self::SharedVertexPatches => "shared-patch",
            Self::Jacobi => "jacobi",
            Self::JacobiGather => "jacobi-gather",
        }
    }

    /// The partition of a name, former names included.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = if name == "mosaic" { "shared-patch" } else { name };
        Self::ALL.into_iter().find(|partition| partition.name() == name)
    }

    /// Whether bodies that do not fit are cut into pieces of a given size.
    pub fn is_patched(self) -> bool {
        matches!(self, Self::Patch | Self::SharedVertexPatches)
    }

    /// Whether constraints are split into sets that share no row within, so that Gauss–Seidel runs in parallel. All others
    /// are left in one set.
    pub fn is_parallel(self) -> bool {
        !matches!(self, Self::Serial | Self::Jacobi | Self::JacobiGather)
    }
}

/// Time stepping and constraint solver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Solver {
    /// "auto" (default), "vbd", "xpbd" or "pbd".
    pub method: Method,
    /// "bdf1" (default) or "bdf2".
    pub integrator: Integrator,
    /// Partition of constraints: "auto" (default), "serial", "color", "phantom", "hybrid", "patch", "shared-patch",
    /// "jacobi", "jacobi-gather".
    pub partition: Partition,
    /// Colors per constraint kind for "phantom" and "hybrid", 2 to 256; default half the size of the largest
    /// set of mutually conflicting constraints. Also for the pieces of "shared-patch", as far as memory permits;
    /// default there depends on the processor.
    pub colors: Option<u32>,
    /// Whether color sizes are balanced; default false. "phantom" and the pieces of "patch" and
    /// "shared-patch" are always balanced.
    pub balance: bool,
    /// Whether "color" colors all constraint kinds together instead of one by one; default false.
    pub together: bool,
    /// Maximum particles of a patch, for "patch" and "shared-patch"; default what fits a core's cache or workgroup
    /// memory and occupies the processor.
    pub patch_particles: Option<u32>,
    /// Time step [s]; default 0.01.
    pub dt: f32,
    /// Substeps per step; default 0: chosen by `quality`.
    pub substeps: u32,
    /// Iterations per substep; default 0: chosen by `quality`.
    pub iterations: u32,
    /// "draft", "default" (default) or "accurate": substeps and iterations of scenes that give neither, nor another `dt`.
    /// With grains or bodies 1 × 16, 5 × 4 or 10 × 4; with inextensible cloth 1 × 16, 16 × 1 or 32 × 1; with elastic cloth 1,
    /// 1 to 5 or 2 to 10 substeps, by its stiffness; else, with liquids, and where any of the three is given, 1 × 16.
    pub quality: Quality,
    /// Pre-stabilization passes per substep; default 2.
    pub stabilization: u32,
    /// Relaxation factor of Jacobi passes, 0 to 2; default 1.5.
    pub omega: f32,
    /// Rotation extraction of shape matching: "iterative" (default), warm-started; "polar", stateless;
    /// "gram-schmidt", fast but biased.
    pub rotation: Extraction,
    /// Particles slower than this are not moved [m/s]; default 0: disabled.
    pub sleep_speed: f32,
    /// Contact margin [m]: gap below which a contact is generated, in addition to the particle's motion; default 0.02.
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
            dt: DEFAULT_DT,
            substeps: 0,
            iterations: 0,
            quality: Quality::default(),
            stabilization: 2,
            omega: 1.5,
            rotation: Extraction::default(),
            sleep_speed: 0.0,
            contact_margin: 0.02,
        }
    }
}

/// Time step of scenes that give none [s].
const DEFAULT_DT: f32 = 0.01;

/// Iterations of scenes that give no number.
const DEFAULT_ITERATIONS: u32 = 16;

impl Scene {
    /// Substeps per step and iterations per substep, with defaults where the scene gives none.
    ///
    /// Impulses pass one layer of grains per iteration, and what does not reach the floor in a substep overlaps: the overlap
    /// falls with the square of the substep, so that iterations are better spent on substeps. Measured on 1,800 grains in
    /// a box of 70 radii: 1 × 16 packs 0.73 to 0.77 of the volume, 4 × 4 0.63 to 0.66, 5 × 4 0.61 to 0.63.
    ///
    /// Inextensible sheets stretch by their own weight where they do not converge: a sheet of 100 × 100 cells by 11 % with
    /// 1 × 16, by 0.8 % with 16 × 1 at twice the time.
    pub fn substeps_and_iterations(&self) -> (u32, u32) {
        let s = &self.solver;
        let given = self.gives_steps();
        // Bodies have the same substeps beside grains as without them.
        // Liquids gain nothing by them.
        let contacts = (!self.grains.is_empty() || !self.body.is_empty()) && self.liquid.is_empty();
        let sheets = self.only_inextensible_sheets() && s.solution_method() == Method::Vbd;
        match s.quality {
            Quality::Default if contacts && !given => (5, 4),
            Quality::Accurate if contacts && !given => (10, 4),
            Quality::Default if sheets && !given => (16, 1),
            Quality::Accurate if sheets && !given => (32, 1),
            _ => (s.substeps.max(1), if s.iterations == 0 { DEFAULT_ITERATIONS } else { s.iterations }),
        }
    }
}

impl Scene {
    /// Whether the scene gives substeps, iterations or a time step; else they are chosen by `solver.quality`.
    pub fn gives_steps(&self) -> bool {
        let s = &self.solver;
        s.substeps > 0 || s.iterations > 0 || s.dt != DEFAULT_DT
    }

    /// Whether particles collide with each other. By default they do wherever there is something to collide with: another
    /// object, or the object itself. One object alone is spared the search.
    pub(crate) fn collides(&self) -> bool {
        let elastic = [ObjectKind::Cloth, ObjectKind::Rope, ObjectKind::Soft, ObjectKind::Inflatable];
        let itself = |kind| (0..self.count(kind)).any(|index| self.collides_with_itself(kind, index));
        let itself = self.contact.itself || elastic.into_iter().any(itself);
        let arrays = self.cloth.iter().map(|o| o.array).chain(self.rope.iter().map(|o| o.array));
        let arrays = arrays.chain(self.soft.iter().map(|o| o.array)).chain(self.inflatable.iter().map(|o| o.array));
        let solids = arrays.fold(0_u64, |sum, array| sum.saturating_add(array.map_or(1, |array| array.copies())));
        let among = solids > 1 || solids > 0 && !self.liquid.is_empty();
        let wanted = itself || among || !self.grains.is_empty() || !self.body.is_empty();
        self.contact.between.unwrap_or(wanted)
    }

    /// Whether there is cloth, all of it without compliance, and nothing that needs other steps.
    fn only_inextensible_sheets(&self) -> bool {
        let rigid = |c: &Cloth| c.fem.is_none() && c.stretch == Elasticity::Compliance(0.0);
        let alone = self.soft.iter().all(|s| s.fem.is_none()) && self.inflatable.is_empty() && self.liquid.is_empty();
        alone && !self.cloth.is_empty() && self.cloth.iter().all(rigid)
    }
}

impl Solver {
    /// The solution method, with the default where the scene gives none: a scene that chooses iterations or a
    /// partition is tuned for projection.
    pub fn solution_method(&self) -> Method {
        match self.method {
            Method::Auto if self.iterations == 0 && self.partition == Partition::Auto => Method::Vbd,
            Method::Auto => Method::Xpbd,
            given => given,
        }
    }
}

/// Gravity, air and damping.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WorldSpec {
    /// Gravitational acceleration [m/s²]; default [0, -9.81, 0].
    pub gravity: [f32; 3],
    /// Air density [kg/m³]; default 1.2. 0 is a vacuum: no drag, lift or wind.
    pub air_density: f32,
    /// Wind; default none.
    pub wind: Option<WindSpec>,
    /// Decay rate of all velocities [1/s]; default 0.
    pub damping: f32,
}

impl Default for WorldSpec {
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
