//! Random closed surfaces.

use crate::measure::{angles_and_volume, closed_boundary, distance, parts};
use crate::shapes::{Random, blob, cuboid, isosurface, torus};
use glam::Vec3;
use pliant::mesh::TriMesh;
use pliant::tetrahedralize::{Resolution, Settings, Tetrahedra, tetrahedralize};

/// What the patterns guarantee [degrees].
const LEAST_ANGLE: f64 = 10.7;
const LARGEST_ANGLE: f64 = 164.8;

/// Fills a surface that has no features below a cell, and asserts everything that is promised of it.
fn assert_filled(what: &str, mesh: &TriMesh, size: f32, grading: u32) -> Tetrahedra {
    let settings = Settings { resolution: Resolution::Size(size), grading };
    let found = tetrahedralize(mesh.clone(), &settings).unwrap_or_else(|e| panic!("{what}: {e}"));
    let (angles, volume) = angles_and_volume(&found.mesh);
    assert!(angles[0] > LEAST_ANGLE && angles[1] < LARGEST_ANGLE, "{what}: angles {angles:?}");
    assert!((volume / mesh.volume() - 1.0).abs() < 0.01, "{what}: volume {volume} of {}", mesh.volume());
    let boundary = closed_boundary(&found.mesh);
    assert_eq!(parts(found.mesh.positions.len(), found.mesh.tets.iter().map(|t| t.to_vec())), 1, "{what}: parts");
    for (from, to, way) in [(&boundary, mesh, "to the surface"), (mesh, &boundary, "from the surface")] {
        let (largest, _) = distance(from, to, 0.2 * size, 0.5 * size);
        assert!(largest < 0.5 * size, "{what}: {} cells {way}; {:?}", largest / size, found.notes);
    }
    found
}

#[test]
fn fifty_random_blobs_are_filled() {
    for seed in 0..50 {
        let mut random = Random(seed);
        let mesh = blob(&mut random, 24);
        let mesh = random.placed(mesh);
        // The smallest ball has five cells across.
        let size = random.between(0.04, 0.08);
        assert_filled(&format!("blob {seed}"), &mesh, size, seed as u32 % 3);
    }
}

#[test]
fn sixty_random_boxes_and_plates_down_to_two_cells_are_filled() {
    for seed in 100..160 {
        let mut random = Random(seed);
        let size = random.between(0.05, 0.1);
        // Every third is a plate, two to three cells thick.
        let thick = if seed % 3 == 0 { random.between(2.0, 3.0) * size } else { random.between(0.4, 1.0) };
        let mesh = cuboid(Vec3::new(random.between(0.6, 1.5), random.between(0.6, 1.5), thick));
        let mesh = random.placed(mesh);
        assert_filled(&format!("box {seed}"), &mesh, size, seed as u32 % 3);
    }
}

#[test]
fn forty_random_tori_are_filled_and_keep_their_holes() {
    for seed in 200..240 {
        let mut random = Random(seed);
        let (large, small) = (random.between(0.6, 1.0), random.between(0.15, 0.3));
        let mesh = torus(large, small, 48, 24);
        let mesh = random.placed(mesh);
        let size = small / random.between(1.5, 3.5);
        let found = assert_filled(&format!("torus {seed}"), &mesh, size, seed as u32 % 3);
        // Vertices - edges + faces of the boundary; a closed surface has 3/2 as many edges as triangles.
        let boundary = closed_boundary(&found.mesh);
        let mut used: Vec<u32> = boundary.triangles.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let euler = used.len() as i64 - boundary.triangles.len() as i64 / 2;
        assert_eq!(euler, 0, "torus {seed}: handles");
    }
}

#[test]
fn fifty_random_bumpy_bodies_are_filled() {
    for seed in 300..350 {
        let mut random = Random(seed);
        let waves: Vec<(Vec3, f32)> =
            (0..6).map(|_| (random.vector() * 6.0, random.between(0.0, std::f32::consts::TAU))).collect();
        let radius = random.between(0.5, 0.7);
        let mesh = isosurface(24, |p| {
            let bump: f32 = waves.iter().map(|(k, phase)| (k.dot(p) + phase).sin()).sum();
            p.length() - radius - 0.03 * bump
        });
        let mesh = random.placed(mesh);
        assert_filled(&format!("bumpy {seed}"), &mesh, random.between(0.06, 0.11), seed as u32 % 3);
    }
}

#[test]
fn the_same_bytes_come_from_any_number_of_threads() {
    let mesh = blob(&mut Random(7), 32);
    for (resolution, grading) in [(Resolution::Size(0.04), 0), (Resolution::Count(20_000), 2)] {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| tetrahedralize(mesh.clone(), &Settings { resolution, grading }).unwrap())
        };
        let one = run(1);
        let bits = |t: &Tetrahedra| -> Vec<u32> {
            let places = t.mesh.positions.iter().flat_map(|p| p.to_array().map(f32::to_bits));
            let weights = t.embedded.iter().flat_map(|e| e.weights.map(f32::to_bits));
            places.chain(t.mesh.tets.iter().flatten().copied()).chain(weights).collect()
        };
        for threads in [2, 3, 7] {
            assert!(bits(&run(threads)) == bits(&one), "{threads} threads, {resolution:?}");
        }
    }
}

#[test]
fn the_wanted_number_of_tetrahedra_is_met_within_a_tenth() {
    let mesh = blob(&mut Random(11), 32);
    for count in [1_000, 5_000, 50_000] {
        for grading in 0..3 {
            let settings = Settings { resolution: Resolution::Count(count), grading };
            let found = tetrahedralize(mesh.clone(), &settings).unwrap().mesh.tets.len();
            assert!((found as f64 / count as f64 - 1.0).abs() < 0.1, "{found} of {count}, grading {grading}");
        }
    }
}

#[test]
fn grading_saves_tetrahedra_inside_and_keeps_them_at_the_surface() {
    let mesh = cuboid(Vec3::ONE);
    let found: Vec<Tetrahedra> = (0..4).map(|grading| assert_filled("cube", &mesh, 0.04, grading)).collect();
    let counts: Vec<usize> = found.iter().map(|t| t.mesh.tets.len()).collect();
    let outside: Vec<usize> = found.iter().map(|t| closed_boundary(&t.mesh).triangles.len()).collect();
    assert!(counts[1] < counts[0] * 3 / 4 && counts[2] < counts[1], "{counts:?}");
    assert!(outside.iter().all(|&n| n == outside[0]), "{outside:?}");
}
