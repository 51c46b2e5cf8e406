//! Named shapes in place of mesh files.

use pliant::builder::generate;
use pliant::mesh::repair::{SurfaceNeed, clean_surface};
use pliant::mesh::topology::boundary;
use pliant::mesh::{TetMesh, TriMesh};
use pliant::scene::{BlockSpec, FigureSpec, IcosphereSpec, SpikeSpec, Tessellation, TorusSpec, UrchinSpec};

/// Names of all shapes.
pub const NAMES: [&str; 6] = ["box", "cartesian", "ball", "torus", "urchin", "figure"];

/// The closed surface of a shape of about 1 m.
pub fn shape(name: &str) -> Option<TriMesh> {
    let cube = |cells: u32| BlockSpec { cells: [cells; 3], size: [1.0; 3], tets: Tessellation::Six };
    Some(match name {
        "box" => boundary_surface(&generate::block(&cube(1))),
        "cartesian" => boundary_surface(&generate::block(&cube(32))),
        "ball" => generate::icosphere(&IcosphereSpec { radius: 0.5, subdivisions: 5 }),
        "torus" => boundary_surface(&generate::torus(&TorusSpec {
            radius: 0.4,
            width: 0.2,
            height: None,
            cells: [64, 4],
            layers: None,
        })),
        "urchin" => {
            let spikes = SpikeSpec { length: 0.15, cells: [2, 4], gap: 2 };
            boundary_surface(&generate::urchin(&UrchinSpec { radius: 0.35, cells: 16, spikes }))
        }
        "figure" => boundary_surface(&generate::figure(&FigureSpec { height: 1.0, cells: 40 })),
        _ => return None,
    })
}

/// The boundary surface of a tetrahedral mesh, without interior vertices.
fn boundary_surface(mesh: &TetMesh) -> TriMesh {
    let triangles = boundary(mesh.positions.len(), &mesh.tets);
    let surface = TriMesh { positions: mesh.positions.clone(), triangles };
    match clean_surface(surface.clone(), SurfaceNeed::Closed) {
        Ok((clean, _)) => clean,
        // Unreachable for the shapes above: a test checks that all are closed.
        Err(_) => surface,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_is_closed_and_wound_outward() {
        for name in NAMES {
            let mesh = shape(name).unwrap();
            assert!(mesh.volume() > 0.0, "{name}");
            let (_, notes) = clean_surface(mesh, SurfaceNeed::Closed).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(notes, Vec::<String>::new(), "{name}");
        }
        assert_eq!(shape("box").unwrap().triangles.len(), 12);
        assert_eq!(shape("potato"), None);
    }
}
