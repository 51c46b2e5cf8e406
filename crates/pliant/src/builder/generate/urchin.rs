//! A ball with spikes, like the squeeze toys of that shape.
//!
//! The lattice is a cube with spikes perpendicular to its six sides. The cube is mapped to a ball and each
//! spike rotated to the normal at its base.

use crate::builder::generate::lattice::Lattice;
use crate::mesh::TetMesh;
use crate::scene::{Tessellation, UrchinSpec};
use glam::Vec3;

/// Width of a spike at its tip, relative to its base.
const TIP: f32 = 0.5;

/// A ball with spikes. Five tetrahedra per cell, mirrored from cell to cell, so that a spike of one cell is symmetric.
pub fn urchin(spec: &UrchinSpec) -> TetMesh {
    let shape = Shape::new(spec);
    let lattice = Lattice { points: [shape.core + 2 * shape.along + 1; 3], wraps: [false; 3], cut: Tessellation::Five };
    lattice.carve(|cell| shape.keeps(cell), |point| shape.place(point))
}

/// Cell counts, and lengths [m].
struct Shape {
    /// Across the ball.
    core: usize,
    /// Along a spike; also the offset of the core in the lattice.
    along: usize,
    /// Across a spike.
    across: usize,
    /// From a spike to the next.
    pitch: usize,
    /// From the edge of a side to its first spike.
    first: usize,
    /// Spikes along a side.
    rows: usize,
    radius: f32,
    length: f32,
}

impl Shape {
    fn new(spec: &UrchinSpec) -> Self {
        let [across, along] = spec.spikes.cells.map(|c| c as usize);
        let (core, gap, rows) = (spec.cells as usize, spec.spikes.gap as usize, spec.rows() as usize);
        let pitch = across + gap;
        let first = (core - (rows * pitch).saturating_sub(gap)) / 2;
        Self { core, along, across, pitch, first, rows, radius: spec.radius, length: spec.spikes.length }
    }

    fn keeps(&self, cell: [usize; 3]) -> bool {
        let inside = |c: usize| (self.along..self.along + self.core).contains(&c);
        match cell.iter().filter(|&&c| !inside(c)).count() {
            0 => true,
            1 => cell.iter().all(|&c| !inside(c) || self.foot(c)),
            _ => false,
        }
    }

    /// Whether spikes start from this row of cells.
    fn foot(&self, cell: usize) -> bool {
        let from_first = cell.checked_sub(self.along + self.first);
        from_first.is_some_and(|c| c / self.pitch < self.rows && c % self.pitch < self.across)
    }

    /// Coordinate of the center line of the spike that a point belongs to.
    fn middle(&self, point: usize) -> f32 {
        let start = self.along + self.first;
        (start + (point - start) / self.pitch * self.pitch) as f32 + self.across as f32 / 2.0
    }

    fn place(&self, point: [usize; 3]) -> Vec3 {
        let (low, high) = (self.along, self.along + self.core);
        // From −1 to 1 across the core.
        let centered = |p: Vec3| (p - low as f32) * (2.0 / self.core as f32) - 1.0;
        let foot = Vec3::from(point.map(|c| c.clamp(low, high) as f32));
        let Some(axis) = (0..3).find(|&a| !(low..=high).contains(&point[a])) else {
            let p = centered(foot);
            return direction(p) * (p.abs().max_element() * self.radius);
        };
        let middle = Vec3::from_array(std::array::from_fn(|a| if a == axis { foot[a] } else { self.middle(point[a]) }));
        let (foot, middle) = (direction(centered(foot)), direction(centered(middle)));
        let depth = low.abs_diff(point[axis]).min(high.abs_diff(point[axis])) as f32 / self.along as f32;
        let width = 1.0 - (1.0 - TIP) * depth;
        middle * (self.radius + depth * self.length) + (foot - middle) * (width * self.radius)
    }
}

/// Maps a point of a cube around the origin to the unit sphere. Equal steps along a side become equal
/// angles: cells differ in area by a factor of 1.4 over the sphere, against 5 without the tangent.
fn direction(p: Vec3) -> Vec3 {
    let most = p.abs().max_element();
    if most == 0.0 {
        return Vec3::ZERO;
    }
    let bend = |x: f32| libm::tan(std::f64::consts::FRAC_PI_4 * f64::from(x / most)) as f32;
    Vec3::new(bend(p.x), bend(p.y), bend(p.z)).normalize()
}

#[cfg(test)]
mod tests {
    use super::super::check::assert_solid;
    use super::*;
    use crate::mesh::topology::tet_edges;
    use crate::scene::SpikeSpec;

    fn spec(cells: u32, spike: [u32; 2], gap: u32) -> UrchinSpec {
        UrchinSpec { radius: 1.0, cells, spikes: SpikeSpec { length: 0.5, cells: spike, gap } }
    }

    #[test]
    fn counts_are_those_of_the_core_and_of_its_spikes() {
        // The core has 5·31³ tetrahedra and 3·31·32² + 3·31²·32 edges. Each of 6·15² spikes adds, per cell of
        // length, four particles, five tetrahedra and 4 + 4 edges, 4 + 1 diagonals.
        let mesh = urchin(&spec(31, [1, 15], 1));
        let (core, spikes) = (148_955, 6 * 15 * 15 * 15);
        assert_eq!(mesh.positions.len(), 32_768 + 4 * spikes);
        assert_eq!(mesh.tets.len(), core + 5 * spikes);
        assert_eq!(tet_edges(mesh.positions.len(), &mesh.tets).len(), 95_232 + 92_256 + 13 * spikes);
    }

    #[test]
    fn urchins_are_closed_and_have_positive_volumes() {
        for (cells, spike, gap) in [(3, [1, 1], 1), (8, [2, 5], 1), (9, [1, 12], 2), (16, [3, 2], 4), (31, [1, 15], 1)]
        {
            assert_solid(&urchin(&spec(cells, spike, gap)));
        }
    }

    #[test]
    fn spikes_point_away_from_the_middle_and_reach_their_length() {
        let spec = spec(10, [2, 4], 1);
        let mesh = urchin(&spec);
        let tips = mesh.positions.iter().filter(|p| p.length() > 1.49).count();
        // Nine particles at each of 6·3² tips; those of the middle line are exactly 1.5 m away.
        assert_eq!((spec.rows(), tips), (3, 9 * 6 * 9));
        let farthest = mesh.positions.iter().map(|p| p.length()).fold(0.0, f32::max);
        assert!((1.5..1.51).contains(&farthest), "{farthest}");
        let nearest = mesh.positions.iter().filter(|p| p.length() > 1.0 + 1e-5).map(|p| p.length());
        assert!(nearest.fold(f32::MAX, f32::min) > 1.05);
    }
}
