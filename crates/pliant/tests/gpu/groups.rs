//! Collision groups and surfaces of objects on the GPU: the same as on the CPU.

use crate::simulations::{apart, on_gpu, pair, ready, scene};
use pliant::runtime::gpu::GpuOptions;
use pliant::{CollisionGroups, World};

/// Cloth, rope, soft body, inflatable, grains, a body of particles and a rigid body above two floors, of which each touches
/// one. Pairs of two lie on top of each other.
const SOLIDS: &str = r#"
    solver = { iterations = 8, substeps = 2 }
    contact = { between = true }
    [[collider]]
    plane = { offset = 0 }
    collision = { groups = [0] }
    [[collider]]
    box = { center = [0, -0.6, 0], size = [20, 1, 4] }
    [[cloth]]
    name = "cloth"
    grid = { cells = [5, 5], size = [0.4, 0.4], plane = "xz" }
    transform = { translate = [-3.2, 0.15, -0.2] }
    collision = { groups = [1], with = [1] }
    [[rope]]
    name = "rope"
    path = [[-3.2, 0.08, 0], [-2.8, 0.08, 0]]
    segments = 10
    collision = { groups = [0, 2], with = [0] }
    [[soft]]
    name = "soft"
    block = { cells = [2, 2, 2], size = [0.3, 0.3, 0.3] }
    transform = { translate = [-2, 0.2, 0] }
    collision = { groups = [1], with = [1] }
    [[inflatable]]
    name = "inflatable"
    sphere = { radius = 0.15, subdivisions = 2 }
    transform = { translate = [-1, 0.3, 0] }
    collision = { groups = [0], with = [0] }
    [[grains]]
    name = "sand"
    radius = 0.03
    fill = { min = [0, 0.1, -0.1], max = [0.2, 0.3, 0.1] }
    collision = { groups = [1, 4], with = [1, 4] }
    friction = { static = 0.2, kinetic = 0.1 }
    [[body]]
    name = "cube"
    box = [0.2, 0.2, 0.2]
    grid = 4
    transform = { translate = [0.1, 0.15, 0] }
    collision = { groups = [0], with = [0] }
    friction = { static = 0.9, kinetic = 0.8 }
    velocity = [0.5, 0, 0]
    [[body]]
    name = "rigid"
    box = [0.2, 0.2, 0.2]
    transform = { translate = [0.1, 0.5, 0] }
    collision = { groups = [0, 4], with = [0, 4] }
"#;

/// A liquid over a floor and a wall that it passes, beside grains that it touches and grains that it does not.
const LIQUID: &str = r#"
    solver = { iterations = 6 }
    fluid = { radius = 0.03 }
    [[collider]]
    plane = {}
    collision = { groups = [0] }
    [[collider]]
    box = { center = [0.6, 0.3, 0], size = [0.2, 2, 4] }
    collision = { groups = [1] }
    [[liquid]]
    name = "water"
    fill = { min = [0, 0.05, 0], max = [0.35, 0.35, 0.3] }
    velocity = [1, 0, 0]
    collision = { groups = [2], with = [0, 2] }
    [[grains]]
    name = "met"
    radius = 0.04
    fill = { min = [0, 0.4, 0], max = [0.1, 0.5, 0.3] }
    collision = { groups = [0, 2] }
    [[grains]]
    name = "passed"
    radius = 0.04
    fill = { min = [0.2, 0.1, 0], max = [0.3, 0.2, 0.3] }
    collision = { groups = [0], with = [0] }
    [[body]]
    name = "ghost"
    ball = 0.1
    transform = { translate = [0.2, 0.5, 0.15] }
    collision = { groups = [0], with = [0] }
    restitution = 0.5
"#;

fn compare(text: &str, steps: u32, tolerance: f64, without: &str) {
    let (mut cpu, mut gpu) = pair(&scene(text, &[]), GpuOptions::default());
    let (mut all, _) = pair(&scene(without, &[]), GpuOptions::default());
    for world in [&mut cpu, &mut gpu, &mut all] {
        world.advance(steps).unwrap();
        world.sync().unwrap();
    }
    let (off, moved) = (apart(&cpu, &gpu), apart(&cpu, &all));
    println!("off by {off:.1e} m, groups move {moved:.1e} m");
    assert!(moved > 0.02, "groups change nothing, so this proves nothing: {moved}");
    assert!(off < tolerance, "off by {off} m");
}

/// A scene without its lines about `key`.
fn without(text: &str, key: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with(key)).map(|line| format!("{line}\n")).collect()
}

#[test]
fn solids_of_collision_groups_move_on_the_gpu_as_on_the_cpu() {
    if ready() {
        compare(SOLIDS, 12, 1e-4, &without(SOLIDS, "collision"));
    }
}

#[test]
fn liquids_of_collision_groups_move_on_the_gpu_as_on_the_cpu() {
    if ready() {
        compare(LIQUID, 10, 1e-4, &without(LIQUID, "collision"));
    }
}

#[test]
fn own_friction_and_restitution_act_on_the_gpu_as_on_the_cpu() {
    if !ready() {
        return;
    }
    let text = r#"
        solver = { iterations = 8, substeps = 2 }
        contact = { friction = { static = 0.2, kinetic = 0.2 } }
        world = { air_density = 0 }
        [[collider]]
        plane = {}
        friction = { static = 0.3, kinetic = 0.3 }
        [[grains]]
        radius = 0.05
        jitter = 0
        fill = { min = [0, 0.02, 0], max = [0.2, 0.22, 0.2] }
        velocity = [2, -1, 0]
        friction = { static = 0.9, kinetic = 0.8 }
        restitution = 0.6
        [[grains]]
        radius = 0.05
        jitter = 0
        fill = { min = [0.3, 0.02, 0.02], max = [0.5, 0.22, 0.22] }
        [[cloth]]
        grid = { cells = [4, 4], size = [0.4, 0.4], plane = "xz" }
        transform = { translate = [-2, 0.02, 0] }
        stretch = { compliance = 1e-6 }
        velocity = [2, -1, 0]
        friction = { static = 0.02, kinetic = 0.01 }
        restitution = 0.5
        [[body]]
        ball = 0.1
        transform = { translate = [0.2, 0.4, 0.1] }
        friction = { static = 0.9, kinetic = 0.9 }
        restitution = 0.7
    "#;
    for key in ["friction = { static = 0.9", "restitution"] {
        compare(text, 15, 1e-4, &without(text, key));
    }
}

