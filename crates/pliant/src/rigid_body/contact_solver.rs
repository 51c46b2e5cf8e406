//! Contacts of rigid bodies by sequential impulses in small steps.
//!
//! A step is divided into smaller ones; each integrates velocities, starts from the impulses of the last one, solves
//! contacts once with a bias that removes overlap, integrates positions, and solves once more without the bias, so that
//! removing overlap leaves no velocity (the scheme of Macklin et al., "Small steps in physics simulation", 2019, and of
//! Catto, "Solver2D", 2024). Friction acts once per manifold, at the center of its points, as a force within Coulomb's
//! cone and a torque about the normal.
//!
//! This file has what a manifold is, impacts and rolling resistance; `wide_contacts` solves many manifolds at a time.
//!
//! Point k of a manifold lies at its center plus (−w·t₀ + u·t₁), with tangents t₀ and t₁ = n × t₀. So r × n is that of the
//! center plus e = u·t₀ + w·t₁, the same for both bodies, and all points share one 3 × 3 matrix of inverse masses.

use crate::rigid_body::bodies::{ManifoldKey, SurfaceLaw};
use crate::rigid_body::manifold::POINTS;
use glam::{DMat3, DVec3};

/// A body as contacts and joints see it in a step.
#[derive(Clone, Copy, Debug)]
pub struct SolverBody {
    /// Velocity of the center [m/s].
    pub velocity: DVec3,
    /// Angular velocity [rad/s].
    pub spin: DVec3,
    /// Inverse mass [1/kg]; 0 for colliders.
    pub inverse_mass: f64,
    /// Inverse inertia in world axes [1/(kg·m²)].
    pub inverse_inertia: DMat3,
    /// Linear and angular acceleration by the pressure of liquids [m/s², rad/s²].
    pub pushed: [DVec3; 2],
    /// Changes of velocity and spin by the impulses that contacts had in the last small step.
    pub carried: [DVec3; 2],
    /// Whether it moves: it is no collider, and awake.
    pub moves: bool,
    /// Whether it has contacts in this step.
    pub has_contacts: bool,
    /// Whether a contact or joint has acted on it in this small step.
    pub touched: bool,
}

impl SolverBody {
    /// One that nothing moves.
    pub const STILL: Self = Self {
        velocity: DVec3::ZERO,
        spin: DVec3::ZERO,
        inverse_mass: 0.0,
        inverse_inertia: DMat3::ZERO,
        pushed: [DVec3::ZERO; 2],
        carried: [DVec3::ZERO; 2],
        moves: false,
        has_contacts: false,
        touched: false,
    };
}

/// One point of a contact.
#[derive(Clone, Copy, Debug, Default)]
pub struct PointConstraint {
    /// Distance at the start of the step [m].
    pub separation: f64,
    /// u and w: its place relative to the center of the manifold [m].
    pub place: [f64; 2],
    /// Effective mass along the normal [kg].
    pub mass: f64,
    /// Impulse of this small step [N·s].
    pub impulse: f64,
    /// Impulse of all small steps of the step [N·s].
    pub total: f64,
    /// Position relative to the second body at the start of the step, in its axes [m].
    pub anchor: DVec3,
}

impl PointConstraint {
    /// Distance from the center of the manifold [m].
    pub fn lever(&self) -> f64 {
        (self.place[0] * self.place[0] + self.place[1] * self.place[1]).sqrt()
    }
}

/// A manifold between two bodies, or a collider and a body.
#[derive(Clone, Debug)]
pub struct ContactConstraint {
    /// What it is of.
    pub key: ManifoldKey,
    /// Solver bodies.
    pub bodies: [usize; 2],
    /// Unit normal from the first to the second.
    pub normal: DVec3,
    /// Tangents.
    pub tangents: [DVec3; 2],
    /// Points.
    pub points: [PointConstraint; POINTS],
    /// Number of points.
    pub count: usize,
    /// Center of the points relative to both bodies [m].
    pub center: [DVec3; 2],
    /// Inverse masses of an impulse along the normal at the center and of torques about the tangents: 00, 01, 02, 11, 12, 22.
    pub coupling: [f64; 6],
    /// Inverse of the effective tangential inverse mass: xx, xy, yy [kg].
    pub tangent_mass: [f64; 3],
    /// Effective mass about the normal [kg·m²].
    pub twist_mass: f64,
    /// Friction impulse of this small step along the tangents [N·s].
    pub friction: [f64; 2],
    /// The same of all small steps of the step [N·s].
    pub total_friction: [f64; 2],
    /// Friction impulse about the normal [N·m·s].
    pub twist: f64,
    /// Surface properties.
    pub law: SurfaceLaw,
}

