//! Grains: collisions, piles, friction.

use crate::support::{center, deepest, energy, mass, members, momentum, simulate, with_threads};
use pliant::World;

fn run(sim: &mut World, steps: u32) {
    sim.advance(steps).unwrap();
}

#[test]
fn s10_two_grains_collide_inelastically() {
    let mut sim = simulate(
        "solver = { iterations = 4 }\nworld = { gravity = [0, 0, 0] }\ncontact = { omega = 1 }
         [[grains]]\nname = \"a\"\nfill = { min = [-0.22, 0, 0], max = [-0.18, 0.04, 0.04] }\njitter = 0\nvelocity = [2, 0, 0]
         [[grains]]\nname = \"b\"\nfill = { min = [0.18, 0, 0], max = [0.22, 0.04, 0.04] }\njitter = 0\ndensity = 7800\n",
    );
    assert_eq!(sim.particles(), 2);
    run(&mut sim, 60);
    // Without restitution the mass of both has one velocity: 2 m/s × 1 / (1 + 3).
    for i in 0..2 {
        assert!((sim.velocity(i).x - 0.5).abs() < 1e-4, "{:?}", sim.velocity(i));
    }
    assert!((sim.position(0).distance(sim.position(1)) - 0.04).abs() < 1e-6);
}

/// Every kind of object flies at every other: nothing but contact acts.
#[test]
fn s10_collisions_of_all_kinds_keep_momentum() {
    let kinds = [
        ("grains", "[[grains]]\nfill = { min = [-0.1, -0.1, -0.1], max = [0.1, 0.1, 0.1] }\nradius = 0.02\n"),
        ("body", "[[body]]\nball = 0.12\ngrid = 6\n"),
        (
            "cloth",
            "[[cloth]]\ngrid = { cells = [10, 10], size = [0.3, 0.3] }\nradius = 0.015\ndrag = 0\nlift = 0\ntransform = { translate = [-0.15, -0.15, 0] }\n",
        ),
        (
            "rope",
            "[[rope]]\npath = [[-0.2, 0, 0], [0.2, 0, 0]]\nsegments = 16\nradius = 0.02\nbend = { compliance = 0.1 }\n",
        ),
        (
            "soft",
            "[[soft]]\nblock = { cells = [4, 4, 4], size = [0.2, 0.2, 0.2] }\nradius = 0.025\ntransform = { translate = [-0.1, -0.1, -0.1] }\n",
        ),
    ];
    for (a, first) in kinds {
        for (b, second) in kinds {
            let mut text = "solver = { iterations = 6, sleep_speed = 0 }\nworld = { gravity = [0, 0, 0], air_density = 0, damping = 0 }\ncontact = { between = true }\n".to_owned();
            text += first;
            text += "velocity = [0, 0, 1.5]\nname = \"first\"\n";
            // The second one in front of it, flying back.
            text += &match second.split_once("translate = [") {
                None => format!("{second}transform = {{ translate = [0.03, 0.02, 0.35] }}\n"),
                Some((head, tail)) => {
                    let (place, rest) = tail.split_once(']').unwrap();
                    let p: Vec<f32> = place.split(',').map(|x| x.trim().parse().unwrap()).collect();
                    format!("{head}translate = [{}, {}, {}]{rest}", p[0] + 0.03, p[1] + 0.02, p[2] + 0.35)
                }
            };
            text += "velocity = [0.2, 0, -1.5]\nname = \"second\"\n";
            let mut sim = simulate(&text);
            let (before, size) = momentum(&sim);
            let mut met = false;
            // A quarter of a second: they collide and separate; later effects of rounding on soft bodies are not
            // contact.
            for _ in 0..25 {
                run(&mut sim, 1);
                met |= !sim.contact_pairs().is_empty();
            }
            let off = (momentum(&sim).0 - before).length() / size;
            println!("{a} and {b}: momentum off by {off:.1e}");
            assert!(met, "{a} and {b} have missed each other");
            assert!(off < 1e-5, "{a} and {b}: momentum is off by {off}");
        }
    }
}

const HEAP: &str = "
    solver = { dt = 0.005, iterations = 8, sleep_speed = 0 }
    contact = { friction = { static = 0.6, kinetic = 0.5 } }
    [[grains]]
    fill = { min = [-0.12, 0, -0.12], max = [0.12, 0.4, 0.12] }
    radius = 0.02
    [[collider]]
    plane = {}
    friction = { static = 0.6, kinetic = 0.5 }
";

#[test]
fn s10_a_pile_weighs_on_the_floor_what_its_grains_weigh() {
    let mut sim = simulate(HEAP);
    run(&mut sim, 500);
    let weight: f64 = (0..sim.particles()).map(|i| mass(&sim, i) * 9.81).sum();
    let mut force = 0.0;
    for _ in 0..100 {
        run(&mut sim, 1);
        force += -f64::from(sim.collider_forces()[0].y) / 100.0;
    }
    let probe = sim.probe();
    println!("{} grains of {weight:.2} N push with {force:.2} N; {} contacts", sim.particles(), probe.contacts);
    assert!((force / weight - 1.0).abs() < 0.01, "{force} N of {weight} N");
    let inside = deepest(&sim);
    assert!(inside < 0.05, "grains are {inside} of their distance inside each other");
}

