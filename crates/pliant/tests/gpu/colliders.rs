//! Colliders with tables: hulls, triangle surfaces, distance fields. WGSL functions on random input, and whole
//! simulations against the CPU.

use crate::samples::Rng;
use crate::simulations::{apart, bounds, on_cpu, on_gpu, pair, perturb, ready, scene, software};
use crate::support::{COUNT, Program, gpu};
use glam::{Quat, Vec3};
use pliant::builder::NoMeshes;
use pliant::contact::collider_contact::{
    ColliderShape, Friction, MovingCollider, Push, depenetration, depth, is_near, project,
};
use pliant::contact::gpu::shaders::{COLLIDER_CONTACT, COLLIDER_QUERIES, TABLE_COLLIDERS};
use pliant::contact::gpu::{collider_tables, layouts};
use pliant::math::Pose;
use pliant::runtime::gpu::{Cap, GpuOptions};
use pliant::{Options, StepError, World};

/// A hull, a surface and a field, about a meter large.
const SHAPES: [&str; 3] = [
    "convex = { points = [[-0.5, -0.3, -0.4], [0.6, -0.3, -0.4], [0.5, -0.4, 0.5], [-0.5, -0.3, 0.4], [-0.3, 0.5, 0], \
     [0.3, 0.6, 0.1], [0, 0.55, 0.2], [0.7, 0.1, 0]] }",
    "surface = { bowl = { radius = 0.6, height = 0.7, segments = 24 } }",
    "sdf = { torus = { radius = 0.5, width = 0.3, cells = [24, 8] }, grid = 24, transform = { translate = [0, 0.4, 0] } }",
];

fn collider_shape(shape: &str) -> ColliderShape {
    let text = format!("[[rope]]\npath = [[0, 9, 0], [1, 9, 0]]\n[[collider]]\n{shape}\n");
    let sim = World::from_scene(&scene(&text, &[]), &NoMeshes, Options::default()).unwrap();
    sim.model().colliders[0].shape.clone()
}

/// A collider and a particle near it.
struct Touch {
    moving_collider: MovingCollider,
    radius: f32,
    start: Vec3,
    x: Vec3,
    push: Push,
    margin: f32,
}

impl Touch {
    fn random(shape: &ColliderShape, rng: &mut Rng) -> Self {
        let vector = |rng: &mut Rng, half: f64| rng.cube(half).as_vec3();
        let odd = |rng: &mut Rng, n: f64| rng.range(0.0, n) < 1.0;
        let before = Pose {
            position: vector(rng, 2.0),
            rotation: if odd(rng, 9.0) { Quat::IDENTITY } else { rng.turn().as_quat() },
        };
        let mut after = before;
        if odd(rng, 2.0) {
            after.position += vector(rng, 0.05);
            after.rotation = Quat::from_scaled_axis(vector(rng, 0.05)) * after.rotation;
        }
        let x = after.outward(vector(rng, 0.9));
        let far = if odd(rng, 3.0) { 1.5 } else { 10_f64.powf(rng.range(-3.0, -0.5)) };
        let push = match odd(rng, 2.0) {
            true => Push { normal: rng.range(0.0, 0.1) as f32, tangent: vector(rng, 0.05) },
            false => Push::default(),
        };
        let kinetic_friction = rng.range(0.0, 1.0) as f32;
        Self {
            moving_collider: MovingCollider {
                shape: shape.clone(),
                before,
                after,
                friction: Friction { static_friction: kinetic_friction * rng.range(1.0, 1.5) as f32, kinetic_friction },
            },
            radius: if odd(rng, 5.0) { 0.0 } else { rng.range(0.005, 0.15) as f32 },
            start: x + vector(rng, far),
            x,
            push,
            margin: rng.range(0.0, 0.1) as f32,
        }
    }

    fn put(&self, input: &mut Vec<f32>) {
        input.extend(bytemuck::cast::<layouts::MovingCollider, [f32; 24]>(layouts::MovingCollider::from(
            &self.moving_collider,
        )));
        input.push(self.radius);
        input.extend([self.start, self.x, self.push.tangent].iter().flat_map(|v| v.to_array()));
        input.extend([self.push.normal, self.margin]);
    }

    /// Depth and normal; whether it is near; way out; new place, friction and push; each with the size of its numbers.
    fn answer(&self, start: Vec3, x: Vec3) -> ([f32; 15], [f32; 15]) {
        let Self { moving_collider: o, radius, .. } = self;
        let (inside, normal) = depth(&o.shape, &o.after, x, *radius);
        let near = is_near(o, *radius, start, x, self.margin);
        let out = depenetration(&o.shape, &o.before, x, *radius).unwrap_or(Vec3::ZERO);
        let (place, push) = project(o, *radius, start, x, self.push, 1.0);
        let (n, p, t) = (normal, place, push.tangent);
        let found = [
            inside,
            n.x,
            n.y,
            n.z,
            f32::from(u8::from(near)),
            out.x,
            out.y,
            out.z,
            p.x,
            p.y,
            p.z,
            t.x,
            t.y,
            t.z,
            push.normal,
        ];
        // Everything that is added up to a place [m]; a direction is a difference of places over its own length.
        let reach = 6.0 + x.distance(start) + self.push.normal;
        let turn = reach / (radius - inside).abs().clamp(1e-3, 1.0);
        let size = [reach, turn, turn, turn, 1.0, turn, turn, turn, turn, turn, turn, turn, turn, turn, reach];
        (found, size)
    }
}

