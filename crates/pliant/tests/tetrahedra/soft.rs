//! Soft bodies from surfaces: scene keys, simulation, and the surface that follows.

use crate::shapes::{cuboid, together, torus};
use glam::{DVec3, Vec3};
use pliant::builder::MeshSource;
use pliant::frame::Frame;
use pliant::mesh::{TetMesh, TriMesh};
use pliant::scene::{Collider, Format, Scene, Soft, TetrahedraSpec};
use pliant::{Options, World};

/// A torus of 0.3 m and 0.1 m as any surface; no tetrahedra.
struct Rings;

impl MeshSource for Rings {
    fn triangles(&self, _: &str) -> Result<TriMesh, String> {
        Ok(torus(0.3, 0.1, 48, 24))
    }
    fn tets(&self, name: &str) -> Result<TetMesh, String> {
        Err(format!("{name}: asked for tetrahedra"))
    }
}

fn world(text: &str, threads: usize) -> Result<World, String> {
    let scene = Scene::parse(text, Format::Toml).map_err(|e| e.to_string())?;
    World::from_scene(&scene, &Rings, Options { threads, ..Options::default() }).map_err(|e| e.to_string())
}

/// Volumes of the tetrahedra [m³].
fn volumes(sim: &World) -> Vec<f64> {
    let place = |v: u32| sim.position(v as usize).as_dvec3();
    let volume = |[a, b, c, d]: [DVec3; 4]| (b - a).cross(c - a).dot(d - a) / 6.0;
    sim.topology().tets.iter().map(|t| volume(t.map(place))).collect()
}

fn frame(sim: &World) -> Frame {
    let mut frame = Frame::default();
    sim.write_frame(&mut frame);
    frame
}

const RING: &str = "
    [solver]
    dt = 0.01
    [[soft]]
    name = \"ring\"
    mesh = \"ring.obj\"
    tetrahedra = { count = 3000 }
    fem = { young = 2e5, poisson = 0.4 }
    density = 1000
    transform = { translate = [0, 0.5, 0], rotate = { axis = [1, 0, 0], degrees = 60 } }
    [[collider]]
    plane = {}
";

#[test]
fn a_ring_from_a_surface_settles_on_a_plane_without_an_inverted_tetrahedron() {
    let mut sim = world(RING, 1).unwrap();
    let tets = sim.topology().tets.len();
    assert!((2_700..=3_300).contains(&tets), "{tets} tetrahedra");
    let rest = volumes(&sim);
    // A torus of 48 by 24 facets: 2π²·R·r² less what its chords cut off.
    let torus = torus(0.3, 0.1, 48, 24).volume();
    assert!((rest.iter().sum::<f64>() / torus - 1.0).abs() < 0.01);
    let note = sim.model().notes.iter().find(|n| n.contains("tetrahedra")).expect("a note tells what was made");
    assert!(note.starts_with("ring.obj: ") && note.contains(&tets.to_string()), "{note}");
    for _ in 0..40 {
        sim.advance(10).unwrap();
        let worst = volumes(&sim).iter().zip(&rest).map(|(now, then)| now / then).fold(f64::INFINITY, f64::min);
        assert!(worst > 0.05, "at {} s a tetrahedron has {worst} of its volume", sim.time());
    }
    let lowest = (0..sim.particles()).map(|i| sim.position(i).y).fold(f32::INFINITY, f32::min);
    let fastest = (0..sim.particles()).map(|i| sim.velocity(i).length()).fold(0.0, f32::max);
    assert!((lowest - 0.005).abs() < 0.002, "its lowest particle is at {lowest} m");
    assert!(fastest < 0.05, "after 4 s it still moves at {fastest} m/s");
    // Lying flat, its weight presses it by some millimeters; it keeps its volume to a few hundredths.
    let kept = volumes(&sim).iter().sum::<f64>() / rest.iter().sum::<f64>();
    assert!((kept - 1.0).abs() < 0.03, "it keeps {kept} of its volume");
}

