//! The passes of [`crate::fluid::body_coupling`] on the CPU.

use crate::fluid::body_coupling::relaxation;
use crate::fluid::body_surface::LinearFit;
use crate::fluid::model::FluidModel;
use crate::fluid::parameters::Fluid;
use crate::math::{RowData, position};
use crate::memory::of;
use crate::rigid_body::bodies::BodyState;
use crate::rigid_body::integrate::{velocity_changes, world_inverse_inertia};
use glam::{DMat3, DVec3, IVec3, Vec3};
use std::collections::HashMap;
use std::ops::Range;

/// A body at a particle.
#[derive(Clone, Copy, Debug)]
pub struct BodyWall {
    pub particle: u32,
    pub body: u32,
    /// Derivative of the particle's rate of compression by the velocity of the wall [1/m].
    pub slope: Vec3,
    /// Where the pressure acts [m].
    pub point: Vec3,
}

/// A body as it will move in the next substep: velocities and spins.
#[derive(Clone, Debug)]
struct CoupledBody {
    center: DVec3,
    /// Without pressure.
    base: [DVec3; 2],
    /// Share of it that is added in this substep or the next.
    gained: [DVec3; 2],
    /// By pressure, as the last round has found it.
    change: [DVec3; 2],
    impulse: [DVec3; 2],
    relaxation: f64,
    inverse_mass: f64,
    inverse_inertia: DMat3,
}

impl CoupledBody {
    /// Velocity at `arm` from the center by a velocity and spin and the change by pressure [m/s].
    fn with_change(&self, [velocity, spin]: [DVec3; 2], arm: DVec3) -> DVec3 {
        velocity + self.change[0] + (spin + self.change[1]).cross(arm)
    }
}

/// Rigid bodies beside a liquid, for one substep.
#[derive(Default)]
pub struct BodyCoupling {
    /// Per run of particles, so that the order does not depend on threads.
    pub walls: Vec<Vec<BodyWall>>,
    bodies: Vec<CoupledBody>,
    points: Vec<PressurePoint>,
    /// Particles of the points, with their coefficients.
    links: Vec<(u32, f64)>,
    fit: LinearFit,
    /// Particles near each body, by cells of the kernel's radius.
    cells: HashMap<(u32, IVec3), Vec<u32>>,
}

/// A point of a body's surface, with liquid near it.
struct PressurePoint {
    body: u32,
    /// From the center of mass [m].
    arm: DVec3,
    /// Along the outward normal [m²].
    area: DVec3,
    /// Mean position of its particles, from the point [m].
    middle: DVec3,
    links: Range<usize>,
}

