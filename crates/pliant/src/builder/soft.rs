//! Soft bodies: tetrahedra to particles, edges and volumes, or continuum elements.

use crate::builder::body::{CARRIERS, bind};
use crate::builder::part::{Outline, Part, SkinnedSurface, soften};
use crate::builder::{BuildError, MeshSource, generate};
use crate::constraints::{ConstraintKind, neo_hookean_tet};
use crate::mesh::repair::clean_tets;
use crate::mesh::topology::{boundary, tet_edges};
use crate::mesh::{TetMesh, TriMesh};
use crate::scene::{Fem, FemMaterial, Method, Soft, TetrahedraSpec};
use crate::shape_matching::Skin;
use crate::tetrahedralize::{Embedded, Resolution, Settings, Tetrahedra, tetrahedralize};
use glam::{Mat3, Vec3};
use std::sync::Arc;

/// One copy of a soft body, already transformed.
pub fn soft(
    spec: &Soft,
    method: Method,
    transform: impl Fn(Vec3) -> Vec3,
    meshes: &dyn MeshSource,
    notes: &mut Vec<String>,
) -> Result<Part, BuildError> {
    let (mut mesh, skinned_surface) = if spec.has_surface() {
        let (mesh, surface) = filled_surface(spec, meshes, notes)?;
        (mesh, Some(surface))
    } else {
        (shape(spec, meshes, notes)?, None)
    };
    mesh.positions.iter_mut().for_each(|p| *p = transform(*p));
    let TetMesh { positions, tets } = mesh;
    let volumes: Vec<f32> = tets.iter().map(|t| volume(&positions, t)).collect();
    let masses = masses(spec, positions.len(), &tets, &volumes);
    let mut part = Part::new(positions, masses, Outline::Body);
    part.volumes = corner_volumes(part.positions.len(), &tets, &volumes);
    part.radius = spec.radius;
    part.velocity = Vec3::from(spec.velocity);
    match spec.fem {
        Some(fem) => tets.iter().zip(&volumes).for_each(|(t, &v)| add_fem(&mut part, t, v, fem, method)),
        None => {
            add_edges(&mut part, spec, &tets, &volumes);
            for (t, &v) in tets.iter().zip(&volumes) {
                // ½·(K/V)·C² is the energy of a bulk modulus K, so 1/α = K/V.
                let softness = soften(spec.volume, |bulk| bulk / v);
                part.add(ConstraintKind::Volume, t, &[v, softness.encoded()]);
            }
        }
    }
    part.squash(Vec3::from(spec.squash));
    part.triangles = boundary(part.positions.len(), &tets);
    part.tets = tets;
    part.skinned_surface = skinned_surface;
    Ok(part)
}

/// Tetrahedra that fill a surface, and the surface embedded in them.
fn filled_surface(
    spec: &Soft,
    meshes: &dyn MeshSource,
    notes: &mut Vec<String>,
) -> Result<(TetMesh, SkinnedSurface), BuildError> {
    let (mesh, name) = match (&spec.inline, &spec.mesh) {
        (Some(inline), _) => {
            let positions = inline.points.iter().map(|&p| Vec3::from(p)).collect();
            (TriMesh { positions, triangles: inline.triangles.clone() }, "inline surface")
        }
        (_, Some(file)) => (meshes.triangles(file).map_err(BuildError::Mesh)?, file.as_str()),
        _ => return Err(BuildError::nothing(&spec.name)),
    };
    let wanted = spec.tetrahedra.unwrap_or_default();
    let resolution = match wanted.size {
        // Cells have their size in the scene, not in the file.
        Some(size) => Resolution::Size(size / spec.transform.scale),
        None => Resolution::Count(wanted.count.unwrap_or(TetrahedraSpec::COUNT) as usize),
    };
    let settings = Settings { resolution, grading: wanted.grading };
    let found = tetrahedralize(mesh, &settings).map_err(|e| BuildError::Mesh(format!("{name}: {e}")))?;
    notes.extend(found.notes.iter().map(|note| format!("{name}: {note}")));
    notes.push(format!(
        "{name}: {} tetrahedra with {} vertices, cells from {:.3e} m, dihedral angles {:.1} to {:.1} degrees",
        found.mesh.tets.len(),
        found.mesh.positions.len(),
        found.size * spec.transform.scale,
        found.angles[0],
        found.angles[1]
    ));
    let skin = Arc::new(skin(&found)?);
    Ok((found.mesh, SkinnedSurface { skin, triangles: found.skin.triangles }))
}

/// Vertices beside or in a tetrahedron are bound to it, those of features that have none to many particles: far from a
/// single tetrahedron they would magnify its deformation.
fn skin(found: &Tetrahedra) -> Result<Skin, BuildError> {
    let mesh = &found.mesh;
    let is_far = |e: &Embedded| e.distance > FAR * found.size;
    let beside = found.embedded.iter().map(|e| (mesh.tets[e.tet as usize], e.weights));
    if !found.embedded.iter().any(is_far) {
        return Ok(Skin::from_weights(beside));
    }
    let all = found.skin.positions.iter().zip(&found.embedded);
    let far: Vec<[f32; 3]> = all.filter(|(_, e)| is_far(e)).map(|(p, _)| p.to_array()).collect();
    let places: Vec<[f32; 3]> = mesh.positions.iter().map(|p| p.to_array()).collect();
    let bound = bind(&far, &places)?;
    let mut next = 0;
    Ok(Skin::from_weights(found.embedded.iter().zip(beside).map(|(e, (tet, weights))| {
        let (particles, weights) = if is_far(e) {
            next += 1;
            bound.vertex(next - 1)
        } else {
            (&tet[..], &weights[..])
        };
        // The rest counts the first particle, with no weight.
        let mut all = ([particles[0]; CARRIERS], [0.0; CARRIERS]);
        all.0[..particles.len()].copy_from_slice(particles);
        all.1[..weights.len()].copy_from_slice(weights);
        all
    })))
}