/// Numbers of a small step.
#[derive(Clone, Copy, Debug)]
pub struct SmallStep {
    /// Its length [s].
    pub h: f64,
    /// Gravity [m/s²].
    pub gravity: DVec3,
    /// Share of the overlap that is removed, per second [1/s].
    pub bias_rate: f64,
    /// Factor of an impulse.
    pub mass_scale: f64,
    /// Share of the accumulated impulse that is given up.
    pub impulse_scale: f64,
    /// Highest speed at which overlap is removed [m/s].
    pub push_speed: f64,
    /// Slower approaches have no restitution [m/s].
    pub rest_speed: f64,
}

/// Two solver bodies to be changed. A collider has no inverse mass: impulses leave it as it is.
#[inline]
fn pair(bodies: &mut [SolverBody], numbers: [usize; 2]) -> [&mut SolverBody; 2] {
    match bodies.get_disjoint_mut(numbers) {
        Ok(pair) => pair,
        Err(e) => unreachable!("a contact is between two bodies: {e}"),
    }
}

/// Applies an impulse at a point.
#[inline]
fn push_at(a: &mut SolverBody, b: &mut SolverBody, arms: [DVec3; 2], impulse: DVec3) {
    a.velocity -= impulse * a.inverse_mass;
    a.spin -= a.inverse_inertia * arms[0].cross(impulse);
    b.velocity += impulse * b.inverse_mass;
    b.spin += b.inverse_inertia * arms[1].cross(impulse);
}

#[inline]
fn slip(a: &SolverBody, b: &SolverBody, arms: [DVec3; 2]) -> DVec3 {
    b.velocity + b.spin.cross(arms[1]) - a.velocity - a.spin.cross(arms[0])
}

impl ContactConstraint {
    /// r × n of both bodies at a point.
    #[inline]
    fn arms(&self, p: &PointConstraint) -> [DVec3; 2] {
        let own = self.tangents[0] * p.place[0] + self.tangents[1] * p.place[1];
        self.center.map(|r| r.cross(self.normal) + own)
    }

    #[inline]
    fn approach(&self, a: &SolverBody, b: &SolverBody, p: &PointConstraint) -> f64 {
        let [arm_a, arm_b] = self.arms(p);
        self.normal.dot(b.velocity - a.velocity) + arm_b.dot(b.spin) - arm_a.dot(a.spin)
    }

    #[inline]
    fn separation(&self, [a, b]: &[[DVec3; 2]; 2], p: &PointConstraint) -> f64 {
        // To first order, so that a round body that rolls keeps its distance.
        let [arm_a, arm_b] = self.arms(p);
        p.separation + self.normal.dot(b[0] - a[0]) + arm_b.dot(b[1]) - arm_a.dot(a[1])
    }

    /// Adds the changes of velocity and spin by its impulses to those that both bodies carry.
    pub fn warm_start(&self, bodies: &mut [SolverBody]) {
        let [a, b] = pair(bodies, self.bodies);
        let points = &self.points[..self.count];
        let total: f64 = points.iter().map(|p| p.impulse).sum();
        let [u, w] = [0, 1].map(|k| points.iter().map(|p| p.place[k] * p.impulse).sum::<f64>());
        let impulse = self.normal * total + self.tangents[0] * self.friction[0] + self.tangents[1] * self.friction[1];
        let torque = self.tangents[0] * u + self.tangents[1] * w + self.normal * self.twist;
        let [arm_a, arm_b] = self.center.map(|r| r.cross(impulse) + torque);
        a.carried[0] -= impulse * a.inverse_mass;
        a.carried[1] -= a.inverse_inertia * arm_a;
        b.carried[0] += impulse * b.inverse_mass;
        b.carried[1] += b.inverse_inertia * arm_b;
    }

