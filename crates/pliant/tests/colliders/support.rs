//! Scenes from text and one mesh, random numbers, and distances by brute force in double precision.

use glam::{DVec3, Vec3};
use pliant::builder::MeshSource;
use pliant::contact::collider_contact::ColliderShape;
use pliant::mesh::{TetMesh, TriMesh};
use pliant::scene::{Format, Scene};
use pliant::{Options, World};

/// The one mesh that a scene can name.
pub struct Given(pub TriMesh);

impl MeshSource for Given {
    fn triangles(&self, _: &str) -> Result<TriMesh, String> {
        Ok(self.0.clone())
    }
    fn tets(&self, _: &str) -> Result<TetMesh, String> {
        Err("no tets here".to_owned())
    }
}

pub fn with_mesh(text: &str, mesh: &TriMesh, threads: usize) -> World {
    let scene = Scene::parse(text, Format::Toml).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let options = Options { threads, ..Options::default() };
    World::from_scene(&scene, &Given(mesh.clone()), options).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

pub fn simulate(text: &str) -> World {
    with_mesh(text, &TriMesh::default(), 1)
}

/// The shape that the build makes of a mesh: "convex", "surface" or "sdf".
pub fn shaped(key: &str, mesh: &TriMesh, more: &str) -> ColliderShape {
    let text = format!("[[rope]]\npath = [[0, 9, 0], [1, 9, 0]]\n[[collider]]\n{key} = {{ mesh = \"it\"{more} }}\n");
    with_mesh(&text, mesh, 1).model().colliders[0].shape.clone()
}

/// Numbers that look random.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A vector with components between −size and size.
    pub fn cube(&mut self, size: f64) -> DVec3 {
        (DVec3::new(self.next(), self.next(), self.next()) * 2.0 - 1.0) * size
    }
}

/// A cuboid of these half extents around the origin.
pub fn cuboid(half: Vec3) -> TriMesh {
    let corner = |k: u32| half * Vec3::from([0, 1, 2].map(|b| if k >> b & 1 == 0 { -1.0 } else { 1.0 }));
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriMesh { positions: (0..8).map(corner).collect(), triangles }
}

/// A ball of triangles.
pub fn ball(radius: f32, subdivisions: u32) -> TriMesh {
    pliant::builder::generate::icosphere(&pliant::scene::IcosphereSpec { radius, subdivisions })
}

/// Triangles thrown into a cube, unrelated to each other.
pub fn soup(count: u32, rng: &mut Rng) -> TriMesh {
    let mut mesh = TriMesh::default();
    for k in 0..count {
        let middle = rng.cube(1.0);
        let size = 0.05 + 0.4 * rng.next();
        mesh.positions.extend((0..3).map(|_| (middle + rng.cube(size)).as_vec3()));
        mesh.triangles.push([3 * k, 3 * k + 1, 3 * k + 2]);
    }
    mesh
}

pub fn corners(mesh: &TriMesh, t: &[u32; 3]) -> [DVec3; 3] {
    t.map(|v| mesh.positions[v as usize].as_dvec3())
}

/// Distance of a point from a triangle: to its plane where the foot is inside, else to its edges.
pub fn distance(&[a, b, c]: &[DVec3; 3], p: DVec3) -> f64 {
    let normal = (b - a).cross(c - a).normalize();
    let foot = p - normal * normal.dot(p - a);
    let inside = |u: DVec3, v: DVec3| (v - u).cross(foot - u).dot(normal) >= 0.0;
    if inside(a, b) && inside(b, c) && inside(c, a) {
        return foot.distance(p);
    }
    let edge = |u: DVec3, v: DVec3| {
        let s = ((p - u).dot(v - u) / (v - u).length_squared()).clamp(0.0, 1.0);
        (u + (v - u) * s).distance(p)
    };
    edge(a, b).min(edge(b, c)).min(edge(c, a))
}

/// Distance of a point from a mesh, by looking at every triangle.
pub fn brute(mesh: &TriMesh, p: DVec3) -> f64 {
    mesh.triangles.iter().map(|t| distance(&corners(mesh, t), p)).fold(f64::INFINITY, f64::min)
}

/// A particle at `at` [m] whose spring to another, far away, exerts no force that could be seen.
pub fn free_particle(at: [f64; 3], more: &str) -> String {
    let [x, y, z] = at;
    format!(
        "[[rope]]\npath = [[{x}, {y}, {z}], [{x}, {y}, {far}]]\nsegments = 1\nparticle_mass = 1\n\
         stretch = {{ compliance = 1e12 }}\n{more}\n",
        far = z + 100.0
    )
}
