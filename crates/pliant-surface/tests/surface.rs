//! Surfaces of balls, boxes and clouds: closed, as large as they should be, and the same for any number of threads.

use glam::Vec3;
use pliant_surface::{Settings, SurfaceError, SurfaceMesh, surface};
use proptest::prelude::*;
use std::collections::HashMap;

const RADIUS: f32 = 0.02;

/// Panics unless every edge belongs to two triangles that run along it in opposite directions.
fn assert_closed(mesh: &SurfaceMesh) {
    assert_eq!(mesh.positions.len(), mesh.normals.len());
    assert!(mesh.positions.iter().chain(&mesh.normals).all(|p| p.is_finite()));
    assert!(mesh.normals.iter().all(|n| (n.length() - 1.0).abs() < 1e-5));
    let mut edges: HashMap<[u32; 2], u32> = HashMap::new();
    for t in &mesh.triangles {
        assert!(t.iter().all(|&v| (v as usize) < mesh.positions.len()));
        assert!(t[0] != t[1] && t[1] != t[2] && t[2] != t[0], "{t:?}");
        for k in 0..3 {
            *edges.entry([t[k], t[(k + 1) % 3]]).or_default() += 1;
        }
    }
    for (&[a, b], &count) in &edges {
        assert_eq!((count, edges.get(&[b, a])), (1, Some(&1)), "edge from {a} to {b}");
    }
}

/// Particles on a lattice of two radii, where `inside` wants them.
fn lattice(half: i32, inside: impl Fn(Vec3) -> bool) -> Vec<Vec3> {
    let at = |i: i32| (i as f32 + 0.5) * 2.0 * RADIUS;
    let range = || -half..half;
    let all = range().flat_map(|x| range().flat_map(move |y| range().map(move |z| Vec3::new(at(x), at(y), at(z)))));
    all.filter(|p| inside(*p)).collect()
}

fn volume_of(particles: usize) -> f64 {
    particles as f64 * f64::from(2.0 * RADIUS).powi(3)
}

#[test]
fn a_box_and_a_ball_enclose_the_volume_of_their_particles() {
    // Flat sides lie where they should by the choice of the threshold. Edges and corners are rounded by about a radius: a box
    // of 20 particles along each side loses (1 − π/4)·r² along 12 edges of 40 radii, 0.2 %, and may lose three times that
    // for what the kernel rounds more. A ball has no edges, but its curvature pulls the surface in.
    let boxed = lattice(10, |_| true);
    let ball = lattice(12, |p| p.length() < 0.4);
    for (name, points, allowed) in [("box", boxed, 0.01), ("ball", ball, 0.02)] {
        for smoothing in [0, 10, 50] {
            let mesh = surface(&points, &Settings { smoothing, ..Settings::new(RADIUS) }).unwrap();
            assert_closed(&mesh);
            let ratio = mesh.volume() / volume_of(points.len());
            assert!((ratio - 1.0).abs() < allowed, "{name}, {smoothing} rounds: {ratio}");
        }
    }
}

#[test]
fn a_flat_side_is_where_the_liquid_ends_for_every_reach_and_cell() {
    let points = lattice(8, |_| true);
    let side = 16.0 * RADIUS;
    for reach in [3.0, 4.0, 6.0] {
        for cell in [0.5, 1.0] {
            let settings = Settings { reach: reach * RADIUS, cell: cell * RADIUS, ..Settings::new(RADIUS) };
            let mesh = surface(&points, &settings).unwrap();
            // The middle of the upper side; straight lines between corners of cells may miss the threshold by a little.
            let middle = mesh.positions.iter().filter(|p| p.y > 0.0 && p.x.abs().max(p.z.abs()) < 6.0 * RADIUS);
            let heights: Vec<f32> = middle.map(|p| p.y).filter(|y| *y > side - 2.0 * RADIUS).collect();
            let mean = heights.iter().sum::<f32>() / heights.len() as f32;
            assert!((mean - side).abs() < 0.05 * RADIUS, "reach {reach}, cell {cell}: {}", (mean - side) / RADIUS);
        }
    }
}

#[test]
fn no_particles_are_an_empty_surface_and_one_is_a_drop() {
    assert_eq!(surface(&[], &Settings::new(RADIUS)).unwrap(), SurfaceMesh::default());
    let at = Vec3::new(1.0, -2.0, 3.0);
    let fine = Settings { cell: 0.5 * RADIUS, ..Settings::new(RADIUS) };
    let rough = surface(&[at], &Settings { smoothing: 0, ..fine }).unwrap();
    let drop = surface(&[at], &fine).unwrap();
    assert_closed(&rough);
    assert_closed(&drop);
    // W(d)/W(0) = 1 − 1.5 q² + 0.75 q³ is 0.586 at q = 0.635, d = 1.27 radii: a ball of 8.6 r³. Chords between the edges of
    // cells of 0.4 d cut off about a tenth of it; smoothing keeps what is left.
    let [rough, smooth] = [&rough, &drop].map(|mesh| mesh.volume() / f64::from(RADIUS).powi(3));
    assert!((7.4..8.6).contains(&rough), "{rough} r³");
    assert!((7.4..8.6).contains(&smooth), "{smooth} r³");
    assert!(drop.positions.iter().all(|p| p.distance(at) < 1.5 * RADIUS));
    // The finest cells with the longest reach; cells that a drop may slip through.
    for (cell, reach) in [(0.25, 6.0), (2.0, 3.0)] {
        let settings = Settings { cell: cell * RADIUS, reach: reach * RADIUS, ..Settings::new(RADIUS) };
        assert_closed(&surface(&[at], &settings).unwrap());
    }
}