impl BodyCoupling {
    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        of(&self.bodies) + of(&self.points) + of(&self.links) + self.walls.iter().map(of).sum::<u64>()
    }

    /// Forgets the walls of the last substep.
    pub fn clear(&mut self, runs: usize) {
        self.walls.resize_with(runs, Vec::new);
        self.walls.iter_mut().for_each(Vec::clear);
    }

    /// Whether a body touches a liquid.
    pub fn acts(&self) -> bool {
        self.walls.iter().any(|walls| !walls.is_empty())
    }

    /// Starts the rounds. `expected` are the changes of velocity and spin that bodies have from all else in the substep in
    /// which the pressures act. `included`: velocities have them already.
    pub fn begin(&mut self, model: &FluidModel<'_>, bodies: &[BodyState], expected: &[[DVec3; 2]], included: bool) {
        let density = model.fluid.map_or(0.0, |fluid| f64::from(fluid.kinds[0].density));
        self.bodies.clear();
        for (k, (params, body)) in model.rigid_bodies.bodies.iter().zip(bodies).enumerate() {
            let shape = &params.shape;
            let [linear, angular] = expected.get(k).copied().unwrap_or_default();
            self.bodies.push(CoupledBody {
                center: body.position,
                base: if included { [body.velocity, body.spin] } else { [body.velocity + linear, body.spin + angular] },
                gained: [linear, angular],
                change: velocity_changes(shape, body.rotation, body.push),
                impulse: [DVec3::ZERO; 2],
                relaxation: relaxation(shape, density),
                inverse_mass: 1.0 / shape.mass.mass,
                inverse_inertia: world_inverse_inertia(shape, body.rotation),
            });
        }
    }

    /// Adds the motion of bodies to the rates of compression, which are over the inverse masses of `rows` [kg/s].
    pub fn add_rates(&self, rows: &[RowData], rates: &mut [f32]) {
        for wall in self.walls.iter().flatten() {
            let (body, i) = (&self.bodies[wall.body as usize], wall.particle as usize);
            let velocity = body.with_change(body.base, wall.point.as_dvec3() - body.center);
            rates[i] += wall.slope.dot(velocity.as_vec3()) / rows[i][3];
        }
    }

    /// Forces on particles by the difference of the pressure at bodies from theirs, and the largest such difference: it has
    /// the gradient that accelerates the liquid as the body. `gravity` is what a substep adds [m/s], `scale` the mass of a
    /// particle [kg].
    pub fn forces(&self, rows: &[RowData], gravity: Vec3, scale: f32, forces: &mut [RowData]) {
        forces.fill([0.0; 4]);
        for wall in self.walls.iter().flatten() {
            let (body, i) = (&self.bodies[wall.body as usize], wall.particle as usize);
            let apart = position(rows[i]) - wall.point;
            let gained = body.with_change(body.gained, wall.point.as_dvec3() - body.center);
            let more = -apart.dot(gravity - gained.as_vec3()) * scale;
            let [x, y, z, largest] = &mut forces[i];
            *x += wall.slope.x * more;
            *y += wall.slope.y * more;
            *z += wall.slope.z * more;
            *largest = largest.max(more.abs());
        }
    }

    /// Finds the particles around the points of the bodies' surfaces.
    pub fn measure(&mut self, model: &FluidModel<'_>, rows: &[RowData], bodies: &[BodyState]) {
        self.points.clear();
        self.links.clear();
        let Some(fluid) = model.fluid.filter(|_| self.acts()) else { return };
        let reach = f64::from(fluid.reach);
        let cell = |x: DVec3| (x / reach).floor().as_ivec3();
        self.cells.clear();
        for wall in self.walls.iter().flatten() {
            let x = position(rows[wall.particle as usize]).as_dvec3();
            let list = self.cells.entry((wall.body, cell(x))).or_default();
            // A body of several pieces may have several walls at a particle.
            if list.last() != Some(&wall.particle) {
                list.push(wall.particle);
            }
        }
        for (k, (surface, body)) in (0_u32..).zip(fluid.body_surfaces.iter().zip(bodies)) {
            for point in surface {
                let (arm, area) = (body.rotation * point.place, body.rotation * point.area);
                let x = body.position + arm;
                self.fit.clear();
                for offset in (0..27).map(|k| IVec3::new(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1)) {
                    for &j in self.cells.get(&(k, cell(x) + offset)).into_iter().flatten() {
                        self.fit.add(j, position(rows[j as usize]).as_dvec3() - x, reach);
                    }
                }
                let first = self.links.len();
                let (coefficients, middle) = self.fit.coefficients(reach);
                self.links.extend(coefficients);
                if self.links.len() > first {
                    self.points.push(PressurePoint { body: k, arm, area, middle, links: first..self.links.len() });
                }
            }
        }
    }

    /// Impulses by pressures (−h·λ), and the relaxed change of velocity by them.
    pub fn update(&mut self, fluid: &Fluid, pressures: &[f32], gravity: Vec3, h: f32) {
        self.bodies.iter_mut().for_each(|body| body.impulse = [DVec3::ZERO; 2]);
        // λ = h·V·p.
        let scale = -1.0 / (f64::from(h) * f64::from(h) * f64::from(fluid.volume));
        for point in &self.points {
            let links = &self.links[point.links.clone()];
            let found: f64 = links.iter().map(|&(j, c)| c * f64::from(pressures[j as usize])).sum();
            let body = &mut self.bodies[point.body as usize];
            let gained = body.with_change(body.gained, point.arm);
            let gradient = (gravity.as_dvec3() - gained / f64::from(h)) * f64::from(fluid.kinds[0].density);
            let pressure = (found * scale - point.middle.dot(gradient)).max(0.0);
            let impulse = point.area * (-pressure * f64::from(h));
            body.impulse[0] += impulse;
            body.impulse[1] += point.arm.cross(impulse);
        }
        for body in &mut self.bodies {
            let found = [body.impulse[0] * body.inverse_mass, body.inverse_inertia * body.impulse[1]];
            for (change, found) in body.change.iter_mut().zip(found) {
                *change += (found - *change) * body.relaxation;
            }
        }
    }

    /// Hands the impulses to the bodies, which take them during the next substep.
    pub fn store(&self, bodies: &mut [BodyState]) {
        let found = self.bodies.iter().filter(|_| self.acts()).map(|body| body.impulse);
        bodies
            .iter_mut()
            .zip(found.chain(std::iter::repeat([DVec3::ZERO; 2])))
            .for_each(|(body, push)| body.push = push);
    }
}
