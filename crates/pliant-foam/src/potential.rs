//! Where a liquid takes in air or throws out drops: potentials from 0 to 1 for each of its particles.
//!
//! Three looks at the neighborhood, each cut off between two limits (Ihmsen and others 2012, §3.1, with the changes below):
//!
//! - *Closing*: neighbors that come nearer trap air between them. We take the part of relative velocities along the line
//!   between two particles, where the paper adds parts across it: a liquid that turns as a whole closes nothing.
//! - *Crest*: the surface is convex, goes where it bulges, and is drawn out. Normals are compared with those of neighbors at the
//!   surface alone, so that the value is a curvature whatever the number of neighbors; and neighbors must part: a
//!   drop that flies as a whole sheds nothing.
//! - *Energy*: who is slow does neither.

use crate::walls::is_walled;
use glam::Vec3;
use pliant::Threads;
use pliant::contact::collider_contact::Obstacle;
use pliant::math::RowData;
use pliant::neighbors::Neighbors;
use std::f32::consts::PI;

/// Share of the normal's length at a flat surface, a quarter of the full weight, from which on a particle lies at one.
const AT_SURFACE: f32 = 0.5;

/// Cosine between velocity and normal from which on a surface goes where it bulges, as in the paper.
const FORWARD: f32 = 0.6;

/// Mean of 1 − cos over the surface within reach for a wave whose radius of curvature is the reach:
/// ½·⟨x²⟩/reach², with ⟨x²⟩ = 0.15 reach² for weights 1 − q on a disk.
const WAVE: f32 = 0.075;

/// What counts, and from when on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Radius of a particle [m].
    pub radius: f32,
    /// How far particles see each other [m].
    pub reach: f32,
    /// Speed below which nothing happens [m/s].
    pub slow: f32,
    /// Speed from which on a particle does all that it can [m/s].
    pub fast: f32,
}

impl Limits {
    /// Σ (1 − |x|/reach) over the neighbors of a particle within a lattice.
    pub fn full_weight(&self) -> f32 {
        let (spacing, far) = (2.0 * self.radius, (0.5 * self.reach / self.radius) as i32 + 1);
        let range = || -far..=far;
        let squares = range().flat_map(|x| range().flat_map(move |y| range().map(move |z| x * x + y * y + z * z)));
        squares.filter(|s| *s > 0).map(|s| (1.0 - (s as f32).sqrt() * spacing / self.reach).max(0.0)).sum()
    }

    /// Particles within reach of a place in the liquid, on average over places.
    pub fn full_count(&self) -> f32 {
        let q = 0.5 * self.reach / self.radius;
        4.0 / 3.0 * PI * q * q * q
    }

    /// Share of what could be made of a particle: energy × (closing + crest), 0 to 2.
    fn share(&self, p: &Potential) -> f32 {
        let energy = ramp(p.speed * p.speed, self.slow * self.slow, self.fast * self.fast);
        let crest = ramp(p.crest, WAVE, 4.0 * WAVE) * ramp(p.opening, 0.0, self.slow);
        energy * (ramp(p.closing, self.slow, self.fast) + crest)
    }
}

/// What a particle's neighborhood says.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Potential {
    /// Speed [m/s].
    pub speed: f32,
    /// Speed at which two bodies of liquid would have to meet head-on to give as much as its neighbors do [m/s].
    pub closing: f32,
    /// The same of those that part [m/s].
    pub opening: f32,
    /// Mean of 1 − cos between its normal and those around it where the surface is a crest; 0 elsewhere. A wave
    /// whose radius of curvature is the reach has 0.075, one of half of that four times as much.
    pub crest: f32,
    /// Neighbors.
    pub count: u32,
    /// What is made of it, from 0 to 2.
    pub share: f32,
}

