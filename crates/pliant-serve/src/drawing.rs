//! What is drawn of a world: triangles, tubes, spheres and colliders, as two messages that a viewer gets once.
//!
//! Points are those of [`Frame::positions`]. Runs of points of one object are chunks, which frames send as wholes.

use glam::Vec3;
use pliant::World;
use pliant::contact::collider_contact::ColliderShape;
use pliant::frame::{Frame, Topology};
use pliant::mesh::TriMesh;
use pliant::scene::Scene;
use serde::Serialize;

/// First word of the binary message.
pub const GEOMETRY: u32 = 1;

/// Most points of a chunk: smaller ones have a finer grid and change more rarely.
const MOST_POINTS: usize = 16_384;

/// A run of points of one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// First point.
    pub start: usize,
    /// Number of points.
    pub count: usize,
    /// Object.
    pub object: u32,
}

/// What a viewer has to know before the first frame.
pub struct Drawing {
    /// Number of this drawing; frames name the one that they belong to.
    pub version: u32,
    /// JSON: names, colors, view.
    pub description: String,
    /// Binary: connectivity, radii, colliders.
    pub geometry: Vec<u8>,
    /// Chunks of points.
    pub chunks: Vec<Chunk>,
    /// Size of the scene [m].
    pub size: f32,
}

/// The JSON message.
#[derive(Serialize)]
struct Description<'a> {
    r#type: &'static str,
    name: &'a str,
    backend: &'static str,
    step: f32,
    objects: Vec<ObjectDescription<'a>>,
    gravity: [f32; 3],
    wind: [f32; 3],
    eye: Option<[f32; 3]>,
    target: Option<[f32; 3]>,
    low: [f32; 3],
    high: [f32; 3],
    ground: Option<f32>,
}

#[derive(Serialize)]
struct ObjectDescription<'a> {
    name: &'a str,
    color: Option<[f32; 3]>,
}

impl Drawing {
    /// Of a world as it is now.
    pub fn new(version: u32, name: &str, scene: &Scene, world: &World, frame: &Frame) -> Self {
        let shape = world.topology();
        let chunks = chunks(shape);
        let (mut low, mut high) = bounds(frame);
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
            let mesh = collider_mesh(&collider.shape);
            if collider.shape != ColliderShape::Plane {
                for &p in &mesh.positions {
                    (low, high) = (low.min(pose.outward(p)), high.max(pose.outward(p)));
                }
            }
            colliders.push(mesh);
        }
        if low.x > high.x {
            (low, high) = (Vec3::splat(-1.0), Vec3::splat(1.0));
        }
        if let Some(height) = ground {
            low.y = low.y.min(height);
        }
        let size = (high - low).length().clamp(1e-3, 1e5);
        scale_planes(world, &mut colliders, size);
        let settings = world.world_settings();
        let description = Description {
            r#type: "scene",
            name,
            backend: world.backend(),
            step: world.solver_settings().dt,
            objects: objects(shape),
            gravity: settings.gravity,
            wind: settings.wind.as_ref().map_or([0.0; 3], |wind| wind.velocity),
            eye: scene.camera.eye,
            target: scene.camera.target,
            low: low.to_array(),
            high: high.to_array(),
            ground,
        };
        // Plain numbers and strings cannot fail to become JSON.
        let description = serde_json::to_string(&description).unwrap_or_default();
        let geometry = geometry(version, shape, &chunks, &colliders);
        Self { version, description, geometry, chunks, size }
    }
}

fn objects(shape: &Topology) -> Vec<ObjectDescription<'_>> {
    let color = |k: usize| shape.colors.get(k).copied().flatten();
    let names = shape.object_names.iter().map(String::as_str).enumerate();
    names.map(|(k, name)| ObjectDescription { name, color: color(k) }).collect()
}

fn chunks(shape: &Topology) -> Vec<Chunk> {
    let mut all: Vec<Chunk> = Vec::new();
    for (point, &object) in shape.objects.iter().enumerate() {
        match all.last_mut() {
            Some(last) if last.object == object && last.count < MOST_POINTS => last.count += 1,
            _ => all.push(Chunk { start: point, count: 1, object }),
        }
    }
    all
}

fn bounds(frame: &Frame) -> (Vec3, Vec3) {
    let visible = frame.positions.iter().enumerate().filter(|(i, p)| p.is_finite() && !frame.is_inactive(*i));
    visible.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), (_, &p)| (low.min(p), high.max(p)))
}

