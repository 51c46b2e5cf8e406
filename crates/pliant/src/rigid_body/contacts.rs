//! Finds the contacts of a step and prepares them for the solver.

use crate::rigid_body::bodies::{
    BodyParams, BodyState, COLLIDER, CachedManifold, ColliderGeometry, ManifoldKey, RigidBodies, RigidBodyModel,
    SurfaceLaw,
};
use crate::rigid_body::broad_phase::{Bounds, BroadPhase};
use crate::rigid_body::contact_solver::{ContactConstraint, PointConstraint, SolverBody};
use crate::rigid_body::manifold::{ClipBuffers, Manifold, POINTS};
use crate::rigid_body::narrow_phase::{collide, collide_distance, collide_plane, time_of_impact};
use crate::rigid_body::shape::{Convex, Frame};
use crate::rigid_body::sleep::Sleep;
use glam::{DMat3, DVec3};

/// A collider during a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColliderMotion {
    /// At the start.
    pub before: Frame,
    /// At the end.
    pub after: Frame,
    /// Velocity of its origin [m/s].
    pub velocity: DVec3,
    /// Angular velocity [rad/s].
    pub spin: DVec3,
    /// Its surface.
    pub law: SurfaceLaw,
}

/// Distance at which contacts are kept, relative to the size of the smaller body: beyond the motion of the step.
const MARGIN: f64 = 0.01;

/// Buffers of contact finding.
#[derive(Clone, Debug, Default)]
pub struct ContactFinder {
    bounds: Vec<Bounds>,
    broad_phase: BroadPhase,
    clip: ClipBuffers,
    /// Whether any has rolling resistance.
    pub rolls: bool,
    /// Whether any has restitution.
    pub has_restitution: bool,
    /// Contacts in the order of their keys.
    pub contacts: Vec<ContactConstraint>,
}

/// Inputs of contact finding.
pub struct FindInputs<'a> {
    /// Bodies and colliders.
    pub model: &'a RigidBodyModel,
    /// Colliders in this step.
    pub colliders: &'a [ColliderMotion],
    /// Whether a body meets a collider.
    pub sees: &'a dyn Fn(usize, usize) -> bool,
    /// Pairs of bodies that do not collide, lower index first, sorted.
    pub separated: &'a [(u32, u32)],
    /// Length of the step [s].
    pub h: f64,
    /// Length of a small step [s].
    pub small: f64,
    /// Gravity [m/s²].
    pub gravity: DVec3,
}

/// A shape that may be hit, with its motion in the step.
#[derive(Clone, Copy)]
struct Mover<'a> {
    shape: &'a Convex,
    frame: &'a Frame,
    /// Way of the shape's origin in the step [m].
    way: DVec3,
    /// How much farther points of it move by rotation [m].
    sweep: f64,
}

