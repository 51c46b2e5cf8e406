//! Cloth and inflatables: triangles to particles, edges, hinges and membranes.

use crate::aero::aerodynamics::Air;
use crate::builder::bending::{self, WeightedHinge, weighted_hinges};
use crate::builder::part::{Inflation, Outline, Part, soften};
use crate::builder::{BuildError, MeshSource, generate};
use crate::constraints::bend::Bend;
use crate::constraints::{Constraint, ConstraintKind, Row, neo_hookean_triangle};
use crate::error::SceneError;
use crate::math::V3;
use crate::mesh::TriMesh;
use crate::mesh::repair::{SurfaceNeed, clean_surface};
use crate::mesh::topology::{Hinge, hinges, triangle_edges};
use crate::scene::{BendModel, Cloth, Elasticity, Fem, FemMaterial, Inflatable, InlineMesh};
use glam::{DVec3, Vec3};

/// Settings common to cloth and inflatables.
struct Membrane {
    density: f32,
    particle_mass: Option<f32>,
    stretch: Option<Elasticity>,
    bend: Option<Elasticity>,
    bend_model: BendModel,
    fem: Option<(Fem, f32)>,
}

/// One copy of a cloth, already transformed.
pub fn cloth(
    spec: &Cloth,
    air_density: f32,
    transform: impl Fn(Vec3) -> Vec3,
    meshes: &dyn MeshSource,
    notes: &mut Vec<String>,
) -> Result<Part, BuildError> {
    let (mut mesh, outline) = match (&spec.grid, &spec.inline, &spec.mesh) {
        (Some(grid), ..) => (generate::grid(grid), Outline::Grid(grid.cells.map(|c| c as usize + 1))),
        (_, Some(inline), _) => (inline_mesh(inline)?, Outline::Body),
        (.., Some(file)) => (surface(file, SurfaceNeed::Open, meshes, notes)?, Outline::Body),
        _ => return Err(BuildError::nothing(&spec.name)),
    };
    mesh.positions.iter_mut().for_each(|p| *p = transform(*p));
    let membrane = Membrane {
        density: spec.density,
        particle_mass: spec.particle_mass,
        stretch: if spec.fem.is_some() { None } else { Some(spec.stretch) },
        bend: spec.bend,
        bend_model: spec.bend_model,
        fem: spec.fem.map(|f| (f, spec.thickness)),
    };
    let mut part = membrane.build(mesh, outline);
    if let Some(masses) = spec.inline.as_ref().and_then(|m| m.masses.as_ref()) {
        part.masses.clone_from(masses);
    }
    part.radius = spec.radius;
    part.velocity = Vec3::from(spec.velocity);
    part.tether = spec.tether;
    part.squash(Vec3::from(spec.squash));
    part.air = air(air_density, spec.drag, spec.lift);
    Ok(part)
}

/// One copy of an inflatable, already transformed.
pub fn inflatable(
    spec: &Inflatable,
    air_density: f32,
    transform: impl Fn(Vec3) -> Vec3,
    meshes: &dyn MeshSource,
    notes: &mut Vec<String>,
) -> Result<Part, BuildError> {
    let mut mesh = match (&spec.sphere, &spec.mesh) {
        (Some(sphere), _) => generate::icosphere(sphere),
        (None, Some(file)) => surface(file, SurfaceNeed::Closed, meshes, notes)?,
        (None, None) => return Err(BuildError::nothing(&spec.name)),
    };
    mesh.positions.iter_mut().for_each(|p| *p = transform(*p));
    let volume = enclosed(&mesh);
    let membrane = Membrane {
        density: spec.density,
        particle_mass: spec.particle_mass,
        stretch: Some(spec.stretch),
        bend: spec.bend,
        bend_model: spec.bend_model,
        fem: None,
    };
    let mut part = membrane.build(mesh, Outline::Body);
    part.radius = spec.radius;
    part.velocity = Vec3::from(spec.velocity);
    part.air = air(air_density, spec.drag, spec.lift);
    // ½·(K/V)·C² is the energy of a bulk modulus K, so 1/α = K/V.
    let softness = soften(spec.volume, |bulk| bulk / volume).encoded();
    part.inside = Some(Inflation { pressure: spec.pressure, volume, softness });
    Ok(part)
}

/// An inline mesh of the scene. An invalid mesh is rejected, not repaired: particle numbers must stay as written.
fn inline_mesh(inline: &InlineMesh) -> Result<TriMesh, BuildError> {
    let mesh = TriMesh {
        positions: inline.points.iter().map(|&p| Vec3::from(p)).collect(),
        triangles: inline.triangles.clone(),
    };
    let wrong = |what: String| Err(BuildError::Scene(SceneError::new("inline", what)));
    if let Some(k) = mesh.triangles.iter().position(|t| area(&mesh.positions, t) < 1e-12) {
        return wrong(format!("triangle {k} has no area"));
    }
    if let Some(k) = (0..mesh.positions.len() as u32).find(|k| !mesh.triangles.iter().flatten().any(|i| i == k)) {
        return wrong(format!("point {k} belongs to no triangle"));
    }
    Ok(mesh)
}

