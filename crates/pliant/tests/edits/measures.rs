//! Energies, forces and densities of objects by handle, and materials by handle.

use crate::{parse, world};
use glam::Vec3;
use pliant::constraints::{ConstraintKind, Softness};
use pliant::scene::{Body, Collider, Elasticity, Inflatable, Liquid, Rope, Scene, Soft};
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

#[test]
fn materials_by_number_refuse_what_is_no_number_and_no_object() {
    let text = "[[inflatable]]\nsphere = { radius = 0.3, subdivisions = 1 }\n[[grains]]\nradius = 0.03\npour = { from = [3, 1, 0], radius = 0.1, per_second = 50, velocity = [0, -1, 0], until = 1 }";
    let mut world = world(&parse(text));
    world.advance(10).unwrap();
    let hash = world.hash();
    let stretch = ConstraintKind::Stretch;
    for bad in [f32::NAN, f32::INFINITY, -1.0] {
        assert!(matches!(world.set_pressure(0, bad), Err(EditError::Value(_))));
        assert!(matches!(world.set_softness(0, stretch, Softness::compliance(bad)), Err(EditError::Value(_))));
        assert!(matches!(world.set_softness(0, stretch, Softness::stiffness(bad)), Err(EditError::Value(_))));
    }
    assert!(matches!(world.set_pressure(9, 1.0), Err(EditError::Value(_))));
    assert!(matches!(world.set_pressure(1, 1.0), Err(EditError::Unsuitable(_))));
    assert!(matches!(world.set_softness(9, stretch, Softness::RIGID), Err(EditError::Value(_))));
    assert!(matches!(world.set_phase(9, 1), Err(EditError::Value(_))));
    assert!(matches!(world.set_phase(1, u32::MAX), Err(EditError::Value(_))));
    assert_eq!(world.hash(), hash);
    // Grains that wait to be poured stay inactive.
    let waiting = |world: &World| world.state().phases.iter().filter(|&&phase| phase == u32::MAX).count();
    let before = waiting(&world);
    world.set_phase(1, 7).unwrap();
    assert!(before > 0 && waiting(&world) == before);
}

#[test]
fn volumes_are_those_of_what_an_object_encloses_or_fills() {
    let mut world = world(&parse("world = { gravity = [0, 0, 0] }\nfluid = { radius = 0.02 }"));
    let ball = world.add(Inflatable::sphere(0.5, 3).at([5.0, 0.0, 0.0])).unwrap();
    let block = world.add(Soft::block([3, 2, 2], [0.3, 0.2, 0.2]).at([9.0, 0.0, 0.0])).unwrap();
    let crate_ = world.add(Body::cuboid([0.2, 0.3, 0.4]).at([-5.0, 0.0, 0.0]).density(300.0)).unwrap();
    let water = world.add(Liquid::fill([0.0; 3], [0.4; 3]).density(800.0)).unwrap();
    let rope = world.add(Rope::along(&[[0.0, 9.0, 0.0], [1.0, 9.0, 0.0]], 6)).unwrap();
    let sphere = std::f64::consts::PI / 6.0;
    for (object, expected, part) in
        [(ball, sphere, 0.02), (block, 0.012, 1e-5), (crate_, 0.024, 1e-5), (water, 0.064, 1e-3)]
    {
        let found = world.volume(object).unwrap();
        assert!((found - expected).abs() < part * expected, "{found} m³ instead of {expected} m³");
    }
    assert!(matches!(world.volume(rope), Err(EditError::Unsuitable(_))));
    let own = world.volumes()[0];
    assert_eq!(world.volume(ball).unwrap(), own);
}

