//! Time of impact of moving spheres against closed forms and brute force, and motions that must not cross.

use crate::support::{Rng, ball, brute, corners, distance, shaped, soup};
use glam::{DVec3, Vec3};
use pliant::contact::collider_contact::ColliderShape;
use pliant::geometry::{Surface, sweep_to_triangle};
use pliant::mesh::TriMesh;

#[test]
fn s17_time_of_impact_with_a_face_an_edge_and_a_corner_is_the_formula() {
    let triangle = [Vec3::ZERO, Vec3::X, Vec3::Y];
    let radius = 0.1_f32;
    // Onto the face from both sides: the gap over the speed.
    for side in [1.0, -1.0] {
        let found = sweep_to_triangle(&triangle, Vec3::new(0.2, 0.2, side), Vec3::new(0.1, 0.0, -2.0 * side), radius);
        assert!((found.unwrap() - 0.45).abs() < 1e-6, "{found:?}");
    }
    // Onto the edge along x from outside of the triangle: the center stops a radius before it.
    let found = sweep_to_triangle(&triangle, Vec3::new(0.3, -1.0, 0.0), Vec3::Y * 1.5, radius);
    assert!((found.unwrap() - 0.9 / 1.5).abs() < 1e-6, "{found:?}");
    // The same, 0.06 m above: 0.08 m before it, by Pythagoras.
    let found = sweep_to_triangle(&triangle, Vec3::new(0.3, -1.0, 0.06), Vec3::Y * 1.5, radius);
    assert!((found.unwrap() - 0.92 / 1.5).abs() < 1e-6, "{found:?}");
    // Onto the corner in the origin, along the diagonal.
    let found = sweep_to_triangle(&triangle, Vec3::new(-1.0, -1.0, 0.0), Vec3::new(2.0, 2.0, 0.0), radius);
    assert!((found.unwrap() - (2.0_f32.sqrt() - 0.1) / 8.0_f32.sqrt()).abs() < 1e-6, "{found:?}");
    // Beside it, before it, away from it, along it at a distance.
    for (p, way) in [
        (Vec3::new(0.8, 0.8, 1.0), Vec3::NEG_Z * 3.0),
        (Vec3::new(0.2, 0.2, 1.0), Vec3::NEG_Z * 0.85),
        (Vec3::new(0.2, 0.2, 0.05), Vec3::Z),
        (Vec3::new(-1.0, 0.2, 0.11), Vec3::X * 3.0),
    ] {
        assert_eq!(sweep_to_triangle(&triangle, p, way, radius), None, "{p} {way}");
    }
    // ContactPair already: in the way at once if it comes nearer.
    assert_eq!(sweep_to_triangle(&triangle, Vec3::new(0.2, 0.2, 0.05), Vec3::NEG_Z, radius), Some(0.0));
    assert_eq!(sweep_to_triangle(&triangle, Vec3::ZERO, Vec3::X, radius), Some(0.0));
}

/// First share of a way at which a triangle is within `radius`, by the minimum of a convex function and bisection.
fn first_touch(t: &[DVec3; 3], p: DVec3, way: DVec3, radius: f64) -> Option<f64> {
    let apart = |s: f64| distance(t, p + way * s);
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..200 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        (low, high) = if apart(a) < apart(b) { (low, b) } else { (a, high) };
    }
    let least = low;
    if apart(least) > radius {
        return None;
    }
    (low, high) = (0.0, least);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        (low, high) = if apart(middle) > radius { (middle, high) } else { (low, middle) };
    }
    Some(high)
}

#[test]
fn s17_time_of_impact_agrees_with_brute_force() {
    let mut rng = Rng(23);
    let (mut hits, mut misses) = (0, 0);
    for _ in 0..20_000 {
        let mesh = soup(1, &mut rng);
        let exact = corners(&mesh, &[0, 1, 2]);
        let radius = 0.001 + 0.1 * rng.next();
        let p = rng.cube(2.0).as_vec3();
        // Toward a point near one of its corners, and beyond.
        let aim = mesh.positions[(rng.next() * 3.0) as usize] + rng.cube(0.2).as_vec3();
        let way = (aim - p) * (0.8 + rng.next() as f32);
        if distance(&exact, p.as_dvec3()) <= radius * 1.01 {
            continue;
        }
        let found = sweep_to_triangle(&exact.map(|c| c.as_vec3()), p, way, radius as f32);
        // A sphere that barely touches may be missed or found, depending on rounding: test slightly smaller and
        // larger ones.
        let [small, large] = [-1e-6, 1e-6].map(|d| first_touch(&exact, p.as_dvec3(), way.as_dvec3(), radius + d));
        match (found, large) {
            (Some(share), Some(early)) => {
                hits += 1;
                let late = small.unwrap_or(1.0);
                let share = f64::from(share);
                assert!(share >= early - 1e-6 && share <= late + 1e-6, "{share} not within {early} to {late}");
            }
            (None, _) => {
                misses += 1;
                // Where even the smaller ball touches before the end it must be found.
                assert!(small.is_none_or(|s| s > 1.0 - 1e-6), "missed a touch at {small:?}");
            }
            (Some(share), None) => panic!("found a touch at {share} where there is none"),
        }
    }
    println!("{hits} touches, {misses} misses");
    assert!(hits > 2000 && misses > 2000);
}

