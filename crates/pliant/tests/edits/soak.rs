//! Random calls of the whole interface, right and wrong, in any order: no panic, no number that is not finite, and a model
//! that is proved again after each edit.

use crate::options;
use glam::{Quat, Vec3};
use pliant::builder::NoMeshes;
use pliant::constraints::{ConstraintKind, Softness};
use pliant::scene::{
    Attach, Body, Cloth, Collider, ContactSpec, Drain, Elasticity, Format, Freeze, Grains, Inflatable, Keyframe,
    Liquid, Melt, MotionSpec, Place, PourSpec, Rope, Scene, Soft, WindSpec,
};
use pliant::{
    AddOptions, CollisionGroups, GripHandle, GripOptions, Handle, Overlap, Pose, Snapshot, SnapshotRing, World,
};

struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, n: usize) -> usize {
        self.bits() as usize % n.max(1)
    }

    fn unit(&mut self) -> f32 {
        self.bits() as f32 / (1_u64 << 31) as f32
    }

    /// Mostly a place in the scene, now and then a number that no call may accept or survive badly.
    fn vector(&mut self) -> Vec3 {
        let wild = [f32::NAN, f32::INFINITY, -1e30, 1e9, 0.0];
        let mut v = Vec3::new(self.unit() * 4.0 - 2.0, self.unit() * 3.0 + 0.3, self.unit() * 4.0 - 2.0);
        if self.below(25) == 0 {
            v[self.below(3)] = wild[self.below(wild.len())];
        }
        v
    }

    fn size(&mut self) -> f32 {
        match self.below(30) {
            0 => f32::NAN,
            1 => -1.0,
            2 => 0.0,
            _ => 0.1 + 0.3 * self.unit(),
        }
    }
}

fn pour(random: &mut Random) -> PourSpec {
    PourSpec {
        from: random.vector().to_array(),
        radius: 0.1,
        per_second: 400.0 * random.size(),
        velocity: [0.0, -1.0, random.size()],
        until: random.size(),
    }
}

fn motion(random: &mut Random) -> Option<MotionSpec> {
    let v = (0.2 * random.vector()).to_array();
    match random.below(4) {
        0 => None,
        1 => Some(MotionSpec::Oscillate { amplitude: v, period: random.size(), phase: 0.0 }),
        2 => Some(MotionSpec::Spin { axis: v, center: [0.0; 3], rate: 100.0 * random.size() }),
        _ => {
            let key = |time: f32, translate| Keyframe { time, translate, rotate: None };
            Some(MotionSpec::Keys { frames: vec![key(0.0, [0.0; 3]), key(random.size(), v)], center: [0.0; 3] })
        }
    }
}

fn elasticity(random: &mut Random) -> Elasticity {
    match random.below(3) {
        0 => Elasticity::Compliance(1e-4 * random.size()),
        1 => Elasticity::Modulus(1e4 * random.size()),
        _ => Elasticity::Stiffness(random.size()),
    }
}

/// Text of what has no constructor: joints, sensors and grains that are poured.
fn text(random: &mut Random, names: &[String]) -> String {
    let [x, y, z] = random.vector().to_array().map(|v| if v.is_finite() { v } else { 1e9 });
    let mut name = || names.get(random.below(names.len())).cloned().unwrap_or_default();
    let (a, b) = (name(), name());
    match random.below(6) {
        0 => format!("[[joint]]\nkind = \"ball\"\nbody = {a:?}\nanchor = [{x:?}, {y:?}, {z:?}]"),
        1 => format!("[[joint]]\nkind = \"hinge\"\nbody = {a:?}\nto = {b:?}\nlimits = [-20, 20]"),
        2 => {
            format!("[[joint]]\nkind = \"distance\"\nbody = {a:?}\nanchor_to = [{x:?}, {y:?}, {z:?}]\nstiffness = 100")
        }
        3 => format!("[[collider]]\nsphere = {{ center = [{x:?}, {y:?}, {z:?}], radius = 0.5 }}\nsensor = true"),
        4 => format!("[[body]]\nball = 0.3\nsensor = true\ntransform = {{ translate = [{x:?}, {y:?}, {z:?}] }}"),
        _ => format!("[[body]]\nbox = [0.2, 0.2]\n[[rope]]\npath = {a:?}"),
    }
}

