//! Whether an object that is added would be inside another one.

use crate::builder::part::Part;
use crate::builder::placement::copies;
use crate::collision::CollisionGroups;
use crate::contact::collider_contact::{ColliderShape, depth};
use crate::math::position;
use crate::neighbors::INACTIVE;
use crate::scene::{ArraySpec, Object};
use crate::state::State;
use crate::world::World;
use crate::world::edit::{EditError, Overlap};
use glam::Vec3;
use std::ops::Range;

/// Tolerated overlap as a fraction of the smaller radius: bodies at rest on each other overlap by less.
const TOLERANCE: f32 = 0.1;

/// Maximum translations that look for a free place.
const MAX_MOVES: usize = 64;

/// Size of the region of a device that is looked at, over that of the object: others that come beside it, and the places it
/// is moved to, are then known.
#[cfg(feature = "gpu")]
const REGION: f32 = 4.0;

/// Bounding box of a set of spheres [m].
#[derive(Clone, Copy, Debug)]
struct Bounds {
    low: Vec3,
    high: Vec3,
}

impl Bounds {
    fn of(spheres: &[(Vec3, f32)]) -> Self {
        let nothing = Self { low: Vec3::INFINITY, high: Vec3::NEG_INFINITY };
        spheres.iter().fold(nothing, |b, &(x, r)| Self { low: b.low.min(x - r), high: b.high.max(x + r) })
    }

    fn meets(&self, other: &Self, shift: Vec3) -> bool {
        (self.low + shift).cmple(other.high).all() && (self.high + shift).cmpge(other.low).all()
    }
}

/// An object that is there, or will be with the next step.
struct Solid {
    name: String,
    groups: CollisionGroups,
    bounds: Bounds,
    spheres: Spheres,
}

enum Spheres {
    /// Particles of the state.
    Placed(Range<usize>),
    /// Those of an object that was added since.
    Added(Vec<(Vec3, f32)>),
}

/// Bounds of solid objects, from the state and from what was added since.
pub(crate) struct SolidBounds {
    solids: Vec<Solid>,
    /// Number of those of the state, which come first.
    #[cfg(feature = "gpu")]
    placed: usize,
    /// The region in which those of the state are known; everywhere if there is none.
    #[cfg(feature = "gpu")]
    region: Option<Bounds>,
}

impl SolidBounds {
    fn of(world: &World) -> Result<Self, EditError> {
        let (state, model) = (world.current_state()?, &world.model);
        let mut solids = Vec::new();
        let objects = &model.topology.objects;
        let mut first = 0;
        // Objects have consecutive particles; liquids are no obstacles.
        for run in objects[..state.particles].chunk_by(|a, b| a == b) {
            let range = first..first + run.len();
            first = range.end;
            let liquid = model.fluid.as_ref().is_some_and(|f| f.liquids.get(range.start).is_some_and(|&l| l > 0));
            if !liquid {
                let spheres = placed(state, range.clone());
                let name = model.topology.object_names[run[0] as usize].clone();
                let groups = model.contact_table.object(run[0]).groups;
                solids.push(Solid { name, groups, bounds: Bounds::of(&spheres), spheres: Spheres::Placed(range) });
            }
        }
        #[cfg(feature = "gpu")]
        let placed = solids.len();
        add_pending(world, &mut solids);
        Ok(Self {
            solids,
            #[cfg(feature = "gpu")]
            placed,
            #[cfg(feature = "gpu")]
            region: None,
        })
    }

    /// Whether all objects in a box are known.
    fn knows(&self, _bounds: &Bounds) -> bool {
        #[cfg(feature = "gpu")]
        if let Some(region) = &self.region {
            return region.low.cmple(_bounds.low).all() && region.high.cmpge(_bounds.high).all();
        }
        true
    }