#[test]
fn s17_a_sweep_through_many_triangles_finds_the_first_of_all() {
    let mut rng = Rng(29);
    let mesh = soup(400, &mut rng);
    let surface = Surface::new(mesh.positions.clone(), &mesh.triangles);
    for _ in 0..3000 {
        let (p, radius) = (rng.cube(2.0).as_vec3(), 0.02 + 0.05 * rng.next() as f32);
        let way = rng.cube(3.0).as_vec3();
        let one = |t: &[u32; 3]| sweep_to_triangle(&t.map(|v| mesh.positions[v as usize]), p, way, radius);
        let all = mesh.triangles.iter().filter_map(one).reduce(f32::min);
        let hit = surface.sweep(p, way, radius);
        assert_eq!(hit.map(|h| h.share), all, "from {p} by {way}");
    }
}

#[test]
fn s17_sweeps_of_any_length_stay_inside_a_shell_at_their_radius() {
    let mesh = ball(1.0, 3);
    let surface = Surface::new(mesh.positions.clone(), &mesh.triangles);
    let mut rng = Rng(31);
    let mut worst = f64::INFINITY;
    for k in 0..4000 {
        let radius = [0.001, 0.01, 0.1][k % 3];
        let from = rng.cube(0.4);
        let to = from + rng.cube([0.5, 3.0, 40.0][k / 3 % 3]);
        let end = surface.slide(from.as_vec3(), to.as_vec3(), radius as f32);
        let place = end.place.as_dvec3();
        // The triangles of this ball are nowhere nearer to its center than 0.98 m.
        assert!(place.length() < 1.0, "{from} to {to} ends at {place}");
        let gap = brute(&mesh, place) / radius;
        worst = worst.min(gap);
        assert!(gap > 0.999, "{from} to {to} ends {gap} radii from the surface");
        if !end.touched {
            assert_eq!(end.place, to.as_vec3());
        }
    }
    println!("nearest to the surface: {worst} radii");
}

#[test]
fn s17_a_ball_slides_along_a_floor_of_triangles_without_bumping_into_their_edges() {
    let steps = 40;
    let at = |i: u32, j: u32| Vec3::new(i as f32 * 0.1 - 2.0, 0.0, j as f32 * 0.1 - 2.0);
    let n = steps + 1;
    let positions: Vec<Vec3> = (0..n * n).map(|k| at(k % n, k / n)).collect();
    let cell = |k: u32| {
        let a = k / steps * n + k % steps;
        [[a, a + n, a + 1], [a + 1, a + n, a + n + 1]]
    };
    let triangles: Vec<[u32; 3]> = (0..steps * steps).flat_map(cell).collect();
    let solid = shaped("surface", &TriMesh { positions, triangles }, "");
    let ColliderShape::Surface(surface) = &solid else { panic!("{solid:?}") };
    let mut rng = Rng(37);
    for _ in 0..2000 {
        let radius = 0.05;
        let from = rng.cube(0.9).as_vec3().with_y(radius);
        let to = rng.cube(0.9).as_vec3().with_y(radius * rng.next() as f32);
        let end = surface.slide(from, to, radius);
        // Straight up to the radius: the way along is not touched. Places are within 2 m, known to 2e-7.
        assert!((end.place - to.with_y(radius)).length() < 1e-6, "{from} to {to} ends at {}", end.place);
    }
}

#[test]
fn s17_in_a_wedge_a_ball_comes_to_rest_between_both_sides() {
    // Two long sheets joined along the z axis at a right angle.
    let mesh = TriMesh {
        positions: [[0, 0, -9], [0, 0, 9], [9, 9, -9], [9, 9, 9], [-9, 9, -9], [-9, 9, 9]]
            .map(|p: [i32; 3]| Vec3::from(p.map(|c| c as f32)))
            .to_vec(),
        triangles: vec![[0, 1, 2], [1, 3, 2], [0, 4, 1], [1, 4, 5]],
    };
    let surface = Surface::new(mesh.positions.clone(), &mesh.triangles);
    let radius = 0.1_f32;
    for aside in [0.0, 0.02, -0.5] {
        let end = surface.slide(Vec3::new(aside, 2.0, 0.0), Vec3::new(aside * 0.5, -30.0, 1.0), radius);
        let want = Vec3::new(0.0, radius * 2.0_f32.sqrt(), end.place.z);
        assert!(end.place.distance(want) < 2e-3, "{aside}: {} and not {want}", end.place);
        assert!(brute(&mesh, end.place.as_dvec3()) > 0.999 * f64::from(radius));
    }
}
