//! Energies, forces and densities of objects by handle, and materials by handle.

use crate::{parse, world};
use glam::Vec3;
use pliant::constraints::{ConstraintKind, Softness};
use pliant::scene::{Body, Collider, Inflatable, Liquid, Rope, Scene};
use pliant::{EditError, World};

#[test]
fn energy_of_a_falling_body_is_kept_and_its_weight_is_on_the_floor() {
    let mut scene = Scene::default();
    scene.world.air_density = 0.0;
    let mut world = world(&scene);
    let floor = world.add(Collider::plane()).unwrap();
    let ball = world.add(Body::ball(0.1).at([0.0, 3.0, 0.0])).unwrap();
    let crate_ = world.add(Body::cuboid([0.3; 3]).grid(3).at([2.0, 0.151, 0.0])).unwrap();
    let start = world.energy(ball).unwrap();
    let mass = world.momentum(ball).unwrap().mass;
    assert_eq!(start.kinetic, 0.0);
    assert!((start.potential - mass * 9.81 * 3.0).abs() < 1e-3 * start.potential, "{start:?}");
    world.advance(40).unwrap();
    let now = world.energy(ball).unwrap();
    assert!((now.kinetic - 0.5 * mass * (9.81_f64 * 0.4).powi(2)).abs() < 0.02 * now.kinetic, "{now:?}");
    assert!((now.kinetic + now.potential - start.potential).abs() < 0.02 * start.potential, "{now:?}");
    world.advance(20).unwrap();
    let weight = 9.81 * world.momentum(crate_).unwrap().mass as f32;
    let force = world.collider_force(floor).unwrap();
    assert!((force.y + weight).abs() < 0.05 * weight, "{force} N instead of {weight} N");
    assert!(matches!(world.collider_force(ball), Err(EditError::Unsuitable(_))));
    world.remove(ball).unwrap();
    assert_eq!(world.energy(ball), Err(EditError::Stale));
}

#[test]
fn density_at_a_point_is_that_of_the_liquid() {
    let mut world = world(&parse("[fluid]\nradius = 0.02"));
    assert_eq!(world.density_at(Vec3::ZERO).unwrap(), 0.0);
    world.add(Liquid::fill([-0.4; 3], [0.4; 3])).unwrap();
    let inside = world.density_at(Vec3::new(0.03, -0.02, 0.01)).unwrap();
    assert!((inside - 1000.0).abs() < 20.0, "{inside}");
    assert_eq!(world.density_at(Vec3::new(3.0, 0.0, 0.0)).unwrap(), 0.0);
    assert!(world.density_at(Vec3::NAN).is_err());
}

#[test]
fn materials_are_changed_by_handle() {
    let mut world = world(&parse("world = { gravity = [0, 0, 0] }"));
    let rope = world.add(Rope::along(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], 6)).unwrap();
    let ball = world.add(Inflatable::sphere(0.3, 2).at([3.0, 0.0, 0.0])).unwrap();
    let soft = |world: &mut World, c| world.set_object_softness(rope, ConstraintKind::Stretch, Softness::compliance(c));
    assert_eq!(soft(&mut world, 1e-3), Ok(6));
    world.add(Body::ball(0.1).at([-3.0, 0.0, 0.0])).unwrap();
    // A build keeps it, also where objects have other numbers.
    world.step().unwrap();
    let view: Vec<f32> = world.constraints(ConstraintKind::Stretch).map(|c| c.params[1]).collect();
    assert!(view.contains(&1e-3), "{view:?}");
    let before = world.volumes()[0];
    world.set_object_pressure(ball, 1.5).unwrap();
    world.advance(30).unwrap();
    assert!(world.volumes()[0] > 1.1 * before, "{} m³, {before} m³ before", world.volumes()[0]);
    assert!(matches!(world.set_object_pressure(rope, 1.5), Err(EditError::Unsuitable(_))));
    assert!(matches!(world.set_object_pressure(ball, f32::NAN), Err(EditError::Value(_))));
    world.set_object_phase(rope, 7).unwrap();
    let range = world.particles_of(rope).unwrap();
    assert!(world.state().phases[range].iter().all(|&phase| phase == 7));
    assert!(world.set_object_phase(rope, u32::MAX).is_err());
    world.remove(rope).unwrap();
    assert_eq!(soft(&mut world, 1e-3), Err(EditError::Stale));
}
