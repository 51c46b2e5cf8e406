//! Restitution, cohesion and rolling resistance.

use crate::support::{Rng, cuboid, free_particle, simulate, with_mesh};
use glam::{DVec3, Vec3};
use pliant::World;
use pliant::mesh::TriMesh;

const G: f64 = 9.81;

fn run(sim: &mut World, steps: u32) {
    sim.advance(steps).unwrap();
}

fn mass(sim: &World, i: usize) -> f64 {
    1.0 / f64::from(sim.state().rows[i][3])
}

/// Sum of the momenta, and of their magnitudes [kg·m/s].
fn momentum(sim: &World) -> (DVec3, f64) {
    let one = |i: usize| sim.velocity(i).as_dvec3() * mass(sim, i);
    let all = (0..sim.particles()).map(one);
    all.fold((DVec3::ZERO, 0.0), |(sum, size), p| (sum + p, size + p.length()))
}

/// A slab whose top is the plane y = 0.
fn slab() -> TriMesh {
    let mut mesh = cuboid(Vec3::new(2.0, 0.5, 2.0));
    mesh.positions.iter_mut().for_each(|p| p.y -= 0.5);
    mesh
}

const SHAPES: [&str; 4] =
    ["plane = {}", "convex = { mesh = \"it\" }", "surface = { mesh = \"it\" }", "sdf = { mesh = \"it\", grid = 24 }"];

#[test]
fn s18_a_ball_rebounds_to_e_squared_of_its_height() {
    let drop = 1.0;
    for shape in SHAPES {
        for e in [0.3, 0.6, 0.9, 1.0] {
            // Falling and rising in steps of h each cost g·h/v of the energy: 0.2 % of a fall from 1 m, and 1/e times
            // as much of the rise, with h = 1 ms.
            let text = format!(
                "solver = {{ dt = 0.004, substeps = 4, iterations = 2 }}\n{}[[collider]]\n{shape}\nrestitution = {e}\n",
                free_particle([0.0, 0.1 + drop, 0.0], "radius = 0.1")
            );
            let mut sim = with_mesh(&text, &slab(), 1);
            let (mut fell, mut rebound) = (false, 0.0_f64);
            for _ in 0..((1.0 + e) * (2.0 * drop / G).sqrt() / 0.004 * 1.1) as u32 {
                run(&mut sim, 1);
                fell |= sim.velocity(0).y > 0.0;
                if fell {
                    rebound = rebound.max(f64::from(sim.position(0).y) - 0.1);
                }
            }
            let want = e * e * drop;
            println!("{shape}, e = {e}: {rebound:.4} m of {want:.4} m");
            assert!((rebound / want - 1.0).abs() < 0.02, "{shape}, e = {e}: {rebound} m in place of {want} m");
        }
    }
}

#[test]
fn s18_resting_contacts_do_not_bounce() {
    for shape in SHAPES {
        let text = format!(
            "solver = {{ dt = 0.01, iterations = 4 }}\n{}[[collider]]\n{shape}\nrestitution = 1\n",
            free_particle([0.0, 0.1, 0.0], "radius = 0.1")
        );
        let mut sim = with_mesh(&text, &slab(), 1);
        for _ in 0..200 {
            run(&mut sim, 1);
            let (x, v) = (sim.position(0), sim.velocity(0));
            assert!((x.y - 0.1).abs() < 1e-5 && v.length() < 1e-3, "{shape}: {x} at {v}");
        }
    }
}

#[test]
fn s18_a_moving_wall_returns_a_ball_at_its_own_speed_more() {
    // In the wall's frame the ball comes at 3 + 2 m/s and leaves at e times that: e·5 + 3 in the world's.
    for shape in ["plane = { normal = [0, 1, 0] }", "surface = { mesh = \"it\" }"] {
        let text = format!(
            "solver = {{ dt = 0.002, iterations = 2 }}\nworld = {{ gravity = [0, 0, 0] }}\n{}[[collider]]\n{shape}\nrestitution = 0.5\n\
             motion = {{ keys = {{ frames = [{{ time = 0 }}, {{ time = 1, translate = [0, 3, 0] }}] }} }}\n",
            free_particle([0.0, 1.0, 0.0], "radius = 0.1\nvelocity = [0, -2, 0]")
        );
        let mut sim = with_mesh(&text, &slab(), 1);
        run(&mut sim, 200);
        let v = sim.velocity(0).y;
        assert!((v - 5.5).abs() < 1e-3, "{shape}: {v} m/s");
    }
}

