//! Signed distances against brute force, and kernel parameters computed by the builder.

use crate::support::{Double, Rng, Sample};
use glam::{DVec3, Vec3};
use pliant::builder::{MeshSource, NoMeshes};
use pliant::constraints::ConstraintKind;
use pliant::contact::collider_contact::{ColliderShape, signed_distance};
use pliant::mesh::{TetMesh, TriMesh};
use pliant::scene::{Format, Scene};
use pliant::{Options, World};

/// Points of a solid's surface, so dense that none of the surface is farther than `SPACING` from one.
const SPACING: f32 = 0.02;

fn surface(shape: &ColliderShape) -> Vec<Vec3> {
    let steps = |length: f32| (length / SPACING).ceil() as usize + 1;
    let mut points = Vec::new();
    let mut cap = |radius: f32, shift: f32| {
        let rings = steps(radius * std::f32::consts::PI);
        for i in 0..=rings {
            let (s, c) = (std::f32::consts::PI * i as f32 / rings as f32).sin_cos();
            let around = steps(std::f32::consts::TAU * radius * s);
            for j in 0..around {
                let (b, a) = (std::f32::consts::TAU * j as f32 / around as f32).sin_cos();
                let p = Vec3::new(radius * s * a, radius * c, radius * s * b);
                points.push(p + Vec3::Y * if c >= 0.0 { shift } else { -shift });
            }
        }
    };
    match *shape {
        ColliderShape::Plane => {
            let n = steps(6.0);
            let at = |i: usize| 6.0 * (i as f32 / n as f32 - 0.5);
            points.extend((0..=n).flat_map(|i| (0..=n).map(move |j| Vec3::new(at(i), 0.0, at(j)))));
        }
        ColliderShape::Sphere { radius } => cap(radius, 0.0),
        ColliderShape::Capsule { half_length, radius } => {
            cap(radius, half_length);
            let (n, m) = (steps(2.0 * half_length), steps(std::f32::consts::TAU * radius));
            for (i, j) in (0..=n).flat_map(|i| (0..m).map(move |j| (i, j))) {
                let (b, a) = (std::f32::consts::TAU * j as f32 / m as f32).sin_cos();
                points.push(Vec3::new(radius * a, half_length * (2.0 * i as f32 / n as f32 - 1.0), radius * b));
            }
        }
        ColliderShape::Cylinder { half_length, radius } => {
            let (n, m) = (steps(2.0 * half_length), steps(std::f32::consts::TAU * radius));
            let rings = steps(radius);
            for j in 0..m {
                let (b, a) = (std::f32::consts::TAU * j as f32 / m as f32).sin_cos();
                let at = |y: f32, r: f32| Vec3::new(r * a, half_length * y, r * b);
                points.extend((0..=n).map(|i| at(2.0 * i as f32 / n as f32 - 1.0, radius)));
                let ends = (0..=rings).map(|i| radius * i as f32 / rings as f32);
                points.extend(ends.flat_map(|r| [at(-1.0, r), at(1.0, r)]));
            }
        }
        ColliderShape::Box { half } => {
            for axis in 0..3 {
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let (n, m) = (steps(2.0 * half[u]), steps(2.0 * half[v]));
                for (i, j) in (0..=n).flat_map(|i| (0..=m).map(move |j| (i, j))) {
                    for side in [-1.0, 1.0] {
                        let mut p = Vec3::ZERO;
                        p[axis] = side * half[axis];
                        p[u] = half[u] * (2.0 * i as f32 / n as f32 - 1.0);
                        p[v] = half[v] * (2.0 * j as f32 / m as f32 - 1.0);
                        points.push(p);
                    }
                }
            }
        }
        // Those with tables have a test of their own (`tests/colliders`).
        _ => unreachable!("no analytic shape"),
    }
    points
}

