//! Merged voxels, regions, skinned meshes, grains in meshes, and emitters.

use crate::support::{center, mass, members, simulate, with_threads};
use glam::Vec3;
use pliant::builder::MeshSource;
use pliant::builder::generate::icosphere;
use pliant::frame::Frame;
use pliant::mesh::{TetMesh, TriMesh};
use pliant::neighbors::INACTIVE;
use pliant::scene::{Format, IcosphereSpec, Scene};
use pliant::{Options, World};

/// A ball of radius 0.2 m under any name, but for "open", which lacks a triangle.
struct Balls;

impl Balls {
    fn mesh() -> TriMesh {
        icosphere(&IcosphereSpec { radius: 0.2, subdivisions: 3 })
    }
}

impl MeshSource for Balls {
    fn triangles(&self, name: &str) -> Result<TriMesh, String> {
        let mut mesh = Self::mesh();
        mesh.triangles.truncate(mesh.triangles.len() - usize::from(name == "open"));
        Ok(mesh)
    }
    fn tets(&self, _: &str) -> Result<TetMesh, String> {
        Err("no such file".into())
    }
}

fn with_meshes(text: &str) -> Result<World, String> {
    let scene = Scene::parse(text, Format::Toml).map_err(|e| e.to_string())?;
    World::from_scene(&scene, &Balls, Options { threads: 1, ..Options::default() }).map_err(|e| e.to_string())
}

fn frame(sim: &World) -> Frame {
    let mut frame = Frame::default();
    sim.write_frame(&mut frame);
    frame
}

#[test]
fn r06_invalid_merges_regions_and_emitters_are_refused_with_their_location() {
    let pour = |extra: &str| {
        let spec = "[[grains]]\nradius = 0.02\npour = { from = [0, 1, 0], radius = 0.1, per_second = 50, velocity = [0, -1, 0], until = 1 }\n";
        let (key, value) = extra.split_once('=').unwrap();
        let at = spec.find(key).unwrap_or_else(|| panic!("{key}"));
        let end = at + spec[at..].find(|c| c == ',' && !key.contains("velocity") || c == ']').unwrap();
        format!("{}{key}={value}{}", &spec[..at], &spec[end..])
    };
    let cases = [
        ("[[body]]\nball = 1\nmerge = 0.3\n".to_owned(), "body[0].merge"),
        ("[[body]]\nball = 1\nmerge = -1\n".to_owned(), "body[0].merge"),
        ("[[body]]\nball = 1\nregions = { size = 0 }\n".to_owned(), "body[0].regions.size"),
        ("[[body]]\nball = 1\nregions = { size = 0.3, overlap = 0.4 }\n".to_owned(), "body[0].regions.overlap"),
        // Nothing overlaps, or cubes are smaller than the distance of particles.
        ("[[body]]\nball = 1\nregions = { size = 0.5, overlap = 0 }\n".to_owned(), "body[0].regions"),
        ("[[body]]\nball = 1\ngrid = 4\nregions = { size = 0.05 }\n".to_owned(), "body[0].regions"),
        ("[[body]]\nball = 1\nshow = \"bones\"\n".to_owned(), "body[0].show"),
        ("[[grains]]\nmesh = \"open\"\n".to_owned(), "grains[0].mesh"),
        ("[[grains]]\nmesh = \"ball\"\nradius = 1e-5\n".to_owned(), "grains[0].mesh"),
        ("[[grains]]\nmesh = \"ball\"\nfill = { min = [0, 0, 0], max = [1, 1, 1] }\n".to_owned(), "grains[0]"),
        (pour("per_second = 1e7"), "grains[0].pour.per_second"),
        (pour("per_second = 700"), "grains[0].pour.per_second"),
        (pour("per_second = 0"), "grains[0].pour.per_second"),
        (pour("velocity = [0, 0, 0"), "grains[0].pour.velocity"),
        (format!("{}velocity = [0, 1, 0]\n", pour("per_second = 40")), "grains[0].velocity"),
    ];
    for (text, place) in cases {
        let said = with_meshes(&text).err().unwrap_or_default();
        assert!(said.contains(place), "{text}: {said:?}");
    }
    let narrow = "[[grains]]\nradius = 0.2\npour = { from = [0, 1, 0], radius = 0.1, per_second = 1, velocity = [0, -1, 0], until = 1 }\n";
    assert!(with_meshes(narrow).err().unwrap_or_default().contains("grains[0].pour.radius"));
}

