//! Drains and recycling emitters.

use crate::support::{simulate, tank, with};
use pliant::neighbors::INACTIVE;
use pliant::{Isa, World};

/// A tank whose floor is two boxes with a gap between them, and below it a drain.
fn leaking(extra: &str) -> String {
    "solver = { dt = 0.01, substeps = 2, iterations = 3 }
    fluid = { radius = 0.02 }
    [[liquid]]
    name = \"water\"
    fill = { min = [-0.2, 0, -0.1], max = [0.2, 0.32, 0.1] }
    [[collider]]
    box = { center = [-0.36, -0.05, 0], size = [0.6, 0.1, 0.6] }
    [[collider]]
    box = { center = [0.36, -0.05, 0], size = [0.6, 0.1, 0.6] }
    [[drain]]
    box = { center = [0, -0.4, 0], size = [2, 0.3, 2] }\n"
        .to_owned()
        + extra
        + &tank([-0.2, -5.0, -0.1], [0.2, 0.0, 0.1])
}

fn active_count(sim: &World) -> usize {
    (0..sim.particles()).filter(|&i| !sim.state().is_inactive(i)).count()
}

#[test]
fn s23_drained_particles_account_for_the_missing_ones() {
    let mut sim = simulate(&leaking(""));
    let (n, mass) = (sim.particles(), sim.probe().mass);
    let mut last = 0;
    for _ in 0..150 {
        sim.step().unwrap();
        let gone = sim.state().drained;
        assert!(gone >= last, "{gone} after {last}");
        last = gone;
        assert_eq!(active_count(&sim) + gone as usize, n);
        // Masses are equal, so the remaining mass is a whole number of particles.
        let missing = (mass - sim.probe().mass) / (mass / n as f64);
        assert!((missing - gone as f64).abs() < 1e-6 * n as f64, "{missing} particles' mass for {gone}");
        for i in 0..n {
            let (p, away) = (sim.position(i), sim.state().is_inactive(i));
            // In the tank, in the gap, or falling: nowhere else, and never in the drain.
            assert!(away || p.y > -0.25, "{i} at {p}");
            assert!(p.y > -0.001 || p.y < -0.1 || p.x.abs() < 0.061, "{i} went through the floor at {p}");
            assert!(!away || sim.velocity(i).length() == 0.0);
        }
    }
    println!("{last} of {n} are gone after {:.1} s", sim.time());
    assert!(last as usize > n / 2, "only {last} of {n}");
    // Drained particles have no contacts and exert no pressure.
    assert!(sim.collider_forces().iter().all(|f| f.is_finite()));
    assert!(
        sim.contact_pairs()
            .iter()
            .all(|t| !sim.state().is_inactive(t.a as usize) && !sim.state().is_inactive(t.b as usize))
    );
}

#[test]
fn s23_a_drain_removes_only_its_object_and_only_inside_its_region() {
    let text = "solver = { dt = 0.01, iterations = 2 }\nworld = { gravity = [0, 0, 0] }\nfluid = { radius = 0.02 }
        [[liquid]]\nname = \"oil\"\nfill = { min = [0, 0, 0], max = [0.2, 0.08, 0.08] }
        [[grains]]\nname = \"sand\"\nfill = { min = [0, 0.5, 0], max = [0.2, 0.58, 0.08] }
        [[cloth]]\ngrid = { size = [0.2, 0.2], cells = [2, 2] }
        [[drain]]\nsphere = { center = [0, 0, 0], radius = 3 }\nobject = \"sand\"
        [[drain]]\nbox = { center = [-0.2, 0.04, 0.04], size = [0.2, 1, 1] }
        motion = { keys = { frames = [{ time = 0.1 }, { time = 1.1, translate = [0.5, 0, 0] }] } }\n";
    let mut sim = simulate(text);
    let state = sim.state();
    let grains: Vec<usize> = (0..sim.particles()).filter(|&i| state.phases[i] == 0).collect();
    let oil: Vec<usize> = (0..sim.particles()).filter(|&i| state.phases[i] == pliant::neighbors::LIQUID).collect();
    sim.step().unwrap();
    assert!(grains.iter().all(|&i| sim.state().phases[i] == INACTIVE), "sand is left");
    assert!(oil.iter().all(|&i| !sim.state().is_inactive(i)), "oil was taken from where no drain is");
    sim.advance(29).unwrap();
    // Its edge was at −0.1 m and has moved by half a meter in each second since 0.1 s: to 0 m.
    let (gone, left): (Vec<usize>, Vec<usize>) = oil.iter().partition(|&&i| sim.state().is_inactive(i));
    assert!(gone.iter().all(|&i| sim.position(i).x <= 1e-4) && left.iter().all(|&i| sim.position(i).x >= -1e-4));
    sim.advance(20).unwrap();
    // And half of it at 0.1 m.
    let gone = oil.iter().filter(|&&i| sim.state().is_inactive(i)).count();
    assert!((gone as f64 / oil.len() as f64 - 0.5).abs() < 0.21, "{gone} of {}", oil.len());
    assert_eq!(sim.state().drained as usize, grains.len() + gone);
    let cloth = (0..sim.particles()).filter(|i| !grains.contains(i) && !oil.contains(i));
    assert!(cloth.into_iter().all(|i| !sim.state().is_inactive(i)));
}

