//! Melting bodies.

use crate::support::{momentum, simulate, tank, with};
use pliant::neighbors::LIQUID;
use pliant::{Isa, World};

/// A block of ice that spins in empty space, 8 × 6 × 6 particles. Nothing but density moves them: contacts round
/// angular momentum.
const SPINNING: &str = "
    solver = { dt = 0.005, substeps = 2, iterations = 3 }
    world = { gravity = [0, 0, 0], damping = 0, air_density = 0 }
    fluid = { radius = 0.02 }
    contact = { between = false }
    [[liquid]]
    name = \"water\"
    viscosity = 1
    [[body]]
    name = \"ice\"
    box = [0.32, 0.24, 0.24]
    grid = 8
    density = 917
    velocity = [0.5, 0.2, 0]
    [[melt]]
    body = \"ice\"
    liquid = \"water\"
    start = 0.05
    speed = 0.4
";

fn frozen(sim: &World) -> usize {
    let state = sim.state();
    (0..sim.particles()).filter(|&i| !state.is_inactive(i) && state.phases[i] != LIQUID).count()
}

#[test]
fn s16_melting_keeps_mass_and_momentum_and_goes_inward_from_the_surface() {
    let mut sim = simulate(SPINNING);
    assert_eq!(sim.particles(), 2 * 288);
    // It spins about z at 2 rad/s: particles near the surface are faster when they come off.
    for i in 0..288 {
        let p = sim.position(i);
        let v = glam::Vec3::new(0.5 - 2.0 * p.y, 0.2 + 2.0 * p.x, 0.0);
        sim.state_mut().velocities[i] = [v.x, v.y, v.z, 0.0];
    }
    let (mass, (before, size), turn) = (sim.probe().mass, momentum(&sim), sim.probe().angular);
    assert!((mass - 917.0 * 0.32 * 0.24 * 0.24).abs() < 1e-4 * mass);
    // Layers of 4 cm; the front takes 0.1 s through each of them, and starts at 0.05 s.
    let inner = [288, 6 * 4 * 4, 4 * 2 * 2, 0, 0];
    let mut last = 288;
    for _ in 0..70 {
        sim.step().unwrap();
        let time = sim.time();
        // Particles due at the start of a step melt in it.
        let front = 0.4 * (time - 0.005 - 0.05).max(0.0) + 1e-6;
        let (layers, now) = (((front / 0.04).floor() as usize).min(3), frozen(&sim));
        assert!((inner[layers + 1]..=inner[layers]).contains(&now), "{now} are left at {time:.3} s");
        // Particles of a layer melt one by one.
        let share = front / 0.04 - layers as f64;
        let wanted = inner[layers] as f64 - share.min(1.0) * (inner[layers] - inner[layers + 1]) as f64;
        assert!((now as f64 - wanted).abs() < 25.0 && now <= last, "{now} are left at {time:.3} s, not {wanted:.0}");
        last = now;
        let probe = sim.probe();
        assert!((probe.mass - mass).abs() < 1e-9 * mass, "{} kg of {mass}", probe.mass);
        let (now, _) = momentum(&sim);
        let off = (now - before).length() / size;
        // Rounding: a rigid body that spins is off by 6e-6 before anything melts.
        assert!(off < 5e-5, "momentum is off by {off:e} at {time:.3} s");
        let off = (probe.angular[2] - turn[2]).abs() / turn[2].abs();
        assert!(off < 5e-3, "angular momentum is off by {off:e} at {time:.3} s");
    }
    assert_eq!(last, 0);
    assert!((0..288).all(|i| sim.state().is_inactive(i)) && (288..576).all(|i| !sim.state().is_inactive(i)));
}

/// A block on the floor of a tank, without water at first.
fn in_a_tank(solver: &str) -> String {
    format!(
        "solver = {{ {solver} }}
        fluid = {{ radius = 0.02, xsph = 0.02 }}
        [[liquid]]\nname = \"water\"
        [[body]]\nname = \"ice\"\nbox = [0.4, 0.4, 0.4]\ngrid = 10\ndensity = 917
        transform = {{ translate = [0, 0.2, 0] }}
        [[melt]]\nbody = \"ice\"\nliquid = \"water\"\nspeed = 0.3\n"
    ) + &tank([-0.28, 0.0, -0.2], [0.28, 0.0, 0.2])
}

#[test]
fn s16_a_block_of_ice_becomes_as_much_water_as_it_weighs() {
    let mut sim = simulate(&in_a_tank("dt = 0.01, substeps = 4, iterations = 3"));
    let energy = |sim: &World| sim.probe().kinetic + sim.probe().gravitational;
    let before = energy(&sim);
    let mut most = before;
    for _ in 0..300 {
        sim.step().unwrap();
        most = energy(&sim).max(most);
    }
    assert_eq!((sim.state().melted[0], frozen(&sim)), (1000, 0));
    // 917/1,000 of 0.064 m³ on 0.56 m × 0.4 m are 0.262 m high. The middle of what stands in a tank is half as high;
    // compressed by its own weight, and with a surface of particles, it is within 4 % of that.
    let wanted = 0.5 * 0.917 * 0.064 / (0.56 * 0.4);
    let height = sim.probe().center[1];
    println!("middle at {height:.4} m for {wanted:.4} m, energy {before:.2} J, {most:.2} J at most");
    assert!((height / wanted - 1.0).abs() < 0.04, "{height} m for {wanted} m");
    // No particle is ejected: 2 % would lift the block by 4 mm, a tenth of a particle.
    assert!(most < 1.02 * before, "{most} J of {before} J");
    let (mean, _) = crate::support::compression(&sim);
    assert!(mean < 0.02, "compressed by {mean}");
}

