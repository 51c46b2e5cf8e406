//! Scene format of colliders: valid settings, and errors with their location.

use crate::support::{Given, Rng, ball, cuboid, soup};
use glam::Vec3;
use pliant::builder::MeshSource;
use pliant::mesh::TriMesh;
use pliant::scene::{Format, Scene};
use pliant::{Options, World};

fn build(text: &str, mesh: &dyn MeshSource) -> Result<World, String> {
    let text = format!("[[rope]]\npath = [[0, 9, 0], [1, 9, 0]]\n{text}");
    let scene = Scene::parse(&text, Format::Toml).map_err(|e| e.to_string())?;
    World::from_scene(&scene, mesh, Options { threads: 1, ..Options::default() }).map_err(|e| e.to_string())
}

#[test]
fn r06_invalid_colliders_are_refused_with_their_location() {
    let ok = Given(cuboid(Vec3::ONE));
    let cases = [
        ("[[collider]]\n", "collider[0]: needs exactly one of plane"),
        ("[[collider]]\nplane = {}\nsdf = { mesh = \"it\" }\n", "collider[0]: needs exactly one of"),
        ("[[collider]]\nsurface = {}\n", "collider[0].surface: needs exactly one of"),
        ("[[collider]]\nsurface = { points = [[0, 0, 0]] }\n", "collider[0].surface.points"),
        ("[[collider]]\nsurface = { mesh = \"it\", grid = 9 }\n", "collider[0].surface.grid"),
        ("[[collider]]\nsdf = { mesh = \"it\", grid = 3 }\n", "collider[0].sdf.grid"),
        ("[[collider]]\nsdf = { mesh = \"it\", grid = 1000 }\n", "collider[0].sdf.grid"),
        (
            "[[collider]]\nconvex = { points = [[0, 0, 0], [1, 0, 0], [0, 1, 0]] }\n",
            "collider[0].convex: its 3 points lie in one plane",
        ),
        ("[[collider]]\nsurface = { bowl = { radius = 1, height = 2 } }\n", "collider[0].surface.bowl.height"),
        (
            "[[collider]]\nsurface = { bowl = { radius = 1, height = 1, segments = 2 } }\n",
            "collider[0].surface.bowl.segments",
        ),
        ("[[collider]]\nconvex = { mesh = \"it\", transform = { scale = 0 } }\n", "collider[0].convex.transform.scale"),
        (
            "[[collider]]\nsurface = { inline = { points = [[0, 0, 0]], triangles = [[0, 1, 2]] } }\n",
            "collider[0].surface.inline.triangles[0]",
        ),
        (
            "[[collider]]\nsurface = { inline = { points = [[0, 0, 0]], triangles = [], masses = [1] } }\n",
            "collider[0].surface.inline.masses",
        ),
        ("[[collider]]\nplane = {}\nrestitution = 1.5\n", "collider[0].restitution"),
        ("[[collider]]\nplane = {}\nrolling = -1\n", "collider[0].rolling"),
        ("[contact]\nrestitution = 2\n", "contact.restitution"),
        ("[contact]\ncohesion = -1\n", "contact.cohesion"),
        ("[contact]\nrolling = -1\n", "contact.rolling"),
    ];
    for (text, place) in cases {
        let said = build(text, &ok).err().unwrap_or_default();
        assert!(said.contains(place), "{text}: {said:?}");
    }
    let missing = build("[[collider]]\nconvex = { mesh = \"it\" }\n", &pliant::builder::NoMeshes).err().unwrap();
    assert!(missing.contains("collider[0].convex.mesh"), "{missing}");
}

