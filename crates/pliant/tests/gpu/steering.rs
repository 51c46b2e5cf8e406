//! Motions, materials and forces that are changed between steps, on the GPU.

use crate::simulations::{apart, on_gpu, pair, ready, scene};
use glam::{Quat, Vec3};
use pliant::runtime::gpu::GpuOptions;
use pliant::scene::{Body, Collider, ContactSpec, MotionSpec, PourSpec};
use pliant::{EditError, World};

const PINNED: &str = r#"
    [[cloth]]
    name = "cloth"
    grid = { cells = [6, 6], size = [1, 1] }
    pin = [{ at = "top left" }, { at = "top right" }]
    [[rope]]
    name = "rod"
    path = [[3, 1, 0], [4, 1, 0]]
    segments = 6
    twist = { modulus = 1e6 }
    bend = { modulus = 1e6 }
    pin = [{ at = "start" }]
"#;

fn steer(world: &mut World) {
    let (cloth, rod) = (world.find("cloth").unwrap(), world.find("rod").unwrap());
    let ball = world.add(Collider::sphere([0.0, -0.4, 0.3], 0.2).named("ball")).unwrap();
    world.advance(3).unwrap();
    let waves = MotionSpec::Oscillate { amplitude: [0.0, 0.0, 0.2], period: 0.5, phase: 0.0 };
    world.set_pin_motion(cloth, 0, Some(waves.clone())).unwrap();
    world.set_pin_velocity(rod, 0, Vec3::new(0.1, 0.2, 0.0), Vec3::new(0.0, 3.0, 0.0)).unwrap();
    world.set_motion(ball, Some(waves)).unwrap();
    world.advance(7).unwrap();
    world.move_pins(cloth, 1, Vec3::new(0.0, 0.1, 0.0), Quat::IDENTITY, Vec3::ZERO).unwrap();
    world.advance(4).unwrap();
    world.set_pin_motion(cloth, 0, None).unwrap();
    world.advance(6).unwrap();
}

#[test]
fn steered_pins_and_colliders_move_on_the_gpu_as_on_the_cpu() {
    if !ready() {
        return;
    }
    let (mut cpu, mut gpu) = pair(&scene(PINNED, &[]), GpuOptions::default());
    steer(&mut cpu);
    let before = gpu.gpu().unwrap().downloaded();
    steer(&mut gpu);
    assert_eq!(gpu.gpu().unwrap().downloaded(), before, "steering has read the state");
    assert!(apart(&cpu, &gpu) < 1e-3, "{}", apart(&cpu, &gpu));
    // A snapshot brings motions back, also where other pins move since.
    let saved = gpu.snapshot().unwrap();
    gpu.advance(10).unwrap();
    let hash = gpu.hash();
    gpu.restore(&saved).unwrap();
    let cloth = gpu.find("cloth").unwrap();
    gpu.set_pin_motion(cloth, 1, None).unwrap();
    gpu.set_pin_velocity(cloth, 0, Vec3::X, Vec3::ZERO).unwrap();
    gpu.advance(5).unwrap();
    gpu.restore(&saved).unwrap();
    gpu.advance(10).unwrap();
    assert_eq!(gpu.hash(), hash);
}

type Change = fn(&mut World) -> Result<(), EditError>;

#[test]
fn a_material_that_was_changed_on_the_gpu_is_that_of_an_object_built_with_it() {
    if !ready() {
        return;
    }
    let soft = |young: &str| {
        format!(
            "[[soft]]\nname = \"it\"\nblock = {{ cells = [4, 2, 2], size = [0.8, 0.2, 0.2] }}\nfem = {{ young = {young}, poisson = 0.3 }}\npin = [{{ particles = [0, 1, 2, 3] }}]"
        )
    };
    let liquid = |viscosity: &str, tension: &str| {
        format!(
            "fluid = {{ radius = 0.025 }}\n[[liquid]]\nname = \"it\"\nfill = {{ min = [0, 0, 0], max = [0.2, 0.2, 0.2] }}\nviscosity = {viscosity}\ntension = {tension}\n[[collider]]\nplane = {{}}"
        )
    };
    let sand = |cohesion: &str, floor: &str| {
        format!(
            "contact = {{ cohesion = {cohesion} }}\n[[grains]]\nname = \"it\"\nfill = {{ min = [0, 0, 0], max = [0.2, 0.3, 0.2] }}\nradius = 0.03\n[[collider]]\nname = \"floor\"\nplane = {{}}\nrolling = {floor}"
        )
    };
    let cases: [(&str, String, Change, String); 5] = [
        ("Young's modulus", soft("1e5"), |w| w.set_young(w.find("it")?, 3e4), soft("3e4")),
        ("viscosity", liquid("0.001", "0"), |w| w.set_viscosity(w.find("it")?, 20.0), liquid("20", "0")),
        (
            "surface tension",
            liquid("0.001", "0"),
            |w| w.set_surface_tension(w.find("it")?, 0.5),
            liquid("0.001", "0.5"),
        ),
        ("rolling of a collider", sand("0", "0"), |w| w.set_rolling(w.find("floor")?, 3.0), sand("0", "3")),
        (
            "cohesion",
            sand("0", "0"),
            |w| w.set_contact_settings(ContactSpec { cohesion: 0.5, ..w.contact_settings().clone() }),
            sand("0.5", "0"),
        ),
    ];
    for (name, before, change, after) in cases {
        let mut changed = on_gpu(&scene(&before, &[]), GpuOptions::default()).unwrap();
        let mut built = on_gpu(&scene(&after, &[]), GpuOptions::default()).unwrap();
        change(&mut changed).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(changed.gpu().unwrap().downloaded(), 0, "{name}: something was read");
        changed.advance(10).unwrap();
        built.advance(10).unwrap();
        assert_eq!(changed.hash(), built.hash(), "{name}");
        // A snapshot from before the change has the old material again.
        let mut world = on_gpu(&scene(&before, &[]), GpuOptions::default()).unwrap();
        world.advance(3).unwrap();
        let saved = world.snapshot().unwrap();
        world.advance(5).unwrap();
        let hash = world.hash();
        world.restore(&saved).unwrap();
        change(&mut world).unwrap();
        world.advance(2).unwrap();
        world.restore(&saved).unwrap();
        world.advance(5).unwrap();
        assert_eq!(world.hash(), hash, "{name}: a snapshot");
    }
}

