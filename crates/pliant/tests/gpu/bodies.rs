//! Shape-matched bodies: WGSL kernels, and whole simulations.

use crate::samples::Rng;
use crate::simulations::{apart, bounds, pair, ready, scene};
use crate::support::{COUNT, Program, gpu};
use pliant::World;
use pliant::math::matrix::{Mat3, determinant, matrix_of, multiply, quat_normalize, transpose};
use pliant::runtime::gpu::GpuOptions;
use pliant::shape_matching::gpu::shaders::ROTATION;
use pliant::shape_matching::rotation::{extract, gram_schmidt, polar};

fn unit(rng: &mut Rng) -> [f32; 4] {
    quat_normalize([0; 4].map(|_| rng.range(-1.0, 1.0) as f32))
}

/// Rotation times stretch: round, long, flat, inverted, and of every size.
fn matrix(rng: &mut Rng) -> Mat3 {
    let (r, v) = (matrix_of(unit(rng)), matrix_of(unit(rng)));
    let mut sigma = [0; 3].map(|_| rng.range(0.3, 1.0) as f32);
    match rng.range(0.0, 6.0) as u32 {
        0 => sigma[2] *= 1e-3,
        1 => sigma[2] = 0.0,
        2 => sigma[2] *= -0.2,
        _ => {}
    }
    let size = rng.range(-6.0, 6.0).exp() as f32;
    let stretch = multiply(&v, &transpose(&[0, 1, 2].map(|k| v[k].map(|x| x * sigma[k] * size))));
    multiply(&r, &stretch)
}

/// Largest entry of a difference.
fn max_difference(a: &Mat3, b: &Mat3) -> f32 {
    a.iter().flatten().zip(b.iter().flatten()).map(|(x, y)| (x - y).abs()).fold(0.0, f32::max)
}

fn of(numbers: &[f32]) -> Mat3 {
    [0, 1, 2].map(|k| [numbers[3 * k], numbers[3 * k + 1], numbers[3 * k + 2]])
}

#[test]
fn s19_e23_rotations_of_bodies_are_the_same_on_the_gpu() {
    let Some(gpu) = gpu() else { return };
    let body = "
        let a = mat3x3<f32>(f(0u), f(1u), f(2u), f(3u), f(4u), f(5u), f(6u), f(7u), f(8u));
        let found = array<mat3x3<f32>, 3>(
            matrix_of(extract_rotation(a, f4(9u))), matrix_of(quat_of(polar(a))), matrix_of(quat_of(gram_schmidt(a))),
        );
        for (var k = 0u; k < 27u; k++) {
            output[o + k] = found[k / 9u][k / 3u % 3u][k % 3u];
        }";
    let mut rng = Rng(71);
    let inputs: Vec<(Mat3, [f32; 4])> = (0..COUNT).map(|_| (matrix(&mut rng), unit(&mut rng))).collect();
    let numbers: Vec<f32> = inputs.iter().flat_map(|(a, q)| a.iter().flatten().chain(q).copied()).collect();
    let program = Program { parts: &[ROTATION], takes: 13, gives: 27, body };
    let output = gpu.run(&program, &numbers);
    let mut beyond = [0; 3];
    let mut least = 1.0_f32;
    for ((a, last), found) in inputs.iter().zip(output.chunks(27)) {
        let cpu = [matrix_of(extract(a, *last)), polar(a), gram_schmidt(a)];
        for (k, cpu) in cpu.iter().enumerate() {
            let found = of(&found[9 * k..]);
            least = least.min(determinant(&found));
            // A rotation is a rotation, whatever rounding did to the way there.
            let square = multiply(&transpose(&found), &found);
            assert!(max_difference(&square, &matrix_of([0.0, 0.0, 0.0, 1.0])) < 1e-5, "{a:?}: {found:?}");
            beyond[k] += u32::from(max_difference(&found, cpu) > 1e-4);
        }
    }
    println!("of {COUNT} rotations {beyond:?} differ by more than 1e-4; the least determinant is {least}");
    assert!(least > 0.999, "a mirror image: determinant {least}");
    assert_eq!(beyond, [0; 3]);
}

