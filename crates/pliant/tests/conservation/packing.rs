//! Random packing of grains.

use crate::rng::Rng;
use crate::support::simulate;
use pliant::World;

/// Largest overlap, over a diameter, and that of the mean contact.
fn overlap(sim: &World) -> (f64, f64) {
    let mut all: Vec<f64> = Vec::new();
    for pair in sim.contact_pairs() {
        let (a, b) = (pair.a as usize, pair.b as usize);
        let diameter = f64::from(sim.state().radii[a] + sim.state().radii[b]);
        all.push(1.0 - f64::from(sim.position(a).distance(sim.position(b))) / diameter);
    }
    all.sort_by(f64::total_cmp);
    (all[all.len() - 1], all.iter().sum::<f64>() / all.len() as f64)
}

#[test]
fn v26_grains_poured_into_a_box_pack_at_random() {
    pack(0);
}

#[test]
fn v26_other_grains_poured_into_a_box_pack_at_random() {
    pack(1);
}

fn pack(seed: u64) {
    let mut rng = Rng::of(seed);
    let (radius, mu) = (rng.range(0.015, 0.03), rng.range(0.1, 0.4));
    let (edge, high) = (22.0 * radius, 70.0 * radius);
    let friction = format!("friction = {{ static = {mu}, kinetic = {mu} }}\n");
    let mut text = format!(
            "[contact]\n{friction}[[grains]]\nradius = {radius}\ndistance = {}\nfill = {{ min = [0, 0, 0], max = [{edge}, {high}, {edge}] }}
             [[collider]]\nplane = {{}}\n{friction}",
            2.5 * radius
        );
    for (normal, offset) in [([1, 0, 0], 0.0), ([-1, 0, 0], -edge), ([0, 0, 1], 0.0), ([0, 0, -1], -edge)] {
        text += &format!(
            "[[collider]]\nplane = {{ normal = {normal:?}, offset = {offset} }}\nfriction = {{ static = 0, kinetic = 0 }}\n"
        );
    }
    let mut sim = simulate(&text);
    let watch = std::time::Instant::now();
    sim.advance(600).unwrap();
    let seconds = watch.elapsed().as_secs_f64();
    let mut heights: Vec<f64> = (0..sim.particles()).map(|i| f64::from(sim.position(i).y)).collect();
    heights.sort_by(f64::total_cmp);
    let (low, up) = (4.0 * radius, heights[heights.len() * 85 / 100]);
    let middle = |x: f32| (f64::from(x) - edge / 2.0).abs() < edge / 2.0 - 3.0 * radius;
    let inner = (0..sim.particles()).map(|i| sim.position(i));
    let inner = inner.filter(|p| f64::from(p.y) > low && f64::from(p.y) < up && middle(p.x) && middle(p.z));
    let volume = (edge - 6.0 * radius).powi(2) * (up - low);
    let share = inner.count() as f64 * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3) / volume;
    let (most, mean) = overlap(&sim);
    let speed = |i: usize| f64::from(sim.velocity(i).length_squared());
    let rms = ((0..sim.particles()).map(speed).sum::<f64>() / sim.particles() as f64).sqrt();
    println!("rms {rms:.4} m/s");
    println!(
        "seed {seed}: {share:.4} of the volume, overlap {:.2} % at most, {:.2} % in the mean, {seconds:.1} s",
        100.0 * most,
        100.0 * mean
    );
    assert!((0.60..=0.64).contains(&share), "seed {seed}: {share} of the volume");
    assert!(mean < 0.02, "seed {seed}: mean overlap of {mean} of a diameter");
}
