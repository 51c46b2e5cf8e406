//! WGSL versions of everything but constraints: contact, air, volume, integration, and shared functions.
//!
//! Every value is within 1e-5 of the size given beside it in the test: the sum of the magnitudes of its terms,
//! because they may cancel.

use crate::samples::Rng;
use crate::support::{COUNT, Program, gpu};
use glam::{Quat, Vec3};
use pliant::aero::aerodynamics::{Air, triangle_force, wind_at};
use pliant::aero::gpu::{self as aero_gpu, AERODYNAMICS};
use pliant::constraints::gpu::SURFACE_VOLUME;
use pliant::constraints::inflate::{corner_gradient, triangle_volume};
use pliant::contact::collider_contact::{ColliderShape, Friction, MovingCollider, Push, depth, project};
use pliant::contact::gpu::layouts;
use pliant::contact::gpu::shaders::COLLIDER_CONTACT;
use pliant::integration::bdf::{
    free_velocity_bdf1, free_velocity_bdf2, predict_bdf1, predict_bdf2, velocity_bdf1, velocity_bdf2,
};
use pliant::integration::gpu::INTEGRATORS;
use pliant::math::Pose;
use pliant::math::lane::{Lane, V3, atan2};
use pliant::settings::Wind;

/// An answer of the CPU and the sizes of its numbers.
type Expected = (Vec<f32>, Vec<f32>);

/// Runs inputs made by `make` and compares all of them.
fn check(program: &Program, seed: u64, mut make: impl FnMut(&mut Rng, &mut Vec<f32>) -> Expected) {
    let Some(gpu) = gpu() else { return };
    let mut rng = Rng(seed);
    let mut input = Vec::with_capacity(COUNT * program.takes);
    let expected: Vec<Expected> = (0..COUNT).map(|_| make(&mut rng, &mut input)).collect();
    let output = gpu.run(program, &input);
    for (n, found) in output.chunks(program.gives).enumerate() {
        let (cpu, size) = &expected[n];
        let error = deviation(found, cpu, size);
        let given = &input[n * program.takes..][..program.takes];
        assert!(error <= 1e-5, "{given:?}: {found:?} and not {cpu:?}, off by {error} of {size:?}");
    }
}

/// Largest error relative to the sizes; infinite where something is not finite.
fn deviation(found: &[f32], cpu: &[f32], size: &[f32]) -> f32 {
    assert_eq!((found.len(), cpu.len()), (size.len(), size.len()));
    let off = |n: usize| {
        let error = (found[n] - cpu[n]).abs() / size[n].max(f32::MIN_POSITIVE);
        if error.is_finite() { error } else { f32::INFINITY }
    };
    (0..cpu.len()).map(off).fold(0.0, f32::max)
}

fn one_of(rng: &mut Rng, count: usize) -> usize {
    rng.range(0.0, count as f64) as usize
}

fn range(rng: &mut Rng, low: f32, high: f32) -> f32 {
    rng.range(f64::from(low), f64::from(high)) as f32
}

fn logarithmic(rng: &mut Rng, low: f32, high: f32) -> f32 {
    range(rng, low.ln(), high.ln()).exp()
}

/// Uniform in a cube; now and then the null vector.
fn vector(rng: &mut Rng, half: f32) -> Vec3 {
    if one_of(rng, 50) == 0 { Vec3::ZERO } else { rng.cube(f64::from(half)).as_vec3() }
}

fn lanes(v: Vec3) -> V3<f32> {
    V3::new(v.x, v.y, v.z)
}

fn numbers(v: V3<f32>) -> [f32; 3] {
    [v.x, v.y, v.z]
}