#[test]
fn elastic_sheets_slide_on_the_gpu_by_their_own_friction() {
    if !ready() {
        return;
    }
    let text = r#"
        world = { gravity = [3, -9.81, 0], air_density = 0 }
        [[collider]]
        plane = {}
        friction = { static = 1, kinetic = 1 }
        [[cloth]]
        grid = { cells = [5, 5], size = [0.5, 0.5], plane = "xz" }
        transform = { translate = [0, 0.011, 0] }
        stretch = { modulus = 5000 }
        friction = { static = 0.0025, kinetic = 0.0025 }
    "#;
    compare(text, 20, 1e-4, &without(text, "friction = { static = 0.0025"));
}

#[test]
fn sheets_in_pieces_touch_cylinders_by_their_groups_and_friction_on_the_gpu() {
    if !ready() {
        return;
    }
    let text = r#"
        world = { gravity = [2, -9.81, 0] }
        [solver]
        partition = "shared-patch"
        patch_particles = 120
        iterations = 6
        [[cloth]]
        grid = { cells = [21, 19], size = [1, 0.9], plane = "xz" }
        transform = { translate = [-0.5, 0.42, -0.45] }
        friction = { static = 0.01, kinetic = 0.01 }
        collision = { groups = [1], with = [0] }
        [[collider]]
        cylinder = { from = [-0.2, 0, -0.3], to = [-0.2, 0, 0.3], radius = 0.4 }
        friction = { static = 0.9, kinetic = 0.9 }
        [[collider]]
        sphere = { center = [0.4, 0.1, 0], radius = 0.3 }
        collision = { groups = [2] }
    "#;
    compare(text, 10, 1e-3, &without(text, "collision"));
    compare(text, 25, 1e-2, &without(text, "friction = { static = 0.01"));
}

#[test]
fn groups_and_surfaces_change_between_steps_on_the_gpu() {
    if !ready() {
        return;
    }
    let text = r#"
        solver = { iterations = 6, substeps = 2 }
        [[collider]]
        name = "floor"
        plane = {}
        [[body]]
        name = "cube"
        box = [0.2, 0.2, 0.2]
        grid = 3
        transform = { translate = [0, 0.12, 0] }
        velocity = [1, 0, 0]
        [[grains]]
        name = "sand"
        radius = 0.05
        fill = { min = [1, 0.05, 0], max = [1.2, 0.25, 0.2] }
        [[body]]
        name = "rigid"
        ball = 0.1
        transform = { translate = [1.1, 0.5, 0.1] }
    "#;
    let (cpu, gpu) = pair(&scene(text, &[]), GpuOptions::default());
    let apart_after = |mut worlds: [World; 2]| {
        for world in &mut worlds {
            let [cube, sand, rigid] = ["cube", "sand", "rigid"].map(|name| world.find(name).unwrap());
            world.advance(4).unwrap();
            world.set_friction(cube, 0.01, 0.0).unwrap();
            world.advance(3).unwrap();
            world.set_collision_groups(rigid, CollisionGroups::new(1, 1)).unwrap();
            world.set_collision_groups(sand, CollisionGroups::new(2, 2)).unwrap();
            world.advance(8).unwrap();
            world.set_restitution(sand, 0.5).unwrap();
            world.advance(5).unwrap();
            world.set_collision_groups(cube, CollisionGroups::NONE).unwrap();
            assert_eq!(world.collision_groups(cube).unwrap(), CollisionGroups::NONE);
            world.advance(20).unwrap();
            world.sync().unwrap();
            // The cube falls through the floor, the ball through the sand onto it.
            let top = world.bounds(cube).unwrap().1.y;
            assert!(top < 0.1, "{top}");
            let y = world.bounds(rigid).unwrap().0.y;
            assert!(y < 0.15, "{y}");
        }
        apart(&worlds[0], &worlds[1])
    };
    let off = apart_after([cpu, gpu]);
    assert!(off < 1e-3, "off by {off} m");
}

#[test]
fn a_rigid_body_sleeps_and_wakes_in_a_world_on_the_gpu() {
    if !ready() {
        return;
    }
    let mut world = on_gpu(&scene(&without(SOLIDS, "collision"), &[]), GpuOptions::default()).unwrap();
    let body = world.find("rigid").unwrap();
    world.step().unwrap();
    world.sleep(body).unwrap();
    let before = world.pose(body).unwrap().position.y;
    world.advance(3).unwrap();
    assert!(world.is_asleep(body).unwrap());
    assert_eq!(world.pose(body).unwrap().position.y, before);
    world.wake(body).unwrap();
    world.advance(5).unwrap();
    assert!(!world.is_asleep(body).unwrap() && world.pose(body).unwrap().position.y < before);
}

#[test]
fn a_scene_without_groups_compiles_no_code_for_them() {
    if !ready() {
        return;
    }
    let world =
        on_gpu(&scene(&without(&without(SOLIDS, "collision"), "friction"), &[]), GpuOptions::default()).unwrap();
    assert!(world.model().contact_table.is_empty());
}
