//! Ropes and rods, in the user's words.

use crate::scene::material::Elasticity;
use crate::scene::placement::{ArraySpec, Pin, Transform};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rope of particles; with `twist` an elastic rod that resists torsion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Rope {
    /// Name for messages and attachments; default "rope N".
    pub name: String,
    /// Corners of the line it lies along at first [m]; at least two.
    pub path: Vec<[f32; 3]>,
    /// Segments over the whole length; default 32.
    pub segments: u32,
    /// Length at rest over length of the path; default 1. More than 1 sags.
    pub slack: f32,
    /// Where it is placed.
    pub transform: Transform,
    /// Copies in rows, columns and layers.
    pub array: Option<ArraySpec>,
    /// Initial velocity [m/s].
    pub velocity: [f32; 3],
    /// Mass per length [kg/m]; default 0.1.
    pub density: f32,
    /// Mass of every particle [kg], in place of `density`.
    pub particle_mass: Option<f32>,
    /// Radius [m]; default 0.01.
    pub radius: f32,
    /// Resistance to stretching; default `{ compliance = 0 }`.
    pub stretch: Elasticity,
    /// Resistance to bending; default none.
    pub bend: Option<Elasticity>,
    /// Resistance to torsion; makes the rope a rod. Default none.
    pub twist: Option<Elasticity>,
    /// Particles that do not move, or move as told.
    pub pin: Vec<Pin>,
    /// Color in pictures; default from a palette.
    pub color: Option<[f32; 3]>,
}

impl Default for Rope {
    fn default() -> Self {
        Self {
            name: String::new(),
            path: Vec::new(),
            segments: 32,
            slack: 1.0,
            transform: Transform::default(),
            array: None,
            velocity: [0.0; 3],
            density: 0.1,
            particle_mass: None,
            radius: 0.01,
            stretch: Elasticity::Compliance(0.0),
            bend: None,
            twist: None,
            pin: Vec::new(),
            color: None,
        }
    }
}
