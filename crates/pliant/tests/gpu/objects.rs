//! Single objects of a world on the GPU: what they pull at, and where they are put, with little read back.

use crate::simulations::{pair, ready, scene};
use glam::{Quat, Vec3};
use pliant::builder::NoMeshes;
use pliant::runtime::gpu::GpuOptions;
use pliant::scene::Body;
use pliant::{AddOptions, Overlap, Pose, World};

const OBJECTS: &str = r#"
    world = { damping = 4, air_density = 0 }
    [[cloth]]
    name = "sheet"
    grid = { cells = [6, 6], size = [1, 1], plane = "xz" }
    density = 0.3
    stretch = { modulus = 400 }
    pin = [{ at = "corners" }]
    [[body]]
    name = "box"
    box = [0.3, 0.2, 0.3]
    grid = 4
    recovery = 0.2
    transform = { translate = [3, 0.11, 0] }
    [[body]]
    name = "other"
    box = [0.3, 0.2, 0.3]
    grid = 4
    recovery = 0.2
    transform = { translate = [6, 0.11, 0] }
    [[collider]]
    plane = { offset = -0.5 }
"#;

fn read(world: &World) -> u64 {
    world.gpu().unwrap().downloaded()
}

#[test]
fn pins_on_the_gpu_are_pulled_at_as_on_the_cpu() {
    if !ready() {
        return;
    }
    let (mut cpu, mut gpu) = pair(&scene(OBJECTS, &[]), GpuOptions::default());
    let [a, b] = [&mut cpu, &mut gpu].map(|world| {
        world.advance(20).unwrap();
        let sheet = world.find("sheet").unwrap();
        world.pin_force(sheet).unwrap()
    });
    println!("{a:?} on the CPU, {b:?} on the GPU");
    assert!(a.force.length() > 0.1, "{a:?}");
    assert!((a.force - b.force).length() < 0.01 * a.force.length(), "{a:?} {b:?}");
    assert!((a.torque - b.torque).length() < 0.01 * a.torque.length(), "{a:?} {b:?}");
}

#[test]
fn projected_objects_on_the_gpu_pull_at_pins_and_attachments_as_on_the_cpu() {
    if !ready() {
        return;
    }
    // One patch for each, and a cloth of several; a balloon has a multiplier of its own.
    let text = r#"
        solver = { method = "xpbd", substeps = 2, iterations = 12 }
        world = { damping = 4 }
        [[cloth]]
        name = "sheet"
        grid = { cells = [24, 24], size = [1, 1], plane = "xz" }
        pin = [{ at = "corners" }]
        [[rope]]
        name = "upper"
        path = [[5, 3, 0], [5, 2, 0]]
        segments = 6
        particle_mass = 0.02
        pin = [{ at = "start" }]
        [[rope]]
        name = "lower"
        path = [[5, 2, 0], [5, 1, 0]]
        segments = 6
        particle_mass = 0.05
        [[attach]]
        from = { object = "upper", at = "end" }
        to = { object = "lower", at = "start" }
        [[inflatable]]
        name = "ball"
        sphere = { radius = 0.3, subdivisions = 1 }
        transform = { translate = [8, 1, 0] }
        pressure = 1.2
        stretch = { compliance = 5e-2 }
        pin = [{ inside = { min = [7, 1.2, -1], max = [9, 2, 1] } }]
    "#;
    let (mut cpu, mut gpu) = pair(&scene(text, &[]), GpuOptions::default());
    let [a, b] = [&mut cpu, &mut gpu].map(|world| {
        world.step_many(12).unwrap();
        let before = world.gpu().map(|gpu| gpu.downloaded());
        let attachment = world.objects().into_iter().find(|&h| world.kind(h) == Ok(pliant::scene::ObjectKind::Attach));
        let mut forces = vec![world.attachment_force(attachment.unwrap()).unwrap()];
        for name in ["sheet", "upper", "ball"] {
            let handle = world.find(name).unwrap();
            forces.push(world.pin_force(handle).unwrap().force);
        }
        if let Some(before) = before {
            let all = world.particles() as u64 * 16 * 4;
            assert!(read(world) - before < all, "{} bytes were read", read(world) - before);
        }
        forces
    });
    println!("{a:?} on the CPU, {b:?} on the GPU");
    for (a, b) in a.into_iter().zip(b) {
        assert!(a.length() > 0.05, "{a}");
        assert!((a - b).length() < 0.01 * a.length(), "{a} {b}");
    }
}

#[test]
fn bodies_are_put_elsewhere_with_little_read_back() {
    if !ready() {
        return;
    }
    let (mut cpu, mut gpu) = pair(&scene(OBJECTS, &[]), GpuOptions::default());
    let turn = Quat::from_rotation_z(0.4);
    for world in [&mut cpu, &mut gpu] {
        world.advance(5).unwrap();
        let body = world.find("box").unwrap();
        world.set_velocity(body, Vec3::new(1.0, 0.0, 0.0), Vec3::ZERO).unwrap();
        let before = world.gpu().map(|_| read(world));
        world.teleport(body, Pose { position: Vec3::new(3.0, 4.0, 1.0), rotation: turn }).unwrap();
        if let Some(before) = before {
            let particles = world.particles_of(body).unwrap().len() as u64;
            assert!(read(world) - before <= 32 * particles + 1024, "{} bytes read", read(world) - before);
        }
    }
    let [a, b] = [&mut cpu, &mut gpu].map(|world| {
        world.advance(4).unwrap();
        let body = world.find("box").unwrap();
        world.positions(body).unwrap().to_vec()
    });
    let far = |(a, b): (&[f32; 4], &[f32; 4])| (Vec3::from_slice(&a[..3]) - Vec3::from_slice(&b[..3])).length();
    let off = a.iter().zip(&b).map(far).fold(0.0, f32::max);
    let mean = a.iter().map(|row| Vec3::from_slice(&row[..3])).sum::<Vec3>() / a.len() as f32;
    // Velocities turn with the body: it goes on upward, by sin(0.4)·t − g·t²/2.
    assert!((mean.y - 4.0065).abs() < 2e-3 && mean.x > 3.02 && off < 1e-4, "{mean}, {off} m apart");
}

#[test]
fn a_body_that_is_added_inside_another_is_moved_out_with_little_read_back() {
    if !ready() {
        return;
    }
    let options = AddOptions { meshes: &NoMeshes, overlap: Some(Overlap::MoveOut) };
    let (mut cpu, mut gpu) = pair(&scene(OBJECTS, &[]), GpuOptions::default());
    let places = [&mut cpu, &mut gpu].map(|world| {
        world.advance(5).unwrap();
        let before = world.gpu().map(|_| read(world));
        let added = world.add_with(Body::cuboid([0.2; 3]).grid(3).at([6.0, 0.27, 0.0]), &options).unwrap();
        if let Some(before) = before {
            let all = 16 * world.particles() as u64;
            assert!(read(world) - before < all, "{} bytes read of {all}", read(world) - before);
        }
        world.bounds(added).unwrap().0
    });
    assert!(places[0].y > 0.18, "it was not moved: {places:?}");
    assert!(places[0].distance(places[1]) < 1e-3, "{places:?}");
}
