//! What is drawn of a world: triangles, tubes, spheres and colliders, as two messages that a viewer gets once.
//!
//! Points are those of [`Frame::positions`]. Runs of points of one object are chunks, which frames send as wholes.

use crate::solid_mesh::solid_mesh;
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
            let mesh = solid_mesh(&collider.shape);
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

#[cfg(test)]
mod tests {
    use super::*;

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
