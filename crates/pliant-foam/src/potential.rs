//! Generation potentials of diffuse particles for each liquid particle, clamped to [0, 1].
//!
//! Three potentials (Ihmsen and others 2012, §3.1, with the changes below):
//!
//! - *Trapped air*: approaching neighbors trap air between them. Only the component of the relative velocity along the line
//!   between two particles counts, where the paper adds tangential components: rigid rotation gives 0.
//! - *Wave crest*: the surface is convex, moves along its normal, and stretches. Normals are compared with those of surface
//!   neighbors only, so that the value is a curvature for any number of neighbors; neighbors must separate: a drop in
//!   rigid motion gives 0.
//! - *Kinetic energy*: scales both; slow particles generate nothing.

use crate::collision::is_covered;
use glam::Vec3;
use pliant::Threads;
use pliant::contact::collider_contact::MovingCollider;
use pliant::math::RowData;
use pliant::neighbors::Neighbors;
use std::f32::consts::PI;

/// Minimum length of the normal sum of a surface particle, relative to that at a flat surface (a quarter of the full weight).
const SURFACE_NORMAL_SHARE: f32 = 0.5;

/// Minimum cosine between velocity and normal at a wave crest, as in the paper.
const MIN_FORWARD_COSINE: f32 = 0.6;

/// Mean of 1 − cos over the surface within the support radius, for a wave whose radius of curvature is the support radius:
/// ½·⟨x²⟩/reach², with ⟨x²⟩ = 0.15 reach² for weights 1 − q on a disk.
const WAVE_CURVATURE: f32 = 0.075;

/// Clamping limits of the potentials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PotentialLimits {
    /// Radius of a particle [m].
    pub radius: f32,
    /// Support radius of the neighborhood [m].
    pub reach: f32,
    /// Speed at and below which potentials are 0 [m/s].
    pub min_speed: f32,
    /// Speed at and above which potentials are 1 [m/s].
    pub max_speed: f32,
}

impl PotentialLimits {
    /// Σ (1 − |x|/reach) over the neighbors of a particle inside a lattice.
    pub fn full_weight(&self) -> f32 {
        let (spacing, far) = (2.0 * self.radius, (0.5 * self.reach / self.radius) as i32 + 1);
        let range = || -far..=far;
        let squares = range().flat_map(|x| range().flat_map(move |y| range().map(move |z| x * x + y * y + z * z)));
        squares.filter(|s| *s > 0).map(|s| (1.0 - (s as f32).sqrt() * spacing / self.reach).max(0.0)).sum()
    }

    /// Mean number of particles within the support radius of a point inside the liquid.
    pub fn full_count(&self) -> f32 {
        let q = 0.5 * self.reach / self.radius;
        4.0 / 3.0 * PI * q * q * q
    }

    /// Generation factor: kinetic energy × (trapped air + wave crest), 0 to 2.
    fn generation(&self, p: &Potential) -> f32 {
        let energy = clamp_linear(p.speed * p.speed, self.min_speed * self.min_speed, self.max_speed * self.max_speed);
        let crest = clamp_linear(p.wave_crest, WAVE_CURVATURE, 4.0 * WAVE_CURVATURE)
            * clamp_linear(p.separation_speed, 0.0, self.min_speed);
        energy * (clamp_linear(p.approach_speed, self.min_speed, self.max_speed) + crest)
    }
}

/// Potentials of one liquid particle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Potential {
    /// Speed [m/s].
    pub speed: f32,
    /// Mean approach speed of the neighbors [m/s], scaled so that two bodies of liquid in a head-on collision give their
    /// relative speed.
    pub approach_speed: f32,
    /// The same of neighbors that separate [m/s].
    pub separation_speed: f32,
    /// Mean of 1 − cos between its normal and those of surface neighbors at a wave crest; 0 elsewhere. It is 0.075 where the
    /// radius of curvature is the support radius, four times that at half the radius.
    pub wave_crest: f32,
    /// Number of neighbors.
    pub neighbors: u32,
    /// Generation factor, 0 to 2.
    pub generation: f32,
}

