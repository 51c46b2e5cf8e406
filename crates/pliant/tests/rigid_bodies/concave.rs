//! Bodies of concave meshes collide as convex pieces of them.

use crate::body;
use glam::{DVec3, Vec3};
use pliant::builder::{MeshSource, NoMeshes};
use pliant::mesh::{TetMesh, TriMesh};
use pliant::scene::{Format, Scene};
use pliant::{Options, World};

/// A ring about y, and an open box.
struct Meshes;

impl MeshSource for Meshes {
    fn triangles(&self, name: &str) -> Result<TriMesh, String> {
        Ok(if name == "ring.obj" { ring(0.3, 0.1) } else { tray() })
    }

    fn tets(&self, _: &str) -> Result<TetMesh, String> {
        Err("none".into())
    }
}

fn ring(big: f32, small: f32) -> TriMesh {
    let (n, m) = (48, 20);
    let mut mesh = TriMesh::default();
    let angle = |k: u32, n: u32| std::f32::consts::TAU * k as f32 / n as f32;
    for i in 0..n {
        for j in 0..m {
            let (u, v) = (angle(i, n), angle(j, m));
            let r = big + small * v.cos();
            mesh.positions.push(Vec3::new(r * u.cos(), small * v.sin(), r * u.sin()));
            let at = |i: u32, j: u32| (i % n) * m + j % m;
            let [a, b, c, d] = [at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    mesh
}

/// A box of 0.6 × 0.3 × 0.6 m, open at its top, with walls of 0.04 m.
fn tray() -> TriMesh {
    let mut mesh = TriMesh::default();
    let rim = |half: f32, y: f32| [[-half, y, -half], [half, y, -half], [half, y, half], [-half, y, half]];
    // Outer bottom and rim, inner rim and bottom.
    for level in [rim(0.3, 0.0), rim(0.3, 0.3), rim(0.26, 0.3), rim(0.26, 0.04)] {
        mesh.positions.extend(level.map(Vec3::from));
    }
    for level in 0..3_u32 {
        for k in 0..4 {
            let at = |level: u32, k: u32| 4 * level + k % 4;
            let [a, b, c, d] = [at(level, k), at(level, k + 1), at(level + 1, k + 1), at(level + 1, k)];
            mesh.triangles.extend([[a, c, b], [a, d, c]]);
        }
    }
    mesh.triangles.extend([[0, 1, 2], [0, 2, 3], [12, 14, 13], [12, 15, 14]]);
    mesh
}

fn world(text: &str) -> World {
    let scene = Scene::parse(text, Format::Toml).unwrap_or_else(|e| panic!("{e}"));
    World::from_scene(&scene, &Meshes, Options { threads: 1, ..Options::default() }).unwrap_or_else(|e| panic!("{e}"))
}

/// A ring above a peg that it has room for.
fn peg(pieces: &str) -> World {
    world(&format!(
        "[[body]]\nmesh = \"ring.obj\"\n{pieces}\ntransform = {{ translate = [0.03, 1.2, 0.02] }}\n\
         [[collider]]\nplane = {{}}\n[[collider]]\ncapsule = {{ from = [0, 0, 0], to = [0, 0.8, 0], radius = 0.1 }}\n"
    ))
}

#[test]
fn s21_a_ring_falls_over_a_peg_and_its_hull_does_not() {
    let mut whole = peg("");
    assert!(whole.model().notes.iter().any(|note| note.contains("convex pieces")), "{:?}", whole.model().notes);
    whole.advance(300).unwrap();
    let lies = body(&whole, 0);
    assert!((lies.position.y - 0.1).abs() < 0.01, "{}", lies.position);
    assert!(lies.velocity.length() < 0.02, "{}", lies.velocity);
    let mut hull = peg("pieces = 1");
    hull.advance(60).unwrap();
    assert!(body(&hull, 0).position.y > 0.5, "{}", body(&hull, 0).position);
}

#[test]
fn s21_pieces_have_the_mass_of_the_mesh() {
    let world = peg("");
    let shape = &world.model().rigid_bodies.bodies[0].shape;
    let (big, small) = (0.3_f64, 0.1_f64);
    let volume = 2.0 * std::f64::consts::PI.powi(2) * big * small * small;
    // A polygon of 48 by 20 corners has 2 % less.
    assert!((shape.mass.mass / (1000.0 * volume) - 1.0).abs() < 0.03, "{}", shape.mass.mass);
    assert!(shape.mass.center.length() < 1e-3);
    assert!((shape.volume * 1000.0 / shape.mass.mass - 1.0).abs() < 0.06, "{} {}", shape.volume, shape.mass.mass);
}

#[test]
fn s21_a_tray_holds_what_falls_into_it() {
    let mut world = world(
        "[[body]]\nname = \"tray\"\nmesh = \"tray.obj\"\n[[collider]]\nplane = {}\n\
         [[body]]\nname = \"ball\"\nball = 0.05\ntransform = { translate = [0.1, 0.6, 0.05] }\n\
         [[body]]\nname = \"box\"\nbox = [0.1, 0.1, 0.1]\ntransform = { translate = [-0.1, 0.6, -0.05] }\n",
    );
    world.advance(300).unwrap();
    assert!(body(&world, 0).position.distance(DVec3::new(0.0, body(&world, 0).position.y, 0.0)) < 0.02);
    for (number, height) in [(1, 0.09), (2, 0.09)] {
        let p = body(&world, number).position;
        assert!((p.y - height).abs() < 0.01 && p.x.abs() < 0.26 && p.z.abs() < 0.26, "{number} at {p}");
    }
}

#[test]
fn pieces_of_what_is_no_mesh_are_refused() {
    for (text, expected) in [
        ("[[body]]\nball = 0.1\npieces = 3\n", "only a mesh is cut"),
        ("[[body]]\nmesh = \"ring.obj\"\npieces = 0\n", "pieces"),
        ("[[body]]\nmesh = \"ring.obj\"\npieces = 257\n", "pieces"),
        ("[[body]]\nmesh = \"ring.obj\"\npieces = 3\nmodel = \"particles\"\n", "rigid"),
    ] {
        let scene = Scene::parse(text, Format::Toml);
        let found = scene.map(|s| World::from_scene(&s, &NoMeshes, Options::default()).map(drop));
        let message = match found {
            Err(e) => e.to_string(),
            Ok(Err(e)) => e.to_string(),
            Ok(Ok(())) => panic!("{text} is accepted"),
        };
        assert!(message.contains(expected), "{message}");
    }
}
