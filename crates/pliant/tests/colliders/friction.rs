//! Particles at rest on colliders, sliding, and carried by moving ones: every shape behaves like the plane or the box.

use crate::support::{ball, cuboid, free_particle, simulate, with_mesh};
use glam::Vec3;
use pliant::World;
use pliant::mesh::TriMesh;

const G: f64 = 9.81;
const MU: f64 = 0.5;

/// The words for a collider of a mesh, in three ways.
const SHAPES: [&str; 3] =
    ["convex = { mesh = \"it\" }", "surface = { mesh = \"it\" }", "sdf = { mesh = \"it\", grid = 48 }"];

fn run(sim: &mut World, steps: u32) {
    sim.advance(steps).unwrap();
}

/// A slab whose top is the plane y = 0, cut into triangles of all shapes.
fn slab() -> TriMesh {
    let mut mesh = cuboid(Vec3::new(8.0, 0.5, 8.0));
    mesh.positions.iter_mut().for_each(|p| p.y -= 0.5);
    // The top is that with corners 2, 6, 7, 3: a fan around a point off its middle in place of two triangles.
    let top: Vec<u32> = vec![2, 6, 7, 3];
    mesh.triangles.retain(|t| !t.iter().all(|v| top.contains(v)));
    mesh.positions.push(Vec3::new(0.31, 0.0, 0.07));
    mesh.triangles.extend((0..4).map(|k| [top[k], top[(k + 1) % 4], 8]));
    mesh
}

#[test]
fn s17_a_dropped_particle_rests_on_hulls_surfaces_and_fields() {
    // The highest points are at y = 0.5: a face, and the top of a ball.
    let raised =
        |mesh: TriMesh| TriMesh { positions: mesh.positions.iter().map(|p| p + Vec3::Y * 0.5).collect(), ..mesh };
    let round = ball(0.5, 4);
    // An icosphere has no corner at its pole: its own highest point there, by brute force over its triangles.
    for (what, mesh, top) in [("slab", raised(slab()), 0.5), ("ball", round.clone(), top_of(&round))] {
        for shape in SHAPES {
            let text = format!(
                "{}[[collider]]\n{shape}\nfriction = {{ static = 9, kinetic = 9 }}\n",
                free_particle([0.0, 1.0, 0.0], "radius = 0.05")
            );
            let mut sim = with_mesh(&text, &mesh, 1);
            let mut lowest = f32::INFINITY;
            for _ in 0..300 {
                run(&mut sim, 1);
                lowest = lowest.min(sim.position(0).y);
            }
            let (x, v) = (sim.position(0), sim.velocity(0));
            // Fields are interpolated over cells of 21 mm: a curvature of 2/m makes 0.2 mm, and the corner of triangles
            // at the pole, whose sides fall off by 2 degrees, is rounded off over 15 mm: 0.5 mm.
            let most = if shape.contains("sdf") && what == "ball" { 8e-4 } else { 2e-5 };
            println!("{what}, {shape}: rests at {x}, was {:.1e} m lower", top + 0.05 - f64::from(lowest));
            assert!((f64::from(x.y) - top - 0.05).abs() < most && x.x.abs() < 2e-3, "{what}, {shape}: rests at {x}");
            assert!(f64::from(lowest) > top + 0.05 - most, "{what}, {shape}: went as low as {lowest}");
            assert!(v.length() < 2e-3, "{what}, {shape}: moves at {v}");
        }
    }
}

/// Height at which a particle of 5 cm touches a ball on the y axis, less its radius.
fn top_of(mesh: &TriMesh) -> f64 {
    let (mut low, mut high) = (0.4, 0.7);
    for _ in 0..60 {
        let middle: f64 = 0.5 * (low + high);
        let apart = crate::support::brute(mesh, glam::DVec3::new(0.0, middle, 0.0));
        (low, high) = if apart < 0.05 { (middle, high) } else { (low, middle) };
    }
    low - 0.05
}

/// Position along the slope and height over it after a second, of a particle on a slope of `degrees`.
fn slide(shape: &str, degrees: f64, speed: f64) -> (f64, f64, f64) {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let text = format!(
        "[solver]\ndt = 0.01\niterations = 4\n[world]\ngravity = [{}, {}, 0]\n{}[[collider]]\n{shape}\n\
         friction = {{ static = {MU}, kinetic = {MU} }}\n",
        G * sin,
        -G * cos,
        free_particle([-1.0, 0.1, 0.3], &format!("radius = 0.1\nvelocity = [{speed}, 0, 0]"))
    );
    let mut sim = with_mesh(&text, &slab(), 1);
    let mut highest = 0.0_f64;
    for _ in 0..100 {
        run(&mut sim, 1);
        highest = highest.max(f64::from(sim.position(0).y) - 0.1);
    }
    (f64::from(sim.position(0).x), f64::from(sim.velocity(0).x), highest)
}

#[test]
fn s17_s18_v06_inclines_of_hulls_surfaces_and_fields_give_the_slide_of_the_plane() {
    for (degrees, speed) in [(20.0, 0.0), (30.0, 0.0), (40.0, 1.0)] {
        let (x, v, _) = slide("plane = {}", degrees, speed);
        for shape in SHAPES {
            let (found, fast, highest) = slide(shape, degrees, speed);
            println!("{degrees}°, {shape}: at {found:.6} m against {x:.6} m, {highest:.1e} m high");
            // A millimeter on four meters, and never off the slope.
            assert!(
                (found - x).abs() < 1e-3 && (fast - v).abs() < 1e-3,
                "{shape}: {found} against {x}, {fast} and {v}"
            );
            assert!(highest < 1e-4, "{shape}: {highest} m above the slope");
        }
    }
}