fn inside(shape: &ColliderShape, p: Vec3) -> bool {
    match *shape {
        ColliderShape::Plane => p.y < 0.0,
        ColliderShape::Sphere { radius } => p.length() < radius,
        ColliderShape::Capsule { half_length, radius } => {
            let round = p.x * p.x + p.z * p.z;
            let ends = [Vec3::Y, Vec3::NEG_Y].iter().any(|&e| p.distance(e * half_length) < radius);
            ends || (p.y.abs() < half_length && round < radius * radius)
        }
        ColliderShape::Cylinder { half_length, radius } => {
            p.y.abs() < half_length && p.x * p.x + p.z * p.z < radius * radius
        }
        ColliderShape::Box { half } => p.abs().cmplt(half).all(),
        _ => unreachable!("no analytic shape"),
    }
}

#[test]
fn s17_signed_distances_agree_with_brute_force_and_normals_point_outward() {
    let solids = [
        ColliderShape::Plane,
        ColliderShape::Sphere { radius: 0.7 },
        ColliderShape::Capsule { half_length: 0.6, radius: 0.4 },
        ColliderShape::Cylinder { half_length: 0.6, radius: 0.4 },
        ColliderShape::Box { half: Vec3::new(0.7, 0.3, 0.5) },
    ];
    let mut rng = Rng(41);
    for solid in solids {
        let points = surface(&solid);
        for _ in 0..300 {
            let p = rng.cube(1.5).as_vec3();
            let (distance, normal) = signed_distance(&solid, p);
            let brute = points.iter().map(|s| s.distance(p)).fold(f32::MAX, f32::min);
            assert_eq!(distance < 0.0, inside(&solid, p), "{solid:?} at {p}: {distance}");
            // No sample is nearer than the surface, and one is at most a spacing farther; f32 leaves 1e-6.
            let over = brute - distance.abs();
            assert!((-1e-6..=SPACING).contains(&over), "{solid:?} at {p}: {distance} against {brute}");
            assert!((normal.length() - 1.0).abs() < 1e-6);
            // Along the normal by the distance lies the surface.
            let on = signed_distance(&solid, p - normal * distance).0;
            assert!(on.abs() < 2e-6, "{solid:?} at {p}: {on} off the surface");
        }
    }
}

#[test]
fn s17_distances_are_finite_where_no_direction_is_best() {
    let centers = [
        ColliderShape::Sphere { radius: 0.5 },
        ColliderShape::Capsule { half_length: 0.0, radius: 0.5 },
        ColliderShape::Capsule { half_length: 1.0, radius: 0.5 },
        ColliderShape::Cylinder { half_length: 1.0, radius: 0.5 },
        ColliderShape::Box { half: Vec3::splat(0.5) },
    ];
    for solid in centers {
        let (distance, normal) = signed_distance(&solid, Vec3::ZERO);
        assert_eq!(distance, -0.5, "{solid:?}");
        assert!((normal.length() - 1.0).abs() < 1e-6, "{solid:?}: normal {normal}");
    }
    // On an edge and on a corner of the box.
    for p in [Vec3::new(0.5, 0.5, 0.0), Vec3::splat(0.5)] {
        let (distance, normal) = signed_distance(&ColliderShape::Box { half: Vec3::splat(0.5) }, p);
        assert!(distance == 0.0 && normal.length() == 1.0);
    }
}

/// Two equilateral triangles with edges of 0.2 m.
struct Hinge;

impl MeshSource for Hinge {
    fn triangles(&self, _: &str) -> Result<TriMesh, String> {
        let h = 0.2 * 0.75_f32.sqrt();
        let positions =
            [[0.0, 0.0, 0.0], [0.2, 0.0, 0.0], [0.1, h, 0.0], [0.1, -h, 0.0]].map(|p: [f32; 3]| Vec3::from(p)).to_vec();
        Ok(TriMesh { positions, triangles: vec![[0, 1, 2], [1, 0, 3]] })
    }
    fn tets(&self, _: &str) -> Result<TetMesh, String> {
        Err("no tets here".to_owned())
    }
}

