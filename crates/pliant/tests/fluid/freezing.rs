//! Freezing liquids.

use crate::support::{compression, momentum, simulate, tank, with};
use glam::{DVec3, Vec3};
use pliant::neighbors::LIQUID;
use pliant::{Isa, World};

/// A block of water in empty space, 8 × 6 × 6 particles.
const BLOCK: &str = "
    solver = { dt = 0.005, substeps = 2, iterations = 3 }
    world = { gravity = [0, 0, 0], damping = 0, air_density = 0 }
    fluid = { radius = 0.02 }
    [[liquid]]
    name = \"water\"
    fill = { min = [-0.16, -0.12, -0.12], max = [0.16, 0.12, 0.12] }
    [[freeze]]
    liquid = \"water\"
    start = 0.05
";

/// Water that moves, spins and is stirred: of the latter nothing can be left of a solid.
fn set_swirling_velocities(sim: &mut World) {
    // Those of the body wait before those of the liquid.
    for i in 288..576 {
        let p = sim.position(i);
        let (at, noise) = (p * 31.0, 0.3);
        let stirred = Vec3::new((at.y + at.z).sin(), (at.z - at.x).cos(), (at.x * at.y).sin()) * noise;
        let v = Vec3::new(0.5 - 2.0 * p.y, 0.2 + 2.0 * p.x, 0.1) + stirred;
        sim.state_mut().velocities[i] = [v.x, v.y, v.z, 0.0];
    }
}

/// Particles that have frozen.
fn frozen(sim: &World) -> Vec<usize> {
    let state = sim.state();
    (0..sim.particles()).filter(|&i| !state.is_inactive(i) && state.phases[i] != LIQUID).collect()
}

/// By how much distances between particles differ from those in `places` [m].
fn bent(sim: &World, members: &[usize], places: &[Vec3]) -> f32 {
    let mut worst = 0.0_f32;
    for (a, &i) in members.iter().enumerate() {
        for (b, &j) in members.iter().enumerate().skip(a + 1).step_by(7) {
            let now = sim.position(i).distance(sim.position(j));
            worst = worst.max((now - places[a].distance(places[b])).abs());
        }
    }
    worst
}

fn positions(sim: &World, members: &[usize]) -> Vec<Vec3> {
    members.iter().map(|&i| sim.position(i)).collect()
}

#[test]
fn s16_freezing_keeps_mass_and_momentum_and_makes_a_rigid_body() {
    for more in ["", "box = { center = [0, 0, 0], size = [9, 9, 9] }\nspeed = 10", "density = 917"] {
        let mut sim = simulate(&(BLOCK.to_owned() + more));
        assert_eq!(sim.particles(), 2 * 288);
        set_swirling_velocities(&mut sim);
        sim.advance(10).unwrap();
        assert!(frozen(&sim).is_empty());
        let (before, (linear, size)) = (sim.probe(), momentum(&sim));
        let turn = DVec3::from(before.angular);
        let mut energy = before.kinetic;
        let (mut shape, mut offs): (Option<Vec<Vec3>>, [f64; 3]) = (None, [0.0; 3]);
        for step in 0..60 {
            sim.step().unwrap();
            let (probe, members) = (sim.probe(), frozen(&sim));
            assert_eq!(probe.mass.to_bits(), before.mass.to_bits(), "{} kg of {}", probe.mass, before.mass);
            let off = (momentum(&sim).0 - linear).length() / size;
            offs[0] = off.max(offs[0]);
            // Rounding: places are known to 6e-8 of a meter or so, and velocities are what is between them in 2.5 ms.
            assert!(off < 5e-5, "{more}: momentum is off by {off:e} in step {step}");
            let off = (DVec3::from(probe.angular) - turn).length() / turn.length();
            offs[1] = off.max(offs[1]);
            // A body that turns by ω·h in a substep loses (ω·h)²/2 of it: 2e-5 at 2.5 rad/s.
            assert!(off < 5e-3, "{more}: angular momentum is off by {off:e} in step {step}");
            // A rigid body that spins gains and loses rounding; the water before lost some.
            assert!(probe.kinetic < energy * (1.0 + 1e-4), "{} J of {energy} J in step {step}", probe.kinetic);
            energy = probe.kinetic;
            if members.len() == 288 {
                let shape = shape.get_or_insert_with(|| positions(&sim, &members));
                let worst = bent(&sim, &members, shape);
                offs[2] = offs[2].max(f64::from(worst));
                assert!(worst < 1e-5, "{more}: bent by {worst:e} m in step {step}");
            }
        }
        assert_eq!((sim.state().frozen[0].count, frozen(&sim).len()), (288, 288), "{more}");
        println!("momentum off by {:.1e}, angular by {:.1e}, bent by {:.1e} m", offs[0], offs[1], offs[2]);
        // The rotational motion is lost: about half of the energy.
        assert!(energy < 0.9 * before.kinetic && energy > 0.2 * before.kinetic, "{energy} of {} J", before.kinetic);
        assert!((288..576).all(|i| sim.state().is_inactive(i)));
    }
}

