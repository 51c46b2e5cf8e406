//! Randomized liquids among randomized objects, with unusual time steps: all values stay finite.

use crate::rng::Rng;
use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene};
use pliant::{Options, World};
use std::fmt::Write as _;

fn vector(rng: &mut Rng, most: f64) -> String {
    let [x, y, z] = [(); 3].map(|()| rng.range(-most, most));
    format!("[{x:.3}, {y:.3}, {z:.3}]")
}

/// A scene, the size of its particles [m], and whether its objects begin inside each other.
fn random_scene(seed: u64) -> (String, f64, bool) {
    let mut rng = Rng::of(seed);
    let (dt, substeps, iterations) = (rng.power(0.5e-3, 20e-3), rng.count(1, 3), rng.count(1, 8));
    let integrator = if rng.chance(0.2) { "bdf2" } else { "bdf1" };
    let radius = rng.power(0.003, 0.1);
    let kernel = if rng.chance(0.3) { "poly6" } else { "cubic" };
    let xsph = if rng.chance(0.3) { rng.range(0.0, 0.5) } else { 0.0 };
    let mut text = format!(
        "solver = {{ dt = {dt:.6}, substeps = {substeps}, iterations = {iterations}, integrator = \"{integrator}\" }}\n\
         fluid = {{ radius = {radius:.5}, kernel = \"{kernel}\", xsph = {xsph:.3}, reach = {:.2} }}\n",
        rng.range(3.0, 5.0)
    );
    let size = 2.0 * radius;
    let speed = |rng: &mut Rng| if rng.chance(0.5) { vector(rng, 50.0 / 3_f64.sqrt()) } else { vector(rng, 1.0) };
    // Boxes of a few particles each way, on top of each other, or all of them into each other.
    let (mut height, into) = (0.0, if rng.chance(0.2) { size } else { 0.0 });
    let mut place = |layers: f64| {
        let low = height;
        height += layers * size - into;
        low
    };
    let mut first = 0.0;
    for _ in 0..rng.count(1, 3) {
        let [x, y, z] = [(); 3].map(|()| rng.count(2, 6) as f64);
        let low = place(y);
        let viscosity = if rng.chance(0.3) { 0.0 } else { rng.power(1e-3, 1000.0) };
        let (max, velocity) = (format!("[{}, {}, {}]", x * size, low + y * size, z * size), speed(&mut rng));
        let density = rng.power(100.0, 20_000.0);
        first = if first == 0.0 { density } else { first };
        let _ = write!(
            text,
            "[[liquid]]\nfill = {{ min = [0, {low}, 0], max = {max} }}\ndensity = {density:.1}\n\
             viscosity = {viscosity:.5}\nvelocity = {velocity}\n"
        );
    }
    if rng.chance(0.5) {
        let low = place(4.0) + 2.0 * size;
        // Melting bodies have about the density of their liquid.
        let melts = rng.chance(0.4);
        let density = if melts { first * rng.range(0.8, 1.2) } else { rng.power(50.0, 20_000.0) };
        let (edge, velocity) = (4.0 * size, speed(&mut rng));
        let recovery = if rng.chance(0.3) { 0.05 } else { 0.0 };
        let _ = write!(
            text,
            "[[body]]\nname = \"block\"\nbox = [{edge}, {edge}, {edge}]\ngrid = 4\ndensity = {density:.1}\nrecovery = {recovery}\n\
             velocity = {velocity}\ntransform = {{ translate = [{edge}, {low}, {edge}] }}\n"
        );
        if melts {
            let _ = write!(text, "[[melt]]\nbody = \"block\"\nliquid = \"liquid 0\"\nspeed = {:.4}\n", 100.0 * radius);
        }
    }
    if rng.chance(0.4) {
        let low = place(2.0) + size;
        let (velocity, density) = (speed(&mut rng), rng.power(200.0, 8000.0));
        let _ = write!(
            text,
            "[[grains]]\nradius = {}\ndensity = {density:.1}\nfill = {{ min = [0, {low}, 0], max = [{}, {}, {}] }}\nvelocity = {velocity}\n",
            radius * rng.range(0.7, 1.4),
            5.0 * size,
            low + 3.0 * size,
            5.0 * size
        );
    }
    if rng.chance(0.4) {
        let low = place(1.0) + 3.0 * size;
        let edge = 8.0 * size;
        let _ = write!(
            text,
            "[[cloth]]\ngrid = {{ cells = [7, 7], size = [{edge}, {edge}], plane = \"xz\" }}\nradius = {radius}\n\
             transform = {{ translate = [0, {low}, 0] }}\nvelocity = {}\n",
            speed(&mut rng)
        );
    }
    let colliders = [
        "plane = {}".to_owned(),
        format!("plane = {{ normal = [1, 0, 0], offset = {} }}", -size),
        format!("sphere = {{ center = [0, {}, 0], radius = {} }}", -3.0 * size, 3.0 * size),
        format!("box = {{ center = [{0}, -{0}, {0}], size = [{1}, {1}, {1}] }}", 2.0 * size, 4.0 * size),
        format!(
            "surface = {{ bowl = {{ radius = {}, height = {} , segments = 12 }} }}\nmotion = {{ oscillate = {{ amplitude = [{}, 0, 0], period = 0.05 }} }}",
            12.0 * size,
            6.0 * size,
            2.0 * size
        ),
    ];
    for collider in &colliders {
        if rng.chance(0.4) {
            let _ = write!(text, "[[collider]]\n{collider}\n");
        }
    }
    (text, size, into > 0.0)
}

#[test]
fn r06_s23_two_hundred_random_liquids_stay_finite_and_eject_no_particle() {
    let clock = std::time::Instant::now();
    let (mut particles, mut fastest, mut wrong) = (0, 0.0_f64, Vec::new());
    for seed in 0..200 {
        let (text, size, into) = random_scene(seed);
        let scene = Scene::parse(&text, Format::Toml).unwrap_or_else(|e| panic!("{seed}: {e}\n{text}"));
        // One thread and two in turn.
        let options = Options { threads: 1 + seed as usize % 2, ..Options::default() };
        let mut sim = World::from_scene(&scene, &NoMeshes, options).unwrap_or_else(|e| panic!("{seed}: {e}\n{text}"));
        let n = sim.particles();
        particles += n;
        let start: Vec<_> = (0..n).map(|i| sim.position(i)).collect();
        if let Err(e) = sim.advance(20) {
            wrong.push(format!("{seed}: {e}\n{text}"));
            continue;
        }
        let time = sim.time();
        for (i, start) in start.iter().enumerate() {
            let (p, v) = (sim.position(i), sim.velocity(i));
            assert!(p.is_finite() && v.is_finite(), "{seed}: {i} is at {p}, {v}\n{text}");
            // Coincident particles separate within one step, however short: their speed is unbounded.
            if into {
                continue;
            }
            // Everything comes with 50 m/s at most, and the bowl moves at 250 sizes a second. Light bodies are thrown
            // by what is heavy with twice that, and squeezed out between two of them with twice that again.
            let most = 4.0 * (50.0 + 250.0 * size + 9.81 * time) * time + 10.0 * size;
            let went = f64::from(p.distance(*start));
            fastest = fastest.max(went / most);
            if went >= most {
                wrong.push(format!("{seed}: {i} went {went} m in {time} s, {most} m allowed\n{text}"));
                break;
            }
        }
    }
    println!("{particles} particles, {:.2} of what is allowed, {:.1} s", fastest, clock.elapsed().as_secs_f64());
    assert!(wrong.is_empty(), "{} of 200:\n{}", wrong.len(), wrong.join("\n"));
}