#[test]
fn s14_the_reciprocal_and_the_arctangent_are_the_same_on_the_gpu() {
    let body = "output[o] = safe_recip(f(0u)); output[o + 1u] = arctangent(f(1u), f(2u));";
    check(&Program { parts: &[], takes: 3, gives: 2, body }, 51, |rng, input| {
        // Denormals may be flushed; they are below the bound like 0 is.
        let edges = [0.0, -0.0, -1.0, 1e-30, 1.1e-30, 0.9e-30, 1e-40];
        let v = match one_of(rng, 20) {
            0 => edges[one_of(rng, edges.len())],
            _ => logarithmic(rng, 1e-35, 1e36) * range(rng, -1.0, 1.0).signum(),
        };
        let mut coordinate = || match one_of(rng, 20) {
            0 => 0.0,
            1 => 1.0,
            2 => -1.0,
            _ => logarithmic(rng, 1e-15, 1e15) * range(rng, -1.0, 1.0).signum(),
        };
        let (y, x) = (coordinate(), coordinate());
        input.extend([v, y, x]);
        let cpu = vec![v.safe_recip(), atan2(y, x)];
        let size = cpu.iter().map(|v| v.abs()).collect();
        (cpu, size)
    });
}

#[test]
fn s14_s16_the_volume_of_a_surface_and_its_gradient_are_the_same_on_the_gpu() {
    let body = "
        output[o] = triangle_volume(f3(0u), f3(3u), f3(6u));
        let g = corner_gradient(f3(3u), f3(6u));
        output[o + 1u] = g.x; output[o + 2u] = g.y; output[o + 3u] = g.z;";
    check(&Program { parts: &[SURFACE_VOLUME], takes: 9, gives: 4, body }, 52, |rng, input| {
        let size = logarithmic(rng, 1e-3, 1e3);
        let [a, mut b, c] = [0; 3].map(|_| vector(rng, size));
        if one_of(rng, 20) == 0 {
            b = c;
        }
        input.extend([a, b, c].iter().flat_map(|v| v.to_array()));
        let volume = triangle_volume(lanes(a), lanes(b), lanes(c));
        let gradient = numbers(corner_gradient(lanes(b), lanes(c)));
        let area = b.length() * c.length() / 6.0;
        (vec![volume, gradient[0], gradient[1], gradient[2]], vec![a.length() * area, area, area, area])
    });
}

#[test]
fn s14_integration_is_the_same_on_the_gpu() {
    let body = "
        let x = f3(0u); let before = f3(3u); let after = f3(6u);
        let v = f3(9u); let old = f3(12u); let a = f3(15u); let h = f(18u); let inv_h = f(19u);
        let all = array(
            free_velocity_bdf1(v, a, h), predict_bdf1(x, v, h), velocity_bdf1(after, x, v, h, inv_h),
            free_velocity_bdf2(v, old, a, h), predict_bdf2(x, before, v, h),
            velocity_bdf2(after, x, before, v, h, inv_h),
        );
        output[o] = all[0].x; output[o + 1u] = all[0].y; output[o + 2u] = all[0].z;
        output[o + 3u] = all[1].x; output[o + 4u] = all[1].y; output[o + 5u] = all[1].z;
        output[o + 6u] = all[2].x; output[o + 7u] = all[2].y; output[o + 8u] = all[2].z;
        output[o + 9u] = all[3].x; output[o + 10u] = all[3].y; output[o + 11u] = all[3].z;
        output[o + 12u] = all[4].x; output[o + 13u] = all[4].y; output[o + 14u] = all[4].z;
        output[o + 15u] = all[5].x; output[o + 16u] = all[5].y; output[o + 17u] = all[5].z;";
    check(&Program { parts: &[INTEGRATORS], takes: 20, gives: 18, body }, 53, |rng, input| {
        let h = logarithmic(rng, 1e-5, 0.1);
        let (place, speed, pull) =
            (logarithmic(rng, 1e-3, 1e4), logarithmic(rng, 1e-3, 1e3), logarithmic(rng, 1e-2, 1e4));
        let x = vector(rng, place);
        let (before, after) = (x + vector(rng, speed * h), x + vector(rng, speed * h));
        let (v, old, a) = (vector(rng, speed), vector(rng, speed), vector(rng, pull));
        input.extend([x, before, after, v, old, a].iter().flat_map(|v| v.to_array()));
        let inv_h = 1.0 / h;
        input.extend([h, inv_h]);
        let [xs, bs, fs, vs, os, accel] = [x, before, after, v, old, a].map(lanes);
        let cpu = [
            free_velocity_bdf1(vs, accel, h),
            predict_bdf1(xs, vs, h),
            velocity_bdf1(fs, xs, vs, h, inv_h),
            free_velocity_bdf2(vs, os, accel, h),
            predict_bdf2(xs, bs, vs, h),
            velocity_bdf2(fs, xs, bs, vs, h, inv_h),
        ];
        let [x, before, after, v, old, a] = [x, before, after, v, old, a].map(Vec3::length);
        let far = x + before + v * h;
        let gained = v + old + a * h;
        let size = [gained, far, v + (after + far) * inv_h, gained, far, v + (after + far) * inv_h];
        (cpu.into_iter().flat_map(numbers).collect(), size.into_iter().flat_map(|s| [s; 3]).collect())
    });
}

