//! Shape-matched bodies of particles.

use crate::builder::part::{Matching, Outline, Part, SkinnedSurface};
use crate::builder::{BuildError, MeshSource, generate};
use crate::error::SceneError;
use crate::math::RowData;
use crate::mesh::TriMesh;
use crate::mesh::repair::{SurfaceNeed, clean_surface};
use crate::mesh::topology::boundary;
use crate::neighbors::{Bounds, Cells, Cloud, Construction, Grid};
use crate::runtime::cpu::Threads;
use crate::scene::{BlockSpec, Body, IcosphereSpec, RegionSpec, Show, Tessellation};
use crate::shape_matching::{Plastic, Skin, Stiffness, regions};
use crate::voxel::{self, Filling};
use glam::Vec3;
use std::sync::Arc;

/// Particles that carry a surface vertex: those that touch a point of a flat voxel face, and a few more.
pub(crate) const CARRIERS: usize = 12;

/// One copy of a body of particles: its voxels, transformed.
pub fn body(
    at: &str,
    spec: &Body,
    transform: impl Fn(Vec3) -> Vec3,
    meshes: &dyn MeshSource,
    notes: &mut Vec<String>,
) -> Result<Part, BuildError> {
    let surface = match (spec.cuboid, spec.ball, &spec.mesh) {
        (Some(size), ..) => cuboid(size, [1; 3]),
        (_, Some(radius), _) => generate::icosphere(&IcosphereSpec { radius, subdivisions: 5 }),
        (.., Some(path)) => meshes.triangles(path).map_err(|e| SceneError::new(format!("{at}.mesh"), e))?,
        _ => return Err(BuildError::nothing(at)),
    };
    let wrong = |e: voxel::VoxelError| SceneError::new(at, e.to_string());
    let (surface, found) = clean_surface(surface, SurfaceNeed::Closed).map_err(|e| wrong(e.into()))?;
    notes.extend(found.into_iter().map(|note| format!("{at}: {note}")));
    let filling = Filling { merge: (spec.merge > 0.0).then_some(spec.merge), ..Filling::new(spec.particles_across()) };
    let (particles, _) = voxel::fill(surface.clone(), &filling).map_err(wrong)?;
    if particles.is_empty() {
        return Err(SceneError::new(format!("{at}.grid"), "is too coarse: no particle lies inside").into());
    }
    let scale = spec.transform.scale;
    let volumes: Vec<f32> = particles.volumes.iter().map(|volume| volume * scale.powi(3)).collect();
    let masses = volumes.iter().map(|volume| volume * spec.density).collect();
    let placed = particles.positions.iter().map(|&p| transform(p)).collect();
    let mut part = Part::new(placed, masses, Outline::Body);
    part.volumes = volumes;
    part.radius = particles.radii[0] * scale;
    if spec.merge > 0.0 {
        part.radii = particles.radii.iter().map(|r| r * scale).collect();
    }
    let zero = transform(Vec3::ZERO);
    let field = |((&phi, &gradient), thin): ((&f32, &Vec3), bool)| {
        let way = transform(gradient) - zero;
        // Contacts with a thin feature push straight away from the particle.
        let out = if thin { Vec3::ZERO } else { way.normalize_or_zero() };
        [out.x, out.y, out.z, -phi * way.length()]
    };
    part.fields = particles.phi.iter().zip(&particles.gradients).zip(voxel::thin(&particles)).map(field).collect();
    part.velocity = Vec3::from(spec.velocity);
    // In the frame of the body: the regions do not depend on its rotation.
    let places: Vec<[f32; 3]> = particles.positions.iter().map(|p| (*p * scale).to_array()).collect();
    let stiffness = if spec.recovery > 0.0 { Stiffness::Time(spec.recovery) } else { Stiffness::Fraction(1.0) };
    let plastic = spec.plastic.map(|p| Plastic { threshold: p.threshold, creep: p.creep, most: p.most });
    let regions = spec.regions.map_or(Ok(Vec::new()), |r| cut(at, &places, r))?;
    part.matching = Some(Matching { stiffness, plastic, regions });
    let default = if spec.mesh.is_some() { Show::Mesh } else { Show::Particles };
    if spec.show.unwrap_or(default) == Show::Mesh {
        let surface = match (spec.cuboid, spec.ball) {
            // Enough vertices to bend with the particles.
            (Some(size), _) => {
                let edge = size.iter().copied().fold(0.0, f32::max) / spec.particles_across() as f32;
                cuboid(size, size.map(|s| (s / edge).round().max(1.0) as u32))
            }
            (_, Some(radius)) => generate::icosphere(&IcosphereSpec { radius, subdivisions: 4 }),
            _ => surface,
        };
        let vertices: Vec<[f32; 3]> = surface.positions.iter().map(|p| (*p * scale).to_array()).collect();
        let skin = Arc::new(bind(&vertices, &places)?);
        part.skinned_surface = Some(SkinnedSurface { skin, triangles: surface.triangles });
    }
    Ok(part)
}

