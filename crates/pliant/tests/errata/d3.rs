//! D3: variational form and Newton step (E11), BDF2 (E12), continuum elements (E13), rotation extraction (E14).

use crate::samples::{Double, Sample};
use crate::support::{G, free_particle, relative, simulate, step};
use glam::{DMat3, DQuat, DVec3};
use pliant::constraints::ConstraintKind;
use pliant::math::matrix::{Mat3, UPRIGHT, matrix_of};
use pliant::shape_matching::rotation::extract;

/// D3, variational form with the sign as printed: the stationary point of ½m(x − x̃)² − h²·½k(x − d)².
fn printed_minimizer(mass: f64, h: f64, k: f64, rest: f64, predicted: f64) -> f64 {
    (mass * predicted - h * h * k * rest) / (mass - h * h * k)
}

/// D3: x̃ = x + h·v + M⁻¹f, without the square of the step.
fn printed_prediction(x: f64, v: f64, h: f64, acceleration: f64) -> f64 {
    x + h * v + acceleration
}

/// First row of D3's Newton system as printed, M·Δx + ∇Cᵀ·Δλ = 0, with its Schur complement Δλ = −C/(∇C M⁻¹ ∇Cᵀ).
fn printed_newton_step(c: f64, weight: f64) -> f64 {
    let delta_lambda = -c / weight;
    -weight * delta_lambda
}

#[test]
fn e11_printed_signs_and_scales_do_not_give_the_implicit_step_and_the_kernel_does() {
    // A spring of stiffness k between a particle of mass m and a fixed point, predicted at 1.4 m from it.
    let (mass, h, k, rest, predicted) = (2.0, 0.1, 300.0, 1.0, 1.4);
    let slope = |x: f64| mass * (x - predicted) + h * h * k * (x - rest);
    let printed = printed_minimizer(mass, h, k, rest, predicted);
    // Implicit Euler damps: the stretch must shrink. The printed sign turns the particle away from its rest.
    assert!(slope(printed).abs() > 1.0 && (printed - rest).abs() > 0.4, "{printed}");
    let rows = vec![[predicted, 0.0, 0.0, 1.0 / mass], [0.0; 4]];
    let mut at = Sample { kind: ConstraintKind::Stretch, params: vec![rest, 1.0 / k], rows };
    // α̃ = α/h².
    let outcome = at.project::<Double>((1.0 / (h * h), 1.0), &[0.0]);
    at.apply(&outcome);
    let x = at.point(0).x;
    assert!(slope(x).abs() < 1e-9 && (x - rest).abs() < 0.4, "{x}: slope {}", slope(x));

    // Upper right block: with +∇Cᵀ the step raises C.
    let c = 0.4;
    assert!((c + printed_newton_step(c, 1.0 / mass)).abs() > c);

    // Free fall over a step of 10 ms: 9.81 m as printed, 0.981 mm in truth.
    let dt = 0.01;
    assert!(printed_prediction(0.0, 0.0, dt, -G) < -9.0);
    let mut sim = simulate(&format!("solver = {{ dt = {dt} }}\n{}", free_particle([0.0; 3], "")));
    step(&mut sim, 1);
    assert!(relative(f64::from(sim.position(0).y), -G * dt * dt) < 1e-5, "{}", sim.position(0));
}

/// Stretch [m] of a spring of compliance `alpha` that bears m·g at rest under BDF2, if α̃ = `scale`·α/h². At rest the
/// prediction falls by 4/9·h²·g, which the solve takes back: Δx = w·λ, and C = −α̃·λ.
fn printed_rest(alpha: f64, mass: f64, scale: f64) -> f64 {
    scale * alpha * mass * G * 4.0 / 9.0
}

#[test]
fn e12_without_nine_quarters_a_spring_is_too_stiff_under_bdf2_and_the_engines_hangs_by_m_g_alpha() {
    let (alpha, mass) = (1e-3, 2.0);
    let exact = mass * G * alpha;
    assert!(relative(printed_rest(alpha, mass, 1.0), exact) > 0.5);
    assert!(relative(printed_rest(alpha, mass, 2.25), exact) < 1e-12);
    let mut sim = simulate(&format!(
        "solver = {{ dt = 0.01, iterations = 4, integrator = \"bdf2\" }}\nworld = {{ damping = 5, air_density = 0 }}\n\
         [[rope]]\npath = [[0, 1, 0], [0, 0, 0]]\nsegments = 1\nparticle_mass = {mass}\n\
         stretch = {{ compliance = {alpha} }}\npin = [{{ at = \"start\" }}]\n"
    ));
    step(&mut sim, 1000);
    let hang = -f64::from(sim.position(1).y);
    assert!(relative(hang, exact) < 0.01, "{hang} m in place of {exact} m");
}

/// D3's second-order prediction, and its velocity.
fn printed_bdf2_prediction(x: [f64; 2], v: [f64; 2], h: f64, a: f64) -> f64 {
    4.0 / 3.0 * x[0] - x[1] / 3.0 + 8.0 / 9.0 * h * v[0] - 2.0 / 9.0 * h * v[1] + 4.0 / 9.0 * h * h * a
}

fn printed_bdf2_velocity(after: f64, x: [f64; 2], h: f64) -> f64 {
    (1.5 * after - 2.0 * x[0] + 0.5 * x[1]) / h
}