/// Bodies that fall freely, shaken and stretched: nothing but their shape acts on them.
fn free(extra: &str) -> String {
    format!(
        "solver = {{ dt = 0.004, iterations = 3 }}
contact = {{ between = false }}
{extra}"
    )
}

fn shaken(sim: &mut World) {
    let mut rng = Rng(5);
    let state = sim.state_mut();
    for (row, [x, y, ..]) in state.velocities.iter_mut().zip(&state.rows) {
        let kick = rng.cube(2.0);
        row[..3].iter_mut().zip([kick.x, kick.y, kick.z]).for_each(|(v, k)| *v += k as f32);
        // Longer one way, shorter the other.
        row[0] += 9.0 * x;
        row[1] -= 9.0 * y;
    }
}

/// Largest distance [m] after shaking and stepping, of a CPU and a GPU.
fn compare(text: &str, set: &[&str], steps: u32, most: f64) {
    let (mut cpu, mut gpu) = pair(&scene(text, set), GpuOptions::default());
    for sim in [&mut cpu, &mut gpu] {
        shaken(sim);
        sim.advance(steps).unwrap();
        sim.sync().unwrap();
    }
    let (off, size) = (apart(&cpu, &gpu), bounds(&cpu).0);
    let turn = |sim: &World| sim.state().shapes.as_ref().unwrap().poses().to_vec();
    let turned = turn(&cpu)
        .iter()
        .zip(&turn(&gpu))
        .fold(0.0_f32, |m, (a, b)| (0..4).fold(m, |m, k| m.max((a.rotation[k] - b.rotation[k]).abs())));
    let flowed = turn(&cpu).iter().map(|pose| off_identity(&pose.shape)).fold(f32::INFINITY, f32::min);
    assert!(flowed > 0.01 || !text_is_plastic(set), "nothing gave way: {flowed}");
    let shaped =
        turn(&cpu).iter().zip(&turn(&gpu)).fold(0.0_f32, |m, (a, b)| m.max(self::max_difference(&a.shape, &b.shape)));
    println!("{set:?}: off by {off:.1e} m of {size:.2} m, rotations by {turned:.1e}, shapes by {shaped:.1e}");
    assert!(off < most * size && turned < 1e-3 && shaped < 1e-3, "{set:?}: {off} m, {turned}, {shaped}");
}

fn off_identity(m: &Mat3) -> f32 {
    max_difference(m, &matrix_of([0.0, 0.0, 0.0, 1.0]))
}

fn text_is_plastic(set: &[&str]) -> bool {
    set.iter().any(|s| s.contains("plastic"))
}

const RIGID: &str = "[[body]]
name = \"crate\"
box = [0.5, 0.4, 0.3]
grid = 10
[[body]]
name = \"ball\"
ball = 0.3
grid = 9
transform = { translate = [2, 0, 0] }
";

#[test]
fn s19_bodies_keep_their_shape_on_the_gpu_as_on_the_cpu() {
    if !ready() {
        return;
    }
    for rotation in ["iterative", "polar", "gram-schmidt"] {
        compare(&free(RIGID), &[&format!("solver.rotation={rotation}")], 30, 1e-5);
    }
    compare(&free(RIGID), &["body.0.recovery=0.05", "body.1.recovery=0.2"], 30, 1e-5);
}

#[test]
fn s19_bodies_of_several_workgroups_keep_their_shape() {
    if !ready() {
        return;
    }
    let (mut cpu, _) = pair(&scene(&free(RIGID), &["body.0.grid=28"]), GpuOptions::default());
    cpu.advance(1).unwrap();
    assert!(cpu.particles() > 8192, "{} particles fit two workgroups", cpu.particles());
    compare(&free(RIGID), &["body.0.grid=28"], 10, 1e-5);
}