/// Water in a tank, of which something freezes.
fn in_a_tank(solver: &str, freeze: &str) -> String {
    format!(
        "solver = {{ {solver} }}
        fluid = {{ radius = 0.02 }}
        [[liquid]]\nname = \"water\"\nfill = {{ min = [-0.24, 0, -0.2], max = [0.24, 0.4, 0.2] }}
        [[freeze]]\nliquid = \"water\"\n{freeze}\n"
    ) + &tank([-0.24, 0.0, -0.2], [0.24, 0.0, 0.2])
}

#[test]
fn s16_frozen_bodies_float_hover_or_sink_by_their_density() {
    let freeze = "start = 0.495\nsphere = { center = [0, 0.2, 0], radius = 0.1 }\n";
    let mut ends = Vec::new();
    for density in [700, 1000, 1500] {
        let text = in_a_tank("dt = 0.01, substeps = 4, iterations = 3", &format!("{freeze}density = {density}"));
        let mut sim = simulate(&text);
        sim.advance(50).unwrap();
        assert!(frozen(&sim).is_empty());
        let (mass, still) = (sim.probe().mass, sim.probe());
        let energy = |p: pliant::schedule::stats::Probe| p.kinetic + p.gravitational;
        let mut most = energy(still);
        sim.step().unwrap();
        let members = frozen(&sim);
        let shape = positions(&sim, &members);
        // A ball of 0.1 m has the space of 65 cubes of 0.04 m.
        assert!((50..=85).contains(&members.len()), "{}", members.len());
        let mut worst = 0.0_f32;
        for _ in 0..150 {
            sim.step().unwrap();
            most = most.max(energy(sim.probe()));
            worst = worst.max(bent(&sim, &members, &shape));
        }
        let height = members.iter().map(|&i| sim.position(i).y).sum::<f32>() / members.len() as f32;
        let rise = (most / energy(still) - 1.0) * 100.0;
        let (mean, _) = compression(&sim);
        println!(
            "{density} kg/m³: middle at {height:.3} m, bent by {worst:.1e} m, energy +{rise:.2} %, compressed {mean:.3}"
        );
        assert_eq!(frozen(&sim), members);
        assert!((sim.probe().mass - mass).abs() < 1e-9 * mass && worst < 1e-3);
        // What is less dense takes more space at once: it lifts the water above it, 65 cubes by less than a tenth.
        assert!(rise < 3.0, "energy rose by {rise} %");
        ends.push(height);
    }
    // It floats at the surface, 0.4 m high; hovers; and lies on the floor.
    assert!(ends[0] > 0.3 && (0.1..0.3).contains(&ends[1]) && ends[2] < 0.13, "{ends:?}");
}