#[test]
fn e12_the_first_step_and_contacts_are_of_first_order() {
    let (dt, v) = (0.01, 3.0);
    // On the first step there is no state before: with the initial one in its place a third of the way is lost.
    let printed = printed_bdf2_prediction([0.0; 2], [v; 2], dt, 0.0);
    assert!(relative(printed, v * dt) > 0.3, "{printed}");
    let text = |more: &str, at: [f64; 3]| {
        format!(
            "solver = {{ dt = {dt}, integrator = \"bdf2\" }}\nworld = {{ air_density = 0{more} }}\n{}",
            free_particle(at, &format!("velocity = [0, {}, 0]\nradius = 0.1", -v))
        )
    };
    let mut sim = simulate(&text(", gravity = [0, 0, 0]", [0.0; 3]));
    step(&mut sim, 1);
    assert!(relative(f64::from(sim.position(0).y), -v * dt) < 1e-5, "{}", sim.position(0));
    // A particle that came down at speed v and is stopped by a floor would leave it at v/2.
    let rebound = printed_bdf2_velocity(0.0, [0.0, v * dt], dt);
    assert!(relative(rebound, 0.5 * v) < 1e-12, "{rebound}");
    let mut sim = simulate(&(text("", [0.0, 0.5, 0.0]) + "[[collider]]\nplane = {}\n"));
    let mut landed = false;
    for _ in 0..100 {
        step(&mut sim, 1);
        landed |= sim.position(0).y < 0.101;
        assert!(!landed || sim.position(0).y < 0.102, "rebounds to {} m", sim.position(0).y);
    }
    assert!(landed);
}

/// Energy ½·CᵀKC·size of a strain vector, by D3's stiffness matrix. D3 has neither the volume of the element nor says
/// which shear strain it means.
fn printed_shear_energy(shear_strain: f64, mu: f64) -> f64 {
    0.5 * shear_strain * 2.0 * mu * shear_strain
}

#[test]
fn e13_printed_compliance_lacks_the_volume_and_has_the_wrong_shear_entry() {
    let (young, nu, thickness) = (1e5, 0.3, 0.002);
    let mu = young / (2.0 * (1.0 + nu));
    let (side, gamma) = (0.4, 1e-3);
    let volume = 0.5 * side * side * thickness;
    // Simple shear by γ stores ½·μ·γ² per volume.
    let exact = 0.5 * mu * gamma * gamma * volume;
    for strain in [gamma, 0.5 * gamma] {
        assert!(relative(printed_shear_energy(strain, mu) * volume, exact) > 0.4, "with strain {strain}");
        assert!(relative(printed_shear_energy(strain, mu), exact) > 0.9, "without the volume");
    }
    let sim = simulate(&format!(
        "[[cloth]]\ngrid = {{ cells = [1, 1], size = [{side}, {side}] }}\nthickness = {thickness}\n\
         fem = {{ young = {young}, poisson = {nu} }}\n"
    ));
    let view = sim.constraints(ConstraintKind::FemTriangle).next().unwrap();
    let params: Vec<f64> = view.params.iter().map(|&v| f64::from(v)).collect();
    // Sheared along x by γ·y, in the plane of the grid.
    let place = |r: &u32| sim.position(*r as usize).as_dvec3();
    let rows = view.rows.iter().map(|r| (place(r).x + gamma * place(r).y, place(r)));
    let rows = rows.map(|(x, p)| [x, p.y, p.z, 1.0]).collect();
    let at = Sample { kind: ConstraintKind::FemTriangle, params, rows };
    let found = at.measure::<Double>()[1];
    assert!(relative(found, exact) < 2e-3, "{found} J in place of {exact} J");
    // "Mu = 0.3" beside E = 1e5 cannot be a shear modulus: E/(2μ) − 1 is no Poisson's ratio below ½.
    let printed_mu = 0.3;
    assert!(young / (2.0 * printed_mu) - 1.0 > 0.5 && nu < 0.5);
}

/// D3's extractRotation, with the constant added to the quotient as in its source.
fn printed_extraction(a: &DMat3, mut q: DQuat, steps: u32) -> DQuat {
    for _ in 0..steps {
        let r = DMat3::from_quat(q);
        let columns = [(r.x_axis, a.x_axis), (r.y_axis, a.y_axis), (r.z_axis, a.z_axis)];
        let torque: DVec3 = columns.iter().map(|(r, a)| r.cross(*a)).sum();
        let along: f64 = columns.iter().map(|(r, a)| r.dot(*a)).sum();
        let omega = torque * (1.0 / along.abs()) + DVec3::splat(1e-9);
        let w = omega.length();
        if w < 1e-9 {
            break;
        }
        q = (DQuat::from_axis_angle(omega / w, w) * q).normalize();
    }
    q
}

#[test]
fn e14_a_constant_outside_of_the_denominator_divides_by_zero_and_the_engine_finds_the_rotation() {
    // The axes exchanged in turn: a third of a turn about (1, 1, 1), whose trace is exactly 0.
    let exchanged = DMat3::from_cols(DVec3::Y, DVec3::Z, DVec3::X);
    assert!(printed_extraction(&exchanged, DQuat::IDENTITY, 20).is_nan());
    // So is the answer for a body crushed to a point.
    assert!(printed_extraction(&DMat3::ZERO, DQuat::IDENTITY, 20).is_nan());
    for a in [exchanged, DMat3::ZERO] {
        let columns: Mat3 = a.to_cols_array_2d().map(|c| c.map(|v| v as f32));
        let found = matrix_of(extract(&columns, UPRIGHT));
        assert!(found.iter().flatten().all(|v| v.is_finite()), "{found:?}");
        let goal = if a == DMat3::ZERO { DMat3::IDENTITY } else { a };
        for (f, g) in found.iter().flatten().zip(goal.to_cols_array()) {
            assert!((f64::from(*f) - g).abs() < 1e-6, "{found:?}");
        }
    }
}
