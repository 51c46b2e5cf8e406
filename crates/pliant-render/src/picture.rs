//! The content of an image as plain data; meshes are borrowed.

use glam::{Quat, Vec3};

use crate::camera::Camera;
use crate::color::{Color, PALETTE};

/// Content of one image.
#[derive(Clone, Debug)]
pub struct Picture<'a> {
    /// Triangle surfaces.
    pub meshes: Vec<MeshDraw<'a>>,
    /// Spheres: particles, joints, markers.
    pub spheres: Vec<SphereDraw>,
    /// Small spheres with isotropic shading that cast no shadow: foam, spray, bubbles.
    pub foam: Vec<SphereDraw>,
    /// Ropes and other curves with thickness.
    pub tubes: Vec<TubeDraw<'a>>,
    /// Rigid shapes such as colliders.
    pub solids: Vec<SolidDraw>,
    /// Transparent liquid surfaces.
    pub liquids: Vec<LiquidDraw<'a>>,
    /// The ground plane, if any.
    pub ground: Option<GroundDraw>,
    /// The camera.
    pub camera: Camera,
    /// The sun and the ambient light.
    pub light: Light,
    /// The background.
    pub sky: Sky,
}

impl Picture<'_> {
    /// An empty picture under the default sun and sky.
    pub fn new(camera: Camera) -> Self {
        Self {
            meshes: Vec::new(),
            spheres: Vec::new(),
            foam: Vec::new(),
            tubes: Vec::new(),
            solids: Vec::new(),
            liquids: Vec::new(),
            ground: None,
            camera,
            light: Light::default(),
            sky: Sky::default(),
        }
    }
}

/// A triangle surface. Triangles with an unusable vertex (NaN, infinite, out of range) are skipped.
#[derive(Clone, Copy, Debug)]
pub struct MeshDraw<'a> {
    /// Vertex positions [m].
    pub positions: &'a [Vec3],
    /// Vertex numbers, counterclockwise seen from the front.
    pub triangles: &'a [[u32; 3]],
    /// Color of the front.
    pub color: MeshColor<'a>,
    /// Cloth: the back has a slightly different color and transmits some sunlight.
    pub two_sided: bool,
    /// Lines along the triangle edges, if any.
    pub edges: Option<EdgeLines>,
}

impl<'a> MeshDraw<'a> {
    /// A closed surface in one color.
    pub fn new(positions: &'a [Vec3], triangles: &'a [[u32; 3]], color: Color) -> Self {
        Self { positions, triangles, color: MeshColor::One(color), two_sided: false, edges: None }
    }

    /// Cloth in one color, with a back side.
    pub fn cloth(positions: &'a [Vec3], triangles: &'a [[u32; 3]], color: Color) -> Self {
        Self { two_sided: true, ..Self::new(positions, triangles, color) }
    }
}

/// How a mesh is colored.
#[derive(Clone, Copy, Debug)]
pub enum MeshColor<'a> {
    /// One color for the whole mesh.
    One(Color),
    /// One color per object: a triangle takes `palette[objects[v] % palette.len()]` of its first vertex.
    PerObject {
        /// Object number of each vertex; missing entries count as object 0.
        objects: &'a [u32],
        /// The colors to choose from; empty means [`PALETTE`].
        palette: &'a [Color],
    },
}

/// Lines drawn along triangle edges.
#[derive(Clone, Copy, Debug)]
pub struct EdgeLines {
    /// Line color.
    pub color: Color,
    /// Line width [px].
    pub width: f32,
}

/// A sphere.
#[derive(Clone, Copy, Debug)]
pub struct SphereDraw {
    /// Center [m].
    pub center: Vec3,
    /// Radius [m].
    pub radius: f32,
    /// Surface color.
    pub color: Color,
}

/// A rope: a tube around the Catmull–Rom curve through its points.
#[derive(Clone, Copy, Debug)]
pub struct TubeDraw<'a> {
    /// Points the curve passes through [m].
    pub points: &'a [Vec3],
    /// Tube radius [m].
    pub radius: f32,
    /// Surface color.
    pub color: Color,
}