fn add(world: &mut World, random: &mut Random, names: &[String]) -> Option<Handle> {
    let (at, size) = (random.vector().to_array(), random.size());
    let options = AddOptions {
        overlap: [None, Some(Overlap::Allow), Some(Overlap::MoveOut), Some(Overlap::Refuse)][random.below(4)],
        ..AddOptions::default()
    };
    let name = |random: &mut Random| names.get(random.below(names.len())).cloned().unwrap_or_default();
    let added = match random.below(14) {
        0 => world.add_with(Body::cuboid([size; 3]).grid(2).at(at), &options),
        1 => world.add_with(Body::ball(size).grid(3).at(at), &options),
        2 => world.add_with(Cloth::flat([3, 4], [size, 0.3]).at(at).pin(Place::LeftEdge), &options),
        3 => world.add_with(Rope::along(&[at, [at[0] + size, at[1], at[2]]], 5).pin(Place::Start), &options),
        4 => world.add_with(Soft::block([1, 1, 2], [size; 3]).at(at), &options),
        5 => world.add_with(Inflatable::sphere(size, 1).at(at), &options),
        6 => world.add_with(Grains::fill(at, [at[0] + size, at[1] + size, at[2] + size], 0.05), &options),
        7 => world.add_with(Liquid::fill(at, [at[0] + 0.2, at[1] + 0.2, at[2] + 0.2]), &options),
        8 => world.add_with(Collider::sphere(at, size), &options),
        9 => world.add_with(Body::cuboid([size; 3]).at(at), &options),
        10 => match random.below(2) {
            0 => world.add_with(Grains::pour(pour(random), 0.05), &options),
            _ => world.add_with(Liquid::pour(pour(random)), &options),
        },
        11 => {
            let scene = text(random, names);
            return world.add_text(&scene, Format::Toml, &NoMeshes).ok()?.first().copied();
        }
        _ => match random.below(5) {
            0 => world.add(Attach::objects(name(random), name(random), size)),
            1 => world.add(Drain::sphere(at, size)),
            2 => world.add(Drain::cuboid(at, [size; 3]).of(name(random))),
            3 => world.add(Melt { body: name(random), liquid: name(random), start: 0.0, speed: size }),
            _ => world.add(Freeze { liquid: name(random), speed: Some(size), ..Freeze::default() }),
        },
    };
    added.ok()
}

/// Whether steps run on a GPU, so that an error may come with a later call.
fn reports_late(world: &World) -> bool {
    #[cfg(feature = "gpu")]
    return world.gpu().is_some();
    #[cfg(not(feature = "gpu"))]
    {
        let _ = world;
        false
    }
}

/// Materials, emitters and motions of an object, right and wrong.
fn change(world: &mut World, random: &mut Random, object: Handle) {
    let number = [random.size(), random.size() * 1e5, 0.0, f32::NAN][random.below(4)];
    let (v, pin) = (random.vector(), random.below(3));
    match random.below(15) {
        0 => drop(world.set_young(object, number)),
        1 => drop(world.set_stretch(object, elasticity(random))),
        2 => drop(world.set_bend(object, (random.below(3) > 0).then(|| elasticity(random)))),
        3 => drop(world.set_viscosity(object, number)),
        4 => drop(world.set_surface_tension(object, number)),
        5 => drop(world.set_rolling(object, number)),
        6 => {
            let now = world.contact_settings().clone();
            drop(world.set_contact_settings(ContactSpec { cohesion: number, rolling: random.size(), ..now }));
        }
        7 | 8 => {
            let next = (random.below(3) > 0).then(|| pour(random));
            drop(world.set_pour(object, next));
        }
        9 => drop(world.set_motion(object, motion(random))),
        10 => drop(world.set_pin_motion(object, pin, motion(random))),
        11 => drop(world.set_pin_velocity(object, pin, 0.3 * v, Vec3::Y * number)),
        12 => drop(world.move_pins(object, pin, 0.1 * v, Quat::from_rotation_y(number), Vec3::ZERO)),
        13 => drop(world.set_collider_velocity(object, 0.3 * v, Vec3::Z * number)),
        _ => {
            let numbers = world.topology().object_names.len() + 2;
            let at = random.below(numbers) as u32;
            drop((world.set_phase(at, random.below(4) as u32), world.set_pressure(at, number)));
            drop(world.set_softness(at, ConstraintKind::Stretch, Softness::compliance(number)));
        }
    }
}

/// What can be asked and done besides.
fn ask(world: &mut World, random: &mut Random, object: Handle) {
    let (v, particle) = (random.vector(), random.below(30));
    match random.below(12) {
        0 => drop(world.normals(object)),
        1 => drop(world.surface_of(object)),
        2 => drop((world.poses(object), world.pose(object))),
        3 => drop(world.volume(object)),
        4 => drop(world.apply_force(object, v, None)),
        5 => drop(world.apply_torque(object, 0.1 * v)),
        6 => drop(world.apply_particle_impulse(object, particle, 0.001 * v)),
        7 => drop(world.apply_particle_force(object, particle, 0.1 * v)),
        8 => drop((world.joint_force(object), world.joint_motion(object, None), world.overlapping(object))),
        9 => drop((world.set_joint_friction(object, None, random.size()), world.is_joint_broken(object))),
        10 => {
            if let Ok(mut request) = world.request_velocities(object) {
                drop(world.poll_velocities(&mut request).map(|rows| rows.map(<[_]>::len)));
            }
        }
        _ => match random.below(3) {
            0 => drop(world.set_iterations([0, 2, 5, 100_000][random.below(4)])),
            1 => drop(world.set_damping([0.0, 1.0, -1.0, f32::NAN][random.below(4)])),
            _ => drop(world.set_sleep_speed([0.0, 0.02, -1.0, f32::NAN][random.below(4)])),
        },
    }
}