    /// Makes the objects of a device around a box known; the rest of its state is not read back. Returns whether it could be
    /// done: not on the CPU, and not where too many are near.
    #[cfg(feature = "gpu")]
    fn look_around(world: &mut World, bounds: &Bounds) -> Result<bool, EditError> {
        if world.gpu.is_none() || world.state.peek().is_some() {
            return Ok(false);
        }
        world.settle()?;
        let margin = 0.5 * (REGION - 1.0) * (bounds.high - bounds.low);
        for region in [Bounds { low: bounds.low - margin, high: bounds.high + margin }, *bounds] {
            let Some(mut solids) = Self::near(world, &region)? else { continue };
            let placed = solids.len();
            match world.bounds.take() {
                Some(known) => solids.extend(known.solids.into_iter().skip(known.placed)),
                None => add_pending(world, &mut solids),
            }
            world.bounds = Some(Self { solids, placed, region: Some(region) });
            return Ok(true);
        }
        Ok(false)
    }

    /// Objects of a device in a region; `None` if there are too many particles.
    #[cfg(feature = "gpu")]
    fn near(world: &mut World, region: &Bounds) -> Result<Option<Vec<Solid>>, EditError> {
        let Some(gpu) = &world.gpu else { return Ok(None) };
        let particles = world.model.topology.objects.len();
        let found = gpu.rows_near(particles, region.low, region.high).map_err(crate::error::StepError::from)?;
        let Some(found) = found else { return Ok(None) };
        let (memory, model) = (world.state.memory(), &world.model);
        let mut solids: Vec<Solid> = Vec::new();
        let object_of = |i: usize| model.topology.objects[i];
        let is_liquid = |i: usize| model.fluid.as_ref().is_some_and(|f| f.liquids.get(i).is_some_and(|&l| l > 0));
        let active: Vec<(usize, Vec3)> =
            found.into_iter().filter(|&(i, _)| !is_liquid(i) && memory.phases[i] != INACTIVE).collect();
        for run in active.chunk_by(|a, b| object_of(a.0) == object_of(b.0)) {
            let spheres: Vec<_> = run.iter().map(|&(i, x)| (x, memory.radii[i])).collect();
            let name = model.topology.object_names[object_of(run[0].0) as usize].clone();
            let groups = model.contact_table.object(object_of(run[0].0)).groups;
            solids.push(Solid { name, groups, bounds: Bounds::of(&spheres), spheres: Spheres::Added(spheres) });
        }
        Ok(Some(solids))
    }

    /// Adds an object that will be there.
    pub fn push(&mut self, name: &str, part: &Part, object: &Object) {
        add(&mut self.solids, name, object.contact().groups, part, object.array());
    }
}

/// Number of copies of an object.
pub(crate) fn copies_of(array: Option<&ArraySpec>) -> usize {
    array.map_or(1, |a| a.count.iter().fold(1_usize, |all, &c| all.saturating_mul(c as usize)))
}

/// Objects that were added since the last build.
fn add_pending(world: &World, solids: &mut Vec<Solid>) {
    for entry in world.definition.unbuilt().into_iter().filter_map(|handle| world.definition.get(handle)) {
        if let Some(part) = entry.part.as_ref() {
            let (scene, source) = (&world.definition.scene, entry.source);
            let groups = scene.contact_of(source.kind, source.index).groups;
            add(solids, &entry.name, groups, part, scene.array(source.kind, source.index));
        }
    }
}

fn add(solids: &mut Vec<Solid>, name: &str, groups: CollisionGroups, part: &Part, array: Option<&ArraySpec>) {
    for shift in copies(array) {
        let spheres: Vec<_> = spheres(part).map(|(x, r)| (x + shift, r)).collect();
        let (name, bounds) = (name.to_owned(), Bounds::of(&spheres));
        solids.push(Solid { name, groups, bounds, spheres: Spheres::Added(spheres) });
    }
}

fn spheres(part: &Part) -> impl Iterator<Item = (Vec3, f32)> + '_ {
    let radius = |k: usize| part.radii.get(k).copied().unwrap_or(part.radius);
    part.positions.iter().enumerate().map(move |(k, &x)| (x, radius(k)))
}

fn placed(state: &State, range: Range<usize>) -> Vec<(Vec3, f32)> {
    let active = range.filter(|&i| state.phases[i] != INACTIVE);
    active.map(|i| (position(state.rows[i]), state.radii[i])).collect()
}

/// The deepest overlap of an object with others.
struct Deepest {
    other: String,
    depth: f32,
    /// Direction out of the other.
    normal: Vec3,
}