/// Two grains on the x axis that collide.
fn two(more: &str, density: f64, v: [f64; 2]) -> World {
    simulate(&format!(
        "solver = {{ dt = 0.005, iterations = 4 }}\nworld = {{ gravity = [0, 0, 0] }}\ncontact = {{ omega = 1, {more} }}\n\
         [[grains]]\nname = \"a\"\nfill = {{ min = [-0.22, 0, 0], max = [-0.18, 0.04, 0.04] }}\njitter = 0\nvelocity = [{}, 0, 0]\n\
         [[grains]]\nname = \"b\"\nfill = {{ min = [0.18, 0, 0], max = [0.22, 0.04, 0.04] }}\njitter = 0\ndensity = {density}\nvelocity = [{}, 0, 0]\n",
        v[0], v[1]
    ))
}

#[test]
fn s18_grains_collide_with_newtons_restitution() {
    for e in [0.25, 0.7, 1.0] {
        for (density, v) in [(2600.0, [2.0, -1.0]), (7800.0, [2.0, 0.0])] {
            let mut sim = two(&format!("restitution = {e}"), density, v);
            run(&mut sim, 80);
            let (m1, m2) = (mass(&sim, 0), mass(&sim, 1));
            let common = (m1 * v[0] + m2 * v[1]) / (m1 + m2);
            let want = [common - m2 / (m1 + m2) * e * (v[0] - v[1]), common + m1 / (m1 + m2) * e * (v[0] - v[1])];
            for (i, want) in want.into_iter().enumerate() {
                let found = f64::from(sim.velocity(i).x);
                assert!((found - want).abs() < 1e-4, "e = {e}, grain {i}: {found} m/s and not {want} m/s");
            }
        }
    }
}

#[test]
fn s18_rebounds_cohesion_and_rolling_between_many_grains_keep_momentum() {
    for more in ["restitution = 0.8", "rolling = 20", "cohesion = 5", "restitution = 0.5, rolling = 5, cohesion = 2"] {
        let mut text = format!(
            "solver = {{ dt = 0.005, iterations = 6 }}\nworld = {{ gravity = [0, 0, 0] }}\ncontact = {{ {more} }}\n"
        );
        let mut rng = Rng(47);
        for side in [-1.0, 1.0] {
            let (p, v) = (DVec3::new(side * 0.25, 0.02 * side, 0.0), rng.cube(0.3) - DVec3::X * side * 2.0);
            text += &format!(
                "[[grains]]\nfill = {{ min = [-0.1, -0.1, -0.1], max = [0.1, 0.1, 0.1] }}\nradius = 0.02\ndensity = {}\n\
                 transform = {{ translate = [{}, {}, {}] }}\nvelocity = [{}, {}, {}]\n",
                2000.0 + 800.0 * side,
                p.x,
                p.y,
                p.z,
                v.x,
                v.y,
                v.z
            );
        }
        let mut sim = simulate(&text);
        let (before, size) = momentum(&sim);
        let mut met = 0;
        for _ in 0..60 {
            run(&mut sim, 1);
            met = met.max(sim.contact_pairs().len());
        }
        assert!(met > 20, "{more}: only {met} contacts");
        let off = (momentum(&sim).0 - before).length() / size;
        println!("{more}: momentum off by {off:.1e}");
        assert!(off < 1e-5, "{more}: momentum is off by {off}");
    }
}