/// `calls` random calls on a world.
fn soak(mut world: World, seed: u64, calls: usize) {
    let mut random = Random(seed);
    let mut ring = SnapshotRing::new(3);
    world.add(Collider::plane()).unwrap();
    let mut handles: Vec<Handle> = Vec::new();
    let most = world.objects().len() + 14;
    let (mut grips, mut snapshots): (Vec<GripHandle>, Vec<Snapshot>) = (Vec::new(), Vec::new());
    for call in 0..calls {
        // Handles of the past are among them.
        let one = handles.get(random.below(handles.len())).copied().or_else(|| world.find("collider 0").ok());
        // Without any object left, most calls would have nothing to be made on.
        let Some(object) = one else {
            handles.extend(add(&mut world, &mut random, &[]));
            continue;
        };
        let (v, w) = (random.vector(), random.vector());
        let live = world.objects();
        match random.below(46) {
            0..=2 if live.len() < most => {
                let names: Vec<String> = live.iter().filter_map(|&h| world.name(h).ok().map(str::to_owned)).collect();
                handles.extend(add(&mut world, &mut random, &names));
            }
            3 | 4 => drop(world.remove(object)),
            5 => drop(world.positions(object).map(<[_]>::len)),
            6 => drop(world.momentum(object)),
            7 => drop(world.bounds(object)),
            8 => drop(world.apply_impulse(object, 0.01 * v, Some(w))),
            9 => drop(world.set_velocity(object, v.clamp_length_max(3.0), w)),
            10 => {
                let rotation =
                    if random.below(5) == 0 { Quat::from_xyzw(v.x, v.y, v.z, 1.0) } else { Quat::from_rotation_y(v.x) };
                let pose = Pose { position: w, rotation };
                drop(if random.below(2) == 0 { world.teleport(object, pose) } else { world.set_pose(object, pose) });
            }
            11 => drop(world.set_gravity((v * 3.0).to_array())),
            12 => drop(world.set_wind(Some(WindSpec { velocity: v.to_array(), gust: 0.3, period: 1.0 }))),
            13 => drop(world.set_time_step([0.01, 0.005, 0.0, f32::NAN][random.below(4)], random.below(4) as u32)),
            14 => drop(world.ray_cast(v, w - v, 10.0)),
            15 => drop(world.closest_point(v, 5.0)),
            16 => drop(world.overlap_sphere(v, random.size())),
            17 => {
                if let Ok(Some(hit)) = world.ray_cast(v + Vec3::Y * 5.0, Vec3::NEG_Y, 20.0) {
                    let options = GripOptions { max_force: Some(50.0 * random.size()), ..GripOptions::default() };
                    grips.extend(world.grab(&hit, &options));
                }
            }
            18 => {
                if let Some(&grip) = grips.get(random.below(grips.len())) {
                    drop(if random.below(4) == 0 { world.release(grip) } else { world.move_grip(grip, v) });
                }
            }
            19 => world.record_events([0, 10, 100][random.below(3)]),
            20 => drop(world.events()),
            21 if snapshots.len() < 4 => snapshots.extend(world.snapshot()),
            21 => {
                let snapshot = snapshots.swap_remove(random.below(snapshots.len()));
                world.restore(&snapshot).unwrap_or_else(|e| panic!("call {call}: {e}"));
            }
            22 => drop(world.set_friction(object, v.x.abs(), w.x.abs())),
            23 => {
                drop((world.energy(object), world.collider_force(object), world.density_at(v)));
                drop((world.pin_force(object), world.attachment_force(object)));
                drop(world.apply_angular_impulse(object, 0.01 * v));
            }
            24 => {
                drop(world.set_object_softness(object, ConstraintKind::Stretch, Softness::compliance(1e-4)));
                drop((world.set_object_pressure(object, v.x), world.set_object_phase(object, random.below(3) as u32)));
            }
            25 => {
                if let Ok(mut request) = world.request_positions(object) {
                    drop(world.poll_positions(&mut request).map(|rows| rows.map(<[_]>::len)));
                }
            }
            26 => {
                let groups = CollisionGroups::new(random.bits() as u16, random.bits() as u16);
                drop(world.set_collision_groups(object, groups));
                drop(world.collision_groups(object));
            }
            28 => {
                drop(if random.below(2) == 0 { world.sleep(object) } else { world.wake(object) });
                drop(world.is_asleep(object));
            }
            29..=33 => change(&mut world, &mut random, object),
            34..=36 => ask(&mut world, &mut random, object),
            37 => {
                if let Some(snapshot) = snapshots.get(random.below(snapshots.len())) {
                    // Of the same world, but perhaps of other objects.
                    let bytes = snapshot.to_bytes();
                    let read = world.snapshot_from_bytes(&bytes).unwrap_or_else(|e| panic!("call {call}: {e}"));
                    assert!(read.to_bytes() == bytes, "call {call}: other bytes");
                    world.restore(&read).unwrap_or_else(|e| panic!("call {call}: {e}"));
                    grips.clear();
                }
            }
            38 => drop(ring.push(&mut world)),
            39 => {
                // Moments of other objects are refused.
                let moment = random.below(ring.len() + 1);
                drop(ring.restore(&mut world, moment));
            }
            27 => drop(world.set_restitution(object, [v.x.abs(), 0.0, 0.5, 2.0, f32::NAN][random.below(5)])),
            40 | 41 => {
                // Without a snapshot objects stay in the rows that they were appended to.
                if world.step_many(2).is_err() {
                    world.objects().into_iter().for_each(|object| drop(world.remove(object)));
                    world.step().unwrap();
                }
            }
            _ => {
                // A world that callers have driven apart may diverge, with an error; it goes on from before.
                let before = world.snapshot();
                let Ok(before) = before else {
                    // On a GPU a step may be reported by a later call; without what diverged the world goes on.
                    assert!(reports_late(&world), "call {call}: {:?}", before.err());
                    world.objects().into_iter().for_each(|object| drop(world.remove(object)));
                    world.step().unwrap();
                    continue;
                };
                let steps = if random.below(4) == 0 { 3 } else { 1 };
                if world.step_many(steps).is_err() {
                    world.restore(&before).unwrap();
                    for object in world.objects() {
                        let _ = world.set_velocity(object, Vec3::ZERO, Vec3::ZERO);
                    }
                    if world.step().is_err() {
                        for object in world.objects() {
                            let _ = world.remove(object);
                        }
                        world.step().unwrap();
                    }
                }
            }
        }
        if call % 64 == 0 {
            let fine = world.state().rows.iter().flatten().all(|v| v.is_finite());
            assert!(fine || world.step().is_err(), "call {call}: a number that is not finite");
        }
        if handles.len() > 60 {
            handles.drain(..20);
        }
    }
}