impl ContactFinder {
    /// Finds the pairs that may touch, and wakes islands that something will touch in this step.
    pub fn wake(&mut self, inputs: &FindInputs<'_>, state: &mut RigidBodies, sleep: &mut Sleep) {
        let model = inputs.model;
        self.bounds.clear();
        let way = |b: &BodyState| (b.velocity + inputs.gravity * inputs.h) * inputs.h;
        for (k, (params, body)) in model.bodies.iter().zip(&state.bodies).enumerate() {
            let way = if sleep.is_asleep(k) { DVec3::ZERO } else { way(body) };
            self.bounds.push(bounds(params, body, way));
        }
        if model.collide {
            let joined = |a: u32, b: u32| inputs.separated.binary_search(&(a, b)).is_ok();
            self.broad_phase.find(&self.bounds, |a, b| {
                let [one, two] = [a, b].map(|k| &model.bodies[k as usize]);
                let may_touch = one.environment == two.environment && one.contact.groups.touches(two.contact.groups);
                may_touch && !joined(a, b)
            });
        } else {
            self.broad_phase.pairs.clear();
        }
        let asleep = (0..model.bodies.len()).filter(|&k| sleep.is_asleep(k)).count();
        if asleep == 0 {
            return;
        }
        for (c, collider) in inputs.colliders.iter().enumerate() {
            if collider.velocity == DVec3::ZERO && collider.spin == DVec3::ZERO {
                continue;
            }
            for b in 0..model.bodies.len() {
                if sleep.is_asleep(b) && (inputs.sees)(b, c) {
                    self.contacts.clear();
                    self.body_collider(inputs, state, &[], c, b);
                    if !self.contacts.is_empty() {
                        sleep.wake(b, &mut state.rest);
                    }
                }
            }
        }
        // One island may wake the next.
        let pairs = std::mem::take(&mut self.broad_phase.pairs);
        let mut changed = true;
        while changed {
            changed = false;
            for &(b, a) in &pairs {
                let [a, b] = [a as usize, b as usize];
                if sleep.is_asleep(a) != sleep.is_asleep(b) && self.will_touch(inputs, state, [a, b]) {
                    let sleeper = if sleep.is_asleep(a) { a } else { b };
                    sleep.wake(sleeper, &mut state.rest);
                    changed = true;
                }
            }
        }
        self.broad_phase.pairs = pairs;
    }

    /// Whether two bodies, one of them asleep, touch in this step.
    fn will_touch(&mut self, inputs: &FindInputs<'_>, state: &RigidBodies, bodies: [usize; 2]) -> bool {
        self.contacts.clear();
        self.body_pair(inputs, state, &[], bodies);
        let [a, b] = bodies.map(|k| &state.bodies[k]);
        let spins = bodies.map(|k| state.bodies[k].spin.length() * inputs.model.bodies[k].shape.reach);
        self.contacts.iter().any(|c| {
            // Gravity pulls the one that is awake; what lies beside it does not feel that.
            let by_gravity = inputs.gravity.dot(c.normal).abs() * inputs.h;
            let closing = (a.velocity - b.velocity).dot(c.normal) + by_gravity + spins[0] + spins[1];
            c.points[..c.count].iter().any(|p| p.separation <= closing.max(0.0) * inputs.h)
        })
    }

