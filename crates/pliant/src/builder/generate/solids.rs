//! Plain solids: blocks, rings and balls.

use crate::builder::generate::lattice::Lattice;
use crate::mesh::TetMesh;
use crate::scene::{BallSpec, BlockSpec, Tessellation, TorusSpec};
use glam::Vec3;

/// A cuboid of cells.
pub fn block(spec: &BlockSpec) -> TetMesh {
    let points = spec.cells.map(|c| c as usize + 1);
    let step: [f32; 3] = std::array::from_fn(|k| spec.size[k] / spec.cells[k] as f32);
    let lattice = Lattice { points, wraps: [false; 3], cut: spec.tets };
    lattice.fill(|[i, j, k]| Vec3::new(i as f32 * step[0], j as f32 * step[1], k as f32 * step[2]))
}

/// A ring. Six tetrahedra per cell: the mirrored five do not conform around an odd number of cells.
pub fn torus(spec: &TorusSpec) -> TetMesh {
    let [around, across] = spec.cells.map(|c| c as usize);
    let layers = spec.layers.map_or(across, |c| c as usize);
    let (out, up) = (spec.width / across as f32, spec.height.unwrap_or(spec.width) / layers as f32);
    let points = [around, across + 1, layers + 1];
    let lattice = Lattice { points, wraps: [true, false, false], cut: Tessellation::Six };
    lattice.fill(|[i, j, k]| {
        let angle = std::f64::consts::TAU * i as f64 / around as f64;
        let radius = spec.radius + (j as f32 - across as f32 / 2.0) * out;
        Vec3::new(radius * libm::cos(angle) as f32, k as f32 * up, radius * libm::sin(angle) as f32)
    })
}

/// A ball: a cube whose shells are projected onto spheres.
pub fn ball(spec: &BallSpec) -> TetMesh {
    let half = spec.cells as f32 / 2.0;
    let points = [spec.cells as usize + 1; 3];
    let lattice = Lattice { points, wraps: [false; 3], cut: Tessellation::Five };
    lattice.fill(|[i, j, k]| {
        let p = (Vec3::new(i as f32, j as f32, k as f32) - half) / half;
        let length = p.length();
        if length > 0.0 { p * (p.abs().max_element() / length * spec.radius) } else { p }
    })
}

#[cfg(test)]
mod tests {
    use super::super::check::assert_solid;
    use super::*;
    use crate::mesh::topology::tet_edges;

    /// Particles, edges and tetrahedra.
    fn counts(mesh: &TetMesh) -> (usize, usize, usize) {
        (mesh.positions.len(), tet_edges(mesh.positions.len(), &mesh.tets).len(), mesh.tets.len())
    }

    #[test]
    fn generated_counts_are_those_of_the_peer_scenes() {
        let slab = block(&BlockSpec { cells: [72, 2, 72], size: [3.6, 0.1, 3.6], tets: Tessellation::Five });
        assert_eq!((slab.positions.len(), slab.tets.len()), (15_987, 51_840));
        let ring = TorusSpec { radius: 0.4536, width: 0.15, height: None, cells: [57, 3], layers: None };
        assert_eq!(counts(&torus(&ring)), (912, 4_674, 3_078));
    }

    #[test]
    fn a_ring_of_rectangular_section_has_the_counts_of_its_cells() {
        // n cells around, a × b in the section, six tetrahedra and one long diagonal each. Edges of the lattice
        // are n(a+1)(b+1) + na(b+1) + n(a+1)b, faces (one diagonal each) nab + na(b+1) + n(a+1)b.
        let ring = TorusSpec { radius: 0.4, width: 0.1, height: Some(0.15), cells: [21, 2], layers: Some(3) };
        let mesh = torus(&ring);
        assert_eq!(counts(&mesh), (252, 609 + 483 + 126, 756));
        let (low, high) = mesh.positions.iter().fold((f32::MAX, f32::MIN), |(l, h), p| (l.min(p.y), h.max(p.y)));
        assert_eq!((low, high), (0.0, 0.15));
        let square = TorusSpec { radius: 0.4, width: 0.15, height: None, cells: [15, 3], layers: None };
        assert_eq!(counts(&torus(&square)), (240, 1_230, 810));
        let same = TorusSpec { height: Some(0.15), layers: Some(3), ..square };
        assert_eq!(torus(&square).positions, torus(&same).positions);
    }

    #[test]
    fn plain_solids_are_closed_and_have_positive_volumes() {
        for cut in [Tessellation::Five, Tessellation::Six] {
            assert_solid(&block(&BlockSpec { cells: [3, 4, 5], size: [1.0; 3], tets: cut }));
        }
        assert_solid(&ball(&BallSpec { radius: 1.0, cells: 8 }));
        let ring = TorusSpec { radius: 1.0, width: 0.3, height: None, cells: [24, 3], layers: None };
        assert_solid(&torus(&ring));
        assert_solid(&torus(&TorusSpec { height: Some(0.1), cells: [7, 3], layers: Some(1), ..ring }));
    }
}
