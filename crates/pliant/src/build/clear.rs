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
/// near by. What stands on them goes along. Returns remarks on both; copies of one object are told of once.
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
        if let Some(way) = way {
            all.move_copy(k, way);
            take_along(all, k, way);
        }
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

/// Moves the bodies that a copy was moved into, by the same way, and those that they are moved into.
fn take_along(all: &mut Assembly, moved: usize, way: Vec3) {
    let (mut movers, mut still) = (vec![moved], (0..all.copies.len()).collect::<Vec<_>>());
    still.retain(|&copy| copy != moved && all.parts[all.copies[copy].part].matching.is_some());
    while let Some(mover) = movers.pop() {
        let (along, rest): (Vec<_>, Vec<_>) = still.into_iter().partition(|&other| {
            let now = overlap(all, mover, other, Vec3::ZERO);
            now > 0.0 && now > overlap(all, mover, other, -way)
        });
        along.iter().for_each(|&other| all.move_copy(other, way));
        movers.extend(along);
        still = rest;
    }
}

/// How far particles of two copies are inside each other at most, the first displaced [m]; 0 where they graze.
fn overlap(all: &Assembly, mover: usize, other: usize, way: Vec3) -> f32 {
    let balls = |copy: usize, way: Vec3| {
        let (first, part) = (all.copies[copy].first as usize, &all.parts[all.copies[copy].part]);
        let ball = |(k, row): (usize, &RowData)| (Vec3::new(row[0], row[1], row[2]) + way, radius_of(part, k));
        all.rows[first..][..part.positions.len()].iter().enumerate().map(ball).collect::<Vec<_>>()
    };
    let bounds = |balls: &[(Vec3, f32)]| {
        let nothing = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        balls.iter().fold(nothing, |(low, high), (x, r)| (low.min(*x - *r), high.max(*x + *r)))
    };
    let (mut own, mut theirs) = (balls(mover, way), balls(other, Vec3::ZERO));
    let ((low, high), (their_low, their_high)) = (bounds(&own), bounds(&theirs));
    let (low, high) = (low.max(their_low), high.min(their_high));
    let reaches = |(x, r): &(Vec3, f32)| (*x + *r).cmpge(low).all() && (*x - *r).cmple(high).all();
    own.retain(reaches);
    theirs.retain(reaches);
    let mut most = 0.0_f32;
    for (x, r) in &own {
        for (y, s) in &theirs {
            let inside = (r + s) - x.distance(*y);
            most = if inside > GRAZES * r.min(*s) { most.max(inside) } else { most };
        }
    }
    most
}

fn radius_of(part: &Part, particle: usize) -> f32 {
    part.radii.get(particle).copied().unwrap_or(part.radius)
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
            let radius = radius_of(part, k);
            let (inside, normal) = depth(&collider.solid, &pose, Vec3::new(row[0], row[1], row[2]) + way, radius);
            if inside > most && inside > GRAZES * radius {
                (most, found) = (inside, Some(Inside { collider: c, way: normal * inside }));
            }
        }
    }
    found
}
