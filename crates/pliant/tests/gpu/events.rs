//! Events of steps on the GPU: those of the CPU.

use crate::simulations::{on_gpu, pair, ready, scene};
use crate::small_scenes::SCENES;
use glam::Vec3;
use pliant::runtime::gpu::GpuOptions;
use pliant::scene::{Body, Collider, Scene};
use pliant::{Event, World};
use std::collections::BTreeMap;

/// Grains that do not touch, poured into a drain, and others that fill it.
const DRAINS: &str = "
    solver = { substeps = 2 }
    [[grains]]
    name = \"poured\"
    radius = 0.02
    pour = { from = [0, 0.5, 0], radius = 0.03, per_second = 40, velocity = [0, -2, 0], until = 0.5 }
    [[grains]]
    name = \"filled\"
    radius = 0.02
    distance = 0.07
    fill = { min = [0.4, 0.3, -0.2], max = [0.6, 0.5, 0.2] }
    [[drain]]
    box = { center = [0, 0, 0], size = [0.5, 0.2, 0.5] }
    [[drain]]
    box = { center = [0.5, 0, 0], size = [0.4, 0.2, 0.5] }
";

/// Numbers of particles by kind of event and names of objects.
fn counts(world: &mut World) -> BTreeMap<String, u64> {
    let mut all = BTreeMap::new();
    for (_, event) in world.events().all {
        let name = |object| world.name(object).unwrap().to_owned();
        let (key, count) = match event {
            Event::Emitted { object, count } => (format!("emitted {}", name(object)), count as u64),
            Event::Drained { drain, object, count } => {
                let drain = world.objects().iter().position(|&o| o == drain);
                (format!("drained {} by {drain:?}", name(object)), count)
            }
            Event::Melted { count, .. } => ("melted".to_owned(), count as u64),
            Event::Frozen { count, .. } => ("frozen".to_owned(), count as u64),
            _ => continue,
        };
        *all.entry(key).or_default() += count;
    }
    all
}

#[test]
fn what_is_emitted_drained_melted_and_frozen_are_the_same_events_as_on_the_cpu() {
    if !ready() {
        return;
    }
    let (mut cpu, mut gpu) = pair(&scene(DRAINS, &[]), GpuOptions::default());
    [&mut cpu, &mut gpu].into_iter().for_each(|world| world.record_events(100_000));
    cpu.advance(60).unwrap();
    gpu.advance(60).unwrap();
    let (expected, found) = (counts(&mut cpu), counts(&mut gpu));
    assert_eq!(found, expected);
    assert_eq!(found.len(), 3, "{found:?}");
    let text = SCENES.iter().find(|(name, _)| *name == "melt and freeze").unwrap().1;
    let (mut cpu, mut gpu) = pair(&scene(text, &[]), GpuOptions::default());
    [&mut cpu, &mut gpu].into_iter().for_each(|world| world.record_events(100_000));
    cpu.advance(50).unwrap();
    gpu.advance(50).unwrap();
    let (expected, found) = (counts(&mut cpu), counts(&mut gpu));
    assert_eq!(found["melted"], expected["melted"]);
    // Which particles are in the region depends on where they have come to.
    let (a, b) = (expected["frozen"] as f64, found["frozen"] as f64);
    assert!(a > 3.0 && (a - b).abs() < 0.5 * a, "{a} {b}");
}

#[test]
fn falling_asleep_and_waking_are_events_on_the_gpu() {
    if !ready() {
        return;
    }
    for exact in [false, true] {
        let mut scene = Scene::default();
        scene.solver.sleep_speed = 0.05;
        let mut world = on_gpu(&scene, GpuOptions::default()).unwrap();
        world.add(Collider::plane()).unwrap();
        let body = Body::cuboid([0.2; 3]).at([0.0, 0.1, 0.0]);
        let body = world.add(if exact { body } else { body.grid(3) }).unwrap();
        world.record_events(1000);
        // Rigid bodies fall asleep after a second at rest.
        world.advance(if exact { 150 } else { 100 }).unwrap();
        let events = world.events().all;
        assert!(events.iter().any(|e| e.1 == Event::FellAsleep { object: body }), "{exact}: {events:?}");
        world.apply_impulse(body, Vec3::new(20.0, 30.0, 0.0), None).unwrap();
        world.advance(2).unwrap();
        let events = world.events().all;
        assert!(events.iter().any(|e| e.1 == Event::Woke { object: body }), "{exact}: {events:?}");
    }
}