/// A rigid shape.
#[derive(Clone, Copy, Debug)]
pub enum SolidDraw {
    /// A sphere.
    Sphere {
        /// Center [m].
        center: Vec3,
        /// Radius [m].
        radius: f32,
        /// Surface color.
        color: Color,
    },
    /// All points within `radius` of the segment from `a` to `b`.
    Capsule {
        /// One end of the axis [m].
        a: Vec3,
        /// The other end of the axis [m].
        b: Vec3,
        /// Radius [m].
        radius: f32,
        /// Surface color.
        color: Color,
    },
    /// An oriented box.
    Box {
        /// Center [m].
        center: Vec3,
        /// Half of each side [m].
        half: Vec3,
        /// Rotation from box axes to world axes.
        rotation: Quat,
        /// Surface color.
        color: Color,
    },
}

/// A liquid surface: it reflects the sky and the sun, and absorbs light from behind by its thickness.
///
/// The surface must be closed: thickness is the distance between front and back faces.
#[derive(Clone, Copy, Debug)]
pub struct LiquidDraw<'a> {
    /// Vertex positions [m].
    pub positions: &'a [Vec3],
    /// Outward unit normals, one per vertex.
    pub normals: &'a [Vec3],
    /// Vertex numbers, counterclockwise seen from outside.
    pub triangles: &'a [[u32; 3]],
    /// Color of deep liquid.
    pub color: Color,
    /// Thickness that hides half of the background [m].
    pub attenuation_distance: f32,
}

/// A horizontal plane with a checker that fades into the horizon.
#[derive(Clone, Copy, Debug)]
pub struct GroundDraw {
    /// Height y of the plane [m].
    pub height: f32,
    /// Side of one checker square [m].
    pub spacing: f32,
    /// Color of half of the squares.
    pub color: Color,
    /// Color of the other half.
    pub alternate: Color,
    /// Distance from the camera at which the ground fades into the horizon [m].
    pub fade: f32,
}

impl Default for GroundDraw {
    fn default() -> Self {
        Self {
            height: 0.0,
            spacing: 0.5,
            color: Color::srgb8(196, 202, 208),
            alternate: Color::srgb8(184, 191, 198),
            fade: 25.0,
        }
    }
}

/// Sunlight and ambient light.
#[derive(Clone, Copy, Debug)]
pub struct Light {
    /// Direction toward the sun; any length.
    pub to_sun: Vec3,
    /// Direct sunlight.
    pub sun: Color,
    /// Ambient light from above.
    pub above: Color,
    /// Ambient light reflected from below.
    pub below: Color,
}

impl Default for Light {
    fn default() -> Self {
        Self {
            to_sun: Vec3::new(-0.55, 0.95, 0.45),
            sun: Color(Vec3::new(0.92, 0.86, 0.76)),
            above: Color(Vec3::new(0.36, 0.41, 0.50)),
            below: Color(Vec3::new(0.20, 0.185, 0.17)),
        }
    }
}

/// The background: a gradient over the view direction.
#[derive(Clone, Copy, Debug)]
pub struct Sky {
    /// Color at and below the horizon.
    pub horizon: Color,
    /// Color straight up.
    pub zenith: Color,
}

impl Default for Sky {
    fn default() -> Self {
        Self { horizon: Color::srgb8(226, 232, 238), zenith: Color::srgb8(112, 152, 198) }
    }
}

/// The palette of [`MeshColor::PerObject`], with its default filled in.
pub(crate) fn palette_or_default(palette: &[Color]) -> &[Color] {
    if palette.is_empty() { &PALETTE } else { palette }
}

/// Whether a point is finite and within ±1e8 m, so that squares do not overflow `f32`.
pub(crate) fn is_valid_point(p: Vec3) -> bool {
    // NaN compares false with everything, so it is rejected as well.
    p.abs().max_element() < 1e8 && p.is_finite()
}

/// Whether a length is positive and below 1e8 m.
pub(crate) fn is_valid_length(length: f32) -> bool {
    length > 0.0 && length < 1e8
}
