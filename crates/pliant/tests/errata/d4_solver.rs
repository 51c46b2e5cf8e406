//! D4 chapter 3, the solver: multipliers (3.15–3.18), Algorithms 3.1–3.3, sleeping (3.27).

use crate::samples::{Double, Sample, XPBD};
use crate::support::{G, free_particle, relative, simulate, step};
use pliant::World;
use pliant::constraints::ConstraintKind;

/// D4 §3.1.4: λ = −x′/m for C(x) = x.
fn printed_multiplier(x: f64, mass: f64) -> f64 {
    -x / mass
}

/// D4 3.16 solved for Δx, with the multiplier of 3.9.
fn printed_lagrange_step(x: f64, mass: f64) -> f64 {
    let lambda = -x * mass;
    -lambda / mass
}

#[test]
fn e15_printed_multiplier_and_sign_do_not_bring_the_particle_back() {
    let (mass, x) = (2.5, 0.7);
    // Δx = w·λ by 3.8.
    assert!((x + printed_multiplier(x, mass) / mass).abs() > 0.5);
    assert!((x + printed_lagrange_step(x, mass) - 2.0 * x).abs() < 1e-12, "twice as far as before");
    let rows = vec![[x, 0.0, 0.0, 1.0 / mass], [0.0; 4]];
    let mut at = Sample { kind: ConstraintKind::Attach, params: vec![0.0], rows };
    let outcome = at.project::<Double>(XPBD, &[0.0; 3]);
    at.apply(&outcome);
    assert!(at.point(0).length() < 1e-12);
    assert!((outcome.lambda[0] + mass * x).abs() < 1e-12, "λ = −m·x′");
}

/// D4 Algorithm 3.1, line 4: every multiplier is clamped, whatever kind of constraint it has.
fn printed_gauss_seidel(mut x: f64, target: f64, iterations: u32) -> f64 {
    for _ in 0..iterations {
        let lambda = (-(x - target)).max(0.0);
        x += lambda;
    }
    x
}

/// D4 Algorithm 3.2: Δx is set to 0 once, before the iterations. One particle that must stay at x ≥ 0.
fn printed_jacobi(mut x: f64, iterations: u32) -> f64 {
    let mut delta = 0.0;
    for _ in 0..iterations {
        delta += (-x).max(0.0);
        x += delta;
    }
    x
}

#[test]
fn e16_clamping_an_equality_leaves_it_stretched_and_keeping_corrections_drifts_away() {
    // An equality that is too long is never corrected.
    assert_eq!(printed_gauss_seidel(1.5, 1.0, 100), 1.5);
    // A particle one meter below the floor is lifted by one more meter in every iteration.
    assert_eq!(printed_jacobi(-1.0, 10), 9.0);
    // Engine: an equality acts both ways, an inequality one way.
    for (kind, length, after) in [
        (ConstraintKind::Stretch, 1.5, 1.0),
        (ConstraintKind::Stretch, 0.5, 1.0),
        (ConstraintKind::Tether, 1.5, 1.0),
        (ConstraintKind::Tether, 0.5, 0.5),
    ] {
        let rows = vec![[length, 0.0, 0.0, 1.0], [0.0; 4]];
        let mut at = Sample { kind, params: vec![1.0, 0.0], rows };
        at.apply(&at.project::<Double>(XPBD, &[0.0]));
        assert!((at.point(0).x - after).abs() < 1e-12, "{kind:?} from {length}: {}", at.point(0));
    }
    // Engine: Jacobi comes nearer with every iteration, in scatter and in gather form.
    for partition in ["jacobi", "jacobi-gather"] {
        let residual = |iterations: u32| {
            let mut sim = simulate(&format!(
                "solver = {{ partition = \"{partition}\", iterations = {iterations}, omega = 1 }}\n\
                 world = {{ gravity = [0, 0, 0], air_density = 0 }}\n\
                 [[rope]]\npath = [[0, 0, 0], [1, 0, 0]]\nsegments = 4\npin = [{{ at = \"start\" }}]\n"
            ));
            sim.state_mut().rows[4][0] = 1.3;
            step(&mut sim, 1);
            sim.residuals()["stretch"].mean
        };
        let all = [1, 4, 16, 64].map(residual);
        assert!(all.windows(2).all(|w| w[1] < w[0]) && all[3] < 0.05 * all[0], "{partition}: {all:?}");
    }
}

/// D4 Algorithm 3.3, lines 10–16: the loop of pre-stabilization, whose counter is never incremented. Gives up after `most`
/// rounds.
fn printed_loop_rounds(wanted: u32, most: u32) -> u32 {
    let (iter, mut rounds) = (0, 0);
    while iter < wanted && rounds < most {
        rounds += 1;
    }
    rounds
}

/// D4 Algorithm 3.3, line 2: a force, not an acceleration, is added to the velocity.
fn printed_velocity(mass: f64, h: f64) -> f64 {
    -mass * G * h
}

/// Contact of two equal grains one above the other, `inside` each other, over several passes that take `omega` of the error each.
/// Heights scale the masses by e^(−k·Δh) in the passes of which `scaled` says so. Returns how much farther the upper one
/// goes than the lower one.
fn contact_passes(k: f64, height: f64, omega: f64, passes: u32, scaled: impl Fn(u32) -> bool) -> f64 {
    let (mut upper, mut lower, mut inside) = (0.0, 0.0, 1.0);
    for pass in 0..passes {
        let weight = if scaled(pass) { (k * height).exp() } else { 1.0 };
        let step = omega * inside;
        upper += step * weight / (weight + 1.0);
        lower += step / (weight + 1.0);
        inside -= step;
    }
    upper / lower
}