#[test]
fn s18_rolling_resistance_slows_only_tangential_motion() {
    for shape in SHAPES {
        let text = format!(
            "solver = {{ dt = 0.005, iterations = 2 }}\n{}[[collider]]\n{shape}\nfriction = {{ static = 0, kinetic = 0 }}\nrolling = 2\n",
            free_particle([-1.0, 0.1, 0.0], "radius = 0.1\nvelocity = [1, 0, 0]")
        );
        let mut sim = with_mesh(&text, &slab(), 1);
        run(&mut sim, 200);
        let (v, want) = (f64::from(sim.velocity(0).x), (-2.0_f64).exp());
        assert!((v / want - 1.0).abs() < 2e-3, "{shape}: {v} m/s and not {want} m/s");
        // A grain flying above it is not slowed.
        let mut sim = with_mesh(&text.replace("0.1, 0", "0.2, 0").replace("dt = 0.005", "dt = 0.0001"), &slab(), 1);
        run(&mut sim, 100);
        assert_eq!(sim.velocity(0).x, 1.0, "{shape}");
    }
}

/// A grain of 2 cm under one that is held, with so much work of adhesion: where it is after a second.
fn hanging(cohesion: f64) -> f64 {
    let mut sim = simulate(&format!(
        "solver = {{ dt = 0.005, iterations = 8 }}\ncontact = {{ cohesion = {cohesion} }}\n\
         [[rope]]\npath = [[0.02, 1.06, 0.02], [9, 1.06, 0.02]]\nsegments = 1\nradius = 0.02\npin = [{{ at = \"all\" }}]\n\
         [[grains]]\nfill = {{ min = [0, 1, 0], max = [0.04, 1.04, 0.04] }}\njitter = 0\n"
    ));
    run(&mut sim, 200);
    f64::from(sim.position(2).y)
}

#[test]
fn s18_cohesion_holds_a_grain_up_to_two_pi_w_r() {
    // 2600 kg/m³ times 4/3·π·(2 cm)³ weigh 0.8546 N; two equal spheres have R = 1 cm: w = 13.60 J/m².
    let weight = 2600.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.02_f64.powi(3) * G;
    let limit = weight / (std::f64::consts::TAU * 0.01);
    let (held, fallen) = (hanging(limit * 1.05), hanging(limit * 0.95));
    println!("{limit:.2} J/m²: held at {held:.4} m, fallen to {fallen:.4} m");
    assert!((held - 1.02).abs() < 4e-4, "hangs at {held} m");
    assert!(fallen < 0.9, "did not fall: {fallen} m");
    assert!(hanging(0.0) < -3.0);
}

#[test]
fn s18_a_cohesive_heap_without_friction_holds_where_a_dry_one_spreads() {
    // Mean distance from the axis of grains without friction, after a second and after a second and a half.
    let spread = |cohesion: f64| {
        let none = "friction = { static = 0, kinetic = 0 }";
        let mut sim = simulate(&format!(
            "solver = {{ dt = 0.005, iterations = 12 }}\ncontact = {{ cohesion = {cohesion}, {none} }}\n\
             [[grains]]\nfill = {{ min = [-0.1, 0, -0.1], max = [0.1, 0.2, 0.1] }}\nradius = 0.02\n[[collider]]\nplane = {{}}\n{none}\n"
        ));
        [200, 100].map(|steps| {
            run(&mut sim, steps);
            let away = |i: usize| f64::from(sim.position(i).x.hypot(sim.position(i).z));
            (0..sim.particles()).map(away).sum::<f64>() / sim.particles() as f64
        })
    };
    let [dry, damp, wet] = [0.0, 15.0, 150.0].map(spread);
    println!("grains without friction spread to {dry:.3?} m, {damp:.3?} m and {wet:.3?} m");
    assert!(dry[1] > 1.4 * dry[0], "dry grains go on at their speed: {dry:?}");
    assert!(damp[1] < 0.85 * dry[1], "{damp:?} against {dry:?}");
    assert!(wet[1] < 0.3 * dry[1] && wet[1] < 1.02 * wet[0], "wet grains have come to rest together: {wet:?}");
}

#[test]
fn s18_a_bounce_keeps_e_squared_of_the_energy() {
    // In the frame of their common center two grains keep e² of their energy.
    for e in [0.5, 1.0] {
        let mut sim = two(&format!("restitution = {e}"), 2600.0, [1.5, -1.5]);
        let energy = |sim: &World| (0..2).map(|i| sim.velocity(i).as_dvec3().length_squared()).sum::<f64>();
        let before = energy(&sim);
        run(&mut sim, 80);
        let share = energy(&sim) / before;
        assert!((share - e * e).abs() < 1e-3, "e = {e}: {share}");
    }
}