#[test]
fn s20_plastic_bodies_deform_on_the_gpu_as_on_the_cpu() {
    if !ready() {
        return;
    }
    let set = [
        "body.0.recovery=0.1",
        "body.0.plastic.threshold=0.01",
        "body.0.plastic.creep=100",
        "body.0.plastic.most=0.3",
        "body.1.recovery=0.1",
        "body.1.plastic.threshold=0.02",
        "body.1.plastic.creep=50",
    ];
    compare(&free(RIGID), &set, 30, 1e-4);
}

#[test]
fn s19_bodies_of_regions_bend_on_the_gpu_as_on_the_cpu() {
    if !ready() {
        return;
    }
    let cut = ["body.0.regions.size=0.2", "body.0.regions.overlap=0.1"];
    let (cpu, _) = pair(&scene(&free(RIGID), &cut), GpuOptions::default());
    let regions = cpu.state().shapes.as_ref().unwrap().len();
    assert!(regions > 10, "{regions} regions and bodies");
    compare(&free(RIGID), &cut, 30, 1e-5);
    let soft = ["body.0.regions.size=0.2", "body.0.recovery=0.05", "body.1.regions.size=0.25", "body.1.recovery=0.1"];
    compare(&free(RIGID), &soft, 30, 1e-5);
}

#[test]
fn s29_merged_bodies_are_the_same_on_the_gpu() {
    if !ready() {
        return;
    }
    let merged = ["body.0.grid=16", "body.0.merge=1", "body.1.grid=16", "body.1.merge=1"];
    compare(&free(RIGID), &merged, 30, 1e-5);
}

#[test]
fn s10_s14_a_box_lies_on_the_floor_of_a_gpu_with_any_number_of_iterations() {
    if !ready() {
        return;
    }
    let text = "solver = { dt = 0.005, substeps = 4 }
        [[body]]\nbox = [0.4, 0.2, 0.4]\ngrid = 6\ntransform = { translate = [0, 0.105, 0] }
        [[collider]]\nplane = {}\n";
    for iterations in [1, 2, 5] {
        let set = format!("solver.iterations={iterations}");
        let (mut cpu, mut gpu) = pair(&scene(text, &[&set]), GpuOptions::default());
        for sim in [&mut cpu, &mut gpu] {
            sim.advance(40).unwrap();
            sim.sync().unwrap();
        }
        let (off, fall) = (apart(&cpu, &gpu), gpu.probe().linear[1].abs() / gpu.probe().mass);
        println!("{iterations} iterations: off by {off:.1e} m, {fall:.1e} m/s");
        assert!(off < 1e-4, "{iterations} iterations: off by {off} m");
        assert!(fall < 0.05, "{iterations} iterations: {fall} m/s");
    }
}

#[test]
fn s14_s22_displaced_body_particles_are_free_on_the_gpu_as_on_the_cpu() {
    if !ready() {
        return;
    }
    let scene = scene(
        "solver = { dt = 0.002, iterations = 6 }\nworld = { gravity = [0, 0, 0], air_density = 0 }
         [[body]]\nname = \"soft\"\nbox = [0.2, 0.2, 0.2]\ngrid = 5\nrecovery = 0.1
         [[grains]]\nradius = 0.02\nfill = { min = [-0.1, 0.105, -0.1], max = [0.1, 0.2, 0.1] }\n",
        &[],
    );
    let (mut cpu, mut gpu) = pair(&scene, GpuOptions::default());
    // Flat, and up among the grains.
    let soft = cpu.topology().object_names.iter().position(|name| name == "soft").unwrap() as u32;
    let members: Vec<usize> = (0..cpu.particles()).filter(|&i| cpu.topology().objects[i] == soft).collect();
    for sim in [&mut cpu, &mut gpu] {
        for &i in &members {
            let y = &mut sim.state_mut().rows[i][1];
            *y = 0.3 * *y + 0.14;
        }
    }
    for (steps, most) in [(1, 1e-6), (4, 1e-5)] {
        cpu.advance(steps).unwrap();
        gpu.advance(steps).unwrap();
        let off = apart(&cpu, &gpu);
        println!("after {steps} more steps {off:.1e} m apart, {} contacts", cpu.contact_pairs().len());
        assert!(!cpu.contact_pairs().is_empty() && off < most, "{off}");
    }
}
