//! Scene format: inflatables.

use crate::scene::collider::FrictionSpec;
use crate::scene::collision::CollisionSpec;
use crate::scene::material::{BendModel, Elasticity};
use crate::scene::placement::{ArraySpec, Pin, Transform};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A closed surface with internal pressure. Give exactly one of `sphere` and `mesh`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Inflatable {
    /// Name for messages and attachments; default "inflatable N".
    pub name: String,
    /// A sphere of triangles.
    pub sphere: Option<IcosphereSpec>,
    /// A closed triangle mesh file (OBJ, PLY, STL, glTF) in the scene's folder.
    pub mesh: Option<String>,
    /// Target volume relative to rest volume; default 1.
    pub pressure: f32,
    /// Resistance of the enclosed volume to change; default `{ compliance = 0 }`.
    pub volume: Elasticity,
    /// Scale, rotation and translation.
    pub transform: Transform,
    /// Copies in rows, columns and layers.
    pub array: Option<ArraySpec>,
    /// Initial velocity [m/s].
    pub velocity: [f32; 3],
    /// Mass per area [kg/m²]; default 0.2.
    pub density: f32,
    /// Mass of every particle [kg], replaces `density`.
    pub particle_mass: Option<f32>,
    /// Contact radius of its particles [m]; default 0.005.
    pub radius: f32,
    /// Stretch resistance of edges; default `{ compliance = 0 }`.
    pub stretch: Elasticity,
    /// Bending resistance; default none.
    pub bend: Option<Elasticity>,
    /// Bending constraint; default "dihedral".
    pub bend_model: BendModel,
    /// Aerodynamic drag coefficient; default 1.
    pub drag: f32,
    /// Aerodynamic lift coefficient; default 0.
    pub lift: f32,
    /// Fixed or kinematic particles.
    pub pin: Vec<Pin>,
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

impl Default for Inflatable {
    fn default() -> Self {
        Self {
            name: String::new(),
            sphere: None,
            mesh: None,
            pressure: 1.0,
            volume: Elasticity::Compliance(0.0),
            transform: Transform::default(),
            array: None,
            velocity: [0.0; 3],
            density: 0.2,
            particle_mass: None,
            radius: 0.005,
            stretch: Elasticity::Compliance(0.0),
            bend: None,
            bend_model: BendModel::default(),
            drag: 1.0,
            lift: 0.0,
            pin: Vec::new(),
            collision: None,
            friction: None,
            restitution: None,
            color: None,
        }
    }
}

/// A sphere around the origin, from an icosahedron.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IcosphereSpec {
    /// Radius [m].
    pub radius: f32,
    /// Subdivision levels, 0 to 8: level n has 20 × 4ⁿ triangles.
    pub subdivisions: u32,
}