fn deviation(found: &[f32], (cpu, size): &([f32; 15], [f32; 15])) -> f32 {
    let off = |n: usize| {
        let error = (found[n] - cpu[n]).abs() / size[n];
        if error.is_finite() { error } else { f32::INFINITY }
    };
    (0..15).map(off).fold(0.0, f32::max)
}

#[test]
fn s14_s17_contact_with_hulls_surfaces_and_fields_is_the_same_on_the_gpu() {
    let Some(gpu) = gpu() else { return };
    let body = "
        let ob = MovingCollider(
            Pose(f4(0u), f4(4u)), Pose(f4(8u), f4(12u)), f4(16u), f(20u), f(21u), u(22u), u(23u));
        let radius = f(24u); let start = f3(25u); let x = f3(28u); let push = f4(31u); let margin = f(35u);
        let d = solid_depth(ob, ob.after, x, radius);
        output[o] = d.inside;
        output[o + 1u] = d.normal.x; output[o + 2u] = d.normal.y; output[o + 3u] = d.normal.z;
        output[o + 4u] = select(0.0, 1.0, solid_is_near(ob, radius, start, x, margin));
        let w = solid_depenetration(ob, x, radius);
        output[o + 5u] = w.x; output[o + 6u] = w.y; output[o + 7u] = w.z;
        let t = solid_project(ob, radius, start, x, push);
        output[o + 8u] = t.x.x; output[o + 9u] = t.x.y; output[o + 10u] = t.x.z;
        output[o + 11u] = t.push.x; output[o + 12u] = t.push.y; output[o + 13u] = t.push.z;
        output[o + 14u] = t.push.w;";
    let there = "const SHAPES: u32 = 255u;\n";
    let parts = [&["const BRIEF: bool = false;\n", COLLIDER_CONTACT, there], &COLLIDER_QUERIES[..], &[TABLE_COLLIDERS]]
        .concat();
    let program = Program { parts: &parts, takes: 36, gives: 15, body };
    for (k, shape) in SHAPES.into_iter().enumerate() {
        let (solid, mut rng) = (collider_shape(shape), Rng(170 + k as u64));
        let touches: Vec<Touch> = (0..COUNT).map(|_| Touch::random(&solid, &mut rng)).collect();
        let mut input = Vec::new();
        touches.iter().for_each(|t| t.put(&mut input));
        let output = gpu.run_with(&program, &collider_tables::tables(&solid), &input);
        let (mut jumps, mut moved, mut worst) = (0, 0, 0.0_f32);
        for (t, found) in touches.iter().zip(output.chunks(program.gives)) {
            let cpu = t.answer(t.start, t.x);
            moved += usize::from(cpu.0[14] > 0.0);
            let error = deviation(found, &cpu);
            if error <= 1e-5 {
                worst = worst.max(error);
                continue;
            }
            // The answer jumps where two triangles or planes are as near, at the border of a cell, where a ball just
            // touches, or where sticking turns into slipping. There it must be that of a place as good as the same.
            jumps += 1;
            let same = (0..1000).any(|_| {
                let [a, b] = [(); 2].map(|()| rng.cube(1e-5).as_vec3());
                deviation(found, &t.answer(t.start + a, t.x + b)) <= 1e-4
            });
            let (radius, start, x, push) = (t.radius, t.start, t.x, t.push);
            assert!(same, "{shape}: {radius}, {start} to {x}, {push:?}: {found:?} and not {:?}", cpu.0);
        }
        println!("{shape}: off by {worst:.1e}; {jumps} inputs where the answer jumps; {moved} of {COUNT} are pushed");
        assert!(jumps <= COUNT / 1000, "{shape}: {jumps} inputs are off by more than 1e-5");
        assert!(moved > COUNT / 20, "{shape}: only {moved} are pushed");
    }
}

