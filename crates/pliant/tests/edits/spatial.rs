//! Rays, nearest points and overlaps against every kind of object, compared with a search over all primitives.

use crate::{parse, world};
use glam::Vec3;
use pliant::scene::{Body, Cloth, Collider, Scene};
use pliant::{Feature, Hit, World};

const EVERYTHING: &str = r#"
    [[cloth]]
    name = "cloth"
    grid = { cells = [12, 12], size = [1, 1] }
    transform = { translate = [0, 0.5, 0] }
    pin = [{ at = "top edge" }]
    [[rope]]
    name = "rope"
    path = [[2, 1, 0], [3, 1, 0]]
    segments = 20
    radius = 0.03
    pin = [{ at = "start" }]
    [[soft]]
    name = "soft"
    block = { cells = [3, 3, 3], size = [0.5, 0.5, 0.5] }
    transform = { translate = [4, 0.6, 0] }
    [[inflatable]]
    name = "balloon"
    sphere = { radius = 0.3, subdivisions = 2 }
    transform = { translate = [-2, 0.5, 0] }
    [[body]]
    name = "body"
    box = [0.4, 0.4, 0.4]
    grid = 4
    transform = { translate = [-4, 0.5, 0] }
    [[grains]]
    name = "sand"
    fill = { min = [-6.2, 0.1, -0.2], max = [-5.8, 0.5, 0.2] }
    radius = 0.03
    [[liquid]]
    name = "water"
    fill = { min = [6, 0, 0], max = [6.3, 0.3, 0.3] }
    [fluid]
    radius = 0.03
    [[collider]]
    name = "floor"
    plane = { offset = -0.5 }
    [[collider]]
    name = "ball"
    sphere = { center = [8, 0.5, 0], radius = 0.4 }
    motion = { oscillate = { amplitude = [0, 0.1, 0], period = 1 } }
    [[collider]]
    name = "bowl"
    surface = { bowl = { radius = 0.6, height = 0.4, segments = 24 }, transform = { translate = [10, 0, 0] } }
    [[collider]]
    name = "torus"
    sdf = { torus = { radius = 0.5, width = 0.2, cells = [32, 3] }, transform = { translate = [12, 0.2, 0] } }
    [[collider]]
    name = "tube"
    cylinder = { from = [14, 0, 0], to = [14, 1, 0], radius = 0.3 }
    [[collider]]
    name = "hull"
    convex = { points = [[16, 0, 0], [17, 0, 0], [16, 1, 0], [16, 0, 1]] }
"#;

/// Numbers from 0 to 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1_u64 << 24) as f32
    }

    fn within(&mut self, low: Vec3, high: Vec3) -> Vec3 {
        low + (high - low) * Vec3::new(self.next(), self.next(), self.next())
    }
}

/// Distance at which a ray meets triangles, by a search over all of them in double precision.
fn slow_ray(world: &World, origin: Vec3, direction: Vec3) -> f64 {
    let (o, d) = (origin.as_dvec3(), direction.as_dvec3().normalize());
    let at = |i: u32| world.position(i as usize).as_dvec3();
    let mut best = f64::INFINITY;
    for t in &world.model().topology.triangles {
        let [a, b, c] = t.map(at);
        let n = (b - a).cross(c - a);
        let along = (a - o).dot(n) / d.dot(n);
        let p = o + d * along;
        let inside = [(a, b), (b, c), (c, a)].iter().all(|&(u, v)| (v - u).cross(p - u).dot(n) >= 0.0);
        if inside && along >= 0.0 {
            best = best.min(along);
        }
    }
    best
}

#[test]
fn rays_find_every_kind_of_object() {
    let mut world = world(&parse(EVERYTHING));
    world.advance(3).unwrap();
    let names = [
        ("cloth", 0.5, 0.7),
        ("rope", 2.5, 1.0),
        ("soft", 4.2, 0.8),
        ("balloon", -2.0, 0.5),
        ("body", -4.045, 0.55),
        ("sand", -6.0, 0.3),
        ("water", 6.15, 0.1),
        ("ball", 8.0, 0.5),
        ("bowl", 10.1, 0.05),
        ("torus", 12.5, 0.2),
        ("tube", 14.0, 0.5),
        ("hull", 16.2, 0.2),
    ];
    for (name, x, y) in names {
        let expected = world.find(name).unwrap();
        // From in front and, except for what lies on the floor, from above.
        let rays =
            [(Vec3::new(x + 0.003, y + 0.002, 9.0), Vec3::NEG_Z), (Vec3::new(x + 0.003, 9.0, 0.011), Vec3::NEG_Y)];
        for (origin, direction) in rays {
            if name == "cloth" && direction == Vec3::NEG_Y || name == "bowl" && direction == Vec3::NEG_Z {
                continue;
            }
            let hit = world.ray_cast(origin, direction, 100.0).unwrap();
            let hit = hit.unwrap_or_else(|| panic!("{name}: nothing"));
            assert_eq!(world.name(hit.object).unwrap(), name, "{hit:?}");
            assert_eq!(hit.object, expected);
            assert!(hit.normal.dot(direction) < 1e-3 && (hit.normal.length() - 1.0).abs() < 1e-3, "{name}: {hit:?}");
            assert!((hit.point - origin - direction * hit.distance).length() < 1e-4);
        }
    }
    let floor = world.ray_cast(Vec3::new(30.0, 2.0, 3.0), Vec3::NEG_Y, 100.0).unwrap().unwrap();
    assert_eq!(world.name(floor.object).unwrap(), "floor");
    assert!((floor.distance - 2.5).abs() < 1e-5);
    assert_eq!(world.ray_cast(Vec3::new(30.0, 2.0, 3.0), Vec3::NEG_Y, 2.0).unwrap(), None);
    assert_eq!(world.ray_cast(Vec3::new(30.0, 2.0, 3.0), Vec3::Y, 100.0).unwrap(), None);
}

