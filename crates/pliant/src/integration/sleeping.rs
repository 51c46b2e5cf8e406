//! Objects of particles that a caller has put to sleep.
//!
//! They take part in the solve stage with their masses, so that what hits them is repelled as by an object that is awake. At
//! the end of the substep they are put back to where they were, unless something has touched them: then they keep their new
//! positions and velocities, and are awake. What touches is a particle of an object that is awake, a collider or a rigid body
//! that moves, or a pin of their own that moves. What only carries them does not wake them: weight on a floor at rest, or on
//! another sleeping object.

use crate::contact::cpu::ContactScratch;
use crate::math::{RowData, position};
use crate::memory::{of, replace};
use crate::runtime::cpu::threads::Threads;
use crate::shape_matching::Pose;
use crate::state::State;
use std::sync::atomic::{AtomicBool, Ordering};

/// Objects that sleep together: an object, with all that attachments join to it. A group has the number of its first object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SleepGroups {
    /// Group of each object of the topology.
    pub objects: Vec<u32>,
    /// Group of each particle and orientation.
    pub rows: Vec<u32>,
    /// Group of each shape-matched body.
    pub bodies: Vec<u32>,
}

impl SleepGroups {
    /// From the object of each particle and orientation, and pairs of objects that are attached to each other. `bodies` has
    /// a particle of each shape-matched body.
    pub fn new(count: usize, rows: &[u32], attached: impl Iterator<Item = [u32; 2]>, bodies: &[u32]) -> Self {
        let mut objects: Vec<u32> = (0..count as u32).collect();
        fn root(objects: &[u32], mut k: u32) -> u32 {
            while objects[k as usize] != k {
                k = objects[k as usize];
            }
            k
        }
        for pair in attached {
            let [a, b] = pair.map(|k| root(&objects, k));
            objects[a.max(b) as usize] = a.min(b);
        }
        let objects: Vec<u32> = (0..count as u32).map(|k| root(&objects, k)).collect();
        let rows: Vec<u32> = rows.iter().map(|&object| objects[object as usize]).collect();
        let bodies = bodies.iter().map(|&row| rows[row as usize]).collect();
        Self { objects, rows, bodies }
    }
}

/// Buffers of the passes.
#[derive(Default)]
pub(crate) struct SleepScratch {
    /// Rows at the start of the substep.
    rows: Vec<RowData>,
    /// Poses at the start of the substep.
    poses: Vec<Pose>,
    /// Whether something has touched a group in this substep.
    touched: Vec<AtomicBool>,
}

impl SleepScratch {
    /// Memory [bytes].
    pub(crate) fn bytes(&self) -> u64 {
        of(&self.rows) + of(&self.poses) + of(&self.touched)
    }

    /// Remembers where everything is, if something sleeps. Returns whether it does.
    pub(crate) fn save(&mut self, groups: Option<&SleepGroups>, state: &State) -> bool {
        let Some(groups) = groups.filter(|_| state.asleep.iter().any(|&asleep| asleep)) else { return false };
        replace(&mut self.rows, state.rows[..state.velocities.len()].iter().copied());
        replace(&mut self.poses, state.shapes.as_ref().map_or(&[][..], |shapes| shapes.poses()).iter().copied());
        replace(&mut self.touched, state.asleep.iter().map(|_| AtomicBool::new(false)));
        // Whoever was given a velocity wakes up.
        for (i, &group) in groups.rows[..state.particles].iter().enumerate() {
            if state.asleep[group as usize] && state.rows[i][3] > 0.0 && state.velocities[i] != [0.0; 4] {
                self.touched[group as usize].store(true, Ordering::Relaxed);
            }
        }
        true
    }

    /// Puts sleeping objects that nothing has touched back, and wakes the others.
    pub(crate) fn keep(
        &mut self,
        threads: &Threads,
        groups: &SleepGroups,
        state: &mut State,
        contact: &ContactScratch,
    ) {
        self.find_touched(threads, groups, state, contact);
        for (asleep, touched) in state.asleep.iter_mut().zip(&self.touched) {
            *asleep &= !touched.load(Ordering::Relaxed);
        }
        let (asleep, saved) = (&state.asleep, &self.rows);
        let solid = state.velocities.len();
        let arrays = (&mut state.rows[..solid], &mut state.previous[..], &mut state.velocities[..]);
        threads.zip(arrays, |first, rows, previous, velocities| {
            for k in 0..rows.len() {
                if asleep[groups.rows[first + k] as usize] {
                    (rows[k], previous[k], velocities[k]) = (saved[first + k], saved[first + k], [0.0; 4]);
                }
            }
        });
        // No history: the substep after waking is of first order.
        for (i, first) in state.first_order.iter_mut().enumerate() {
            *first |= asleep[groups.rows[i] as usize];
        }
        if let Some(shapes) = &mut state.shapes {
            for ((pose, saved), &group) in shapes.poses_mut().iter_mut().zip(&self.poses).zip(&groups.bodies) {
                if asleep[group as usize] {
                    *pose = *saved;
                }
            }
        }
    }

    fn find_touched(&mut self, threads: &Threads, groups: &SleepGroups, state: &State, contact: &ContactScratch) {
        let (asleep, touched, saved) = (&state.asleep, &self.touched, &self.rows);
        let group = |i: usize| groups.rows[i] as usize;
        let touch = |i: usize| touched[group(i)].store(true, Ordering::Relaxed);
        let colliders = &contact.moving_colliders;
        let moves = |collider: u32| colliders.get(collider as usize).is_some_and(|c| c.before != c.after);
        for c in state.contacts.iter().flatten().filter(|c| c.push.normal > 0.0) {
            let i = c.particle as usize;
            if asleep[group(i)] && state.rows[i][3] > 0.0 && moves(c.collider) {
                touch(i);
            }
        }
        let stands = |i: usize| position(state.rows[i]) == position(saved[i]);
        // Fixed particles count as ground.
        let acts = |i: usize| !asleep[group(i)] && (state.rows[i][3] > 0.0 || !stands(i));
        let woken = |i: usize| {
            let free = state.rows[i][3] > 0.0;
            let mut others = contact.particle_contacts.pushing(i).filter(|&j| group(j) != group(i));
            if free { others.any(acts) } else { !stands(i) && !state.is_inactive(i) }
        };
        threads.over_numbers(state.particles.div_ceil(PIECE), |piece| {
            for i in piece * PIECE..((piece + 1) * PIECE).min(state.particles) {
                if asleep[group(i)] && woken(i) {
                    touch(i);
                }
            }
        });
    }
}

/// Particles that a thread looks at together.
const PIECE: usize = 1024;

/// Sets velocities of particles and orientations to zero, and makes their next substep one of first order.
pub(crate) fn stop(state: &mut State, rows: impl Iterator<Item = usize>) {
    for i in rows {
        state.velocities[i] = [0.0; 4];
        if let Some(older) = state.older_velocities.get_mut(i) {
            *older = [0.0; 4];
        }
        if let Some(first) = state.first_order.get_mut(i) {
            *first = true;
        }
    }
}