#[test]
fn elastic_energy_is_what_stretching_has_stored() {
    // Six segments of compliance α, all stretched by the same share s: Σ ½(s·l)²/α.
    let mut world = world(&parse("world = { gravity = [0, 0, 0] }"));
    let at = |x: f32| [[x, 0.0, 0.0], [x + 1.2, 0.0, 0.0]];
    let rope = world.add(Rope::along(&at(0.0), 6).stretch(Elasticity::Compliance(1e-3))).unwrap();
    let block = Soft::block([2, 2, 2], [0.4; 3]).at([5.0, 0.0, 0.0]).fem(1e5, 0.0);
    let block = world.add(block).unwrap();
    for object in [rope, block] {
        let rest = world.energy(object).unwrap();
        assert!(rest.elastic.abs() < 1e-6 && rest.kinetic == 0.0, "{rest:?}");
    }
    let (ropes, blocks) = (world.particles_of(rope).unwrap(), world.particles_of(block).unwrap());
    for (range, origin) in [(ropes, 0.0), (blocks, 5.0)] {
        world.state_mut().rows[range].iter_mut().for_each(|row| row[0] = origin + (row[0] - origin) * 1.01);
    }
    let expected = 6.0 * 0.5 * (0.01_f64 * 0.2).powi(2) / 1e-3;
    let found = world.energy(rope).unwrap().elastic;
    assert!((found - expected).abs() < 1e-2 * expected, "{found} J instead of {expected} J");
    // One percent of strain along one axis, ν = 0: ½·E·ε²·V.
    let expected = 0.5 * 1e5 * 1e-4 * 0.064;
    let found = world.energy(block).unwrap().elastic;
    assert!((found - expected).abs() < 0.03 * expected, "{found} J instead of {expected} J");
    let total = world.probe().elastic;
    let sum = world.energy(rope).unwrap().elastic + world.energy(block).unwrap().elastic;
    assert!((total - sum).abs() < 1e-6 * total, "{total} J in all, {sum} J of both");
}

#[test]
fn poses_and_surfaces_of_bodies_are_where_the_bodies_are() {
    let mut world = world(&parse("world = { gravity = [0, 0, 0] }"));
    let text = "[[body]]\nname = \"row\"\nbox = [0.2, 0.4, 0.6]\ntransform = { translate = [1, 2, 3] }\narray = { count = [3, 1, 1], spacing = [1, 0, 0] }\n[[body]]\nname = \"lumps\"\nball = 0.2\ngrid = 4\ntransform = { translate = [1, 6, 3] }\narray = { count = [2, 1, 1], spacing = [1, 0, 0] }";
    let all = world.add_text(text, pliant::scene::Format::Toml, &pliant::builder::NoMeshes).unwrap();
    for (object, copies) in [(all[0], 3), (all[1], 2)] {
        let poses = world.poses(object).unwrap();
        assert_eq!(poses.len(), copies);
        assert!(matches!(world.pose(object), Err(EditError::Unsuitable(_))));
        for (k, pose) in poses.iter().enumerate() {
            assert!((pose.position.x - 1.0 - k as f32).abs() < 1e-4, "{pose:?}");
        }
    }
    // A rigid body has no particles, but a surface, which moves with it.
    let crate_ = world.add(Body::cuboid([0.2, 0.4, 0.6]).at([-5.0, 0.0, 0.0])).unwrap();
    assert!(world.positions(crate_).unwrap().is_empty());
    let turned = glam::Quat::from_rotation_z(0.7);
    world.teleport(crate_, pliant::Pose { position: Vec3::new(-5.0, 1.0, 2.0), rotation: turned }).unwrap();
    let surface = world.surface_of(crate_).unwrap();
    assert!(surface.triangles.len() >= 12 && surface.normals.len() == surface.points.len());
    for &point in &surface.points {
        let local = turned.conjugate() * (point - Vec3::new(-5.0, 1.0, 2.0));
        assert!((local.abs() - Vec3::new(0.1, 0.2, 0.3)).abs().max_element() < 1e-5, "{local}");
    }
    let outward = |[a, b, c]: [u32; 3]| {
        let [a, b, c] = [a, b, c].map(|v| surface.points[v as usize]);
        (b - a).cross(c - a).dot(a - Vec3::new(-5.0, 1.0, 2.0)) > 0.0
    };
    assert!(surface.triangles.iter().all(|&t| outward(t)));
    assert_eq!(world.surface_of(all[0]).unwrap().triangles.len(), 3 * surface.triangles.len());
    let cloth = world.add(pliant::scene::Cloth::flat([3, 4], [1.0, 1.0]).at([0.0, 9.0, 0.0])).unwrap();
    let own = world.surface_of(cloth).unwrap();
    assert_eq!((own.triangles.len(), own.points.len()), (24, 20));
    assert_eq!(own.normals, world.normals(cloth).unwrap());
    assert!(matches!(world.surface_of(all[1]), Err(EditError::Unsuitable(_))));
}

#[test]
fn velocities_are_asked_for_as_positions_are() {
    let mut world = world(&Scene::default());
    let ball = world.add(Body::ball(0.1).grid(4)).unwrap();
    world.advance(3).unwrap();
    let now = world.velocities(ball).unwrap().to_vec();
    let mut request = world.request_velocities(ball).unwrap();
    world.advance(3).unwrap();
    assert_eq!(world.poll_velocities(&mut request).unwrap(), Some(&now[..]));
}
