//! D4 chapter 3, the density constraint (3.43–3.49).

use crate::support::simulate;
use glam::{DVec3, Vec3};
use pliant::fluid::density::{DensityParams, Sums, multiplier};
use pliant::fluid::sph_kernels::Smoothing;
use pliant::math::V3;

const REACH: f64 = 0.1;
/// Density at rest [kg/m³].
const REST: f64 = 1000.0;

/// Cubic kernel [1/m³] in double precision.
fn kernel(r: f64) -> f64 {
    let q = 2.0 * r / REACH;
    let unit = if q < 1.0 { 1.0 - 1.5 * q * q + 0.75 * q * q * q } else { 0.25 * (2.0 - q).max(0.0).powi(3) };
    unit / (std::f64::consts::PI * (0.5 * REACH).powi(3))
}

/// ∇W at x by central differences.
fn slope(x: DVec3) -> DVec3 {
    let part = |axis: DVec3| (kernel((x + axis * 1e-7).length()) - kernel((x - axis * 1e-7).length())) / 2e-7;
    DVec3::new(part(DVec3::X), part(DVec3::Y), part(DVec3::Z))
}

/// Particles of very different masses around the origin, the first in the middle.
fn cloud() -> Vec<(DVec3, f64)> {
    let places = [[0.0; 3], [0.05, 0.01, 0.0], [-0.02, 0.04, 0.01], [0.01, -0.03, 0.05], [0.02, 0.03, -0.04]];
    places.iter().zip([0.1, 0.8, 0.05, 0.4, 0.2]).map(|(p, m)| (DVec3::from(*p), m)).collect()
}

fn constraint(i: usize, all: &[(DVec3, f64)]) -> f64 {
    all.iter().map(|(x, m)| m * kernel((all[i].0 - *x).length())).sum::<f64>() / REST - 1.0
}

/// ∇ₖCᵢ by central differences.
fn differences(i: usize, k: usize, all: &[(DVec3, f64)]) -> DVec3 {
    let at = |shift: DVec3| {
        let mut moved = all.to_vec();
        moved[k].0 += shift;
        constraint(i, &moved)
    };
    let part = |axis: DVec3| (at(axis * 1e-7) - at(axis * -1e-7)) / 2e-7;
    DVec3::new(part(DVec3::X), part(DVec3::Y), part(DVec3::Z))
}

/// D4 3.44. The gradient of W is taken with respect to particle k.
fn printed_gradient(i: usize, k: usize, all: &[(DVec3, f64)]) -> DVec3 {
    let others = (0..all.len()).filter(|&j| j != i);
    if k == i {
        others.map(|j| slope(all[i].0 - all[j].0)).sum::<DVec3>() * (all[i].1 / REST)
    } else {
        // With respect to xₖ the gradient of W(xᵢ − xₖ) is −∇W.
        let of_k = -slope(all[i].0 - all[k].0);
        -of_k * (all[k].1 / REST)
    }
}

fn relative(found: DVec3, exact: DVec3) -> f64 {
    found.distance(exact) / exact.length()
}

#[test]
fn e20_printed_density_gradients_have_the_wrong_mass_and_sign_and_the_kernels_are_the_differences() {
    let all = cloud();
    let exact = |k: usize| differences(0, k, &all);
    assert!(relative(printed_gradient(0, 0, &all), exact(0)) > 0.3, "own gradient: mᵢ in place of mⱼ");
    for k in 1..all.len() {
        assert!((relative(printed_gradient(0, k, &all), exact(k)) - 2.0).abs() < 1e-3, "of {k}: the opposite sign");
    }
    let mut sums = Sums::<f32>::zero();
    for &(x, mass) in &all[1..] {
        let apart = (all[0].0 - x).as_vec3();
        let at = Smoothing::Cubic.at(REACH as f32, apart.length_squared());
        let one = Sums::zero().with(at, vector(apart), apart.length_squared(), (mass / REST) as f32, 1.0);
        sums = sums.with(at, vector(apart), apart.length_squared(), (mass / REST) as f32, 1.0);
        // Of a neighbor: the opposite of what it adds to the particle's own gradient.
        let k = all.iter().position(|(p, _)| *p == x).unwrap();
        assert!(relative(-double(one.gradient), exact(k)) < 1e-4, "of {k}");
    }
    assert!(relative(double(sums.gradient), exact(0)) < 1e-4);
}

