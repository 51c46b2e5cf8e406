//! Signed distance fields of closed meshes.
//!
//! `voxel` decides exactly which points are inside (S27). Their distance from the surface is the
//! distance to the mesh itself: the distances of S28 are between centers of voxels, so their zero set is a staircase of
//! half a voxel, on which bodies would rattle down a slope. They bound the search: the surface is never farther than
//! their value plus one voxel (E26).

use crate::geometry::{DistanceField, Surface};
use crate::mesh::TriMesh;
use crate::voxel::{Field, Grid, PADDING, VoxelError, voxelize};
use rayon::prelude::*;

/// The distance field of a closed, clean mesh, with `along` points on its longest side.
pub fn field(mesh: TriMesh, along: u32) -> Result<DistanceField, VoxelError> {
    let grid = Grid::fit(&mesh.positions, along, PADDING)?;
    let voxels = voxelize(&mesh, &grid)?;
    if voxels.count() == 0 {
        return Err(VoxelError::Nothing);
    }
    let rough = Field::new(&voxels);
    let surface = Surface::new(mesh.positions.clone(), &mesh.triangles);
    let (dims, edge) = (grid.dims(), grid.edge());
    let layer = dims[0] as usize * dims[1] as usize;
    let mut phi = vec![0.0_f32; layer * dims[2] as usize];
    phi.par_chunks_mut(layer).enumerate().for_each(|(z, layer)| {
        for (i, value) in layer.iter_mut().enumerate() {
            let voxel = [i % dims[0] as usize, i / dims[0] as usize, z].map(|c| c as u32);
            let at = grid.place(voxel.map(|c| f64::from(c) + 0.5).into()).as_vec3();
            let guess = rough.phi()[rough.index(voxel)];
            // 1.75 voxels: half the diagonal of a voxel on either side.
            let limit = (guess.abs() + 1.75) * edge as f32;
            let near = surface.nearest(at, limit).or_else(|| surface.nearest(at, f32::INFINITY));
            let distance = near.map_or(limit, |near| near.distance);
            *value = if guess < 0.0 { -distance } else { distance };
        }
    });
    let origin = grid.place(glam::DVec3::splat(0.5)).as_vec3();
    Ok(DistanceField::new(dims, origin, edge as f32, phi, mesh))
}