/// Distance from all tetrahedra from which on a vertex of a surface belongs to a feature without any [cells].
const FAR: f32 = 0.5;

fn shape(spec: &Soft, meshes: &dyn MeshSource, notes: &mut Vec<String>) -> Result<TetMesh, BuildError> {
    if let Some(block) = &spec.block {
        return Ok(generate::block(block));
    }
    if let Some(torus) = &spec.torus {
        return Ok(generate::torus(torus));
    }
    if let Some(ball) = &spec.ball {
        return Ok(generate::ball(ball));
    }
    if let Some(urchin) = &spec.urchin {
        return Ok(generate::urchin(urchin));
    }
    if let Some(figure) = &spec.figure {
        return Ok(generate::figure(figure));
    }
    let Some(file) = &spec.mesh else { return Err(BuildError::nothing(&spec.name)) };
    let mesh = meshes.tets(file).map_err(BuildError::Mesh)?;
    let (mesh, repairs) = clean_tets(mesh).map_err(|e| BuildError::Mesh(format!("{file}: {e}")))?;
    notes.extend(repairs.into_iter().map(|r| format!("{file}: {r}")));
    Ok(mesh)
}

fn volume(positions: &[Vec3], t: &[u32; 4]) -> f32 {
    let [a, b, c, d] = t.map(|i| positions[i as usize]);
    (b - a).cross(c - a).dot(d - a) / 6.0
}

fn masses(spec: &Soft, particles: usize, tets: &[[u32; 4]], volumes: &[f32]) -> Vec<f32> {
    if let Some(m) = spec.particle_mass {
        return vec![m; particles];
    }
    let mut masses = vec![0.0; particles];
    for (t, v) in tets.iter().zip(volumes) {
        for &i in t {
            masses[i as usize] += spec.density * v / 4.0;
        }
    }
    masses
}

/// Assigns a quarter of each tetrahedron's volume to each corner [m³].
fn corner_volumes(particles: usize, tets: &[[u32; 4]], volumes: &[f32]) -> Vec<f32> {
    let mut shares = vec![0.0; particles];
    for (t, v) in tets.iter().zip(volumes) {
        t.iter().for_each(|&i| shares[i as usize] += v / 4.0);
    }
    shares
}

/// Stretch along every edge. A modulus E [Pa] becomes k = E·V/l² with V the volume of the tetrahedra on
/// the edge: an isotropic mesh of such springs has the energy of a solid with that modulus (and ν = 1/4).
fn add_edges(part: &mut Part, spec: &Soft, tets: &[[u32; 4]], volumes: &[f32]) {
    let edges = tet_edges(part.positions.len(), tets);
    let mut beside = Vec::new();
    if matches!(spec.stretch, crate::scene::Elasticity::Modulus(_)) {
        beside = vec![0.0_f32; edges.len()];
        for (t, v) in tets.iter().zip(volumes) {
            for (i, j) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
                if let Ok(e) = edges.binary_search(&[t[i].min(t[j]), t[i].max(t[j])]) {
                    beside[e] += v;
                }
            }
        }
    }
    for (e, edge) in edges.iter().enumerate() {
        let rest = part.rest[edge[0] as usize].distance(part.rest[edge[1] as usize]);
        let softness = soften(spec.stretch, |young| young * beside[e] / (rest * rest));
        part.add(ConstraintKind::Stretch, edge, &[rest, softness.encoded()]);
    }
}

fn add_fem(part: &mut Part, t: &[u32; 4], volume: f32, fem: Fem, method: Method) {
    let [a, b, c, d] = t.map(|i| part.rest[i as usize]);
    // Columns of the rest matrix are edges, so row k of the inverse belongs to corner k + 1.
    let inverse = Mat3::from_cols(b - a, c - a, d - a).inverse();
    let (e, nu) = (fem.young, fem.poisson);
    let mut params = [0.0; 12];
    for k in 0..3 {
        let row = inverse.row(k);
        params[3 * k..3 * k + 3].copy_from_slice(&row.to_array());
    }
    let default = if method == Method::Vbd { FemMaterial::NeoHookean } else { FemMaterial::StVenantKirchhoff };
    match fem.material.unwrap_or(default) {
        FemMaterial::StVenantKirchhoff => {
            params[9] = 1.0 / (e * volume);
            params[10] = -nu / (e * volume);
            params[11] = 2.0 * (1.0 + nu) / (e * volume);
            part.add(ConstraintKind::FemTet, t, &params);
        }
        FemMaterial::NeoHookean => {
            let (shear, lambda) = (e / (2.0 * (1.0 + nu)), e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)));
            params[9..].copy_from_slice(&neo_hookean_tet::parameters(shear, lambda, volume));
            part.add(ConstraintKind::NeoHookeanTet, t, &params);
        }
    }
}
