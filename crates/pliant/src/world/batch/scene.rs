//! One scene of all copies, and what the builder knows of them: parts and colliders that are the same are built once.

use crate::builder::layout::{EnvironmentPlan, History, Source};
use crate::builder::part::Part;
use crate::builder::{self, BuildError};
use crate::contact::collider::Collider;
use crate::environments::ColliderSlot;
use crate::error::SceneError;
use crate::scene::{Object, ObjectKind, Scene};
use crate::world::batch::BatchOptions;
use std::collections::HashMap;
use std::sync::Arc;

/// Kinds of objects with particles.
const WITH_PARTICLES: [ObjectKind; 7] = [
    ObjectKind::Cloth,
    ObjectKind::Rope,
    ObjectKind::Soft,
    ObjectKind::Inflatable,
    ObjectKind::Grains,
    ObjectKind::Body,
    ObjectKind::Liquid,
];

/// Copies of a scene, joined.
pub(super) struct Joined {
    /// All objects: those of one kind by their index in a copy, then by copy.
    pub scene: Scene,
    /// Names of the objects of a copy, with their kinds and indices.
    pub names: Vec<(String, ObjectKind, usize)>,
    plan: EnvironmentPlan,
    parts: HashMap<Source, Arc<Part>>,
    colliders: Vec<Collider>,
}

impl History for Joined {
    fn environments(&self) -> Option<&EnvironmentPlan> {
        Some(&self.plan)
    }

    fn part(&self, object: Source) -> Option<Arc<Part>> {
        self.parts.get(&object).cloned()
    }

    fn collider(&self, index: usize) -> Option<Collider> {
        self.colliders.get(index).cloned()
    }
}

impl Joined {
    pub fn new(
        copies: usize,
        options: &BatchOptions<'_>,
        mut scene: impl FnMut(usize) -> Arc<Scene>,
    ) -> Result<Self, BuildError> {
        let count = u32::try_from(copies).ok().filter(|&n| n > 0);
        let count =
            count.ok_or_else(|| SceneError::new("batch", format!("has {copies} copies, but needs at least one")))?;
        let given = scene(0);
        supported(&given)?;
        given.validate()?;
        let mut scenes = vec![named(&given)];
        for k in 1..copies {
            let next = scene(k);
            if Arc::ptr_eq(&next, &given) {
                scenes.push(scenes[0].clone());
                continue;
            }
            let next = named(&next);
            same_settings(&scenes[0], &next, k)?;
            next.validate().map_err(|e| in_copy(k, e))?;
            scenes.push(next);
        }
        let names = names(&scenes[0]);
        if let Some(unknown) = options.steered.iter().find(|&&s| !scenes[0].collider.iter().any(|c| c.name == s)) {
            let known: Vec<&str> = scenes[0].collider.iter().map(|c| c.name.as_str()).collect();
            let message = format!("names {unknown:?}, but the colliders are {}", known.join(", "));
            return Err(SceneError::new("batch.steered", message).into());
        }
        // One copy decides: others are no objects that it may touch.
        let mut settings = settings_of(&scenes[0]);
        settings.contact.between = Some(settings.contact.between.unwrap_or_else(|| scenes[0].collides()));
        let mut this = Self {
            scene: settings,
            names,
            plan: EnvironmentPlan { count, slots: Vec::new() },
            parts: HashMap::new(),
            colliders: Vec::new(),
        };
        this.join_colliders(&scenes, options)?;
        for kind in ObjectKind::ALL.into_iter().filter(|&kind| kind != ObjectKind::Collider) {
            for index in 0..scenes[0].count(kind) {
                for (k, scene) in scenes.iter().enumerate() {
                    this.scene.push(renamed(scene.object(kind, index), k));
                }
            }
        }
        this.build_parts(&scenes, options)?;
        Ok(this)
    }

