//! Inflatables, in the user's words.

use crate::scene::material::{BendModel, Elasticity};
use crate::scene::placement::{ArraySpec, Pin, Transform};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A closed skin with pressure inside. Give exactly one of `sphere` and `mesh`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Inflatable {
    /// Name for messages and attachments; default "inflatable N".
    pub name: String,
    /// A sphere of triangles.
    pub sphere: Option<IcosphereSpec>,
    /// A closed triangle mesh file (OBJ, PLY, STL, glTF) in the scene's folder.
    pub mesh: Option<String>,
    /// Wanted volume over volume at rest; default 1.
    pub pressure: f32,
    /// Resistance of the inside to changes of volume; default `{ compliance = 0 }`.
    pub volume: Elasticity,
    /// Where it is placed.
    pub transform: Transform,
    /// Copies in rows, columns and layers.
    pub array: Option<ArraySpec>,
    /// Initial velocity [m/s].
    pub velocity: [f32; 3],
    /// Mass per area [kg/m²]; default 0.2.
    pub density: f32,
    /// Mass of every particle [kg], in place of `density`.
    pub particle_mass: Option<f32>,
    /// Radius of its particles in contact [m]; default 0.005.
    pub radius: f32,
    /// Resistance of edges to stretching; default `{ compliance = 0 }`.
    pub stretch: Elasticity,
    /// Resistance to bending; default none.
    pub bend: Option<Elasticity>,
    /// Which bending constraint; default "dihedral".
    pub bend_model: BendModel,
    /// Drag coefficient in the air; default 1.
    pub drag: f32,
    /// Lift coefficient in the air; default 0.
    pub lift: f32,
    /// Particles that do not move, or move as told.
    pub pin: Vec<Pin>,
    /// Color in pictures; default from a palette.
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
    /// How often each triangle is cut in four, 0 to 8: 20 × 4ⁿ triangles.
    pub subdivisions: u32,
}
