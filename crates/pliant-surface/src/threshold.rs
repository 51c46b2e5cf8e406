//! Isovalue: the smoothed volume in the plane that bounds a half-space lattice of particles.
//!
//! A flat surface is then reconstructed where the liquid ends for every kernel support, and a pool keeps its volume.

use std::f64::consts::PI;

/// Isovalue for particles of radius 1 and a kernel of support radius `reach`.
pub(crate) fn threshold(reach: f64) -> f64 {
    let side = (reach / 2.0).ceil() as i32;
    let column = |x: f64, y: f64, depth: f64| {
        let lattice =
            (-side..=side).flat_map(|i| (-side..=side).map(move |j| (2.0 * f64::from(i), 2.0 * f64::from(j))));
        lattice.map(|(u, v)| cubic_spline((x - u).hypot(y - v).hypot(depth), reach)).sum::<f64>() * 8.0
    };
    // Layers below the plane; particles of the first layers lack some neighbors.
    let layers = side + 1;
    let level = |k: i32| -1.0 - 2.0 * f64::from(k);
    let density = |k: i32| (0..=k + layers).map(|l| column(0.0, 0.0, level(k) - level(l))).sum::<f64>();
    let densities: Vec<f64> = (0..layers).map(density).collect();
    // Mean over the square above a particle, by the midpoint rule.
    const SAMPLES: i32 = 4;
    let middle = |i: i32| (f64::from(i) + 0.5) / f64::from(SAMPLES);
    let mut sum = 0.0;
    for i in 0..SAMPLES * SAMPLES {
        let (x, y) = (middle(i % SAMPLES), middle(i / SAMPLES));
        sum += densities.iter().enumerate().map(|(k, d)| column(x, y, level(k as i32)) / d).sum::<f64>();
    }
    sum / f64::from(SAMPLES * SAMPLES)
}

/// Cubic spline kernel of support radius `reach`, normalized to 1.
fn cubic_spline(distance: f64, reach: f64) -> f64 {
    let h = reach / 2.0;
    let q = distance / h;
    let value = match q {
        _ if q < 1.0 => 1.0 - 1.5 * q * q + 0.75 * q * q * q,
        _ if q < 2.0 => 0.25 * (2.0 - q).powi(3),
        _ => 0.0,
    };
    value / (PI * h * h * h)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_isovalue_is_that_of_a_lattice_at_its_boundary() {
        // Reference: sums of the same lattice over 100 samples of the plane, by another program.
        for (reach, wanted) in [(3.0, 0.469), (3.5, 0.553), (4.0, 0.586), (5.0, 0.627), (6.0, 0.645)] {
            assert!((threshold(reach) - wanted).abs() < 2e-3, "reach {reach}: {}", threshold(reach));
        }
    }
}