    /// Impact with restitution, where points close within this small step faster than the speed of rest. Returns whether
    /// there was one.
    ///
    /// In the first `round` of a small step, the time of the impact within it is taken into account, so that the height of
    /// a rebound does not depend on where the steps fall; later rounds pass impacts on through chains of bodies.
    ///
    /// `ways` are ways and rotations of both bodies since the start of the step. Ways to add in this small step that are no
    /// velocity go to `shifts`.
    pub fn apply_restitution(
        &self,
        bodies: &mut [SolverBody],
        (step, round): (&SmallStep, usize),
        ways: &[[DVec3; 2]; 2],
        shifts: &mut [DVec3],
    ) -> bool {
        let [a, b] = pair(bodies, self.bodies);
        let gravity = |body: &SolverBody| if body.inverse_mass > 0.0 { step.gravity } else { DVec3::ZERO };
        let normal_gravity = self.normal.dot(gravity(b) - gravity(a));
        let mut wanted = [None; POINTS];
        let mut shift = 0.0_f64;
        let mut hits = 0;
        for (k, p) in self.points[..self.count].iter().enumerate() {
            let speed = self.approach(a, b, p);
            let gap = self.separation(ways, p);
            if speed >= -step.rest_speed || gap + speed * step.h > 0.0 {
                continue;
            }
            let start = speed - normal_gravity * step.h;
            // Mean speed up to the impact; a gap that is already closed is hit at once.
            let time = if round == 0 && start < 0.0 {
                (gap.max(0.0) / -(start + 0.5 * normal_gravity * step.h).min(-1e-12)).min(step.h)
            } else {
                0.0
            };
            let hit = if round == 0 && start < 0.0 { start + normal_gravity * time } else { speed };
            let left = step.h - time;
            let after = if round == 0 {
                -self.law.restitution * hit + normal_gravity * left
            } else {
                -self.law.restitution * hit
            };
            if round == 0 && gap > 0.0 {
                let way = -self.law.restitution * hit * left + 0.5 * normal_gravity * left * left;
                shift += way - (gap + step.h * after);
                hits += 1;
            }
            wanted[k] = Some(after);
        }
        if wanted.iter().all(Option::is_none) {
            return false;
        }
        let mut impulses = [0.0; POINTS];
        for _ in 0..16 {
            for k in 0..self.count {
                let (Some(after), p) = (wanted[k], self.points[k]) else { continue };
                let total = (impulses[k] + p.mass * (after - self.approach(a, b, &p))).max(0.0_f64);
                self.push(a, b, &p, total - impulses[k]);
                impulses[k] = total;
            }
        }
        let bound = self.law.kinetic_friction * impulses.iter().sum::<f64>();
        let v = slip(a, b, self.center);
        let (x, y) = (v.dot(self.tangents[0]), v.dot(self.tangents[1]));
        let [xx, xy, yy] = self.tangent_mass;
        let friction = [-(xx * x + xy * y), -(xy * x + yy * y)];
        let size = (friction[0] * friction[0] + friction[1] * friction[1]).sqrt();
        let share = if size > bound { bound / size } else { 1.0 };
        push_at(a, b, self.center, (self.tangents[0] * friction[0] + self.tangents[1] * friction[1]) * share);
        if hits > 0 {
            let way = self.normal * (shift / f64::from(hits));
            let sum = a.inverse_mass + b.inverse_mass;
            shifts[self.bodies[0]] -= way * (a.inverse_mass / sum);
            shifts[self.bodies[1]] += way * (b.inverse_mass / sum);
        }
        (a.touched, b.touched) = (true, true);
        true
    }

    /// Applies an impulse along the normal at a point.
    fn push(&self, a: &mut SolverBody, b: &mut SolverBody, p: &PointConstraint, impulse: f64) {
        let [arm_a, arm_b] = self.arms(p);
        a.velocity -= self.normal * (impulse * a.inverse_mass);
        a.spin -= a.inverse_inertia * (arm_a * impulse);
        b.velocity += self.normal * (impulse * b.inverse_mass);
        b.spin += b.inverse_inertia * (arm_b * impulse);
    }

    /// Rolling resistance: relative spin and tangential speed of a pressed contact decay by `share`. Momentum is kept.
    pub fn resist_rolling(&self, bodies: &mut [SolverBody], share: f64) {
        let [a, b] = pair(bodies, self.bodies);
        let inverse = a.inverse_inertia + b.inverse_inertia;
        let torque = inverse.inverse() * (b.spin - a.spin) * share;
        a.spin += a.inverse_inertia * torque;
        b.spin -= b.inverse_inertia * torque;
        let v = b.velocity - a.velocity;
        let v = (v - self.normal * v.dot(self.normal)) * (share / (a.inverse_mass + b.inverse_mass));
        a.velocity += v * a.inverse_mass;
        b.velocity -= v * b.inverse_mass;
    }

    /// Whether any point carries an impulse.
    pub fn is_pressed(&self) -> bool {
        self.points[..self.count].iter().any(|p| p.impulse > 0.0)
    }
}
