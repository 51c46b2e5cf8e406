//! Moves bodies that start inside a collider out of it.
//!
//! Otherwise contacts push out the inner particles and shape matching follows, which gives the body velocity:
//! a box 2 cm inside the floor rose 4 m. Before the first step a displacement is free.

use crate::builder::assembly::Assembly;
use crate::builder::layout::{History, Source};
use crate::builder::part::Part;
use crate::collision::CollisionGroups;
use crate::contact::collider::Collider;
use crate::contact::collider_contact::{ColliderShape, depth};
use crate::math::RowData;
use crate::scene::{ObjectKind, Scene};
use glam::Vec3;
use std::collections::{BTreeMap, HashMap};

/// Tolerated initial penetration as a fraction of the particle radius: voxels may protrude from the surface they fill.
pub(crate) const TOLERANCE: f32 = 0.05;

/// Balls up to which all pairs are compared.
const FEW: usize = 64;

/// Maximum translations of a body: corners need one per side, and more where the sides are not orthogonal.
const MAX_MOVES: usize = 32;

/// Translates bodies until none of their particles is inside a collider, or not at all if no free position is found
/// nearby. Bodies resting on them move along. Bodies with a past stay where they are. Returns a note for both cases,
/// once per object.
pub fn depenetrate(scene: &Scene, all: &mut Assembly, history: &dyn History) -> Vec<String> {
    let movable = movable(all, history);
    let time = history.time();
    let environments = environments(all, history);
    let groups = groups(scene, all);
    let every: Vec<usize> = (0..all.colliders.len()).collect();
    let mut reported: BTreeMap<(String, String), (f32, bool)> = BTreeMap::new();
    let mut extents: Vec<Extent> = (0..all.copies.len()).map(|copy| extent(&spheres(all, copy))).collect();
    for k in 0..all.copies.len() {
        let (copy, part) = (&all.copies[k], &all.parts[all.copies[k].part]);
        if !movable[k] {
            continue;
        }
        let rows = &all.rows[copy.first as usize..][..part.positions.len()];
        let own = history.environments().map(|plan| plan.colliders(environments[k]));
        let mut seen = own.unwrap_or_else(|| every.clone());
        seen.retain(|&c| groups[k].touches(scene.contact_of(ObjectKind::Collider, c).groups));
        let colliders = Colliders { all: &all.colliders, seen: &seen, time };
        let Some(first) = deepest(part, rows, Vec3::ZERO, &colliders) else { continue };
        let shift = find_translation(part, rows, &colliders);
        let key = (copy.name.clone(), all.colliders[first.collider].name.clone());
        let (deep, stuck) = reported.entry(key).or_default();
        *deep = deep.max(first.way.length());
        *stuck |= shift.is_none();
        if let Some(shift) = shift {
            let along = |c: usize| movable[c] && environments[c] == environments[k] && groups[c].touches(groups[k]);
            let own: Vec<bool> = (0..movable.len()).map(along).collect();
            translate_with_overlapping(all, &mut extents, &own, k, shift);
        }
    }
    let note = |((name, other), (deep, stuck)): (&(String, String), &(f32, bool))| {
        let place = format!("{name} begins {:.1} mm inside {other}", 1e3 * deep);
        match stuck {
            true => format!("{place}, finds no place beside it, and will be thrown out"),
            false => format!("{place} and is moved out of it"),
        }
    };
    reported.iter().map(note).collect()
}

/// Whether each copy is a body without a past.
fn movable(all: &Assembly, history: &dyn History) -> Vec<bool> {
    let mut movable = Vec::with_capacity(all.copies.len());
    for placed in &all.placed {
        let new = history.rows(placed.source).is_none();
        let own = all.copies[placed.objects()].iter();
        movable.extend(own.map(|copy| new && all.parts[copy.part].matching.is_some()));
    }
    movable
}

/// Collision groups of each copy.
fn groups(scene: &Scene, all: &Assembly) -> Vec<CollisionGroups> {
    let of = |source: Source| scene.contact_of(source.kind, source.index).groups;
    all.placed.iter().flat_map(|p| p.objects().map(move |_| of(p.source))).collect()
}

/// Environment of each copy.
fn environments(all: &Assembly, history: &dyn History) -> Vec<u32> {
    let of = |source| history.environments().map_or(0, |plan| plan.of(source));
    all.placed.iter().flat_map(|p| p.objects().map(move |_| of(p.source))).collect()
}

/// Colliders at a time [s], of which a body sees some.
struct Colliders<'a> {
    all: &'a [Collider],
    seen: &'a [usize],
    time: f64,
}

/// Bounding box of a copy [m].
type Extent = (Vec3, Vec3);

/// Translates a copy, and by the same vector the bodies it then overlaps, recursively.
fn translate_with_overlapping(all: &mut Assembly, extents: &mut [Extent], movable: &[bool], first: usize, shift: Vec3) {
    let (mut movers, mut still) = (vec![first], (0..all.copies.len()).collect::<Vec<_>>());
    still.retain(|&copy| copy != first && movable[copy]);
    while let Some(mover) = movers.pop() {
        let before = extents[mover];
        all.move_copy(mover, shift);
        extents[mover] = (before.0 + shift, before.1 + shift);
        let (along, rest) = still.into_iter().partition(|&other| {
            let box_overlap = intersection(extents[mover], extents[other]);
            if !box_overlap.0.cmple(box_overlap.1).all() {
                return false;
            }
            let (own, theirs) = (spheres(all, mover), spheres(all, other));
            let earlier = intersection(before, extents[other]);
            overlap(&own, &theirs, Vec3::ZERO, box_overlap) > overlap(&own, &theirs, -shift, earlier)
        });
        movers.extend::<Vec<usize>>(along);
        still = rest;
    }
}

