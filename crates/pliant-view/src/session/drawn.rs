//! What is drawn of a world, apart from what moves: connectivity, colors, colliders, extent.

use glam::Vec3;
use pliant::World;
use pliant::contact::collider_contact::ColliderShape;
use pliant::frame::{Frame, Topology};
use pliant::mesh::TriMesh;
use pliant_render::PALETTE;
use pliant_serve::solid_mesh;

/// The constant half of a picture. A new one is made when objects come or go.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    /// Number of this drawing; frames name the one that they belong to.
    pub version: u64,
    /// Triangles between points of a frame.
    pub triangles: Vec<[u32; 3]>,
    /// Segments of ropes between points.
    pub lines: Vec<[u32; 2]>,
    /// Points that are drawn as spheres.
    pub spheres: Vec<u32>,
    /// Particles of liquids.
    pub liquid: Vec<u32>,
    /// Radius of each point [m].
    pub radii: Vec<f32>,
    /// Object of each point.
    pub objects: Vec<u32>,
    /// Names of objects.
    pub names: Vec<String>,
    /// Color of each object, sRGB.
    pub colors: Vec<[u8; 3]>,
    /// Triangles of colliders in their own frames; those of the ground are empty.
    pub colliders: Vec<TriMesh>,
    /// Whether each collider is a plane, of which only the front is drawn.
    pub walls: Vec<bool>,
    /// Height of the ground, if there is one [m].
    pub ground: Option<f32>,
    /// Lowest corner of all objects [m].
    pub low: Vec3,
    /// Highest corner [m].
    pub high: Vec3,
    /// Diagonal of the box of both [m].
    pub size: f32,
}

impl Drawn {
    /// Of a world as it is now.
    pub fn new(version: u64, world: &World, frame: &Frame) -> Self {
        let shape = world.topology();
        let (mut low, mut high) = bounds(shape, frame);
        let mut ground = None;
        let mut colliders = Vec::new();
        for collider in &world.model().colliders {
            let pose = collider.motion.pose(frame.time);
            let up = pose.rotation * Vec3::Y;
            if collider.shape == ColliderShape::Plane && up.y > 0.9999 && ground.is_none() {
                ground = Some(pose.position.dot(up));
                colliders.push(TriMesh::default());
                continue;
            }
            let mesh = solid_mesh(&collider.shape);
            if collider.shape != ColliderShape::Plane {
                for &p in &mesh.positions {
                    (low, high) = (low.min(pose.outward(p)), high.max(pose.outward(p)));
                }
            }
            colliders.push(mesh);
        }
        if low.x > high.x {
            (low, high) = (Vec3::new(-1.0, 0.0, -1.0), Vec3::ONE);
        }
        if let Some(height) = ground.filter(|&height| height < high.y) {
            // A scene that floats far above the ground is not shrunk to a dot by it.
            low.y = low.y.min(height.max(low.y - 2.0 * (high - low).max_element()));
        }
        let wet = world.model().fluid.as_ref().map_or(&[][..], |fluid| &fluid.liquids);
        let (liquid, spheres) =
            shape.free_points().into_iter().partition(|&i| wet.get(i as usize).is_some_and(|&liquid| liquid > 0));
        let size = (high - low).length().clamp(1e-3, 1e5);
        for (collider, mesh) in world.model().colliders.iter().zip(&mut colliders) {
            // Planes are unit squares.
            if collider.shape == ColliderShape::Plane {
                mesh.positions.iter_mut().for_each(|p| *p *= size);
            }
        }
        Self {
            version,
            triangles: shape.triangles.clone(),
            lines: shape.lines.clone(),
            spheres,
            liquid,
            radii: shape.radii.clone(),
            objects: shape.objects.clone(),
            names: shape.object_names.clone(),
            colors: (0..shape.object_names.len()).map(|k| color(shape, k)).collect(),
            walls: world.model().colliders.iter().map(|c| c.shape == ColliderShape::Plane).collect(),
            colliders,
            ground,
            low,
            high,
            size,
        }
    }

    /// Name of the object of a point.
    pub fn name_of(&self, point: u32) -> &str {
        let object = self.objects.get(point as usize).copied().unwrap_or(u32::MAX);
        self.names.get(object as usize).map_or("", String::as_str)
    }
}

fn bounds(shape: &Topology, frame: &Frame) -> (Vec3, Vec3) {
    let mut range = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for (i, &p) in frame.positions.iter().enumerate() {
        if p.is_finite() && !frame.is_inactive(i) {
            let reach = Vec3::splat(shape.radii.get(i).copied().unwrap_or(0.0));
            range = (range.0.min(p - reach), range.1.max(p + reach));
        }
    }
    range
}

/// The scene's color, or one of the palette.
fn color(shape: &Topology, object: usize) -> [u8; 3] {
    match shape.colors.get(object) {
        Some(Some(color)) => color.map(|v| (v.clamp(0.0, 1.0) * 255.0).round() as u8),
        _ => PALETTE[object % PALETTE.len()].to_srgb8(),
    }
}