#[test]
fn s14_s25_lift_and_drag_are_the_same_on_the_gpu() {
    let body = "
        let force = triangle_force(Air(f(0u), f(1u), f(2u), f(3u)), f3(4u), f3(7u), f3(10u), f3(13u));
        output[o] = force.x; output[o + 1u] = force.y; output[o + 2u] = force.z;";
    check(&Program { parts: &[AERODYNAMICS], takes: 16, gives: 3, body }, 54, |rng, input| {
        let air = Air { half_density: range(rng, 0.0, 2.0), drag: range(rng, 0.0, 2.0), lift: range(rng, 0.0, 2.0) };
        input.extend(bytemuck::cast::<aero_gpu::Air, [f32; 4]>(aero_gpu::Air::from(&air)));
        let (size, shift) = (logarithmic(rng, 1e-3, 10.0), vector(rng, 10.0));
        let [a, mut b, mut c] = [0; 3].map(|_| shift + vector(rng, size));
        match one_of(rng, 30) {
            0 => c = a,
            1 => c = a + (b - a) * 0.5,
            2 => (b, c) = (a, a),
            _ => {}
        }
        let speed = logarithmic(rng, 1e-3, 50.0);
        let mut u = vector(rng, speed);
        if one_of(rng, 30) == 0 {
            // Along the plate, where the side that the wind blows on is decided by rounding.
            u = b - a;
        }
        input.extend([a, b, c, u].iter().flat_map(|v| v.to_array()));
        let force = triangle_force(&air, [a, b, c].map(lanes), lanes(u));
        // Not the area: the normal of a thin triangle is what is left of larger products.
        let plate = 0.5 * air.half_density * (b - a).length() * (c - a).length();
        (numbers(force).to_vec(), vec![plate * (air.drag + air.lift) * u.length_squared(); 3])
    });
}

#[test]
fn s14_s25_the_wind_is_the_same_on_the_gpu() {
    let body = "
        let wind = wind_at(f3(0u), f(3u), f(4u), f3(5u), f(8u));
        output[o] = wind.x; output[o + 1u] = wind.y; output[o + 2u] = wind.z;";
    check(&Program { parts: &[AERODYNAMICS], takes: 9, gives: 3, body }, 55, |rng, input| {
        let gust = if one_of(rng, 10) == 0 { 0.0 } else { range(rng, 0.0, 2.0) };
        let speed = logarithmic(rng, 1e-2, 50.0);
        let velocity = vector(rng, speed);
        let wind = Wind { velocity, gust, period: logarithmic(rng, 0.1, 10.0) };
        let (at, time) = (vector(rng, 20.0), range(rng, 0.0, 100.0));
        input.extend(velocity.to_array());
        input.extend([gust, wind.period]);
        input.extend(at.to_array());
        input.push(time);
        let cpu = numbers(wind_at(&wind, lanes(at), time)).to_vec();
        // A wave's slope is 6 at most, of a phase that is known to a part in 1e7 of what it is the difference of.
        let gusts = (time + at.length() * velocity.length().safe_recip()) / wind.period;
        (cpu, vec![velocity.length() * (1.0 + gust * (1.0 + gusts)); 3])
    });
}