/// Surface of a box around the origin.
fn cuboid(size: [f32; 3], cells: [u32; 3]) -> TriMesh {
    let mesh = generate::block(&BlockSpec { cells, size, tets: Tessellation::Six });
    let triangles = boundary(mesh.positions.len(), &mesh.tets);
    let low = mesh.positions.iter().copied().fold(Vec3::INFINITY, Vec3::min);
    let middle = low + Vec3::from(size) * 0.5;
    // The block has interior vertices, too.
    let mut number = vec![u32::MAX; mesh.positions.len()];
    let mut positions = Vec::new();
    let triangles = triangles.iter().map(|t| {
        t.map(|v| {
            let new = &mut number[v as usize];
            if *new == u32::MAX {
                *new = positions.len() as u32;
                positions.push(mesh.positions[v as usize] - middle);
            }
            *new
        })
    });
    let triangles = triangles.collect();
    TriMesh { triangles, positions }
}

/// Overlapping regions of a connected body (S19).
fn cut(at: &str, places: &[[f32; 3]], spec: RegionSpec) -> Result<Vec<Vec<u32>>, BuildError> {
    let all = regions(places, spec.size, spec.overlap.unwrap_or(0.5 * spec.size));
    // Connectivity of regions through shared particles: union–find.
    let mut joined: Vec<usize> = (0..all.len()).collect();
    fn root(joined: &mut [usize], mut r: usize) -> usize {
        while joined[r] != r {
            joined[r] = joined[joined[r]];
            r = joined[r];
        }
        r
    }
    let mut owner = vec![usize::MAX; places.len()];
    for (r, members) in all.iter().enumerate() {
        for &m in members {
            match owner[m as usize] {
                usize::MAX => owner[m as usize] = r,
                other => {
                    let (a, b) = (root(&mut joined, r), root(&mut joined, other));
                    joined[a.max(b)] = a.min(b);
                }
            }
        }
    }
    let pieces = (0..all.len()).filter(|&r| root(&mut joined, r) == r).count();
    if pieces > 1 {
        let what = format!("splits the body into {pieces} pieces whose regions share no particle");
        return Err(SceneError::new(format!("{at}.regions"), what).help("increase their overlap or their size").into());
    }
    Ok(all)
}

/// Binds the vertices of a surface to particles near them (S20, S30).
pub(crate) fn bind(vertices: &[[f32; 3]], places: &[[f32; 3]]) -> Result<Skin, BuildError> {
    let threads = Threads::new(1).map_err(|e| BuildError::Threads(e.to_string()))?;
    let rows: Vec<RowData> = places.iter().map(|&[x, y, z]| [x, y, z, 0.0]).collect();
    let radii = vec![0.0; rows.len()];
    let bounds = Bounds::of(&rows);
    let cells = Cells::new(&bounds, [bounds.spacing(rows.len()); 3], 4 * rows.len());
    let mut grid = Grid::default();
    grid.build_with(&threads, Cloud { rows: &rows, radii: &radii, phases: &[] }, cells, Construction::Counting);
    let mut near = Vec::new();
    Ok(Skin::bind_with(vertices, places, CARRIERS, |&[x, y, z], count, found| {
        grid.nearest([x, y, z, 0.0], count, &mut near);
        found.extend(near.iter().map(|n| n.index));
    }))
}