#[test]
fn emitters_change_on_the_gpu_as_on_the_cpu() {
    if !ready() {
        return;
    }
    let text = "[[grains]]\nname = \"sand\"\nradius = 0.02\npour = { from = [0, 1, 0], radius = 0.03, per_second = 50, velocity = [0, -3, 0], until = 1 }\n[[cloth]]\ngrid = { cells = [4, 4], size = [1, 1], plane = \"xz\" }\ntransform = { translate = [9, 0.4, -0.5] }\npin = [{ at = \"corners\" }]";
    let (mut cpu, mut gpu) = pair(&scene(text, &[]), GpuOptions::default());
    let next =
        PourSpec { from: [0.5, 1.2, 0.0], radius: 0.03, per_second: 50.0, velocity: [0.0, -3.0, 0.0], until: 2.0 };
    let mut actives = Vec::new();
    for world in [&mut cpu, &mut gpu] {
        let sand = world.find("sand").unwrap();
        world.advance(15).unwrap();
        world.set_pour(sand, None).unwrap();
        world.advance(5).unwrap();
        world.set_pour(sand, Some(next)).unwrap();
        world.advance(20).unwrap();
        actives.push(world.positions(sand).unwrap().iter().filter(|row| row[3] > 0.0).count());
    }
    assert_eq!(actives[0], actives[1]);
    assert!(actives[0] > 16, "{actives:?}");
    assert!(apart(&cpu, &gpu) < 1e-4, "{}", apart(&cpu, &gpu));
}

#[test]
fn measures_of_one_object_read_that_object_only() {
    if !ready() {
        return;
    }
    let text = "fluid = { radius = 0.03 }\n[[soft]]\nname = \"soft\"\nblock = { cells = [3, 2, 2], size = [0.3, 0.2, 0.2] }\nfem = { young = 1e5, poisson = 0.3 }\npin = [{ particles = [0, 1, 2, 3] }]\n[[liquid]]\nname = \"water\"\nfill = { min = [5, 0, 0], max = [5.2, 0.2, 0.2] }\n[[inflatable]]\nname = \"ball\"\nsphere = { radius = 0.3, subdivisions = 2 }\ntransform = { translate = [9, 0, 0] }\n[[body]]\nname = \"row\"\nbox = [0.2, 0.2, 0.2]\ngrid = 3\narray = { count = [3, 1, 1], spacing = [1, 0, 0] }\ntransform = { translate = [20, 0, 0] }";
    let (mut cpu, mut gpu) = pair(&scene(text, &[]), GpuOptions::default());
    cpu.advance(10).unwrap();
    gpu.advance(10).unwrap();
    let rigid = gpu.add(Body::cuboid([0.2; 3]).at([30.0, 0.0, 0.0])).unwrap();
    for (name, bytes) in [("soft", 16), ("water", 0), ("ball", 16)] {
        let object = gpu.find(name).unwrap();
        let (own, count) = (cpu.find(name).unwrap(), gpu.particles_of(object).unwrap().len() as u64);
        let before = gpu.gpu().unwrap().downloaded();
        let (found, expected) = (gpu.volume(object).unwrap(), cpu.volume(own).unwrap());
        assert_eq!(gpu.gpu().unwrap().downloaded() - before, bytes * count, "{name}");
        assert!((found - expected).abs() < 1e-4 * expected, "{name}: {found} {expected}");
        let before = gpu.gpu().unwrap().downloaded();
        let (found, expected) = (gpu.energy(object).unwrap().elastic, cpu.energy(own).unwrap().elastic);
        assert_eq!(gpu.gpu().unwrap().downloaded() - before, 32 * count, "{name}");
        assert!((found - expected).abs() < 0.02 * expected + 1e-6, "{name}: {found} {expected}");
    }
    let row = gpu.find("row").unwrap();
    let before = gpu.gpu().unwrap().downloaded();
    let (found, expected) = (gpu.poses(row).unwrap(), cpu.poses(cpu.find("row").unwrap()).unwrap());
    assert!(found.iter().zip(&expected).all(|(a, b)| a.position.distance(b.position) < 1e-4), "{found:?} {expected:?}");
    assert_eq!(gpu.surface_of(rigid).unwrap().normals.len(), gpu.surface_of(rigid).unwrap().points.len());
    assert!(gpu.gpu().unwrap().downloaded() - before < 1000);
    // Velocities arrive while steps go on.
    let water = gpu.find("water").unwrap();
    gpu.step().unwrap();
    let now = gpu.velocities(water).unwrap().to_vec();
    let mut request = gpu.request_velocities(water).unwrap();
    gpu.step().unwrap();
    let mut found = None;
    while found.is_none() {
        found = gpu.poll_velocities(&mut request).unwrap().map(<[_]>::to_vec);
    }
    assert!(found.unwrap() == now);
}
