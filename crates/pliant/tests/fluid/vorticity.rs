//! Vorticity and its confinement, without gravity (S24).

use crate::support::{momentum, simulate, tank, with};
use glam::{DVec3, Vec3};
use pliant::fluid::sph_kernels::Smoothing;
use pliant::fluid::vorticity::{Confinement, MOST, RotationSums};
use pliant::math::V3;
use pliant::scene::{Format, Scene};
use pliant::{Isa, World};
use std::f64::consts::PI;

const RADIUS: f32 = 0.02;
const REACH: f32 = 4.0 * RADIUS;

fn lanes(v: Vec3) -> V3<f32> {
    V3::new(v.x, v.y, v.z)
}

fn random() -> impl FnMut() -> f32 {
    let mut seed = 1_u32;
    move || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as f32 / (1 << 23) as f32 - 1.0
    }
}

/// A lattice of 9³ particles around the origin, each off its place by up to `jitter` radii.
fn lattice(jitter: f32) -> Vec<Vec3> {
    let mut random = random();
    let place = |k: i32| Vec3::new((k % 9 - 4) as f32, (k / 9 % 9 - 4) as f32, (k / 81 - 4) as f32) * (2.0 * RADIUS);
    (0..729).map(|k| place(k) + Vec3::new(random(), random(), random()) * (jitter * RADIUS)).collect()
}

/// Vorticity at one of some points, by the kernel of the engine.
fn curl(smoothing: Smoothing, points: &[Vec3], i: usize, flow: &dyn Fn(Vec3) -> Vec3) -> Vec3 {
    let mut spin = RotationSums::<f32>::zero();
    for &p in points {
        let (apart, against) = (points[i] - p, flow(points[i]) - flow(p));
        let slope = smoothing.at(REACH, apart.length_squared()).1;
        spin = spin.with(lanes(apart), lanes(against), -slope * (2.0 * RADIUS).powi(3));
    }
    let V3 { x, y, z } = spin.curl();
    Vec3::new(x, y, z)
}

#[test]
fn s24_vorticity_of_a_rigid_rotation_is_twice_its_rate_up_to_the_surface() {
    let turn = Vec3::new(0.7, -2.0, 1.1);
    for smoothing in [Smoothing::Cubic, Smoothing::Poly6] {
        for jitter in [0.0, 0.5] {
            let points = lattice(jitter);
            // Faces, edges and corners are among them: a corner has J's determinant at about 0.1.
            for i in 0..points.len() {
                let found = curl(smoothing, &points, i, &|p| turn.cross(p) + Vec3::X);
                let off = (found - 2.0 * turn).length() / (2.0 * turn.length());
                assert!(off < 1e-4, "{smoothing:?} at {}: {found}, off by {off}", points[i]);
            }
        }
    }
}

#[test]
fn s24_vorticity_is_the_curl_of_shears_and_of_the_sum_of_sph() {
    let points = lattice(0.0);
    let middle = 4 + 9 * 4 + 81 * 4;
    assert!(points[middle].length() < 1e-6);
    for smoothing in [Smoothing::Cubic, Smoothing::Poly6] {
        // u = 3·y along x turns by −du/dy about z.
        let found = curl(smoothing, &points, middle, &|p| Vec3::X * (3.0 * p.y));
        assert!((found - Vec3::new(0.0, 0.0, -3.0)).length() < 1e-4, "{found}");
        // A strain turns nothing.
        let found = curl(smoothing, &points, middle, &|p| Vec3::new(p.x + p.y, p.x - 2.0 * p.y, p.z));
        assert!(found.length() < 1e-4, "{found}");
        // Any flow at all, amid others: Σ V·∇W × (v_j − v_i) in double precision, over its own sum for a rotation.
        let wild = |p: Vec3| Vec3::new((40.0 * p.y).sin(), (25.0 * p.z + 1.0).cos(), (30.0 * (p.x - p.y)).sin());
        let sum = |flow: &dyn Fn(Vec3) -> Vec3| {
            let part = |p: &Vec3| {
                let apart = (points[middle] - *p).as_dvec3();
                let slope = f64::from(smoothing.at(REACH, apart.length_squared() as f32).1);
                (apart * slope).cross((flow(*p) - flow(points[middle])).as_dvec3())
            };
            points.iter().map(part).sum::<DVec3>()
        };
        let wanted = sum(&wild) * (2.0 / sum(&|p| Vec3::Z.cross(p)).z);
        let found = curl(smoothing, &points, middle, &wild).as_dvec3();
        assert!((found - wanted).length() < 1e-4 * wanted.length(), "{found} {wanted}");
        // And the derivative itself, ∂u_z/∂y − ∂u_y/∂z and so on by differences: waves of 32 particles lose less than a
        // hundredth to the kernel, and half as long ones four times as much.
        let off = |stretch: f32| {
            let calm = |p: Vec3| wild(p * stretch) / stretch;
            let step = |axis: Vec3| (calm(axis * 1e-3) - calm(axis * -1e-3)) / 2e-3;
            let (x, y, z) = (step(Vec3::X), step(Vec3::Y), step(Vec3::Z));
            let exact = Vec3::new(y.z - z.y, z.x - x.z, x.y - y.x);
            (curl(smoothing, &points, middle, &calm) - exact).length() / exact.length()
        };
        let (short, long) = (off(0.25), off(0.125));
        println!("{smoothing:?}: off by {short:.4} and {long:.4}");
        assert!(long < 0.01 && (3.5..4.5).contains(&(short / long)), "{smoothing:?}: {short} {long}");
    }
}