/// The translation of an object to a free place: none if it is free, or an error if it is not and must not be moved.
pub(crate) fn resolve(
    world: &mut World,
    object: &Object,
    name: &str,
    part: &Part,
    overlap: Overlap,
) -> Result<Vec3, EditError> {
    let own: Vec<_> =
        copies(object.array()).into_iter().flat_map(|s| spheres(part).map(move |(x, r)| (x + s, r))).collect();
    let (bounds, groups) = (Bounds::of(&own), object.contact().groups);
    let mut shift = Vec3::ZERO;
    for _ in 0..MAX_MOVES {
        let Some(found) = deepest_anywhere(world, (&own, groups), &bounds, shift)? else { return Ok(shift) };
        if overlap == Overlap::Refuse {
            return Err(EditError::Overlap { name: name.to_owned(), other: found.other, depth: found.depth });
        }
        // A little further, or rounding would keep it inside.
        shift += found.normal * (1.001 * found.depth + 1e-6);
    }
    let other = "whatever is around it".to_owned();
    Err(EditError::Overlap { name: name.to_owned(), other, depth: shift.length() })
}

/// The deepest overlap of an object that is moved by `shift`. Of a device's state only what is near is read back.
fn deepest_anywhere(
    world: &mut World,
    own: (&[(Vec3, f32)], CollisionGroups),
    bounds: &Bounds,
    shift: Vec3,
) -> Result<Option<Deepest>, EditError> {
    let there = Bounds { low: bounds.low + shift, high: bounds.high + shift };
    if !world.bounds.as_ref().is_some_and(|known| known.knows(&there)) {
        #[cfg(feature = "gpu")]
        let found = SolidBounds::look_around(world, &there)?;
        #[cfg(not(feature = "gpu"))]
        let found = false;
        if !found {
            world.bounds = Some(SolidBounds::of(world)?);
        }
    }
    deepest(world, own, bounds, shift)
}

fn deepest(
    world: &World,
    (own, groups): (&[(Vec3, f32)], CollisionGroups),
    bounds: &Bounds,
    shift: Vec3,
) -> Result<Option<Deepest>, EditError> {
    let mut best: Option<Deepest> = None;
    let mut offer = |other: &str, depth: f32, normal: Vec3| {
        if depth > best.as_ref().map_or(0.0, |b| b.depth) {
            best = Some(Deepest { other: other.to_owned(), depth, normal });
        }
    };
    let time = world.time();
    let table = &world.model.contact_table;
    let built = world.model.colliders.iter().enumerate().map(|(k, c)| (c, table.collider(k).groups));
    let pending = world.definition.unbuilt().into_iter().filter_map(|handle| {
        let entry = world.definition.get(handle)?;
        let groups = world.definition.scene.contact_of(entry.source.kind, entry.source.index).groups;
        Some((entry.collider.as_deref()?, groups))
    });
    for (collider, theirs) in built.chain(pending) {
        if matches!(collider.shape, ColliderShape::Surface(_)) || !groups.touches(theirs) {
            continue;
        }
        let pose = collider.motion.pose(time);
        for &(x, r) in own {
            let (inside, normal) = depth(&collider.shape, &pose, x + shift, r);
            if inside > TOLERANCE * r {
                offer(&collider.name, inside, normal);
            }
        }
    }
    let solids = world.bounds.as_ref().map_or(&[][..], |b| &b.solids);
    for solid in solids.iter().filter(|s| groups.touches(s.groups) && bounds.meets(&s.bounds, shift)) {
        let stored;
        let theirs = match &solid.spheres {
            Spheres::Added(spheres) => spheres,
            Spheres::Placed(range) => {
                stored = placed(world.current_state()?, range.clone());
                &stored
            }
        };
        let near = |x: Vec3, r: f32| Bounds { low: x - r, high: x + r };
        for &(x, r) in own.iter().filter(|(x, r)| near(*x + shift, *r).meets(&solid.bounds, Vec3::ZERO)) {
            for &(y, s) in theirs {
                let way = x + shift - y;
                let inside = r + s - way.length();
                if inside > TOLERANCE * r.min(s) {
                    offer(&solid.name, inside, way.try_normalize().unwrap_or(Vec3::Y));
                }
            }
        }
    }
    Ok(best)
}