/// Potentials of all particles of a liquid from their neighbors within `limits.reach`, both of a pair listed.
pub fn potentials(
    threads: &Threads,
    rows: &[RowData],
    velocities: &[RowData],
    neighbors: &Neighbors,
    walls: &[Obstacle],
    limits: &Limits,
) -> Vec<Potential> {
    let mut found = vec![(Potential::default(), Vec3::ZERO); rows.len()];
    let around = Around { rows, velocities, neighbors, walls, limits, full: limits.full_weight() };
    threads.enter(|| threads.chunks(&mut found, 1, |first, out| around.look(first, out)));
    let normals: Vec<Vec3> = found.iter().map(|(_, normal)| *normal).collect();
    let mut found: Vec<Potential> = found.into_iter().map(|(p, _)| p).collect();
    threads.enter(|| {
        threads.chunks(&mut found, 1, |first, out| {
            for (k, p) in out.iter_mut().enumerate() {
                p.crest = around.crest(first + k, p.speed, &normals);
                p.share = limits.share(p);
            }
        });
    });
    found
}

struct Around<'a> {
    rows: &'a [RowData],
    velocities: &'a [RowData],
    neighbors: &'a Neighbors,
    walls: &'a [Obstacle],
    limits: &'a Limits,
    full: f32,
}

impl Around<'_> {
    /// Speed, closing and normals of particles from `first` on. Normals are zero inside of the liquid, and where particles are few.
    fn look(&self, first: usize, out: &mut [(Potential, Vec3)]) {
        let inverse = 1.0 / self.limits.reach;
        for (k, (potential, normal)) in out.iter_mut().enumerate() {
            let i = first + k;
            let (x, v) = (vec3(self.rows[i]), vec3(self.velocities[i]));
            let (mut closing, mut opening, mut outward) = (0.0, 0.0, Vec3::ZERO);
            let near = self.neighbors.of(i);
            for &j in near {
                let d = x - vec3(self.rows[j as usize]);
                let length = d.length();
                // Who is in one place has no direction.
                let per_length = if length > 0.0 { 1.0 / length } else { 0.0 };
                let weight = (1.0 - length * inverse).max(0.0);
                let apart = (v - vec3(self.velocities[j as usize])).dot(d) * per_length;
                closing += weight * (-apart).max(0.0);
                opening += weight * apart.max(0.0);
                outward += d * (weight * per_length);
            }
            // Of two bodies that meet, half of the neighbors come nearer, at half of the speed on average over directions.
            let whole = 4.0 / self.full;
            let (speed, count) = (v.length(), near.len() as u32);
            let (closing, opening) = (closing * whole, opening * whole);
            *potential = Potential { speed, closing, opening, count, ..Potential::default() };
            let length = outward.length();
            *normal = if length > AT_SURFACE * 0.25 * self.full { outward / length } else { Vec3::ZERO };
        }
    }

    /// See [`Potential::crest`].
    fn crest(&self, i: usize, speed: f32, normals: &[Vec3]) -> f32 {
        let (limits, normal) = (self.limits, normals[i]);
        if normal == Vec3::ZERO || speed <= limits.slow || vec3(self.velocities[i]).dot(normal) < FORWARD * speed {
            return 0.0;
        }
        let x = vec3(self.rows[i]);
        // Itself included, as in a mean over the surface.
        let (mut bent, mut all) = (0.0, 1.0);
        for &j in self.neighbors.of(i) {
            let other = normals[j as usize];
            if other == Vec3::ZERO {
                continue;
            }
            let d = vec3(self.rows[j as usize]) - x;
            let weight = (1.0 - d.length() / limits.reach).max(0.0);
            all += weight;
            // Who lies ahead belongs to a hollow.
            if d.dot(normal) < 0.0 {
                bent += weight * (1.0 - normal.dot(other));
            }
        }
        if bent <= WAVE * all || is_walled(self.walls, x, normal, limits.reach) { 0.0 } else { bent / all }
    }
}

/// 0 up to `low`, 1 from `high` on, a straight line between.
fn ramp(value: f32, low: f32, high: f32) -> f32 {
    ((value - low) / (high - low)).clamp(0.0, 1.0)
}

pub(crate) fn vec3(row: RowData) -> Vec3 {
    Vec3::new(row[0], row[1], row[2])
}
