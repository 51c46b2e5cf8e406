//! Rigid bodies that are added to a model and removed from it in place: at a cost in proportion to what they have.

use crate::collision::ObjectContact;
use crate::contact::collider::BodyCollider;
use crate::mesh::TriMesh;
use crate::model::{Carrier, Model, SkinnedMesh, SkinnedMeshes};
use crate::rigid_body::bodies::{BodyParams, BodyShape};
use std::ops::Range;
use std::sync::Arc;

/// A body to be added.
pub(crate) struct AddedBody {
    pub(crate) name: String,
    pub(crate) color: Option<[f32; 3]>,
    pub(crate) contact: ObjectContact,
    pub(crate) shape: Arc<BodyShape>,
    /// Surface for drawing, relative to the center of mass and the axes.
    pub(crate) surface: Arc<TriMesh>,
    /// Its pieces as particles see them; the number of the body and its object are filled in.
    pub(crate) pieces: Vec<BodyCollider>,
}

impl Model {
    /// Adds an object that is a single rigid body behind all others. There must be rigid bodies.
    pub(crate) fn append_rigid(&mut self, added: AddedBody) {
        let AddedBody { name, color, contact, shape, surface, mut pieces } = added;
        let object = self.topology.object_names.len() as u32;
        self.loose.push(false);
        self.contact_table.put(object, contact);
        let body = self.rigid_bodies.append(BodyParams { shape, object, environment: 0, contact });
        for piece in &mut pieces {
            (piece.body, piece.object) = (body as u32, object);
        }
        self.append_pieces(pieces);
        let drawn = self.skinned_meshes.as_mut().map(|skinned| &mut skinned.topology);
        for topology in [&mut self.topology].into_iter().chain(drawn) {
            topology.object_names.push(name.clone());
            topology.colors.push(color);
            topology.body_objects.push(object);
        }
        if let Some(skinned) = &mut self.skinned_meshes {
            skinned.append_rigid(surface, body, object);
        }
    }

    /// Removes rigid bodies, of which nothing but their objects' names is left. Returns the range of their pieces, as
    /// particles see colliders.
    pub(crate) fn remove_rigid(&mut self, bodies: &Range<usize>) -> Range<usize> {
        self.rigid_bodies.remove(bodies);
        self.topology.body_objects.drain(bodies.clone());
        if let Some(skinned) = &mut self.skinned_meshes {
            skinned.topology.body_objects.drain(bodies.clone());
            skinned.remove_rigid(bodies);
        }
        self.remove_pieces(bodies)
    }
}

impl SkinnedMeshes {
    fn append_rigid(&mut self, surface: Arc<TriMesh>, body: usize, object: u32) {
        let topology = &mut self.topology;
        let base = topology.objects.len() as u32;
        topology.triangles.extend(surface.triangles.iter().map(|t| t.map(|v| v + base)));
        topology.objects.resize(topology.objects.len() + surface.positions.len(), object);
        topology.radii.resize(topology.objects.len(), 0.0);
        topology.is_skinned.resize(object as usize + 1, false);
        topology.is_skinned[object as usize] = true;
        self.all.push(SkinnedMesh { carrier: Carrier::Body { surface, body } });
    }

    /// Removes the surfaces of bodies, whose meshes are one after the other, and renumbers the bodies behind them.
    fn remove_rigid(&mut self, bodies: &Range<usize>) {
        let is_gone = |mesh: &SkinnedMesh| matches!(&mesh.carrier, Carrier::Body { body, .. } if bodies.contains(body));
        let vertices: usize = self.all.iter().map(SkinnedMesh::vertices).sum();
        let particles = self.topology.objects.len() - vertices;
        let before = self.all.iter().take_while(|mesh| !is_gone(mesh));
        let first = particles + before.map(SkinnedMesh::vertices).sum::<usize>();
        let count: usize = self.all.iter().filter(|mesh| is_gone(mesh)).map(SkinnedMesh::vertices).sum();
        self.all.retain(|mesh| !is_gone(mesh));
        for mesh in &mut self.all {
            if let Carrier::Body { body, .. } = &mut mesh.carrier
                && *body >= bodies.end
            {
                *body -= bodies.len();
            }
        }
        let topology = &mut self.topology;
        topology.objects.drain(first..first + count);
        topology.radii.drain(first..first + count);
        // Triangles have the order of their meshes.
        let [low, high] = [first, first + count];
        let start = topology.triangles.partition_point(|t| (t[0] as usize) < low);
        let end = topology.triangles.partition_point(|t| (t[0] as usize) < high);
        topology.triangles.drain(start..end);
        topology.triangles[start..].iter_mut().flatten().for_each(|v| *v -= count as u32);
    }
}