#[test]
fn r01_melting_is_the_same_for_any_thread_count_and_after_a_restore() {
    let text = in_a_tank("dt = 0.01, iterations = 3, integrator = \"bdf2\"");
    let run = |threads: usize, at_once: u32| {
        let mut sim = with(&text, threads, Isa::detect());
        (0..40 / at_once).for_each(|_| sim.advance(at_once).unwrap());
        sim.hash()
    };
    let once = run(1, 1);
    assert_eq!(run(3, 1), once);
    assert_eq!(run(2, 20), once);
    let mut sim = simulate(&text);
    sim.advance(22).unwrap();
    let kept = sim.state().clone();
    assert!((1..1000).contains(&kept.melted[0]));
    let mut go_on = || {
        // What contacts of rigid bodies did is forgotten then, so that it is compared with itself.
        *sim.state_mut() = kept.clone();
        sim.advance(18).unwrap();
        sim.hash()
    };
    let after = go_on();
    assert_eq!(go_on(), after);
}

#[test]
fn r06_invalid_melts_are_refused_with_their_location() {
    let base = SPINNING.to_owned();
    let also = "[[cloth]]\nname = \"sheet\"\ngrid = { size = [0.4, 0.4], cells = [4, 4] }\n";
    for (text, place) in [
        (base.replace("body = \"ice\"", "body = \"fire\""), "melt[0].body"),
        (base.replace("liquid = \"water\"", "liquid = \"wine\""), "liquid[0]"),
        (base.replace("liquid = \"water\"", "liquid = \"ice\""), "liquid[0]"),
        (base.replace("speed = 0.4", ""), "melt[0].speed"),
        (base.replace("speed = 0.4", "speed = -1"), "melt[0].speed"),
        (base.replace("start = 0.05", "start = nan"), "melt[0].start"),
        (base.replace("grid = 8", "grid = 16"), "melt[0].body"),
        (base.replace("917", "9170"), "melt[0].liquid"),
        (base.replace("grid = 8", "grid = 8\nmerge = 1"), "melt[0].body"),
        (base.replace("grid = 8", "grid = 8\nshow = \"mesh\""), "melt[0].body"),
        (base.clone() + "[[melt]]\nbody = \"ice\"\nliquid = \"water\"\nspeed = 1\n", "melt[1].body"),
        (
            base.clone() + also + "[[attach]]\nfrom = { object = \"sheet\" }\nto = { object = \"ice\" }\nwithin = 1\n",
            "melt[0].body",
        ),
        (base.replace("[[melt]]", "[[ice]]"), "ice"),
    ] {
        let scene = pliant::scene::Scene::parse(&text, pliant::scene::Format::Toml).map_err(|e| format!("{e}"));
        let built = scene.and_then(|s| {
            let made = World::from_scene(&s, &pliant::builder::NoMeshes, pliant::Options::default());
            made.map(|_| ()).map_err(|e| format!("{e}"))
        });
        let error = built.expect_err(&text);
        assert!(error.contains(place), "{place}: {error}\n{text}");
    }
}

#[test]
fn s16_melted_volume_is_mass_over_liquid_density() {
    let mut sim = simulate(
        "world = { gravity = [0, 0, 0] }\nfluid = { radius = 0.02 }
         [[liquid]]\nname = \"water\"
         [[body]]\nname = \"ice\"\nbox = [0.12, 0.12, 0.12]\ngrid = 3\ndensity = 700
         [[melt]]\nbody = \"ice\"\nliquid = \"water\"\nspeed = 10\n",
    );
    sim.advance(5).unwrap();
    let volume = sim.probe_liquids().unwrap().volume;
    println!("{volume:.6} m³");
    assert!((volume / (0.7 * 0.12_f64.powi(3)) - 1.0).abs() < 0.01, "{volume}");
}

/// The rest of a block becomes thin: contacts on its other side must not push particles through it. In free fall only
/// that could separate them (one bit of difference led to 2 m/s).
#[test]
fn s16_s22_a_block_that_melts_in_free_fall_ejects_no_particle() {
    for (iterations, shift) in [(3, 0.0), (3, 2e-6), (10, 1e-6)] {
        let text = format!(
            "solver = {{ dt = 0.005, substeps = 2, iterations = {iterations} }}\nfluid = {{ radius = 0.02 }}
             [[liquid]]\nname = \"water\"
             [[body]]\nname = \"ice\"\nbox = [0.24, 0.16, 0.2]\ngrid = 6\ndensity = 900\nvelocity = [0.3, -1, 0]
             transform = {{ translate = [0, {}, {shift}] }}
             [[melt]]\nbody = \"ice\"\nliquid = \"water\"\nspeed = 0.8\n",
            0.5 + shift
        );
        let mut sim = simulate(&text);
        sim.advance(30).unwrap();
        assert_eq!(frozen(&sim), 0);
        let fall = -1.0 - 9.81 * sim.time() as f32;
        let there = (0..sim.particles()).filter(|&i| !sim.state().is_inactive(i));
        let most = there.map(|i| sim.velocity(i).distance(glam::Vec3::new(0.3, fall, 0.0))).fold(0.0, f32::max);
        println!("{iterations} iterations: {most:.1e} m/s");
        assert!(most < 1e-3, "{iterations} iterations, {shift} m: {most} m/s");
    }
}
