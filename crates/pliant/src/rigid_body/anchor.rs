//! Particles that are attached to rigid bodies.
//!
//! In every iteration of the particles' solver each attached particle and its body get the corrections of an XPBD constraint
//! C = |x − p|, where p is a point of the body: both take part with their inverse masses, the body with that at the point,
//! 1/m + (r × n)ᵀ·I⁻¹·(r × n) (Müller et al., "Detailed rigid body simulation with extended position based dynamics", 2020).
//! Corrections are along the way between the two, so that linear and angular momentum stay.

use crate::math::{RowData, position};
use crate::rigid_body::bodies::{RigidBodies, RigidBodyModel};
use crate::rigid_body::integrate::{turn, world_inverse_inertia};
use crate::rigid_body::shape::Frame;
use glam::{DMat3, DVec3};

/// A particle that is attached to a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// Attachment of the scene.
    pub attachment: u32,
    /// The particle.
    pub particle: u32,
    /// The body.
    pub body: u32,
    /// Compliance [m/N].
    pub compliance: f64,
}

/// Where a particle is attached, and how it pulls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnchorState {
    /// The point relative to the center of mass, in the body's axes [m].
    pub local: DVec3,
    /// Force on the particle in the last substep [N].
    pub force: DVec3,
}

/// Impulse of a rigid body on an attached particle in a substep, and its moment.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnchorPull {
    /// Impulse on the particle, times the substep [kg·m].
    pub linear: DVec3,
    /// Its moment about the origin [kg·m²].
    pub angular: DVec3,
}

/// Buffers of a substep.
#[derive(Clone, Debug, Default)]
pub struct AnchorSolver {
    /// Frames of the bodies while particles are solved.
    frames: Vec<Frame>,
    /// Centers of mass at the start of the substep [m]: about these, positions at its end have no angular momentum of their
    /// own, as x × v is the same at both ends of a straight way.
    starts: Vec<DVec3>,
    inverse_inertia: Vec<DMat3>,
    /// Impulse and angular impulse on each body, times the substep [kg·m, kg·m²].
    impulses: Vec<[DVec3; 2]>,
    /// The same on each attached particle.
    pulls: Vec<AnchorPull>,
}

impl AnchorSolver {
    /// Starts a substep of `h` seconds from the bodies as they have moved without their particles.
    pub fn begin(&mut self, model: &RigidBodyModel, state: &RigidBodies, h: f64) {
        if model.anchors.is_empty() {
            return;
        }
        self.frames.clear();
        self.frames.extend(state.bodies.iter().map(|body| body.frame()));
        self.starts.clear();
        self.starts.extend(state.bodies.iter().map(|body| body.position - body.velocity * h));
        self.inverse_inertia.clear();
        let bodies = model.bodies.iter().zip(&state.bodies);
        self.inverse_inertia.extend(bodies.map(|(p, body)| world_inverse_inertia(&p.shape, body.rotation)));
        self.impulses.clear();
        self.impulses.resize(state.bodies.len(), [DVec3::ZERO; 2]);
        self.pulls.clear();
        self.pulls.resize(model.anchors.len(), AnchorPull::default());
    }

    /// Impulses of bodies on their particles in this substep, in the order of anchors.
    pub fn pulls(&self) -> &[AnchorPull] {
        &self.pulls
    }

    /// One correction of all anchors in a substep of `h` seconds.
    pub fn project(&mut self, model: &RigidBodyModel, state: &RigidBodies, rows: &mut [RowData], h: f64) {
        let anchors = model.anchors.iter().zip(&state.anchors).zip(&mut self.pulls);
        for ((anchor, own), pull) in anchors {
            let (body, row) = (anchor.body as usize, &mut rows[anchor.particle as usize]);
            let (frame, inverse_inertia) = (&mut self.frames[body], self.inverse_inertia[body]);
            let arm = frame.rotation * own.local;
            let (x, inv_mass) = (position(*row).as_dvec3(), f64::from(row[3]));
            let soft = anchor.compliance / (h * h);
            let away = x - frame.position - arm + pull.linear * soft;
            let Some(n) = away.try_normalize() else { continue };
            let lever = arm.cross(n);
            let inverse_mass = 1.0 / model.bodies[body].shape.mass.mass;
            let at_point = inverse_mass + lever.dot(inverse_inertia * lever);
            let mut change = -away / (inv_mass + at_point + soft);
            if inv_mass > 0.0 {
                // The body gets what the particle has got in single precision.
                let moved = (x + change * inv_mass).as_vec3();
                row[..3].copy_from_slice(&moved.to_array());
                change = (moved.as_dvec3() - x) / inv_mass;
            }
            pull.linear += change;
            pull.angular += x.cross(change);
            frame.position -= change * inverse_mass;
            frame.rotation = (turn(inverse_inertia * -arm.cross(change)) * frame.rotation).normalize();
            self.impulses[body][0] -= change;
            // At the place of the particle, so that the sum of both is none.
            self.impulses[body][1] -= (x - self.starts[body]).cross(change);
        }
    }

    /// Moves the bodies to where their particles have brought them.
    pub fn finish(&self, model: &RigidBodyModel, state: &mut RigidBodies, h: f64) {
        if model.anchors.is_empty() {
            return;
        }
        for (own, pull) in state.anchors.iter_mut().zip(&self.pulls) {
            own.force = pull.linear / (h * h);
        }
        for (k, [linear, angular]) in self.impulses.iter().enumerate() {
            if (*linear, *angular) == (DVec3::ZERO, DVec3::ZERO) {
                continue;
            }
            let (shape, body) = (&model.bodies[k].shape, &mut state.bodies[k]);
            let local_spin = body.rotation.conjugate() * body.spin;
            let momentum = body.rotation * (shape.mass.inertia * local_spin) + *angular / h;
            (body.position, body.rotation) = (self.frames[k].position, self.frames[k].rotation);
            body.velocity += *linear / (h * shape.mass.mass);
            body.spin = world_inverse_inertia(shape, body.rotation) * momentum;
        }
    }
}
