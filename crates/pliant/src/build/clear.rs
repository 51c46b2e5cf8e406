//! Bodies that a scene puts into a collider stand beside it from the start.
//!
//! Contacts would push out the particles that are inside and leave it to the shape to follow, which gives the body velocity:
//! a box two centimeters in the floor flew four meters high. Nothing has moved yet, so it can as well begin elsewhere.

use super::assemble::Assembly;
use super::part::Part;
use crate::kernels::contact::{Solid, depth};
use crate::model::Collider;
use crate::state::RowData;
use glam::Vec3;
use std::collections::BTreeMap;

/// Share of its radius by which a particle of a body may begin inside a collider: voxels may stick out of the surface that
/// they fill.
const GRAZES: f32 = 0.05;

/// Moves of a body: corners need one for each side, and some more where these are not at right angles.
const MOVES: usize = 32;

/// Moves bodies as a whole until none of their particles is inside a collider, or not at all where there is no such place
/// near by. Returns remarks on both; copies of one object are told of once.
pub fn stand_clear(all: &mut Assembly) -> Vec<String> {
    let mut told: BTreeMap<(String, String), (f32, bool)> = BTreeMap::new();
    for k in 0..all.copies.len() {
        let (copy, part) = (&all.copies[k], &all.parts[all.copies[k].part]);
        if part.matching.is_none() {
            continue;
        }
        let rows = &all.rows[copy.first as usize..][..part.positions.len()];
        let Some(first) = deepest(part, rows, Vec3::ZERO, &all.colliders) else { continue };
        let way = way_out(part, rows, &all.colliders);
        let key = (copy.name.clone(), all.colliders[first.collider].name.clone());
        let (deep, stuck) = told.entry(key).or_default();
        *deep = deep.max(first.way.length());
        *stuck |= way.is_none();
        all.move_copy(k, way.unwrap_or_default());
    }
    let note = |((name, other), (deep, stuck)): (&(String, String), &(f32, bool))| {
        let place = format!("{name} begins {:.1} mm inside {other}", 1e3 * deep);
        match stuck {
            true => format!("{place}, finds no place beside it, and will be thrown out"),
            false => format!("{place} and is moved out of it"),
        }
    };
    told.iter().map(note).collect()
}

/// How far a body has to move, or nothing if it does not come free.
fn way_out(part: &Part, rows: &[RowData], colliders: &[Collider]) -> Option<Vec3> {
    let mut way = Vec3::ZERO;
    for _ in 0..MOVES {
        match deepest(part, rows, way, colliders) {
            Some(inside) => way += inside.way,
            None => return Some(way),
        }
    }
    None
}

/// A particle inside a collider.
struct Inside {
    collider: usize,
    /// Out of it [m].
    way: Vec3,
}

/// Of the particles of a body, displaced by `way`, the one that is deepest inside of a collider. Surfaces have no inside.
fn deepest(part: &Part, rows: &[RowData], way: Vec3, colliders: &[Collider]) -> Option<Inside> {
    let (mut most, mut found) = (0.0, None);
    for (c, collider) in colliders.iter().enumerate().filter(|(_, c)| !matches!(c.solid, Solid::Surface(_))) {
        let pose = collider.motion.pose(0.0);
        for (k, row) in rows.iter().enumerate() {
            let radius = part.radii.get(k).copied().unwrap_or(part.radius);
            let (inside, normal) = depth(&collider.solid, &pose, Vec3::new(row[0], row[1], row[2]) + way, radius);
            if inside > most && inside > GRAZES * radius {
                (most, found) = (inside, Some(Inside { collider: c, way: normal * inside }));
            }
        }
    }
    found
}