#[test]
fn r06_random_calls_never_break_a_world() {
    for seed in 0..4 {
        soak(World::new(options()).unwrap(), seed, 1500);
    }
}

/// A world in which bodies come and go in place.
fn large() -> World {
    let mut scene = Scene::default();
    scene.solver.iterations = 1;
    let mut world = World::from_scene(&scene, &NoMeshes, options()).unwrap();
    for k in 0..36 {
        let at = [20.0 + (k % 6) as f32 * 1.2, 0.52, (k / 6) as f32 * 1.2];
        world.add(Body::cuboid([1.0; 3]).grid(8).at(at)).unwrap();
    }
    world.step().unwrap();
    assert!(world.particles() > 16_384);
    world
}

#[test]
fn r06_random_calls_never_break_a_large_world() {
    soak(large(), 7, 250);
}

#[test]
#[ignore = "a soak of minutes, see docs/testing.md"]
fn r06_thousands_of_random_calls_never_break_a_large_world() {
    let calls = std::env::var("PLIANT_CALLS").ok().and_then(|n| n.parse().ok()).unwrap_or(10_000);
    soak(large(), 8, calls);
}

#[cfg(feature = "gpu")]
#[test]
#[ignore = "a soak of minutes, see docs/testing.md"]
fn random_calls_never_break_a_world_on_a_gpu() {
    let backend = pliant::Backend::Gpu(pliant::gpu::GpuOptions::default());
    let calls = std::env::var("PLIANT_CALLS").ok().and_then(|n| n.parse().ok()).unwrap_or(2000);
    for seed in 0..2 {
        soak(World::new(pliant::Options { backend, ..options() }).unwrap(), seed, calls);
    }
}

#[test]
#[ignore = "a soak of minutes, see docs/testing.md"]
fn r06_a_million_random_calls_never_break_a_world() {
    // As many of them as the time that is given allows [s].
    let seconds = std::env::var("PLIANT_SECONDS").ok().and_then(|n| n.parse().ok()).unwrap_or(u64::MAX);
    let clock = std::time::Instant::now();
    for seed in (0..100).take_while(|_| clock.elapsed().as_secs() < seconds) {
        soak(World::new(options()).unwrap(), 1000 + seed, 10_000);
        println!("{} calls in {} s", (seed + 1) * 10_000, clock.elapsed().as_secs());
    }
}
