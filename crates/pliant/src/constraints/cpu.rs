//! Volume constraints of inflatables on the CPU: one per closed surface.

use crate::constraints::Scales;
use crate::constraints::inflate::Inflatable;
use crate::constraints::inflate::{corner_gradient, triangle_volume};
use crate::math::RowData;
use crate::math::V3;
use crate::math::vector;
use crate::runtime::cpu::threads::Threads;

/// Projects every inflatable once: C = V − p·V₀.
///
/// `gradients` is scratch: it grows to the largest inflatable.
pub(crate) fn inflate(
    threads: &Threads,
    inflatables: &[Inflatable],
    (all_rows, multipliers): (&mut [RowData], &mut [f32]),
    gradients: &mut Vec<V3<f32>>,
    scales: &Scales<f32>,
) {
    for (body, lambda) in inflatables.iter().zip(multipliers) {
        let rows = &*all_rows;
        gradients.resize(gradients.len().max(body.particles.len()), V3::zero());
        // Relative to a point of the body: far from the origin the small volume would lose precision.
        let origin = vector(rows[body.particles[0] as usize]);
        threads.chunks(&mut gradients[..body.particles.len()], 1, |first, piece| {
            for (k, gradient) in piece.iter_mut().enumerate() {
                let range = body.offsets[first + k] as usize..body.offsets[first + k + 1] as usize;
                *gradient = body.corners[range].iter().fold(V3::zero(), |sum, &[b, c]| {
                    let at = |i: u32| vector(rows[i as usize]) - origin;
                    sum + corner_gradient(at(b), at(c))
                });
            }
        });
        let gradients = &gradients[..body.particles.len()];
        let inv_mass = threads.sum(body.particles.len(), |range| {
            range.map(|k| f64::from(rows[body.particles[k] as usize][3] * gradients[k].length_squared())).sum()
        }) as f32;
        let c = (volume(threads, body, rows) - f64::from(body.pressure * body.rest_volume)) as f32;
        let dl = scales.delta_lambda(body.softness, c, *lambda, inv_mass);
        *lambda += dl;
        for (&i, g) in body.particles.iter().zip(gradients) {
            let row = &mut all_rows[i as usize];
            let s = row[3] * dl;
            *row = [row[0] + g.x * s, row[1] + g.y * s, row[2] + g.z * s, row[3]];
        }
    }
}

/// Enclosed volume [m³].
pub(crate) fn volume(threads: &Threads, body: &Inflatable, rows: &[RowData]) -> f64 {
    let origin = vector(rows[body.particles[0] as usize]);
    let at = |i: u32| vector(rows[i as usize]) - origin;
    threads.sum(body.triangles.len(), |range| {
        body.triangles[range].iter().map(|&[a, b, c]| f64::from(triangle_volume(at(a), at(b), at(c)))).sum()
    })
}
