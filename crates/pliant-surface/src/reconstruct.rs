//! Islands of particles through the reconstruction, and together again.
//!
//! Lengths are in cells: corners of the grid then have whole numbers, which every part of it agrees upon to the last bit.

use crate::islands::{Island, islands};
use crate::mesh::{SurfaceMesh, normals};
use crate::order::sort;
use crate::threshold::threshold;
use crate::{Settings, SurfaceError};
use glam::{DVec3, Vec3};
use splashsurf_lib::mesh::{Mesh3d, TriMesh3d};
use splashsurf_lib::nalgebra::Vector3;
use splashsurf_lib::postprocessing::par_laplacian_smoothing_inplace;
use splashsurf_lib::{GridDecompositionParameters, Parameters, SpatialDecomposition, reconstruct_surface};

/// Cells along a side of an island: the cube of it and of its margins can be numbered in 63 bits.
const MOST_CELLS: f64 = 1_048_576.0;

/// Cells along the side of a part of the grid, which is made at once: 0.25 MB, and 0.7 s for 12,000 particles in cells of half
/// a radius on one core; 1.0 to 1.2 s with parts of 48 and 64.
const PART: u32 = 32;

/// Cells between a particle and the world's origin: double precision tells a thousandth of a cell there.
const FARTHEST: f64 = 1e12;

/// Steps there and back of a round of smoothing (Taubin 1995): their product is 1 for what is flat, and less than 1 for what
/// is uneven within a few cells, so that a drop keeps its volume.
const THERE: f64 = 0.5;
const BACK: f64 = -0.53;

/// Surface of the liquid that particles stand for. Uses the current rayon pool.
///
/// # Errors
/// Settings out of their ranges, positions that are not finite or farther off than 10¹² cells, a connected part that is longer than a million cells.
pub fn surface(points: &[Vec3], settings: &Settings) -> Result<SurfaceMesh, SurfaceError> {
    settings.check()?;
    if let Some(lost) = points.iter().position(|p| !p.is_finite()) {
        return Err(SurfaceError::NotFinite(lost));
    }
    let cell = f64::from(settings.cell);
    let most = FARTHEST * cell;
    let distance = |p: &Vec3| f64::from(p.abs().max_element());
    if let Some((particle, p)) = points.iter().enumerate().find(|(_, p)| distance(p) > most) {
        return Err(SurfaceError::TooFar { particle, distance: distance(p), most, cell: settings.cell });
    }
    let parameters = parameters(settings);
    let mut whole = SurfaceMesh::default();
    for island in islands(points, cell) {
        if island.cells > MOST_CELLS {
            let (size, most) = (island.cells * cell, MOST_CELLS * cell);
            return Err(SurfaceError::TooLong { size, most, cell: settings.cell });
        }
        let mut part = reconstruct(points, &island, cell, &parameters)?;
        sort(&mut part);
        smooth(&mut part, settings.smoothing);
        append(&mut whole, &part, &island, cell)?;
    }
    Ok(whole)
}

fn parameters(settings: &Settings) -> Parameters<f64> {
    let (radius, reach, cell) = (f64::from(settings.radius), f64::from(settings.reach), f64::from(settings.cell));
    let grid = GridDecompositionParameters { subdomain_num_cubes_per_dim: PART, auto_disable: false };
    Parameters {
        // Densities are relative to that at rest.
        rest_density: 1.0,
        iso_surface_threshold: threshold(reach / radius),
        // Vectors end differently at the sides of a part than within it, so that its neighbor would not fit it.
        enable_simd: false,
        spatial_decomposition: SpatialDecomposition::UniformGrid(grid),
        ..Parameters::new(radius / cell, reach / cell, 1.0)
    }
}

fn reconstruct(
    points: &[Vec3],
    island: &Island,
    cell: f64,
    parameters: &Parameters<f64>,
) -> Result<TriMesh3d<f64>, SurfaceError> {
    let local = |&i: &usize| {
        let p = points[i].as_dvec3() / cell - island.origin;
        Vector3::new(p.x, p.y, p.z)
    };
    let local: Vec<Vector3<f64>> = island.particles.iter().map(local).collect();
    let found = reconstruct_surface::<i64, f64>(&local, parameters);
    found.map(|f| f.mesh).map_err(|e| SurfaceError::Reconstruction(e.to_string()))
}

fn smooth(mesh: &mut TriMesh3d<f64>, rounds: u32) {
    if rounds == 0 {
        return;
    }
    let joined = mesh.vertex_vertex_connectivity();
    let weights = vec![1.0; mesh.vertices.len()];
    for _ in 0..rounds {
        par_laplacian_smoothing_inplace(mesh, &joined, 1, THERE, &weights);
        par_laplacian_smoothing_inplace(mesh, &joined, 1, BACK, &weights);
    }
}

fn append(whole: &mut SurfaceMesh, part: &TriMesh3d<f64>, island: &Island, cell: f64) -> Result<(), SurfaceError> {
    let first = whole.positions.len();
    let count = first + part.vertices.len();
    if u32::try_from(count).is_err() {
        return Err(SurfaceError::TooMany(count));
    }
    let local: Vec<DVec3> = part.vertices.iter().map(|v| DVec3::new(v.x, v.y, v.z)).collect();
    whole.positions.extend(local.iter().map(|p| ((*p + island.origin) * cell).as_vec3()));
    whole.normals.extend(normals(&local, &part.triangles));
    whole.triangles.extend(part.triangles.iter().map(|t| t.map(|v| (first + v) as u32)));
    Ok(())
}
