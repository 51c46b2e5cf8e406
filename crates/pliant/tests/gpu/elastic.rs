//! Vertex block descent on the GPU: right at default settings, as on the CPU, and with the same bits again.

use crate::simulations::{on_gpu, pair, ready, scene};
use glam::Vec3;
use pliant::World;
use pliant::runtime::gpu::{Cap, GpuOptions};

const G: f64 = 9.81;

/// One of each kind of element, on colliders and free.
const SCENES: [(&str, &str); 7] = [
    (
        "sheet with dihedral bending over a sphere",
        r#"
        [[cloth]]
        grid = { cells = [12, 12], size = [0.6, 0.6], plane = "xz" }
        transform = { translate = [-0.3, 0.32, -0.3] }
        stretch = { modulus = 500 }
        bend = { modulus = 1e-4 }
        [[collider]]
        sphere = { center = [0, 0.1, 0], radius = 0.2 }
        [[collider]]
        plane = { normal = [0, 1, 0] }
        "#,
    ),
    (
        "springs and isometric hinges",
        r#"
        [[cloth]]
        grid = { cells = [9, 7], size = [0.5, 0.4], plane = "xz" }
        stretch = { compliance = 1e-3 }
        bend = { modulus = 1e-4 }
        bend_model = "isometric"
        pin = [{ at = "top edge" }]
        "#,
    ),
    (
        "cube thrown on a slope",
        r#"
        [[soft]]
        block = { cells = [5, 5, 5], size = [0.2, 0.2, 0.2] }
        transform = { translate = [0, 0.02, 0], rotate = { axis = [1, 0, 0], degrees = 20 } }
        fem = { young = 1e5, poisson = 0.3 }
        velocity = [1, -1, 0]
        [[collider]]
        plane = { normal = [0.2, 1, 0] }
        friction = { static = 0.4, kinetic = 0.3 }
        "#,
    ),
    (
        "rope and rod",
        r#"
        [[rope]]
        path = [[0, 0.5, 0], [1, 0.6, 0]]
        segments = 17
        stretch = { modulus = 1e6 }
        bend = { modulus = 1e5 }
        pin = [{ particles = [0] }]
        [[rope]]
        path = [[0, 0.5, 1], [1, 0.6, 1]]
        segments = 10
        stretch = { modulus = 1e6 }
        bend = { modulus = 1e5 }
        twist = { modulus = 1e5 }
        pin = [{ particles = [0, 1] }]
        "#,
    ),
    (
        "triangles and volumes",
        r#"
        [[cloth]]
        grid = { cells = [6, 6], size = [0.4, 0.4], plane = "xz" }
        fem = { young = 1e4, poisson = 0.3 }
        pin = [{ at = "top edge" }]
        [[soft]]
        block = { cells = [3, 3, 3], size = [0.2, 0.2, 0.2] }
        transform = { translate = [1, 0, 0] }
        stretch = { compliance = 1e-4 }
        volume = { compliance = 1e-10 }
        velocity = [0, 1, 0]
        "#,
    ),
    (
        "sheet pushed by grains",
        r#"
        [contact]
        between = true
        [[cloth]]
        grid = { cells = [10, 10], size = [0.4, 0.4], plane = "xz" }
        transform = { translate = [-0.2, 0.1, -0.2] }
        stretch = { modulus = 500 }
        pin = [{ at = "left edge" }, { at = "right edge" }]
        [[grains]]
        radius = 0.02
        fill = { min = [-0.05, 0.125, -0.05], max = [0.05, 0.2, 0.05] }
        "#,
    ),
    (
        "cube attached to a sheet",
        r#"
        [[cloth]]
        name = "sheet"
        grid = { cells = [8, 8], size = [0.4, 0.4], plane = "xz" }
        stretch = { modulus = 500 }
        pin = [{ at = "left edge" }, { at = "right edge" }]
        [[soft]]
        name = "cube"
        block = { cells = [3, 3, 3], size = [0.15, 0.15, 0.15] }
        transform = { translate = [0.1, -0.15, 0.1] }
        fem = { young = 1e5, poisson = 0.3 }
        density = 100
        [[attach]]
        from = { object = "cube" }
        to = { object = "sheet" }
        within = 1e-3
        "#,
    ),
];

fn positions(world: &World) -> Vec<Vec3> {
    (0..world.particles()).map(|i| world.position(i)).collect()
}

/// Largest distance between the same particles [m].
fn apart(a: &World, b: &World) -> f32 {
    positions(a).iter().zip(positions(b)).map(|(a, b)| a.distance(b)).fold(0.0, f32::max)
}

fn moves_alike(name: &str, text: &str, options: GpuOptions) {
    let (mut cpu, mut gpu) = pair(&scene(text, &[]), options);
    assert!(!gpu.model().bodies.is_empty(), "{name}: no body descends");
    let start = positions(&cpu);
    cpu.advance(12).unwrap();
    gpu.advance(12).unwrap();
    let moved = positions(&cpu).iter().zip(&start).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    let apart = apart(&cpu, &gpu);
    println!("{name}: {apart:e} m apart after {moved} m");
    assert!(moved > 0.01 && apart < 2e-3 * moved, "{name}: {apart} m apart after {moved} m");
}

#[test]
fn v01_elastic_bodies_move_alike_on_cpu_and_gpu() {
    if !ready() {
        return;
    }
    for (name, text) in SCENES {
        moves_alike(name, text, GpuOptions::default());
    }
}