#[test]
fn s10_a_pile_at_rest_gains_no_energy() {
    let mut sim = simulate(HEAP);
    run(&mut sim, 400);
    let scale = energy(&sim);
    let mut least = scale;
    for step in 0..200 {
        run(&mut sim, 1);
        let now = energy(&sim);
        assert!(now < least + 1e-3 * scale, "step {step}: {least} J to {now} J of {scale} J");
        least = least.min(now);
    }
    println!("{scale:.3} J, {:.3} J a second later", energy(&sim));
}

/// Slope of a heap's side [degrees], as if it were a cone: its center of mass is at a quarter of the height, and its
/// grains are half the radius from the axis on average.
fn slope(friction: f32) -> f64 {
    let text = HEAP.replace("static = 0.6, kinetic = 0.5", &format!("static = {friction}, kinetic = {friction}"));
    let mut sim = simulate(&text);
    run(&mut sim, 500);
    let all: Vec<usize> = (0..sim.particles()).collect();
    let (middle, _) = center(&sim, &all);
    let away = |i: usize| {
        let p = sim.position(i).as_dvec3() - middle;
        p.x.hypot(p.z)
    };
    let radius = 2.0 * all.iter().map(|&i| away(i)).sum::<f64>() / all.len() as f64;
    (4.0 * (middle.y - 0.02)).atan2(radius).to_degrees()
}

#[test]
fn s18_the_slope_of_a_heap_rises_with_friction() {
    let slopes = [0.0, 0.3, 0.9].map(slope);
    println!("slopes at friction 0, 0.3 and 0.9: {slopes:.1?} degrees");
    assert!(slopes[0] < 4.0 && slopes[1] > slopes[0] + 3.0 && slopes[2] > slopes[1] + 3.0, "{slopes:?}");
}

#[test]
fn r01_grains_and_bodies_have_the_same_bits_on_one_thread_and_on_three() {
    let text =
        format!("{HEAP}\n[[body]]\nbox = [0.1, 0.1, 0.1]\ngrid = 4\ntransform = {{ translate = [0, 0.5, 0] }}\n");
    let hash = |threads: usize| {
        let mut sim = with_threads(&text, threads);
        run(&mut sim, 60);
        sim.hash()
    };
    assert_eq!(hash(1), hash(3));
    assert_eq!(hash(2), hash(2));
}

#[test]
fn s10_mass_scaling_lets_a_column_stand_higher() {
    let column = |stacking: f32| {
        let text = format!(
            "solver = {{ iterations = 4, sleep_speed = 0 }}\ncontact = {{ stacking = {stacking} }}
             [[grains]]\nname = \"column\"\nfill = {{ min = [0, 0, 0], max = [0.04, 1.2, 0.04] }}\njitter = 0
             [[collider]]\nplane = {{}}\n"
        );
        let mut sim = simulate(&text);
        run(&mut sim, 40);
        let top = *members(&sim, "column").last().unwrap();
        f64::from(sim.position(top).y)
    };
    let (plain, scaled) = (column(0.0), column(5.0));
    println!("the top of a column of 30 grains, 1.18 m at first: {plain:.3} m, {scaled:.3} m with scaled masses");
    assert!(scaled > plain + 0.2, "{plain} m, {scaled} m");
}

#[test]
fn s10_a_self_colliding_cloth_rests_in_layers() {
    // A strip falls on its edge and folds; without contact it goes through itself and lies flat on the floor.
    let height = |itself: bool| {
        let text = format!(
            "solver = {{ dt = 0.002, iterations = 10 }}\ncontact = {{ itself = {itself}, omega = 1 }}\nworld = {{ air_density = 0 }}
             [[cloth]]\ngrid = {{ cells = [8, 80], size = [0.2, 2.0] }}\nradius = 0.0125\nstretch = {{ compliance = 1e-6 }}
             transform = {{ translate = [0, 0.05, 0], rotate = {{ axis = [1, 0, 0], degrees = 8 }} }}
             [[collider]]\nplane = {{}}\n"
        );
        let mut sim = simulate(&text);
        run(&mut sim, 1250);
        let mean: f64 =
            (0..sim.particles()).map(|i| f64::from(sim.position(i).y)).sum::<f64>() / sim.particles() as f64;
        (mean, run_through(&sim, 8))
    };
    let ((flat, through), (layers, inside)) = (height(false), height(true));
    println!("without contact {flat:.4} m high on average, {through:.2} of the near pairs inside each other");
    println!("with contact {layers:.4} m, {inside:.3}");
    assert!(layers > 1.5 * flat, "{flat} m, {layers} m");
    // Particles that get past each other's middle stay there.
    assert!(inside < 0.5 * through, "{inside} of the near pairs are inside each other, {through} without contact");
}

/// Of the pairs of a strip's particles that are within a diameter and a quarter, but far apart along it, those that are
/// less than half a diameter apart.
fn run_through(sim: &World, cells: usize) -> f64 {
    let (across, diameter) = (cells + 1, 2.0 * f64::from(sim.state().radii[0]));
    let (mut near, mut inside) = (0, 0);
    for i in 0..sim.particles() {
        for j in (0..i).filter(|j| (i / across).abs_diff(j / across) > 4) {
            let apart = f64::from(sim.position(i).distance(sim.position(j))) / diameter;
            near += usize::from(apart < 1.25);
            inside += usize::from(apart < 0.5);
        }
    }
    inside as f64 / near.max(1) as f64
}
