//! Dam breaks (V11), and conservation of volume (V12).

use crate::support::{compression, simulate, tank};
use pliant::World;

/// Front of the water over the width of the column, at times t·√(2g/a): Martin & Moyce 1952, square column, a = 2.25 in.
const EXPERIMENT: [(f64, f64); 7] =
    [(0.832, 1.217), (1.219, 1.474), (1.997, 2.292), (2.547, 2.995), (3.345, 4.134), (4.034, 4.944), (5.091, 6.980)];

/// Width of the column [m].
const WIDTH: f64 = 0.05715;

/// A square column on a wet floor of `across` particles, walls at its sides and behind it. The column of the experiment is
/// twice as high as wide (n² = 2).
fn column(across: u32, substeps: u32) -> World {
    let a = WIDTH as f32;
    let radius = a / across as f32 / 2.0;
    let depth = 6.0 * radius * 2.0;
    let text = format!(
        "solver = {{ dt = 0.002, substeps = {substeps}, iterations = 2 }}\nfluid = {{ radius = {radius} }}
         [[liquid]]\nfill = {{ min = [0, 0, 0], max = [{a}, {}, {depth}] }}\n",
        2.0 * a
    ) + &tank([0.0; 3], [10.0, 0.0, depth])
        .replace("offset = 0 }", "offset = 0 }\nfriction = { static = 0, kinetic = 0 }");
    simulate(&text)
}

/// Where the front is: nearly all of the water is behind it, single drops may be ahead.
fn front(sim: &World) -> f64 {
    let mut x: Vec<f32> = (0..sim.particles()).map(|i| sim.position(i).x).collect();
    x.sort_by(f32::total_cmp);
    f64::from(x[x.len() - 1 - x.len() / 200])
}

/// Where the front is at the times of the experiment.
fn fronts(across: u32, substeps: u32) -> Vec<f64> {
    let mut sim = column(across, substeps);
    let scale = (2.0 * 9.81 / WIDTH).sqrt();
    let (mut before, mut all) = ((0.0, 1.0), Vec::new());
    let mut wanted = EXPERIMENT.iter().peekable();
    while let Some(&&(time, there)) = wanted.peek() {
        sim.advance(1).unwrap();
        let now = (sim.time() * scale, front(&sim) / WIDTH);
        if now.0 >= time {
            let share = (time - before.0) / (now.0 - before.0);
            let found = before.1 + share * (now.1 - before.1);
            println!("{across} across: t = {time:.3}, front {found:.3}, experiment {there:.3}");
            all.push(found);
            wanted.next();
        }
        before = now;
    }
    all
}

/// How far some fronts are from others, relative, root mean square.
fn relative_rms(fronts: &[f64], others: &[f64]) -> f64 {
    let sum: f64 = fronts.iter().zip(others).map(|(a, b)| (a / b - 1.0).powi(2)).sum();
    (sum / fronts.len() as f64).sqrt()
}

#[test]
fn v11_the_front_of_a_dam_break_is_that_of_the_experiment() {
    let experiment = EXPERIMENT.map(|(_, there)| there);
    let [coarse, fine, finest] = [(8, 2), (14, 3), (24, 5)].map(|(across, substeps)| fronts(across, substeps));
    let off = [&coarse, &fine, &finest].map(|found| relative_rms(found, &experiment));
    println!("off by {off:.3?} with 8, 14 and 24 particles across");
    assert!(off.iter().all(|&off| off < 0.10), "{off:?}");
    // It comes to an end with resolution: half way there is less than half as far.
    let (far, near) = (relative_rms(&coarse, &finest), relative_rms(&fine, &finest));
    println!("from the finest: {far:.4} and {near:.4}");
    assert!(near < 0.5 * far, "{far} {near}");
}

/// Water that sloshes for a minute fills as much at the end as at first.
#[test]
fn v12_water_keeps_its_volume_for_a_minute() {
    let text = "solver = { dt = 0.01, substeps = 2, iterations = 3 }\nfluid = { radius = 0.025 }
        [[liquid]]\nfill = { min = [0, 0, 0], max = [0.3, 0.6, 0.3] }\n"
        .to_owned()
        + &tank([0.0; 3], [0.6, 0.0, 0.3]);
    let mut sim = simulate(&text);
    let n = sim.particles();
    let volume = 0.05_f64.powi(3) * n as f64;
    sim.advance(6000).unwrap();
    // A flat body of water is twice as high as its center of mass.
    let height = 2.0 * (0..n).map(|i| f64::from(sim.position(i).y)).sum::<f64>() / n as f64;
    let (mean, max) = compression(&sim);
    let found = height * 0.6 * 0.3;
    println!("{n} particles: {found:.5} m³ of {volume:.5}, compressed by {mean:.4}, at most {max:.4}");
    assert!((found / volume - 1.0).abs() < 0.03, "{found} {volume}");
    assert!(sim.probe().kinetic < 0.01 * 9.81 * 1000.0 * volume * 0.3, "it still moves: {}", sim.probe().kinetic);
}
