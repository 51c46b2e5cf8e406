//! Spatial queries: rays, nearest points and overlaps against all objects.
//!
//! Triangles and particles are in one tree of boxes, built once for a model and refitted when a query comes after a step.
//! Objects with triangles are seen as these, all others as their particles. Colliders are queried one by one, by their
//! distance.

use crate::contact::collider::BodyCollider;
use crate::contact::collider_contact::{ColliderShape, signed_distance};
use crate::contact::cpu::collider_contacts::pose_of;
use crate::geometry::bvh::Bvh;
use crate::geometry::triangle::nearest_on_triangle;
use crate::math::{Pose, position};
use crate::model::Model;
use crate::scene::ObjectKind;
use crate::state::State;
use crate::world::World;
use crate::world::definition::Handle;
use crate::world::edit::EditError;
use glam::Vec3;

/// What a query has found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The object.
    pub object: Handle,
    /// What of the object.
    pub feature: Feature,
    /// The point on its surface [m].
    pub point: Vec3,
    /// Unit normal there; toward the ray or the query point for surfaces without an inside.
    pub normal: Vec3,
    /// Distance from the ray's origin or the query point [m]; negative for points inside a collider.
    pub distance: f32,
}

/// Part of an object that a query has found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Feature {
    /// A triangle: its particles, numbered as in [`State::rows`], and the weights of the point.
    Triangle {
        /// Particles.
        particles: [u32; 3],
        /// Barycentric weights.
        weights: [f32; 3],
    },
    /// A particle, numbered as in [`State::rows`].
    Particle(u32),
    /// The surface of a collider.
    Collider,
    /// The surface of a rigid body, by its number in [`State::rigid_bodies`].
    Body(u32),
}

/// Triangles and particles of a model.
pub(crate) struct SpatialIndex {
    tree: Bvh,
    /// Primitives in the order of leaves: triangles first, then particles.
    order: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    particles: Vec<u32>,
    /// Substeps at the last refit, and the number of changes by callers.
    fitted: (u64, u64),
}

/// Maximum steps of a ray toward a collider.
const MOST_MARCHES: usize = 256;

impl SpatialIndex {
    fn new(model: &Model, state: &State) -> Self {
        let triangles = model.topology.triangles.clone();
        let mut on_triangle = vec![false; state.particles];
        triangles.iter().flatten().for_each(|&v| on_triangle[v as usize] = true);
        // Inner particles of soft bodies are below their triangles.
        model.topology.tets.iter().flatten().for_each(|&v| on_triangle[v as usize] = true);
        let particles = (0..state.particles as u32).filter(|&i| !on_triangle[i as usize]).collect();
        let mut this = Self { tree: Bvh::default(), order: Vec::new(), triangles, particles, fitted: (u64::MAX, 0) };
        let boxes: Vec<_> = (0..this.len()).map(|k| this.bounds(state, k)).collect();
        (this.tree, this.order) = Bvh::new(&boxes);
        this
    }

    fn len(&self) -> usize {
        self.triangles.len() + self.particles.len()
    }

    /// Box of a primitive; empty for inactive particles.
    fn bounds(&self, state: &State, primitive: usize) -> (Vec3, Vec3) {
        match self.triangles.get(primitive) {
            Some(t) => {
                let [a, b, c] = t.map(|v| position(state.rows[v as usize]));
                (a.min(b).min(c), a.max(b).max(c))
            }
            None => {
                let i = self.particles[primitive - self.triangles.len()] as usize;
                let (x, r) = (position(state.rows[i]), state.radii[i]);
                if state.is_inactive(i) { (Vec3::INFINITY, Vec3::NEG_INFINITY) } else { (x - r, x + r) }
            }
        }
    }

    fn refit(&mut self, state: &State) {
        let mut tree = std::mem::take(&mut self.tree);
        tree.refit(|leaf| self.bounds(state, self.order[leaf] as usize));
        self.tree = tree;
    }

    /// The first primitive that a ray meets before `limit`: distance, feature, normal.
    fn ray(&self, state: &State, ray: &Ray, limit: f32) -> Option<(f32, Feature, Vec3)> {
        let mut found = None;
        self.tree.walk(
            limit,
            |low, high| ray.enters(low, high),
            |leaf, best| {
                let primitive = self.order[leaf] as usize;
                let hit = match self.triangles.get(primitive) {
                    Some(&particles) => ray
                        .triangle(particles.map(|v| position(state.rows[v as usize])))
                        .map(|(t, weights, n)| (t, Feature::Triangle { particles, weights }, n)),
                    None => {
                        let i = self.particles[primitive - self.triangles.len()];
                        let (x, r) = (position(state.rows[i as usize]), state.radii[i as usize]);
                        let hit = if state.is_inactive(i as usize) { None } else { ray.sphere(x, r) };
                        hit.map(|(t, n)| (t, Feature::Particle(i), n))
                    }
                };
                if let Some(hit) = hit.filter(|hit| hit.0 < *best) {
                    *best = hit.0;
                    found = Some(hit);
                }
            },
        );
        found
    }

