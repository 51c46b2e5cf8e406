//! Stage predict: forces, unconstrained velocities and positions; resets multipliers.

use crate::integration::bdf::{free_velocity_bdf1, free_velocity_bdf2, predict_bdf1, predict_bdf2};
use crate::integration::pins::{MovedPins, moving};
use crate::math::V3;
use crate::math::{RowData, vector};
use crate::runtime::cpu::threads::Threads;
use crate::scene::Integrator;
use crate::schedule::substep::{DivergenceFlag, Substep};
use crate::settings::Settings;
use crate::state::State;
use glam::Quat;

/// The part of a model that time integration reads.
pub(crate) struct IntegrationModel<'a> {
    /// Integrator, gravity, damping.
    pub(crate) settings: &'a Settings,
    /// Kinematic pins.
    pub(crate) pins: &'a [MovedPins],
    /// Inverse quaternion mass of each orientation [1/(kg·m²)].
    pub(crate) spin_inv_inertias: &'a [f32],
}

/// Runs the stage.
pub fn predict(
    threads: &Threads,
    model: &IntegrationModel<'_>,
    state: &mut State,
    forces: &[RowData],
    sub: &Substep,
    divergence: &DivergenceFlag,
) {
    for lambda in &mut state.multipliers {
        threads.chunks(lambda, 1, |_, piece| piece.fill(0.0));
    }
    state.inflate_multipliers.fill(0.0);

    let second = model.settings.integrator == Integrator::Bdf2 && sub.index > 0;
    if model.settings.integrator == Integrator::Bdf2 {
        // Positions at the start of the last substep are one substep older now.
        std::mem::swap(&mut state.older, &mut state.previous);
        // `velocities` holds those of one substep ago, until it is overwritten.
        std::mem::swap(&mut state.older_velocities, &mut state.velocities);
    }
    let gravity = V3::new(model.settings.gravity.x, model.settings.gravity.y, model.settings.gravity.z);
    let (particles, h, keep) = (state.particles, sub.h, sub.keep);
    let inv_inertias = model.spin_inv_inertias;
    let (older, older_velocities, first_order) = (&state.older, &state.older_velocities, &state.first_order);
    // Copies of particles have neither history nor velocity.
    let solid = state.velocities.len();
    let arrays = (&mut state.rows[..solid], &mut state.previous[..], &mut state.velocities[..]);
    threads.zip(arrays, |first, rows, previous, velocities| {
        for k in 0..rows.len() {
            let i = first + k;
            let row = rows[k];
            previous[k] = row;
            let latest = older_velocities.get(i).copied().unwrap_or(velocities[k]);
            if i >= particles {
                if inv_inertias[i - particles] > 0.0 {
                    rows[k] = spin(row, latest, h * keep);
                }
                continue;
            }
            if row[3] == 0.0 {
                continue;
            }
            let x = vector(row);
            let a = match forces.get(i) {
                Some(f) => gravity + vector(*f) * row[3],
                None => gravity,
            };
            let v = vector(latest) * keep;
            let (free, ahead) = if second && !first_order[i] {
                let free = free_velocity_bdf2(v, vector(velocities[k]) * keep, a, h);
                (free, predict_bdf2(x, vector(older[i]), free, h))
            } else {
                let free = free_velocity_bdf1(v, a, h);
                (free, predict_bdf1(x, free, h))
            };
            divergence.check(i, ahead);
            velocities[k] = [free.x, free.y, free.z, 0.0];
            rows[k] = [ahead.x, ahead.y, ahead.z, row[3]];
        }
    });
    for pins in moving(model.pins) {
        let (rest, now) = (pins.rest, pins.motion.pose(sub.end));
        for (&i, &origin) in pins.particles.iter().zip(&pins.origins) {
            let p = now.outward(rest.inward(origin));
            state.rows[i as usize] = [p.x, p.y, p.z, 0.0];
        }
        let turned = now.rotation * rest.rotation.conjugate();
        for (&q, &origin) in pins.orientations.iter().zip(&pins.turns) {
            let old = Quat::from_array(state.rows[particles + q as usize]);
            // Of the two quaternions of this rotation, the one near the old one: rates are differences.
            let new = (turned * origin).normalize();
            let new = if new.dot(old) < 0.0 { -new } else { new };
            state.rows[particles + q as usize] = new.to_array();
        }
    }
}

/// Advances a quaternion along its great circle: a straight line in four dimensions, normalized.
fn spin(q: RowData, rate: RowData, h: f32) -> RowData {
    let next: RowData = std::array::from_fn(|k| q[k] + rate[k] * h);
    let length = (next[0] * next[0] + next[1] * next[1] + next[2] * next[2] + next[3] * next[3]).sqrt();
    next.map(|c| c / length)
}