/// A collider and a particle near it.
struct Touch {
    moving_collider: MovingCollider,
    radius: f32,
    start: Vec3,
    x: Vec3,
    push: Push,
    overpush: f32,
}

impl Touch {
    /// Depth and normal, new place, friction and push.
    fn answer(&self, x: Vec3) -> Vec<f32> {
        let (inside, normal) = depth(&self.moving_collider.shape, &self.moving_collider.after, x, self.radius);
        let (place, push) = project(&self.moving_collider, self.radius, self.start, x, self.push, self.overpush);
        let all = [[inside, 0.0, 0.0], normal.to_array(), place.to_array(), push.tangent.to_array()];
        all.into_iter().flatten().chain([push.normal]).collect()
    }

    /// Everything that is added up to a place [m].
    fn reach(&self) -> f32 {
        let size = match self.moving_collider.shape {
            ColliderShape::Plane => 0.0,
            ColliderShape::Sphere { radius } => radius,
            ColliderShape::Capsule { half_length, radius } | ColliderShape::Cylinder { half_length, radius } => {
                half_length + radius
            }
            ColliderShape::Box { half } => half.length(),
            _ => unreachable!("no shape with tables runs on a GPU"),
        };
        let ends =
            [self.moving_collider.before.position, self.moving_collider.after.position, self.start, self.push.tangent];
        ends.iter().fold(self.x.length() + size + self.radius + self.push.normal, |sum, v| sum + v.length())
    }

    fn sizes(&self) -> Vec<f32> {
        let reach = self.reach();
        // The normal is a difference of places over its own length: the nearer to an axis or an edge, the less it is
        // known, and all that it turns with it.
        let distance =
            self.radius - depth(&self.moving_collider.shape, &self.moving_collider.after, self.x, self.radius).0;
        let arm = match self.moving_collider.shape {
            ColliderShape::Sphere { radius } | ColliderShape::Capsule { radius, .. } => distance + radius,
            ColliderShape::Box { .. } | ColliderShape::Cylinder { .. } if distance > 0.0 => distance,
            ColliderShape::Cylinder { radius, .. } => distance + radius,
            _ => reach,
        };
        let normal = if arm > 0.0 { (reach / arm).max(1.0) } else { 1.0 };
        let along = reach * normal;
        vec![reach, 1.0, 1.0, normal, normal, normal, along, along, along, along, along, along, reach]
    }
}

fn touch(shape: usize, rng: &mut Rng) -> Touch {
    let size = logarithmic(rng, 0.01, 10.0);
    let special = one_of(rng, 20);
    let solid = match shape {
        0 => ColliderShape::Plane,
        1 => ColliderShape::Sphere { radius: size },
        2 => ColliderShape::Capsule {
            half_length: size * if special == 0 { 0.0 } else { range(rng, 0.1, 2.0) },
            radius: size,
        },
        4 => ColliderShape::Cylinder { half_length: size * range(rng, 0.1, 2.0), radius: size },
        _ => ColliderShape::Box { half: Vec3::from([0.0; 3].map(|_: f32| size * range(rng, 0.2, 2.0))) },
    };
    let turn = |rng: &mut Rng| rng.turn().as_quat();
    let mut before = Pose { position: vector(rng, 3.0 * size), rotation: turn(rng) };
    if special <= 2 {
        before.rotation = Quat::IDENTITY;
    }
    let mut after = before;
    if one_of(rng, 2) == 0 {
        after.position += vector(rng, 0.05 * size);
        after.rotation = Quat::from_scaled_axis(vector(rng, 0.05)) * after.rotation;
    }
    let local = match special {
        1 => Vec3::ZERO,
        // A corner, then a place as far from two faces.
        2 if shape == 3 => Vec3::splat(size),
        _ => vector(rng, 1.8 * size),
    };
    let x = after.outward(local);
    let pushed = one_of(rng, 2) == 0;
    let push = Push {
        normal: if pushed { range(rng, 0.0, 0.1 * size) } else { 0.0 },
        tangent: if pushed { vector(rng, 0.05 * size) } else { Vec3::ZERO },
    };
    let kinetic_friction = if one_of(rng, 5) == 0 { 0.0 } else { range(rng, 0.0, 1.0) };
    // Also more kinetic than static friction: senseless, but the bound must hold.
    let friction = Friction {
        static_friction: kinetic_friction * if one_of(rng, 2) == 0 { 1.0 } else { range(rng, 0.5, 1.5) },
        kinetic_friction,
    };
    let radius = if one_of(rng, 4) == 0 { 0.0 } else { size * range(rng, 0.01, 0.2) };
    let slip = size * logarithmic(rng, 1e-3, 0.3);
    let start = x + vector(rng, slip);
    // Of particles of rigid bodies; more would be as much more of the error.
    let overpush = if one_of(rng, 2) == 0 { 1.0 } else { range(rng, 0.25, 2.0) };
    Touch {
        moving_collider: MovingCollider { shape: solid, before, after, friction },
        radius,
        start,
        x,
        push,
        overpush,
    }
}

