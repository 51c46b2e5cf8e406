//! Tessellates the cells of a lattice into tetrahedra: the basis of every generated solid.

use crate::mesh::TetMesh;
use crate::scene::Tessellation;
use glam::Vec3;

/// A lattice of particles and the tessellation of its cells. Cell (i, j, k) lies between point (i, j, k) and
/// (i+1, j+1, k+1).
#[derive(Clone, Copy, Debug)]
pub struct Lattice {
    /// Points along each axis.
    pub points: [usize; 3],
    /// Periodic axes: the last point is followed by the first.
    pub wraps: [bool; 3],
    /// Tetrahedra per cell. Both tessellations cut the common face of two cells along the same diagonal.
    pub cut: Tessellation,
}

/// Five tetrahedra, mirrored from cell to cell: four corners cut off, one in the center.
const FIVE: [[[usize; 3]; 4]; 5] = [
    [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
    [[1, 1, 0], [1, 0, 0], [0, 1, 0], [1, 1, 1]],
    [[1, 0, 1], [1, 0, 0], [0, 0, 1], [1, 1, 1]],
    [[0, 1, 1], [0, 1, 0], [0, 0, 1], [1, 1, 1]],
    [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]],
];

/// Axis orders of the six paths from one corner of the cell to the opposite one.
const SIX: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// Marks a point that no cell uses.
const UNUSED: u32 = u32::MAX;

impl Lattice {
    /// Tessellates all cells.
    pub fn fill(&self, place: impl Fn([usize; 3]) -> Vec3) -> TetMesh {
        self.carve(|_| true, place)
    }

    /// Tessellates the cells for which `keep` is true; any subset is conforming.
    ///
    /// Only points of kept cells become particles, numbered in ascending order of (i, j, k), and only those are
    /// placed. `keep` is called twice per cell, so that no list of cells is stored.
    pub fn carve(&self, keep: impl Fn([usize; 3]) -> bool, place: impl Fn([usize; 3]) -> Vec3) -> TetMesh {
        let n = self.points;
        let mut numbers = vec![UNUSED; n[0] * n[1] * n[2]];
        let mut kept = 0;
        for cell in self.cells().filter(|&c| keep(c)) {
            kept += 1;
            for corner in 0..8 {
                numbers[self.at(cell, [corner & 1, corner >> 1 & 1, corner >> 2])] = 0;
            }
        }
        let mut positions = Vec::new();
        for (point, number) in product(n).zip(&mut numbers).filter(|(_, number)| **number != UNUSED) {
            *number = positions.len() as u32;
            positions.push(place(point));
        }
        let mut tets = Vec::with_capacity(kept * if self.cut == Tessellation::Five { 5 } else { 6 });
        for cell in self.cells().filter(|&c| keep(c)) {
            let at = |offset: [usize; 3]| numbers[self.at(cell, offset)];
            match self.cut {
                Tessellation::Five => {
                    let mirror = cell.iter().sum::<usize>() % 2 == 1;
                    tets.extend(FIVE.map(|tet| tet.map(|[x, y, z]| at([if mirror { 1 - x } else { x }, y, z]))));
                }
                Tessellation::Six => tets.extend(SIX.map(|order| {
                    let mut corner = [0; 3];
                    let mut tet = [at(corner); 4];
                    for (step, &axis) in order.iter().enumerate() {
                        corner[axis] = 1;
                        tet[step + 1] = at(corner);
                    }
                    tet
                })),
            }
        }
        orient(&positions, &mut tets);
        TetMesh { positions, tets }
    }

    fn cells(&self) -> impl Iterator<Item = [usize; 3]> + use<> {
        product(std::array::from_fn(|a| if self.wraps[a] { self.points[a] } else { self.points[a] - 1 }))
    }

    /// Index of a corner of a cell among all points.
    fn at(&self, cell: [usize; 3], offset: [usize; 3]) -> usize {
        let [i, j, k]: [usize; 3] = std::array::from_fn(|a| (cell[a] + offset[a]) % self.points[a]);
        (i * self.points[1] + j) * self.points[2] + k
    }
}

/// All (i, j, k) below n, in ascending order.
fn product(n: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    (0..n[0]).flat_map(move |i| (0..n[1]).flat_map(move |j| (0..n[2]).map(move |k| [i, j, k])))
}

/// Makes every volume positive.
fn orient(positions: &[Vec3], tets: &mut [[u32; 4]]) {
    for t in tets {
        let [a, b, c, d] = t.map(|i| positions[i as usize]);
        if (b - a).cross(c - a).dot(d - a) < 0.0 {
            t.swap(1, 2);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::assert_solid;
    use super::*;

    fn carve(cut: Tessellation, keep: impl Fn([usize; 3]) -> bool) -> TetMesh {
        let lattice = Lattice { points: [6; 3], wraps: [false; 3], cut };
        lattice.carve(keep, |[i, j, k]| Vec3::new(i as f32, j as f32, k as f32))
    }

    #[test]
    fn any_set_of_cells_fits_together() {
        let ball = |c: [usize; 3]| c.iter().map(|&x| (x as i32 - 2).pow(2)).sum::<i32>() <= 5;
        let frame = |c: [usize; 3]| c.iter().filter(|&&x| x == 0 || x == 4).count() >= 2;
        for cut in [Tessellation::Five, Tessellation::Six] {
            assert_solid(&carve(cut, ball));
            assert_solid(&carve(cut, frame));
        }
    }

    #[test]
    fn only_used_points_become_particles_in_rising_order() {
        let mesh = carve(Tessellation::Six, |c| c == [1, 2, 3]);
        assert_eq!(mesh.tets.len(), 6);
        let expected = product([2; 3]).map(|[i, j, k]| Vec3::new(1.0 + i as f32, 2.0 + j as f32, 3.0 + k as f32));
        assert!(mesh.positions.iter().copied().eq(expected), "{:?}", mesh.positions);
    }
}
