//! Shapes by name, for those who have no mesh at hand.

use pliant::builder::generate;
use pliant::mesh::repair::{SurfaceNeed, clean_surface};
use pliant::mesh::topology::boundary;
use pliant::mesh::{TetMesh, TriMesh};
use pliant::scene::{BlockSpec, FigureSpec, IcosphereSpec, SpikeSpec, Tessellation, TorusSpec, UrchinSpec};

/// All there are.
pub const NAMES: [&str; 6] = ["box", "cartesian", "ball", "torus", "urchin", "figure"];

/// The closed surface of a shape about 1 m large.
pub fn shape(name: &str) -> Option<TriMesh> {
    let cube = |cells: u32| BlockSpec { cells: [cells; 3], size: [1.0; 3], tets: Tessellation::Six };
    Some(match name {
        "box" => skin(&generate::block(&cube(1))),
        "cartesian" => skin(&generate::block(&cube(32))),
        "ball" => generate::icosphere(&IcosphereSpec { radius: 0.5, subdivisions: 5 }),
        "torus" => {
            skin(&generate::torus(&TorusSpec { radius: 0.4, width: 0.2, height: None, cells: [64, 4], layers: None }))
        }
        "urchin" => {
            let spikes = SpikeSpec { length: 0.15, cells: [2, 4], gap: 2 };
            skin(&generate::urchin(&UrchinSpec { radius: 0.35, cells: 16, spikes }))
        }
        "figure" => skin(&generate::figure(&FigureSpec { height: 1.0, cells: 40 })),
        _ => return None,
    })
}

/// The surface of a solid, without the vertices inside.
fn skin(mesh: &TetMesh) -> TriMesh {
    let triangles = boundary(mesh.positions.len(), &mesh.tets);
    let surface = TriMesh { positions: mesh.positions.clone(), triangles };
    match clean_surface(surface.clone(), SurfaceNeed::Closed) {
        Ok((clean, _)) => clean,
        // Left as it is; a test has every shape closed.
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
