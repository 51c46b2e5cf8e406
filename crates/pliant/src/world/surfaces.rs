//! Surfaces of single objects, as triangles in the world, and the poses of their bodies.

use crate::error::StepError;
use crate::math::{Pose, position};
use crate::model::Carrier;
use crate::scene::ObjectKind;
use crate::shape_matching::ShapeMatch;
use crate::world::World;
use crate::world::definition::Handle;
use crate::world::edit::EditError;
use glam::{Quat, Vec3};
use std::ops::Range;

/// Surface of an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectSurface {
    /// Points [m].
    pub points: Vec<Vec3>,
    /// Unit normal at each point, area-weighted over its triangles; zero at points without any.
    pub normals: Vec<Vec3>,
    /// Triangles, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl World {
    /// Pose of a collider, or of a body that is a single shape: position of its center of mass [m], and rotation from
    /// its rest shape; of a rigid body its orientation, which begins as that of its transform.
    pub fn pose(&mut self, object: Handle) -> Result<Pose, EditError> {
        match self.poses(object)?[..] {
            [pose] => Ok(pose),
            ref all => Err(EditError::Unsuitable(format!("it has {} poses, one per copy: ask for all", all.len()))),
        }
    }

    /// The same for each copy of an object with an `array`, in their order.
    pub fn poses(&mut self, object: Handle) -> Result<Vec<Pose>, EditError> {
        self.source(object)?;
        self.apply_edits()?;
        let source = self.source(object)?;
        if source.kind == ObjectKind::Collider {
            return Ok(vec![self.model.colliders[source.index].motion.pose(self.time())]);
        }
        let placed = self.placed(object)?;
        let copies = placed.objects().len();
        if !placed.rigid_bodies().is_empty() {
            return placed.rigid_bodies().map(|body| self.rigid_pose(body)).collect();
        }
        match (self.read_poses(placed.bodies())?, placed.bodies().len()) {
            (Some(shapes), count) if count == copies => {
                let pose = |shape: &crate::shape_matching::Pose| {
                    let [x, y, z, w] = shape.rotation;
                    Pose { position: Vec3::from(shape.center), rotation: Quat::from_xyzw(x, y, z, w) }
                };
                Ok(shapes.poses()[placed.bodies()].iter().map(pose).collect())
            }
            _ => Err(EditError::Unsuitable("only colliders and bodies of one shape have a pose".to_owned())),
        }
    }

    /// The shape-matched bodies, of which these have current poses.
    fn read_poses(&mut self, bodies: Range<usize>) -> Result<Option<&ShapeMatch>, StepError> {
        #[cfg(feature = "gpu")]
        if let Some(gpu) = self.gpu.as_ref().filter(|_| self.state.peek().is_none()) {
            gpu.wait(&self.model)?;
            let memory = self.state.memory();
            gpu.read_some_poses(memory, bodies)?;
            return Ok(memory.shapes.as_ref());
        }
        let _ = bodies;
        Ok(self.current_state()?.shapes.as_ref())
    }

    /// The surface of an object, copies included: that of a rigid body with an exact shape, which has no particles, the
    /// mesh that a body or a soft body is shown as, or the triangles between the particles of cloth, inflatables and
    /// soft bodies. An object of other kinds has none, and is refused. A GPU reads back this object only; rigid bodies
    /// are on the host.
    pub fn surface_of(&mut self, object: Handle) -> Result<ObjectSurface, EditError> {
        let placed = self.placed(object)?;
        let range = placed.particles();
        if !range.is_empty() {
            self.read_rows(range.clone(), false)?;
        }
        let own_bodies = placed.rigid_bodies();
        let bodies = self.rigid_state()?.bodies[own_bodies.clone()].to_vec();
        let mut all = self.look(|model, state| {
            let mut all = ObjectSurface::default();
            let n = model.topology.objects.len();
            if let Some(skinned) = &model.skinned_meshes {
                let mut at = n;
                for mesh in &skinned.all {
                    let own = at..at + mesh.vertices();
                    at = own.end;
                    if own.is_empty() || !placed.objects().contains(&(skinned.topology.objects[own.start] as usize)) {
                        continue;
                    }
                    let first = all.points.len() as u32;
                    match &mesh.carrier {
                        Carrier::Particles { skin, first } => skin.extend(&state.rows[..n], *first, &mut all.points),
                        Carrier::Body { surface, body } => all.points.extend(surface.positions.iter().map(|&local| {
                            let body = &bodies[*body - own_bodies.start];
                            (body.position + body.rotation * local.as_dvec3()).as_vec3()
                        })),
                    }
                    let triangles = skinned.topology.triangles.iter().filter(|t| own.contains(&(t[0] as usize)));
                    all.triangles.extend(triangles.map(|t| t.map(|v| v - own.start as u32 + first)));
                }
            }
            if all.points.is_empty() {
                let own = |t: &&[u32; 3]| range.contains(&(t[0] as usize));
                let triangles = model.topology.triangles.iter().filter(own);
                all.triangles.extend(triangles.map(|t| t.map(|v| v - range.start as u32)));
                if !all.triangles.is_empty() {
                    all.points.extend(state.rows[range.clone()].iter().map(|&row| position(row)));
                }
            }
            all
        })?;
        if all.triangles.is_empty() {
            let what = "it has no surface: the positions of its particles are all there is";
            return Err(EditError::Unsuitable(what.to_owned()));
        }
        all.normals = vec![Vec3::ZERO; all.points.len()];
        for triangle in &all.triangles {
            let [a, b, c] = triangle.map(|v| all.points[v as usize]);
            let normal = (b - a).cross(c - a);
            triangle.iter().for_each(|&v| all.normals[v as usize] += normal);
        }
        all.normals.iter_mut().for_each(|n| *n = n.normalize_or_zero());
        Ok(all)
    }
}