/// Two grains one above the other that are inside each other, in free flight but for a direction of gravity. Returns how much farther
/// the upper one goes than the lower one in a step, and the simulation.
fn engine_passes(k: f32, omega: f32, iterations: u32) -> (f64, f64, World) {
    let mut sim = simulate(&format!(
        "solver = {{ dt = 0.01, iterations = {iterations}, stabilization = 0 }}\n\
         world = {{ gravity = [0, -1e-6, 0], air_density = 0 }}\ncontact = {{ stacking = {k}, omega = {omega}, recovery_speed = 100 }}\n\
         [[grains]]\nfill = {{ min = [0, 0, 0], max = [0.2, 0.4, 0.2] }}\nradius = 0.1\njitter = 0\n"
    ));
    assert_eq!(sim.particles(), 2);
    let rows = &mut sim.state_mut().rows;
    (rows[0], rows[1]) = ([0.0, 0.0, 0.0, rows[0][3]], [0.0, 0.18, 0.0, rows[1][3]]);
    step(&mut sim, 1);
    let (up, down) = (f64::from(sim.position(1).y) - 0.18, -f64::from(sim.position(0).y));
    (up, down, sim)
}

#[test]
fn e17_printed_loop_does_not_end_forces_lack_the_inverse_mass_and_scaled_masses_last_one_pass() {
    assert_eq!(printed_loop_rounds(2, 1000), 1000, "two rounds were asked for");

    // Line 2: heavier particles would fall faster.
    assert!(relative(printed_velocity(4.0, 0.01), printed_velocity(0.5, 0.01)) > 1.0);
    let fall = |mass: f64| {
        let text = free_particle([0.0; 3], "").replace("particle_mass = 1", &format!("particle_mass = {mass}"));
        let mut sim = simulate(&text);
        step(&mut sim, 1);
        f64::from(sim.velocity(0).y)
    };
    assert!(relative(fall(4.0), fall(0.5)) < 1e-6 && relative(fall(4.0), -G * 0.01) < 1e-5);

    // Line 22: masses are restored within the first iteration, so that later ones know nothing of the height.
    let (k, height, omega, passes) = (10.0_f64, 0.18, 0.3, 12);
    let wanted = (k * height).exp();
    let printed = contact_passes(k, height, omega, passes, |pass| pass == 0);
    let every = contact_passes(k, height, omega, passes, |_| true);
    assert!(printed < 0.3 * wanted && relative(every, wanted) < 1e-12, "{printed} and {every} in place of {wanted}");
    let (up, down, sim) = engine_passes(k as f32, omega as f32, passes);
    assert!(up + down > 0.019, "the grains have parted: {up} m and {down} m");
    assert!(relative(up / down, wanted) < 0.01, "{} in place of {wanted}", up / down);
    // The masses themselves stay as they were, for all other constraints.
    let rows = &sim.state().rows;
    assert_eq!(rows[0][3], rows[1][3]);
}

/// D4's words on 4.25: h is "inversely proportional to the potential energy", so it grows downward.
fn printed_words_scale(k: f64, height: f64) -> f64 {
    (-k / height).exp()
}

/// D4 4.25 with the height.
fn formula_scale(k: f64, height: f64) -> f64 {
    (-k * height).exp()
}

#[test]
fn e22_the_formula_makes_lower_particles_heavier_and_its_words_lighter() {
    let k = 10.0;
    assert!(formula_scale(k, 0.1) > formula_scale(k, 0.5), "the formula");
    assert!(printed_words_scale(k, 0.1) < printed_words_scale(k, 0.5), "the words");
    let (up, down, _) = engine_passes(10.0, 1.0, 4);
    let wanted = formula_scale(k, 0.0) / formula_scale(k, 0.18);
    assert!(relative(up / down, wanted) < 0.01, "the upper one goes {up} m, the lower one {down} m");
    // Without scaling both go as far.
    let (up, down, _) = engine_passes(0.0, 1.0, 4);
    assert!(relative(up, down) < 1e-3, "{up} m and {down} m");
}

/// D4 3.27: a displacement compared with a speed.
fn printed_sleeps(displacement: f64, threshold: f64) -> bool {
    displacement <= threshold
}

#[test]
fn e18_printed_sleeping_depends_on_the_step_and_the_engines_does_not() {
    let (speed, threshold) = (0.5, 0.1);
    for dt in [0.01, 0.25] {
        // Five times the threshold: asleep with short steps, awake with long ones.
        assert_eq!(printed_sleeps(speed * dt, threshold), dt < 0.1, "dt {dt}");
        let mut sim = simulate(&format!(
            "solver = {{ dt = {dt}, sleep_speed = {threshold} }}\nworld = {{ gravity = [0, 0, 0], air_density = 0 }}\n{}",
            free_particle([0.0; 3], &format!("velocity = [{speed}, 0, 0]"))
        ));
        step(&mut sim, 4);
        assert!(relative(f64::from(sim.position(0).x), 4.0 * speed * dt) < 1e-5, "dt {dt}: {}", sim.position(0));
    }
}