    /// The nearest primitive within `limit` of a point: distance, point, feature, normal.
    fn nearest(&self, state: &State, p: Vec3, limit: f32) -> Option<(f32, Vec3, Feature, Vec3)> {
        let mut found = None;
        // Boxes are compared by squared distance; spheres may be nearer than their center, but not than their box.
        let apart = |low: Vec3, high: Vec3| (p - p.clamp(low, high.max(low))).length_squared();
        let mut nearest = limit;
        self.tree.walk(limit * limit, apart, |leaf, best| {
            let hit = self.distance(state, self.order[leaf] as usize, p);
            if let Some(hit) = hit.filter(|hit| hit.0 < nearest) {
                nearest = hit.0;
                *best = nearest.max(0.0).powi(2);
                found = Some(hit);
            }
        });
        found
    }

    fn distance(&self, state: &State, primitive: usize, p: Vec3) -> Option<(f32, Vec3, Feature, Vec3)> {
        if let Some(&particles) = self.triangles.get(primitive) {
            let corners = particles.map(|v| position(state.rows[v as usize]));
            let foot = nearest_on_triangle(&corners, p);
            let face = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
            let normal = foot.away.try_normalize().unwrap_or(face);
            let weights = barycentric(corners, foot.point);
            return Some((foot.away.length(), foot.point, Feature::Triangle { particles, weights }, normal));
        }
        let i = self.particles[primitive - self.triangles.len()];
        if state.is_inactive(i as usize) {
            return None;
        }
        let (x, r) = (position(state.rows[i as usize]), state.radii[i as usize]);
        let normal = (p - x).try_normalize().unwrap_or(Vec3::Y);
        Some(((p - x).length() - r, x + normal * r, Feature::Particle(i), normal))
    }
}

/// A ray with a unit direction.
struct Ray {
    origin: Vec3,
    direction: Vec3,
    inverse: Vec3,
}

impl Ray {
    /// Distance at which it enters a box; infinite if it does not.
    fn enters(&self, low: Vec3, high: Vec3) -> f32 {
        let (a, b) = ((low - self.origin) * self.inverse, (high - self.origin) * self.inverse);
        let (mut enter, mut leave) = (0.0_f32, f32::INFINITY);
        for axis in 0..3 {
            let (one, other) = (a[axis], b[axis]);
            // Where the ray runs in a face of the box it is inside along this axis.
            if !one.is_nan() && !other.is_nan() {
                (enter, leave) = (enter.max(one.min(other)), leave.min(one.max(other)));
            }
        }
        // Rounding must not lose a flat box.
        if enter <= leave * 1.000_001 + 1e-7 { enter } else { f32::INFINITY }
    }

    /// Both sides of a triangle (Möller and Trumbore): distance, weights, normal toward the ray.
    fn triangle(&self, [a, b, c]: [Vec3; 3]) -> Option<(f32, [f32; 3], Vec3)> {
        // In double precision: a ray through an edge or a corner must not pass between its triangles.
        let (origin, direction) = (self.origin.as_dvec3(), self.direction.as_dvec3());
        let (u, v) = ((b - a).as_dvec3(), (c - a).as_dvec3());
        let p = direction.cross(v);
        let determinant = u.dot(p);
        if determinant == 0.0 {
            return None;
        }
        let s = origin - a.as_dvec3();
        let q = s.cross(u);
        let [y, z, t] = [s.dot(p), direction.dot(q), v.dot(q)].map(|x| x / determinant);
        // Edges of single precision meet within their rounding.
        let inside = y >= -1e-6 && z >= -1e-6 && y + z <= 1.0 + 1e-6 && t >= 0.0;
        let normal = u.cross(v).normalize_or_zero().as_vec3();
        let normal = if normal.dot(self.direction) > 0.0 { -normal } else { normal };
        inside.then_some((t as f32, [1.0 - y - z, y, z].map(|w| w as f32), normal))
    }

