//! Stages contacts and stabilize, and the contact pass of stage solve: particles against colliders.
//!
//! Contacts are kept in pieces, one per run of [`PIECE`] particles. A piece touches only its own run, so
//! pieces go to threads together with their rows and nothing is shared.

use super::threads::Threads;
use super::{Scratch, Substep};
use crate::kernels::contact::{Obstacle, Push, depth, project};
use crate::model::Model;
use crate::state::{RowData, State};
use glam::Vec3;

/// Particles per piece.
pub const PIECE: usize = 4096;

/// One particle near one collider.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    /// Particle number within the piece.
    pub local: u32,
    /// Collider number.
    pub collider: u32,
    /// What it has done in this substep.
    pub push: Push,
}

/// Where every collider stands during the substep.
fn place_obstacles(model: &Model, sub: &Substep, obstacles: &mut Vec<Obstacle>) {
    obstacles.clear();
    obstacles.extend(model.colliders.iter().map(|c| Obstacle {
        solid: c.solid,
        before: c.motion.pose(sub.start),
        after: c.motion.pose(sub.end),
        friction: c.friction,
    }));
}

/// Finds who may touch what before the substep ends.
pub fn find(threads: &Threads, model: &Model, state: &State, scratch: &mut Scratch, sub: &Substep) {
    place_obstacles(model, sub, &mut scratch.obstacles);
    let (obstacles, margin) = (&scratch.obstacles, model.settings.contact_margin);
    let pieces = scratch.contacts.len();
    let (mut none, mut also_none) = (vec![(); pieces], vec![(); pieces]);
    threads.runs((&mut scratch.contacts, 1), (&mut none, 1), (&mut also_none, 1), |piece, contacts, _, _| {
        let contacts = &mut contacts[0];
        contacts.clear();
        let first = piece * PIECE;
        for i in first..(first + PIECE).min(state.particles) {
            let row = state.rows[i];
            if row[3] == 0.0 {
                continue;
            }
            let (x, start) = (position(row), position(state.previous[i]));
            // A particle may go as far again as the prediction took it.
            let reach = margin + (x - start).length();
            for (collider, obstacle) in obstacles.iter().enumerate() {
                let (inside, _) = depth(&obstacle.solid, &obstacle.after, x, state.radii[i]);
                if inside > -reach {
                    contacts.push(Contact {
                        local: (i - first) as u32,
                        collider: collider as u32,
                        push: Push::default(),
                    });
                }
            }
        }
    });
}

/// Pre-stabilization (S10, D4 §3.1.5): a particle that was inside before the substep began is moved out
/// together with its old position, so that the repair adds no velocity.
pub fn stabilize(threads: &Threads, model: &Model, state: &mut State, scratch: &mut Scratch) {
    let obstacles = &scratch.obstacles;
    let radii = &state.radii;
    let rows = (&mut state.rows[..state.particles], PIECE);
    let previous = (&mut state.previous[..state.particles], PIECE);
    let passes = model.settings.stabilization;
    threads.runs(rows, previous, (&mut scratch.contacts, 1), |piece, rows, previous, contacts| {
        for _ in 0..passes {
            for c in &contacts[0] {
                let (i, obstacle) = (c.local as usize, &obstacles[c.collider as usize]);
                // Against where the collider stood then: what it moves since is the solver's to push.
                let radius = radii[piece * PIECE + i];
                let (inside, normal) = depth(&obstacle.solid, &obstacle.before, position(previous[i]), radius);
                if inside > 0.0 {
                    let out = normal * inside;
                    for row in [&mut rows[i], &mut previous[i]] {
                        *row = [row[0] + out.x, row[1] + out.y, row[2] + out.z, row[3]];
                    }
                }
            }
        }
    });
}

/// Projects all contacts once.
pub fn touch(threads: &Threads, state: &mut State, scratch: &mut Scratch) {
    let obstacles = &scratch.obstacles;
    let radii = &state.radii;
    let rows = (&mut state.rows[..state.particles], PIECE);
    let previous = (&mut state.previous[..state.particles], PIECE);
    threads.runs(rows, previous, (&mut scratch.contacts, 1), |piece, rows, previous, contacts| {
        for c in &mut contacts[0] {
            let (local, i) = (c.local as usize, piece * PIECE + c.local as usize);
            let row = &mut rows[local];
            let start = position(previous[local]);
            let (x, push) = project(&obstacles[c.collider as usize], radii[i], start, position(*row), c.push);
            *row = [x.x, x.y, x.z, row[3]];
            c.push = push;
        }
    });
}

/// First three components as a point.
#[inline]
pub fn position(row: RowData) -> Vec3 {
    Vec3::new(row[0], row[1], row[2])
}