/// What falls on a collider: a cloth of several pieces, a rope, grains and a body.
const FALLING: &str = "
    solver = { dt = 0.005, iterations = 4, patch_particles = 80 }
    [[cloth]]
    grid = { cells = [20, 20], size = [1.2, 1.2], plane = \"xz\" }
    transform = { translate = [-0.6, 0.62, -0.6] }
    radius = 0.02
    velocity = [0.3, -4, 0]
    [[rope]]
    path = [[-0.6, 0.75, 0], [0.6, 0.75, 0.1]]
    segments = 20
    velocity = [0, -4, 0.3]
    [[grains]]
    fill = { min = [-0.3, 0.8, -0.3], max = [0.3, 0.9, 0.3] }
    radius = 0.03
    velocity = [0, -9, 0]
    [[body]]
    box = [0.2, 0.2, 0.2]
    grid = 5
    transform = { translate = [0.1, 1.05, 0] }
    velocity = [0, -9, 0]
";

/// Distance between a CPU and a GPU run after `steps` steps, relative to the scene's extent: below `most`, or as
/// large as the effect of one bit, where particles touch a surface at a discontinuity of the contact.
fn agree(text: &str, set: &[&str], options: GpuOptions, steps: u32, most: f64) {
    let (mut cpu, mut gpu) = pair(&scene(text, set), options);
    gpu.advance(steps).unwrap();
    gpu.sync().unwrap();
    // How often a collider is pushed: what bounces may be in the air in the end.
    let touched = |sim: &World| sim.collider_forces().iter().filter(|f| f.length() > 0.0).count();
    let mut often = 0;
    for _ in 0..steps {
        cpu.step().unwrap();
        often += touched(&cpu);
    }
    let off = apart(&cpu, &gpu) / bounds(&cpu).0;
    println!("{set:?}: off by {off:.1e} after {steps} steps, {often} of them with contacts");
    assert!(often > 0 && touched(&cpu) == touched(&gpu), "{set:?}");
    if off < most {
        return;
    }
    let chance = (0..3).map(|seed| {
        let mut perturbed = on_cpu(&scene(text, set), gpu.gpu().unwrap().target());
        perturb(&mut perturbed, seed);
        perturbed.advance(steps).unwrap();
        apart(&cpu, &perturbed) / bounds(&cpu).0
    });
    let chance = chance.fold(0.0, f64::max);
    assert!(off < 2.0 * chance, "{text}{set:?}: off by {off} after {steps} steps, a last bit by {chance}");
}

#[test]
fn s14_s17_objects_fall_on_tabulated_colliders_on_the_gpu_as_on_the_cpu() {
    if !ready() {
        return;
    }
    let spin = "motion = { spin = { axis = [0, 1, 0], rate = 90 } }\nrestitution = 0.3\n";
    for shape in SHAPES {
        let text = format!("{FALLING}[[collider]]\n{shape}\n{spin}[[collider]]\n{shape}\n");
        for (steps, most) in [(7, 1e-5), (16, 1e-3)] {
            agree(&text, &["contact.between=true"], GpuOptions::default(), steps, most);
        }
        // Without contacts between particles everything is islands and pieces.
        let alone = format!(
            "{}contact = {{ between = false }}\n[[cloth]]{}[[collider]]\n{shape}\n{spin}",
            FALLING.split("[[cloth]]").next().unwrap(),
            FALLING.split("[[cloth]]").nth(1).unwrap().split("[[grains]]").next().unwrap()
        );
        for set in [&[][..], &["solver.partition=color"], &["solver.integrator=bdf2", "solver.stabilization=0"]] {
            for (steps, most) in [(7, 1e-5), (16, 1e-3)].into_iter().take(if software() { 1 } else { 2 }) {
                agree(&alone, set, GpuOptions::default(), steps, most);
            }
        }
        let checked = GpuOptions { checks: true, cap: Some(Cap::BROWSER), ..GpuOptions::default() };
        agree(&alone, &[], checked, 7, 1e-5);
    }
}

#[test]
fn r03_contacts_with_every_shape_are_repeatable_on_the_gpu() {
    if !ready() {
        return;
    }
    let all: String = SHAPES.iter().map(|shape| format!("[[collider]]\n{shape}\nrolling = 1\n")).collect();
    let scene = scene(&format!("{FALLING}{all}"), &["contact.restitution=0.3"]);
    let hash = |pieces: u32| {
        let mut sim = on_gpu(&scene, GpuOptions::default()).unwrap();
        (0..pieces).for_each(|_| sim.advance(24 / pieces).unwrap());
        sim.hash()
    };
    let first = hash(1);
    [1, 24, 4].into_iter().for_each(|pieces| assert_eq!(hash(pieces), first, "{pieces} pieces"));
}

#[test]
fn r06_s17_non_finite_particles_are_named_with_every_shape_on_the_gpu() {
    if !ready() {
        return;
    }
    // Trees and grids are queried with NaN: the search must end and stay within its tables.
    let all: String = SHAPES.iter().map(|shape| format!("[[collider]]\n{shape}\nrestitution = 0.5\n")).collect();
    let mut sim = on_gpu(&scene(&format!("{FALLING}{all}"), &[]), GpuOptions::default()).unwrap();
    sim.advance(2).unwrap();
    for (row, wrong) in [(5, f32::NAN), (450, f32::INFINITY)] {
        sim.state_mut().rows[row][1] = wrong;
    }
    let error = sim.advance(3).err().or_else(|| sim.sync().err());
    assert!(matches!(error, Some(StepError::Diverged(_))), "{error:?}");
}