    /// Colliders in slots: shared ones once, others for every copy.
    fn join_colliders(&mut self, scenes: &[Arc<Scene>], options: &BatchOptions<'_>) -> Result<(), BuildError> {
        for (index, base) in scenes[0].collider.iter().enumerate() {
            let specs = || scenes.iter().map(|scene| &scene.collider[index]);
            let steered = options.steered.contains(&base.name.as_str());
            let separate = steered || specs().any(|spec| spec.motion.is_some() || spec != base);
            self.plan.slots.push(ColliderSlot { first: self.colliders.len() as u32, separate });
            let built = builder::collider::collider(index, base, 0.0, options.meshes, &mut Vec::new())?;
            if !separate {
                self.scene.collider.push(base.clone());
                self.colliders.push(built);
                continue;
            }
            for (k, spec) in specs().enumerate() {
                let own = match spec == base {
                    true => built.clone(),
                    false => builder::collider::collider(index, spec, 0.0, options.meshes, &mut Vec::new())
                        .map_err(|e| copy_error(k, e))?,
                };
                let name = copy_name(&spec.name, k);
                self.scene.collider.push(crate::scene::Collider { name: name.clone(), ..spec.clone() });
                self.colliders.push(Collider { name, ..own });
            }
        }
        Ok(())
    }

    /// Parts of all copies; objects that are equal to those of the first copy share theirs.
    fn build_parts(&mut self, scenes: &[Arc<Scene>], options: &BatchOptions<'_>) -> Result<(), BuildError> {
        for kind in WITH_PARTICLES {
            for index in 0..scenes[0].count(kind) {
                let source = Source::new(kind, index);
                let build = |k: usize| {
                    let part = builder::part(source, &scenes[k], options.meshes, None, &mut Vec::new());
                    part.map_err(|e| if k == 0 { e } else { copy_error(k, e) })
                };
                let base = build(0)?;
                for k in 0..scenes.len() {
                    let (first, own) = (&scenes[0], &scenes[k]);
                    let part = match Arc::ptr_eq(own, first) || own.has_same(first, kind, index) {
                        true => base.clone(),
                        false => build(k)?,
                    };
                    let at = format!("{}[{index}]", kind.name());
                    let arrays = [first, own].map(|scene| scene.array(kind, index).map(|a| a.count));
                    same_topology(&base, &part, arrays)
                        .map_err(|what| SceneError::new(format!("copy {k}: {at}"), what))?;
                    self.parts.insert(Source::new(kind, index * scenes.len() + k), part);
                }
            }
        }
        Ok(())
    }
}

/// Name of an object in a copy.
fn copy_name(name: &str, copy: usize) -> String {
    format!("{name}#{copy}")
}

/// The same for a name that may be that of a member of an array, `name[k]`.
fn copy_of_array(name: &str, copy: usize) -> String {
    match name.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')) {
        Some((object, member)) if member.parse::<u32>().is_ok() => format!("{}[{member}]", copy_name(object, copy)),
        _ => copy_name(name, copy),
    }
}

fn copy_error(copy: usize, error: BuildError) -> BuildError {
    match error {
        BuildError::Scene(e) => BuildError::Scene(in_copy(copy, e)),
        BuildError::Mesh(e) => BuildError::Mesh(format!("copy {copy}: {e}")),
        other => other,
    }
}

fn in_copy(copy: usize, error: SceneError) -> SceneError {
    SceneError { path: format!("copy {copy}: {}", error.path), ..error }
}

/// A scene's settings, without its objects.
fn settings_of(scene: &Scene) -> Scene {
    let mut settings = scene.clone();
    settings.take_objects();
    settings
}

/// Gives names to all objects.
fn named(scene: &Scene) -> Arc<Scene> {
    let mut scene = scene.clone();
    for kind in ObjectKind::ALL {
        for index in 0..scene.count(kind) {
            if let Some(name) = scene.name_mut(kind, index).filter(|name| name.is_empty()) {
                *name = format!("{} {index}", kind.name());
            }
        }
    }
    Arc::new(scene)
}

fn names(scene: &Scene) -> Vec<(String, ObjectKind, usize)> {
    let mut scene = scene.clone();
    let mut all = Vec::new();
    for kind in ObjectKind::ALL {
        for index in 0..scene.count(kind) {
            all.extend(scene.name_mut(kind, index).map(|name| (name.clone(), kind, index)));
        }
    }
    all
}

