//! Random scenes of every kind of object: finite, equal bits on any number of threads, momentum and energy as they must be.
//! `PLIANT_SCENES=10000` runs more.

use glam::DVec3;
use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene};
use pliant::{Options, World};
use std::fmt::Write;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }

    fn between(&mut self, a: f32, b: f32) -> f32 {
        a + (b - a) * self.below(1 << 20) as f32 / (1 << 20) as f32
    }

    fn vector(&mut self, most: f32) -> String {
        let mut next = || self.between(-most, most);
        format!("[{:.3}, {:.3}, {:.3}]", next(), next(), next())
    }
}

/// A scene, and whether nothing but gravity acts on it from outside.
fn scene(random: &mut Random) -> (String, bool) {
    let free = random.below(2) == 0;
    let mut text = "output = { width = 64, height = 48 }\n".to_owned();
    // Without air nothing is lost.
    let _ = writeln!(text, "world = {{ gravity = {}, air_density = 0 }}", random.vector(10.0));
    let mut wet = false;
    for slot in 0..1 + random.below(3) {
        // Each in a place of its own: what overlaps at the start is pushed apart, which is no law of mechanics.
        let place = format!("transform = {{ translate = [{}, 1.5, 0] }}\n", 3 * slot);
        let velocity = format!("velocity = {}\n", random.vector(2.0));
        let stretch = match random.below(3) {
            0 => String::new(),
            1 => format!("stretch = {{ compliance = {:e} }}\n", 10_f32.powf(random.between(-7.0, -3.0))),
            _ => format!("stretch = {{ modulus = {:e} }}\n", 10_f32.powf(random.between(3.0, 6.0))),
        };
        let pin = if free || random.below(2) == 0 { "" } else { "pin = [{ particles = [0] }]\n" };
        let cells = 1 + random.below(4);
        let object = match random.below(9) {
            0 => format!("[[cloth]]\ngrid = {{ cells = [{cells}, 3], size = [1, 1] }}\n{stretch}{pin}"),
            1 => format!("[[rope]]\npath = [[0, 0, 0], [1, 0.2, 0]]\nsegments = {}\n{stretch}{pin}", cells + 2),
            2 => format!("[[soft]]\nblock = {{ cells = [{cells}, 2, 1], size = [1, 0.8, 0.5] }}\n{stretch}{pin}"),
            3 => format!(
                "[[soft]]\nblock = {{ cells = [2, {cells}, 1], size = [0.8, 1, 0.5] }}\nfem = {{ young = 1e4, poisson = 0.3 }}\n{pin}"
            ),
            4 => format!("[[inflatable]]\nsphere = {{ radius = 0.6, subdivisions = 1 }}\n{stretch}{pin}"),
            5 => format!("[[body]]\nbox = [0.5, {:.2}, 0.8]\n", random.between(0.1, 1.0)),
            6 => format!("[[body]]\nball = 0.5\ngrid = {}\n", cells + 1),
            7 => "[[grains]]\nradius = 0.1\nfill = { min = [0, 0, 0], max = [0.6, 0.4, 0.4] }\n".to_owned(),
            _ => {
                wet = true;
                "[[liquid]]\nfill = { min = [0, 0, 0], max = [0.4, 0.3, 0.3] }\n".to_owned()
            }
        };
        text.push_str(&object);
        text.push_str(&velocity);
        text.push_str(&place);
    }
    if !free && random.below(2) == 0 {
        text.push_str("[[collider]]\nplane = { offset = -1 }\n");
    }
    text.push_str("[fluid]\nradius = 0.05\n");
    (text, free && !wet)
}

fn world(scene: &Scene, threads: usize) -> World {
    World::from_scene(scene, &NoMeshes, Options { threads, ..Options::default() }).unwrap()
}

#[test]
fn r01_random_scenes_are_finite_deterministic_and_keep_momentum_and_energy() {
    let scenes = std::env::var("PLIANT_SCENES").ok().and_then(|n| n.parse().ok()).unwrap_or(150);
    let mut random = Random(17);
    let mut free_ones = 0;
    for number in 0..scenes {
        let (text, free) = scene(&mut random);
        let scene = Scene::parse(&text, Format::Toml).unwrap_or_else(|e| panic!("scene {number}: {e}\n{text}"));
        let mut one = world(&scene, 1);
        let start = one.probe();
        let steps = 8;
        one.advance(steps).unwrap_or_else(|e| panic!("scene {number}: {e}\n{text}"));
        let end = one.probe();
        let numbers = [end.kinetic, end.gravitational, end.elastic].into_iter().chain(end.linear).chain(end.angular);
        assert!(numbers.into_iter().all(f64::is_finite), "scene {number}: {end:?}\n{text}");
        if number % 3 == 0 {
            let mut three = world(&scene, 3);
            three.advance(steps).unwrap();
            assert_eq!(one.hash(), three.hash(), "scene {number} depends on the number of threads\n{text}");
        }
        if !free {
            continue;
        }
        free_ones += 1;
        // The momentum is that of a fall; single precision and a few dozen particles leave a millionth per step.
        let (mass, time) = (start.mass, one.time());
        let fall = DVec3::from_array(scene.world.gravity.map(f64::from)) * mass * time;
        let expected = DVec3::from_array(start.linear) + fall;
        let error = (DVec3::from_array(end.linear) - expected).length();
        let scale = (2.0 * mass * (start.kinetic + end.kinetic)).sqrt() + fall.length();
        assert!(error < 1e-4 * scale + 1e-9, "scene {number}: momentum is off by {error} of {scale}\n{text}");
        // Implicit steps lose energy and make none. What a step changes by gravity is known to first order.
        let (before, after) =
            (start.kinetic + start.gravitational + start.elastic, end.kinetic + end.gravitational + end.elastic);
        let scale = start.kinetic + end.kinetic + start.elastic + end.elastic + fall.length_squared() / mass.max(1e-9);
        assert!(
            after < before + 0.02 * scale + 1e-9,
            "scene {number}: {} J were made of {scale}\n{text}",
            after - before
        );
    }
    assert!(free_ones > scenes / 5, "{free_ones} of {scenes} are free");
}
