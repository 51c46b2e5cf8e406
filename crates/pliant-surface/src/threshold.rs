//! Where the surface is: the value of the smoothed volume in the plane that bounds a lattice of particles.
//!
//! A flat surface then is where the liquid ends, whatever the kernel's reach, and a pool keeps its volume.

use std::f64::consts::PI;

/// Threshold for particles of radius 1 that see `reach` far.
pub(crate) fn threshold(reach: f64) -> f64 {
    let side = (reach / 2.0).ceil() as i32;
    let column = |x: f64, y: f64, depth: f64| {
        let places = (-side..=side).flat_map(|i| (-side..=side).map(move |j| (2.0 * f64::from(i), 2.0 * f64::from(j))));
        places.map(|(u, v)| cubic((x - u).hypot(y - v).hypot(depth), reach)).sum::<f64>() * 8.0
    };
    // Layers below the plane; particles of the first ones miss some of their neighbors.
    let layers = side + 1;
    let level = |k: i32| -1.0 - 2.0 * f64::from(k);
    let density = |k: i32| (0..=k + layers).map(|l| column(0.0, 0.0, level(k) - level(l))).sum::<f64>();
    let densities: Vec<f64> = (0..layers).map(density).collect();
    // The mean over the square above a particle, by its midpoints.
    const SAMPLES: i32 = 4;
    let middle = |i: i32| (f64::from(i) + 0.5) / f64::from(SAMPLES);
    let mut sum = 0.0;
    for i in 0..SAMPLES * SAMPLES {
        let (x, y) = (middle(i % SAMPLES), middle(i / SAMPLES));
        sum += densities.iter().enumerate().map(|(k, d)| column(x, y, level(k as i32)) / d).sum::<f64>();
    }
    sum / f64::from(SAMPLES * SAMPLES)
}

/// Cubic spline with an integral of 1, zero from `reach` on.
fn cubic(distance: f64, reach: f64) -> f64 {
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
    fn the_threshold_is_what_the_lattice_has_in_its_boundary() {
        // Sums of the same lattice over 100 samples of the plane, by another program.
        for (reach, wanted) in [(3.0, 0.469), (3.5, 0.553), (4.0, 0.586), (5.0, 0.627), (6.0, 0.645)] {
            assert!((threshold(reach) - wanted).abs() < 2e-3, "reach {reach}: {}", threshold(reach));
        }
    }
}