    /// A sphere, from outside.
    fn sphere(&self, center: Vec3, radius: f32) -> Option<(f32, Vec3)> {
        let from = self.origin - center;
        let along = from.dot(self.direction);
        // Distance of the line from the center, without the cancellation of the quadratic formula.
        let off = (from - self.direction * along).length_squared();
        let half = (radius * radius - off).max(0.0).sqrt();
        let t = -along - half;
        (off <= radius * radius && t >= 0.0)
            .then(|| (t, (self.origin + self.direction * t - center).normalize_or_zero()))
    }

    /// A collider at a pose: triangles of its surface, or steps of the length of its distance.
    fn collider(&self, shape: &ColliderShape, pose: &Pose, limit: f32) -> Option<(f32, Vec3)> {
        let (origin, direction) = (pose.inward(self.origin), pose.rotation.conjugate() * self.direction);
        let local = Self { origin, direction, inverse: direction.recip() };
        if let ColliderShape::Surface(surface) = shape {
            let (t, normal) = surface.ray(
                limit,
                |low, high| local.enters(low, high),
                |corners| local.triangle(corners).map(|(t, _, n)| (t, n)),
            )?;
            return Some((t, pose.rotation * normal));
        }
        let mut t = match shape.bounds() {
            Some((low, high)) => local.enters(low, high),
            None => 0.0,
        };
        for _ in 0..MOST_MARCHES {
            if t >= limit || t.is_nan() {
                return None;
            }
            let x = origin + direction * t;
            let (distance, normal) = signed_distance(shape, x);
            // Rounding of the distance itself, at this size.
            let close = 1e-6 * (1.0 + x.length());
            if distance <= close {
                return Some((t.max(0.0), pose.rotation * normal));
            }
            t += distance;
        }
        None
    }
}

fn barycentric([a, b, c]: [Vec3; 3], p: Vec3) -> [f32; 3] {
    let (u, v, w) = (b - a, c - a, p - a);
    let (uu, uv, vv, wu, wv) = (u.dot(u), u.dot(v), v.dot(v), w.dot(u), w.dot(v));
    let determinant = uu * vv - uv * uv;
    if determinant <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let (y, z) = ((vv * wu - uv * wv) / determinant, (uu * wv - uv * wu) / determinant);
    [1.0 - y - z, y, z]
}

/// Where a piece of a rigid body is.
fn piece_pose(piece: &BodyCollider, state: &State) -> Pose {
    let body = pose_of(&state.rigid_bodies.bodies[piece.body as usize]);
    Pose { position: body.outward(piece.place.position), rotation: (body.rotation * piece.place.rotation).normalize() }
}

impl World {
    /// The first thing that a ray meets within `limit` meters: a triangle, a particle of an object without triangles, or a
    /// collider. A ray that starts inside a particle or a closed surface leaves it.
    pub fn ray_cast(&mut self, origin: Vec3, direction: Vec3, limit: f32) -> Result<Option<Hit>, EditError> {
        let usable = origin.is_finite() && direction.is_finite() && limit >= 0.0;
        let Some(direction) = direction.try_normalize().filter(|_| usable) else {
            let what = format!("a ray from {origin} along {direction} within {limit} m cannot be cast");
            return Err(EditError::Value(what));
        };
        self.update_index()?;
        let ray = Ray { origin, direction, inverse: direction.recip() };
        let state = self.current_state()?;
        let found = self.index.as_ref().and_then(|index| index.ray(state, &ray, limit));
        let mut best = found.map(|(t, feature, normal)| (t, self.owner(feature), feature, normal));
        for (k, c) in self.model.colliders.iter().enumerate() {
            let nearer = best.as_ref().map_or(limit, |b| b.0);
            if let Some((t, normal)) =
                ray.collider(&c.shape, &c.motion.pose(state.time), nearer).filter(|h| h.0 < nearer)
            {
                best = Some((t, self.collider_handle(k), Feature::Collider, normal));
            }
        }
        for piece in &self.model.body_colliders {
            let nearer = best.as_ref().map_or(limit, |b| b.0);
            let pose = piece_pose(piece, state);
            if let Some((t, normal)) = ray.collider(&piece.shape, &pose, nearer).filter(|h| h.0 < nearer) {
                best = Some((t, self.body_handle(piece.body), Feature::Body(piece.body), normal));
            }
        }
        Ok(best.and_then(|(distance, object, feature, normal)| {
            Some(Hit { object: object?, feature, point: origin + direction * distance, normal, distance })
        }))
    }