#[test]
fn s29_a_merged_body_has_the_mass_inertia_and_rest_of_an_unmerged_one() {
    let text = |merge: f32| {
        format!(
            "solver = {{ dt = 0.005, iterations = 6 }}
             [[body]]\nname = \"ball\"\nball = 0.2\ngrid = 32\nmerge = {merge}\ntransform = {{ translate = [0, 0.25, 0] }}
             [[collider]]\nplane = {{}}\n"
        )
    };
    let (mut plain, mut merged) = (simulate(&text(0.0)), simulate(&text(1.0)));
    let (few, many) = (merged.particles(), plain.particles());
    let total = |sim: &World| (0..sim.particles()).map(|i| mass(sim, i)).sum::<f64>();
    // Moment of inertia about the vertical; that of a merged cube itself, m·edge²/6, is what point masses lack.
    let inertia = |sim: &World| {
        let part = |i: usize| {
            let (p, r) = (sim.position(i), f64::from(sim.state().radii[i]));
            mass(sim, i) * (f64::from(p.x * p.x + p.z * p.z) + 4.0 * r * r / 6.0)
        };
        (0..sim.particles()).map(part).sum::<f64>()
    };
    let weight = total(&merged) / total(&plain);
    let turn = inertia(&merged) / inertia(&plain);
    println!("{many} particles, {few} merged; mass {weight:.6}, inertia {turn:.6} of what it was");
    assert!(2 * few < many, "{few} of {many} particles are left");
    assert!((weight - 1.0).abs() < 1e-5 && (turn - 1.0).abs() < 1e-5, "{weight} {turn}");
    let radii = &merged.state().radii;
    let (least, most) = radii.iter().fold((f32::MAX, 0.0_f32), |(l, m), &r| (l.min(r), m.max(r)));
    assert!((least - 0.00625).abs() < 1e-6 && most >= 2.0 * least, "{least} to {most} m");
    for sim in [&mut plain, &mut merged] {
        sim.advance(200).unwrap();
    }
    let height = |sim: &World| center(sim, &members(sim, "ball")).0.y;
    let (a, b) = (height(&plain), height(&merged));
    println!("they lie {a:.4} m and {b:.4} m high");
    // A hundredth of the radius of a ball, whose lowest particles, the same in both, carry it.
    assert!((a - b).abs() < 2e-3, "{a} m, {b} m");
}

#[test]
fn s10_s29_grains_do_not_enter_a_merged_body() {
    let mut sim = simulate(
        "solver = { dt = 0.005, iterations = 6 }
         [[body]]\nname = \"box\"\nbox = [0.4, 0.2, 0.4]\ngrid = 16\nmerge = 1\ntransform = { translate = [0, 0.1, 0] }
         [[grains]]\nname = \"sand\"\nfill = { min = [-0.15, 0.22, -0.15], max = [0.15, 0.5, 0.15] }\nradius = 0.02
         [[collider]]\nplane = {}\n",
    );
    sim.advance(200).unwrap();
    let inside = |&i: &usize| {
        let p = sim.position(i).abs();
        p.x < 0.19 && p.z < 0.19 && p.y < 0.19
    };
    let sand = members(&sim, "sand");
    let lost = sand.iter().filter(|i| inside(i)).count();
    assert!(lost == 0, "{lost} of {} grains are inside of the box", sand.len());
    let on_top = sand.iter().filter(|&&i| sim.position(i).y > 0.2).count();
    assert!(on_top > 20, "{on_top} grains lie on the box");
}

#[test]
fn s19_a_body_of_regions_bends_over_an_edge_and_one_without_does_not() {
    let droop = |extra: &str| {
        let mut sim = simulate(&format!(
            "solver = {{ dt = 0.005, iterations = 8 }}
             [[body]]\nname = \"bar\"\nbox = [0.8, 0.08, 0.16]\ngrid = 30\n{extra}\ntransform = {{ translate = [0, 0.54, 0] }}
             [[collider]]\nbox = {{ center = [0, 0.25, 0], size = [0.2, 0.5, 0.4] }}\n"
        ));
        let rest: Vec<Vec3> = members(&sim, "bar").into_iter().map(|i| sim.position(i)).collect();
        sim.advance(200).unwrap();
        let mean = |near: &dyn Fn(f32) -> bool| {
            let own: Vec<f32> = (0..rest.len()).filter(|&i| near(rest[i].x.abs())).map(|i| sim.position(i).y).collect();
            own.iter().sum::<f32>() / own.len() as f32
        };
        mean(&|x| x < 0.05) - mean(&|x| x > 0.3)
    };
    let regions = "regions = { size = 0.12, overlap = 0.06 }";
    let (whole, stiff, soft) = (droop(""), droop(regions), droop(&format!("{regions}\nrecovery = 0.02")));
    println!(
        "ends hang {whole:.4} m lower than the middle as a whole, {stiff:.4} m with regions, {soft:.4} m with soft ones"
    );
    // The whole is rigid, to the rounding of places. Stiff regions bend by what iterations leave, soft ones hang.
    assert!(whole.abs() < 1e-5 && stiff > 0.005 && soft > 0.1, "{whole} m, {stiff} m, {soft} m");
}

