//! Surfaces from the topology of a scene and the shapes of colliders.

use crate::collision::Friction;
use crate::contact::attachment_filter::AttachmentFilter;
use crate::contact::collider_shape::ColliderShape;
use crate::environments::Environments;
use crate::frame::Topology;
use crate::geometry::bvh::Bvh;
use crate::surface_contact::model::{Carrier, NO_PARTICLE, Primitive, Surface, SurfaceModel};
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};

/// What surfaces are made of.
pub struct SurfaceInputs<'a> {
    /// Triangles and lines of particles, and their objects.
    pub topology: &'a Topology,
    /// Rest positions of particles [m].
    pub rest: &'a [Vec3],
    /// Environments of a batch.
    pub environments: &'a Environments,
    /// Attached particles.
    pub attachments: &'a AttachmentFilter,
    /// Shapes of colliders, then of pieces of rigid bodies.
    pub shapes: Vec<&'a ColliderShape>,
    /// Masses of the rigid bodies that the pieces belong to [kg].
    pub masses: Vec<f32>,
    /// Friction of objects without their own.
    pub friction: Friction,
    /// Maximum speed at which what overlaps separates [m/s].
    pub recovery_speed: f32,
}

/// Inverse mass of a corner of a rigid body, which turns, too, over that of the body: four for a cube.
const CORNER: f32 = 4.0;

/// Segments around a cylinder.
const SEGMENTS: u32 = 24;

impl SurfaceModel {
    /// Surfaces of all objects that have triangles or lines, and of all colliders that have corners or edges; none where no
    /// object has triangles.
    pub fn new(inputs: &SurfaceInputs<'_>) -> Option<Self> {
        let topology = inputs.topology;
        if topology.triangles.is_empty() {
            return None;
        }
        let mut model = Self {
            particles: Vec::new(),
            rest: Vec::new(),
            cores: Vec::new(),
            primitives: Vec::new(),
            nodes: Vec::new(),
            surfaces: Vec::new(),
            points: Vec::new(),
            attached: attached(inputs.attachments, topology),
            friction: inputs.friction,
            recovery_speed: inputs.recovery_speed,
        };
        let mut objects: BTreeMap<u32, Vec<[u32; 3]>> = BTreeMap::new();
        let lines = topology.lines.iter().map(|&[a, b]| [a, b, b]);
        for corners in topology.triangles.iter().copied().chain(lines) {
            objects.entry(topology.objects[corners[0] as usize]).or_default().push(corners);
        }
        let mut on_surface = vec![false; topology.objects.len()];
        for (object, primitives) in objects {
            let mut particles: Vec<u32> = primitives.iter().flatten().copied().collect();
            particles.sort_unstable();
            particles.dedup();
            particles.iter().for_each(|&i| on_surface[i as usize] = true);
            let local = |i: u32| particles.partition_point(|&p| p < i) as u32;
            let primitives: Vec<[u32; 3]> = primitives.iter().map(|corners| corners.map(local)).collect();
            let places: Vec<Vec3> = particles.iter().map(|&i| inputs.rest[i as usize]).collect();
            let environment = inputs.environments.of(particles[0] as usize) as u32;
            model.add(Carrier::Object(object), environment, (&places, &primitives), 0.0, 0.0);
            let first = model.particles.len() - particles.len();
            model.particles[first..].copy_from_slice(&particles);
        }
        model.points = (0..on_surface.len() as u32).filter(|&i| !on_surface[i as usize]).collect();
        for (number, shape) in inputs.shapes.iter().enumerate() {
            if let Some((places, primitives, core)) = outline(shape) {
                let piece = (number + inputs.masses.len()).checked_sub(inputs.shapes.len());
                let weight = piece.map_or(0.0, |piece| CORNER / inputs.masses[piece]);
                model.add(Carrier::Collider(number as u32), 0, (&places, &primitives), core, weight);
            }
        }
        Some(model)
    }

