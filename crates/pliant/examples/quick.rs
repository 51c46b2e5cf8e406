#![allow(missing_docs, clippy::print_stdout)]
use pliant::{build::NoMeshes, scene::*, *};
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&args[1]).unwrap();
    let threads: usize = args[2].parse().unwrap();
    let overrides: Vec<Override> = args[4..].iter().map(|a| a.parse().unwrap()).collect();
    let scene = Scene::parse_with(&text, Format::Toml, &overrides).unwrap();
    let t = Instant::now();
    let isa = match args[3].as_str() {
        "scalar" => Isa::Scalar,
        "four" => Isa::Four,
        "avx2" => Isa::Avx2,
        _ => Isa::detect(),
    };
    let mut sim = Simulation::new(&scene, &NoMeshes, Options { threads, isa }).unwrap();
    println!(
        "build {:.3}s particles {} {:?} colors {:?}",
        t.elapsed().as_secs_f64(),
        sim.particles(),
        sim.counts(),
        sim.model().groups.iter().map(|g| g.batches.len()).collect::<Vec<_>>()
    );
    for _ in 0..3 {
        sim.step().unwrap();
    }
    sim.take_times();
    let n = 20;
    let cpu = || {
        std::fs::read_to_string("/proc/self/schedstat").unwrap().split(' ').next().unwrap().parse::<f64>().unwrap()
            * 1e-9
    };
    let mut best = f64::MAX;
    let c0 = cpu();
    let mut all = vec![];
    for _ in 0..n {
        let t = Instant::now();
        sim.step().unwrap();
        let d = t.elapsed().as_secs_f64();
        best = best.min(d);
        all.push(d);
    }
    all.sort_by(f64::total_cmp);
    println!(
        "cpu ms/step {:.3} Msolves/s {:.1}",
        (cpu() - c0) / n as f64 * 1e3,
        sim.model().constraints() as f64 * scene.solver.iterations as f64 * n as f64 / (cpu() - c0) / 1e6
    );
    let times = sim.take_times();
    let c = sim.model().constraints() as f64 * scene.solver.iterations as f64;
    println!(
        "ms median {:.3} best {:.3} Msolves/s {:.1} (best {:.1})",
        all[n / 2] * 1e3,
        best * 1e3,
        c / all[n / 2] / 1e6,
        c / best / 1e6
    );
    for (g, t) in sim.model().groups.iter().zip(&times.groups) {
        println!(
            "  {} {:.3} ms {:.1} M/s",
            g.kind.name(),
            t * 1e3 / n as f64,
            g.count as f64 * scene.solver.iterations as f64 * n as f64 / t / 1e6
        );
    }
    println!("stages {:?}", times.stages.map(|t| t * 1e3 / n as f64));
    println!("residual {:?} hash {:x}", sim.residuals(), sim.hash());
    println!(
        "{}",
        std::fs::read_to_string("/proc/self/status").unwrap().lines().find(|l| l.starts_with("VmHWM")).unwrap()
    );
}
