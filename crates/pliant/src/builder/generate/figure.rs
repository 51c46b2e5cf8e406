//! A standing figure: rounded body, head, ears, arms and legs, blended into each other.
//!
//! Cells whose center lies inside form the solid; `fit` then removes the lattice steps from its surface.

use crate::builder::generate::fit::fit;
use crate::builder::generate::lattice::Lattice;
use crate::mesh::TetMesh;
use crate::scene::{FigureSpec, Tessellation};
use glam::Vec3;

/// An ellipsoid of the figure, in units of its height; the figure stands at the origin.
struct Limb {
    center: Vec3,
    radii: Vec3,
}

const fn limb(center: [f32; 3], radii: [f32; 3]) -> Limb {
    Limb { center: Vec3::from_array(center), radii: Vec3::from_array(radii) }
}

const LIMBS: [Limb; 9] = [
    // Body, head and snout.
    limb([0.0, 0.36, 0.0], [0.325, 0.295, 0.28]),
    limb([0.0, 0.69, 0.03], [0.26, 0.20, 0.235]),
    limb([0.0, 0.65, 0.25], [0.10, 0.07, 0.07]),
    // Ears.
    limb([0.16, 0.875, 0.0], [0.09, 0.125, 0.08]),
    limb([-0.16, 0.875, 0.0], [0.09, 0.125, 0.08]),
    // Arms.
    limb([0.345, 0.42, 0.09], [0.13, 0.10, 0.11]),
    limb([-0.345, 0.42, 0.09], [0.13, 0.10, 0.11]),
    // Legs.
    limb([0.17, 0.07, 0.08], [0.145, 0.12, 0.19]),
    limb([-0.17, 0.07, 0.08], [0.145, 0.12, 0.19]),
];

/// Blend width between limbs, in units of the height.
const BLEND: f32 = 0.04;

/// A figure. Six tetrahedra per cell.
pub fn figure(spec: &FigureSpec) -> TetMesh {
    let step = 1.0 / spec.cells as f32;
    let place = |[i, j, k]: [usize; 3], half: f32| {
        let p = Vec3::new(i as f32, j as f32, k as f32) + half;
        p * step - Vec3::new(0.5, 0.0, 0.5)
    };
    let lattice = Lattice { points: [spec.cells as usize + 1; 3], wraps: [false; 3], cut: Tessellation::Six };
    let mut mesh = lattice.carve(|cell| distance(place(cell, 0.5)) < 0.0, |point| place(point, 0.0));
    fit(&mut mesh, step, distance);
    mesh.positions.iter_mut().for_each(|p| *p *= spec.height);
    mesh
}

/// Approximate signed distance to the figure; negative inside.
fn distance(p: Vec3) -> f32 {
    // Soles are flat.
    LIMBS.iter().map(|limb| limb.distance(p)).fold(f32::MAX, blend).max(-p.y)
}

impl Limb {
    /// The ellipsoid's equation over its gradient: right to first order near the surface.
    fn distance(&self, p: Vec3) -> f32 {
        let scaled = (p - self.center) / self.radii;
        let (value, slope) = (scaled.length(), (scaled / self.radii).length());
        // At the center the gradient vanishes; any value that deep is valid.
        if slope > 1e-6 { value * (value - 1.0) / slope } else { -self.radii.min_element() }
    }
}

/// Smooth minimum of two distances (a quadratic of width [`BLEND`]).
fn blend(a: f32, b: f32) -> f32 {
    let near = (BLEND - (a - b).abs()).max(0.0) / BLEND;
    a.min(b) - near * near * (BLEND / 4.0)
}

#[cfg(test)]
mod tests {
    use super::super::check::assert_solid;
    use super::*;
    use crate::mesh::topology::tet_edges;

    #[test]
    fn the_figure_of_39_cells_has_its_counts() {
        let mesh = figure(&FigureSpec { height: 1.0, cells: 39 });
        let edges = tet_edges(mesh.positions.len(), &mesh.tets).len();
        assert_eq!((mesh.positions.len(), edges, mesh.tets.len()), (12_702, 80_649, 64_308));
    }

    #[test]
    fn figures_are_closed_and_have_positive_volumes() {
        for cells in [12, 13, 25, 39] {
            assert_solid(&figure(&FigureSpec { height: 2.0, cells }));
        }
    }

    #[test]
    fn a_figure_stands_on_the_ground_and_is_as_tall_as_asked() {
        let mesh = figure(&FigureSpec { height: 2.0, cells: 30 });
        let low = mesh.positions.iter().copied().fold(Vec3::MAX, Vec3::min);
        let high = mesh.positions.iter().copied().fold(Vec3::MIN, Vec3::max);
        // The lattice steps are within a cell of the shape, and the surface is projected onto it.
        assert!(low.y.abs() < 0.03 && (high.y - 2.0).abs() < 0.03, "{low} {high}");
        assert!((low.x + high.x).abs() < 0.03, "{low} {high}");
    }
}
