//! Fast particles and fast colliders: no tunneling through a sheet of zero thickness.

use crate::support::{Rng, free_particle, simulate, with_mesh};
use glam::{DVec3, Vec3};
use pliant::World;
use pliant::mesh::TriMesh;

fn run(sim: &mut World, steps: u32) {
    sim.advance(steps).unwrap();
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

#[test]
fn s17_t12_fast_grains_do_not_cross_a_thin_bowl() {
    // A bowl without thickness, of 1 m radius. Grains of 1 cm come at 100 m/s: 1.7 m in a step, from inside toward all
    // sides, and from outside toward it.
    let mut rng = Rng(43);
    for radius in [0.01, 0.03] {
        let mut text = "solver = { dt = 0.016666667, iterations = 4 }\ncontact = { between = false }\n[[collider]]\n\
            surface = { bowl = { radius = 1, height = 1.6, segments = 40 } }\n"
            .to_owned();
        let mut inside = Vec::new();
        for k in 0..60 {
            let (within, direction) = (k % 2 == 0, rng.cube(1.0).normalize());
            // The center of the sphere is at (0, 1, 0), its opening above 1.6 m.
            let down = DVec3::new(direction.x, -direction.y.abs(), direction.z);
            let (p, v) =
                if within { (rng.cube(0.3), down * 100.0) } else { (down * 1.3 + rng.cube(0.1), -down * 100.0) };
            inside.push(within);
            let p = p + DVec3::Y;
            text += &format!(
                "[[grains]]\nfill = {{ min = [{}, {}, {}], max = [{}, {}, {}] }}\nradius = {radius}\njitter = 0\nvelocity = [{}, {}, {}]\n",
                p.x - radius,
                p.y - radius,
                p.z - radius,
                p.x + 1.01 * radius,
                p.y + 1.01 * radius,
                p.z + 1.01 * radius,
                v.x,
                v.y,
                v.z
            );
        }
        let mut sim = simulate(&text);
        assert_eq!(sim.particles(), 60);
        for step in 0..240 {
            run(&mut sim, 1);
            for (i, &within) in inside.iter().enumerate() {
                let p = sim.position(i);
                let away = p.distance(Vec3::Y);
                // Below the rim it is on the side where it was. Triangles are up to 4 mm inside of the sphere.
                if p.y < 1.5 {
                    assert_eq!(away < 1.0, within, "grain {i} at {p} after step {step}");
                }
                // From outside they are stopped at the bowl and fall: none gets over the rim.
                assert!(within || p.y < 1.5, "grain {i} from outside is at {p} after step {step}");
            }
        }
        let kept = (0..60).filter(|&i| inside[i] && sim.position(i).distance(Vec3::Y) < 1.0).count();
        println!("radius {radius}: {kept} of 30 grains lie in the bowl after 4 s");
    }
}

#[test]
fn s17_the_time_of_impact_stops_a_fast_particle_where_it_crosses() {
    // 100 m/s straight down onto a sheet, 0.7 m above it: it must be at its radius after the step, on the spot.
    for radius in [0.0_f64, 0.001, 0.05] {
        let text = format!(
            "solver = {{ dt = 0.016666667, iterations = 3 }}\nworld = {{ gravity = [0, 0, 0] }}\n{}[[collider]]\nsurface = {{ mesh = \"it\" }}\n\
             friction = {{ static = 0, kinetic = 0 }}\n",
            free_particle([0.2, 0.7, 0.1], &format!("radius = {radius}\nvelocity = [30, -100, 6]"))
        );
        let mut sim = with_mesh(&text, &sheet(5.0), 1);
        run(&mut sim, 1);
        let x = sim.position(0);
        // Without friction it slides on: 0.5 m and 0.1 m along the sheet in the step.
        // A hundred-thousandth of the sheet's diagonal at least.
        let least = radius.max(1.41e-4);
        assert!((x - Vec3::new(0.7, least as f32, 0.2)).length() < 1e-4, "radius {radius}: {x}");
        assert!(x.y > 0.0);
        run(&mut sim, 1);
        assert!((sim.velocity(0) - Vec3::new(30.0, 0.0, 6.0)).length() < 0.1, "{}", sim.velocity(0));
    }
}

#[test]
fn s17_a_fast_sheet_carries_particles_along() {
    // A sheet goes up at 60 m/s, a meter in a step, past a particle at rest: it must be lifted, from either side.
    for (height, way) in [(0.5, 1.0), (-0.5, -1.0)] {
        let text = format!(
            "solver = {{ dt = 0.016666667, iterations = 3 }}\nworld = {{ gravity = [0, 0, 0] }}\n{}[[collider]]\nsurface = {{ mesh = \"it\" }}\n\
             motion = {{ keys = {{ frames = [{{ time = 0 }}, {{ time = 0.2, translate = [0, {}, 0] }}] }} }}\n",
            free_particle([0.2, height, 0.1], "radius = 0.02"),
            12.0 * way
        );
        let mut sim = with_mesh(&text, &sheet(5.0), 1);
        run(&mut sim, 6);
        let (x, there) = (f64::from(sim.position(0).y), 6.0 * way);
        assert!((x - there - 0.02 * way).abs() < 1e-3, "{x} m, but the sheet is at {there} m");
    }
}

#[test]
fn s17_a_rotating_paddle_sweeps_particles() {
    // Half a turn per second about an edge: 3 degrees a step; the particle at 4 m moves 0.2 m a step, ten times its
    // size.
    let mesh = TriMesh {
        positions: [[0.0, -1.0], [20.0, -1.0], [20.0, 1.0], [0.0, 1.0]].map(|[x, z]| Vec3::new(x, 0.0, z)).to_vec(),
        triangles: vec![[0, 2, 1], [0, 3, 2]],
    };
    let text = format!(
        "solver = {{ dt = 0.016666667, iterations = 3 }}\nworld = {{ gravity = [0, 0, 0] }}\n{}[[collider]]\nsurface = {{ mesh = \"it\" }}\n\
         motion = {{ spin = {{ axis = [0, 0, 1], rate = 180 }} }}\n",
        free_particle([3.9, 0.6, 0.0], "radius = 0.02")
    );
    let mut sim = with_mesh(&text, &mesh, 1);
    for _ in 0..20 {
        run(&mut sim, 1);
        let x = sim.position(0);
        let angle = std::f64::consts::PI * sim.time();
        // Above the paddle, which turns counter-clockwise, all the time.
        let above = f64::from(x.y) * angle.cos() - f64::from(x.x) * angle.sin();
        assert!(above > 0.019, "at {x}, {above} m above the paddle");
    }
}

#[test]
fn s17_closed_surfaces_hold_from_inside_and_from_outside() {
    // Grains in a box that is shaken by two meters a step, and around it.
    let text = "solver = { dt = 0.016666667, iterations = 4 }\nworld = { gravity = [0, -9.81, 0] }\n\
        [[grains]]\nfill = { min = [-0.4, -0.4, -0.4], max = [0.4, 0, 0.4] }\nradius = 0.05\n\
        [[collider]]\nsurface = { mesh = \"it\" }\nmotion = { oscillate = { amplitude = [3, 8, 1], period = 0.4 } }\n";
    let mut sim = with_mesh(text, &crate::support::cuboid(Vec3::splat(0.5)), 1);
    let n = sim.particles();
    for step in 0..120 {
        run(&mut sim, 1);
        let pose = sim.model().colliders[0].motion.pose(sim.time());
        for i in 0..n {
            let p = pose.inward(sim.position(i));
            assert!(p.abs().max_element() < 0.5, "grain {i} of {n} is at {p} after step {step}");
        }
    }
}

#[test]
fn s17_s19_a_fast_rigid_body_does_not_tunnel_through_a_sheet() {
    // 40 m/s: two thirds of a meter in a step, more than the box is long. Shape matching has the last word in an
    // iteration, but not over the surface.
    let text = "solver = { dt = 0.016666667, iterations = 8 }\n\
        [[body]]\nbox = [0.3, 0.3, 0.3]\ngrid = 6\ntransform = { translate = [0, 0.9, 0], rotate = { axis = [1, 2, 3], degrees = 40 } }\n\
        velocity = [3, -40, 0]\n[[collider]]\nsurface = { mesh = \"it\" }\n";
    let mut sim = with_mesh(text, &sheet(20.0), 1);
    for step in 0..120 {
        run(&mut sim, 1);
        let low = (0..sim.particles()).map(|i| sim.position(i).y).fold(f32::INFINITY, f32::min);
        assert!(low > 0.0, "a particle is {low} m below the sheet after step {step}");
    }
    // It lies on the sheet in its own shape: half of its height is 15 cm, or more on an edge.
    let middle = (0..sim.particles()).map(|i| sim.position(i).y).sum::<f32>() / sim.particles() as f32;
    println!("a body of 30 cm lies with its middle at {middle} m");
    assert!((0.14..0.27).contains(&middle), "{middle} m");
}
