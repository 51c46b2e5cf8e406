//! Loose grains: filled boxes and surfaces, and emitters.

use crate::builder::layout::PourChange;
use crate::builder::part::{EmitterShape, Outline, Part};
use crate::builder::placement::transformer;
use crate::builder::{BuildError, MeshSource};
use crate::error::SceneError;
use crate::mesh::TriMesh;
use crate::mesh::repair::{SurfaceNeed, clean_surface};
use crate::scene::{FillSpec, Grains, PourSpec, Transform, emitter_sites};
use crate::voxel::{self, Field, Grid, VoxelError, Voxels};
use glam::{DVec3, Vec3};
use std::f32::consts::PI;

/// Minimum jitter as a fraction of the radius for grains that touch: enough that no vertical stack stays in
/// unstable equilibrium.
const LEAST_JITTER: f32 = 0.01;

/// One copy of loose grains, transformed.
pub fn grains(at: &str, spec: &Grains, meshes: &dyn MeshSource, notes: &mut Vec<String>) -> Result<Part, BuildError> {
    particles(at, spec, spacing_of(spec) <= 2.0 * spec.radius, meshes, notes)
}

/// One copy of loose particles. `touching`: neighbors of the lattice must not overlap, as those of a liquid may.
pub fn particles(
    at: &str,
    spec: &Grains,
    touching: bool,
    meshes: &dyn MeshSource,
    notes: &mut Vec<String>,
) -> Result<Part, BuildError> {
    // Grains keep their size: the scale applies to the filled shape.
    let place = transformer(&Transform { scale: 1.0, ..spec.transform });
    let mass = spec.density * 4.0 / 3.0 * PI * spec.radius.powi(3);
    let mut part = if let Some(p) = &spec.pour {
        emitted(spec, p, place(Vec3::from(p.from)), mass)
    } else {
        let places = match (&spec.fill, &spec.mesh) {
            (Some(fill), _) => box_lattice(at, spec, fill)?,
            (_, Some(path)) => {
                let mesh = meshes.triangles(path).map_err(|e| SceneError::new(format!("{at}.mesh"), e))?;
                surface_lattice(at, spec, mesh, notes)?
            }
            _ => return Err(BuildError::nothing(at)),
        };
        let off = max_jitter(spec);
        let shift = |i: usize, p: Vec3| match touching {
            true => row_shift((p - places[0]) / spacing_of(spec)),
            false => scatter(i as u32),
        };
        let shaken = places.iter().enumerate().map(|(i, &p)| place(p + shift(i, p) * off));
        let mut part = Part::new(shaken.collect(), vec![mass; places.len()], Outline::Body);
        part.velocity = Vec3::from(spec.velocity);
        part
    };
    part.radius = spec.radius;
    part.volumes = vec![4.0 / 3.0 * PI * spec.radius.powi(3); part.masses.len()];
    part.loose = true;
    Ok(part)
}

fn spacing_of(spec: &Grains) -> f32 {
    spec.distance.unwrap_or(2.0 * spec.radius)
}

/// Maximum displacement of grains from the lattice [m].
fn max_jitter(spec: &Grains) -> f32 {
    0.5 * spec.jitter * (spacing_of(spec) - 2.0 * spec.radius).max(LEAST_JITTER * spec.radius)
}

/// Lattice positions that fill a box.
fn box_lattice(at: &str, spec: &Grains, fill: &FillSpec) -> Result<Vec<Vec3>, BuildError> {
    let scale = spec.transform.scale;
    let (min, max) = (Vec3::from(fill.min) * scale, Vec3::from(fill.max) * scale);
    let spacing = spacing_of(spec);
    let counts = ((max - min) / spacing).to_array().map(|n| (n + 1e-3).floor().max(0.0) as usize);
    if counts.contains(&0) {
        let what = format!("is too small for a grain of diameter {} m", 2.0 * spec.radius);
        return Err(SceneError::new(format!("{at}.fill"), what).into());
    }
    let mut places = Vec::with_capacity(counts.iter().product());
    for j in 0..counts[1] {
        for k in 0..counts[2] {
            for i in 0..counts[0] {
                places.push(min + (Vec3::new(i as f32, j as f32, k as f32) + 0.5) * spacing);
            }
        }
    }
    Ok(places)
}

