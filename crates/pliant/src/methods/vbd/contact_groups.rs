//! Elastic bodies whose triangles touch are solved together, and so is one that touches itself.
//!
//! A contact makes the motion of both sides one: what stops one body must move the other. The coarse matrices do not know
//! that, because they are those of single bodies, in which the other side of a contact is a wall. So the coarse corrections
//! of a group are conjugate directions: each body's matrix is the preconditioner of nonlinear conjugate gradients (Polak and
//! Ribière's method), and one length of step is that of all bodies. Sweeps follow body by body, each with the others where
//! they are by then.
//!
//! Bodies of a group are solved by one thread, in the order of their numbers: results do not depend on threads.

use crate::math::RowData;
use crate::methods::vbd::correction::step_length;
use crate::methods::vbd::cpu::{BodyState, Substep};
use crate::methods::vbd::feature_contacts::{Feature, Partner};
use crate::methods::vbd::momentum;
use crate::methods::vbd::plan::ElasticBody;
use crate::methods::vbd::row_steps::dot;
use crate::runtime::cpu::threads::Threads;
use crate::state::Contact;

/// Coarse corrections before each sweep, at most.
const CORRECTIONS: u32 = 8;
/// Corrections end when they promise this part of what the first one did.
const ENOUGH: f64 = 1e-4;
/// Where the step along a correction is shorter than this, contacts were missing in the matrices.
const POOR_STEP: f64 = 0.3;
/// How often matrices are built again in an iteration.
const BUILDS: u32 = 2;
/// Largest share of the last direction.
const FARTHEST: f64 = 4.0;

/// A body of a group.
pub(super) struct Member<'a> {
    /// Number among all bodies.
    pub(super) number: usize,
    pub(super) body: &'a ElasticBody,
    pub(super) state: &'a mut BodyState,
    /// Whether its rows have changed.
    pub(super) changed: bool,
}

/// Group of each body: the least number of the bodies that it touches, directly or through others.
pub(super) fn groups(bodies: &[BodyState], groups: &mut Vec<u32>) {
    groups.clear();
    groups.extend(0..bodies.len() as u32);
    fn root(groups: &mut [u32], mut body: u32) -> u32 {
        while groups[body as usize] != body {
            groups[body as usize] = groups[groups[body as usize] as usize];
            body = groups[body as usize];
        }
        body
    }
    for (number, state) in bodies.iter().enumerate() {
        for Partner { body, .. } in state.features.iter().filter_map(|feature| feature.partner) {
            let (a, b) = (root(groups, number as u32), root(groups, body));
            groups[a.max(b) as usize] = a.min(b);
        }
    }
    for body in 0..groups.len() as u32 {
        groups[body as usize] = root(groups, body);
    }
}

