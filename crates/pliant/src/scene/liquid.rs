//! Liquids in the user's words.

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

/// What all liquids of a scene share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FluidSpec {
    /// Radius of a particle [m]; default 0.02. Each stands for a cube of two radii.
    pub radius: f32,
    /// How far a particle sees others, in radii, 3 to 6; default 4.
    pub reach: f32,
    /// Smoothing kernel: "cubic" (default), or "poly6" for density with the gradient of "spiky".
    pub kernel: Smoothing,
    /// Factor on every correction of density, 0.1 to 1; default 0.6, beyond a reach of 4 less by its square. From a third
    /// more on a deep liquid shakes.
    pub omega: Option<f32>,
    /// Share of the last substep's pressure that the next one starts from, 0 to 0.9; default 0.5, half the compression
    /// for as many iterations, but 0 with "poly6", which would gain energy. More makes splashes livelier than they are, and
    /// where there is one iteration no more than 0.3 is taken, or they would blow up.
    pub carry: Option<f32>,
    /// Softening of density constraints, so that particles in one place part gently; default 0.02.
    pub relaxation: f32,
    /// How much volume gives way to pressure [1/Pa]; default 0. Water has 4.6e-10.
    pub compressibility: f32,
    /// Share by which particles lose their velocity against their neighbors in a substep (XSPH), 0 to 0.5; default 0.
    /// Depends on the time step: `viscosity` of a liquid does not.
    pub xsph: f32,
    /// Artificial pressure, 0 to 1; default 0. Particles closer than half of what they are at rest part as if they were
    /// compressed by so much, though they have few neighbors: 0.05 keeps spray from lying in pairs.
    pub spread: f32,
    /// How solids, cloth and ropes draw liquids with surface tension, 0 to 5; default 0: surfaces meet them at right
    /// angles. From about 1 on a drop spreads over them.
    pub adhesion: f32,
    /// Vorticity confinement, ε [1/s], 0 to 100; default 0. Drives vortices by ε·2·radius·vorticity, against what the solver takes
    /// from them; a substep adds no more than a tenth of the velocity across a particle. Makes some momentum.
    pub vorticity: f32,
}

impl Default for FluidSpec {
    fn default() -> Self {
        Self {
            radius: 0.02,
            reach: 4.0,
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
    /// Factor on corrections that a deep liquid bears, at a reach in radii: who sees more others is corrected by more of them at
    /// once.
    pub fn calm_omega(reach: f32) -> f32 {
        0.6 * (4.0 / reach.max(4.0)).powi(2)
    }

    /// [`Self::omega`], or what it is by default.
    pub fn omega_or_default(&self) -> f32 {
        self.omega.unwrap_or_else(|| Self::calm_omega(self.reach))
    }

    /// [`Self::carry`], or what it is by default.
    pub fn carry_or_default(&self) -> f32 {
        self.carry.unwrap_or(if self.kernel == Smoothing::Poly6 { 0.0 } else { 0.5 })
    }
}

/// A liquid. Give exactly one of `fill`, `mesh`, `pour`, or none where a body melts into it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Liquid {
    /// Name for messages; default "liquid N".
    pub name: String,
    /// The box that it fills at first.
    pub fill: Option<FillSpec>,
    /// File of a closed surface that it fills at first.
    pub mesh: Option<String>,
    /// The mouth that it comes out of.
    pub pour: Option<PourSpec>,
    /// How far particles are off their lattice at first, over a hundredth of the radius; default 1.
    pub jitter: f32,
    /// Where the box, the surface or the mouth is placed.
    pub transform: Transform,
    /// Copies in rows, columns and layers.
    pub array: Option<ArraySpec>,
    /// Initial velocity [m/s]; what is poured has that of `pour`.
    pub velocity: [f32; 3],
    /// Density at rest [kg/m³]; default 1,000.
    pub density: f32,
    /// Viscosity [Pa·s]; default 0.001: water. Honey has about 10. Where a substep would take less than 1e-4 of the
    /// velocity between neighbors, as of water in particles of centimeters, it is left out.
    pub viscosity: f32,
    /// Surface tension [N/m]; default 0. Water has 0.072, which particles of millimeters feel. Substeps must be shorter
    /// than 0.2·√(density·radius³/tension), 0.7 ms for water in particles of 1 mm; in longer ones it is less.
    pub tension: f32,
    /// Color in pictures; default from a palette.
    pub color: Option<[f32; 3]>,
}

impl Liquid {
    /// Whether any of it is there, or comes, by itself.
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
            color: None,
        }
    }
}
