//! R05 on the GPU: returning to a moment, in memory and through bytes.

use crate::simulations::{on_gpu, ready, scene};
use crate::small_scenes::SCENES;
use pliant::runtime::gpu::GpuOptions;

#[test]
fn r05_a_world_on_the_gpu_that_is_restored_goes_on_with_the_same_bits() {
    if !ready() {
        return;
    }
    let lengths = [(7, 5), (13, 9), (30, 6)];
    for (k, (name, text)) in SCENES.into_iter().enumerate() {
        let mut world = on_gpu(&scene(text, &[]), GpuOptions::default()).unwrap();
        let (before, after) = lengths[k % lengths.len()];
        world.advance(before).unwrap();
        let saved = world.snapshot().unwrap();
        world.advance(after).unwrap();
        let hash = world.hash();
        world.state_mut().velocities.iter_mut().for_each(|v| v[1] += 0.3);
        world.advance(3).unwrap();
        assert_ne!(world.hash(), hash, "{name}: a push changes nothing");
        for bytes in [false, true] {
            let back = if bytes { world.snapshot_from_bytes(&saved.to_bytes()).unwrap() } else { saved.clone() };
            world.restore(&back).unwrap();
            world.advance(after).unwrap();
            assert_eq!(world.hash(), hash, "{name}: other bits after a restore, through bytes: {bytes}");
        }
    }
}