#[test]
fn r07_open_meshes_are_refused_for_fields_and_fine_as_surfaces() {
    let mut open = cuboid(Vec3::ONE);
    open.triangles.truncate(10);
    let open = Given(open);
    let said = build("[[collider]]\nsdf = { mesh = \"it\" }\n", &open).err().unwrap_or_default();
    assert!(said.contains("collider[0].sdf") && said.contains("a closed surface has 2 at every edge"), "{said:?}");
    assert!(build("[[collider]]\nsurface = { mesh = \"it\" }\n", &open).is_ok());
    assert!(build("[[collider]]\nconvex = { mesh = \"it\" }\n", &open).is_ok());
    // Repairs are noted.
    let mut twice = cuboid(Vec3::ONE);
    twice.triangles.push(twice.triangles[0]);
    let sim = build("[[collider]]\nsurface = { mesh = \"it\" }\n", &Given(twice)).unwrap();
    assert!(sim.model().notes.iter().any(|n| n.contains("collider[0].surface") && n.contains("twice")));
}

#[test]
fn r07_empty_and_non_finite_meshes_are_refused() {
    let broken = |p: Vec3| {
        let mut mesh = cuboid(Vec3::ONE);
        mesh.positions[3] = p;
        Given(mesh)
    };
    for key in ["convex", "surface", "sdf"] {
        let text = format!("[[collider]]\n{key} = {{ mesh = \"it\" }}\n");
        for bad in [Vec3::NAN, Vec3::INFINITY, Vec3::splat(1e20), Vec3::splat(f32::MAX)] {
            let said = build(&text, &broken(bad)).err().unwrap_or_default();
            assert!(said.contains(&format!("collider[0].{key}")), "{key} with {bad}: {said:?}");
        }
        assert!(build(&text, &Given(TriMesh::default())).is_err(), "{key} of nothing");
    }
}

#[test]
fn s17_generated_shapes_are_closed_where_they_should_be() {
    let none = pliant::builder::NoMeshes;
    let torus = "torus = { radius = 0.5, width = 0.2, cells = [24, 4] }";
    for key in ["convex", "surface", "sdf"] {
        for shape in [torus, "figure = { height = 1, cells = 12 }"] {
            assert!(build(&format!("[[collider]]\n{key} = {{ {shape} }}\n"), &none).is_ok(), "{key} of {shape}");
        }
    }
    let bowl = "bowl = { radius = 1, height = 0.5 }";
    assert!(build(&format!("[[collider]]\nsdf = {{ {bowl} }}\n"), &none).is_err());
    assert!(build(&format!("[[collider]]\nsurface = {{ {bowl} }}\n"), &none).is_ok());
}

#[test]
fn s17_a_bowl_has_its_radius_its_rim_and_inward_normals() {
    let spec = pliant::scene::BowlSpec { radius: 0.7, height: 0.9, segments: 32 };
    let mesh = pliant::builder::generate::bowl(&spec);
    let middle = Vec3::Y * 0.7;
    assert!(mesh.positions.iter().all(|p| (p.distance(middle) - 0.7).abs() < 1e-6));
    let top = mesh.positions.iter().map(|p| p.y).fold(0.0, f32::max);
    assert!((top - 0.9).abs() < 1e-6, "{top}");
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
        assert!((b - a).cross(c - a).dot(middle - a) > 0.0);
    }
}

#[test]
fn s17_tables_are_built_once_and_shared() {
    // Every substep takes the shape of every collider; none of them copies its tables.
    let mut sim = build("[[collider]]\nsurface = { mesh = \"it\" }\n", &Given(ball(1.0, 4))).unwrap();
    sim.advance(3).unwrap();
    let pliant::contact::collider_contact::ColliderShape::Surface(table) = &sim.model().colliders[0].shape else {
        panic!()
    };
    // The model and the obstacles of the last substep.
    assert!(std::sync::Arc::strong_count(table) <= 2);
}

#[test]
fn r07_soups_of_triangles_are_surfaces() {
    let mut rng = Rng(53);
    assert!(build("[[collider]]\nsurface = { mesh = \"it\" }\n", &Given(soup(500, &mut rng))).is_ok());
}
