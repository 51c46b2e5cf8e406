//! Stage finalize: velocities from positions, sleeping, and the divergence check.

use crate::integration::bdf::{velocity_bdf1, velocity_bdf2};
use crate::math::vector;
use crate::runtime::cpu::threads::Threads;
use crate::scene::Integrator;
use crate::schedule::substep::{DivergenceFlag, Substep};
use crate::settings::Settings;
use crate::state::State;

/// Runs the stage.
pub fn finalize(
    threads: &Threads,
    (settings, liquids): (&Settings, &[u32]),
    state: &mut State,
    sub: &Substep,
    divergence: &DivergenceFlag,
) {
    let bdf2 = settings.integrator == Integrator::Bdf2;
    let second = bdf2 && sub.index > 0;
    let (h, inv_h) = (sub.h, 1.0 / sub.h);
    // E18: a displacement is compared with a displacement.
    let sleep = settings.sleep_speed * sub.h;
    let (particles, older, first_order) = (state.particles, &state.older, &state.first_order);
    // Copies of particles have neither history nor velocity.
    let solid = state.velocities.len();
    let arrays = (&mut state.rows[..solid], &mut state.previous[..], &mut state.velocities[..]);
    threads.zip(arrays, |first, rows, previous, velocities| {
        for k in 0..rows.len() {
            let i = first + k;
            let (row, before) = (rows[k], previous[k]);
            if i >= particles {
                velocities[k] = std::array::from_fn(|c| (row[c] - before[c]) * inv_h);
                continue;
            }
            let (x, start) = (vector(row), vector(before));
            if row[3] > 0.0 && (x - start).length_squared() < sleep * sleep {
                rows[k] = before;
                velocities[k] = [0.0; 4];
                continue;
            }
            divergence.check(i, x);
            if row[3] == 0.0 {
                let v = (x - start) * inv_h;
                velocities[k] = [v.x, v.y, v.z, 0.0];
                continue;
            }
            let free = vector(velocities[k]);
            let v = if second && !first_order[i] {
                velocity_bdf2(x, start, vector(older[i]), free, h, inv_h)
            } else {
                velocity_bdf1(x, start, free, h, inv_h)
            };
            divergence.check_speed(i, v);
            velocities[k] = [v.x, v.y, v.z, 0.0];
        }
    });
    if bdf2 {
        fall_back(liquids, state, inv_h);
    }
}

/// Contact is not smooth, nor is pressure, which does not pull: particles that were pushed fall back to BDF1, now and in
/// the next prediction (E12).
fn fall_back(liquids: &[u32], state: &mut State, inv_h: f32) {
    state.first_order.fill(false);
    let State { contacts, carried, rows, previous, velocities, first_order, .. } = state;
    let pushed = contacts.iter().flatten().filter(|c| c.push.normal > 0.0).map(|c| c.particle as usize);
    let wet = (0..carried.len()).filter(|&i| carried[i] != [0.0; 4] || liquids.get(i).is_some_and(|&l| l > 0));
    for i in pushed.chain(wet) {
        let v = (vector(rows[i]) - vector(previous[i])) * inv_h;
        velocities[i] = [v.x, v.y, v.z, 0.0];
        first_order[i] = true;
    }
}