/// A jet that falls into a drain, which gives back what it takes.
const FOUNTAIN: &str = "
    solver = { dt = 0.01, substeps = 2, iterations = 2 }
    fluid = { radius = 0.02 }
    [[liquid]]
    pour = { from = [0, 0.2, 0], radius = 0.08, per_second = 450, velocity = [0.6, 3, 0], until = 1.0 }
    [[drain]]
    box = { center = [0, -0.5, 0], size = [4, 1, 4] }
    recycle = true
";

#[test]
fn s23_a_recycling_fountain_runs_indefinitely() {
    let mut sim = simulate(FOUNTAIN);
    assert_eq!(sim.particles(), 450);
    // Up and down takes 0.68 s: most of a second's 450 are in the air then, and none would be after two seconds.
    sim.advance(200).unwrap();
    for _ in 0..50 {
        sim.step().unwrap();
        let state = sim.state();
        assert_eq!(active_count(&sim) + state.returned[0].len(), 450);
        assert!((200..400).contains(&active_count(&sim)), "{} in the air", active_count(&sim));
        // One per emission time, since a particle was always available.
        assert_eq!(state.emitted[0] as u64, state.drained + active_count(&sim) as u64);
        let expected = sim.time() * 450.0;
        assert!((state.emitted[0] as f64 - expected).abs() < 6.0, "{} emitted, {expected}", state.emitted[0]);
    }
    // Recycled particles are emitted again.
    let high = (0..450).filter(|&i| !sim.state().is_inactive(i)).map(|i| sim.position(i).y).fold(0.0, f32::max);
    assert!((0.5..0.8).contains(&high), "{high} m high");
}

#[test]
fn r01_recycling_is_the_same_for_any_thread_count_and_after_a_restore() {
    let run = |threads: usize, at_once: u32| {
        let mut sim = with(FOUNTAIN, threads, Isa::detect());
        (0..150 / at_once).for_each(|_| sim.advance(at_once).unwrap());
        (sim.hash(), sim.state().drained)
    };
    let once = run(1, 1);
    assert!(once.1 > 100, "{} were drained", once.1);
    assert_eq!(run(3, 1), once);
    assert_eq!(run(2, 50), once);
    let mut sim = simulate(FOUNTAIN);
    sim.advance(90).unwrap();
    let kept = sim.state().clone();
    sim.advance(60).unwrap();
    assert_eq!(sim.hash(), once.0);
    *sim.state_mut() = kept;
    sim.advance(60).unwrap();
    assert_eq!((sim.hash(), sim.state().drained), once);
}

#[test]
fn r06_drains_without_particles_are_refused_with_their_location() {
    let refused = |text: &str| {
        let scene = pliant::scene::Scene::parse(text, pliant::scene::Format::Toml).map_err(|e| format!("{e}"));
        scene.and_then(|s| {
            let built = World::from_scene(&s, &pliant::builder::NoMeshes, pliant::Options::default());
            built.map(|_| ()).map_err(|e| format!("{e}"))
        })
    };
    let water = "[[liquid]]\nname = \"water\"\nfill = { min = [0, 0, 0], max = [0.2, 0.2, 0.2] }\n";
    let thin =
        "[[liquid]]\npour = { from = [0, 1, 0], radius = 0.1, per_second = 5, velocity = [0, -1, 0], until = 1 }\n";
    let cloth = "[[cloth]]\nname = \"sheet\"\ngrid = { size = [0.2, 0.2], cells = [2, 2] }\n";
    let ball = "[[drain]]\nsphere = { center = [0, 0, 0], radius = 1 }\n";
    for (text, place) in [
        (format!("{water}[[drain]]\n"), "drain[0]"),
        (format!("{water}{ball}box = {{ center = [0, 0, 0], size = [1, 1, 1] }}\n"), "drain[0]"),
        (format!("{water}[[drain]]\nsphere = {{ center = [0, 0, 0], radius = -1 }}\n"), "drain[0].sphere.radius"),
        (format!("{water}[[drain]]\nbox = {{ center = [0, 0, 0], size = [1, 0, 1] }}\n"), "drain[0].box.size[1]"),
        (format!("{water}{cloth}{ball}object = \"sheet\"\n"), "drain[0].object"),
        (format!("{water}{ball}object = \"nobody\"\n"), "drain[0].object"),
        (format!("{cloth}{ball}"), "drain[0]"),
        (format!("{water}{ball}recycle = true\n"), "drain[0].recycle"),
        (format!("{thin}{ball}recycle = true\n"), "drain[0].recycle"),
        (
            format!("{water}{ball}motion = {{ spin = {{ axis = [0, 0, 0], center = [0, 0, 0], rate = 1 }} }}\n"),
            "drain[0].motion",
        ),
    ] {
        let error = refused(&text).expect_err(&text);
        assert!(error.contains(place), "{place}: {error}\n{text}");
    }
    assert!(refused(&format!("{water}{ball}object = \"water\"\n")).is_ok());
}
