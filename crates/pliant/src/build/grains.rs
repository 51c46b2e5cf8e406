//! Grains and bodies of particles.

use super::part::{Matching, Outline, Part};
use super::voxel::{self, Filling};
use super::{BuildError, MeshSource, generate};
use crate::error::SceneError;
use crate::kernels::shape::{Plastic, Stiffness};
use crate::mesh::TriMesh;
use crate::mesh::topology::boundary;
use crate::scene::{BlockSpec, Body, Grains, IcosphereSpec, Tessellation};
use glam::Vec3;
use std::f32::consts::PI;

/// Share of the radius that grains are off their places where they touch each other: enough that no stack of them stands
/// on its points for ever.
const LEAST_JITTER: f32 = 0.01;

/// One copy of loose grains, already transformed.
pub fn grains(at: &str, spec: &Grains, transform: impl Fn(Vec3) -> Vec3) -> Result<Part, BuildError> {
    let Some(fill) = spec.fill else { return Err(BuildError::nothing(at)) };
    let (min, max) = (Vec3::from(fill.min), Vec3::from(fill.max));
    let spacing = spec.distance.unwrap_or(2.0 * spec.radius);
    let counts = ((max - min) / spacing).to_array().map(|n| (n + 1e-3).floor().max(0.0) as usize);
    if counts.contains(&0) {
        let what = format!("has no room for a grain of {} m", 2.0 * spec.radius);
        return Err(SceneError::new(format!("{at}.fill"), what).into());
    }
    let off = 0.5 * spec.jitter * (spacing - 2.0 * spec.radius).max(LEAST_JITTER * spec.radius);
    let mut positions = Vec::with_capacity(counts.iter().product());
    for j in 0..counts[1] {
        for k in 0..counts[2] {
            for i in 0..counts[0] {
                let cell = Vec3::new(i as f32, j as f32, k as f32) + 0.5;
                let number = positions.len() as u32;
                positions.push(transform(min + cell * spacing + scatter(number) * off));
            }
        }
    }
    let mass = spec.density * 4.0 / 3.0 * PI * spec.radius.powi(3);
    let n = positions.len();
    let mut part = Part::new(positions, vec![mass; n], Outline::Body);
    part.radius = spec.radius;
    part.velocity = Vec3::from(spec.velocity);
    part.loose = true;
    Ok(part)
}

/// A vector of numbers between −1 and 1 that looks random, the same for every run.
fn scatter(number: u32) -> Vec3 {
    let one = |k: u32| {
        let mut h = (3 * number + k).wrapping_mul(0x9e37_79b9) ^ 0x85eb_ca6b;
        h = (h ^ (h >> 16)).wrapping_mul(0x7feb_352d);
        h = (h ^ (h >> 15)).wrapping_mul(0x846c_a68b);
        h ^= h >> 16;
        (h >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    Vec3::new(one(0), one(1), one(2))
}

/// One copy of a body of particles: its voxels, placed.
pub fn body(
    at: &str,
    spec: &Body,
    transform: impl Fn(Vec3) -> Vec3,
    meshes: &dyn MeshSource,
    notes: &mut Vec<String>,
) -> Result<Part, BuildError> {
    let surface = match (spec.cuboid, spec.ball, &spec.mesh) {
        (Some(size), ..) => {
            let mesh = generate::block(&BlockSpec { cells: [1; 3], size, tets: Tessellation::Six });
            let triangles = boundary(mesh.positions.len(), &mesh.tets);
            // Around the origin, as balls are.
            let low = mesh.positions.iter().copied().fold(Vec3::INFINITY, Vec3::min);
            let middle = low + Vec3::from(size) * 0.5;
            TriMesh { triangles, positions: mesh.positions.into_iter().map(|p| p - middle).collect() }
        }
        (_, Some(radius), _) => generate::icosphere(&IcosphereSpec { radius, subdivisions: 5 }),
        (.., Some(path)) => meshes.triangles(path).map_err(|e| SceneError::new(format!("{at}.mesh"), e))?,
        _ => return Err(BuildError::nothing(at)),
    };
    let filling = Filling { merge: None, ..Filling::new(spec.grid) };
    let wrong = |e: voxel::VoxelError| SceneError::new(at, e.to_string());
    let (particles, found) = voxel::fill(surface, &filling).map_err(wrong)?;
    notes.extend(found.into_iter().map(|note| format!("{at}: {note}")));
    if particles.is_empty() {
        return Err(SceneError::new(format!("{at}.grid"), "is too coarse: no particle lies inside").into());
    }
    let masses = particles.volumes.iter().map(|volume| volume * spec.density).collect();
    let radius = particles.radii[0];
    let zero = transform(Vec3::ZERO);
    let field = |(&phi, &gradient): (&f32, &Vec3)| {
        let way = transform(gradient) - zero;
        let out = way.normalize_or_zero();
        [out.x, out.y, out.z, -phi * way.length()]
    };
    let fields = particles.phi.iter().zip(&particles.gradients).map(field).collect();
    let mut part = Part::new(particles.positions.into_iter().map(transform).collect(), masses, Outline::Body);
    part.radius = radius;
    part.fields = fields;
    part.velocity = Vec3::from(spec.velocity);
    let stiffness = if spec.recovery > 0.0 { Stiffness::Time(spec.recovery) } else { Stiffness::Fraction(1.0) };
    let plastic = spec.plastic.map(|p| Plastic { threshold: p.threshold, creep: p.creep, most: p.most });
    part.matching = Some(Matching { stiffness, plastic });
    Ok(part)
}
