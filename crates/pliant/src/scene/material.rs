//! Scene format: material stiffness.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Resistance to deformation, by one explicit key: `{ compliance = … }`, `{ modulus = … }` or
/// `{ stiffness = … }`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Elasticity {
    /// XPBD compliance α ≥ 0, inverse stiffness: m/N for lengths, m³/Pa for volumes, rad²/J for angles.
    /// 0 is rigid.
    Compliance(f32),
    /// Engineering modulus: Pa for soft bodies (stretch: Young's, volume: bulk) and ropes (with their
    /// radius); N/m for stretching cloth (Young's modulus × thickness, Poisson's ratio 0); N·m for bending cloth
    /// (flexural rigidity), on any mesh.
    Modulus(f32),
    /// PBD stiffness, 0 to 1: the fraction of the error that one projection removes.
    Stiffness(f32),
}

/// Bending constraint of a cloth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BendModel {
    /// Angle between adjacent triangles.
    #[default]
    Dihedral,
    /// Linear measure of curvature; accurate for cloth that hardly stretches.
    Isometric,
}

/// Continuum elasticity, replaces edge and volume constraints.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fem {
    /// Young's modulus [Pa].
    pub young: f32,
    /// Poisson's ratio, 0 to 0.49.
    pub poisson: f32,
    /// Behavior at large strain; default "neo-hookean" for soft bodies where `solver.method` is "vbd", as by default, else
    /// "st-venant-kirchhoff". At small strain all are linear elasticity.
    #[serde(default)]
    pub material: Option<FemMaterial>,
}

/// Law of elasticity of a continuum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FemMaterial {
    /// Linear in Green's strain; gives way when it is compressed by about half, and may stay there.
    StVenantKirchhoff,
    /// Stable neo-Hookean: recovers its shape from flat, from a point and from inside out.
    NeoHookean,
}
