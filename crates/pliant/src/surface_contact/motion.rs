//! Positions and displacements of the vertices of surfaces, and of the points near them, in a substep.

use crate::contact::collider_contact::MovingCollider;
use crate::math::{RowData, position};
use crate::memory::of;
use crate::surface_contact::model::{NO_PARTICLE, SurfaceModel};
use crate::surface_contact::pair::Pair;
use glam::Vec3;

/// Vertices in a substep: those of the surfaces, then the points near them.
#[derive(Default)]
pub struct Motion {
    /// Particle of each, or [`NO_PARTICLE`].
    pub particles: Vec<u32>,
    /// Positions at the start of the substep, before stabilization [m].
    pub start: Vec<Vec3>,
    /// Positions now [m].
    pub x: Vec<Vec3>,
    /// Displacements that pairs were searched with [m].
    pub way: Vec<Vec3>,
    /// By how much a displacement may differ from that [m].
    pub slack: Vec<f32>,
    /// Contact radii [m].
    pub radii: Vec<f32>,
    /// Radii of the solids of colliders around their vertices [m].
    pub cores: Vec<f32>,
    /// Inverse masses [1/kg].
    pub inv_masses: Vec<f32>,
    /// Inverse masses of the rigid bodies that carry them; 0 for all others [1/kg].
    pub bodies: Vec<f32>,
}

impl Motion {
    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        let places = of(&self.start) + of(&self.x) + of(&self.way);
        places
            + of(&self.particles)
            + of(&self.slack)
            + of(&self.radii)
            + of(&self.cores)
            + of(&self.inv_masses)
            + of(&self.bodies)
    }

    /// Loads all vertices of surfaces. `saved` are positions of particles at the start of the substep.
    pub fn load(
        &mut self,
        model: &SurfaceModel,
        rows: &[RowData],
        radii: &[f32],
        saved: &[Vec3],
        colliders: &[MovingCollider],
    ) {
        self.clear();
        self.particles.extend_from_slice(&model.particles);
        self.cores.extend_from_slice(&model.cores);
        for surface in &model.surfaces {
            match surface.collider() {
                None => {
                    for v in surface.vertices.clone() {
                        let i = model.particles[v] as usize;
                        self.push(saved[i], rows[i], radii[i], 0.0);
                    }
                }
                Some(c) => {
                    let MovingCollider { before, after, .. } = &colliders[c as usize];
                    for &place in &model.rest[surface.vertices.clone()] {
                        let now = after.outward(place);
                        self.push(before.outward(place), [now.x, now.y, now.z, 0.0], 0.0, surface.body_inv_mass);
                    }
                }
            }
        }
    }

    /// Adds a point near a surface.
    pub fn add_point(&mut self, particle: u32, start: Vec3, row: RowData, radius: f32) {
        self.particles.push(particle);
        self.cores.push(0.0);
        self.push(start, row, radius, 0.0);
    }

    fn push(&mut self, start: Vec3, row: RowData, radius: f32, body: f32) {
        let x = position(row);
        self.start.push(start);
        self.x.push(x);
        self.way.push(x - start);
        self.slack.push(0.0);
        self.radii.push(radius);
        self.inv_masses.push(row[3]);
        self.bodies.push(body);
    }

    fn clear(&mut self) {
        self.particles.clear();
        self.start.clear();
        self.x.clear();
        self.way.clear();
        self.slack.clear();
        self.radii.clear();
        self.cores.clear();
        self.inv_masses.clear();
        self.bodies.clear();
    }

    /// Reads the positions of some vertices again.
    pub fn read(&mut self, vertices: &[u32], rows: &[RowData]) {
        for &v in vertices {
            let particle = self.particles[v as usize];
            if particle != NO_PARTICLE {
                self.x[v as usize] = position(rows[particle as usize]);
            }
        }
    }

    /// Writes their positions to the rows.
    pub fn write(&self, vertices: &[u32], rows: &mut [RowData]) {
        for &v in vertices {
            let particle = self.particles[v as usize];
            if particle != NO_PARTICLE {
                let (row, x) = (&mut rows[particle as usize], self.x[v as usize]);
                *row = [x.x, x.y, x.z, row[3]];
            }
        }
    }

    /// Whether every vertex has moved as pairs were searched with, within its slack.
    pub fn is_as_searched(&self) -> bool {
        let inside = |v: usize| {
            let off = (self.x[v] - self.start[v]) - self.way[v];
            off.length_squared() <= self.slack[v] * self.slack[v]
        };
        (0..self.x.len()).all(inside)
    }

    /// Four of a list.
    #[inline]
    pub fn of<T: Copy>(list: &[T], pair: &Pair) -> [T; 4] {
        pair.vertices.map(|v| list[v as usize])
    }

    /// Displacements of a pair's vertices [m].
    #[inline]
    pub fn ways(&self, pair: &Pair) -> [Vec3; 4] {
        pair.vertices.map(|v| self.x[v as usize] - self.start[v as usize])
    }
}