/// Potentials of all particles of a liquid from their neighbors within `limits.reach`; lists hold both directions of a pair.
pub fn potentials(
    threads: &Threads,
    rows: &[RowData],
    velocities: &[RowData],
    neighbors: &Neighbors,
    colliders: &[MovingCollider],
    limits: &PotentialLimits,
) -> Vec<Potential> {
    let mut found = vec![(Potential::default(), Vec3::ZERO); rows.len()];
    let neighborhood = Neighborhood { rows, velocities, neighbors, colliders, limits, full: limits.full_weight() };
    threads.enter(|| threads.chunks(&mut found, 1, |first, out| neighborhood.first_pass(first, out)));
    let normals: Vec<Vec3> = found.iter().map(|(_, normal)| *normal).collect();
    let mut found: Vec<Potential> = found.into_iter().map(|(p, _)| p).collect();
    threads.enter(|| {
        threads.chunks(&mut found, 1, |first, out| {
            for (k, p) in out.iter_mut().enumerate() {
                p.wave_crest = neighborhood.wave_crest(first + k, p.speed, &normals);
                p.generation = limits.generation(p);
            }
        });
    });
    found
}

struct Neighborhood<'a> {
    rows: &'a [RowData],
    velocities: &'a [RowData],
    neighbors: &'a Neighbors,
    colliders: &'a [MovingCollider],
    limits: &'a PotentialLimits,
    full: f32,
}

impl Neighborhood<'_> {
    /// Speeds and normals of particles from `first` on. Normals are zero inside the liquid and for isolated particles.
    fn first_pass(&self, first: usize, out: &mut [(Potential, Vec3)]) {
        let inverse = 1.0 / self.limits.reach;
        for (k, (potential, normal)) in out.iter_mut().enumerate() {
            let i = first + k;
            let (x, v) = (vec3(self.rows[i]), vec3(self.velocities[i]));
            let (mut approach, mut separation, mut outward) = (0.0, 0.0, Vec3::ZERO);
            let near = self.neighbors.of(i);
            for &j in near {
                let d = x - vec3(self.rows[j as usize]);
                let length = d.length();
                // Coincident particles have no direction.
                let per_length = if length > 0.0 { 1.0 / length } else { 0.0 };
                let weight = (1.0 - length * inverse).max(0.0);
                let separating = (v - vec3(self.velocities[j as usize])).dot(d) * per_length;
                approach += weight * (-separating).max(0.0);
                separation += weight * separating.max(0.0);
                outward += d * (weight * per_length);
            }
            // In a head-on collision half of the neighbors approach, at half of the speed on average over directions.
            let scale = 4.0 / self.full;
            let (speed, neighbors) = (v.length(), near.len() as u32);
            let (approach_speed, separation_speed) = (approach * scale, separation * scale);
            *potential = Potential { speed, approach_speed, separation_speed, neighbors, ..Potential::default() };
            let length = outward.length();
            *normal = if length > SURFACE_NORMAL_SHARE * 0.25 * self.full { outward / length } else { Vec3::ZERO };
        }
    }

    /// See [`Potential::wave_crest`].
    fn wave_crest(&self, i: usize, speed: f32, normals: &[Vec3]) -> f32 {
        let (limits, normal) = (self.limits, normals[i]);
        if normal == Vec3::ZERO
            || speed <= limits.min_speed
            || vec3(self.velocities[i]).dot(normal) < MIN_FORWARD_COSINE * speed
        {
            return 0.0;
        }
        let x = vec3(self.rows[i]);
        // The particle itself has weight 1, as in a mean over the surface.
        let (mut curvature, mut total) = (0.0, 1.0);
        for &j in self.neighbors.of(i) {
            let other = normals[j as usize];
            if other == Vec3::ZERO {
                continue;
            }
            let d = vec3(self.rows[j as usize]) - x;
            let weight = (1.0 - d.length() / limits.reach).max(0.0);
            total += weight;
            // Neighbors ahead of the normal plane mean a concave surface.
            if d.dot(normal) < 0.0 {
                curvature += weight * (1.0 - normal.dot(other));
            }
        }
        if curvature <= WAVE_CURVATURE * total || is_covered(self.colliders, x, normal, limits.reach) {
            0.0
        } else {
            curvature / total
        }
    }
}

/// Clamping function Φ of the paper: 0 up to `low`, 1 from `high` on, linear between.
fn clamp_linear(value: f32, low: f32, high: f32) -> f32 {
    ((value - low) / (high - low)).clamp(0.0, 1.0)
}

pub(crate) fn vec3(row: RowData) -> Vec3 {
    Vec3::new(row[0], row[1], row[2])
}
