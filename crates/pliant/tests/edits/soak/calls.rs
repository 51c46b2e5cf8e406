//! Random calls on an object: parameters, forces, materials, queries.

use super::objects::{motion, pour};
use super::random::Random;
use glam::{Quat, Vec3};
use pliant::constraints::{ConstraintKind, Softness};
use pliant::scene::{Elasticity, JointAxis, MotorSpec, WindSpec};
use pliant::{CollisionGroups, Handle, Pose, World};

fn pose(random: &mut Random) -> Pose {
    let (v, position) = (random.vector(), random.vector());
    let rotation = if random.below(5) == 0 { Quat::from_xyzw(v.x, v.y, v.z, 1.0) } else { Quat::from_rotation_y(v.x) };
    Pose { position, rotation }
}

/// Numbers of the world and places of colliders and pins.
pub fn steer(world: &mut World, object: Handle, random: &mut Random) {
    let (v, w) = (random.vector(), random.vector());
    match random.below(16) {
        0 => drop(world.set_gravity((v * 3.0).to_array())),
        1 => drop(world.set_wind(Some(WindSpec { velocity: v.to_array(), gust: 0.3, period: 1.0 }))),
        2 => drop(world.set_time_step(random.of(&[0.01, 0.005, 0.0, f32::NAN]), random.below(4) as u32)),
        3 => drop(world.set_damping(random.of(&[0.0, 1.0, -1.0, f32::INFINITY]))),
        4 => drop(world.set_iterations(random.below(6) as u32)),
        5 => drop(world.set_sleep_speed(random.of(&[0.0, 0.01, -1.0]))),
        6 => drop(world.set_pose(object, pose(random))),
        7 => drop(world.teleport(object, pose(random))),
        8 => drop(world.set_collider_velocity(object, 0.2 * v, w)),
        9 => drop(world.set_motion(object, motion(random))),
        10 => drop(world.move_pins(object, random.below(2), 0.02 * v, Quat::from_rotation_x(0.1), w)),
        11 => drop(world.set_pin_motion(object, random.below(2), motion(random))),
        12 => drop(world.set_pin_velocity(object, random.below(2), 0.1 * v, w)),
        13 => drop(if random.below(2) == 0 { world.sleep(object) } else { world.wake(object) }),
        14 => {
            let axis = random.of(&[None, Some(JointAxis::Rx), Some(JointAxis::Y)]);
            drop(world.set_joint_limits(object, axis, random.of(&[None, Some([-20.0, 30.0]), Some([5.0, -5.0])])));
            drop(world.set_joint_friction(object, axis, v.x));
        }
        _ => {
            let motor = MotorSpec::velocity(v.x, random.of(&[10.0, 0.0, f32::INFINITY]));
            drop(world.set_joint_motor(object, None, random.of(&[None, Some(motor)])));
        }
    }
}

/// Forces, impulses and velocities.
pub fn push(world: &mut World, object: Handle, random: &mut Random) {
    let (v, w, particle) = (random.vector(), random.vector(), random.below(20));
    match random.below(8) {
        0 => drop(world.apply_impulse(object, 0.01 * v, Some(w))),
        1 => drop(world.apply_angular_impulse(object, 0.01 * v)),
        2 => drop(world.apply_force(object, v, None)),
        3 => drop(world.apply_torque(object, 0.1 * v)),
        4 => drop(world.apply_particle_impulse(object, particle, 0.001 * v)),
        5 => drop(world.apply_particle_force(object, particle, 0.1 * v)),
        _ => drop(world.set_velocity(object, v.clamp_length_max(3.0), w)),
    }
}

/// Materials, surfaces and emitters.
pub fn change(world: &mut World, object: Handle, random: &mut Random) {
    let v = random.vector();
    match random.below(15) {
        0 => drop(world.set_friction(object, v.x.abs(), v.z.abs())),
        1 => drop(world.set_restitution(object, random.of(&[v.x.abs(), 0.0, 0.5, 2.0, f32::NAN]))),
        2 => {
            let groups = CollisionGroups::new(random.bits() as u16, random.bits() as u16);
            drop(world.set_collision_groups(object, groups));
        }
        3 => {
            let softness = random.of(&[Softness::compliance(1e-4), Softness::compliance(0.0)]);
            drop(world.set_object_softness(object, ConstraintKind::Stretch, softness));
        }
        4 => drop(world.set_object_pressure(object, v.x)),
        5 => drop(world.set_object_phase(object, random.below(3) as u32)),
        6 => drop(world.set_young(object, random.of(&[1e4, 1e6, 0.0, f32::NAN]))),
        7 => drop(world.set_stretch(object, random.of(&[Elasticity::Modulus(500.0), Elasticity::Compliance(0.0)]))),
        8 => drop(world.set_bend(object, random.of(&[None, Some(Elasticity::Modulus(1e-3))]))),
        9 => drop(world.set_viscosity(object, random.of(&[0.0, 5.0, -1.0]))),
        10 => drop(world.set_surface_tension(object, random.of(&[0.0, 0.07, f32::NAN]))),
        11 => drop(world.set_rolling(object, random.of(&[0.0, 3.0, -1.0]))),
        12 | 13 => {
            let poured = pour(random);
            drop(world.set_pour(object, random.of(&[None, Some(poured)])));
        }
        _ => {
            let mut contact = world.contact_settings().clone();
            contact.cohesion = random.of(&[0.0, 1.0, -1.0]);
            drop(world.set_contact_settings(contact));
        }
    }
}

/// Queries: whatever they answer is finite.
pub fn ask(world: &mut World, object: Handle, random: &mut Random) {
    let (v, w) = (random.vector(), random.vector());
    let finite = |what: &str, v: Vec3| assert!(v.is_finite(), "{what}: {v}");
    match random.below(18) {
        0 => drop(world.positions(object).map(<[_]>::len)),
        1 => drop(world.velocities(object).map(<[_]>::len)),
        2 => drop(world.normals(object)),
        3 => drop(world.bounds(object)),
        4 => {
            if let Ok(momentum) = world.momentum(object) {
                finite("momentum", momentum.linear.as_vec3());
            }
        }
        5 => {
            if let Ok(poses) = world.poses(object) {
                poses.iter().for_each(|pose| finite("position", pose.position));
            }
            drop((world.pose(object), world.body_velocity(object)));
        }
        6 => drop((world.energy(object), world.volume(object))),
        7 => drop((world.collider_force(object), world.pin_force(object), world.attachment_force(object))),
        8 => drop((world.joint_force(object), world.joint_motion(object, None), world.is_joint_broken(object))),
        9 => {
            for point in world.contacts(object).unwrap_or_default() {
                finite("force of a contact", point.force());
            }
        }
        10 => drop(world.overlapping(object)),
        11 => drop(world.surface_of(object)),
        12 => drop(world.density_at(v)),
        13 => drop(world.ray_cast(v, w - v, 10.0)),
        14 => drop(world.closest_point(v, 5.0)),
        15 => drop(world.overlap_sphere(v, random.size())),
        16 => {
            if let Ok(mut request) = world.request_positions(object) {
                drop(world.poll_positions(&mut request).map(|rows| rows.map(<[_]>::len)));
            }
            if let Ok(mut request) = world.request_velocities(object) {
                drop(world.poll_velocities(&mut request).map(|rows| rows.map(<[_]>::len)));
            }
        }
        _ => drop((world.is_asleep(object), world.collision_groups(object), world.kind(object))),
    }
}