#[test]
fn s20_the_surface_is_drawn_in_place_of_the_tetrahedra_and_follows_them() {
    let mut sim = world(RING, 1).unwrap();
    let (shape, n) = (sim.topology().clone(), sim.particles());
    assert!(shape.is_skinned[0]);
    // The 2,304 triangles of the torus are smaller than cells.
    assert_eq!(shape.triangles.len(), 2 * 48 * 24);
    assert!(shape.triangles.iter().flatten().all(|&v| v as usize >= n), "triangles of tetrahedra are not drawn");
    assert!(sim.model().topology.triangles.iter().flatten().all(|&v| (v as usize) < n), "those collide");
    let start = frame(&sim).positions[n..].to_vec();
    let surface = torus(0.3, 0.1, 48, 24);
    let turn = glam::Quat::from_axis_angle(Vec3::X, 60_f32.to_radians());
    // The order of vertices may change where a surface is repaired, but this one needs no repair.
    for (at, p) in start.iter().zip(&surface.positions) {
        assert!(at.distance(turn * *p + Vec3::Y * 0.5) < 1e-5, "{at}");
    }
    sim.advance(100).unwrap();
    let end = frame(&sim).positions[n..].to_vec();
    let spread = |points: &[Vec3]| {
        let middle = points.iter().sum::<Vec3>() / points.len() as f32;
        points.iter().map(|p| p.distance(middle)).fold(0.0, f32::max)
    };
    assert!(end.iter().all(|p| p.is_finite() && p.y > -0.02), "it is above the plane");
    assert!((spread(&end) / spread(&start) - 1.0).abs() < 0.2, "it has kept its size");
    assert!(end[0].distance(start[0]) > 0.05, "it has moved");
}

#[test]
fn s20_a_feature_without_tetrahedra_stays_at_the_body() {
    // A needle of 0.4 m that is thinner than a cell stands on a cube, which falls and is shaken.
    let mut needle = cuboid(Vec3::new(0.01, 0.4, 0.01));
    needle.positions.iter_mut().for_each(|p| p.y += 0.3);
    let mesh = together(&[cuboid(Vec3::splat(0.3)), needle]);
    let points = mesh.positions.iter().map(|p| p.to_array()).collect();
    let wanted = TetrahedraSpec { size: Some(0.06), ..TetrahedraSpec::default() };
    let mut scene = Scene::default();
    scene.collider.push(Collider::plane());
    scene.soft.push(Soft::inline(points, mesh.triangles).tetrahedra(wanted).fem(2e4, 0.4).at([0.0, 0.5, 0.0]));
    let mut sim = World::from_scene(&scene, &Rings, Options { threads: 1, ..Options::default() }).unwrap();
    let tip = |sim: &World| frame(sim).positions.iter().map(|p| p.y).fold(f32::NEG_INFINITY, f32::max);
    assert!((tip(&sim) - 1.0).abs() < 1e-4, "{}", tip(&sim));
    for _ in 0..30 {
        sim.advance(5).unwrap();
        let n = sim.particles();
        let top = (0..n).map(|i| sim.position(i).y).fold(f32::NEG_INFINITY, f32::max);
        // Its length changes by less than half, however the particles below it move.
        assert!((0.15..0.55).contains(&(tip(&sim) - top)), "at {} s it is {} m long", sim.time(), tip(&sim) - top);
    }
}

#[test]
fn size_counts_in_the_scene_and_a_smaller_one_makes_more() {
    let count = |scale: f32, size: f32| {
        let text = format!(
            "[[soft]]\nmesh = \"ring.PLY\"\ntetrahedra = {{ size = {size}, grading = 0 }}\ntransform = {{ scale = {scale} }}\n"
        );
        world(&text, 1).unwrap().topology().tets.len()
    };
    assert_eq!(count(1.0, 0.05), count(4.0, 0.2));
    // Half of the size: eight times as many, less at the surface.
    let ratio = count(1.0, 0.025) as f64 / count(1.0, 0.05) as f64;
    assert!((6.5..9.0).contains(&ratio), "{ratio}");
}

#[test]
fn copies_share_one_skin_and_any_number_of_threads_gives_the_same_bits() {
    let text = RING.replace("density", "array = { count = [2, 1, 1], spacing = [1.5, 0, 0] }\ndensity");
    let bits = |threads: usize| {
        let mut sim = world(&text, threads).unwrap();
        sim.advance(5).unwrap();
        frame(&sim).positions.iter().flat_map(|p| p.to_array().map(f32::to_bits)).collect::<Vec<_>>()
    };
    let one = bits(1);
    assert!(bits(2) == one && bits(3) == one);
    let sim = world(&text, 1).unwrap();
    assert_eq!(sim.topology().triangles.len(), 2 * 2 * 48 * 24);
}