/// Connectivity, radii and colliders as little-endian words.
fn geometry(version: u32, shape: &Topology, chunks: &[Chunk], colliders: &[TriMesh]) -> Vec<u8> {
    let spheres = shape.free_points();
    let counts = [
        GEOMETRY,
        version,
        shape.objects.len() as u32,
        shape.triangles.len() as u32,
        shape.lines.len() as u32,
        spheres.len() as u32,
        chunks.len() as u32,
        colliders.len() as u32,
    ];
    let mut bytes = Vec::new();
    let mut words = |all: &mut dyn Iterator<Item = u32>| all.for_each(|w| bytes.extend(w.to_le_bytes()));
    words(&mut counts.into_iter());
    words(&mut shape.triangles.iter().flatten().copied());
    words(&mut shape.lines.iter().flatten().copied());
    words(&mut spheres.into_iter());
    words(&mut chunks.iter().flat_map(|c| [c.start as u32, c.count as u32, c.object]));
    words(&mut shape.radii.iter().map(|r| r.to_bits()));
    for mesh in colliders {
        words(&mut [mesh.positions.len() as u32, mesh.triangles.len() as u32].into_iter());
        words(&mut mesh.positions.iter().flat_map(|p| p.to_array()).map(f32::to_bits));
        words(&mut mesh.triangles.iter().flatten().copied());
    }
    bytes
}

/// Planes are drawn as squares of the size of the scene.
fn scale_planes(world: &World, colliders: &mut [TriMesh], size: f32) {
    for (collider, mesh) in world.model().colliders.iter().zip(colliders) {
        if collider.shape == ColliderShape::Plane {
            mesh.positions.iter_mut().for_each(|p| *p *= size);
        }
    }
}

/// Triangles of a collider in its own frame. Faces that meet at an edge share no vertices; a plane is a unit square.
fn collider_mesh(shape: &ColliderShape) -> TriMesh {
    match *shape {
        ColliderShape::Plane => TriMesh {
            positions: [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, z]| Vec3::new(x, 0.0, z)).to_vec(),
            triangles: vec![[0, 2, 1], [0, 3, 2]],
        },
        ColliderShape::Sphere { radius } => capsule(0.0, radius),
        ColliderShape::Capsule { half_length, radius } => capsule(half_length, radius),
        ColliderShape::Box { half } => cuboid(half),
        _ => shape.drawn().unwrap_or_default(),
    }
}

/// A capsule along y; with no length it is a sphere.
fn capsule(half_length: f32, radius: f32) -> TriMesh {
    const AROUND: u32 = 32;
    const RINGS: u32 = 16;
    let mut mesh = TriMesh::default();
    for ring in 0..=RINGS {
        let polar = std::f32::consts::PI * ring as f32 / RINGS as f32;
        let end = if ring * 2 < RINGS { half_length } else { -half_length };
        for k in 0..=AROUND {
            let angle = std::f32::consts::TAU * k as f32 / AROUND as f32;
            let side = radius * polar.sin();
            mesh.positions.push(Vec3::new(side * angle.cos(), end + radius * polar.cos(), side * angle.sin()));
        }
    }
    for ring in 0..RINGS {
        for k in 0..AROUND {
            let (a, b) = (ring * (AROUND + 1) + k, (ring + 1) * (AROUND + 1) + k);
            mesh.triangles.extend([[a, a + 1, b], [a + 1, b + 1, b]]);
        }
    }
    mesh
}

fn cuboid(half: Vec3) -> TriMesh {
    let mut mesh = TriMesh::default();
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let first = mesh.positions.len() as u32;
            for (u, v) in [(-1.0, -1.0), (side, -side), (1.0, 1.0), (-side, side)] {
                let mut p = [0.0; 3];
                (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (side, u, v);
                mesh.positions.push(Vec3::from(p) * half);
            }
            mesh.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(mesh: &TriMesh) -> f32 {
        let corner = |k: u32| mesh.positions[k as usize];
        mesh.triangles.iter().map(|&[a, b, c]| corner(a).dot(corner(b).cross(corner(c))) / 6.0).sum()
    }

    #[test]
    fn collider_meshes_enclose_their_volume_outward() {
        assert!((volume(&cuboid(Vec3::new(0.5, 1.0, 1.5))) - 6.0).abs() < 1e-5);
        let ball = 4.0 / 3.0 * std::f32::consts::PI;
        assert!((volume(&capsule(0.0, 1.0)) / ball - 1.0).abs() < 0.03);
        assert!((volume(&capsule(1.0, 1.0)) / (ball + std::f32::consts::TAU) - 1.0).abs() < 0.03);
    }

    #[test]
    fn chunks_cover_all_points_once() {
        let mut objects = vec![0; 3];
        objects.extend(vec![1; MOST_POINTS + 5]);
        objects.push(0);
        let all = chunks(&Topology { objects: objects.clone(), ..Topology::default() });
        assert_eq!(all.iter().map(|c| c.count).collect::<Vec<_>>(), [3, MOST_POINTS, 5, 1]);
        assert!(all.iter().all(|c| objects[c.start..c.start + c.count].iter().all(|o| *o == c.object)));
    }
}
