//! Collider contact of one vertex inside a sweep: Coulomb's law in the metric of the vertex's own Hessian.

use crate::contact::collider_contact::{ColliderShape, MovingCollider, depth, project};
use crate::state::Push;
use glam::{Mat3, Vec3};

/// A vertex near a collider.
#[derive(Clone, Copy)]
pub(super) struct VertexContact<'a> {
    pub(super) collider: &'a MovingCollider,
    /// Radius of the vertex [m].
    pub(super) radius: f32,
    /// Position at the start of the substep [m].
    pub(super) start: Vec3,
}

/// The local problem of a vertex at `x`: its step d minimizes ½dᵀHd − f·d.
#[derive(Clone, Copy)]
pub(super) struct Local {
    pub(super) x: Vec3,
    pub(super) force: Vec3,
    pub(super) hessian: Mat3,
    pub(super) inverse: Mat3,
}

/// How a contact acts on the residual of the coarse correction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Hold {
    /// Normal; zero if the vertex is free.
    pub(super) normal: Vec3,
    /// Whether static friction holds it.
    pub(super) sticks: bool,
    /// Friction while it slides [N].
    pub(super) friction: Vec3,
}

impl Hold {
    /// The force that moves the vertex.
    pub(super) fn mask(&self, force: Vec3) -> Vec3 {
        if self.normal == Vec3::ZERO {
            return force;
        }
        if self.sticks { Vec3::ZERO } else { force - self.normal * self.normal.dot(force) + self.friction }
    }

    /// The part of a step that the contact permits.
    pub(super) fn permit(&self, step: Vec3) -> Vec3 {
        if self.sticks { Vec3::ZERO } else { step - self.normal * self.normal.dot(step) }
    }
}

/// Gaps smaller than this are closed [m].
pub(super) const CLOSED_GAP: f32 = 1e-5;
/// A slower contact sticks if friction can hold it [m/s].
pub(super) const STICKING_SPEED: f32 = 1e-3;

impl VertexContact<'_> {
    fn is_surface(&self) -> bool {
        matches!(self.collider.shape, ColliderShape::Surface(_))
    }

    fn depth(&self, x: Vec3) -> (f32, Vec3) {
        depth(&self.collider.shape, &self.collider.after, x, self.radius)
    }

    /// Where the material point of the collider that the vertex started at has gone.
    fn carried(&self, normal: Vec3) -> Vec3 {
        let foot = self.start - normal * self.radius;
        self.start + (self.collider.after.outward(self.collider.before.inward(foot)) - foot)
    }

    /// The step of the vertex, and the force of the contact on it [N].
    pub(super) fn solve(&self, local: &Local, step: Vec3) -> (Vec3, Vec3) {
        let free = local.x + step;
        if self.is_surface() {
            let (x, _) = project(self.collider, self.radius, self.start, free, Push::default(), 1.0);
            return (x - local.x, local.hessian * (x - free));
        }
        let (inside, normal) = self.depth(free);
        if inside <= 0.0 {
            return (step, Vec3::ZERO);
        }
        let friction = self.collider.friction;
        // Sticking: back to where it started on the collider, if the force that takes is within the cone.
        let carried = self.carried(normal);
        let (deep, out) = self.depth(carried);
        let held = carried + out * deep - local.x;
        let force = local.hessian * held - local.force;
        let along = force.dot(normal);
        let across = force - normal * along;
        let size = across.length();
        if along > 0.0 && size <= friction.static_friction * along {
            return (held, force);
        }
        // Sliding: friction against the force that would hold it.
        let direction = if size > 1e-30 { across / size } else { Vec3::ZERO };
        let mut push = normal + direction * friction.kinetic_friction;
        let mut response = local.inverse * push;
        if normal.dot(response) <= 0.2 * normal.dot(local.inverse * normal) {
            (push, response) = (normal, local.inverse * normal);
        }
        let amount = inside / normal.dot(response).max(1e-30);
        (step + response * amount, push * amount)
    }

    /// Normal of the collider at a point.
    pub(super) fn normal(&self, x: Vec3) -> Vec3 {
        self.depth(x).1
    }

    /// Moves a vertex out of the collider.
    pub(super) fn push_out(&self, x: Vec3) -> Vec3 {
        if self.is_surface() {
            return project(self.collider, self.radius, self.start, x, Push::default(), 1.0).0;
        }
        let (inside, normal) = self.depth(x);
        if inside > 0.0 { x + normal * inside } else { x }
    }

    /// How the contact holds a vertex at `x` on which `force` acts, in a substep of `h` seconds.
    pub(super) fn hold(&self, x: Vec3, force: Vec3, h: f32) -> Option<Hold> {
        if self.is_surface() {
            return None;
        }
        let (inside, normal) = self.depth(x);
        let pressed = -force.dot(normal);
        if inside < -CLOSED_GAP || pressed <= 0.0 {
            return None;
        }
        let across = force + normal * pressed;
        let size = across.length();
        let friction = self.collider.friction;
        let way = x - self.carried(normal);
        let slip = way - normal * way.dot(normal);
        let moves = slip.length() > STICKING_SPEED * h;
        let sticks = !moves && size <= friction.static_friction * pressed && friction.static_friction > 0.0;
        // Against the slip; where there is none yet, against what will cause it.
        let direction = if moves { slip.normalize_or_zero() } else { across.normalize_or_zero() };
        Some(Hold { normal, sticks, friction: direction * (-friction.kinetic_friction * pressed) })
    }
}
