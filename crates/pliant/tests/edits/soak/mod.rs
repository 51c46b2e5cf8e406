//! Random calls of the whole interface, right and wrong, in any order: no panic, no number that is not finite, and a model
//! that is proved again after each edit.

mod calls;
mod objects;
mod random;

use crate::options;
use glam::Vec3;
use pliant::scene::Collider;
use pliant::{GripHandle, GripOptions, Handle, Snapshot, SnapshotRing, World};
use random::Random;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Objects at a time.
const MOST_OBJECTS: usize = 14;
/// Longest time of one call on a world of so few objects.
const MOST_TIME: Duration = Duration::from_secs(20);

/// What calls have left behind.
#[derive(Default)]
struct Past {
    handles: Vec<Handle>,
    grips: Vec<GripHandle>,
    snapshots: Vec<Snapshot>,
    bytes: Vec<Vec<u8>>,
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

/// Takes or puts back a snapshot, in memory, as bytes or from a ring.
fn rewind(world: &mut World, past: &mut Past, ring: &mut SnapshotRing, random: &mut Random, call: usize) {
    match random.below(6) {
        0 if past.snapshots.len() < 4 => past.snapshots.extend(world.snapshot()),
        0 | 1 if !past.snapshots.is_empty() => {
            let snapshot = past.snapshots.swap_remove(random.below(past.snapshots.len()));
            world.restore(&snapshot).unwrap_or_else(|e| panic!("call {call}: {e}"));
        }
        2 if past.bytes.len() < 3 => past.bytes.extend(world.snapshot().map(|snapshot| snapshot.to_bytes())),
        2 | 3 if !past.bytes.is_empty() => {
            let bytes = past.bytes.swap_remove(random.below(past.bytes.len()));
            let snapshot = world.snapshot_from_bytes(&bytes).unwrap_or_else(|e| panic!("call {call}: {e}"));
            world.restore(&snapshot).unwrap_or_else(|e| panic!("call {call}: {e}"));
        }
        4 => drop(ring.push(world)),
        // Refused where objects have changed since.
        _ => drop(ring.restore(world, random.below(ring.len()))),
    }
}

fn grip(world: &mut World, past: &mut Past, random: &mut Random) {
    let v = random.vector();
    if random.below(2) == 0 {
        if let Ok(Some(hit)) = world.ray_cast(v + Vec3::Y * 5.0, Vec3::NEG_Y, 20.0) {
            let options = GripOptions { max_force: Some(50.0 * random.size()), ..GripOptions::default() };
            past.grips.extend(world.grab(&hit, &options));
        }
    } else if let Some(&grip) = past.grips.get(random.below(past.grips.len())) {
        match random.below(5) {
            0 => drop(world.release(grip)),
            1 => drop((world.grip_force(grip), world.grip_point(grip))),
            _ => drop(world.move_grip(grip, v)),
        }
    }
}

/// A step. A world that callers have driven apart may diverge, with an error; it goes on from before.
fn step(world: &mut World, random: &mut Random, call: usize) {
    let remove_all = |world: &mut World| world.objects().into_iter().for_each(|object| drop(world.remove(object)));
    let before = world.snapshot();
    let Ok(before) = before else {
        // On a GPU a step may be reported by a later call; without what diverged the world goes on.
        assert!(reports_late(world), "call {call}: {:?}", before.err());
        remove_all(world);
        world.step().unwrap();
        return;
    };
    let stepped = if random.below(3) == 0 { world.step_many(1 + random.below(3) as u32) } else { world.step() };
    if stepped.is_err() {
        world.restore(&before).unwrap();
        for object in world.objects() {
            let _ = world.set_velocity(object, Vec3::ZERO, Vec3::ZERO);
        }
        if world.step().is_err() {
            remove_all(world);
            world.step().unwrap();
        }
    }
}

/// `calls` random calls on a world.
fn soak(mut world: World, seed: u64, calls: usize) {
    let mut random = Random(seed);
    world.add(Collider::plane()).unwrap();
    let (mut past, mut ring) = (Past::default(), SnapshotRing::new(3));
    for call in 0..calls {
        let began = Instant::now();
        let live = world.objects();
        // Handles of the past are among them.
        let one = past.handles.get(random.below(past.handles.len())).copied().or_else(|| live.first().copied());
        let choice = random.below(32);
        match one {
            Some(object) if choice > 3 || live.len() >= MOST_OBJECTS => match choice {
                0..=6 => drop(world.remove(object)),
                7..=9 => calls::push(&mut world, object, &mut random),
                10..=13 => calls::steer(&mut world, object, &mut random),
                14..=16 => calls::change(&mut world, object, &mut random),
                17..=20 => calls::ask(&mut world, object, &mut random),
                21..=23 => grip(&mut world, &mut past, &mut random),
                24 => world.record_events(random.of(&[0, 10, 100])),
                25 => drop(world.events()),
                26..=28 => rewind(&mut world, &mut past, &mut ring, &mut random, call),
                _ => step(&mut world, &mut random, call),
            },
            // Without any object left, most calls would have nothing to be made on.
            _ => {
                let names: Vec<String> = live.iter().filter_map(|&h| world.name(h).ok().map(str::to_owned)).collect();
                past.handles.extend(objects::add(&mut world, &mut random, &names));
            }
        }
        if call % 64 == 0 {
            let fine = world.state().rows.iter().flatten().all(|v| v.is_finite());
            assert!(fine || world.step().is_err(), "call {call}: a number that is not finite");
        }
        assert!(began.elapsed() < MOST_TIME, "call {call} of seed {seed}, choice {choice}, took {:?}", began.elapsed());
        if past.handles.len() > 60 {
            past.handles.drain(..20);
        }
        if past.grips.len() > 20 {
            past.grips.drain(..10);
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
    // As many of them as the time that is given allows [s], on all cores.
    let seconds = std::env::var("PLIANT_SECONDS").ok().and_then(|n| n.parse().ok()).unwrap_or(u64::MAX);
    // `PLIANT_SEED` begins with another one, to see again what a report names.
    let first = std::env::var("PLIANT_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let (clock, next) = (Instant::now(), AtomicU64::new(first));
    let work = || {
        while clock.elapsed().as_secs() < seconds {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= 100 {
                break;
            }
            let ended = std::panic::catch_unwind(|| soak(World::new(options()).unwrap(), 1000 + seed, 10_000));
            assert!(ended.is_ok(), "seed {seed}");
            println!("seed {seed}: 10000 calls, {} s", clock.elapsed().as_secs());
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        (0..threads).for_each(|_| drop(scope.spawn(work)));
    });
}
