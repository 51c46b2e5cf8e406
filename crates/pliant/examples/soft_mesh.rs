//! A soft body from a tetrahedral mesh made in code: the engine reads no files, it asks a `MeshSource`. Prints how low
//! the body is and its volume while it falls on the floor.
//!
//! Run: `cargo run -p pliant --example soft_mesh`

#![allow(clippy::print_stdout, reason = "an example")]

use glam::UVec3;
use pliant::builder::MeshSource;
use pliant::mesh::{TetMesh, TriMesh};
use pliant::scene::{Format, Scene};
use pliant::{Options, World};

const SCENE: &str = r#"
    solver = { dt = 0.01, substeps = 2, iterations = 10 }
    [[soft]]
    mesh = "block"
    transform = { translate = [0, 0.2, 0] }
    stretch = { modulus = 1e5 }
    [[collider]]
    plane = {}
"#;

/// A source with one mesh: 4 × 3 × 3 cells of 10 cm, six tetrahedra each.
struct Block;

impl MeshSource for Block {
    fn triangles(&self, name: &str) -> Result<TriMesh, String> {
        Err(format!("{name} is not here"))
    }
    fn tets(&self, _: &str) -> Result<TetMesh, String> {
        let (cells, mut mesh) = (UVec3::new(4, 3, 3), TetMesh::default());
        let all = |n: UVec3| (0..n.x * n.y * n.z).map(move |i| UVec3::new(i % n.x, i / n.x % n.y, i / n.x / n.y));
        let number = |p: UVec3| p.x + (cells.x + 1) * (p.y + (cells.y + 1) * p.z);
        mesh.positions.extend(all(cells + 1).map(|p| p.as_vec3() * 0.1));
        for (cell, i) in all(cells).flat_map(|cell| (0..3).map(move |i| (cell, i))) {
            // From a corner along axis i, then along either other axis, to the far corner.
            let (a, far) = (cell + UVec3::AXES[i], cell + 1);
            mesh.tets.push([cell, a, a + UVec3::AXES[(i + 1) % 3], far].map(number));
            mesh.tets.push([cell, a, far, a + UVec3::AXES[(i + 2) % 3]].map(number));
        }
        Ok(mesh)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut sim = World::from_scene(&Scene::parse(SCENE, Format::Toml)?, &Block, Options::default())?;
    let (mut lowest, mut volume) = (0.0, 0.0);
    for _ in 0..5 {
        sim.advance(30)?;
        let tets = sim.topology().tets.iter().map(|t| t.map(|i| sim.position(i as usize)));
        volume = tets.map(|[a, b, c, d]| (b - a).cross(c - a).dot(d - a) / 6.0).sum();
        lowest = (0..sim.particles()).map(|i| sim.position(i).y).fold(9.0, f32::min);
        println!("t = {:.1} s: lowest {lowest:.3} m, volume {volume:.5} m³", sim.time());
    }
    assert!((volume / 0.036 - 1.0).abs() < 0.01, "the volume of 0.036 m³ is kept, but is {volume} m³");
    assert!((lowest - 0.005).abs() < 0.002, "it lies on the floor, a particle's radius above, but is at {lowest} m");
    Ok(())
}
