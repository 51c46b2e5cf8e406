//! Rigid boxes with merged particles of several sizes in place of equal ones (D4 Table 6.4).

use crate::failure::Failure;
use pliant::World;
use pliant::builder::generate;
use pliant::math::RowData;
use pliant::mesh::TriMesh;
use pliant::mesh::topology::boundary;
use pliant::scene::{BlockSpec, Scene, Tessellation};
use pliant::voxel::{Filling, MERGE_DEPTH, fill};

/// Merged particles of all bodies, relative to the centers of their bodies.
pub struct MergedBodies {
    /// Index of the first particle of each body, and the total number.
    starts: Vec<usize>,
    offsets: Vec<[f32; 3]>,
    /// Radii [m].
    pub radii: Vec<f32>,
    /// A phase for each body.
    pub phases: Vec<u32>,
    /// Positions, after [`Self::update_positions`].
    pub rows: Vec<RowData>,
}

impl MergedBodies {
    /// For scenes of upright rigid boxes and nothing else.
    pub fn new(scene: &Scene) -> Result<Option<Self>, Failure> {
        let upright = |b: &pliant::scene::Body| b.cuboid.is_some() && b.transform.rotate.is_none();
        let alone = scene.grains.is_empty() && scene.cloth.is_empty() && scene.rope.is_empty() && scene.soft.is_empty();
        if scene.body.is_empty() || !alone || !scene.body.iter().all(upright) {
            return Ok(None);
        }
        let mut all =
            Self { starts: vec![0], offsets: Vec::new(), radii: Vec::new(), phases: Vec::new(), rows: Vec::new() };
        for body in &scene.body {
            let size = body.cuboid.unwrap_or_default().map(|edge| edge * body.transform.scale);
            let filling = Filling { merge: Some(MERGE_DEPTH), ..Filling::new(body.grid) };
            let (particles, _) = fill(cuboid(size), &filling).map_err(|e| Failure::scene(e.to_string()))?;
            let copies = body.array.map_or(1, |a| a.count.iter().product::<u32>());
            for _ in 0..copies {
                let phase = all.starts.len() as u32;
                all.offsets.extend(particles.positions.iter().map(|p| p.to_array()));
                all.radii.extend_from_slice(&particles.radii);
                all.phases.resize(all.offsets.len(), phase);
                all.starts.push(all.offsets.len());
            }
        }
        all.rows.resize(all.offsets.len(), [0.0; 4]);
        Ok(Some(all))
    }

    /// Updates the positions from the poses of the bodies.
    pub fn update_positions(&mut self, sim: &World) {
        let Some(shapes) = &sim.state().shapes else { return };
        for (pose, range) in shapes.poses().iter().zip(self.starts.windows(2)) {
            for i in range[0]..range[1] {
                let [x, y, z] = pose.place(self.offsets[i]);
                self.rows[i] = [x, y, z, 1.0];
            }
        }
    }
}

/// A box around the origin.
fn cuboid(size: [f32; 3]) -> TriMesh {
    let mesh = generate::block(&BlockSpec { cells: [1; 3], size, tets: Tessellation::Six });
    let triangles = boundary(mesh.positions.len(), &mesh.tets);
    let low = mesh.positions.iter().copied().reduce(|a, b| a.min(b)).unwrap_or_default();
    let high = mesh.positions.iter().copied().reduce(|a, b| a.max(b)).unwrap_or_default();
    let middle = (low + high) * 0.5;
    TriMesh { triangles, positions: mesh.positions.into_iter().map(|p| p - middle).collect() }
}
