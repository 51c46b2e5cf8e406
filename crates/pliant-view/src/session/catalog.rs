//! The entries that the objects of a world were made from, with what was changed since: for the list of objects and their
//! materials, and to write the world as a scene.

use crate::session::materials::{Material, MaterialValue, change, materials};
use glam::Quat;
use pliant::scene::{FrictionSpec, Object, ObjectKind, Rotate, Scene};
use pliant::{EditError, Handle, Pose, World};
use std::collections::BTreeMap;
use std::sync::Arc;

/// An object in the list.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectInfo {
    /// The object.
    pub handle: Handle,
    /// Its name, or its kind if it has none.
    pub name: String,
    /// Its kind.
    pub kind: ObjectKind,
    /// Its materials.
    pub materials: Vec<MaterialValue>,
}

/// An object's entry.
#[derive(Clone, Debug)]
struct Entry {
    object: Arc<Object>,
    /// Where a single body was placed.
    placed: Option<Pose>,
}

/// The entries of all objects.
#[derive(Clone, Debug)]
pub struct Catalog {
    /// Settings of the scene; its lists of objects are empty.
    settings: Arc<Scene>,
    entries: BTreeMap<Handle, Entry>,
}

/// All lists of a scene, in the order of [`ObjectKind::ALL`].
fn objects_of(scene: &Scene, kind: ObjectKind) -> Vec<Object> {
    fn all<T: Clone + Into<Object>>(list: &[T]) -> Vec<Object> {
        list.iter().cloned().map(Into::into).collect()
    }
    match kind {
        ObjectKind::Cloth => all(&scene.cloth),
        ObjectKind::Rope => all(&scene.rope),
        ObjectKind::Soft => all(&scene.soft),
        ObjectKind::Inflatable => all(&scene.inflatable),
        ObjectKind::Grains => all(&scene.grains),
        ObjectKind::Body => all(&scene.body),
        ObjectKind::Liquid => all(&scene.liquid),
        ObjectKind::Collider => all(&scene.collider),
        ObjectKind::Drain => all(&scene.drain),
        ObjectKind::Melt => all(&scene.melt),
        ObjectKind::Freeze => all(&scene.freeze),
        ObjectKind::Attach => all(&scene.attach),
        ObjectKind::Joint => all(&scene.joint),
    }
}

fn push(scene: &mut Scene, object: Object) {
    match object {
        Object::Cloth(o) => scene.cloth.push(o),
        Object::Rope(o) => scene.rope.push(o),
        Object::Soft(o) => scene.soft.push(o),
        Object::Inflatable(o) => scene.inflatable.push(o),
        Object::Grains(o) => scene.grains.push(o),
        Object::Body(o) => scene.body.push(o),
        Object::Liquid(o) => scene.liquid.push(o),
        Object::Collider(o) => scene.collider.push(o),
        Object::Drain(o) => scene.drain.push(o),
        Object::Melt(o) => scene.melt.push(o),
        Object::Freeze(o) => scene.freeze.push(o),
        Object::Attach(o) => scene.attach.push(o),
        Object::Joint(o) => scene.joint.push(o),
    }
}

impl Catalog {
    /// Of a world that was just built from a scene.
    pub fn new(world: &mut World, scene: &Scene) -> Self {
        let (title, solver, setup) = (scene.title.clone(), scene.solver.clone(), scene.world.clone());
        let (fluid, contact) = (scene.fluid.clone(), scene.contact.clone());
        let (camera, output) = (scene.camera.clone(), scene.output.clone());
        let settings = Scene { title, solver, world: setup, fluid, contact, camera, output, ..Scene::default() };
        let mut this = Self { settings: Arc::new(settings), entries: BTreeMap::new() };
        for kind in ObjectKind::ALL {
            let of_kind = world.objects().into_iter().filter(|&h| world.kind(h) == Ok(kind));
            let pairs: Vec<_> = of_kind.zip(objects_of(scene, kind)).collect();
            for (handle, object) in pairs {
                // A world that was restored from a snapshot may have others than its scene.
                if object.name().is_empty() || world.name(handle) == Ok(object.name()) {
                    this.add(world, handle, object);
                }
            }
        }
        this
    }

