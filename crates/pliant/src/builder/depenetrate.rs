//! Bodies that a scene puts into a collider stand beside it from the start.
//!
//! Contacts would push out the particles that are inside and leave it to the shape to follow, which gives the body velocity:
//! a box two centimeters in the floor flew four meters high. Nothing has moved yet, so it can as well begin elsewhere.

use crate::builder::assembly::Assembly;
use crate::builder::part::Part;
use crate::contact::collider::Collider;
use crate::contact::collider_contact::{Solid, depth};
use crate::math::RowData;
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
    let mut extents: Vec<Extent> = (0..all.copies.len()).map(|copy| extent(&balls(all, copy))).collect();
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
            take_along(all, &mut extents, k, way);
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

/// Least and greatest coordinates of a copy [m].
type Extent = (Vec3, Vec3);

/// Moves a copy, and by the same way the bodies that it is moved into, and those that they are moved into.
fn take_along(all: &mut Assembly, extents: &mut [Extent], first: usize, way: Vec3) {
    let (mut movers, mut still) = (vec![first], (0..all.copies.len()).collect::<Vec<_>>());
    still.retain(|&copy| copy != first && all.parts[all.copies[copy].part].matching.is_some());
    while let Some(mover) = movers.pop() {
        let before = extents[mover];
        all.move_copy(mover, way);
        extents[mover] = (before.0 + way, before.1 + way);
        let (along, rest) = still.into_iter().partition(|&other| {
            let meet = common(extents[mover], extents[other]);
            if !meet.0.cmple(meet.1).all() {
                return false;
            }
            let (own, theirs) = (balls(all, mover), balls(all, other));
            let earlier = common(before, extents[other]);
            overlap(&own, &theirs, Vec3::ZERO, meet) > overlap(&own, &theirs, -way, earlier)
        });
        movers.extend::<Vec<usize>>(along);
        still = rest;
    }
}

/// Particles of a copy and their radii [m].
fn balls(all: &Assembly, copy: usize) -> Vec<(Vec3, f32)> {
    let (first, part) = (all.copies[copy].first as usize, &all.parts[all.copies[copy].part]);
    let ball = |(k, row): (usize, &RowData)| (Vec3::new(row[0], row[1], row[2]), radius_of(part, k));
    all.rows[first..][..part.positions.len()].iter().enumerate().map(ball).collect()
}

fn extent(balls: &[(Vec3, f32)]) -> Extent {
    let nothing = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    balls.iter().fold(nothing, |(low, high), (x, r)| (low.min(*x - *r), high.max(*x + *r)))
}

/// What two extents have in common; less than nothing where they are apart.
fn common(a: Extent, b: Extent) -> Extent {
    (a.0.max(b.0), a.1.min(b.1))
}

/// How far particles of two bodies are inside each other at most, the first displaced [m]; 0 where they graze. All of that is
/// where their extents meet.
fn overlap(first: &[(Vec3, f32)], second: &[(Vec3, f32)], way: Vec3, (low, high): Extent) -> f32 {
    let reaches = |x: Vec3, r: f32| (x + r).cmpge(low).all() && (x - r).cmple(high).all();
    let mut most = 0.0_f32;
    for (x, r) in first.iter().map(|(x, r)| (*x + way, *r)).filter(|&(x, r)| reaches(x, r)) {
        for (y, s) in second.iter().filter(|(y, s)| reaches(*y, *s)) {
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
