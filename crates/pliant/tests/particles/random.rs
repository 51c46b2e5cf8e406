//! Randomized piles of solids, with unusual time steps and settings: they gain no energy.

use crate::rng::Rng;
use crate::support::{energy, simulate};
use std::fmt::Write as _;

/// A heap of up to six objects over a floor with perhaps something on it. None begins inside another, and none is
/// thrown.
fn random_scene(seed: u64) -> String {
    let mut rng = Rng::of(seed);
    let (dt, substeps) = (rng.range(2e-3, 20e-3), rng.count(1, 3));
    let (iterations, stabilization) = (rng.count(1, 10), rng.count(0, 3));
    let friction = rng.range(0.0, 0.9);
    let (whole, stacking) = (rng.chance(0.7), if rng.chance(0.2) { rng.range(1.0, 8.0) } else { 0.0 });
    let mut text = format!(
        "solver = {{ dt = {dt:.5}, substeps = {substeps}, iterations = {iterations}, stabilization = {stabilization} }}\n\
         world = {{ air_density = 0 }}\n\
         contact = {{ whole = {whole}, stacking = {stacking:.2}, friction = {{ static = {friction:.2}, kinetic = {:.2} }} }}\n",
        0.8 * friction
    );
    for layer in 0..rng.count(2, 6) {
        // A layer for each, 0.7 m high.
        let (x, y, z) = (rng.range(-0.15, 0.15), 0.4 + 0.7 * layer as f64, rng.range(-0.15, 0.15));
        let density = rng.power(200.0, 5000.0);
        let turned = format!("rotate = {{ axis = [1, {:.2}, {:.2}], degrees = {:.0} }}", x, z, rng.range(0.0, 90.0));
        let place = format!("transform = {{ {turned}, translate = [{x:.3}, {y:.3}, {z:.3}] }}");
        let grid = rng.count(3, 7);
        let _ = match rng.count(0, 7) {
            0 => writeln!(text, "[[body]]\nbox = [0.3, 0.3, 0.3]\ngrid = {grid}\ndensity = {density:.0}\n{place}"),
            1 => writeln!(text, "[[body]]\nball = 0.2\ngrid = {grid}\ndensity = {density:.0}\n{place}"),
            // Plates and rods one particle thick.
            2 => writeln!(text, "[[body]]\nbox = [0.4, 0.05, 0.4]\ngrid = 8\ndensity = {density:.0}\n{place}"),
            3 => writeln!(text, "[[body]]\nbox = [0.5, 0.06, 0.06]\ngrid = 8\ndensity = {density:.0}\n{place}"),
            4 => writeln!(
                text,
                "[[body]]\nbox = [0.3, 0.2, 0.3]\ngrid = {grid}\nrecovery = {:.3}\ndensity = {density:.0}\n{place}",
                rng.range(0.01, 0.2)
            ),
            5 => writeln!(
                text,
                "[[grains]]\nradius = 0.03\ndensity = {density:.0}\n\
                 fill = {{ min = [-0.15, {:.2}, -0.15], max = [0.15, {:.2}, 0.15] }}",
                y - 0.15,
                y + 0.15
            ),
            6 => writeln!(
                text,
                "[[cloth]]\ngrid = {{ cells = [12, 12], size = [0.6, 0.6], plane = \"xz\" }}\ndensity = 0.4\nradius = 0.02\n\
                 stretch = {{ compliance = 1e-6 }}\nbend = {{ modulus = 1e-3 }}\ntransform = {{ translate = [-0.3, {y:.3}, -0.3] }}"
            ),
            _ => writeln!(
                text,
                "[[soft]]\nblock = {{ cells = [3, 3, 3], size = [0.3, 0.3, 0.3] }}\ndensity = {density:.0}\nradius = 0.04\n\
                 stretch = {{ compliance = 1e-6 }}\nvolume = {{ compliance = 0 }}\n\
                 transform = {{ translate = [{:.3}, {:.3}, {:.3}] }}",
                x - 0.15,
                y - 0.15,
                z - 0.15
            ),
        };
    }
    text += "[[collider]]\nplane = {}\n";
    if rng.chance(0.5) {
        let at = rng.range(-0.3, 0.3);
        let shape = [
            "sphere = { center = [AT, 0, 0], radius = 0.15 }",
            "box = { center = [AT, 0, 0], size = [0.2, 0.2, 0.6] }",
        ];
        let _ = writeln!(text, "[[collider]]\n{}", shape[rng.count(0, 1)].replace("AT", &format!("{at:.2}")));
    }
    text
}

#[test]
fn r06_s10_random_heaps_of_solids_gain_no_energy() {
    // `PLIANT_HEAPS`, such as 20..400, runs more scenes.
    let seeds = std::env::var("PLIANT_HEAPS").ok().and_then(|text| {
        let (from, to) = text.split_once("..")?;
        Some(from.parse().ok()?..to.parse().ok()?)
    });
    let (mut most, mut wrong) = (0.0_f64, Vec::new());
    for seed in seeds.unwrap_or(0..20) {
        let text = random_scene(seed);
        let mut sim = simulate(&text);
        let start = energy(&sim);
        let steps = (1.5 / f64::from(sim.model().settings.dt)) as u32;
        let mut highest = start;
        for step in 0..steps {
            if let Err(e) = sim.step() {
                wrong.push(format!("{seed}: {e}\n{text}"));
                break;
            }
            if step % 4 == 0 {
                highest = highest.max(energy(&sim));
            }
        }
        // Against what is there to lose: the weight of all on its height.
        let gain = (highest - start) / start.abs();
        most = most.max(gain);
        if gain.is_nan() || gain > 2e-3 {
            wrong.push(format!("{seed}: {gain:.1e} more\n{text}"));
        }
    }
    println!("energy grew by {most:.1e} of itself at most");
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