/// Particles of a copy and their radii [m].
fn spheres(all: &Assembly, copy: usize) -> Vec<(Vec3, f32)> {
    let (first, part) = (all.copies[copy].first as usize, &all.parts[all.copies[copy].part]);
    let ball = |(k, row): (usize, &RowData)| (Vec3::new(row[0], row[1], row[2]), radius_of(part, k));
    all.rows[first..][..part.positions.len()].iter().enumerate().map(ball).collect()
}

fn extent(spheres: &[(Vec3, f32)]) -> Extent {
    let nothing = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    spheres.iter().fold(nothing, |(low, high), (x, r)| (low.min(*x - *r), high.max(*x + *r)))
}

/// Intersection of two boxes; inverted if they are disjoint.
fn intersection(a: Extent, b: Extent) -> Extent {
    (a.0.max(b.0), a.1.min(b.1))
}

/// Deepest overlap between particles of two bodies, the first displaced by `shift` [m]; 0 if only within tolerance. Only
/// the intersection of their boxes is searched.
fn overlap(first: &[(Vec3, f32)], second: &[(Vec3, f32)], shift: Vec3, (low, high): Extent) -> f32 {
    let reaches = |x: Vec3, r: f32| (x + r).cmpge(low).all() && (x - r).cmple(high).all();
    let second: Vec<(Vec3, f32)> = second.iter().copied().filter(|&(y, s)| reaches(y, s)).collect();
    let mut most = 0.0_f32;
    let mut compare = |(x, r): (Vec3, f32), (y, s): (Vec3, f32)| {
        let inside = (r + s) - x.distance(y);
        most = if inside > TOLERANCE * r.min(s) { most.max(inside) } else { most };
    };
    let own = first.iter().map(|(x, r)| (*x + shift, *r)).filter(|&(x, r)| reaches(x, r));
    if second.len() <= FEW {
        own.for_each(|ball| second.iter().for_each(|&other| compare(ball, other)));
        return most;
    }
    // Sorted into cells as wide as the largest of them, so that what a ball meets lies in few.
    let width = 2.0 * second.iter().fold(f32::MIN_POSITIVE, |most, (_, s)| most.max(*s));
    let cell = |x: Vec3| ((x - low) / width).floor().clamp(Vec3::splat(-1e6), Vec3::splat(1e6)).as_ivec3();
    let mut cells: HashMap<[i32; 3], Vec<u32>> = HashMap::new();
    for (k, (y, _)) in second.iter().enumerate() {
        cells.entry(cell(*y).to_array()).or_default().push(k as u32);
    }
    for ball in own {
        let (x, r) = ball;
        let (from, to) = (cell(x - r - 0.5 * width), cell(x + r + 0.5 * width));
        let count = (to - from + 1).as_i64vec3();
        if count.x * count.y * count.z > cells.len() as i64 {
            second.iter().for_each(|&other| compare(ball, other));
            continue;
        }
        for z in from.z..=to.z {
            for y in from.y..=to.y {
                for x in from.x..=to.x {
                    cells.get(&[x, y, z]).into_iter().flatten().for_each(|&k| compare(ball, second[k as usize]));
                }
            }
        }
    }
    most
}

fn radius_of(part: &Part, particle: usize) -> f32 {
    part.radii.get(particle).copied().unwrap_or(part.radius)
}

/// Translation that frees a body; `None` if there is none.
fn find_translation(part: &Part, rows: &[RowData], colliders: &Colliders<'_>) -> Option<Vec3> {
    let mut shift = Vec3::ZERO;
    for _ in 0..MAX_MOVES {
        match deepest(part, rows, shift, colliders) {
            Some(inside) => shift += inside.way,
            None => return Some(shift),
        }
    }
    None
}

/// A particle inside a collider.
struct Penetration {
    collider: usize,
    /// Displacement out of the collider [m].
    way: Vec3,
}

/// The deepest penetration of a collider by the particles of a body displaced by `shift`. Surfaces have
/// no inside.
fn deepest(part: &Part, rows: &[RowData], shift: Vec3, colliders: &Colliders<'_>) -> Option<Penetration> {
    let (mut most, mut found) = (0.0, None);
    let seen = colliders.seen.iter().map(|&c| (c, &colliders.all[c]));
    for (c, collider) in seen.filter(|(_, c)| !matches!(c.shape, ColliderShape::Surface(_))) {
        let pose = collider.motion.pose(colliders.time);
        for (k, row) in rows.iter().enumerate() {
            let radius = radius_of(part, k);
            let (inside, normal) = depth(&collider.shape, &pose, Vec3::new(row[0], row[1], row[2]) + shift, radius);
            if inside > most && inside > TOLERANCE * radius {
                (most, found) = (inside, Some(Penetration { collider: c, way: normal * inside }));
            }
        }
    }
    found
}
