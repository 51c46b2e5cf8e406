//! Scene format: ropes and rods.

use crate::scene::collider::FrictionSpec;
use crate::scene::collision::CollisionSpec;
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
    /// Vertices of its initial polyline [m]; at least two.
    pub path: Vec<[f32; 3]>,
    /// Number of segments; default 32.
    pub segments: u32,
    /// Rest length relative to the length of the path; default 1. A rope with more than 1 sags.
    pub slack: f32,
    /// Scale, rotation and translation.
    pub transform: Transform,
    /// Copies in rows, columns and layers.
    pub array: Option<ArraySpec>,
    /// Initial velocity [m/s].
    pub velocity: [f32; 3],
    /// Mass per length [kg/m]; default 0.1.
    pub density: f32,
    /// Mass of every particle [kg], replaces `density`.
    pub particle_mass: Option<f32>,
    /// Radius [m]; default 0.01.
    pub radius: f32,
    /// Stretch resistance; default `{ compliance = 0 }`.
    pub stretch: Elasticity,
    /// Bending resistance; default none.
    pub bend: Option<Elasticity>,
    /// Torsion resistance; makes the rope a rod. Default none.
    pub twist: Option<Elasticity>,
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
            collision: None,
            friction: None,
            restitution: None,
            color: None,
        }
    }
}