#[test]
fn s24_confinement_accelerates_around_vortices_within_its_bound() {
    let mut random = random();
    for _ in 0..1000 {
        let (epsilon, h) = (50.0 * (1.0 + random()), 0.01 * (1.0 + random()));
        let confinement = Confinement::new(epsilon, h, REACH, RADIUS);
        let curl = Vec3::new(random(), random(), random()) * 10.0;
        let rise = Vec3::new(random(), random(), random()) * 1e4;
        let V3 { x, y, z } = confinement.velocity_change(lanes(curl), lanes(rise));
        let (found, wanted) =
            (Vec3::new(x, y, z), rise.normalize().cross(curl) * ((epsilon * h).min(MOST) * 2.0 * RADIUS));
        assert!((found - wanted).length() <= 0.03 * wanted.length() + 1e-9, "{found} {wanted}");
        assert!(found.length() <= MOST * 2.0 * RADIUS * curl.length() * 1.0001);
    }
    // Where nothing turns, or all turns alike, nothing is done.
    let confinement = Confinement::new(5.0, 0.01, REACH, RADIUS);
    for (curl, rise) in [(Vec3::ZERO, Vec3::X), (Vec3::Z, Vec3::ZERO), (Vec3::ZERO, Vec3::ZERO)] {
        let V3 { x, y, z } = confinement.velocity_change(lanes(curl), lanes(rise));
        assert_eq!([x, y, z].map(f32::abs), [0.0; 3]);
    }
    // A vortex about z whose core is at the origin: at +x it goes toward +y.
    let V3 { x, y, z } = confinement.velocity_change(lanes(Vec3::Z), lanes(-Vec3::X * 100.0));
    assert!(y > 0.0 && x.abs() < 1e-6 * y && z.abs() < 1e-6 * y, "{x} {y} {z}");
}

const WIDE: f64 = 0.64;

/// A vortex as wide as a closed box, u = sin(kx)·cos(ky), v = −cos(kx)·sin(ky), the middle of Taylor's and Green's: it turns
/// by 2k at its core and touches no wall.
fn vortex(vorticity: f32, dt: f64) -> World {
    let deep = 0.24;
    let text = format!(
        "solver = {{ dt = {dt}, iterations = 3 }}\nworld = {{ gravity = [0, 0, 0], damping = 0 }}
         fluid = {{ radius = {RADIUS}, vorticity = {vorticity} }}
         [[liquid]]\nfill = {{ min = [0, 0, 0], max = [{WIDE}, {WIDE}, {deep}] }}\nviscosity = 0\n"
    );
    let slippery = tank([0.0; 3], [WIDE as f32, 0.0, deep as f32])
        + &format!("[[collider]]\nplane = {{ normal = [0, -1, 0], offset = -{WIDE} }}\n");
    let slippery = slippery.replace("}\n", "}\nfriction = { static = 0, kinetic = 0 }\n");
    let mut sim = simulate(&(text + &slippery));
    let k = PI / WIDE;
    for i in 0..sim.particles() {
        let p = sim.position(i).as_dvec3() * k;
        let v = [p.x.sin() * p.y.cos(), -p.x.cos() * p.y.sin()].map(|v| v as f32);
        sim.state_mut().velocities[i] = [v[0], v[1], 0.0, 0.0];
    }
    sim
}

/// Kinetic energy [J].
fn energy(sim: &World) -> f64 {
    let part = |i: usize| 0.5 * sim.velocity(i).as_dvec3().length_squared() / f64::from(sim.state().rows[i][3]);
    (0..sim.particles()).filter(|&i| sim.state().rows[i][3] > 0.0).map(part).sum()
}

/// Remaining fraction of the initial vortex: projection of the flow on u.
fn remaining_vortex(sim: &World) -> f64 {
    let k = PI / WIDE;
    let (mut along, mut all) = (0.0, 0.0);
    for i in 0..sim.particles() {
        let (p, v) = (sim.position(i).as_dvec3() * k, sim.velocity(i).as_dvec3());
        let u = DVec3::new(p.x.sin() * p.y.cos(), -p.x.cos() * p.y.sin(), 0.0);
        (along, all) = (along + u.dot(v), all + u.length_squared());
    }
    along / all
}

/// Remaining fractions of energy and vortex after one second, and the maximum relative energy.
fn after_a_second(vorticity: f32, dt: f64) -> (f64, f64, f64) {
    let mut sim = vortex(vorticity, dt);
    let (first, mut most) = (energy(&sim), 0.0_f64);
    for _ in 0..(1.0 / dt).round() as u32 {
        sim.advance(1).unwrap();
        most = most.max(energy(&sim) / first);
    }
    let found = (energy(&sim) / first, remaining_vortex(&sim), most);
    println!("{vorticity} /s, steps of {dt} s: {found:.3?} of energy, flow, most energy");
    found
}

