//! Surfaces from the topology of a scene and the shapes of colliders.

use crate::collision::Friction;
use crate::contact::attachment_filter::AttachmentFilter;
use crate::contact::collider_shape::{ColliderShape, RoundedMesh};
use crate::environments::Environments;
use crate::frame::Topology;
use crate::geometry::bvh::Bvh;
use crate::surface_contact::model::{Carrier, NO_PARTICLE, Primitive, Surface, SurfaceModel};
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};

/// Inputs of the construction of surfaces.
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
            if let Some(RoundedMesh { positions: places, primitives, radius }) = shape.rounded_mesh() {
                let piece = (number + inputs.masses.len()).checked_sub(inputs.shapes.len());
                let inv_mass = piece.map_or(0.0, |piece| CORNER / inputs.masses[piece]);
                model.add(Carrier::Collider(number as u32), 0, (&places, &primitives), radius, inv_mass);
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
        body_inv_mass: f32,
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
            body_inv_mass,
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
