//! Contacts of rigid bodies by sequential impulses in small steps.
//!
//! A step is divided into smaller ones; each integrates velocities, starts from the impulses of the last one, solves
//! contacts once with a bias that removes overlap, integrates positions, and solves once more without the bias, so that
//! removing overlap leaves no velocity (the scheme of Macklin et al., "Small steps in physics simulation", 2019, and of
//! Catto, "Solver2D", 2024). Friction acts once per manifold, at the center of its points, as a force within Coulomb's
//! cone and a torque about the normal.

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
    /// Way since the start of the step [m].
    pub moved: DVec3,
    /// Rotation since the start of the step [rad].
    pub turned: DVec3,
    /// Way to add in this small step that is no velocity: from an impact within it [m], [rad].
    pub shift: [DVec3; 2],
    /// Acceleration by gravity [m/s²]; 0 for colliders.
    pub gravity: DVec3,
    /// Whether a contact or joint has acted on it in this small step.
    pub touched: bool,
}

/// One point of a contact.
#[derive(Clone, Copy, Debug, Default)]
pub struct PointConstraint {
    /// Distance at the start of the step [m].
    pub separation: f64,
    /// r × n of both bodies.
    pub arm: [DVec3; 2],
    /// I⁻¹(r × n) of both bodies.
    pub turn: [DVec3; 2],
    /// Effective mass along the normal [kg].
    pub mass: f64,
    /// Impulse of this small step [N·s].
    pub impulse: f64,
    /// Distance from the center of the manifold [m].
    pub lever: f64,
    /// Position relative to the second body at the start of the step, in its axes [m].
    pub anchor: DVec3,
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
    /// Inverse of the effective tangential inverse mass: xx, xy, yy [kg].
    pub tangent_mass: [f64; 3],
    /// Effective mass about the normal [kg·m²].
    pub twist_mass: f64,
    /// Friction impulse of this small step along the tangents [N·s].
    pub friction: [f64; 2],
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
    /// Share of the overlap that is removed, per second [1/s].
    pub bias_rate: f64,
    /// Factor of an impulse.
    pub mass_scale: f64,
    /// Share of the accumulated impulse that is given up.
    pub impulse_scale: f64,
    /// Highest speed at which overlap is removed [m/s].
    pub push_speed: f64,
    /// Slower approaches do not bounce [m/s].
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

/// Applies an impulse along the normal at a point.
#[inline]
fn push(a: &mut SolverBody, b: &mut SolverBody, normal: DVec3, p: &PointConstraint, impulse: f64) {
    a.velocity -= normal * (impulse * a.inverse_mass);
    a.spin -= p.turn[0] * impulse;
    b.velocity += normal * (impulse * b.inverse_mass);
    b.spin += p.turn[1] * impulse;
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
fn approach(a: &SolverBody, b: &SolverBody, normal: DVec3, p: &PointConstraint) -> f64 {
    normal.dot(b.velocity - a.velocity) + p.arm[1].dot(b.spin) - p.arm[0].dot(a.spin)
}

#[inline]
fn slip(a: &SolverBody, b: &SolverBody, arms: [DVec3; 2]) -> DVec3 {
    b.velocity + b.spin.cross(arms[1]) - a.velocity - a.spin.cross(arms[0])
}

#[inline]
fn separation(a: &SolverBody, b: &SolverBody, normal: DVec3, p: &PointConstraint) -> f64 {
    // To first order, so that a round body that rolls keeps its distance.
    p.separation + normal.dot(b.moved - a.moved) + p.arm[1].dot(b.turned) - p.arm[0].dot(a.turned)
}

impl ContactConstraint {
    /// Starts a small step with the impulses of the last one.
    pub fn warm_start(&mut self, bodies: &mut [SolverBody]) {
        let [a, b] = pair(bodies, self.bodies);
        for p in &self.points[..self.count] {
            push(a, b, self.normal, p, p.impulse);
        }
        let friction = self.tangents[0] * self.friction[0] + self.tangents[1] * self.friction[1];
        push_at(a, b, self.center, friction);
        self.turn_about_normal(a, b, self.twist);
    }

    fn turn_about_normal(&self, a: &mut SolverBody, b: &mut SolverBody, twist: f64) {
        a.spin -= a.inverse_inertia * (self.normal * twist);
        b.spin += b.inverse_inertia * (self.normal * twist);
    }

    /// One pass over the contact. With `biased` overlap is removed.
    pub fn solve(&mut self, bodies: &mut [SolverBody], step: &SmallStep, biased: bool) {
        let [a, b] = pair(bodies, self.bodies);
        self.solve_friction(a, b);
        let mut pushed = false;
        for k in 0..self.count {
            let p = self.points[k];
            let gap = separation(a, b, self.normal, &p);
            // After positions have moved, a gap that is still open is for the next small step.
            if !biased && gap > 0.0 && p.impulse == 0.0 {
                continue;
            }
            let (bias, mass_scale, impulse_scale) = if gap > 0.0 {
                // It may close within this small step, and no more.
                (gap / step.h, 1.0, 0.0)
            } else if biased {
                ((step.bias_rate * gap).max(-step.push_speed), step.mass_scale, step.impulse_scale)
            } else {
                (0.0, 1.0, 0.0)
            };
            let speed = approach(a, b, self.normal, &p);
            let total = p.impulse - p.mass * mass_scale * (speed + bias) - impulse_scale * p.impulse;
            let total = total.max(0.0);
            let change = total - p.impulse;
            self.points[k].impulse = total;
            pushed |= total > 0.0;
            push(a, b, self.normal, &p, change);
        }
        if pushed {
            (a.touched, b.touched) = (true, true);
        }
    }

    fn solve_friction(&mut self, a: &mut SolverBody, b: &mut SolverBody) {
        let points = &self.points[..self.count];
        let normal_sum: f64 = points.iter().map(|p| p.impulse).sum();
        let twist_most: f64 = self.law.static_friction * points.iter().map(|p| p.impulse * p.lever).sum::<f64>();
        let spin = self.normal.dot(b.spin - a.spin);
        let twist = (self.twist - self.twist_mass * spin).clamp(-twist_most, twist_most);
        self.turn_about_normal(a, b, twist - self.twist);
        self.twist = twist;

        let v = slip(a, b, self.center);
        let (x, y) = (v.dot(self.tangents[0]), v.dot(self.tangents[1]));
        let [xx, xy, yy] = self.tangent_mass;
        let wanted = [self.friction[0] - (xx * x + xy * y), self.friction[1] - (xy * x + yy * y)];
        let size = (wanted[0] * wanted[0] + wanted[1] * wanted[1]).sqrt();
        // Coulomb: sticks within the static cone, else slides with the kinetic coefficient.
        let share = if size <= self.law.static_friction * normal_sum {
            1.0
        } else {
            self.law.kinetic_friction * normal_sum / size
        };
        let new = wanted.map(|w| w * share);
        let change = [new[0] - self.friction[0], new[1] - self.friction[1]];
        self.friction = new;
        push_at(a, b, self.center, self.tangents[0] * change[0] + self.tangents[1] * change[1]);
    }

    /// Impact with restitution, where points close within this small step faster than the speed of rest. Returns whether
    /// there was one.
    ///
    /// In the first `round` of a small step, the time of the impact within it is taken into account, so that the height of
    /// a rebound does not depend on where the steps fall; later rounds pass impacts on through chains of bodies.
    pub fn bounce(&mut self, bodies: &mut [SolverBody], step: &SmallStep, round: usize) -> bool {
        let [a, b] = pair(bodies, self.bodies);
        let mut wanted = [None; POINTS];
        let mut shift = 0.0_f64;
        let mut hits = 0;
        for (k, p) in self.points[..self.count].iter().enumerate() {
            let speed = approach(a, b, self.normal, p);
            let gap = separation(a, b, self.normal, p);
            if speed >= -step.rest_speed || gap + speed * step.h > 0.0 {
                continue;
            }
            let pull = self.normal.dot(b.gravity - a.gravity);
            let start = speed - pull * step.h;
            // Mean speed up to the impact; a gap that is already closed is hit at once.
            let time = if round == 0 && start < 0.0 {
                (gap.max(0.0) / -(start + 0.5 * pull * step.h).min(-1e-12)).min(step.h)
            } else {
                0.0
            };
            let hit = if round == 0 && start < 0.0 { start + pull * time } else { speed };
            let left = step.h - time;
            let after =
                if round == 0 { -self.law.restitution * hit + pull * left } else { -self.law.restitution * hit };
            if round == 0 && gap > 0.0 {
                let way = -self.law.restitution * hit * left + 0.5 * pull * left * left;
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
                let total = (impulses[k] + p.mass * (after - approach(a, b, self.normal, &p))).max(0.0_f64);
                push(a, b, self.normal, &p, total - impulses[k]);
                impulses[k] = total;
            }
        }
        let bound = self.law.kinetic_friction * impulses.iter().sum::<f64>();
        let v = slip(a, b, self.center);
        let (x, y) = (v.dot(self.tangents[0]), v.dot(self.tangents[1]));
        let [xx, xy, yy] = self.tangent_mass;
        let rub = [-(xx * x + xy * y), -(xy * x + yy * y)];
        let size = (rub[0] * rub[0] + rub[1] * rub[1]).sqrt();
        let share = if size > bound { bound / size } else { 1.0 };
        push_at(a, b, self.center, (self.tangents[0] * rub[0] + self.tangents[1] * rub[1]) * share);
        if hits > 0 {
            let way = self.normal * (shift / f64::from(hits));
            let sum = a.inverse_mass + b.inverse_mass;
            a.shift[0] -= way * (a.inverse_mass / sum);
            b.shift[0] += way * (b.inverse_mass / sum);
        }
        (a.touched, b.touched) = (true, true);
        true
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
