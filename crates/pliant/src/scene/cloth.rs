//! Scene format: cloth.

use crate::scene::collider::FrictionSpec;
use crate::scene::collision::CollisionSpec;
use crate::scene::material::{BendModel, Elasticity, Fem};
use crate::scene::placement::{ArraySpec, Pin, Transform};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A sheet of cloth. Give exactly one of `grid`, `inline` and `mesh`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Cloth {
    /// Name for messages and attachments; default "cloth N".
    pub name: String,
    /// A rectangle of triangles.
    pub grid: Option<GridSpec>,
    /// Inline points and triangles.
    pub inline: Option<InlineMesh>,
    /// A triangle mesh file (OBJ, PLY, STL, glTF) in the scene's folder.
    pub mesh: Option<String>,
    /// Scale, rotation and translation.
    pub transform: Transform,
    /// Copies in rows, columns and layers.
    pub array: Option<ArraySpec>,
    /// Initial velocity [m/s].
    pub velocity: [f32; 3],
    /// Initial scale factors about the lowest corner, rest shape unchanged; default 1.
    pub squash: [f32; 3],
    /// Mass per area [kg/m²]; default 0.2.
    pub density: f32,
    /// Mass of every particle [kg], replaces `density`.
    pub particle_mass: Option<f32>,
    /// Contact radius of its particles [m], half the contact thickness; default 0.01.
    pub radius: f32,
    /// Stretch resistance of edges; default `{ compliance = 0 }`.
    pub stretch: Elasticity,
    /// Bending resistance; default none.
    pub bend: Option<Elasticity>,
    /// Bending constraint; default "dihedral".
    pub bend_model: BendModel,
    /// Continuum membrane, replaces `stretch`; needs `thickness`.
    pub fem: Option<Fem>,
    /// Thickness of the material for `fem` [m]; default 0.001.
    pub thickness: f32,
    /// Long-range tethers to the pins: maximum distance relative to rest distance, such as 1.05; default none.
    pub tether: Option<f32>,
    /// Aerodynamic drag coefficient; default 1.
    pub drag: f32,
    /// Aerodynamic lift coefficient; default 0.5.
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
    /// Color for rendering (red, green, blue from 0 to 1); default from a palette.
    pub color: Option<[f32; 3]>,
}

impl Default for Cloth {
    fn default() -> Self {
        Self {
            name: String::new(),
            grid: None,
            inline: None,
            mesh: None,
            transform: Transform::default(),
            array: None,
            velocity: [0.0; 3],
            squash: [1.0; 3],
            density: 0.2,
            particle_mass: None,
            radius: 0.01,
            stretch: Elasticity::Compliance(0.0),
            bend: None,
            bend_model: BendModel::default(),
            fem: None,
            thickness: 0.001,
            tether: None,
            drag: 1.0,
            lift: 0.5,
            pin: Vec::new(),
            collision: None,
            friction: None,
            restitution: None,
            color: None,
        }
    }
}

/// A rectangle of `cells` squares, each two triangles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GridSpec {
    /// Squares along each side; one more particle than squares.
    pub cells: [u32; 2],
    /// Lengths of the sides [m].
    pub size: [f32; 2],
    /// "xy" (default, upright: first side along x, second along y) or "xz" (horizontal).
    #[serde(default)]
    pub plane: GridPlane,
}

/// A small inline mesh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InlineMesh {
    /// Positions [m].
    pub points: Vec<[f32; 3]>,
    /// Corners of each triangle, point numbers from 0.
    pub triangles: Vec<[u32; 3]>,
    /// Mass of each point [kg], replaces `density`.
    #[serde(default)]
    pub masses: Option<Vec<f32>>,
}

/// Plane of a grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GridPlane {
    /// Upright.
    #[default]
    Xy,
    /// Horizontal.
    Xz,
}
