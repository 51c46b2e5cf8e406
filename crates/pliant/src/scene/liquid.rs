//! Scene format: liquids.

use crate::scene::collision::CollisionSpec;
use crate::scene::grains::{FillSpec, PourSpec};
use crate::scene::placement::{ArraySpec, Transform};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Smoothing {
    /// Cubic spline for everything.
    #[default]
    Cubic,
    /// "poly6" for density, "spiky" for its gradient.
    Poly6,
}

/// How the pressure of liquids is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FluidMethod {
    /// Projection in scenes of liquids, colliders and rigid bodies alone that choose no substeps, iterations or time step;
    /// otherwise density.
    #[default]
    Auto,
    /// Density constraints on positions.
    Density,
    /// Velocities without divergence, and density constraints that correct positions only.
    Projection,
}

/// What all liquids of a scene share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FluidSpec {
    /// Particle radius [m]; default 0.02. A particle represents a cube of two radii.
    pub radius: f32,
    /// Support radius of the kernel, in particle radii, 3 to 6; default 4.
    pub reach: f32,
    /// How pressure is found: "density" by constraints on positions, "projection" by velocities without divergence, which
    /// keeps waves but needs a scene of liquids of one density, colliders and rigid bodies; default "auto":
    /// projection where it is possible and the scene chooses no substeps, iterations or time step.
    pub method: FluidMethod,
    /// Smoothing kernel: "cubic" (default), or "poly6" for density with the gradient of "spiky".
    pub kernel: Smoothing,
    /// Relaxation factor of density corrections, 0.1 to 1; default 0.6, beyond a reach of 4 reduced by its square. From
    /// about 4/3 of the default on, a deep liquid oscillates.
    pub omega: Option<f32>,
    /// Fraction of the last substep's pressure that the next one starts from (warm start), 0 to 0.9; default 0.5, which
    /// halves the compression for the same iterations, but 0 with "poly6", which would gain energy. Larger values make
    /// splashes too energetic; with one iteration it is limited to 0.3 for stability.
    pub carry: Option<f32>,
    /// Relaxation of density constraints, so that coincident particles separate slowly; default 0.02.
    pub relaxation: f32,
    /// Compressibility [1/Pa]; default 0. Water has 4.6e-10.
    pub compressibility: f32,
    /// XSPH: fraction of the velocity relative to neighbors that a substep removes, 0 to 0.5; default 0.
    /// Depends on the time step, unlike the `viscosity` of a liquid.
    pub xsph: f32,
    /// Artificial pressure, 0 to 1; default 0. Particles closer than half their rest distance repel as if compressed by
    /// this fraction, even with few neighbors: 0.05 prevents pairing in spray.
    pub spread: f32,
    /// Adhesion of liquids with surface tension to solids, cloth and ropes, 0 to 5; default 0: a contact angle of 90°.
    /// From about 1 on a drop spreads.
    pub adhesion: f32,
    /// Vorticity confinement ε [1/s], 0 to 100; default 0. Drives vortices by ε·2·radius·vorticity, against numerical
    /// dissipation; a substep adds at most a tenth of the velocity across a particle. Does not conserve momentum
    /// exactly.
    pub vorticity: f32,
}

impl Default for FluidSpec {
    fn default() -> Self {
        Self {
            radius: 0.02,
            reach: 4.0,
            method: FluidMethod::default(),
            kernel: Smoothing::default(),
            omega: None,
            carry: None,
            relaxation: 0.02,
            compressibility: 0.0,
            xsph: 0.0,
            spread: 0.0,
            adhesion: 0.0,
            vorticity: 0.0,
        }
    }
}

impl FluidSpec {
    /// Largest stable relaxation factor for a deep liquid, at a reach in radii: with more neighbors, more corrections
    /// add up.
    pub fn calm_omega(reach: f32) -> f32 {
        0.6 * (4.0 / reach.max(4.0)).powi(2)
    }

    /// [`Self::omega`], or its default.
    pub fn omega_or_default(&self) -> f32 {
        self.omega.unwrap_or_else(|| Self::calm_omega(self.reach))
    }

    /// [`Self::carry`], or its default.
    pub fn carry_or_default(&self) -> f32 {
        self.carry.unwrap_or(if self.kernel == Smoothing::Poly6 { 0.0 } else { 0.5 })
    }
}

/// A liquid. Give exactly one of `fill`, `mesh`, `pour`, or none if a body melts into it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Liquid {
    /// Name for messages; default "liquid N".
    pub name: String,
    /// The box that it fills initially.
    pub fill: Option<FillSpec>,
    /// Closed surface mesh file that it fills initially.
    pub mesh: Option<String>,
    /// An emitter.
    pub pour: Option<PourSpec>,
    /// Jitter of initial positions, 0 to 1, relative to 1 % of the radius; default 1.
    pub jitter: f32,
    /// Scale, rotation and translation of the box, surface or emitter.
    pub transform: Transform,
    /// Copies in rows, columns and layers.
    pub array: Option<ArraySpec>,
    /// Initial velocity [m/s]; emitted particles have that of `pour`.
    pub velocity: [f32; 3],
    /// Rest density [kg/m³]; default 1,000.
    pub density: f32,
    /// Dynamic viscosity [Pa·s]; default 0.001: water. Honey has about 10. Ignored if a substep would remove less
    /// than 1e-4 of the velocity between neighbors, as for water with centimeter-sized particles.
    pub viscosity: f32,
    /// Surface tension [N/m]; default 0. Water has 0.072, noticeable with millimeter-sized particles. Substeps must be
    /// shorter than 0.2·√(density·radius³/tension), 0.7 ms for water and a radius of 1 mm; with longer ones it is
    /// reduced.
    pub tension: f32,
    /// Which objects it touches; default all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collision: Option<CollisionSpec>,
    /// Coefficient of restitution, 0 to 1; default that of `contact`, or of the collider it touches. A pair has the larger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f32>,
    /// Color for rendering; default from a palette.
    pub color: Option<[f32; 3]>,
}

impl Liquid {
    /// Whether it has a `fill`, `mesh` or `pour`.
    pub fn has_source(&self) -> bool {
        self.fill.is_some() || self.mesh.is_some() || self.pour.is_some()
    }
}

impl Default for Liquid {
    fn default() -> Self {
        Self {
            name: String::new(),
            fill: None,
            mesh: None,
            pour: None,
            jitter: 1.0,
            transform: Transform::default(),
            array: None,
            velocity: [0.0; 3],
            density: 1000.0,
            viscosity: 0.001,
            tension: 0.0,
            collision: None,
            restitution: None,
            color: None,
        }
    }
}