#[test]
fn s20_a_body_made_from_a_mesh_shows_that_mesh_and_moves_with_it() {
    let text = |extra: &str| {
        format!(
            "solver = {{ dt = 0.005, iterations = 6 }}
             [[body]]\nname = \"ball\"\nmesh = \"ball\"\ngrid = 10\n{extra}\narray = {{ count = [2, 1, 1], spacing = [1, 0, 0] }}
             transform = {{ scale = 1.5, translate = [0, 0.5, 0], rotate = {{ axis = [1, 2, 3], degrees = 50 }} }}
             velocity = [0, -4, 0]
             [[collider]]\nplane = {{}}\n"
        )
    };
    let mesh = Balls::mesh();
    let (vertices, triangles) = (mesh.positions.len(), mesh.triangles.len());
    let hidden = with_meshes(&text("show = \"particles\"")).unwrap();
    assert!(hidden.topology().triangles.is_empty() && frame(&hidden).positions.len() == hidden.particles());
    for (extra, soft) in [("", false), ("recovery = 0.1\nplastic = { threshold = 0.02, creep = 50 }", true)] {
        let mut sim = with_meshes(&text(extra)).unwrap();
        let n = sim.particles();
        assert_eq!((sim.topology().triangles.len(), frame(&sim).positions.len()), (2 * triangles, n + 2 * vertices));
        assert_eq!(sim.topology().is_skinned, [true, true]);
        assert!(sim.topology().triangles.iter().flatten().all(|&v| v as usize >= n));
        // The second copy's, as it was placed: on the ball of 0.3 m around its middle.
        let skin = |sim: &World| frame(sim).positions[n + vertices..].to_vec();
        let start = skin(&sim);
        let off =
            |points: &[Vec3], middle: Vec3| points.iter().map(|p| (p.distance(middle) - 0.3).abs()).fold(0.0, f32::max);
        let at_rest = off(&start, Vec3::new(1.0, 0.5, 0.0));
        assert!(at_rest < 1e-5, "the mesh is off by {at_rest} m at rest");
        sim.advance(100).unwrap();
        let end = skin(&sim);
        let (own, middle) = (members(&sim, "ball[1]"), center(&sim, &members(&sim, "ball[1]")).0.as_vec3());
        let bent = off(&end, middle);
        let reach = own.iter().map(|&i| sim.position(i).distance(middle)).fold(0.0, f32::max);
        println!("off its ball by {at_rest:.1e} m at first, {bent:.1e} m after the fall; particles reach {reach:.3} m");
        assert!(end[0].distance(start[0]) > 0.1, "it has not moved");
        // Rigid: as exact as its shape is kept. Plastic: it stays flat, and the mesh with it.
        assert!(if soft { bent > 0.01 } else { bent < 1e-4 }, "{extra}: {bent} m");
    }
}

#[test]
fn s20_velocities_of_a_mesh_are_those_of_its_body() {
    let mut sim =
        with_meshes("world = { gravity = [0, 0, 0] }\n[[body]]\nmesh = \"ball\"\ngrid = 8\nvelocity = [1, 2, 3]\n")
            .unwrap();
    sim.advance(3).unwrap();
    for v in &frame(&sim).velocities {
        assert!(v.distance(Vec3::new(1.0, 2.0, 3.0)) < 1e-4, "{v}");
    }
}

#[test]
fn s27_grains_fill_a_mesh_at_their_diameter() {
    for scale in [1.0_f32, 2.0] {
        let text = format!(
            "[[grains]]\nmesh = \"ball\"\nradius = 0.01\njitter = 0\ntransform = {{ scale = {scale}, translate = [3, 0, 0] }}\n"
        );
        let sim = with_meshes(&text).unwrap();
        let expected = 4.0 / 3.0 * std::f64::consts::PI * f64::from(0.2 * scale).powi(3) / 0.02_f64.powi(3);
        let found = sim.particles() as f64;
        println!("{found} grains where {expected:.0} fit by volume");
        // The icosphere lies inside of its ball, by a hundredth of the volume.
        assert!((found / expected - 0.99).abs() < 0.02, "{found} of {expected}");
        let mut nearest = f32::MAX;
        for i in 0..sim.particles() {
            let p = sim.position(i) - Vec3::X * 3.0;
            assert!(p.length() < 0.2 * scale, "{p} is outside");
            nearest = (0..i.min(40)).map(|j| sim.position(i).distance(sim.position(j))).fold(nearest, f32::min);
        }
        assert!(nearest > 0.02 - 1e-5, "{nearest} m apart");
    }
}