    /// Finds the contacts of a step between bodies that are awake, of the pairs that [`Self::wake`] has found, and starts them
    /// from those of the last one.
    pub fn find(&mut self, inputs: &FindInputs<'_>, state: &RigidBodies, solver: &[SolverBody], sleep: &Sleep) {
        let model = inputs.model;
        self.contacts.clear();
        let pairs = std::mem::take(&mut self.broad_phase.pairs);
        // In the order of keys: by second body, then first ones, then colliders.
        let mut next = 0;
        for b in 0..model.bodies.len() {
            while let Some(&(second, a)) = pairs.get(next).filter(|pair| pair.0 as usize == b) {
                next += 1;
                if !sleep.is_asleep(a as usize) && !sleep.is_asleep(b) {
                    self.body_pair(inputs, state, solver, [a as usize, second as usize]);
                }
            }
            for c in (0..model.colliders.len()).filter(|_| !sleep.is_asleep(b)) {
                if (inputs.sees)(b, c) {
                    self.body_collider(inputs, state, solver, c, b);
                }
            }
        }
        self.has_restitution = self.contacts.iter().any(|c| c.law.restitution > 0.0);
        self.rolls = self.contacts.iter().any(|c| c.law.rolling > 0.0);
        self.broad_phase.pairs = pairs;
        debug_assert!(self.contacts.is_sorted_by_key(|c| c.key), "contacts are found in order");
        self.start_from(&state.contacts, inputs.small);
    }

    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        (self.contacts.capacity() * size_of::<ContactConstraint>() + self.bounds.capacity() * size_of::<Bounds>())
            as u64
    }

    fn body_pair(&mut self, inputs: &FindInputs<'_>, state: &RigidBodies, solver: &[SolverBody], [a, b]: [usize; 2]) {
        let params = [&inputs.model.bodies[a], &inputs.model.bodies[b]];
        let bodies = [&state.bodies[a], &state.bodies[b]];
        let frames = bodies.map(BodyState::frame);
        let size = params[0].shape.reach.min(params[1].shape.reach);
        for (j, two) in params[1].shape.pieces.iter().enumerate() {
            let fb = frames[1].then(&two.frame);
            for (i, one) in params[0].shape.pieces.iter().enumerate() {
                let fa = frames[0].then(&one.frame);
                let mover = |k: usize, shape, frame| {
                    let gravity = inputs.gravity * inputs.h;
                    let way = (bodies[k].velocity + gravity) * inputs.h;
                    Mover { shape, frame, way, sweep: bodies[k].spin.length() * params[k].shape.reach * inputs.h }
                };
                let pair = [mover(0, &one.shape, &fa), mover(1, &two.shape, &fb)];
                if let Some((found, way)) = contact_between(pair, MARGIN * size, &mut self.clip) {
                    let key = ManifoldKey { b: b as u32, a: a as u32, piece_b: j as u32, piece_a: i as u32 };
                    let centers = [bodies[0].position, bodies[1].position + way];
                    let law = inputs.model.between.between(&params[0].contact, &params[1].contact);
                    self.contacts.push(constraint(key, [a, b], centers, &found, law, solver, bodies[1]));
                }
            }
        }
    }

    fn body_collider(
        &mut self,
        inputs: &FindInputs<'_>,
        state: &RigidBodies,
        solver: &[SolverBody],
        collider: usize,
        b: usize,
    ) {
        let (params, body, motion) = (&inputs.model.bodies[b], &state.bodies[b], &inputs.colliders[collider]);
        let (frame, at) = (body.frame(), motion.before);
        let way = (body.velocity + inputs.gravity * inputs.h) * inputs.h;
        let sweep = body.spin.length() * params.shape.reach * inputs.h;
        // A collider that turns moves its far points.
        let lever = at.position.distance(body.position) + params.shape.reach;
        let own_way = motion.velocity * inputs.h;
        let own_sweep = motion.spin.length() * lever * inputs.h;
        let base = MARGIN * params.shape.reach;
        let solver_bodies = [inputs.model.bodies.len() + collider, b];
        let law = motion.law.against(&params.contact);
        let add = |this: &mut Vec<ContactConstraint>, (found, way): (Manifold, DVec3), piece_b: usize, piece_a: u32| {
            let centers = [at.position, body.position + way];
            let key = ManifoldKey { b: b as u32, a: COLLIDER + collider as u32, piece_b: piece_b as u32, piece_a };
            this.push(constraint(key, solver_bodies, centers, &found, law, solver, body));
        };
        for (j, piece) in params.shape.pieces.iter().enumerate() {
            let fb = frame.then(&piece.frame);
            let mover = Mover { shape: &piece.shape, frame: &fb, way, sweep };
            let reach = base + (way - own_way).length() + sweep + own_sweep;
            match &inputs.model.colliders[collider] {
                ColliderGeometry::Plane => {
                    let normal = at.rotation * DVec3::Y;
                    let offset = normal.dot(at.position);
                    if let Some(found) = collide_plane(normal, offset, (&piece.shape, &fb), reach, &mut self.clip) {
                        add(&mut self.contacts, (found, DVec3::ZERO), j, 0);
                    }
                }
                ColliderGeometry::Convex(shape) => {
                    if at.position.distance(fb.position) > shape.reach() + piece.shape.reach() + reach {
                        continue;
                    }
                    let other = Mover { shape, frame: &at, way: own_way, sweep: own_sweep };
                    if let Some(found) = contact_between([other, mover], base, &mut self.clip) {
                        add(&mut self.contacts, found, j, 0);
                    }
                }
                ColliderGeometry::Triangles(set) => {
                    let local = at.inward(fb.position);
                    let limit = (piece.shape.reach() + reach) as f32;
                    let mut near: Vec<u32> = Vec::new();
                    let center = local.as_vec3();
                    set.tree.walk(
                        limit,
                        |low, high| center.distance(center.clamp(low, high)),
                        |leaf, _| {
                            near.push(set.order[leaf]);
                        },
                    );
                    near.sort_unstable();
                    for t in near {
                        let other =
                            Mover { shape: &set.triangles[t as usize], frame: &at, way: own_way, sweep: own_sweep };
                        if let Some(found) = contact_between([other, mover], base, &mut self.clip) {
                            add(&mut self.contacts, found, j, t);
                        }
                    }
                }
                ColliderGeometry::Field(field) => {
                    let distance = |p: DVec3| {
                        let (distance, normal) = field.signed_distance(at.inward(p).as_vec3());
                        (f64::from(distance), at.rotation * normal.as_dvec3())
                    };
                    if let Some(found) = collide_distance(&distance, (&piece.shape, &fb), reach, &mut self.clip) {
                        add(&mut self.contacts, (found, DVec3::ZERO), j, 0);
                    }
                }
            }
        }
    }

    /// Takes impulses over from the contacts of the last step, where points are still in place.
    fn start_from(&mut self, old: &[CachedManifold], small: f64) {
        let mut rest = old;
        for contact in &mut self.contacts {
            let skip = rest.partition_point(|c| c.key < contact.key);
            rest = &rest[skip..];
            let Some(cached) = rest.first().filter(|c| c.key == contact.key) else { continue };
            let spread = contact.points[..contact.count].iter().map(PointConstraint::lever).fold(0.0, f64::max);
            let single = contact.count == 1 && cached.count == 1;
            let mut used = [false; POINTS];
            for p in &mut contact.points[..contact.count] {
                let mut best = (0.25 * spread * spread, None);
                for k in (0..cached.count as usize).filter(|&k| !used[k]) {
                    let distance = cached.anchors[k].distance_squared(p.anchor);
                    if distance < best.0 || single {
                        best = (distance, Some(k));
                    }
                }
                if let Some(k) = best.1 {
                    used[k] = true;
                    p.impulse = cached.normal[k] * small;
                }
            }
            let friction = cached.friction * small;
            contact.friction = contact.tangents.map(|t| t.dot(friction));
            contact.twist = cached.twist * small;
        }
    }
}