fn surface(
    file: &str,
    need: SurfaceNeed,
    meshes: &dyn MeshSource,
    notes: &mut Vec<String>,
) -> Result<TriMesh, BuildError> {
    let mesh = meshes.triangles(file).map_err(BuildError::Mesh)?;
    let (mesh, repairs) = clean_surface(mesh, need).map_err(|e| BuildError::Mesh(format!("{file}: {e}")))?;
    notes.extend(repairs.into_iter().map(|r| format!("{file}: {r}")));
    Ok(mesh)
}

fn air(density: f32, drag: f32, lift: f32) -> Option<Air<f32>> {
    (density > 0.0 && (drag > 0.0 || lift > 0.0)).then_some(Air { half_density: 0.5 * density, drag, lift })
}

fn enclosed(mesh: &TriMesh) -> f32 {
    let at = |i: u32| mesh.positions[i as usize].as_dvec3();
    let origin = at(0);
    let six: f64 =
        mesh.triangles.iter().map(|&[a, b, c]| (at(a) - origin).cross(at(b) - origin).dot(at(c) - origin)).sum();
    (six / 6.0) as f32
}

impl Membrane {
    fn build(&self, mesh: TriMesh, outline: Outline) -> Part {
        let TriMesh { positions, triangles } = mesh;
        let areas: Vec<f32> = triangles.iter().map(|t| area(&positions, t)).collect();
        let masses = self.masses(positions.len(), &triangles, &areas);
        let mut part = Part::new(positions, masses, outline);
        let hinges = hinges(part.positions.len(), &triangles);
        match self.stretch {
            Some(Elasticity::Modulus(modulus)) => {
                for (t, &area) in triangles.iter().zip(&areas) {
                    add_membrane(&mut part, t, area, modulus);
                }
            }
            Some(per_edge) => add_edges(&mut part, &triangles, per_edge),
            None => {}
        }
        if let Some((fem, thickness)) = self.fem {
            for (t, &area) in triangles.iter().zip(&areas) {
                add_fem(&mut part, t, area, fem, thickness);
            }
        }
        if let Some(bend) = self.bend {
            for hinge in self.weighted(&part.rest, &triangles, &hinges) {
                match self.bend_model {
                    BendModel::Dihedral => add_dihedral(&mut part, &hinge, bend),
                    BendModel::Isometric => add_isometric(&mut part, &hinge, bend),
                }
            }
        }
        part.triangles = triangles;
        part
    }

    /// Hinges fitted to a modulus; those of the mesh for a compliance or a stiffness, which are per hinge.
    fn weighted(&self, positions: &[Vec3], triangles: &[[u32; 3]], hinges: &[Hinge]) -> Vec<WeightedHinge> {
        match self.bend {
            Some(Elasticity::Modulus(_)) => weighted_hinges(positions, triangles, hinges),
            _ => hinges.iter().map(|h| WeightedHinge { rows: bending::rows(h), weight: 1.0 }).collect(),
        }
    }

    /// Assigns a third of each triangle to each corner.
    fn masses(&self, particles: usize, triangles: &[[u32; 3]], areas: &[f32]) -> Vec<f32> {
        if let Some(m) = self.particle_mass {
            return vec![m; particles];
        }
        let mut masses = vec![0.0; particles];
        for (t, area) in triangles.iter().zip(areas) {
            for &i in t {
                masses[i as usize] += self.density * area / 3.0;
            }
        }
        masses
    }
}

fn area(positions: &[Vec3], t: &[u32; 3]) -> f32 {
    let [a, b, c] = t.map(|i| positions[i as usize]);
    0.5 * (b - a).cross(c - a).length()
}

/// Stretch along every edge, for a compliance or a stiffness per edge.
fn add_edges(part: &mut Part, triangles: &[[u32; 3]], stretch: Elasticity) {
    for edge in &triangle_edges(part.positions.len(), triangles) {
        let rest = part.rest[edge[0] as usize].distance(part.rest[edge[1] as usize]);
        let softness = soften(stretch, |k| k);
        part.add(ConstraintKind::Stretch, edge, &[rest, softness.encoded()]);
    }
}

/// Poisson's ratio of a stretch modulus: woven cloth hardly narrows when it is pulled, so that a sheet held by a whole
/// edge stretches as freely as a strip.
const MEMBRANE_POISSON: f32 = 0.0;