#[test]
fn s14_s17_s18_contact_with_friction_is_the_same_on_the_gpu_for_every_shape() {
    let Some(gpu) = gpu() else { return };
    let body = "
        let ob = MovingCollider(
            Pose(f4(0u), f4(4u)), Pose(f4(8u), f4(12u)), f4(16u), f(20u), f(21u), u(22u), u(23u));
        let radius = f(24u); let start = f3(25u); let x = f3(28u); let push = f4(31u);
        let d = contact_depth(ob.shape, ob.size, ob.after, x, radius);
        let t = contact_project(ob, radius, start, x, push, f(35u));
        output[o] = d.inside; output[o + 1u] = 0.0; output[o + 2u] = 0.0;
        output[o + 3u] = d.normal.x; output[o + 4u] = d.normal.y; output[o + 5u] = d.normal.z;
        output[o + 6u] = t.x.x; output[o + 7u] = t.x.y; output[o + 8u] = t.x.z;
        output[o + 9u] = t.push.x; output[o + 10u] = t.push.y; output[o + 11u] = t.push.z;
        output[o + 12u] = t.push.w;";
    for (shape, brief) in (0..5).flat_map(|shape| [(shape, false), (shape, true)]) {
        let form = format!("const BRIEF: bool = {brief};\nconst SHAPES: u32 = 31u;\n");
        let program = Program { parts: &[&form, COLLIDER_CONTACT], takes: 36, gives: 13, body };
        let mut rng = Rng(60 + shape as u64);
        let mut input = Vec::new();
        let touches: Vec<Touch> = (0..COUNT).map(|_| touch(shape, &mut rng)).collect();
        for t in &touches {
            input.extend(bytemuck::cast::<layouts::MovingCollider, [f32; 24]>(layouts::MovingCollider::from(
                &t.moving_collider,
            )));
            input.push(t.radius);
            input.extend([t.start, t.x, t.push.tangent].iter().flat_map(|v| v.to_array()));
            input.extend([t.push.normal, t.overpush]);
        }
        let output = gpu.run(&program, &input);
        let mut jumps = 0;
        for (t, found) in touches.iter().zip(output.chunks(program.gives)) {
            let (cpu, sizes) = (t.answer(t.x), t.sizes());
            if deviation(found, &cpu, &sizes) <= 1e-5 {
                continue;
            }
            // The answer jumps where two faces are as near or where sticking turns into slipping. There it must be
            // that of a place as good as the same.
            jumps += 1;
            let near = 1e-6 * t.reach();
            let same = (0..1000).any(|_| deviation(found, &t.answer(t.x + vector(&mut rng, near)), &sizes) <= 1e-5);
            let error = deviation(found, &cpu, &sizes);
            assert!(same, "{:?}: {found:?} and not {cpu:?}, off by {error}", t.moving_collider);
        }
        println!("shape {shape}, brief {brief}: {jumps} inputs where the answer jumps");
        assert!(jumps <= COUNT / 1000, "shape {shape}, brief {brief}: {jumps} inputs are off by more than 1e-5");
    }
}