fn bounds(params: &BodyParams, body: &BodyState, way: DVec3) -> Bounds {
    let frame = body.frame();
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for piece in &params.shape.pieces {
        let at = frame.then(&piece.frame);
        let (center, half) = piece.shape.extents(&DMat3::from_quat(at.rotation));
        (low, high) = (low.min(at.position + center - half), high.max(at.position + center + half));
    }
    // Half of the margin of each of two bodies is enough where they are of one size; the smaller one's is used.
    let margin = DVec3::splat(MARGIN * params.shape.reach);
    Bounds { low: low.min(low + way) - margin, high: high.max(high + way) + margin }
}

/// The manifold of two shapes that move during the step.
///
/// Also returns how far the second shape moves, relative to the first, until they meet [m].
fn contact_between([a, b]: [Mover<'_>; 2], margin: f64, clip: &mut ClipBuffers) -> Option<(Manifold, DVec3)> {
    let way = b.way - a.way;
    let reach = way.length() + a.sweep + b.sweep;
    let thin = a.shape.thickness().min(b.shape.thickness());
    if reach < thin.max(margin) {
        return collide((a.shape, a.frame), (b.shape, b.frame), margin + reach, clip).map(|m| (m, DVec3::ZERO));
    }
    // Fast: normals are those where the shapes first meet, not those of the nearest points now.
    if let Some(now) = collide((a.shape, a.frame), (b.shape, b.frame), margin, clip) {
        return Some((now, DVec3::ZERO));
    }
    let gap = (0.1 * margin).max(1e-9);
    let share = time_of_impact((a.shape, a.frame), a.way, (b.shape, b.frame), b.way, gap + a.sweep + b.sweep)?;
    let moved = Frame { position: b.frame.position + way * share, ..*b.frame };
    let mut found = collide((a.shape, a.frame), (b.shape, &moved), margin + 2.0 * (a.sweep + b.sweep) + gap, clip)?;
    found.move_apart(-way * share);
    Some((found, way * share))
}

fn constraint(
    key: ManifoldKey,
    bodies: [usize; 2],
    centers: [DVec3; 2],
    found: &Manifold,
    law: SurfaceLaw,
    solver: &[SolverBody],
    second: &BodyState,
) -> ContactConstraint {
    let n = found.normal;
    let still = SolverBody::STILL;
    // Without solver bodies only the place of the contact is asked for.
    let [a, b] = bodies.map(|k| solver.get(k).unwrap_or(&still));
    let points = found.points();
    let middle = points.iter().map(|p| p.position).sum::<DVec3>() / points.len() as f64;
    let tangents = tangents(n);
    let center = centers.map(|c| middle - c);
    let arm = center.map(|r| r.cross(n));
    let coupling =
        |u: [DVec3; 2], v: [DVec3; 2]| u[0].dot(a.inverse_inertia * v[0]) + u[1].dot(b.inverse_inertia * v[1]);
    let [t0, t1] = tangents.map(|t| [t, t]);
    let k = [
        a.inverse_mass + b.inverse_mass + coupling(arm, arm),
        coupling(arm, t0),
        coupling(arm, t1),
        coupling(t0, t0),
        coupling(t0, t1),
        coupling(t1, t1),
    ];
    let mut all = [PointConstraint::default(); POINTS];
    for (own, p) in all.iter_mut().zip(points) {
        let across = p.position - middle;
        let place @ [u, w] = [across.dot(tangents[1]), -across.dot(tangents[0])];
        let inverse = k[0] + 2.0 * (k[1] * u + k[2] * w + k[4] * u * w) + k[3] * u * u + k[5] * w * w;
        let anchor = second.rotation.conjugate() * (p.position - centers[1]);
        *own = PointConstraint {
            separation: p.separation,
            place,
            mass: 1.0 / inverse,
            anchor,
            ..PointConstraint::default()
        };
    }
    let inverse_mass = a.inverse_mass + b.inverse_mass;
    let entry = |u: DVec3, v: DVec3| {
        let one = |body: &SolverBody, r: DVec3| r.cross(u).dot(body.inverse_inertia * r.cross(v));
        u.dot(v) * inverse_mass + one(a, center[0]) + one(b, center[1])
    };
    let (xx, xy, yy) =
        (entry(tangents[0], tangents[0]), entry(tangents[0], tangents[1]), entry(tangents[1], tangents[1]));
    let determinant = xx * yy - xy * xy;
    let spin_inverse = n.dot(a.inverse_inertia * n) + n.dot(b.inverse_inertia * n);
    ContactConstraint {
        key,
        bodies,
        normal: n,
        tangents,
        points: all,
        count: points.len(),
        center,
        coupling: k,
        tangent_mass: [yy / determinant, -xy / determinant, xx / determinant],
        total_friction: [0.0; 2],
        twist_mass: 1.0 / spin_inverse,
        friction: [0.0; 2],
        twist: 0.0,
        law,
    }
}

/// Two unit vectors perpendicular to a unit normal and to each other.
fn tangents(n: DVec3) -> [DVec3; 2] {
    let axis = if n.x.abs() < 0.6 { DVec3::X } else { DVec3::Z };
    let first = axis.cross(n).normalize_or(DVec3::Y);
    [first, n.cross(first)]
}