#[test]
fn s17_s18_moving_hulls_surfaces_and_fields_carry_a_particle_by_friction() {
    for shape in SHAPES {
        let text = format!(
            "[solver]\ndt = 0.002\niterations = 4\n{}[[collider]]\n{shape}\nfriction = {{ static = 0.8, kinetic = 0.8 }}\n\
             motion = {{ keys = {{ frames = [{{ time = 0 }}, {{ time = 2, translate = [1, 0, 0] }}] }} }}\n",
            free_particle([0.0, 0.1, 0.0], "radius = 0.1")
        );
        let mut sim = with_mesh(&text, &slab(), 1);
        run(&mut sim, 500);
        let (lag, exact) = (0.5 - f64::from(sim.position(0).x), 0.25 / (2.0 * 0.8 * G));
        println!("carried by {shape}: lags by {lag:.5} m against {exact:.5} m");
        assert!((lag - exact).abs() < 1e-3, "{shape}: lags by {lag} against {exact}");
        assert!((sim.velocity(0).x - 0.5).abs() < 1e-3, "{shape}: {}", sim.velocity(0));
    }
}

#[test]
fn s17_a_spinning_table_rotates_resting_particles() {
    for shape in SHAPES {
        let text = format!(
            "[solver]\ndt = 0.005\niterations = 4\n{}[[collider]]\n{shape}\nfriction = {{ static = 3, kinetic = 3 }}\n\
             motion = {{ spin = {{ axis = [0, 1, 0], rate = 90 }} }}\n",
            free_particle([1.0, 0.1, 0.0], "radius = 0.1")
        );
        let mut sim = with_mesh(&text, &slab(), 1);
        run(&mut sim, 200);
        // A quarter turn: along −z now, as far from the axis as before, but for the start: friction speeds it up to
        // π/2 m/s with 3·g, so it lags by (π/2)²/(6·g) = 4.2 cm, less by the turn.
        let x = sim.position(0);
        println!("turned by {shape}: {x}");
        let lag = (std::f32::consts::FRAC_PI_2).powi(2) / (6.0 * 9.81);
        assert!((x.x - lag).abs() < 0.005 && (x.x.hypot(x.z) - 1.0).abs() < 2e-3, "{shape}: {x}");
        assert!((x.y - 0.1).abs() < 1e-4, "{shape}: {x}");
    }
}

#[test]
fn s17_colliders_of_every_shape_carry_the_weight_on_them() {
    for shape in SHAPES {
        let text = format!(
            "solver = {{ dt = 0.005, iterations = 8 }}\n[[grains]]\nfill = {{ min = [-0.1, 0, -0.1], max = [0.1, 0.2, 0.1] }}\n\
             radius = 0.02\n[[collider]]\n{shape}\n"
        );
        let mut sim = with_mesh(&text, &slab(), 1);
        run(&mut sim, 400);
        let weight: f64 = (0..sim.particles()).map(|i| G / f64::from(sim.state().rows[i][3])).sum();
        let mut force = 0.0;
        for _ in 0..100 {
            run(&mut sim, 1);
            force += -f64::from(sim.collider_forces()[0].y) / 100.0;
        }
        println!("{shape}: {force:.3} N of {weight:.3} N");
        assert!((force / weight - 1.0).abs() < 0.02, "{shape}: {force} N of {weight} N");
    }
}

#[test]
fn r01_contacts_with_hulls_surfaces_and_fields_have_the_same_bits_on_any_number_of_threads() {
    for shape in SHAPES {
        let text = format!(
            "solver = {{ iterations = 6 }}\n[[cloth]]\ngrid = {{ cells = [30, 30], size = [1, 1], plane = \"xz\" }}\n\
             transform = {{ translate = [-0.5, 0.7, -0.5] }}\n[[grains]]\nfill = {{ min = [-0.2, 0.8, -0.2], max = [0.2, 1, 0.2] }}\n\
             [[collider]]\n{shape}\nrestitution = 0.3\nrolling = 1\nmotion = {{ spin = {{ axis = [1, 1, 0], rate = 200 }} }}\n\
             [contact]\nrestitution = 0.2\ncohesion = 0.5\nrolling = 2\n"
        );
        let hash = |threads: usize| {
            let mut sim = with_mesh(&text, &ball(0.5, 3), threads);
            run(&mut sim, 40);
            sim.hash()
        };
        let one = hash(1);
        assert_eq!([hash(2), hash(3)], [one, one], "{shape}");
    }
}

#[test]
fn s17_scenes_without_tables_have_pinned_hashes() {
    // A floor, a ball, a rod and a box; computed before colliders had tables.
    let text = "solver = { iterations = 6 }\n[[cloth]]\ngrid = { cells = [20, 20], size = [1, 1], plane = \"xz\" }\n\
        transform = { translate = [-0.5, 1, -0.5] }\n[[collider]]\nplane = {}\n[[collider]]\nsphere = { center = [0.1, 0.3, 0], radius = 0.3 }\n\
        motion = { oscillate = { amplitude = [0.1, 0.2, 0.3], period = 0.7 } }\n[[collider]]\ncapsule = { from = [-1, 0.4, 0.3], to = [1, 0.5, 0.3], radius = 0.1 }\n\
        [[collider]]\nbox = { center = [0.2, 0.5, -0.3], size = [0.3, 0.2, 0.4], rotate = { axis = [1, 2, 3], degrees = 40 } }\n\
        motion = { spin = { axis = [0, 1, 0], rate = 90 } }\n";
    let mut sim = simulate(text);
    run(&mut sim, 100);
    assert_eq!(sim.hash(), PINNED, "{:#x}", sim.hash());
}

/// Of the scene above.
const PINNED: u64 = 0x02bf_0971_6942_b0d5;
