//! Solid boundaries of liquids against quadrature in three dimensions.

use glam::{DVec3, Vec3};
use pliant::fluid::boundary::{self, Boundary, LargeParticle, boundary_contribution, solid_share};
use pliant::fluid::sph_kernels::{Cubic, Poly6, Smooth, Smoothing};
use pliant::fluid::viscosity;

const REACH: f64 = 0.08;

fn kernel(smoothing: Smoothing, r: f64) -> (f64, f64) {
    let square = (r * r) as f32;
    let (value, slope) = match smoothing {
        Smoothing::Cubic => Cubic::<f32>::new(REACH as f32).at(square),
        Smoothing::Poly6 => Poly6::<f32>::new(REACH as f32).at(square),
    };
    (f64::from(value), f64::from(slope))
}

/// ∫ f dV over the points of the kernel's ball for which `inside` holds, on a fine lattice.
fn integral(inside: impl Fn(DVec3) -> bool, f: impl Fn(DVec3, f64) -> f64) -> f64 {
    let n = 120;
    let step = 2.0 * REACH / f64::from(n);
    let place = |k: i32| (f64::from(k) + 0.5) * step - REACH;
    let mut sum = 0.0;
    for x in 0..n {
        for y in 0..n {
            for z in 0..n {
                let p = DVec3::new(place(x), place(y), place(z));
                let r = p.length();
                if r < REACH && inside(p) {
                    sum += f(p, r) * step.powi(3);
                }
            }
        }
    }
    sum
}

#[test]
fn s23_solid_share_of_planes_and_spheres_is_the_kernel_integral() {
    for smoothing in [Smoothing::Cubic, Smoothing::Poly6] {
        // On the quadrature's own planes, so that it cuts no cell.
        for k in [0, 6, 15, 24] {
            let delta = f64::from(k) * 2.0 * REACH / 60.0;
            let plane = integral(|p| p.y < -delta, |_, r| kernel(smoothing, r).0);
            let (share, rate) = solid_share(smoothing, REACH as f32, delta as f32, 0.0);
            assert!((f64::from(share) - plane).abs() < 2e-3, "{smoothing:?} {delta}: {share} {plane}");
            // The kernel extends beyond the far side of the smaller ones.
            for radius in [0.025, 0.035, 0.1, 0.5] {
                let center = DVec3::new(0.0, -delta - radius, 0.0);
                let ball = integral(|p| p.distance(center) < radius, |_, r| kernel(smoothing, r).0);
                let one = LargeParticle { radius: radius as f32, scale: 1.0 };
                let at = |away: f64| one.at(smoothing, REACH as f32, (away * away) as f32);
                let share = at(delta + radius).0;
                // The slope by differences, from outside.
                let by = 1e-4;
                let wanted = f64::from(at(delta + radius + 2.0 * by).0 - share) / (2.0 * by) / (delta + radius + by);
                let found = f64::from(at(delta + radius + by).1);
                assert!(
                    (found - wanted).abs() < 0.02 / (delta + radius),
                    "{smoothing:?} {delta} {radius}: {found} {wanted}"
                );
                assert!((f64::from(share) - ball).abs() < 3e-3, "{smoothing:?} {delta} {radius}: {share} {ball}");
            }
            // The rate by differences, for plane and ball.
            for bend in [0.0, 5.0] {
                let at = |d: f64| f64::from(solid_share(smoothing, REACH as f32, d as f32, bend).0);
                let by = 1e-4;
                let (_, found) = solid_share(smoothing, REACH as f32, delta as f32 + by as f32, bend);
                let wanted = (at(delta + 2.0 * by) - at(delta)) / (2.0 * by);
                assert!((f64::from(found) - wanted).abs() < 0.02, "{smoothing:?} {delta}: {found} {wanted}");
            }
            assert!(rate <= 0.0);
        }
        assert_eq!(solid_share(smoothing, 0.08, 0.08, 0.0), (0.0, 0.0));
        // A particle inside is treated as on the surface.
        assert!((solid_share(smoothing, 0.08, -0.01, 0.0).0 - 0.5).abs() < 1e-4);
    }
}

