//! Things that move, in the user's words.

use super::material::{BendModel, Elasticity, Fem};
use super::motion::{MotionSpec, Rotate};
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
    /// Points and triangles written out.
    pub inline: Option<InlineMesh>,
    /// A triangle mesh file (OBJ, PLY, STL, glTF) in the scene's folder.
    pub mesh: Option<String>,
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
    /// Radius of its particles [m], half the thickness in contact; default 0.01.
    pub radius: f32,
    /// Resistance of edges to stretching; default `{ compliance = 0 }`.
    pub stretch: Elasticity,
    /// Resistance to bending; default none.
    pub bend: Option<Elasticity>,
    /// Which bending constraint; default "dihedral".
    pub bend_model: BendModel,
    /// Continuum membrane in place of `stretch`; needs `thickness`.
    pub fem: Option<Fem>,
    /// Thickness of the material for `fem` [m]; default 0.001.
    pub thickness: f32,
    /// Long-range tethers to the pins: greatest distance over rest distance, such as 1.05; default none.
    pub tether: Option<f32>,
    /// Drag coefficient in the air; default 1.
    pub drag: f32,
    /// Lift coefficient in the air; default 0.5.
    pub lift: f32,
    /// Particles that do not move, or move as told.
    pub pin: Vec<Pin>,
    /// Color in pictures (red, green, blue from 0 to 1); default from a palette.
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
    /// "xy" (default, upright: the first side runs right, the second up) or "xz" (flat).
    #[serde(default)]
    pub plane: GridPlane,
}

/// A small mesh written out in the scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InlineMesh {
    /// Positions [m].
    pub points: Vec<[f32; 3]>,
    /// Corners of each triangle, numbers of points from 0.
    pub triangles: Vec<[u32; 3]>,
    /// Mass of each point [kg], in place of `density`.
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
    /// Flat.
    Xz,
}

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

/// A solid body of tetrahedra. Give exactly one of `block`, `torus`, `ball`, `mesh`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Soft {
    /// Name for messages and attachments; default "soft N".
    pub name: String,
    /// A cuboid.
    pub block: Option<BlockSpec>,
    /// A ring.
    pub torus: Option<TorusSpec>,
    /// A ball.
    pub ball: Option<BallSpec>,
    /// A tetrahedral mesh file (TetGen .node/.ele, Gmsh .msh) in the scene's folder.
    pub mesh: Option<String>,
    /// Where it is placed.
    pub transform: Transform,
    /// Copies in rows, columns and layers.
    pub array: Option<ArraySpec>,
    /// Initial velocity [m/s].
    pub velocity: [f32; 3],
    /// Factors by which it is squeezed at the start, about its lowest corner; default none.
    pub squash: [f32; 3],
    /// Mass per volume [kg/m³]; default 1000.
    pub density: f32,
    /// Mass of every particle [kg], in place of `density`.
    pub particle_mass: Option<f32>,
    /// Radius of its particles in contact [m]; default 0.005.
    pub radius: f32,
    /// Resistance of edges to stretching; default `{ compliance = 0 }`.
    pub stretch: Elasticity,
    /// Resistance of tetrahedra to changes of volume; default `{ compliance = 0 }`.
    pub volume: Elasticity,
    /// Continuum elasticity in place of `stretch` and `volume`.
    pub fem: Option<Fem>,
    /// Particles that do not move, or move as told.
    pub pin: Vec<Pin>,
    /// Color in pictures; default from a palette.
    pub color: Option<[f32; 3]>,
}

impl Default for Soft {
    fn default() -> Self {
        Self {
            name: String::new(),
            block: None,
            torus: None,
            ball: None,
            mesh: None,
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
            color: None,
        }
    }
}

/// How a cell of eight particles is cut into tetrahedra.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Tessellation {
    /// Five, mirrored from cell to cell.
    #[default]
    Five,
    /// Six around a diagonal.
    Six,
}

/// A cuboid of cells, its lowest corner at the origin.
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

/// A ring of square section around the y axis, its underside at y = 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TorusSpec {
    /// Radius of the middle line [m].
    pub radius: f32,
    /// Side of the section [m].
    pub width: f32,
    /// Cells around, and along a side of the section.
    pub cells: [u32; 2],
}

/// A ball around the origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BallSpec {
    /// Radius [m].
    pub radius: f32,
    /// Cells across.
    pub cells: u32,
}

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

/// Scale, then rotation, then translation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Transform {
    /// Factor; default 1.
    pub scale: f32,
    /// Rotation about the origin; default none.
    pub rotate: Option<Rotate>,
    /// Displacement [m].
    pub translate: [f32; 3],
}

impl Default for Transform {
    fn default() -> Self {
        Self { scale: 1.0, rotate: None, translate: [0.0; 3] }
    }
}

/// Copies on a lattice. Pins and everything else hold for each copy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArraySpec {
    /// Copies along x, y, z.
    pub count: [u32; 3],
    /// Distance between copies [m].
    pub spacing: [f32; 3],
}

/// Particles held in place, or moved as told. Give exactly one of `at`, `particles`, `inside`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Pin {
    /// A named place.
    pub at: Option<Place>,
    /// Particle numbers, from 0, of one copy.
    pub particles: Option<Vec<u32>>,
    /// All particles that start within a box.
    pub inside: Option<Region>,
    /// How they move; default not at all.
    pub motion: Option<MotionSpec>,
}

/// Named places. Edges and corners exist on grids, ends on ropes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// Every particle.
    All,
    /// Lowest first coordinate.
    #[serde(rename = "left edge")]
    LeftEdge,
    /// Highest first coordinate.
    #[serde(rename = "right edge")]
    RightEdge,
    /// Highest second coordinate.
    #[serde(rename = "top edge")]
    TopEdge,
    /// Lowest second coordinate.
    #[serde(rename = "bottom edge")]
    BottomEdge,
    /// A corner.
    #[serde(rename = "top left")]
    TopLeft,
    /// A corner.
    #[serde(rename = "top right")]
    TopRight,
    /// A corner.
    #[serde(rename = "bottom left")]
    BottomLeft,
    /// A corner.
    #[serde(rename = "bottom right")]
    BottomRight,
    /// All four corners.
    Corners,
    /// First particle of a rope.
    Start,
    /// Last particle of a rope.
    End,
}

/// An axis-aligned box in the world, before anything moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// Lowest corner [m].
    pub min: [f32; 3],
    /// Highest corner [m].
    pub max: [f32; 3],
}

/// Holds particles of one object to particles of another: each of `from` to the nearest of `to`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attach {
    /// Particles that are attached.
    pub from: Select,
    /// Particles they are attached to.
    pub to: Select,
    /// Pairs farther apart than this are left alone [m]; default 0.05.
    #[serde(default = "default_within")]
    pub within: f32,
    /// Softness of the joint, inverse stiffness [m/N]; default 0.
    #[serde(default)]
    pub compliance: f32,
}

fn default_within() -> f32 {
    0.05
}

/// Particles of an object and of all of its copies; all of them if nothing more is said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Select {
    /// Name of the object.
    pub object: String,
    /// A named place.
    pub at: Option<Place>,
    /// Particle numbers of one copy.
    pub particles: Option<Vec<u32>>,
    /// All particles that start within a box.
    pub inside: Option<Region>,
}