/// Stretch by a modulus Y [N/m], Young's modulus × thickness. Springs along the edges cannot have it: on a grid with one
/// diagonal direction their Young's modulus is Y along the edges and Y/3 across the diagonals, their shear modulus Y/6.
fn add_membrane(part: &mut Part, t: &[u32; 3], area: f32, modulus: f32) {
    let [d00, d01, d10, d11] = inverse_edges(&part.rest, t, area);
    // Bounded like `soften`.
    let soft = (1.0 / (modulus * area)).min(1e30);
    let shear = 2.0 * (1.0 + MEMBRANE_POISSON) * soft;
    part.add(ConstraintKind::Membrane, t, &[d00, d01, d10, d11, soft, -MEMBRANE_POISSON * soft, shear]);
}

/// Inverse of the rest edges of a triangle in a frame within it, its first edge along the first axis; row major [1/m].
fn inverse_edges(rest: &[Vec3], t: &[u32; 3], area: f32) -> [f32; 4] {
    let [a, b, c] = t.map(|i| rest[i as usize]);
    let u = b - a;
    let axis = u / u.length();
    let v = c - a;
    let (ux, vx) = (u.length(), v.dot(axis));
    let vy = 2.0 * area / ux;
    [1.0 / ux, -vx / (ux * vy), 0.0, 1.0 / vy]
}

/// Energy ½·B·w·θ² with the flexural rigidity B [N·m].
fn add_dihedral(part: &mut Part, hinge: &WeightedHinge, bend: Elasticity) {
    let corners = hinge.rows.map(|i| row(part.rest[i as usize]));
    let [angle] = Bend::evaluate(&[0.0, 0.0], &corners);
    let softness = soften(bend, |b| b * hinge.weight as f32);
    part.add(ConstraintKind::Bend, &hinge.rows, &[angle, softness.encoded()]);
}

/// Cotangent weights of the hinge, see `constraints::isometric`. They measure |s| = e·θ on an edge of length e.
fn add_isometric(part: &mut Part, hinge: &WeightedHinge, bend: Elasticity) {
    let [w0, w1, x2, x3] = hinge.rows.map(|i| part.rest[i as usize]);
    let cot = |at: Vec3, a: Vec3, b: Vec3| (a - at).dot(b - at) / (a - at).cross(b - at).length().max(1e-30);
    // Angles at both ends of the edge, in each triangle.
    let (c02, c03) = (cot(x2, x3, w0), cot(x3, x2, w0));
    let (c12, c13) = (cot(x2, x3, w1), cot(x3, x2, w1));
    let k = [-(c02 + c03), -(c12 + c13), c03 + c13, c02 + c12];
    let edge = x2.distance(x3);
    let softness = soften(bend, |b| b * hinge.weight as f32 / (edge * edge));
    // Relative to the first wing and in double precision. A flat hinge has no rest curvature: what the rounding of its
    // coordinates leaves must not give it one.
    let s = (1..4).map(|i| ([w0, w1, x2, x3][i] - w0).as_dvec3() * f64::from(k[i])).sum::<DVec3>().length() as f32;
    let reach = [w0, w1, x2, x3].iter().fold(0.0_f32, |m, p| m.max(p.abs().max_element()));
    let rounding = f32::EPSILON * reach * k.iter().map(|k| k.abs()).sum::<f32>();
    let flat = if s < 1e-5 * edge + rounding { 0.0 } else { s };
    part.add(ConstraintKind::Isometric, &hinge.rows, &[k[0], k[1], k[2], k[3], flat, softness.encoded(), edge]);
}

fn row(p: Vec3) -> Row<f32> {
    Row { v: V3::new(p.x, p.y, p.z), w: 1.0 }
}

/// Plane stress: K = E/(1−ν²)·[[1, ν], [ν, 1]], shear μ = E/(2(1+ν)); compliance is its inverse over V.
fn add_fem(part: &mut Part, t: &[u32; 3], area: f32, fem: Fem, thickness: f32) {
    let [d00, d01, d10, d11] = inverse_edges(&part.rest, t, area);
    let volume = area * thickness;
    let (e, nu) = (fem.young, fem.poisson);
    let (kind, [x, y, z]) = match fem.material.unwrap_or(FemMaterial::StVenantKirchhoff) {
        FemMaterial::StVenantKirchhoff => {
            let shear = 2.0 * (1.0 + nu) / e;
            (ConstraintKind::FemTriangle, [1.0 / (e * volume), -nu / (e * volume), shear / volume])
        }
        FemMaterial::NeoHookean => {
            let (shear, lambda) = (e / (2.0 * (1.0 + nu)), e * nu / (1.0 - nu * nu));
            (ConstraintKind::NeoHookeanTriangle, neo_hookean_triangle::parameters(shear, lambda, volume))
        }
    };
    part.add(kind, t, &[d00, d01, d10, d11, x, y, z]);
}