const POUR: &str = "
    solver = { dt = 0.01, substeps = 2, iterations = 6 }
    [[grains]]
    name = \"stream\"
    radius = 0.02
    pour = { from = [0, 0.8, 0], radius = 0.1, per_second = 130, velocity = [0, -1.5, 0], until = 1.5 }
    [[collider]]
    plane = {}
";

#[test]
fn s10_grains_are_emitted_in_order_and_have_no_contacts_before() {
    let mut sim = simulate(POUR);
    assert_eq!(sim.particles(), 195);
    let start: Vec<_> = (0..195).map(|i| sim.position(i)).collect();
    for step in 0..180 {
        let time = sim.time();
        sim.step().unwrap();
        // Grain k comes at k/130 s.
        let wanted = ((time * 130.0 + 1e-9).floor() as usize + 1).min(195);
        let state = sim.state();
        let awake = (0..195).filter(|&i| state.rows[i][3] > 0.0).count();
        // dt in single precision is a little short of 0.01 s.
        assert!(awake == wanted || awake + 1 == wanted, "step {step}: {awake} of {wanted} have come");
        for i in awake..195 {
            assert!(state.phases[i] == INACTIVE && sim.position(i) == start[i], "grain {i} does not wait");
        }
        assert!(
            (0..195).all(|i| sim.topology().is_not_yet_emitted(i, sim.time()) == (i >= awake)),
            "step {step}: seen or not"
        );
        assert!((0..awake).all(|i| state.phases[i] == 0 && sim.position(i).y < 0.81));
        assert!(sim.contact_pairs().iter().all(|t| t.b < awake as u32), "one that waits is touched");
    }
    assert_eq!(sim.state().emitted, [195]);
    let all: Vec<usize> = (0..195).collect();
    let (middle, _) = center(&sim, &all);
    assert!(middle.y < 0.15, "the heap is {} m high on average", middle.y);
    let grain = 2600.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.02_f64.powi(3);
    assert!((mass(&sim, 100) / grain - 1.0).abs() < 1e-5);
}

#[test]
fn s10_emitted_grains_leave_without_contact_at_their_speed() {
    let mut sim =
        simulate(&POUR.replace("iterations = 6", "iterations = 6, sleep_speed = 0").replace("0.8, 0]", "80, 0]"));
    sim.advance(40).unwrap();
    assert!(sim.contact_pairs().is_empty(), "{} pairs in free fall", sim.contact_pairs().len());
    let (h, time) = (0.005_f64, sim.time());
    for grain in [0, 17, 40] {
        // Out at the first step that begins after k/130 s, on its way since then; falls from that step on.
        let since = (grain as f64 / 130.0 / 0.01).ceil() * 0.01;
        let steps = ((time - since) / h).round();
        let fallen = 1.5 * (time - grain as f64 / 130.0) + 0.5 * 9.81 * h * h * steps * (steps + 1.0);
        let found = 80.0 - f64::from(sim.position(grain).y);
        // A place at 80 m is rounded to 8e-6 m in each of 80 substeps.
        assert!((found - fallen).abs() < 6e-4, "grain {grain}: {found} m, expected {fallen} m");
    }
}

#[test]
fn r01_emission_has_the_same_bits_on_one_thread_and_on_three() {
    let hash = |threads: usize, at_once: u32| {
        let mut sim = with_threads(POUR, threads);
        (0..60 / at_once).for_each(|_| sim.advance(at_once).unwrap());
        sim.hash()
    };
    assert_eq!(hash(1, 1), hash(3, 1));
    assert_eq!(hash(1, 1), hash(2, 20));
}

#[test]
fn s10_a_restored_state_emits_again() {
    let mut sim = simulate(POUR);
    sim.advance(20).unwrap();
    let kept = sim.state().clone();
    sim.advance(30).unwrap();
    let after = sim.hash();
    *sim.state_mut() = kept;
    sim.advance(30).unwrap();
    assert_eq!(sim.hash(), after);
}
