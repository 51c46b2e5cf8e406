//! Scene format: soft bodies.

use crate::scene::cloth::InlineMesh;
use crate::scene::collider::FrictionSpec;
use crate::scene::collision::CollisionSpec;
use crate::scene::material::{Elasticity, Fem};
use crate::scene::placement::{ArraySpec, Pin, Transform};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A deformable solid of tetrahedra. Give exactly one of `block`, `torus`, `ball`, `urchin`, `figure`,
/// `mesh`, `inline`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Soft {
    /// Name for messages and attachments; default "soft N".
    pub name: String,
    /// A box.
    pub block: Option<BlockSpec>,
    /// A ring.
    pub torus: Option<TorusSpec>,
    /// A ball.
    pub ball: Option<BallSpec>,
    /// A ball with spikes.
    pub urchin: Option<UrchinSpec>,
    /// A standing figure.
    pub figure: Option<FigureSpec>,
    /// A mesh file in the scene's folder: tetrahedra (TetGen .node/.ele, Gmsh .msh), or a closed surface (.obj, .ply, .stl,
    /// .gltf, .glb), which is filled with tetrahedra, and drawn as it is.
    pub mesh: Option<String>,
    /// A closed surface, which is filled with tetrahedra.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inline: Option<InlineMesh>,
    /// Tetrahedra that fill a surface; default `{ count = 10000 }`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tetrahedra: Option<TetrahedraSpec>,
    /// Scale, rotation and translation.
    pub transform: Transform,
    /// Copies in rows, columns and layers.
    pub array: Option<ArraySpec>,
    /// Initial velocity [m/s].
    pub velocity: [f32; 3],
    /// Initial scale factors about the lowest corner, rest shape unchanged; default 1.
    pub squash: [f32; 3],
    /// Mass per volume [kg/m³]; default 1000.
    pub density: f32,
    /// Mass of every particle [kg], replaces `density`.
    pub particle_mass: Option<f32>,
    /// Contact radius of its particles [m]; default 0.005.
    pub radius: f32,
    /// Stretch resistance of edges; default `{ compliance = 0 }`.
    pub stretch: Elasticity,
    /// Volume resistance of tetrahedra; default `{ compliance = 0 }`.
    pub volume: Elasticity,
    /// Continuum elasticity, replaces `stretch` and `volume`.
    pub fem: Option<Fem>,
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

impl Default for Soft {
    fn default() -> Self {
        Self {
            name: String::new(),
            block: None,
            torus: None,
            ball: None,
            urchin: None,
            figure: None,
            mesh: None,
            inline: None,
            tetrahedra: None,
            transform: Transform::default(),
            array: None,
            velocity: [0.0; 3],
            squash: [1.0; 3],
            density: 1000.0,
            particle_mass: None,
            radius: 0.005,
            stretch: Elasticity::Compliance(0.0),
            volume: Elasticity::Compliance(0.0),
            fem: None,
            pin: Vec::new(),
            collision: None,
            friction: None,
            restitution: None,
            color: None,
        }
    }
}

impl Soft {
    /// Whether it is made from a surface, that is filled: given inline, by `tetrahedra`, or by the extension of its file.
    pub fn has_surface(&self) -> bool {
        let of_surface = |name: &str| {
            let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
            SURFACE_FILES.iter().any(|known| extension.eq_ignore_ascii_case(known))
        };
        self.inline.is_some() || self.mesh.as_deref().is_some_and(|name| self.tetrahedra.is_some() || of_surface(name))
    }
}

/// Extensions of files with surfaces.
const SURFACE_FILES: [&str; 5] = ["obj", "ply", "stl", "gltf", "glb"];

/// Tetrahedra that fill a closed surface. Give `count` or `size`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TetrahedraSpec {
    /// Number of tetrahedra, met to within a tenth; default 10,000 without `size`. There are about four to five times as many
    /// as particles.
    pub count: Option<u32>,
    /// Edge of the cells at the surface [m], in the size of the scene: features thinner than a cell are lost.
    pub size: Option<f32>,
    /// How often cells double from the surface inward, 0 (all of one size) to 4; default 1.
    pub grading: u32,
}

impl TetrahedraSpec {
    /// Number of tetrahedra without `count` and `size`.
    pub const COUNT: u32 = 10_000;
}

impl Default for TetrahedraSpec {
    fn default() -> Self {
        Self { count: None, size: None, grading: 1 }
    }
}

/// Tessellation of a hexahedral cell into tetrahedra.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Tessellation {
    /// Five, mirrored from cell to cell.
    #[default]
    Five,
    /// Six around a diagonal.
    Six,
}

/// A box of cells, its lowest corner at the origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockSpec {
    /// Cells along x, y, z; one more particle than cells.
    pub cells: [u32; 3],
    /// Edge lengths [m].
    pub size: [f32; 3],
    /// Tetrahedra per cell, "five" (default) or "six".
    #[serde(default)]
    pub tets: Tessellation,
}

/// A ring of rectangular cross-section around the y axis, its underside at y = 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TorusSpec {
    /// Radius of the center line [m].
    pub radius: f32,
    /// Radial width of the cross-section [m].
    pub width: f32,
    /// Height of the cross-section [m]; default the width.
    #[serde(default)]
    pub height: Option<f32>,
    /// Cells around the ring, and along the width of the cross-section.
    pub cells: [u32; 2],
    /// Cells along the height of the cross-section; default as along its width.
    #[serde(default)]
    pub layers: Option<u32>,
}

/// A ball around the origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BallSpec {
    /// Radius [m].
    pub radius: f32,
    /// Cells along the diameter.
    pub cells: u32,
}

/// A ball around the origin with thin radial spikes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UrchinSpec {
    /// Radius of the ball [m].
    pub radius: f32,
    /// Cells along the diameter.
    pub cells: u32,
    /// The spikes.
    pub spikes: SpikeSpec,
}

impl UrchinSpec {
    /// Spikes along a side of each of the six squares of the surface. Squares end with at least
    /// half a gap, so that spikes of adjacent squares never touch.
    pub fn rows(&self) -> u32 {
        let ends = self.spikes.gap.div_ceil(2) * 2;
        (self.cells + self.spikes.gap).saturating_sub(ends) / (self.spikes.cells[0] + self.spikes.gap).max(1)
    }
}

/// Spikes of square cross-section that taper to half their width.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpikeSpec {
    /// Length [m].
    pub length: f32,
    /// Cells across and along a spike.
    pub cells: [u32; 2],
    /// Cells of the ball's surface between adjacent spikes; default 1.
    #[serde(default = "default_gap")]
    pub gap: u32,
}

fn default_gap() -> u32 {
    1
}

/// A figure with ears, arms and legs that stands on y = 0 and faces +z.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FigureSpec {
    /// Height [m].
    pub height: f32,
    /// Cells along the height.
    pub cells: u32,
}