fn vector(v: Vec3) -> V3<f32> {
    V3::new(v.x, v.y, v.z)
}

fn double(v: V3<f32>) -> DVec3 {
    DVec3::new(f64::from(v.x), f64::from(v.y), f64::from(v.z))
}

/// D4 3.47 for all particles.
fn printed_moves(all: &[(DVec3, f64)], lambda: &[f64]) -> Vec<DVec3> {
    let of = |i: usize| {
        let others = (0..all.len()).filter(move |&j| j != i);
        others.map(|j| slope(all[i].0 - all[j].0) * (lambda[i] + lambda[j])).sum::<DVec3>() / REST
    };
    (0..all.len()).map(of).collect()
}

/// The same with both masses: Δxᵢ = (wᵢ/ρ₀)·Σ (mⱼλᵢ + mᵢλⱼ)·∇W.
fn right_moves(all: &[(DVec3, f64)], lambda: &[f64]) -> Vec<DVec3> {
    let of = |i: usize| {
        let others = (0..all.len()).filter(move |&j| j != i);
        let pair = |j: usize| all[j].1 * lambda[i] + all[i].1 * lambda[j];
        others.map(|j| slope(all[i].0 - all[j].0) * pair(j)).sum::<DVec3>() / (REST * all[i].1)
    };
    (0..all.len()).map(of).collect()
}

#[test]
fn e21_printed_moves_of_unequal_masses_lose_momentum_and_a_two_sided_density_pulls() {
    let all = cloud();
    let lambda = [-3e-3, -1e-3, -5e-3, -2e-3, -4e-3];
    let off = |moves: &[DVec3]| {
        let each = moves.iter().zip(&all).map(|(x, (_, m))| *x * *m);
        each.clone().sum::<DVec3>().length() / each.map(|p| p.length()).sum::<f64>()
    };
    let (printed, right) = (off(&printed_moves(&all, &lambda)), off(&right_moves(&all, &lambda)));
    assert!(printed > 0.05 && right < 1e-12, "{printed} as printed, {right} with both masses");

    // Two liquids, one 2.7 times as dense, thrown into each other with no outer force.
    let mut sim = simulate(
        "solver = { dt = 0.005, iterations = 3 }\nworld = { gravity = [0, 0, 0], air_density = 0 }\nfluid = { radius = 0.02 }\n\
         [[liquid]]\nfill = { min = [0, 0, 0], max = [0.2, 0.2, 0.2] }\nvelocity = [1, 0, 0]\n\
         [[liquid]]\nname = \"dense\"\nfill = { min = [0.2, 0.02, 0.02], max = [0.4, 0.22, 0.22] }\nvelocity = [-1, 0, 0]\ndensity = 2700\n",
    );
    let before = DVec3::from(sim.probe().linear);
    sim.advance(20).unwrap();
    let size: f64 = (0..sim.particles()).map(|i| f64::from(sim.velocity(i).length() / sim.state().rows[i][3])).sum();
    let lost = before.distance(DVec3::from(sim.probe().linear)) / size;
    assert!(lost < 1e-5, "momentum is off by {lost}");

    // One-sided: too low a density gives no correction; as printed (3.41: C = 0) it would pull particles together.
    let params = DensityParams { omega: 1.0, compliance: 0.0, relaxation: 0.0 };
    assert_eq!(multiplier(&params, 0.0, -0.4, 10.0, 0.0), 0.0);
    assert!(multiplier(&params, 0.0, 0.4, 10.0, 0.0) < 0.0);
}