/// Water in the air that freezes and falls on the floor, and a brick that falls on it.
const FALLS: &str = "
    solver = { dt = 0.01, substeps = 4, iterations = 4 }
    fluid = { radius = 0.02 }
    [[liquid]]
    name = \"water\"
    fill = { min = [-0.16, 0.3, -0.16], max = [0.16, 0.54, 0.16] }
    [[freeze]]
    liquid = \"water\"
    [[body]]
    name = \"brick\"
    box = [0.16, 0.16, 0.16]
    grid = 4
    transform = { translate = [0, 1, 0] }
    [[collider]]
    plane = {}
    friction = { static = 0.6, kinetic = 0.5 }
";

#[test]
fn s16_s22_ice_lies_on_the_floor_and_bears_a_brick() {
    let mut sim = simulate(FALLS);
    sim.step().unwrap();
    let members: Vec<usize> = frozen(&sim).into_iter().filter(|&i| i >= 64).collect();
    assert_eq!(members.len(), 384);
    // Depths are those of a block: the outermost layer a radius, the next three.
    let depths: Vec<f32> = sim.state().frozen[0].fields.iter().map(|f| f[3] / 0.02).collect();
    let outer = depths.iter().filter(|d| (**d - 1.0).abs() < 1e-3).count();
    let inner = depths.iter().filter(|d| (**d - 3.0).abs() < 0.05).count();
    assert_eq!((outer, inner, depths.len()), (384 - 6 * 6 * 4, 6 * 6 * 4 - 4 * 4 * 2, 384));
    let shape = positions(&sim, &members);
    let mut worst = 0.0_f32;
    for _ in 0..200 {
        sim.step().unwrap();
        worst = worst.max(bent(&sim, &members, &shape));
    }
    let height = |of: &[usize]| of.iter().map(|&i| sim.position(i).y).sum::<f32>() / of.len() as f32;
    let (ice, brick) = (height(&members), height(&(0..64).collect::<Vec<_>>()));
    let fast = (0..sim.particles()).map(|i| sim.velocity(i).length()).fold(0.0, f32::max);
    println!("ice at {ice:.4} m, brick at {brick:.4} m, bent by {worst:.1e} m, {fast:.1e} m/s");
    assert!(worst < 1e-3, "bent by {worst} m");
    // 0.24 m high, and the brick 0.16 m: within a quarter of a particle.
    assert!((ice - 0.12).abs() < 0.01 && (brick - 0.32).abs() < 0.01, "ice at {ice} m, brick at {brick} m");
    assert!(fast < 0.05, "{fast} m/s");
}

#[test]
fn s16_a_front_freezes_the_connected_particles_that_it_reaches() {
    // A block, and another a meter away that the region holds a part of, too.
    let text =
        BLOCK.replace("name = \"water\"", "name = \"water\"\narray = { count = [2, 1, 1], spacing = [1, 0, 0] }");
    let more = "box = { center = [0.5, 0, 0], size = [1.1, 1, 1] }\nspeed = 2\nfrom = [0, 0, 0]";
    let mut sim = simulate(&(text + more));
    let mut last = 0;
    // 1.05 m and half a meter to the sides take 0.6 s.
    for step in 0..140 {
        let places: Vec<Vec3> = (576..1152).map(|i| sim.position(i)).collect();
        sim.step().unwrap();
        let (front, count) = (2.0 * (0.005 * step as f32 - 0.05), sim.state().frozen[0].count);
        // Nothing moves: particles inside the region and behind the front are frozen.
        let cold = |p: &&Vec3| p.length() <= front + 1e-4 && p.x >= -0.05 && p.x < 0.5;
        let wanted = places.iter().filter(cold).count();
        assert!(count >= last && count <= 288, "{count} after {last}");
        if wanted >= 8 && front < 0.4 {
            assert!(count.abs_diff(wanted.max(last)) <= 8, "{count} for {wanted} in step {step}");
        }
        last = count;
    }
    // From -0.05 m on: of eight layers the last five. The other block is as large, but not connected to it.
    assert_eq!(last, 5 * 36);
    // An empty region freezes nothing.
    let far_away = BLOCK.to_owned() + "sphere = { center = [5, 0, 0], radius = 1 }";
    let mut sim = simulate(&far_away);
    let mut never = simulate(&far_away.replace("start = 0.05", "start = 1000"));
    sim.advance(20).unwrap();
    never.advance(20).unwrap();
    assert_eq!((sim.hash(), sim.state().frozen[0].count), (never.hash(), 0));
}