    /// An object that was added to the world.
    pub fn add(&mut self, world: &mut World, handle: Handle, object: Object) {
        let placed = matches!(object, Object::Body(_)).then(|| world.pose(handle).ok()).flatten();
        self.entries.insert(handle, Entry { object: Arc::new(object), placed });
    }

    /// Objects that were removed from the world.
    pub fn remove(&mut self, removed: &[Handle]) {
        removed.iter().for_each(|handle| drop(self.entries.remove(handle)));
    }

    /// Radius of liquid particles [m].
    pub fn liquid_radius(&self) -> f32 {
        self.settings.fluid.radius
    }

    /// The scene's camera.
    pub fn camera(&self) -> &pliant::scene::Camera {
        &self.settings.camera
    }

    fn friction(world: &World) -> FrictionSpec {
        world.contact_settings().friction
    }

    /// The list of objects.
    pub fn list(&self, world: &World) -> Vec<ObjectInfo> {
        let info = |(&handle, entry): (&Handle, &Entry)| {
            let kind = entry.object.kind();
            let own = world.name(handle).unwrap_or_default();
            let name = if own.is_empty() { kind.name() } else { own }.to_owned();
            ObjectInfo { handle, name, kind, materials: materials(&entry.object, Self::friction(world)) }
        };
        let mut list: Vec<_> = self.entries.iter().map(info).collect();
        list.sort_by_key(|info| (info.kind, info.handle));
        list
    }

    /// Changes a material of an object.
    pub fn change(&mut self, world: &mut World, handle: Handle, which: Material, value: f32) -> Result<(), EditError> {
        let friction = Self::friction(world);
        let entry = self.entries.get_mut(&handle).ok_or(EditError::Stale)?;
        change(world, (handle, Arc::make_mut(&mut entry.object)), which, value, friction)
    }

    /// The world as a scene: settings and objects as they are now, single bodies where they are. Everything else begins
    /// where it began, as scenes describe shapes at rest; a snapshot has all of it.
    pub fn scene(&self, world: &mut World) -> Scene {
        let mut scene = Scene::clone(&self.settings);
        scene.world = world.world_settings().clone();
        scene.solver = world.solver_settings().clone();
        scene.contact = world.contact_settings().clone();
        for (&handle, entry) in &self.entries {
            let mut object = Object::clone(&entry.object);
            name(&mut object, world.name(handle).unwrap_or_default());
            if let (Object::Body(body), Some(placed)) = (&mut object, entry.placed)
                && let (Ok(now), Ok(momentum)) = (world.pose(handle), world.momentum(handle))
            {
                let turn = now.rotation * placed.rotation.conjugate();
                let own = body.transform.rotate.map_or(Quat::IDENTITY, |r| {
                    let axis = glam::Vec3::from(r.axis).normalize_or(glam::Vec3::Y);
                    Quat::from_axis_angle(axis, r.degrees.to_radians())
                });
                let (axis, angle) = (turn * own).normalize().to_axis_angle();
                let moved = now.position + turn * (glam::Vec3::from(body.transform.translate) - placed.position);
                body.transform.rotate = Some(Rotate { axis: axis.to_array(), degrees: angle.to_degrees() });
                body.transform.translate = moved.to_array();
                body.velocity = (momentum.linear / momentum.mass.max(1e-30)).as_vec3().to_array();
            }
            push(&mut scene, object);
        }
        scene
    }
}

/// Writes the name that the world has given into an entry: others refer to it.
fn name(object: &mut Object, name: &str) {
    let own = match object {
        Object::Cloth(o) => &mut o.name,
        Object::Rope(o) => &mut o.name,
        Object::Soft(o) => &mut o.name,
        Object::Inflatable(o) => &mut o.name,
        Object::Grains(o) => &mut o.name,
        Object::Body(o) => &mut o.name,
        Object::Liquid(o) => &mut o.name,
        Object::Collider(o) => &mut o.name,
        _ => return,
    };
    name.clone_into(own);
}