/// The one bending constraint of the hinge, folded by `angle`.
fn folded(kind: ConstraintKind, model: &str, angle: f64) -> Sample {
    let text = format!("[[cloth]]\nmesh = \"hinge\"\nbend = {{ modulus = 0.003 }}\nbend_model = \"{model}\"");
    let scene = Scene::parse(&text, Format::Toml).unwrap();
    let sim = World::from_scene(&scene, &Hinge, Options::default()).unwrap();
    let made = sim.constraints(kind).next().unwrap();
    let rows = made.rows.iter().map(|&i| {
        let p = sim.position(i as usize).as_dvec3();
        // Both wings turn up by half the angle.
        let (s, c) = (angle / 2.0).sin_cos();
        let p = DVec3::new(p.x, p.y * c, p.y.abs() * s);
        [p.x, p.y, p.z, 1.0]
    });
    Sample { kind, params: made.params.iter().map(|&p| f64::from(p)).collect(), rows: rows.collect() }
}

#[test]
fn s15_dihedral_and_isometric_bending_have_one_energy_at_small_angles() {
    for angle in [0.02, 0.05, 0.1] {
        // The same hinge weighs 1/α in θ and 1/(α·e²) in s = e·θ.
        let alpha = folded(ConstraintKind::Bend, "dihedral", angle).params[1];
        let want = 0.5 * angle * angle / alpha;
        let dihedral = folded(ConstraintKind::Bend, "dihedral", angle).measure::<Double>()[1];
        let isometric = folded(ConstraintKind::Isometric, "isometric", angle).measure::<Double>()[1];
        // Parameters are single precision; the polynomial of the arctangent adds 4e-7/0.02.
        assert!((dihedral / want - 1.0).abs() < 1e-4, "dihedral at {angle}: {dihedral} against {want}");
        // The isometric stencil measures 2·sin(θ/2) in place of θ: relative θ²/12.
        let most = angle * angle / 12.0 + 1e-5;
        assert!((isometric / want - 1.0).abs() < most, "isometric at {angle}: {isometric} against {want}");
    }
}

#[test]
fn e13_fem_compliance_is_the_inverse_of_volume_times_stiffness_with_engineering_shear() {
    let (young, nu) = (1e5, 0.3);
    let shear = young / (2.0 * (1.0 + nu));
    let text = "[[cloth]]\ngrid = { cells = [1, 1], size = [0.4, 0.5] }\nthickness = 0.002\n\
                fem = { young = 1e5, poisson = 0.3 }\n\
                [[soft]]\nblock = { cells = [1, 1, 1], size = [0.1, 0.2, 0.3], tets = \"six\" }\n\
                fem = { young = 1e5, poisson = 0.3, material = \"st-venant-kirchhoff\" }";
    let scene = Scene::parse(text, Format::Toml).unwrap();
    let sim = World::from_scene(&scene, &NoMeshes, Options::default()).unwrap();
    // Plane stress K = E/(1−ν²)·[[1, ν], [ν, 1]]; α·V·K must be the identity. Volume: half the grid.
    let p = sim
        .constraints(ConstraintKind::FemTriangle)
        .next()
        .unwrap()
        .params
        .iter()
        .map(|&v| f64::from(v))
        .collect::<Vec<_>>();
    let (volume, k) = (0.5 * 0.4 * 0.5 * 0.002, young / (1.0 - nu * nu));
    assert!((volume * k * (p[4] + nu * p[5]) - 1.0).abs() < 1e-5);
    assert!((volume * k * (nu * p[4] + p[5])).abs() < 1e-5);
    assert!((volume * shear * p[6] - 1.0).abs() < 1e-5, "the modulus of engineering shear is μ, not 4μ");
    // Three dimensions: K = λ·11ᵀ + 2μ·I on the normal strains. Volume: a sixth of the block.
    let p = sim
        .constraints(ConstraintKind::FemTet)
        .next()
        .unwrap()
        .params
        .iter()
        .map(|&v| f64::from(v))
        .collect::<Vec<_>>();
    let (volume, lame) = (0.1 * 0.2 * 0.3 / 6.0, young * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)));
    let diagonal = volume * ((lame + 2.0 * shear) * p[9] + 2.0 * lame * p[10]);
    let beside = volume * (lame * p[9] + (lame + 2.0 * shear) * p[10] + lame * p[10]);
    assert!((diagonal - 1.0).abs() < 1e-5 && beside.abs() < 1e-5, "{diagonal}, {beside}");
    assert!((volume * shear * p[11] - 1.0).abs() < 1e-5);
}