#[test]
fn rays_agree_with_a_search_over_all_triangles() {
    let mut scene = parse(EVERYTHING);
    (scene.collider, scene.grains, scene.body, scene.rope, scene.liquid) = Default::default();
    let mut world = world(&scene);
    let mut random = Random(7);
    let (mut hits, rays) = (0, 2000);
    for k in 0..rays {
        // The tree is refitted as objects move.
        if k % 500 == 250 {
            world.advance(4).unwrap();
        }
        let origin = random.within(Vec3::new(-3.0, -1.0, -3.0), Vec3::new(5.0, 2.0, 3.0));
        let target = random.within(Vec3::new(-2.3, 0.0, -0.3), Vec3::new(4.6, 1.5, 0.5));
        let direction = (target - origin).normalize();
        let expected = slow_ray(&world, origin, direction);
        let found = world.ray_cast(origin, direction, 100.0).unwrap();
        match found {
            Some(hit) => {
                hits += 1;
                // Rays along edges may be seen by one and not by the other; what is seen is there.
                assert!(f64::from(hit.distance) <= expected + 1e-3, "ray {k}: {} instead of {expected}", hit.distance);
                let Feature::Triangle { particles, weights } = hit.feature else { panic!("{hit:?}") };
                let point: Vec3 = (0..3).map(|c| world.position(particles[c] as usize) * weights[c]).sum();
                assert!((point - hit.point).length() < 1e-4, "ray {k}: {point} instead of {}", hit.point);
            }
            None => assert!(expected.is_infinite(), "ray {k} misses a triangle at {expected} m"),
        }
    }
    assert!(hits > rays / 8, "{hits} of {rays} rays hit something");
}

#[test]
fn nearest_points_and_overlaps_are_those_of_a_search_over_all() {
    let mut world = world(&parse(EVERYTHING));
    world.advance(3).unwrap();
    let mut random = Random(3);
    for _ in 0..500 {
        let p = random.within(Vec3::new(-7.0, -0.4, -1.0), Vec3::new(18.0, 1.5, 1.0));
        let hit: Hit = world.closest_point(p, 50.0).unwrap().expect("something is near");
        assert!((hit.point + hit.normal * hit.distance - p).length() < 2e-3, "{hit:?} at {p}");
        // No particle without triangles is nearer.
        let state = world.state();
        let bare = |i: usize| {
            !["cloth", "soft", "balloon"]
                .contains(&world.model().topology.object_names[world.model().topology.objects[i] as usize].as_str())
        };
        let least = (0..world.particles()).filter(|&i| bare(i)).map(|i| world.position(i).distance(p) - state.radii[i]);
        let least = least.fold(f32::INFINITY, f32::min);
        assert!(hit.distance <= least + 1e-5, "{hit:?} at {p}, but a particle is {least} m away");
        let found = world.overlap_sphere(p, hit.distance.max(0.0) + 1e-3).unwrap();
        assert!(found.contains(&hit.object), "{hit:?} is not among {found:?}");
        if hit.distance > 0.01 {
            assert!(world.overlap_sphere(p, 0.9 * hit.distance).unwrap().is_empty(), "{hit:?}");
        }
    }
    assert_eq!(world.overlap_sphere(Vec3::new(0.0, 0.0, 0.0), 100.0).unwrap(), world.objects());
    assert_eq!(world.closest_point(Vec3::new(0.0, 60.0, 0.0), 10.0).unwrap(), None);
}

#[test]
fn r06_queries_refuse_what_is_no_number() {
    let mut world = world(&Scene::default());
    assert_eq!(world.ray_cast(Vec3::ZERO, Vec3::X, 10.0), Ok(None));
    assert!(world.ray_cast(Vec3::ZERO, Vec3::ZERO, 10.0).is_err());
    assert!(world.ray_cast(Vec3::NAN, Vec3::X, 10.0).is_err());
    assert!(world.ray_cast(Vec3::ZERO, Vec3::X, f32::NAN).is_err());
    assert!(world.closest_point(Vec3::INFINITY, 1.0).is_err());
    assert!(world.overlap_sphere(Vec3::ZERO, -1.0).is_err());
    // What was added just now is found, and what was removed is not.
    let ball = world.add(Body::ball(0.2).grid(5)).unwrap();
    let hit = world.ray_cast(Vec3::new(0.0, 5.0, 0.0), Vec3::NEG_Y, 10.0).unwrap().unwrap();
    assert_eq!(hit.object, ball);
    world.remove(ball).unwrap();
    assert_eq!(world.ray_cast(Vec3::new(0.0, 5.0, 0.0), Vec3::NEG_Y, 10.0), Ok(None));
    let cloth = world.add(Cloth::flat([4, 4], [1.0, 1.0])).unwrap();
    world.add(Collider::plane()).unwrap();
    let hit = world.ray_cast(Vec3::new(0.3, 5.0, 0.3), Vec3::NEG_Y, 10.0).unwrap().unwrap();
    assert_eq!(hit.object, cloth);
}
