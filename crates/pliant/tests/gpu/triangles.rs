//! WGSL queries of one triangle: nearest point, and time of impact of a moving sphere.

use crate::samples::Rng;
use crate::support::{COUNT, Program, gpu};
use glam::Vec3;
use pliant::contact::gpu::shaders::COLLIDER_QUERIES;
use pliant::geometry::{Triangle, nearest_on_triangle, sweep_to_triangle};

const LOAD: &str = "let it = Triangle(f3(0u), f3(3u), f3(6u)); let p = f3(9u);";

/// A triangle of about `size`, thin now and then, and a point near it; often above its face, edges or corners.
fn near_a_triangle(rng: &mut Rng, size: f64) -> (Triangle, Vec3) {
    let middle = rng.cube(3.0 * size);
    let mut corners = [(); 3].map(|()| middle + rng.cube(size));
    if rng.range(0.0, 10.0) < 1.0 {
        corners[2] = corners[0] + (corners[1] - corners[0]) * rng.range(0.2, 0.8) + rng.cube(0.05 * size);
    }
    let [a, b, c] = corners;
    let mut share = || if rng.range(0.0, 6.0) < 1.0 { 0.0 } else { rng.range(-0.5, 1.5) };
    let (u, v) = (share(), share());
    let p = a + (b - a) * u + (c - a) * v + rng.cube(size);
    (corners.map(|x| x.as_vec3()), p.as_vec3())
}

fn put(input: &mut Vec<f32>, triangle: &Triangle, p: Vec3) {
    input.extend(triangle.iter().chain([&p]).flat_map(|v| v.to_array()));
}

#[test]
fn s14_s17_the_nearest_point_of_a_triangle_is_the_same_on_the_gpu() {
    let Some(gpu) = gpu() else { return };
    let body = format!(
        "{LOAD} let foot = nearest_on_triangle(it, p);
        output[o] = foot.away.x; output[o + 1u] = foot.away.y; output[o + 2u] = foot.away.z; output[o + 3u] = foot.rank;"
    );
    let mut rng = Rng(191);
    let (mut input, mut asked) = (Vec::new(), Vec::new());
    for _ in 0..COUNT {
        let size = 10_f64.powf(rng.range(-3.0, 2.0));
        let (triangle, p) = near_a_triangle(&mut rng, size);
        put(&mut input, &triangle, p);
        asked.push((triangle, p, size as f32));
    }
    let output = gpu.run(&Program { parts: &COLLIDER_QUERIES, takes: 12, gives: 4, body: &body }, &input);
    let (mut worst, mut other, mut seen) = (0.0_f32, 0, [0; 3]);
    for (found, (triangle, p, size)) in output.chunks(4).zip(&asked) {
        let foot = nearest_on_triangle(triangle, *p);
        // The nearest point goes over from faces to edges to corners without a jump; which of them it is may differ there.
        let off = (Vec3::from_slice(found) - foot.away).length() / size;
        worst = if off <= worst { worst } else { off };
        other += usize::from(found[3] != foot.rank);
        seen[((foot.rank - 1.0) * 5e5) as usize] += 1;
    }
    println!("off by {worst:.1e}; {other} are of another part; {seen:?} above faces, edges and corners");
    // Across a face a tenth as high as it is wide.
    assert!(worst < 1e-4 && other <= COUNT / 1000, "{worst}, {other}");
    assert!(seen.iter().all(|&n| n > COUNT / 20), "{seen:?}");
}

#[test]
fn s14_s17_the_time_of_impact_with_a_triangle_is_the_same_on_the_gpu() {
    let Some(gpu) = gpu() else { return };
    let body = format!("{LOAD} output[o] = sweep_to_triangle(it, p, f3(12u), f(15u));");
    let mut rng = Rng(192);
    let (mut input, mut asked) = (Vec::new(), Vec::new());
    for k in 0..COUNT {
        let size = 10_f64.powf(rng.range(-3.0, 2.0));
        let (triangle, p) = near_a_triangle(&mut rng, size);
        let there = triangle[k % 3].lerp(triangle[(k + 1) % 3], rng.range(0.0, 1.0) as f32);
        // Toward the triangle, mostly, and beyond; not at all now and then.
        let way = match k % 20 {
            0 => Vec3::ZERO,
            1 => triangle[1] - triangle[0],
            _ => (there - p) * rng.range(0.2, 3.0) as f32 + rng.cube(0.3 * size).as_vec3(),
        };
        let radius = if k % 7 == 0 { 0.0 } else { (size * 10_f64.powf(rng.range(-3.0, 0.0))) as f32 };
        put(&mut input, &triangle, p);
        input.extend(way.to_array());
        input.push(radius);
        asked.push((triangle, p, way, radius, size));
    }
    let output = gpu.run(&Program { parts: &COLLIDER_QUERIES, takes: 16, gives: 1, body: &body }, &input);
    let (mut jumps, mut touches) = (0, 0);
    for (&found, (triangle, p, way, radius, size)) in output.iter().zip(&asked) {
        let none = 2.0;
        let cpu = sweep_to_triangle(triangle, *p, *way, *radius);
        touches += usize::from(cpu.is_some());
        if (found - cpu.unwrap_or(none)).abs() <= 1e-5 {
            continue;
        }
        // Where a ball just touches, it must be as for one from a place as good as the same.
        jumps += 1;
        let same = (0..1000).any(|_| {
            let p = *p + rng.cube(1e-5 * size).as_vec3();
            (found - sweep_to_triangle(triangle, p, *way, *radius).unwrap_or(none)).abs() <= 1e-3
        });
        assert!(same, "{triangle:?}, {p} by {way}, {radius} m: {found} and not {cpu:?}");
    }
    println!("{touches} of {COUNT} touch; {jumps} where the answer jumps");
    assert!(jumps <= COUNT / 100 && touches > COUNT / 5, "{jumps}, {touches}");
}