/// One iteration of a group. `rows` are all rows of the state.
pub(super) fn iterate(
    group: &mut [Member<'_>],
    threads: &Threads,
    sub: &Substep<'_>,
    iteration: u32,
    rows: &[RowData],
    contacts: &[Vec<Contact>],
) {
    if let [only] = group
        && !only.state.features.iter().any(|feature| feature.is_mutual())
    {
        only.changed = only.state.iterate(threads, only.body, sub, iteration, rows, contacts);
        return;
    }
    group.iter_mut().for_each(|it| it.state.load(it.body, rows));
    if iteration == 1 {
        group.iter_mut().for_each(|it| it.state.prepare(threads, it.body, sub, contacts));
        meet(group, false);
        group.iter_mut().for_each(|it| it.state.divide_stiffness());
        share_stiffness(group);
        group.iter_mut().for_each(|it| it.state.choose_start(threads, it.body, sub));
        stay_apart(group, threads, sub);
    } else {
        group.iter_mut().for_each(|it| _ = it.state.take_impulses());
    }
    correct(group, threads, sub);
    for k in 0..group.len() {
        meet(group, false);
        group[k].state.sweep(threads, group[k].body, sub);
    }
    meet(group, false);
    note_forces(group);
    restore_momentum(group, sub);
    for it in group {
        it.state.after.copy_from_slice(&it.state.x);
        it.changed = true;
    }
}

/// Bodies that have gone deep into each other start from where they were before the substep, if the objective was lower there.
fn stay_apart(group: &mut [Member<'_>], threads: &Threads, sub: &Substep<'_>) {
    meet(group, false);
    let overlap: f64 = group.iter().map(|it| it.state.feature_energy()).sum();
    let mut inertia = 0.0;
    for it in group.iter_mut() {
        let state = &mut *it.state;
        for (v, &r) in it.body.vertices.iter().enumerate() {
            state.trial[v] = if state.masses[v] > 0.0 { sub.previous[r as usize] } else { state.x[v] };
        }
        inertia += state.inertia(threads, sub, &state.trial) - state.inertia(threads, sub, &state.x);
    }
    if overlap > inertia {
        for it in group.iter_mut() {
            it.state.x.copy_from_slice(&it.state.trial);
            it.state.leave_colliders(sub, it.body);
        }
    }
}

/// Restores the momentum of a group on which nothing else acts. Its bodies move as one: one by one, small errors of their
/// balance would change the stiff contacts between them.
fn restore_momentum(group: &mut [Member<'_>], sub: &Substep<'_>) {
    let alone = |it: &Member<'_>| it.state.is_free() && it.state.features.iter().all(Feature::is_mutual);
    if !group.iter().all(alone) {
        return;
    }
    let mut x: Vec<RowData> = group.iter().flat_map(|it| it.state.x.iter().copied()).collect();
    let target: Vec<RowData> = group.iter().flat_map(|it| it.state.target.iter().copied()).collect();
    let masses: Vec<f32> = group.iter().flat_map(|it| it.state.masses.iter().copied()).collect();
    let turns: Vec<bool> = group.iter().flat_map(|it| it.state.turns.iter().copied()).collect();
    let rows: Vec<u32> = group.iter().flat_map(|it| it.body.vertices.iter().copied()).collect();
    let start = sub.first_order.then_some(|v: usize| sub.previous[rows[v] as usize]);
    for _ in 0..2 {
        momentum::restore(&mut x, &target, start, &masses, &turns);
    }
    let mut x = x.into_iter();
    for own in group.iter_mut().flat_map(|it| it.state.x.iter_mut()) {
        x.next().into_iter().for_each(|moved| *own = moved);
    }
}

/// Coarse corrections, each conjugate to the one before.
fn correct(group: &mut [Member<'_>], threads: &Threads, sub: &Substep<'_>) {
    let (mut last, mut promised, mut builds) = (0.0, 0.0, BUILDS);
    let mut build = true;
    for number in 0..CORRECTIONS {
        meet(group, false);
        // Along the correction that the matrices give: the forces now, and before the last step.
        let (mut now, mut before) = (0.0, 0.0);
        for it in group.iter_mut() {
            let (state, body) = (&mut *it.state, it.body);
            state.find_forces(threads, sub);
            state.hold_forces(body, sub);
            if build {
                state.build_matrix(threads, body, sub);
            }
            let mut step = std::mem::take(&mut state.steps);
            state.solve_coarse(threads, body, sub, &mut step);
            now += dot(&step, &state.forces);
            if last > 0.0 {
                before += dot(&step, &state.last_forces);
            }
            state.steps = step;
            state.last_forces.clone_from(&state.forces);
        }
        build = false;
        if number == 0 {
            promised = now;
        }
        if now <= ENOUGH * promised || now <= 0.0 {
            return;
        }
        let ahead = if last > 0.0 { ((now - before) / last).clamp(0.0, FARTHEST) as f32 } else { 0.0 };
        last = now;
        for it in group.iter_mut() {
            for (correction, step) in it.state.correction.iter_mut().zip(&it.state.steps) {
                for c in 0..3 {
                    correction[c] = step[c] + ahead * correction[c];
                }
            }
            it.state.move_trial();
        }
        meet(group, true);
        let (mut start, mut end) = (0.0, 0.0);
        for it in group.iter_mut() {
            it.state.find_trial_forces(threads, sub);
            let [own_start, own_end] = it.state.forces_along(threads);
            (start, end) = (start + own_start, end + own_end);
        }
        let share = step_length(start, end);
        if share < POOR_STEP && builds > 0 {
            // Contacts that the matrices do not know of stop the step: they are built again.
            group.iter_mut().for_each(|it| it.state.expect_features());
            (build, builds, last) = (true, builds - 1, 0.0);
        }
        for it in group.iter_mut() {
            it.state.share = share;
            if share > 0.0 {
                it.state.take_correction(share, it.body, sub);
            }
        }
        if share == 0.0 {
            last = 0.0;
        }
    }
}

/// Place of a body within a group.
fn place(group: &[Member<'_>], body: u32) -> usize {
    group.partition_point(|it| it.number < body as usize)
}

/// Tells both sides of all contacts of two bodies where the other is, at the present or at the trial positions.
fn meet(group: &mut [Member<'_>], trial: bool) {
    group.iter_mut().for_each(|it| it.state.find_points(trial));
    over_pairs(group, |own, other| {
        (own.beyond, other.beyond) = (other.point, own.point);
    });
}

/// Both sides of a contact see the stiffness of both, one behind the other.
fn share_stiffness(group: &mut [Member<'_>]) {
    over_pairs(group, |own, other| {
        let sum = own.stiffness + other.stiffness;
        let both = if sum > 0.0 { own.stiffness * other.stiffness / sum } else { 0.0 };
        // What nothing moves is as stiff as can be.
        let both = if own.stiffness == 0.0 || other.stiffness == 0.0 { sum } else { both };
        (own.stiffness, other.stiffness) = (both, both);
    });
}

/// Notes the forces after an iteration. Those of both sides are the same to the bit, so that momentum is kept.
fn note_forces(group: &mut [Member<'_>]) {
    group.iter_mut().for_each(|it| it.state.note_feature_forces());
    over_pairs(group, |own, other| other.force = own.force);
}

/// Calls with both sides of each contact of two bodies.
fn over_pairs(group: &mut [Member<'_>], mut call: impl FnMut(&mut Feature, &mut Feature)) {
    for k in 0..group.len() {
        for f in 0..group[k].state.features.len() {
            let Some(Partner { body, feature }) = group[k].state.features[f].partner else { continue };
            let other = place(group, body);
            if other > k {
                let (low, high) = group.split_at_mut(other);
                call(&mut low[k].state.features[f], &mut high[0].state.features[feature as usize]);
            }
        }
    }
}