#[test]
fn s23_the_edge_of_two_boundaries_is_counted_once() {
    let wall = |normal: Vec3, distance: f32| Boundary {
        place: normal * -distance,
        normal,
        curvature: 0.0,
        velocity: Vec3::ZERO,
    };
    for (a, b) in [(0.0, 0.0), (0.012, 0.012), (0.02, 0.02), (0.02, 0.04), (0.012, 0.052)] {
        let walls = [wall(Vec3::X, a), wall(Vec3::Y, b)];
        let (share, gradient) = boundary_contribution(&walls, Smoothing::Cubic, REACH as f32, Vec3::ZERO);
        let exact = integral(|p| p.x < -f64::from(a) || p.y < -f64::from(b), |_, r| kernel(Smoothing::Cubic, r).0);
        let twice: f32 = [a, b].iter().map(|&d| solid_share(Smoothing::Cubic, REACH as f32, d, 0.0).0).sum();
        println!("{a} {b}: {share:.4}, exactly {exact:.4}, added up {twice:.4}");
        let by = if a < 0.02 { 0.02 } else { 2e-3 };
        assert!((f64::from(share) - exact).abs() < by, "{share} {exact}");
        // Its gradient by differences.
        for axis in [Vec3::X, Vec3::Y] {
            // One-sided at the surfaces, behind which nothing changes.
            let at = |s: f32| f64::from(boundary_contribution(&walls, Smoothing::Cubic, REACH as f32, axis * s).0);
            let (wanted, by) =
                if a > 0.0 { ((at(1e-4) - at(-1e-4)) / 2e-4, 0.02) } else { (at(1e-4) / 1e-4 - at(0.0) / 1e-4, 0.2) };
            assert!((f64::from(gradient.dot(axis)) - wanted).abs() < by, "{gradient} {wanted}");
        }
    }
}

#[test]
fn s24_boundary_resistance_is_the_integral_of_the_operator() {
    for smoothing in [Smoothing::Cubic, Smoothing::Poly6] {
        let small = f64::from(viscosity::SMALL) * REACH * REACH;
        let at_wall = f64::from(viscosity::boundary_resistance(smoothing, REACH as f32, 0.0));
        for k in [3, 9, 15, 24, 29] {
            let delta = f64::from(k) * 2.0 * REACH / 60.0;
            let part = |p: DVec3, r: f64| -kernel(smoothing, r).1 * p.x * p.x / (r * r + small);
            let wanted = integral(|p| p.y < -delta, part);
            let found = f64::from(viscosity::boundary_resistance(smoothing, REACH as f32, delta as f32));
            assert!((found - wanted).abs() < 0.01 * at_wall, "{smoothing:?} {delta}: {found} {wanted}");
        }
    }
}

/// A lattice that continues behind the wall is what a liquid at rest would see: every layer has its density.
#[test]
fn s23_a_lattice_at_a_boundary_has_rest_density() {
    for smoothing in [Smoothing::Cubic, Smoothing::Poly6] {
        let radius = 0.02;
        let back = boundary::setback(smoothing, REACH as f32, radius);
        let floor = Boundary { place: Vec3::Y * -back, normal: Vec3::Y, curvature: 0.0, velocity: Vec3::ZERO };
        // Volumes are such that a lattice has its density.
        let volume = 1.0 / integral_of_layers(smoothing, -9..=9);
        for layer in 0..3 {
            let above = integral_of_layers(smoothing, -layer..=9) * volume;
            let at = Vec3::Y * (radius * (2 * layer + 1) as f32);
            let (share, _) = boundary_contribution(&[floor], smoothing, REACH as f32, at);
            println!("{smoothing:?}, layer {layer}: {:.4}", above + f64::from(share));
            assert!((above + f64::from(share) - 1.0).abs() < 0.004, "{smoothing:?} {layer}");
        }
    }
}

/// Sum of the kernel over layers of a lattice of spacing 2r, by their number from the particle's own.
fn integral_of_layers(smoothing: Smoothing, layers: std::ops::RangeInclusive<i32>) -> f64 {
    let mut sum = 0.0;
    for y in layers {
        for (x, z) in (-2..=2).flat_map(|x| (-2..=2).map(move |z| (x, z))) {
            sum += kernel(smoothing, f64::from(x * x + y * y + z * z).sqrt() * 0.04).0;
        }
    }
    sum
}
