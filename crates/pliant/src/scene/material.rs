//! How stiff things are, in the user's words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How strongly something resists, by one explicit key: `{ compliance = … }`, `{ modulus = … }` or
/// `{ stiffness = … }`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Elasticity {
    /// XPBD compliance α ≥ 0, inverse stiffness: m/N for lengths, m³/Pa for volumes, rad²/J for angles.
    /// 0 is rigid.
    Compliance(f32),
    /// Engineering modulus: Pa for soft bodies (stretch: Young's, volume: bulk) and ropes (with their
    /// radius); N/m for stretching cloth (Young's modulus × thickness); N·m for bending cloth.
    Modulus(f32),
    /// PBD stiffness, 0 to 1: the share of the error that one projection removes.
    Stiffness(f32),
}

/// Which bending constraint a cloth uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BendModel {
    /// Keeps the angle between neighboring triangles.
    #[default]
    Dihedral,
    /// Keeps a linear measure of curvature; right for cloth that hardly stretches.
    Isometric,
}

/// Continuum elasticity (St Venant–Kirchhoff) in place of edges and volumes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fem {
    /// Young's modulus [Pa].
    pub young: f32,
    /// Poisson's ratio, 0 to 0.49.
    pub poisson: f32,
}