/// An object as copy `copy` has it.
fn renamed(mut object: Object, copy: usize) -> Object {
    let name = copy_name(object.name(), copy);
    match &mut object {
        Object::Attach(attach) => {
            for select in [&mut attach.from, &mut attach.to] {
                select.object = copy_name(&select.object, copy);
            }
        }
        Object::Joint(joint) => {
            joint.body = copy_of_array(&joint.body, copy);
            joint.to = joint.to.as_ref().map(|to| copy_of_array(to, copy));
        }
        other => other.set_name(&name),
    }
    object
}

/// Refuses what couples copies, or cannot be reset.
fn supported(scene: &Scene) -> Result<(), SceneError> {
    let refused = |at: String, what: &str| Err(SceneError::new(at, format!("{what} are not supported in a batch")));
    for (list, count) in [("drain", scene.drain.len()), ("melt", scene.melt.len()), ("freeze", scene.freeze.len())] {
        if count > 0 {
            return refused(format!("{list}[0]"), "drains, melting and freezing");
        }
    }
    if let Some(i) = scene.grains.iter().position(|g| g.pour.is_some()) {
        return refused(format!("grains[{i}].pour"), "emitters");
    }
    if let Some(i) = scene.liquid.iter().position(|l| l.pour.is_some() || !l.has_source()) {
        return refused(format!("liquid[{i}]"), "emitters, and liquids without particles,");
    }
    if scene.contact.stacking > 0.0 {
        return refused("contact.stacking".to_owned(), "masses by height over the lowest particle");
    }
    Ok(())
}

/// Refuses another copy's scene if anything but parameters of objects differs.
fn same_settings(first: &Scene, next: &Scene, copy: usize) -> Result<(), SceneError> {
    let differs = |what: &str| Err(SceneError::new(format!("copy {copy}: {what}"), "is not that of copy 0"));
    if first.solver != next.solver {
        return differs("solver");
    }
    if first.world != next.world {
        return differs("world");
    }
    if first.contact != next.contact {
        return differs("contact");
    }
    if first.fluid != next.fluid {
        return differs("fluid");
    }
    for kind in ObjectKind::ALL {
        let (found, expected) = (next.count(kind), first.count(kind));
        if found != expected {
            let what = format!("has {found} objects, but copy 0 has {expected}");
            return Err(SceneError::new(format!("copy {copy}: {}", kind.name()), what));
        }
    }
    let (own, theirs) = (names(first), names(next));
    if let Some((a, b)) = own.iter().zip(&theirs).find(|(a, b)| a != b) {
        let what = format!("is called {:?}, but {:?} in copy 0", b.0, a.0);
        return Err(SceneError::new(format!("copy {copy}: {}[{}]", b.1.name(), b.2), what));
    }
    let material = |l: &crate::scene::Liquid| (l.density, l.viscosity, l.tension);
    let mut liquids = first.liquid.iter().zip(&next.liquid);
    if let Some(i) = liquids.position(|(a, b)| material(a) != material(b)) {
        return differs(&format!("the material of liquid[{i}]"));
    }
    supported(next).map_err(|e| in_copy(copy, e))
}

/// Refuses a part with other particles or constraints.
fn same_topology(base: &Part, part: &Part, arrays: [Option<[u32; 3]>; 2]) -> Result<(), String> {
    if arrays[0] != arrays[1] {
        return Err("has another array than in copy 0".to_owned());
    }
    let (found, expected) = (part.positions.len(), base.positions.len());
    if found != expected {
        return Err(format!("has {found} particles, but copy 0 has {expected}"));
    }
    let rows = |part: &Part| part.constraints.iter().map(|(kind, raw)| (*kind, raw.rows.len())).collect::<Vec<_>>();
    if rows(base) != rows(part)
        || base.triangles != part.triangles
        || base.orientations.len() != part.orientations.len()
    {
        return Err("has other constraints or triangles than in copy 0".to_owned());
    }
    let pieces = |part: &Part| part.rigid.as_ref().map(|r| r.shape.pieces.len());
    if pieces(base) != pieces(part) {
        return Err("has other convex parts than in copy 0".to_owned());
    }
    let regions = |part: &Part| part.matching.as_ref().map(|m| m.regions.len());
    if regions(base) != regions(part) {
        return Err("has other regions than in copy 0".to_owned());
    }
    Ok(())
}
