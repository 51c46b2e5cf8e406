//! Fast particles and fast colliders on the GPU: no tunneling through a sheet of zero thickness; spheres at rest and
//! restitution.

use crate::samples::Rng;
use crate::shared_device::device;
use crate::simulations::{on_gpu, ready, scene, software};
use crate::skip::skipped;
use glam::Vec3;
use pliant::builder::MeshSource;
use pliant::mesh::{TetMesh, TriMesh};
use pliant::runtime::gpu::GpuOptions;
use pliant::{Options, World};

/// The one mesh that a scene can name.
struct Given(TriMesh);

impl MeshSource for Given {
    fn triangles(&self, _: &str) -> Result<TriMesh, String> {
        Ok(self.0.clone())
    }
    fn tets(&self, _: &str) -> Result<TetMesh, String> {
        Err("no tets here".to_owned())
    }
}

fn with_mesh(text: &str, mesh: &TriMesh) -> World {
    let (options, device) = (Options { threads: 1, ..Options::default() }, device(GpuOptions::default()).unwrap());
    let made = World::on_device(&scene(text, &[]), &Given(mesh.clone()), options, &device);
    made.unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// A square sheet in the plane y = 0.
fn sheet(half: f32) -> TriMesh {
    TriMesh {
        positions: [[-half, -half], [half, -half], [half, half], [-half, half]]
            .map(|[x, z]| Vec3::new(x, 0.0, z))
            .to_vec(),
        triangles: vec![[0, 2, 1], [0, 3, 2]],
    }
}

/// A box of these half extents.
fn cuboid(half: Vec3) -> TriMesh {
    let corner = |k: u32| half * Vec3::from([0, 1, 2].map(|b| if k >> b & 1 == 0 { -1.0 } else { 1.0 }));
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriMesh { positions: (0..8).map(corner).collect(), triangles }
}

fn lowest(sim: &World) -> f32 {
    (0..sim.particles()).map(|i| sim.position(i).y).fold(f32::INFINITY, f32::min)
}

#[test]
fn s17_t12_fast_objects_do_not_tunnel_through_a_thin_sheet_on_the_gpu() {
    if !ready() {
        return;
    }
    // 40 to 100 m/s: up to 1.7 m in a step, forty times a grain's diameter and more than the body is long.
    let head = "solver = { dt = 0.016666667, iterations = 6, patch_particles = 80 }\n";
    let grains = "[[grains]]\nfill = { min = [-0.3, 0.2, -0.3], max = [0.3, 0.6, 0.3] }\nradius = 0.02\nvelocity = [20, -100, 8]\n";
    let body = "[[body]]\nbox = [0.3, 0.3, 0.3]\ngrid = 6\nvelocity = [3, -60, 0]\n\
        transform = { translate = [0, 0.9, 0], rotate = { axis = [1, 2, 3], degrees = 40 } }\n";
    let cloth = "[[cloth]]\ngrid = { cells = [20, 20], size = [1, 1], plane = \"xz\" }\nradius = 0.01\nvelocity = [5, -40, 0]\n\
        transform = { translate = [-0.5, 0.5, -0.5], rotate = { axis = [1, 0, 0], degrees = 20 } }\n";
    for (what, between) in [(grains, true), (grains, false), (body, true), (cloth, true), (cloth, false)] {
        let contact = format!("contact = {{ between = {between} }}\n");
        let text = format!("{head}{contact}{what}[[collider]]\nsurface = {{ mesh = \"it\" }}\n");
        let mut sim = with_mesh(&text, &sheet(200.0));
        let mut least = f32::INFINITY;
        for step in 0..30 {
            sim.step().unwrap();
            least = least.min(lowest(&sim));
            assert!(least > 0.0, "{what}: a particle is {least} m below the sheet after step {step}");
        }
        let pushed = sim.collider_forces()[0].y;
        println!("{} particles, between {between}: lowest at {least} m, {pushed} N on the sheet", sim.particles());
        assert!(least < 0.05, "{what}: nothing has come down");
    }
}

#[test]
fn s17_t12_fast_grains_do_not_cross_a_thin_bowl_on_the_gpu() {
    if !ready() {
        return;
    }
    // A bowl without thickness, of 1 m radius around (0, 1, 0), its rim at 1.6 m. Grains come at 100 m/s, 1.7 m in a step,
    // from inside toward all sides, and from outside toward it.
    let mut rng = Rng(43);
    let mut text = "solver = { dt = 0.016666667, iterations = 4 }\ncontact = { between = false }\n[[collider]]\n\
        surface = { bowl = { radius = 1, height = 1.6, segments = 40 } }\n"
        .to_owned();
    for k in 0..60 {
        let direction = rng.cube(1.0).normalize();
        let down = glam::DVec3::new(direction.x, -direction.y.abs(), direction.z);
        let p = if k % 2 == 0 { rng.cube(0.3) } else { down * 1.3 + rng.cube(0.1) } + glam::DVec3::Y;
        let v = down * if k % 2 == 0 { 100.0 } else { -100.0 };
        let (low, high) = (p - 0.01, p + 0.0101);
        text += &format!(
            "[[grains]]\nfill = {{ min = [{}, {}, {}], max = [{}, {}, {}] }}\nradius = 0.01\njitter = 0\nvelocity = [{}, {}, {}]\n",
            low.x, low.y, low.z, high.x, high.y, high.z, v.x, v.y, v.z
        );
    }
    let mut sim = on_gpu(&scene(&text, &[]), GpuOptions::default()).unwrap();
    assert_eq!(sim.particles(), 60);
    for step in 0..120 {
        sim.step().unwrap();
        for i in 0..60 {
            let p = sim.position(i);
            let (within, away) = (i % 2 == 0, p.distance(Vec3::Y));
            if p.y < 1.5 {
                assert_eq!(away < 1.0, within, "grain {i} at {p} after step {step}");
            }
            assert!(within || p.y < 1.5, "grain {i} from outside is at {p} after step {step}");
        }
    }
}

#[test]
fn s17_a_shaken_box_of_triangles_keeps_its_grains_on_the_gpu() {
    if !ready() {
        return;
    }
    let text = "solver = { dt = 0.016666667, iterations = 4 }\n\
        [[grains]]\nfill = { min = [-0.4, -0.4, -0.4], max = [0.4, 0, 0.4] }\nradius = 0.05\n\
        [[collider]]\nsurface = { mesh = \"it\" }\nmotion = { oscillate = { amplitude = [3, 8, 1], period = 0.4 } }\n";
    let mut sim = with_mesh(text, &cuboid(Vec3::splat(0.5)));
    for step in 0..60 {
        sim.step().unwrap();
        let pose = sim.model().colliders[0].motion.pose(sim.time());
        for i in 0..sim.particles() {
            let p = pose.inward(sim.position(i));
            assert!(p.abs().max_element() < 0.5, "grain {i} is at {p} after step {step}");
        }
    }
}

#[test]
fn s17_s18_balls_rest_on_and_rebound_from_every_shape_on_the_gpu() {
    if !ready() {
        return;
    }
    if software() {
        return skipped("1,600 substeps of a rebound are too long for a software driver");
    }
    let mut slab = cuboid(Vec3::new(2.0, 0.5, 2.0));
    slab.positions.iter_mut().for_each(|p| p.y -= 0.5);
    for shape in ["convex = { mesh = \"it\" }", "surface = { mesh = \"it\" }", "sdf = { mesh = \"it\", grid = 24 }"] {
        // As on the CPU: steps of 1 ms cost 0.2 % of a fall from 1 m.
        let text = format!(
            "solver = {{ dt = 0.004, substeps = 4, iterations = 2 }}\ncontact = {{ between = false }}\n[[grains]]\n\
             fill = {{ min = [-0.1, 1, -0.1], max = [0.101, 1.201, 0.101] }}\nradius = 0.1\njitter = 0\n\
             [[collider]]\n{shape}\nrestitution = 0.6\n"
        );
        let mut sim = with_mesh(&text, &slab);
        let (mut fell, mut rebound) = (false, 0.0_f64);
        // Heights are looked at every 12 ms: the top is missed by 0.2 mm at most.
        for _ in 0..67 {
            sim.advance(3).unwrap();
            fell |= sim.velocity(0).y > 0.0;
            rebound = rebound.max(if fell { f64::from(sim.position(0).y) - 0.1 } else { 0.0 });
        }
        assert!((rebound / 0.36 - 1.0).abs() < 0.02, "{shape}: {rebound} m");
        let mut sim = with_mesh(&text.replace("restitution = 0.6", ""), &slab);
        sim.advance(150).unwrap();
        assert_eq!(sim.particles(), 1);
        let (x, force) = (sim.position(0), sim.collider_forces()[0].y * sim.state().rows[0][3]);
        println!("{shape}: rebounds to {rebound:.4} m, rests at {x} with {force} N/kg");
        assert!((x.y - 0.1).abs() < 1e-4 && (force / -9.81 - 1.0).abs() < 1e-2, "{shape}: {x}, {force} N/kg");
    }
}
