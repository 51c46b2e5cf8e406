//! R05 on the GPU: returning to a moment, in memory and through bytes.

use crate::simulations::{on_gpu, ready, scene, software};
use crate::small_scenes::SCENES;
use pliant::runtime::gpu::GpuOptions;
use pliant::scene::Collider;
use pliant::{SnapshotRing, SubmissionMode};

#[test]
fn r05_a_world_on_the_gpu_that_is_restored_goes_on_with_the_same_bits() {
    if !ready() {
        return;
    }
    let lengths = if software() { [(3, 2), (5, 3), (8, 2)] } else { [(7, 5), (13, 9), (30, 6)] };
    for (k, (name, text)) in SCENES.into_iter().enumerate() {
        let mut world = on_gpu(&scene(text, &[]), GpuOptions::default()).unwrap();
        let (before, after) = lengths[k % lengths.len()];
        world.advance(before).unwrap();
        let saved = world.snapshot().unwrap();
        world.advance(after).unwrap();
        let hash = world.hash();
        world.state_mut().velocities.iter_mut().for_each(|v| v[1] += 0.3);
        world.advance(1).unwrap();
        assert_ne!(world.hash(), hash, "{name}: a push changes nothing");
        for bytes in [false, true] {
            let back = if bytes { world.snapshot_from_bytes(&saved.to_bytes()).unwrap() } else { saved.clone() };
            world.restore(&back).unwrap();
            world.advance(after).unwrap();
            assert_eq!(world.hash(), hash, "{name}: other bits after a restore, through bytes: {bytes}");
        }
    }
}

#[test]
fn r05_a_ring_on_the_gpu_rewinds_without_a_read_back() {
    if !ready() {
        return;
    }
    for (name, text) in SCENES {
        let mut world = on_gpu(&scene(text, &[]), GpuOptions::default()).unwrap();
        let mut ring = SnapshotRing::new(2);
        let still = !world.model().changes();
        let few = if software() { 1 } else { 3 };
        world.step_many(3).unwrap();
        for _ in 0..3 {
            ring.push(&mut world).unwrap();
            world.step_many(few).unwrap();
        }
        let end = world.hash();
        for _ in 0..2 {
            let sent = world.gpu().unwrap().uploaded();
            ring.restore(&mut world, 0).unwrap();
            let sent = world.gpu().unwrap().uploaded() - sent;
            assert!(!still || sent <= 4 * world.particles() as u64 + 4096, "{name}: {sent} bytes were uploaded");
            assert!((world.time() - ring.times().next().unwrap()).abs() < 1e-9, "{name}");
            world.step_many(2 * few).unwrap();
            assert_eq!(world.hash(), end, "{name}: other bits after a restore");
            // Changes by the host are of another moment.
            world.state_mut().velocities.iter_mut().for_each(|v| v[1] += 0.3);
        }
        assert!(ring.bytes() > 0);
        world.add(Collider::sphere([0.0, 90.0, 0.0], 1.0)).unwrap();
        world.step().unwrap();
        assert!(ring.restore(&mut world, 0).is_err(), "{name}: the plan is another");
    }
}

#[test]
fn submission_modes_give_the_same_bits() {
    if !ready() {
        return;
    }
    for (name, text) in &SCENES[..3] {
        let mut hashes = Vec::new();
        for mode in [SubmissionMode::Throughput, SubmissionMode::Latency] {
            let mut world = on_gpu(&scene(text, &[]), GpuOptions::default()).unwrap();
            world.set_submission_mode(mode);
            (0..6).for_each(|_| world.step().unwrap());
            world.step_many(6).unwrap();
            hashes.push(world.hash());
        }
        assert_eq!(hashes[0], hashes[1], "{name}");
    }
}