#[test]
fn particles_in_one_place_are_one_drop() {
    let drop = surface(&[Vec3::ZERO; 50], &Settings::new(RADIUS)).unwrap();
    assert_closed(&drop);
    assert!(drop.volume() > 0.0 && drop.volume() < volume_of(2));
}

#[test]
fn drops_a_million_meters_apart_are_two_drops() {
    let far = Vec3::splat(1e6);
    let both = surface(&[far, Vec3::ZERO], &Settings::new(RADIUS)).unwrap();
    assert_closed(&both);
    let [near, off] = [Vec3::ZERO, far].map(|p| surface(&[p], &Settings::new(RADIUS)).unwrap());
    assert_eq!(both.positions, [near.positions, off.positions].concat());
    assert_eq!(both.triangles.len(), near.triangles.len() + off.triangles.len());
}

#[test]
fn what_has_no_surface_is_refused() {
    let settings = Settings::new(RADIUS);
    for bad in [f32::NAN, f32::INFINITY] {
        assert_eq!(surface(&[Vec3::ZERO, Vec3::new(0.0, bad, 0.0)], &settings), Err(SurfaceError::NotFinite(1)));
    }
    let off = surface(&[Vec3::splat(f32::MAX)], &settings);
    assert!(matches!(off, Err(SurfaceError::TooFar { particle: 0, .. })), "{off:?}");
    // A chain with a particle in each of nearly 17,000 blocks.
    let chain: Vec<Vec3> = (0..17_000).map(|i| Vec3::X * (i as f32 * 63.9 * settings.cell)).collect();
    assert!(matches!(surface(&chain, &settings), Err(SurfaceError::TooLong { .. })));
    let wrong = [
        Settings { radius: 0.0, ..settings },
        Settings { radius: f32::NAN, ..settings },
        Settings { reach: 10.0 * RADIUS, ..settings },
        Settings { cell: 0.01 * RADIUS, ..settings },
        Settings { smoothing: 1001, ..settings },
    ];
    for settings in wrong {
        assert!(matches!(surface(&[Vec3::ZERO], &settings), Err(SurfaceError::Setting { .. })), "{settings:?}");
    }
}

#[test]
fn lattices_that_fit_the_grid_have_closed_surfaces() {
    // Particles on corners and middles of cells: symmetric to the last bit, with many equal values.
    let at = |i: i32| i as f32 * 0.25;
    let points: Vec<Vec3> = (0..216).map(|i| Vec3::new(at(i % 6), at(i / 6 % 6), at(i / 36))).collect();
    for radius in [0.125, 0.25] {
        for cell in [0.5, 1.0] {
            assert_closed(&surface(&points, &Settings { cell: cell * radius, ..Settings::new(radius) }).unwrap());
        }
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    // Wide enough for some thirty parts of the grid, with a drop far off.
    let mut points = lattice(32, |p| p.y.abs() < 0.1 && (p.x * 3.0).sin() + (p.z * 2.0).cos() > p.y * 5.0);
    points.push(Vec3::splat(50.0));
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| surface(&points, &Settings::new(RADIUS)).unwrap())
    };
    let one = on(1);
    assert_closed(&one);
    for threads in [2, 8] {
        // Bit for bit: none of the values is NaN or −0 beside 0 in one and not in the other.
        let other = on(threads);
        assert_eq!(one.triangles, other.triangles, "{threads} threads");
        let bits = |mesh: &SurfaceMesh| -> Vec<[u32; 3]> {
            mesh.positions.iter().chain(&mesh.normals).map(|p| p.to_array().map(f32::to_bits)).collect()
        };
        assert_eq!(bits(&one), bits(&other), "{threads} threads");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn clouds_have_closed_surfaces(
        cloud in prop::collection::vec(prop::array::uniform3(-1.0f32..1.0), 1..400),
        spread in 0.02f32..1.0,
        reach in 3.0f32..6.0,
        cell in 0.4f32..2.0,
        smoothing in 0u32..3,
    ) {
        let points: Vec<Vec3> = cloud.into_iter().map(|p| Vec3::from(p) * spread).collect();
        let settings = Settings { radius: RADIUS, reach: reach * RADIUS, cell: cell * RADIUS, smoothing };
        assert_closed(&surface(&points, &settings).unwrap());
    }
}
