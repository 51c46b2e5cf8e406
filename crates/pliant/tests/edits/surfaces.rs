//! Friction and restitution that objects have of their own.

use crate::{options, parse, world};
use pliant::builder::NoMeshes;
use pliant::scene::{Body, BodyModel, Collider, Grains, Liquid, Object, Scene};
use pliant::{CollisionGroups, EditError, Handle, World};

/// A slope of some degrees: gravity along x and −y, with a floor.
fn slope(degrees: f32, more: &str) -> Scene {
    let (sin, cos) = degrees.to_radians().sin_cos();
    parse(&format!(
        "world = {{ gravity = [{}, {}, 0], air_density = 0 }}\nsolver = {{ substeps = 4, iterations = 10 }}\n{more}",
        9.81 * sin,
        -9.81 * cos
    ))
}

fn speed(world: &mut World, object: Handle) -> f64 {
    let found = world.momentum(object).unwrap();
    found.linear.x / found.mass
}

/// A box of 0.2 m that lies on the floor.
fn cube(model: BodyModel) -> Body {
    Body::cuboid([0.2; 3]).model(model).at([0.0, 0.1, 0.0])
}

#[test]
fn friction_of_an_object_and_a_collider_is_the_geometric_mean() {
    // μ = √(0.9·0.4) = 0.6: atan 0.6 is 31°. The collider alone would slip from 22° on, the object alone hold up to 42°.
    for model in [BodyModel::Rigid, BodyModel::Particles] {
        for (degrees, sticks) in [(29.0, true), (33.0, false)] {
            let mut world = world(&slope(degrees, ""));
            world.add(Collider::plane().friction(0.4, 0.4)).unwrap();
            let body = world.add(cube(model).friction(0.9, 0.9)).unwrap();
            world.advance(50).unwrap();
            let (v, angle) = (speed(&mut world, body), f64::from(degrees).to_radians());
            let slides = 9.81 * (angle.sin() - 0.6 * angle.cos()) * 0.5;
            match sticks {
                true => assert!(v.abs() < 1e-3, "{model:?} at {degrees}°: {v}"),
                false => assert!((v / slides - 1.0).abs() < 0.1, "{model:?} at {degrees}°: {v}, {slides} expected"),
            }
        }
    }
}

#[test]
fn friction_of_two_objects_is_the_geometric_mean_with_the_value_of_the_scene() {
    // μ = √(0.1·0.9) = 0.3: 16.7°.
    for model in [BodyModel::Rigid, BodyModel::Particles] {
        for (degrees, sticks) in [(12.0, true), (22.0, false)] {
            let mut world = world(&slope(degrees, "contact = { friction = { static = 0.1, kinetic = 0.1 } }"));
            world.add(Collider::plane().friction(5.0, 5.0)).unwrap();
            let table =
                Body::cuboid([1.6, 0.2, 0.8]).model(model).density(8000.0).at([0.0, 0.1, 0.0]).friction(9.0, 9.0);
            let table = world.add(table).unwrap();
            let body = world.add(cube(model).at([0.0, 0.3, 0.0])).unwrap();
            world.set_friction(table, 0.9, 0.9).unwrap();
            world.advance(30).unwrap();
            let v = speed(&mut world, body) - speed(&mut world, table);
            assert_eq!(v.abs() < 0.05, sticks, "{model:?} at {degrees}°: {v}");
        }
    }
}

