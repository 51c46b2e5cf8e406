//! Changes by the caller between steps reach the GPU, and results are read back.

use crate::simulations::{apart, pair, ready, scene};
use pliant::World;
use pliant::constraints::{ConstraintKind, Softness};
use pliant::runtime::gpu::GpuOptions;

const SCENE: &str = r#"
    solver = { iterations = 6 }
    [[inflatable]]
    name = "ball"
    sphere = { radius = 0.3, subdivisions = 2 }
    transform = { translate = [0, 0.3, 0] }
    stretch = { compliance = 1e-5 }
    [[rope]]
    name = "rope"
    path = [[1, 1, 0], [2, 1, 0]]
    segments = 12
    stretch = { compliance = 1e-5 }
    pin = [{ at = "start" }]
    [[collider]]
    plane = {}
"#;

fn object(sim: &World, name: &str) -> u32 {
    sim.topology().object_names.iter().position(|n| n == name).unwrap() as u32
}

fn both(change: impl Fn(&mut World)) -> (World, World) {
    let (mut cpu, mut gpu) = pair(&scene(SCENE, &[]), GpuOptions::default());
    for sim in [&mut cpu, &mut gpu] {
        sim.advance(3).unwrap();
        change(sim);
        sim.advance(3).unwrap();
        sim.sync().unwrap();
    }
    (cpu, gpu)
}

fn check(what: &str, change: impl Fn(&mut World)) {
    let (cpu, gpu) = both(&change);
    let (off, moved) = (apart(&cpu, &gpu), apart(&cpu, &both(|_| ()).0));
    println!("{what}: off by {off:.1e} m, the change moves {moved:.1e} m");
    assert!(moved > 1e-4, "{what}: changes nothing, so it proves nothing");
    assert!(off < 1e-5, "{what}: off by {off} m");
}

#[test]
fn s02_changes_between_steps_reach_the_gpu() {
    if !ready() {
        return;
    }
    check("positions and velocities", |sim| {
        let last = sim.particles() - 1;
        let state = sim.state_mut();
        state.rows[last][1] += 0.01;
        state.velocities[last] = [0.0, 0.0, 1.0, 0.0];
    });
    check("masses", |sim| sim.state_mut().rows[170][3] = 0.0);
    check("radii", |sim| sim.state_mut().radii.fill(0.02));
    check("softness", |sim| {
        let rope = object(sim, "rope");
        assert_eq!(sim.set_softness(rope, ConstraintKind::Stretch, Softness::compliance(1e-2)), Ok(12));
    });
    check("pressure", |sim| {
        let ball = object(sim, "ball");
        assert_eq!(sim.set_pressure(ball, 1.3), Ok(1));
    });
}

#[test]
fn s05_multipliers_and_contacts_come_back_from_the_gpu() {
    if !ready() {
        return;
    }
    let (cpu, gpu) = both(|_| ());
    let (a, b): (Vec<_>, Vec<_>) =
        (cpu.constraints(ConstraintKind::Stretch).collect(), gpu.constraints(ConstraintKind::Stretch).collect());
    assert_eq!(a.len(), b.len());
    let scale = a.iter().map(|c| c.multipliers[0].abs()).fold(0.0, f32::max);
    assert!(scale > 0.0, "nothing pulls");
    for (a, b) in a.iter().zip(&b) {
        assert_eq!((&a.rows, &a.params), (&b.rows, &b.params));
        // Multipliers are differences of lengths over compliances: a last bit of a length is a hundredth of them.
        let off = (a.multipliers[0] - b.multipliers[0]).abs();
        assert!(off < 0.02 * scale, "{off} of {scale}");
    }
    let (ours, theirs) = (gpu.state().inflate_multipliers[0], cpu.state().inflate_multipliers[0]);
    assert!((ours - theirs).abs() <= 0.02 * theirs.abs(), "{ours} for {theirs}");
    assert!(cpu.probe().contacts > 0);
    assert_eq!(gpu.probe().contacts, cpu.probe().contacts);
    assert_eq!(gpu.time(), cpu.time());
}

#[test]
fn s02_a_steady_frame_uploads_nothing_and_a_moving_collider_its_poses() {
    if !ready() {
        return;
    }
    let sent = |collider: &str| {
        let text = SCENE.replace("plane = {}", collider);
        let (_, mut gpu) = pair(&scene(&text, &[]), GpuOptions::default());
        gpu.advance(3).unwrap();
        let before = gpu.gpu().unwrap().uploaded();
        gpu.advance(20).unwrap();
        gpu.gpu().unwrap().uploaded() - before
    };
    assert_eq!(sent("plane = {}"), 0);
    let moving = sent("plane = {}\nmotion = { oscillate = { amplitude = [0, 0.05, 0], period = 1 } }");
    assert!((20 * 96..20 * 400).contains(&moving), "{moving} bytes for 20 substeps");
}
