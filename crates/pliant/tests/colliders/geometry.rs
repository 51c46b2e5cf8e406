//! Nearest points and penetration depths against brute force and closed forms.

use crate::support::{Rng, ball, brute, cuboid, shaped, soup};
use glam::{DVec3, Vec3};
use pliant::contact::collider_contact::{ColliderShape, signed_distance};
use pliant::mesh::TriMesh;

#[test]
fn s17_a_hull_of_a_box_is_the_box() {
    let half = Vec3::new(0.7, 0.3, 0.5);
    let mut mesh = cuboid(half);
    let mut rng = Rng(3);
    // Points inside or on faces are not vertices of the hull.
    mesh.positions.extend((0..200).map(|_| rng.cube(1.0).as_vec3() * half));
    mesh.positions.extend((0..50).map(|_| (rng.cube(1.0).as_vec3() * half).with_x(0.7)));
    let (hull, exact) = (shaped("convex", &mesh, ""), ColliderShape::Box { half });
    let ColliderShape::Convex(tables) = &hull else { panic!("{hull:?}") };
    assert_eq!((tables.planes().len(), tables.surface().triangles().len()), (6, 12));
    for _ in 0..20_000 {
        let p = rng.cube(1.5).as_vec3();
        let ((found, n), (want, m)) = (signed_distance(&hull, p), signed_distance(&exact, p));
        // Coordinates below 2 are known to 1e-7; the same sums in another order.
        assert!((found - want).abs() < 1e-6, "at {p}: {found} against {want}");
        // Directions are differences over the distance; inside they jump where two faces are as near.
        let two = want < 0.0 && (found - signed_distance(&exact, p + (n - m) * 1e-6).0).abs() < 1e-6;
        assert!(n.distance(m) < 1e-6 + 1e-6 / want.abs() || two, "at {p}: {n} against {m}");
    }
}

#[test]
fn s17_hulls_agree_with_brute_force_inside_and_outside() {
    let mut rng = Rng(5);
    for count in [4, 12, 60, 300] {
        let points: Vec<Vec3> = (0..count).map(|_| rng.cube(1.0).as_vec3()).collect();
        let solid = shaped("convex", &TriMesh { positions: points, triangles: Vec::new() }, "");
        let ColliderShape::Convex(hull) = &solid else { panic!("{solid:?}") };
        let skin =
            TriMesh { positions: hull.surface().positions().to_vec(), triangles: hull.surface().triangles().to_vec() };
        for _ in 0..500 {
            let p = rng.cube(1.6);
            let (distance, normal) = signed_distance(&solid, p.as_vec3());
            let exact = brute(&skin, p.as_vec3().as_dvec3());
            let outside = skin.triangles.iter().any(|t| {
                let [a, b, c] = crate::support::corners(&skin, t);
                (b - a).cross(c - a).dot(p - a) > 0.0
            });
            let signed = if outside { exact } else { -exact };
            assert!((f64::from(distance) - signed).abs() < 2e-6, "{count} points at {p}: {distance} against {signed}");
            // Along the normal by the distance lies the surface.
            let on = p.as_vec3() - normal * distance;
            assert!(brute(&skin, on.as_dvec3()) < 4e-6, "{count} points at {p}: the normal misses the surface");
        }
    }
}

#[test]
fn s17_nearest_points_of_a_surface_agree_with_brute_force() {
    let mut rng = Rng(11);
    for mesh in [soup(1, &mut rng), soup(300, &mut rng), ball(0.8, 3), cuboid(Vec3::new(0.9, 0.01, 0.4))] {
        let solid = shaped("surface", &mesh, "");
        let ColliderShape::Surface(surface) = &solid else { panic!("{solid:?}") };
        // In the frame of the collider, whose origin is the middle of the mesh.
        let low = mesh.positions.iter().copied().fold(Vec3::INFINITY, Vec3::min);
        let high = mesh.positions.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
        let middle = (low + high) * 0.5;
        for _ in 0..2000 {
            let p = rng.cube(1.6).as_vec3();
            let near = surface.nearest(p, f32::INFINITY).unwrap();
            let exact = brute(&mesh, (p + middle).as_dvec3());
            assert!((f64::from(near.distance) - exact).abs() < 2e-6, "at {p}: {} against {exact}", near.distance);
            assert!(brute(&mesh, (near.point + middle).as_dvec3()) < 2e-6);
            assert!(near.normal.dot(p - near.point) > 0.999 * near.distance);
            // A limit leaves out what is farther, and nothing else.
            assert!(surface.nearest(p, near.distance * 0.999).is_none());
            assert_eq!(surface.nearest(p, near.distance * 1.001 + 1e-6), Some(near));
        }
    }
}

