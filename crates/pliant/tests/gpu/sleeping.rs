//! Objects of particles that sleep on the GPU.

use crate::simulations::{on_gpu, ready, scene};
use glam::Vec3;
use pliant::runtime::gpu::GpuOptions;
use pliant::scene::{Body, Cloth, Grains, Place, Rope};
use pliant::{Handle, SnapshotRing, World};

fn gpu(text: &str) -> World {
    on_gpu(&scene(text, &[]), GpuOptions::default()).unwrap()
}

fn rows(world: &mut World, object: Handle) -> Vec<[u32; 4]> {
    world.positions(object).unwrap().iter().map(|row| row.map(f32::to_bits)).collect()
}

const ROD: &str = "[[rope]]\npath = [[6, 3, 0], [6.4, 3, 0]]\nsegments = 6\nbend = { compliance = 1e-2 }\n\
                   twist = { compliance = 1e-2 }\n";

#[test]
fn objects_of_particles_stay_where_they_sleep_on_the_gpu_to_the_bit() {
    if !ready() {
        return;
    }
    for settings in ["", "solver = { integrator = \"bdf2\" }"] {
        let mut world = gpu(&format!("{settings}\ncontact = {{ between = true }}\n[[collider]]\nplane = {{}}\n"));
        let rod: Rope = scene(ROD, &[]).rope.remove(0);
        let sleepers = [
            world.add(Cloth::flat([4, 4], [0.4, 0.4]).at([0.0, 3.0, 0.0]).pin(Place::LeftEdge)).unwrap(),
            world.add(Body::cuboid([0.3; 3]).grid(3).at([3.0, 3.0, 0.0])).unwrap(),
            world.add(rod).unwrap(),
            world.add(Grains::fill([9.0, 3.0, 0.0], [9.2, 3.2, 0.2], 0.05)).unwrap(),
        ];
        let faller = world.add(Body::cuboid([0.3; 3]).grid(3).at([3.0, 5.0, 3.0])).unwrap();
        world.step_many(2).unwrap();
        sleepers.iter().for_each(|&object| world.sleep(object).unwrap());
        let before: Vec<_> = sleepers.iter().map(|&object| rows(&mut world, object)).collect();
        let pose = world.pose(sleepers[1]).unwrap();
        world.step_many(4).unwrap();
        let read = world.gpu().unwrap().downloaded();
        assert!(sleepers.iter().all(|&object| world.is_asleep(object).unwrap()));
        assert!(!world.is_asleep(faller).unwrap());
        assert!(world.gpu().unwrap().downloaded() - read < 1000, "more than what sleeps was read back");
        for (k, &object) in sleepers.iter().enumerate() {
            assert_eq!(rows(&mut world, object), before[k], "{settings} {k}");
            assert_eq!(world.momentum(object).unwrap().linear, glam::DVec3::ZERO);
        }
        assert_eq!(world.pose(sleepers[1]).unwrap(), pose);
        assert!(world.momentum(faller).unwrap().linear.y < 0.0);
        // Through snapshots in memory, in bytes and within the device.
        let saved = world.snapshot().unwrap();
        let mut ring = SnapshotRing::new(1);
        ring.push(&mut world).unwrap();
        world.step_many(2).unwrap();
        let hash = world.hash();
        world.wake(sleepers[1]).unwrap();
        world.step_many(2).unwrap();
        assert!(!world.is_asleep(sleepers[1]).unwrap() && world.is_asleep(sleepers[0]).unwrap());
        assert!(world.momentum(sleepers[1]).unwrap().linear.y < 0.0);
        ring.restore(&mut world, 0).unwrap();
        world.step_many(2).unwrap();
        assert_eq!(world.hash(), hash, "{settings}: after a restore within the device");
        let read = world.snapshot_from_bytes(&saved.to_bytes()).unwrap();
        world.restore(&read).unwrap();
        assert!(sleepers.iter().all(|&object| world.is_asleep(object).unwrap()));
        world.step_many(2).unwrap();
        assert_eq!(world.hash(), hash, "{settings}: after a restore from bytes");
        world.set_gravity([0.0, -1.0, 0.0]).unwrap();
        assert!(!sleepers.iter().any(|&object| world.is_asleep(object).unwrap()));
    }
}

#[test]
fn what_hits_a_sleeping_object_on_the_gpu_meets_one_of_its_mass_and_wakes_it() {
    if !ready() {
        return;
    }
    let run = |sleeps: bool| {
        let mut world =
            gpu("world = { gravity = [0, 0, 0] }\nsolver = { substeps = 2 }\ncontact = { between = true }\n");
        let hit = world.add(Body::cuboid([0.3; 3]).grid(3)).unwrap();
        let apart = world.add(Body::cuboid([0.3; 3]).grid(3).at([3.0, 0.0, 0.0])).unwrap();
        world.add(Body::cuboid([0.2; 3]).grid(3).at([0.0, 0.3, 0.0]).velocity([0.0, -3.0, 0.0])).unwrap();
        if sleeps {
            world.sleep(hit).unwrap();
            world.sleep(apart).unwrap();
        }
        world.step_many(6).unwrap();
        let asleep = [hit, apart].map(|object| world.is_asleep(object).unwrap());
        let speed = world.momentum(hit).unwrap().linear.y;
        let places: Vec<Vec3> = (0..world.particles()).map(|i| world.position(i)).collect();
        world.apply_impulse(apart, Vec3::X * 0.1, None).unwrap();
        assert!(!world.is_asleep(apart).unwrap());
        (places, asleep, speed)
    };
    let (awake, asleep) = (run(false), run(true));
    assert!(asleep.2 < -0.1, "the crate was not hit: {} kg·m/s", asleep.2);
    assert_eq!(asleep.1, [false, true]);
    let apart = awake.0.iter().zip(&asleep.0).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(apart < 1e-3, "a collision with a sleeping object ends {apart} m elsewhere");
}
