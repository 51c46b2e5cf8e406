//! Scenes of D4 as they are built in: the large pile, and bunnies (T12). Scanned models are not part of the project;
//! tests that need them report a skip if the files are missing.

use crate::model_folder;
use crate::support::{center, members};
use glam::Vec3;
use pliant::builder::MeshSource;
use pliant::mesh::{TetMesh, TriMesh};
use pliant::scene::{Format, Scene};
use pliant::voxel::{Filling, MERGE_DEPTH, fill};
use pliant::{Options, World};

/// The folder of scanned models.
struct Models;

impl Models {
    /// Whether a model file exists; reports a skip if not.
    fn has(name: &str) -> bool {
        model_folder::find(name).is_some()
    }
}

impl MeshSource for Models {
    /// Vertices and triangles of an OBJ file of the simplest kind.
    fn triangles(&self, name: &str) -> Result<TriMesh, String> {
        let text = std::fs::read_to_string(model_folder::folder().join(name)).map_err(|e| e.to_string())?;
        let mut mesh = TriMesh::default();
        for line in text.lines() {
            let mut words = line.split_whitespace();
            match words.next() {
                Some("v") => {
                    let c: Vec<f32> = words.take(3).map(|w| w.parse().unwrap()).collect();
                    mesh.positions.push(Vec3::from_slice(&c));
                }
                Some("f") => {
                    let c: Vec<u32> = words.map(|w| w.split('/').next().unwrap().parse::<u32>().unwrap() - 1).collect();
                    mesh.triangles.push([c[0], c[1], c[2]]);
                }
                _ => {}
            }
        }
        Ok(mesh)
    }

    fn tets(&self, name: &str) -> Result<TetMesh, String> {
        Err(format!("{name}: no tetrahedra here"))
    }
}

fn built_in(text: &str, change: impl FnOnce(&mut Scene)) -> World {
    let mut scene = Scene::parse(text, Format::Toml).unwrap();
    change(&mut scene);
    World::from_scene(&scene, &Models, Options::default()).unwrap()
}

fn fastest(sim: &World) -> f64 {
    (0..sim.particles()).map(|i| f64::from(sim.velocity(i).length())).fold(0.0, f64::max)
}

#[test]
fn t12_a_large_ball_penetrates_a_pile_of_64934_grains() {
    let mut sim = built_in(include_str!("../../../../scenes/crater.toml"), |scene| {
        // At the surface already, as fast as it would be; and a moment only.
        scene.body[0].transform.translate[1] = 2.02;
        scene.body[0].velocity[1] = -7.0;
        scene.solver.substeps = 2;
    });
    let ball = members(&sim, "ball");
    assert_eq!(sim.particles() - ball.len(), 64_934);
    let (start, before) = center(&sim, &ball);
    let mut most = 0.0_f64;
    for _ in 0..8 {
        sim.step().unwrap();
        most = most.max(fastest(&sim));
    }
    let (middle, after) = center(&sim, &ball);
    let is_ball: std::collections::HashSet<usize> = ball.iter().copied().collect();
    // Grains whose middle is inside the ball, less one of its particles.
    let within = |i: &usize| (sim.position(*i).as_dvec3() - middle).length() < 0.35 - 0.04;
    let inside = (0..sim.particles()).filter(|i| !is_ball.contains(i)).filter(within).count();
    println!(
        "down {:.3} m in 0.08 s, from {:.2} to {:.2} m/s; fastest of all {most:.2} m/s; {inside} grains inside the ball",
        start.y - middle.y,
        before.y,
        after.y
    );
    // It has gone in, it was slowed, nothing was shot out, and it did not go through grains.
    assert!(start.y - middle.y > 0.3 && after.y > before.y + 0.5, "{middle:?} {after:?}");
    assert!(most < 12.0, "{most} m/s");
    assert!(inside == 0, "{inside} grains are inside the ball");
}

#[test]
fn t12_a_soft_bunny_of_60_cubed_deforms_and_recovers() {
    if !Models::has("bunny.obj") {
        return;
    }
    let mut sim = built_in(include_str!("../../../../scenes/soft_bunny.toml"), |scene| {
        // Just above the step, and thrown at it.
        scene.body[0].transform.translate[1] = 0.0;
        scene.body[0].velocity[1] = -3.0;
    });
    let all = members(&sim, "bunny");
    let rest: Vec<Vec3> = all.iter().map(|&i| sim.position(i)).collect();
    let size = rest.iter().map(|p| p.distance(rest[0])).fold(0.0, f32::max);
    // Greatest change of a distance from the first particle, over the size.
    let bent = |sim: &World| {
        let change = |(&i, p): (&usize, &Vec3)| {
            (sim.position(i).distance(sim.position(all[0])) - p.distance(rest[0])).abs() / size
        };
        all.iter().zip(&rest).map(change).fold(0.0, f32::max)
    };
    let (mut most, mut worst) = (0.0_f64, 0.0_f32);
    for _ in 0..60 {
        sim.step().unwrap();
        most = most.max(fastest(&sim));
        worst = worst.max(bent(&sim));
    }
    let last = bent(&sim);
    println!("{} particles; bent by {worst:.3} at most, by {last:.3} in the end; fastest {most:.2} m/s", all.len());
    // D4's bunny of 60³ voxels; ours has 6,620·(60/32)³ within two in a hundred.
    assert!((all.len() as f64 / 43_640.0 - 1.0).abs() < 0.02, "{}", all.len());
    assert!(worst > 0.01 && last < 0.5 * worst, "{worst} {last}");
    assert!(most < 8.0, "{most} m/s");
}

#[test]
fn t12_eighty_bunnies_have_the_counts_of_d4_and_fall_on_each_other() {
    if !Models::has("bunny.obj") {
        return;
    }
    let mut sim = built_in(include_str!("../../../../scenes/bunnies.toml"), |scene| {
        // The lowest start just above the floor, all moving downward: the next ones collide with them soon.
        scene.body[0].transform.translate[1] = -0.1;
        scene.body[0].velocity[1] = -4.0;
    });
    let merged = Filling { merge: Some(MERGE_DEPTH), ..Filling::new(20) };
    let (merged, _) = fill(Models.triangles("bunny.obj").unwrap(), &merged).unwrap();
    println!("{} particles, {} merged", sim.particles(), 80 * merged.len());
    // 128,480 and 104,960; where the bunny lies in D4's grid is not known.
    assert!((sim.particles() as f64 / 128_480.0 - 1.0).abs() < 0.02, "{}", sim.particles());
    let start = sim.probe();
    let mut most = 0.0_f64;
    for _ in 0..25 {
        sim.step().unwrap();
        most = most.max(fastest(&sim));
    }
    let end = sim.probe();
    let pairs = sim.contact_pairs().len();
    let total = |p: &pliant::schedule::stats::Probe| p.kinetic + p.gravitational;
    println!("{:.1} J to {:.1} J, {pairs} pairs touch, fastest {most:.2} m/s", total(&start), total(&end));
    assert!(pairs > 16 && total(&end) < total(&start) && most < 12.0, "{pairs} pairs, {most} m/s");
}
