//! Kernels and the density constraint against quadrature, finite differences and brute force.

use glam::DVec3;
use pliant::fluid::sph_kernels::{Cubic, Poly6, Smooth, Smoothing};
use std::f64::consts::PI;

const BOTH: [Smoothing; 2] = [Smoothing::Cubic, Smoothing::Poly6];

fn at(smoothing: Smoothing, reach: f64, r: f64) -> (f64, f64) {
    let square = (r * r) as f32;
    let (value, slope) = match smoothing {
        Smoothing::Cubic => Cubic::<f32>::new(reach as f32).at(square),
        Smoothing::Poly6 => Poly6::<f32>::new(reach as f32).at(square),
    };
    (f64::from(value), f64::from(slope))
}

/// ∫ f(r) dr over the reach, by Simpson's rule.
fn integral(reach: f64, f: impl Fn(f64) -> f64) -> f64 {
    let n = 2000;
    let step = reach / f64::from(n);
    let weight = |k: i32| if k == 0 || k == n { 1.0 } else { 2.0 + 2.0 * f64::from(k % 2) };
    (0..=n).map(|k| weight(k) * f(f64::from(k) * step)).sum::<f64>() * step / 3.0
}

#[test]
fn s23_kernels_have_integral_one_and_end_at_their_reach() {
    for reach in [0.04, 0.1, 3.0] {
        for smoothing in BOTH {
            let whole = integral(reach, |r| 4.0 * PI * r * r * at(smoothing, reach, r).0);
            assert!((whole - 1.0).abs() < 1e-5, "{smoothing:?} {reach}: {whole}");
            // ∫ ∇W·x dV = −3 for a kernel with integral 1: so the gradient of "spiky" belongs to one too.
            let moment = integral(reach, |r| 4.0 * PI * r * r * at(smoothing, reach, r).1 * r * r);
            assert!((moment + 3.0).abs() < 1e-4, "{smoothing:?} {reach}: {moment}");
            assert_eq!(at(smoothing, reach, 1.001 * reach), (0.0, 0.0));
            let edge = at(smoothing, reach, 0.999 * reach);
            assert!(edge.0 >= 0.0 && edge.1 <= 0.0, "{edge:?}");
        }
    }
}

#[test]
fn s23_slopes_are_differences_of_the_kernels() {
    let reach = 0.08_f64;
    let spiky = |r: f64| 15.0 / (PI * reach.powi(6)) * (reach - r).powi(3);
    let cubic = |r: f64| {
        let q = 2.0 * r / reach;
        let unit = if q < 1.0 { 1.0 - 1.5 * q * q + 0.75 * q * q * q } else { 0.25 * (2.0 - q).powi(3) };
        unit / (PI * (0.5 * reach).powi(3))
    };
    for k in 1..80 {
        let r = f64::from(k) * 0.001;
        let slope = |w: &dyn Fn(f64) -> f64| (w(r + 1e-6) - w(r - 1e-6)) / (2e-6 * r);
        let check = |found: f64, w: &dyn Fn(f64) -> f64| {
            let scale = w(0.0) / (reach * reach);
            assert!((found - slope(w)).abs() < 2e-4 * scale * (reach / r), "r = {r}: {found} {}", slope(w));
        };
        check(at(Smoothing::Cubic, reach, r).1, &cubic);
        check(at(Smoothing::Poly6, reach, r).1, &spiky);
        assert!((at(Smoothing::Cubic, reach, r).0 - cubic(r)).abs() < 1e-5 * cubic(0.0));
    }
}

/// Density of a particle on a cubic lattice of spacing 2r with H = 4r, summed analytically.
#[test]
fn s23_density_on_a_lattice_is_the_analytic_sum() {
    let (radius, reach) = (0.02, 0.08);
    let volume = (2.0_f64 * radius).powi(3);
    for (smoothing, wanted) in [
        (Smoothing::Cubic, 1.0 / PI * (1.0 + 6.0 / 4.0 + 3.0 * 0.5857864_f64.powi(3) + 2.0 * 0.2679492_f64.powi(3))),
        (Smoothing::Poly6, 315.0 / (64.0 * PI * 512.0) * (64.0 + 6.0 * 27.0 + 12.0 * 8.0 + 8.0)),
    ] {
        let mut sum = 0.0;
        for x in -2..=2 {
            for y in -2..=2 {
                for z in -2..=2 {
                    let r = DVec3::new(f64::from(x), f64::from(y), f64::from(z)).length() * 2.0 * radius;
                    sum += volume * at(smoothing, reach, r).0;
                }
            }
        }
        println!("{smoothing:?}: {sum:.6}, by hand {wanted:.6}");
        assert!((sum - wanted).abs() < 1e-5);
        assert!((sum - 1.0).abs() < 0.011);
    }
}

/// The same lanes side by side as one after the other.
#[test]
fn s23_a_kernel_at_its_center_is_finite_and_flat() {
    for smoothing in BOTH {
        let (value, slope) = at(smoothing, 0.08, 0.0);
        assert!(value > 0.0 && value.is_finite() && slope.is_finite());
        let near = at(smoothing, 0.08, 1e-7);
        assert!((near.0 / value - 1.0).abs() < 1e-4 && near.1.is_finite());
    }
}