#[test]
fn a_surface_may_be_given_inline_and_in_code() {
    let mesh = cuboid(Vec3::new(0.3, 0.2, 0.4));
    let points = mesh.positions.iter().map(|p| p.to_array()).collect();
    let wanted = TetrahedraSpec { size: Some(0.05), ..TetrahedraSpec::default() };
    let body = Soft::inline(points, mesh.triangles).tetrahedra(wanted).fem(1e5, 0.4).at([0.0, 0.4, 0.0]);
    let mut sim = World::new(Options { threads: 1, ..Options::default() }).unwrap();
    sim.add(Collider::plane()).unwrap();
    sim.add(body.clone()).unwrap();
    sim.advance(1).unwrap();
    let volume: f64 = volumes(&sim).iter().sum();
    assert!((volume / 0.024 - 1.0).abs() < 0.01, "{volume}");
    sim.advance(50).unwrap();
    assert!((0..sim.particles()).all(|i| sim.position(i).is_finite() && sim.position(i).y > 0.0));
    // What is written reads back.
    let mut scene = Scene::default();
    scene.soft.push(body);
    let text = toml::to_string(&scene).unwrap();
    assert_eq!(Scene::parse(&text, Format::Toml).unwrap().soft, scene.soft);
    let from_file = Soft::surface("ring.obj", 2_000);
    assert_eq!(from_file.tetrahedra.unwrap().count, Some(2_000));
}

#[test]
fn r06_wrong_keys_of_surfaces_are_refused_with_their_place() {
    let cases = [
        ("mesh = \"a.node\"\ntetrahedra = { count = 1000 }", "soft[0].tetrahedra", "has tetrahedra of its own"),
        (
            "ball = { radius = 1, cells = 4 }\ntetrahedra = { count = 1000 }",
            "soft[0].tetrahedra",
            "fills surfaces only",
        ),
        ("mesh = \"a.obj\"\ntetrahedra = { count = 5 }", "soft[0].tetrahedra.count", "between 20 and"),
        ("mesh = \"a.obj\"\ntetrahedra = { size = 0 }", "soft[0].tetrahedra.size", "must lie between"),
        ("mesh = \"a.obj\"\ntetrahedra = { size = nan }", "soft[0].tetrahedra.size", "must lie between"),
        ("mesh = \"a.obj\"\ntetrahedra = { grading = 5 }", "soft[0].tetrahedra.grading", "between 0 and 4"),
        ("mesh = \"a.obj\"\ntetrahedra = { size = 0.1, count = 100 }", "soft[0].tetrahedra", "needs one of them"),
        ("mesh = \"a.obj\"\ntetrahedra = { cells = 3 }", "soft[0].tetrahedra", "cells"),
        ("mesh = \"a.obj\"\ninline = { points = [], triangles = [] }", "soft[0]", "mesh and inline"),
        ("inline = { points = [[0,0,0]], triangles = [[0,1,2]] }", "soft[0].inline.triangles[0]", "names point 1"),
        (
            "inline = { points = [[0,0,0],[1,0,0],[0,1,0]], triangles = [[0,1,2]], masses = [1,1,1] }",
            "soft[0].inline.masses",
            "not the particles",
        ),
    ];
    for (keys, place, what) in cases {
        let error = world(&format!("[[soft]]\n{keys}\n"), 1).err().unwrap_or_else(|| panic!("{keys} is accepted"));
        assert!(error.contains(place) && error.contains(what), "{keys}: {error}");
    }
    // Found only when it is filled.
    let flat = "[[soft]]\ninline = { points = [[0,0,0],[1,0,0],[0,1,0]], triangles = [[0,1,2]] }\n";
    let error = world(flat, 1).err().unwrap();
    assert!(error.contains("inline surface: no tetrahedron"), "{error}");
    // A file of tetrahedra is read as one.
    assert!(world("[[soft]]\nmesh = \"a.msh\"\n", 1).err().unwrap().contains("asked for tetrahedra"));
}
