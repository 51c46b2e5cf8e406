//! Contacts and forces of objects by handle: what is at rest is held with its weight.

use crate::{parse, world};
use glam::Vec3;
use pliant::scene::{Body, Collider, Grains, Scene};
use pliant::{EditError, Handle, World};

/// A stack of two crates on a floor, at rest; `particles`: the upper one is made of particles.
fn stack(particles: bool) -> (World, [Handle; 3]) {
    let mut world = world(&Scene::default());
    let floor = world.add(Collider::plane()).unwrap();
    let lower = world.add(Body::cuboid([0.5; 3]).density(600.0).at([0.0, 0.25, 0.0])).unwrap();
    let upper = Body::cuboid([0.4; 3]).density(400.0).at([0.02, 0.7, 0.0]);
    let upper = world.add(if particles { upper.grid(4) } else { upper }).unwrap();
    world.advance(120).unwrap();
    (world, [floor, lower, upper])
}

fn weight(world: &mut World, object: Handle) -> f32 {
    9.81 * world.momentum(object).unwrap().mass as f32
}

#[test]
fn a_floor_carries_the_weight_of_rigid_bodies_with_any_substeps() {
    for solver in ["", "[solver]\nsubsteps = 4\niterations = 4", "[solver]\ndt = 2e-3"] {
        let mut world = world(&parse(solver));
        let floor = world.add(Collider::plane()).unwrap();
        let wall = world.add(Collider::cuboid([5.0, 0.0, 0.0], [1.0; 3])).unwrap();
        let a = world.add(Body::cuboid([0.5; 3]).density(600.0).at([0.0, 0.25, 0.0])).unwrap();
        let b = world.add(Body::ball(0.2).at([2.0, 0.2, 0.0])).unwrap();
        world.advance(100).unwrap();
        let expected = weight(&mut world, a) + weight(&mut world, b);
        let force = world.collider_force(floor).unwrap();
        assert!((force.y + expected).abs() < 0.01 * expected, "{solver}: {force} N, weight {expected} N");
        assert_eq!(world.collider_force(wall).unwrap(), Vec3::ZERO);
    }
}

#[test]
fn friction_on_a_slope_is_part_of_the_force_on_it() {
    let tilt = 15.0_f32;
    let (sin, cos) = tilt.to_radians().sin_cos();
    let mut world = world(&Scene::default());
    let slope = world.add(Collider::half_space([-sin, cos, 0.0], 0.0).friction(0.6, 0.5)).unwrap();
    let there = [-0.1 * sin, 0.1 * cos, 0.0];
    let body = world.add(Body::cuboid([0.4, 0.2, 0.4]).rotated([0.0, 0.0, 1.0], tilt).at(there)).unwrap();
    world.advance(100).unwrap();
    let expected = weight(&mut world, body);
    let force = world.collider_force(slope).unwrap();
    assert!((force + Vec3::Y * expected).length() < 0.02 * expected, "{force} N, weight {expected} N");
    // Normal force and friction are those of the incline.
    let points = world.contacts(body).unwrap();
    let pressure: f32 = points.iter().map(|p| p.normal_force).sum();
    let friction: Vec3 = points.iter().map(|p| p.friction).sum();
    assert!((pressure - expected * cos).abs() < 0.02 * expected, "{pressure} N");
    assert!((friction.length() - expected * sin).abs() < 0.02 * expected, "{friction} N");
    assert!(points.iter().all(|p| p.other == slope && (p.normal - Vec3::new(-sin, cos, 0.0)).length() < 0.01));
}

#[test]
fn contacts_of_an_object_have_its_neighbors_places_and_forces() {
    for particles in [false, true] {
        let (mut world, [floor, lower, upper]) = stack(particles);
        let (top, whole) = (weight(&mut world, upper), weight(&mut world, upper) + weight(&mut world, lower));
        // Particles and rigid bodies react in the next substep: the force of a moment trembles about its mean.
        let (steps, mut means) = (if particles { 100 } else { 1 }, [Vec3::ZERO; 2]);
        let mut forces = means;
        for _ in 0..steps {
            world.step().unwrap();
            forces = [Vec3::ZERO; 2];
            for point in world.contacts(lower).unwrap() {
                let (k, height) = if point.other == floor { (0, 0.0) } else { (1, 0.5) };
                assert!(k == 0 || point.other == upper);
                forces[k] += point.force();
                assert!((point.position.y - height).abs() < 0.02, "{point:?}");
                assert!(point.position.x.abs() < 0.27 && point.position.z.abs() < 0.27, "{point:?}");
                assert!((point.normal - Vec3::Y * if k == 0 { 1.0 } else { -1.0 }).length() < 0.05, "{point:?}");
            }
            (0..2).for_each(|k| means[k] += forces[k] / steps as f32);
        }
        assert!((means[0].y - whole).abs() < 0.05 * whole, "{means:?}, {whole} N, particles: {particles}");
        assert!((means[1].y + top).abs() < 0.08 * top, "{means:?}, {top} N, particles: {particles}");
        // Seen from the other side they are opposite.
        let of_floor: Vec3 = world.contacts(floor).unwrap().iter().map(|p| p.force()).sum();
        assert!((of_floor + forces[0]).length() < 1e-3 * whole, "{of_floor}");
        let of_top: Vec3 = world.contacts(upper).unwrap().iter().map(|p| p.force()).sum();
        assert!((of_top + forces[1]).length() < 1e-3 * whole, "{of_top}");
    }
}

#[test]
fn contacts_between_grains_name_the_grains_of_both_objects() {
    let mut world = world(&Scene::default());
    let floor = world.add(Collider::plane()).unwrap();
    let low = world.add(Grains::fill([-0.05, 0.0, -0.05], [0.05, 0.1, 0.05], 0.05)).unwrap();
    let high = world.add(Grains::fill([-0.05, 0.1, -0.05], [0.05, 0.2, 0.05], 0.05)).unwrap();
    world.advance(60).unwrap();
    let points = world.contacts(high).unwrap();
    assert!(points.iter().any(|p| p.other == low || p.other == floor), "{points:?}");
    assert!(points.iter().all(|p| p.normal_force >= 0.0 && (p.normal.length() - 1.0).abs() < 1e-3), "{points:?}");
    world.remove(high).unwrap();
    assert!(matches!(world.contacts(high), Err(EditError::Stale)));
}