#[test]
fn s17_a_field_of_a_ball_has_the_distances_of_the_ball() {
    for grid in [16, 32] {
        let radius = 0.8_f32;
        let solid = shaped("sdf", &ball(radius, 4), &format!(", grid = {grid}"));
        let ColliderShape::Field(field) = &solid else { panic!("{solid:?}") };
        let edge = field.edge();
        let mut rng = Rng(13);
        let (mut worst, mut turned) = (0.0_f32, 0.0_f32);
        for _ in 0..20_000 {
            let p = rng.cube(1.4).as_vec3();
            let (distance, normal) = signed_distance(&solid, p);
            let exact = p.length() - radius;
            let (min, max) = field.bounds();
            if p != p.clamp(min, max) {
                // Beyond the grid the way to the surface begins in a direction that is off by up to a fifth.
                assert!((distance - exact).abs() < 0.05, "{grid} distances at {p}: {distance} against {exact}");
                continue;
            }
            if p.length() < 4.0 * edge {
                // In the middle no direction is best, and interpolation rounds the peak off.
                continue;
            }
            worst = worst.max((distance - exact).abs());
            turned = turned.max(normal.distance(p / p.length()));
        }
        // Interpolation of a function whose second derivative is 1/ρ: edge²/8 of it along each of two axes, ρ from four
        // edges on; triangles are inside of the ball by 1 − cos of half their angle: 0.6 mm here. The slope of a
        // cell is off by edge/2 of the curvature on each axis.
        let most = edge * edge / 8.0 * 2.0 / (4.0 * edge - edge) + 1e-3;
        println!("a ball in {grid} distances: off by {worst:.5} m, normals by {turned:.3}");
        assert!(worst < most, "{worst} m, but {most} m can be explained");
        assert!(turned < 0.25, "normals off by {turned}");
    }
}

#[test]
fn s17_a_field_of_a_box_is_the_box_away_from_its_edges_and_right_outside_of_the_grid() {
    let half = Vec3::new(0.8, 0.4, 0.6);
    let solid = shaped("sdf", &cuboid(half), ", grid = 32");
    let ColliderShape::Field(field) = &solid else { panic!("{solid:?}") };
    let (edge, exact) = (field.edge(), ColliderShape::Box { half });
    let mut rng = Rng(17);
    let mut over_faces = 0;
    for _ in 0..20_000 {
        let p = rng.cube(2.0).as_vec3();
        let ((found, n), (want, m)) = (signed_distance(&solid, p), signed_distance(&exact, p));
        // Over the middle of a face distances are linear, and so exact: the box's planes need not be on the grid.
        let beside = p.abs() - half;
        let deep = beside.to_array().iter().filter(|&&b| b < -2.0 * edge).count();
        if want.abs() < 1.5 * edge && deep == 2 {
            over_faces += 1;
            assert!((found - want).abs() < 1e-5, "at {p}: {found} against {want}");
            assert!(n.distance(m) < 1e-3, "at {p}: {n} against {m}");
        }
        // Elsewhere interpolation rounds off edges by less than half the diagonal of a cell; outside of the grid the
        // border's normal is off by as much, and so is the surface that it points to.
        assert!((found - want).abs() < edge * 0.9, "at {p}: {found} against {want}");
    }
    assert!(over_faces > 100, "only {over_faces} points over faces");
}

#[test]
fn s17_tables_follow_the_transform() {
    // The same box, placed as a box and as a mesh of each kind.
    let mesh = TriMesh {
        positions: cuboid(Vec3::new(1.0, 0.5, 0.25)).positions.iter().map(|&p| p + Vec3::new(3.0, 4.0, 5.0)).collect(),
        ..cuboid(Vec3::ONE)
    };
    let place =
        "transform = { scale = 0.4, rotate = { axis = [1, 2, 3], degrees = 50 }, translate = [0.3, -0.2, 0.7] }";
    let turn = glam::Quat::from_axis_angle(Vec3::new(1.0, 2.0, 3.0).normalize(), 50_f32.to_radians());
    let middle = turn * (Vec3::new(3.0, 4.0, 5.0) * 0.4) + Vec3::new(0.3, -0.2, 0.7);
    let exact = ColliderShape::Box { half: Vec3::new(0.4, 0.2, 0.1) };
    for key in ["convex", "surface", "sdf"] {
        let text = format!(
            "[[rope]]\npath = [[0, 9, 0], [1, 9, 0]]\n[[collider]]\n{key} = {{ mesh = \"it\", {place} }}\n\
             motion = {{ keys = {{ frames = [{{ time = 0 }}, {{ time = 1, translate = [0, 2, 0] }}] }} }}\n"
        );
        let sim = crate::support::with_mesh(&text, &mesh, 1);
        let collider = &sim.model().colliders[0];
        let mut rng = Rng(19);
        for (time, rise) in [(0.0, 0.0), (0.5, 1.0)] {
            for _ in 0..200 {
                let p = middle + Vec3::Y * rise + turn * (rng.cube(0.5).as_vec3());
                let found = signed_distance(&collider.shape, collider.motion.pose(time).inward(p)).0;
                let want = signed_distance(&exact, turn.conjugate() * (p - middle - Vec3::Y * rise)).0;
                let want = if key == "surface" { want.abs() } else { want };
                // A field rounds off edges within its cells of 12 mm.
                let most = if key == "sdf" { 0.012 } else { 5e-6 };
                assert!((found - want).abs() < most, "{key} at {p}: {found} against {want}");
            }
        }
    }
}

#[test]
fn s17_degenerate_points_have_finite_answers() {
    let flat = TriMesh {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::new(1.0, 0.0, 1.0)],
        triangles: vec![[0, 1, 2], [1, 3, 2]],
    };
    let solids = [
        shaped("surface", &flat, ""),
        shaped("convex", &cuboid(Vec3::splat(0.5)), ""),
        shaped("sdf", &cuboid(Vec3::splat(0.5)), ", grid = 8"),
    ];
    for solid in solids {
        for p in [DVec3::ZERO, DVec3::splat(0.5), DVec3::new(0.5, 0.0, 0.0), DVec3::splat(-0.5), DVec3::splat(1e5)] {
            let (distance, normal) = signed_distance(&solid, p.as_vec3());
            assert!(distance.is_finite() && (normal.length() - 1.0).abs() < 1e-5, "{p}: {distance} {normal}");
        }
    }
}