    /// Adds a surface of vertices at `places`; `primitives` count them from 0.
    fn add(
        &mut self,
        carrier: Carrier,
        environment: u32,
        (places, primitives): (&[Vec3], &[[u32; 3]]),
        core: f32,
        body_weight: f32,
    ) {
        let first = self.particles.len();
        self.particles.resize(first + places.len(), NO_PARTICLE);
        self.rest.extend_from_slice(places);
        self.cores.resize(first + places.len(), core);
        let mut seen = vec![false; places.len()];
        let mut edges = BTreeSet::new();
        let (mut sum, mut count) = (0.0, 0);
        let owned: Vec<Primitive> = primitives
            .iter()
            .map(|&corners| {
                let (mut own_vertices, mut own_edges) = (0, 0);
                for k in 0..3 {
                    let (a, b) = (corners[k], corners[(k + 1) % 3]);
                    if !std::mem::replace(&mut seen[a as usize], true) {
                        own_vertices |= 1 << k;
                    }
                    if a != b && edges.insert([a.min(b), a.max(b)]) {
                        own_edges |= 1 << k;
                        sum += f64::from(places[a as usize].distance(places[b as usize]));
                        count += 1;
                    }
                }
                Primitive { corners: corners.map(|c| c + first as u32), own_vertices, own_edges }
            })
            .collect();
        let boxes: Vec<(Vec3, Vec3)> = primitives
            .iter()
            .map(|corners| {
                let [a, b, c] = corners.map(|c| places[c as usize]);
                (a.min(b).min(c), a.max(b).max(c))
            })
            .collect();
        let (tree, order) = Bvh::new(&boxes);
        let (from, node) = (self.primitives.len(), self.nodes.len());
        self.primitives.extend(order.iter().map(|&k| owned[k as usize]));
        self.nodes.extend(tree.nodes());
        self.surfaces.push(Surface {
            carrier,
            environment,
            vertices: first..self.particles.len(),
            primitives: from..self.primitives.len(),
            nodes: node..self.nodes.len(),
            body_weight,
            edge: (sum / f64::from(count.max(1))) as f32,
        });
    }
}

/// Objects that attachments join.
fn attached(filter: &AttachmentFilter, topology: &Topology) -> BTreeSet<[u32; 2]> {
    let own = |i: usize| &filter.objects[filter.offsets[i] as usize..filter.offsets[i + 1] as usize];
    let particles = 0..filter.offsets.len().saturating_sub(1);
    let pairs = particles.flat_map(|i| own(i).iter().map(move |&object| (topology.objects[i], object)));
    pairs.map(|(a, b)| [a.min(b), a.max(b)]).collect()
}

/// Vertices and primitives of a collider, and the radius of the solid around them; none for shapes without corners and
/// edges, which meet vertices only.
fn outline(shape: &ColliderShape) -> Option<(Vec<Vec3>, Vec<[u32; 3]>, f32)> {
    Some(match shape {
        ColliderShape::Plane | ColliderShape::Field(_) => return None,
        ColliderShape::Sphere { radius } => (vec![Vec3::ZERO], vec![[0; 3]], *radius),
        ColliderShape::Capsule { half_length, radius } => {
            let end = Vec3::Y * *half_length;
            (vec![-end, end], vec![[0, 1, 1]], *radius)
        }
        ColliderShape::Box { half } => {
            let sign = |k: usize, bit: u32| if k as u32 >> bit & 1 == 1 { 1.0 } else { -1.0 };
            let corners = (0..8).map(|k| *half * Vec3::new(sign(k, 0), sign(k, 1), sign(k, 2))).collect();
            let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
            let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
            (corners, triangles, 0.0)
        }
        ColliderShape::Cylinder { half_length, radius } => cylinder(*half_length, *radius),
        ColliderShape::Convex(hull) => (hull.surface().positions().to_vec(), hull.surface().triangles().to_vec(), 0.0),
        ColliderShape::Surface(surface) => (surface.positions().to_vec(), surface.triangles().to_vec(), 0.0),
    })
}

/// A prism in a cylinder.
fn cylinder(half_length: f32, radius: f32) -> (Vec<Vec3>, Vec<[u32; 3]>, f32) {
    let ring = |y: f32| {
        (0..SEGMENTS).map(move |k| {
            let angle = k as f32 / SEGMENTS as f32 * std::f32::consts::TAU;
            Vec3::new(radius * libm::sinf(angle), y, radius * libm::cosf(angle))
        })
    };
    let ends = [Vec3::Y * -half_length, Vec3::Y * half_length];
    let places = ring(-half_length).chain(ring(half_length)).chain(ends).collect();
    let triangles = (0..SEGMENTS).flat_map(|k| {
        let next = (k + 1) % SEGMENTS;
        let (a, b, c, d) = (k, next, SEGMENTS + next, SEGMENTS + k);
        [[a, b, c], [a, c, d], [2 * SEGMENTS, b, a], [2 * SEGMENTS + 1, d, c]]
    });
    (places, triangles.collect(), 0.0)
}