/// Grain-sized voxels whose centers are inside a closed surface (S27).
fn surface_lattice(
    at: &str,
    spec: &Grains,
    mut mesh: TriMesh,
    notes: &mut Vec<String>,
) -> Result<Vec<Vec3>, BuildError> {
    let at = format!("{at}.mesh");
    let wrong = |e: VoxelError| SceneError::new(&at, e.to_string());
    mesh.positions.iter_mut().for_each(|p| *p *= spec.transform.scale);
    let (mesh, found) = clean_surface(mesh, SurfaceNeed::Closed).map_err(|e| wrong(e.into()))?;
    notes.extend(found.into_iter().map(|note| format!("{at}: {note}")));
    let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let (low, high) = mesh.positions.iter().map(|p| p.as_dvec3()).fold(start, |(l, h), p| (l.min(p), h.max(p)));
    let edge = f64::from(spacing_of(spec));
    // Enough voxels to enclose the surface, centered on it.
    let counts = ((high - low) / edge).to_array().map(|n| (n - 1e-5).ceil().clamp(1.0, f64::from(u32::MAX)));
    let padding = f64::from(voxel::PADDING);
    let origin = (low + high) * 0.5 - (DVec3::from(counts) * 0.5 + padding) * edge;
    let grid = Grid::new(origin, edge, counts.map(|n| n as u32), voxel::PADDING).map_err(wrong)?;
    let voxels: Voxels = voxel::voxelize(&mesh, &grid).map_err(wrong)?;
    if voxels.count() == 0 {
        let what = format!("is too small for a grain of diameter {} m", 2.0 * spec.radius);
        return Err(SceneError::new(at, what).into());
    }
    Ok(voxel::merge(&grid, &voxels, &Field::inside(&voxels), None).map_err(wrong)?.positions)
}

/// Grains released one after the other, each at its site of a lattice across the velocity: a site is reused only
/// after its grain has moved by a diameter, as `Scene::validate` ensures. Inactive grains are stored in layers behind
/// the emitter.
fn emitted(spec: &Grains, emitter: &PourSpec, from: Vec3, mass: f32) -> Part {
    let (velocity, spacing, off) = (Vec3::from(emitter.velocity), spacing_of(spec), max_jitter(spec));
    let along = velocity.normalize();
    let (across, up) = along.any_orthonormal_pair();
    let mut sites = emitter_sites(emitter.radius - spec.radius, spacing);
    // Shuffled, so that the output is a stream and not a spiral.
    let mut order: Vec<(u32, [f32; 2])> = sites.iter().enumerate().map(|(i, &s)| (mix(i as u32), s)).collect();
    order.sort_by_key(|(key, _)| *key);
    sites.iter_mut().zip(order).for_each(|(site, (_, s))| *site = s);
    let count = emitter.count() as usize;
    let place = |k: usize| {
        let [x, y] = sites[k % sites.len()];
        let shake = scatter(k as u32) * off;
        from + across * (x + shake.x) + up * (y + shake.y)
    };
    let places: Vec<Vec3> = (0..count).map(place).collect();
    let queue = |(k, p): (usize, &Vec3)| *p - along * (spacing * (k / sites.len()) as f32);
    let waiting = places.iter().enumerate().map(queue).collect();
    let mut part = Part::new(waiting, vec![mass; count], Outline::Body);
    part.velocity = velocity;
    part.emitter =
        Some(EmitterShape { first: 0, places, per_second: f64::from(emitter.per_second), across: sites.len() });
    part
}

/// Particles of an emitter behind those that an object has from before, which are all alike; without the emitter where
/// it has stopped.
pub fn continued(mut part: Part, change: PourChange) -> Part {
    let Part { positions, masses, volumes, .. } = &mut part;
    if change.stopped {
        positions.truncate(1);
        masses.truncate(1);
        volumes.truncate(1);
        part.emitter = None;
        let more = change.kept.max(1) - 1;
        return with_more(part, more);
    }
    if let Some(emitter) = &mut part.emitter {
        emitter.first = change.kept;
    }
    with_more(part, change.kept)
}

/// A part with so many particles like its first before it.
fn with_more(mut part: Part, more: usize) -> Part {
    let Part { positions, masses, volumes, .. } = &mut part;
    positions.splice(0..0, std::iter::repeat_n(positions[0], more).collect::<Vec<_>>());
    masses.splice(0..0, std::iter::repeat_n(masses[0], more).collect::<Vec<_>>());
    volumes.splice(0..0, std::iter::repeat_n(volumes[0], more).collect::<Vec<_>>());
    part.rest.clone_from(&part.positions);
    part
}

/// As [`scatter`] for a grain of a lattice whose neighbors touch, at a number of spacings from another: each row is shifted
/// along itself. Neighbors are moved across the line between them, so that none overlap.
fn row_shift(site: Vec3) -> Vec3 {
    let [i, j, k] = site.to_array().map(|n| n.round() as i32 as u32);
    let row = |a: u32, b: u32| scatter(mix(a).wrapping_add(b));
    Vec3::new(row(j, k).x, row(k, i).y, row(i, j).z)
}

/// A deterministic pseudorandom vector with components between −1 and 1.
pub fn scatter(number: u32) -> Vec3 {
    let one = |k: u32| (mix(number.wrapping_mul(3).wrapping_add(k)) >> 8) as f32 / (1 << 23) as f32 - 1.0;
    Vec3::new(one(0), one(1), one(2))
}

fn mix(number: u32) -> u32 {
    let mut h = number.wrapping_mul(0x9e37_79b9) ^ 0x85eb_ca6b;
    h = (h ^ (h >> 16)).wrapping_mul(0x7feb_352d);
    h = (h ^ (h >> 15)).wrapping_mul(0x846c_a68b);
    h ^ (h >> 16)
}