    /// The surface point nearest to a point, within `limit` meters.
    pub fn closest_point(&mut self, point: Vec3, limit: f32) -> Result<Option<Hit>, EditError> {
        if !point.is_finite() || limit.is_nan() {
            return Err(EditError::Value(format!("nothing is within {limit} m of {point}")));
        }
        self.update_index()?;
        let state = self.current_state()?;
        let found = self.index.as_ref().and_then(|index| index.nearest(state, point, limit.min(1e15)));
        let mut best = found.map(|(d, at, feature, normal)| (d, self.owner(feature), at, feature, normal));
        for (k, c) in self.model.colliders.iter().enumerate() {
            let pose = c.motion.pose(state.time);
            let (distance, normal) = signed_distance(&c.shape, pose.inward(point));
            let normal = pose.rotation * normal;
            if distance < best.as_ref().map_or(limit, |b| b.0) {
                best = Some((distance, self.collider_handle(k), point - normal * distance, Feature::Collider, normal));
            }
        }
        for piece in &self.model.body_colliders {
            let pose = piece_pose(piece, state);
            let (distance, normal) = signed_distance(&piece.shape, pose.inward(point));
            let normal = pose.rotation * normal;
            if distance < best.as_ref().map_or(limit, |b| b.0) {
                let feature = Feature::Body(piece.body);
                best = Some((distance, self.body_handle(piece.body), point - normal * distance, feature, normal));
            }
        }
        Ok(best.and_then(|(distance, object, point, feature, normal)| {
            Some(Hit { object: object?, feature, point, normal, distance })
        }))
    }

    /// Objects of which anything is inside a sphere, in the order of [`Self::objects`].
    pub fn overlap_sphere(&mut self, center: Vec3, radius: f32) -> Result<Vec<Handle>, EditError> {
        if !(center.is_finite() && radius >= 0.0 && radius.is_finite()) {
            return Err(EditError::Value(format!("a sphere of radius {radius} m at {center} is no region")));
        }
        self.update_index()?;
        let state = self.current_state()?;
        let mut found = vec![false; self.model.topology.object_names.len()];
        if let Some(index) = &self.index {
            let apart = |low: Vec3, high: Vec3| (center - center.clamp(low, high.max(low))).length_squared();
            index.tree.walk(radius * radius * 1.000_01 + f32::MIN_POSITIVE, apart, |leaf, _| {
                let hit = index.distance(state, index.order[leaf] as usize, center);
                if let Some((_, _, feature, _)) = hit.filter(|hit| hit.0 <= radius) {
                    let first = match feature {
                        Feature::Triangle { particles, .. } => particles[0],
                        Feature::Particle(i) => i,
                        Feature::Collider | Feature::Body(_) => return,
                    };
                    found[self.model.topology.objects[first as usize] as usize] = true;
                }
            });
        }
        let placed = self.objects.placed.iter().filter(|p| found[p.objects()].contains(&true));
        let mut handles: Vec<Handle> = placed.filter_map(|p| self.definition.handle_of(p.source)).collect();
        for (k, c) in self.model.colliders.iter().enumerate() {
            let local = c.motion.pose(state.time).inward(center);
            if signed_distance(&c.shape, local).0 <= radius {
                handles.extend(self.collider_handle(k));
            }
        }
        for piece in &self.model.body_colliders {
            if signed_distance(&piece.shape, piece_pose(piece, state).inward(center)).0 <= radius {
                handles.extend(self.body_handle(piece.body));
            }
        }
        let order: Vec<Handle> = self.definition.handles().filter(|handle| handles.contains(handle)).collect();
        Ok(order)
    }

    /// Brings model, state and tree up to date.
    fn update_index(&mut self) -> Result<(), EditError> {
        self.apply_edits()?;
        let mut index = self.index.take();
        let state = self.current_state()?;
        let now = (state.substeps, self.changes);
        match &mut index {
            Some(index) if index.fitted == now => {}
            Some(index) => index.refit(state),
            None => index = Some(SpatialIndex::new(&self.model, state)),
        }
        if let Some(index) = &mut index {
            index.fitted = now;
        }
        self.index = index;
        Ok(())
    }

    /// The object of a feature.
    fn owner(&self, feature: Feature) -> Option<Handle> {
        match feature {
            Feature::Triangle { particles, .. } => self.object_of(particles[0] as usize).map(|o| o.0),
            Feature::Particle(i) => self.object_of(i as usize).map(|o| o.0),
            Feature::Collider => None,
            Feature::Body(body) => self.body_handle(body),
        }
    }

    /// The object of a rigid body.
    fn body_handle(&self, body: u32) -> Option<Handle> {
        let placed = self.objects.placed.iter().find(|p| p.rigid_bodies().contains(&(body as usize)))?;
        self.definition.handle_of(placed.source)
    }

    fn collider_handle(&self, index: usize) -> Option<Handle> {
        self.definition.handle_of(crate::builder::layout::Source::new(ObjectKind::Collider, index))
    }
}