#[test]
fn s14_small_bodies_move_alike_in_workgroups_of_256_threads() {
    if !ready() {
        return;
    }
    let (name, text) = SCENES[2];
    moves_alike(name, text, GpuOptions { cap: Some(Cap::BROWSER), ..GpuOptions::default() });
}

#[test]
fn r02_elastic_bodies_on_the_gpu_repeat_themselves_and_go_on_from_a_snapshot() {
    if !ready() {
        return;
    }
    for (name, text) in [SCENES[2], SCENES[5]] {
        let mut worlds = [0, 1].map(|_| on_gpu(&scene(text, &[]), GpuOptions::default()).unwrap());
        worlds.iter_mut().for_each(|world| world.advance(5).unwrap());
        let [one, other] = &mut worlds;
        assert_eq!(one.hash(), other.hash(), "{name}");
        let saved = one.snapshot().unwrap();
        one.advance(4).unwrap();
        other.restore(&saved).unwrap();
        other.advance(4).unwrap();
        assert_eq!(one.hash(), other.hash(), "{name}: after a snapshot");
    }
}

#[test]
fn v17_a_sheet_on_the_gpu_hangs_as_long_as_its_modulus_says() {
    if !ready() {
        return;
    }
    let (height, density, stretch) = (0.8, 0.2, 0.02);
    let modulus = density * G * height * height / (2.0 * stretch);
    let text = format!(
        "[world]\nair_density = 0\ndamping = 6\n[[cloth]]\ngrid = {{ cells = [6, 20], size = [0.24, {height}] }}\ndensity = \
         {density}\nstretch = {{ modulus = {modulus} }}\npin = [{{ at = \"top edge\" }}]\n"
    );
    let mut world = on_gpu(&scene(&text, &[]), GpuOptions::default()).unwrap();
    let lowest = |world: &World| positions(world).iter().map(|p| p.y).fold(f32::MAX, f32::min);
    let start = lowest(&world);
    world.advance(150).unwrap();
    let found = f64::from(start - lowest(&world));
    println!("{found} m against {stretch} m");
    assert!((found / stretch - 1.0).abs() < 0.03, "{found} m against {stretch} m");
}

#[test]
fn v35_a_squashed_cube_on_the_gpu_recovers_and_gains_no_momentum() {
    if !ready() {
        return;
    }
    let text = "[world]\ngravity = [0, 0, 0]\nair_density = 0\n[[soft]]\nblock = { cells = [4, 4, 4], size = [0.3, 0.3, \
                0.3] }\nsquash = [1, 0.3, 1]\nfem = { young = 1e5, poisson = 0.3 }\n";
    let mut world = on_gpu(&scene(text, &[]), GpuOptions::default()).unwrap();
    let center = |world: &World| {
        let mass = |i: &usize| 1.0 / world.state().rows[*i][3];
        let sum: Vec3 = (0..world.particles()).map(|i| world.position(i) * mass(&i)).sum();
        sum / (0..world.particles()).map(|i| mass(&i)).sum::<f32>()
    };
    let start = center(&world);
    world.advance(20).unwrap();
    let (x, middle) = (positions(&world), center(&world));
    let state = world.state();
    // Momenta m·v.
    let p = |i: usize| Vec3::from_slice(&state.velocities[i][..3]) / state.rows[i][3];
    let spin = x.iter().enumerate().map(|(i, x)| (*x - middle).cross(p(i))).sum::<Vec3>().length();
    let parts = x.iter().enumerate().map(|(i, x)| (*x - middle).length() * p(i).length()).sum::<f32>();
    println!("spin {spin} of {parts}; center moved {}", middle.distance(start));
    assert!(spin < 1e-3 * parts, "angular momentum {spin} of {parts}");
    assert!(middle.distance(start) < 1e-5, "the center moved by {} m", middle.distance(start));
    world.advance(100).unwrap();
    let x = positions(&world);
    let size = x.iter().fold(Vec3::MIN, |a, b| a.max(*b)) - x.iter().fold(Vec3::MAX, |a, b| a.min(*b));
    assert!((size - Vec3::splat(0.3)).abs().max_element() < 0.01, "the cube has the size {size}");
}

#[test]
fn elastic_bodies_on_the_gpu_take_over_changed_stiffness() {
    if !ready() {
        return;
    }
    let text = "[world]\nair_density = 0\ndamping = 6\n[[rope]]\npath = [[0, 0, 0], [0, -1, 0]]\nsegments = 10\ndensity = \
                1\nstretch = { compliance = 1e-3 }\npin = [{ particles = [0] }]\n";
    let (mut cpu, mut gpu) = pair(&scene(text, &[]), GpuOptions::default());
    for world in [&mut cpu, &mut gpu] {
        let kind = pliant::constraints::ConstraintKind::Stretch;
        assert_eq!(world.set_softness(0, kind, pliant::constraints::Softness::compliance(5e-3)), Ok(10));
        world.advance(150).unwrap();
    }
    let ends = [&cpu, &gpu].map(|world| f64::from(-world.position(10).y - 1.0));
    // Each segment carries what hangs below it, half of the own ones included: Σ of i + ½ over ten segments of 0.1 kg.
    let exact = 5e-3 * 0.1 * G * 50.0;
    println!("{ends:?} m against {exact} m");
    assert!(ends.iter().all(|end| (end / exact - 1.0).abs() < 0.02), "{ends:?} m against {exact} m");
}
