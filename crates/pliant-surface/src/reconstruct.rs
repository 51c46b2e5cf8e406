//! Reconstructs each connected component and joins the meshes.
//!
//! Lengths are in cells: grid points then have integer coordinates, which are exact in every subdomain.

use crate::components::{Component, connected_components};
use crate::error::SurfaceError;
use crate::mesh::{SurfaceMesh, vertex_normals};
use crate::settings::SurfaceSettings;
use crate::threshold::threshold;
use crate::vertex_order::sort;
use glam::{DVec3, Vec3};
use splashsurf_lib::mesh::{Mesh3d, TriMesh3d};
use splashsurf_lib::nalgebra::Vector3;
use splashsurf_lib::postprocessing::par_laplacian_smoothing_inplace;
use splashsurf_lib::{GridDecompositionParameters, Parameters, SpatialDecomposition};

/// Maximum number of cells along a side of a component: its cube, with margins, has 63-bit cell indices.
const MOST_CELLS: f64 = 1_048_576.0;

/// Cells along the side of a subdomain: 0.25 MB each, and 0.7 s for 12,000 particles with cells of half a radius on one
/// core; 1.0 to 1.2 s with subdomains of 48 and 64 cells.
const SUBDOMAIN_CELLS: u32 = 32;

/// Maximum distance from the world origin [cells]: double precision resolves a thousandth of a cell there.
const MAX_DISTANCE: f64 = 1e12;

/// Factors of one Taubin smoothing iteration (Taubin 1995): the shrinking and the inflating step together damp
/// wavelengths of a few cells and keep the volume.
const TAUBIN_LAMBDA: f64 = 0.5;
const TAUBIN_MU: f64 = -0.53;

/// Reconstructs the surface of a liquid from its particles. Uses the current rayon pool.
///
/// # Errors
/// Settings outside their ranges, positions that are not finite or farther than 10¹² cells from the origin, a connected
/// component longer than 2²⁰ cells.
pub fn reconstruct_surface(points: &[Vec3], settings: &SurfaceSettings) -> Result<SurfaceMesh, SurfaceError> {
    settings.check()?;
    if let Some(invalid) = points.iter().position(|p| !p.is_finite()) {
        return Err(SurfaceError::NotFinite(invalid));
    }
    let cell = f64::from(settings.cell);
    let most = MAX_DISTANCE * cell;
    let distance = |p: &Vec3| f64::from(p.abs().max_element());
    if let Some((particle, p)) = points.iter().enumerate().find(|(_, p)| distance(p) > most) {
        return Err(SurfaceError::TooFar { particle, distance: distance(p), most, cell: settings.cell });
    }
    let parameters = parameters(settings);
    let mut mesh = SurfaceMesh::default();
    for component in connected_components(points, cell) {
        if component.cells > MOST_CELLS {
            let (size, most) = (component.cells * cell, MOST_CELLS * cell);
            return Err(SurfaceError::TooLong { size, most, cell: settings.cell });
        }
        let mut part = reconstruct(points, &component, cell, &parameters)?;
        sort(&mut part);
        taubin_smoothing(&mut part, settings.smoothing);
        append(&mut mesh, &part, &component, cell)?;
    }
    Ok(mesh)
}

fn parameters(settings: &SurfaceSettings) -> Parameters<f64> {
    let (radius, reach, cell) = (f64::from(settings.radius), f64::from(settings.reach), f64::from(settings.cell));
    let grid = GridDecompositionParameters { subdomain_num_cubes_per_dim: SUBDOMAIN_CELLS, auto_disable: false };
    Parameters {
        // Densities are relative to the rest density.
        rest_density: 1.0,
        iso_surface_threshold: threshold(reach / radius),
        // SIMD remainders at the border of a subdomain round differently, so that adjacent subdomains would not match.
        enable_simd: false,
        spatial_decomposition: SpatialDecomposition::UniformGrid(grid),
        ..Parameters::new(radius / cell, reach / cell, 1.0)
    }
}

fn reconstruct(
    points: &[Vec3],
    component: &Component,
    cell: f64,
    parameters: &Parameters<f64>,
) -> Result<TriMesh3d<f64>, SurfaceError> {
    let local = |&i: &usize| {
        let p = points[i].as_dvec3() / cell - component.origin;
        Vector3::new(p.x, p.y, p.z)
    };
    let local: Vec<Vector3<f64>> = component.particles.iter().map(local).collect();
    let found = splashsurf_lib::reconstruct_surface::<i64, f64>(&local, parameters);
    found.map(|f| f.mesh).map_err(|e| SurfaceError::Reconstruction(e.to_string()))
}

fn taubin_smoothing(mesh: &mut TriMesh3d<f64>, iterations: u32) {
    if iterations == 0 {
        return;
    }
    let neighbors = mesh.vertex_vertex_connectivity();
    let weights = vec![1.0; mesh.vertices.len()];
    for _ in 0..iterations {
        par_laplacian_smoothing_inplace(mesh, &neighbors, 1, TAUBIN_LAMBDA, &weights);
        par_laplacian_smoothing_inplace(mesh, &neighbors, 1, TAUBIN_MU, &weights);
    }
}

fn append(mesh: &mut SurfaceMesh, part: &TriMesh3d<f64>, component: &Component, cell: f64) -> Result<(), SurfaceError> {
    let first = mesh.positions.len();
    let count = first + part.vertices.len();
    if u32::try_from(count).is_err() {
        return Err(SurfaceError::TooMany(count));
    }
    let local: Vec<DVec3> = part.vertices.iter().map(|v| DVec3::new(v.x, v.y, v.z)).collect();
    mesh.positions.extend(local.iter().map(|p| ((*p + component.origin) * cell).as_vec3()));
    mesh.normals.extend(vertex_normals(&local, &part.triangles));
    mesh.triangles.extend(part.triangles.iter().map(|t| t.map(|v| (first + v) as u32)));
    Ok(())
}