#[test]
fn s24_confinement_preserves_vortices_and_adds_no_energy() {
    for dt in [0.005, 0.01] {
        let [none, some, much] = [0.0, 2.0, 5.0].map(|vorticity| after_a_second(vorticity, dt));
        assert!(some.0 > 1.2 * none.0 && much.0 > 2.0 * none.0, "{none:?} {some:?} {much:?}");
        assert!(some.1 > 1.05 * none.1 && much.1 > 1.3 * none.1, "{none:?} {some:?} {much:?}");
        assert!([none, some, much].iter().all(|case| case.2 < 1.05), "{none:?} {some:?} {much:?}");
    }
}

/// A box of 12³ particles in free space, beside a heavier one that touches it.
fn free(vorticity: f32, threads: usize, isa: Isa) -> World {
    let text = format!(
        "solver = {{ dt = 0.005, iterations = 3 }}\nworld = {{ gravity = [0, 0, 0], damping = 0, air_density = 0 }}
         fluid = {{ radius = {RADIUS}, vorticity = {vorticity} }}
         [[liquid]]\nfill = {{ min = [-0.24, -0.24, -0.24], max = [0.24, 0.24, 0.24] }}\nviscosity = 0
         [[liquid]]\nname = \"heavy\"\nfill = {{ min = [0.24, -0.12, -0.12], max = [0.4, 0.12, 0.12] }}\nviscosity = 0
         density = 3000\n"
    );
    with(&text, threads, isa)
}

fn set(sim: &mut World, flow: impl Fn(Vec3) -> Vec3) {
    for i in 0..sim.particles() {
        let v = flow(sim.position(i));
        sim.state_mut().velocities[i] = [v.x, v.y, v.z, 0.0];
    }
}

/// Rolls of several widths that are not alike on both sides of anything.
fn rolls(p: Vec3) -> Vec3 {
    let wave = |a: f32| (a * 12.0).sin();
    Vec3::new(wave(p.y + 0.3 * p.z), wave(0.7 * p.z + 0.2), wave(p.x - 0.5 * p.y)) + Vec3::new(0.5, 0.2, -0.1)
}

#[test]
fn s24_a_rigid_rotation_is_not_accelerated() {
    let run = |vorticity: f32| {
        let mut sim = free(vorticity, 1, Isa::detect());
        set(&mut sim, |p| Vec3::new(0.3, 0.2, 1.0).cross(p));
        let first = energy(&sim);
        sim.advance(1).unwrap();
        energy(&sim) / first
    };
    let (without, with) = (run(0.0), run(5.0));
    println!("{without:.6} of the energy without, {with:.6} with");
    // A vortex would gain 2·ε·h·2r·k: one as wide as the box 0.013.
    assert!((with - without).abs() < 2e-4, "{without} {with}");
}

#[test]
fn s24_confinement_adds_little_momentum_in_free_space() {
    let run = |vorticity: f32| {
        let mut sim = free(vorticity, 1, Isa::detect());
        set(&mut sim, rolls);
        let (before, size) = momentum(&sim);
        sim.advance(100).unwrap();
        (momentum(&sim).0 - before).length() / size
    };
    for (vorticity, most) in [(0.0, 1e-5), (2.0, 0.02), (5.0, 0.05)] {
        let off = run(vorticity);
        println!("{vorticity} /s: {off:.1e} of the momentum in half a second");
        assert!(off < most, "{vorticity} /s: {off}");
    }
}

#[test]
fn r01_r02_s24_confinement_gives_the_same_bits_on_any_number_of_threads_and_lanes() {
    let run = |threads: usize, isa: Isa| {
        let mut sim = free(4.0, threads, isa);
        set(&mut sim, rolls);
        sim.advance(20).unwrap();
        sim.state().hash()
    };
    let first = run(1, Isa::SCALAR);
    for isa in Isa::available() {
        for threads in [1, 2, 3, 5] {
            assert_eq!(run(threads, isa), first, "{isa:?}, {threads} threads");
        }
    }
    let mut without = free(0.0, 1, Isa::SCALAR);
    set(&mut without, rolls);
    without.advance(20).unwrap();
    assert_ne!(without.state().hash(), first);
}

#[test]
fn s24_vorticity_out_of_range_is_refused_and_limited_values_are_noted() {
    let text = |vorticity: &str| {
        format!(
            "fluid = {{ vorticity = {vorticity} }}\n[[liquid]]\nfill = {{ min = [0, 0, 0], max = [0.1, 0.1, 0.1] }}\n"
        )
    };
    for vorticity in ["-1", "101", "nan"] {
        let error = Scene::parse(&text(vorticity), Format::Toml).unwrap_err().to_string();
        assert!(error.contains("fluid.vorticity"), "{error}");
    }
    let noted =
        |vorticity: &str| simulate(&text(vorticity)).model().notes.iter().any(|n| n.contains("fluid.vorticity"));
    assert!(noted("100") && !noted("1"));
}