#[test]
fn objects_without_their_own_surface_have_the_bits_of_a_scene_without_any() {
    let text = "contact = { friction = { static = 0.3, kinetic = 0.2 }, restitution = 0.3 }\n[[collider]]\nplane = {}\n\
                friction = { static = 0.7, kinetic = 0.6 }\nrestitution = 0.4\n\
                [[body]]\nname = \"a\"\nball = 0.1\ngrid = 4\nvelocity = [1, 0, 0]\ntransform = { translate = [0, 0.3, 0] }\n\
                [[body]]\nname = \"b\"\nbox = [0.2, 0.2, 0.2]\nvelocity = [1, 0, 0]\ntransform = { translate = [0, 0.3, 1] }\n\
                [[grains]]\nname = \"c\"\nradius = 0.04\nfill = { min = [0, 0.5, 0], max = [0.2, 0.7, 0.2] }\n";
    let hash = |text: &str| {
        let mut world = world(&parse(text));
        world.advance(60).unwrap();
        (world.state().rows[..world.particles()].to_vec(), world.state().rigid_bodies.bodies.clone())
    };
    let far = "[[body]]\nname = \"far\"\nball = 0.1\ngrid = 3\ntransform = { translate = [50, 0.1, 0] }\n";
    let without = hash(&format!("{text}{far}"));
    let beside = format!(
        "{text}{far}friction = {{ static = 0.1, kinetic = 0.1 }}\nrestitution = 0.9\ncollision = {{ groups = [1] }}\n"
    );
    let with = hash(&beside);
    let near = without.0.len() - 20;
    assert!(without.0[..near].iter().zip(&with.0).all(|(a, b)| a[0] > 10.0 || a == b));
    assert_eq!(without.1, with.1);
}

/// Height to which something rises again after it has fallen [m].
fn rebound(world: &mut World, object: Handle) -> f32 {
    let mut low = f32::INFINITY;
    let mut high = 0.0_f32;
    for _ in 0..120 {
        world.step().unwrap();
        let y = world.bounds(object).unwrap().0.y;
        if y > low + 1e-3 || high > 0.0 {
            high = high.max(y);
        }
        low = low.min(y);
    }
    high
}

/// A ball of 0.1 m 0.5 m above the ground: a rigid body, a body of particles, or one grain.
fn balls(own: Option<f32>) -> Vec<(&'static str, Object)> {
    let body = |grid: u32| Body { restitution: own, grid, ..Body::ball(0.1).at([0.0, 0.6, 0.0]) };
    let grain = Grains::fill([-0.1, 0.5, -0.1], [0.1, 0.7, 0.1], 0.1);
    let grain = Grains { restitution: own, jitter: 0.0, ..grain };
    vec![("rigid body", body(0).into()), ("grain", grain.into()), ("body of particles", body(5).into())]
}

#[test]
fn restitution_of_a_pair_is_the_larger_one() {
    let bounces = |own: Option<f32>, floor: f32| {
        let bounce = |(_, ball): (&str, Object)| {
            let mut world = world(&parse("world = { air_density = 0 }\nsolver = { substeps = 4, iterations = 8 }"));
            world.add(Collider::plane().restitution(floor)).unwrap();
            let ball = world.add(ball).unwrap();
            rebound(&mut world, ball)
        };
        balls(own).into_iter().map(bounce).collect::<Vec<_>>()
    };
    // e²h of 0.5 m; particles of a body rebound one by one, so that the body does so less.
    let (of_floor, none) = (bounces(None, 0.8), bounces(None, 0.0));
    assert!(of_floor[..2].iter().all(|y| (*y - 0.32).abs() < 0.03), "{of_floor:?}");
    assert!(none.iter().all(|y| *y < 0.03), "{none:?}");
    assert_eq!(bounces(Some(0.8), 0.0), of_floor);
    assert_eq!(bounces(Some(0.2), 0.8), of_floor);
    assert_eq!(bounces(Some(0.8), 0.3), of_floor);
}

#[test]
fn restitution_is_given_to_an_object_and_taken_away_between_steps() {
    for (kind, ball) in balls(None).into_iter().take(2) {
        let mut world = world(&parse("world = { air_density = 0 }\n[[collider]]\nplane = {}"));
        let ball = world.add(ball).unwrap();
        world.step().unwrap();
        let before = world.snapshot().unwrap();
        world.set_restitution(ball, 0.7).unwrap();
        let bouncing = world.snapshot().unwrap();
        let high = rebound(&mut world, ball);
        assert!(high > 0.1, "{kind}: {high}");
        world.restore(&before).unwrap();
        assert!(rebound(&mut world, ball) < 0.03, "{kind}");
        world.restore(&bouncing).unwrap();
        assert_eq!(rebound(&mut world, ball), high, "{kind}");
        world.restore(&before).unwrap();
        let read = world.snapshot_from_bytes(&bouncing.to_bytes()).unwrap();
        world.restore(&read).unwrap();
        assert_eq!(rebound(&mut world, ball), high, "{kind}, from bytes");
    }
}