#[test]
fn s16_one_liquid_may_freeze_into_several_bodies() {
    let half = |x: f32| format!("box = {{ center = [{x}, 0, 0], size = [0.16, 1, 1] }}\n");
    let text = BLOCK.to_owned() + &half(-0.08) + "[[freeze]]\nliquid = \"water\"\nstart = 0.05\n" + &half(0.08);
    let mut sim = simulate(&text);
    sim.advance(12).unwrap();
    let counts: Vec<usize> = sim.state().frozen.iter().map(|f| f.count).collect();
    assert_eq!((counts, frozen(&sim).len()), (vec![144, 144], 288));
    assert_eq!(sim.particles(), 3 * 288);
}

#[test]
fn r01_freezing_is_the_same_for_any_thread_count_and_after_a_restore() {
    let cold = "start = 0.1\nspeed = 1\nbox = { center = [0, 0.1, 0], size = [0.3, 0.3, 0.3] }\ndensity = 917";
    let text = in_a_tank("dt = 0.01, iterations = 3, integrator = \"bdf2\"", cold);
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
    assert!((1..300).contains(&kept.frozen[0].count), "{}", kept.frozen[0].count);
    let mut go_on = || {
        // What contacts of rigid bodies did is forgotten then, so that it is compared with itself.
        *sim.state_mut() = kept.clone();
        sim.advance(18).unwrap();
        (sim.hash(), sim.state().frozen[0].count)
    };
    let after = go_on();
    assert!(after.1 > kept.frozen[0].count);
    assert_eq!(go_on(), after);
}

#[test]
fn r06_invalid_freezes_are_refused_with_their_location() {
    let base = BLOCK.to_owned();
    let ball = "sphere = { center = [0, 0, 0], radius = 1 }\n";
    let body = "[[body]]\nname = \"ice\"\nbox = [0.12, 0.12, 0.12]\ngrid = 3\n";
    for (text, place) in [
        (
            base.replace("start = 0.05", "start = 0.05\nliquid = \"x\"").replacen("liquid = \"water\"", "", 1),
            "freeze[0].liquid",
        ),
        (base.replace("start = 0.05", "start = nan"), "freeze[0].start"),
        (base.replace("start = 0.05", "start = -1"), "freeze[0].start"),
        (base.clone() + "sphere = { center = [0, 0, 0], radius = 0 }", "freeze[0].sphere.radius"),
        (base.clone() + "box = { center = [0, 0, 0], size = [1, 0, 1] }", "freeze[0].box.size"),
        (base.clone() + ball + "box = { center = [0, 0, 0], size = [1, 1, 1] }", "freeze[0]"),
        (base.clone() + "speed = 1", "freeze[0].speed"),
        (base.clone() + ball + "speed = 0", "freeze[0].speed"),
        (base.clone() + ball + "from = [0, 0, 0]", "freeze[0].from"),
        (base.clone() + ball + "speed = 1\nfrom = [0, inf, 0]", "freeze[0].from[1]"),
        (base.clone() + "density = 0", "freeze[0].density"),
        (base.clone() + "density = 100", "freeze[0].density"),
        (base.clone() + "color = [0, 0, 2]", "freeze[0].color[2]"),
        (base.clone() + "heat = 3", "heat"),
        (base.clone() + body + "[[melt]]\nbody = \"ice\"\nliquid = \"water\"\nspeed = 1\n", "freeze[0].liquid"),
        (
            base.clone() + "[[liquid]]\nname = \"melt\"\n[[melt]]\nbody = \"freeze 0\"\nliquid = \"melt\"\nspeed = 1\n",
            "melt[0].body",
        ),
        (
            base.clone()
                + body
                + "[[attach]]\nfrom = { object = \"ice\" }\nto = { object = \"freeze 0\" }\nwithin = 1\n",
            "attach[0].to.object",
        ),
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
