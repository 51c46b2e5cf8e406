//! Random calls of the whole interface, right and wrong, in any order: no panic, no number that is not finite, and a model
//! that is proved again after each edit.

use crate::options;
use glam::{Quat, Vec3};
use pliant::constraints::{ConstraintKind, Softness};
use pliant::scene::{
    Attach, Body, Cloth, Collider, Drain, Grains, Inflatable, Liquid, Place, Rope, Soft, SphereShape, WindSpec,
};
use pliant::{AddOptions, CollisionGroups, GripHandle, GripOptions, Handle, Overlap, Pose, Snapshot, World};

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

fn add(world: &mut World, random: &mut Random, names: &[String]) -> Option<Handle> {
    let (at, size) = (random.vector().to_array(), random.size());
    let options = AddOptions {
        overlap: [None, Some(Overlap::Allow), Some(Overlap::MoveOut), Some(Overlap::Refuse)][random.below(4)],
        ..AddOptions::default()
    };
    let name = |random: &mut Random| names.get(random.below(names.len())).cloned().unwrap_or_default();
    let added = match random.below(11) {
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
        _ => match random.below(2) {
            0 => world.add(Attach::objects(name(random), name(random), size)),
            _ => world.add(Drain { sphere: Some(SphereShape { center: at, radius: size }), ..Drain::default() }),
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

/// `calls` random calls on a world.
fn soak(mut world: World, seed: u64, calls: usize) {
    let mut random = Random(seed);
    world.add(Collider::plane()).unwrap();
    let mut handles: Vec<Handle> = Vec::new();
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
        match random.below(31) {
            0..=2 if live.len() < 14 => {
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
            27 => drop(world.set_restitution(object, [v.x.abs(), 0.0, 0.5, 2.0, f32::NAN][random.below(5)])),
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
                if world.step().is_err() {
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