#[test]
fn particles_of_two_objects_rebound_by_their_own_restitution() {
    let leaves = |e: Option<f32>| {
        let mut world = world(&parse("world = { gravity = [0, 0, 0], air_density = 0 }\nsolver = { substeps = 2 }"));
        let grain = |x: f32, v: f32| Grains {
            restitution: e.filter(|_| x > 0.0),
            velocity: [v, 0.0, 0.0],
            jitter: 0.0,
            ..Grains::fill([x - 0.05, 0.0, 0.0], [x + 0.05, 0.1, 0.1], 0.05)
        };
        world.add(grain(-0.2, 1.0)).unwrap();
        let right = world.add(grain(0.2, -1.0)).unwrap();
        world.advance(40).unwrap();
        speed(&mut world, right)
    };
    assert!(leaves(None).abs() < 0.05, "{}", leaves(None));
    assert!((leaves(Some(0.5)) - 0.5).abs() < 0.02, "{}", leaves(Some(0.5)));
}

#[test]
fn a_sheet_that_vertex_block_descent_solves_slides_by_its_own_friction() {
    let moved = |friction: Option<f32>| {
        let mut world = world(&parse(
            "world = { gravity = [3, -9.81, 0], air_density = 0 }\n[[collider]]\nplane = {}\nfriction = { static = 1, kinetic = 1 }\n\
             [[cloth]]\nname = \"sheet\"\ngrid = { cells = [6, 6], size = [0.5, 0.5], plane = \"xz\" }\n\
             transform = { translate = [0, 0.011, 0] }\nstretch = { modulus = 5000 }\n",
        ));
        let sheet = world.find("sheet").unwrap();
        assert_eq!(world.model().bodies.len(), 1);
        if let Some(mu) = friction {
            world.set_friction(sheet, mu, mu).unwrap();
        }
        world.advance(50).unwrap();
        world.momentum(sheet).unwrap().center.x - 0.25
    };
    assert!(moved(None).abs() < 0.01, "{}", moved(None));
    // μ = √(1·0.0025) = 0.05: a = 3 − 0.05·9.81 = 2.51 m/s².
    let slid = moved(Some(0.0025));
    assert!((slid / (0.5 * 2.51 * 0.25) - 1.0).abs() < 0.1, "{slid}");
}

#[test]
fn wrong_surfaces_are_refused_and_liquids_have_no_friction() {
    let mut world = World::from_scene(&Scene::default(), &NoMeshes, options()).unwrap();
    let ball = world.add(Body::ball(0.1).at([0.0, 1.0, 0.0])).unwrap();
    let water = world.add(Liquid::fill([2.0, 0.0, 0.0], [2.2, 0.2, 0.2])).unwrap();
    for (s, k) in [(-1.0, 0.0), (0.5, 0.6), (f32::NAN, 0.0), (1000.0, 0.0)] {
        let found = world.set_friction(ball, s, k);
        assert!(matches!(&found, Err(EditError::Value(text)) if text.contains("body")), "{found:?}");
    }
    assert!(world.set_restitution(ball, 1.5).is_err());
    assert!(matches!(world.set_friction(water, 0.5, 0.4), Err(EditError::Unsuitable(_))));
    world.set_restitution(water, 0.5).unwrap();
    world.set_friction(ball, 0.5, 0.4).unwrap();
    world.set_collision_groups(water, CollisionGroups::NONE).unwrap();
    world.advance(3).unwrap();
    let bad = "[[body]]\nball = 0.1\nrestitution = 2\n";
    let found = pliant::scene::Scene::parse(bad, pliant::scene::Format::Toml).unwrap_err().to_string();
    assert!(found.contains("body[0].restitution"), "{found}");
}
