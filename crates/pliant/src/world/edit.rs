//! Adding and removing objects between steps.
//!
//! Objects are checked when they are added. Model and state are built anew, with all that objects had, when a step or a
//! query of an object needs them: any number of changes costs one build.

use crate::builder::layout::{Layout, Placed, Source};
use crate::builder::{self, BuildError, MeshSource, build_with};
use crate::error::{SceneError, StepError};
use crate::model::Model;
use crate::scene::{Format, Object, ObjectKind, Scene};
#[cfg(feature = "gpu")]
use crate::solver::gpu::device_carry::DeviceCarry;
use crate::state::State;
use crate::world::World;
#[cfg(feature = "gpu")]
use crate::world::carry::device_carry;
use crate::world::carry::{Past, carry};
use crate::world::definition::{Definition, Handle};
use crate::world::host_copy::HostCopy;
use crate::world::mesh_cache::RecordedMeshes;
use crate::world::overlap;
use crate::world::setters::change_softness;
use std::sync::Arc;

/// Why a change of a world was refused. The world is as it was.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EditError {
    /// The object of a handle was removed, or is of another world.
    #[error("the object was removed, or is of another world")]
    Stale,
    /// There is no object of a name.
    #[error("there is no object {0:?}")]
    Unknown(String),
    /// The object is not of a kind that can do this.
    #[error("{0}")]
    Unsuitable(String),
    /// A number out of range.
    #[error("{0}")]
    Value(String),
    /// The object would be inside another one.
    #[error("{name:?} would be {:.1} mm inside {other:?}", 1e3 * depth)]
    Overlap {
        /// The object.
        name: String,
        /// The other.
        other: String,
        /// Depth of the overlap [m].
        depth: f32,
    },
    /// The object cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The state could not be read back from a GPU.
    #[error(transparent)]
    Step(#[from] StepError),
}

impl From<SceneError> for EditError {
    fn from(error: SceneError) -> Self {
        Self::Build(error.into())
    }
}

/// What to do with an object that would be inside another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// Refuse it.
    Refuse,
    /// Translate it to a free place nearby, and refuse it if there is none.
    MoveOut,
    /// Place it; contacts push both apart.
    Allow,
}

/// Options of [`World::add_with`].
#[derive(Clone, Copy)]
pub struct AddOptions<'a> {
    /// Where mesh files come from; default none.
    pub meshes: &'a dyn MeshSource,
    /// What to do with an object inside another; default [`Overlap::Refuse`] for bodies, [`Overlap::Allow`] for others.
    pub overlap: Option<Overlap>,
}

impl Default for AddOptions<'_> {
    fn default() -> Self {
        Self { meshes: &builder::NoMeshes, overlap: None }
    }
}

impl World {
    /// Adds an object: any entry of a scene, such as [`crate::scene::Body`] or [`crate::scene::Collider`].
    ///
    /// Its motion and its emitter begin now. A body that would be inside another one is refused. The object takes part
    /// from the next step on; queries by handle have it at once.
    pub fn add(&mut self, object: impl Into<Object>) -> Result<Handle, EditError> {
        self.add_with(object, &AddOptions::default())
    }

    /// [`Self::add`] with options.
    pub fn add_with(&mut self, object: impl Into<Object>, options: &AddOptions<'_>) -> Result<Handle, EditError> {
        let mut object = object.into();
        let kind = object.kind();
        let name = self.name_for(&object)?;
        if kind.is_relation() {
            return self.add_relation(object);
        }
        let meshes = RecordedMeshes::new(options.meshes, &self.meshes);
        let (mut part, mut collider) = (None, None);
        if kind == ObjectKind::Collider {
            let Object::Collider(spec) = &object else { unreachable!("kinds are of objects") };
            let alone = Scene { collider: vec![spec.clone()], ..Scene::default() };
            alone.validate()?;
            let named = crate::scene::Collider { name: name.clone(), ..spec.clone() };
            let built = builder::collider::collider(0, &named, self.time(), &meshes, &mut Vec::new())?;
            collider = Some(Arc::new(built));
        } else {
            let built = builder::part_of(&object, &self.definition.scene, &meshes)?;
            // The number of a liquid is not known yet.
            part = (kind != ObjectKind::Liquid).then_some(built);
        }
        let found = meshes.found();
        let count = part.as_ref().map_or(0, |part| part.positions.len());
        self.check_size(count.saturating_mul(overlap::copies_of(object.array())))?;
        let overlap = options.overlap.unwrap_or(match kind {
            ObjectKind::Body => Overlap::Refuse,
            _ => Overlap::Allow,
        });
        if let Some(built) = part.as_ref().filter(|_| overlap != Overlap::Allow) {
            let shift = match built.rigid.is_some() {
                true => self.free_place(&name, built, &object, overlap)?,
                false => overlap::resolve(self, &object, &name, built, overlap)?,
            };
            if shift != glam::Vec3::ZERO {
                object.translate(shift.to_array());
                let meshes = RecordedMeshes::new(options.meshes, &self.meshes);
                part = Some(builder::part_of(&object, &self.definition.scene, &meshes)?);
            }
        }
        if let (Some(part), Some(bounds)) = (&part, &mut self.bounds) {
            bounds.push(&name, part, &object);
        }
        Arc::make_mut(&mut self.meshes).extend(found);
        let time = self.time();
        let definition = Arc::make_mut(&mut self.definition);
        let handle = definition.add(object, Some(name), time);
        if let Some(entry) = definition.get_mut(handle) {
            (entry.part, entry.collider) = (part, collider);
        }
        Ok(handle)
    }

    /// Adds an object that refers to others, and builds at once: whether it fits is only known then.
    fn add_relation(&mut self, object: Object) -> Result<Handle, EditError> {
        self.apply_edits()?;
        let (before, time) = (self.definition.clone(), self.time());
        let handle = Arc::make_mut(&mut self.definition).add(object, None, time);
        self.rebuild().inspect_err(|_| self.definition = before)?;
        Ok(handle)
    }

    /// Adds all objects of a scene; its settings are ignored. Returns their handles, in the order of the scene's lists. If
    /// one of them is refused, none is added.
    pub fn add_scene(&mut self, scene: &Scene, meshes: &dyn MeshSource) -> Result<Vec<Handle>, EditError> {
        self.apply_edits()?;
        self.origin();
        self.check_edits();
        self.refit_bodies();
        let (before, time) = (self.definition.clone(), self.time());
        let known = self.meshes.clone();
        let meshes = RecordedMeshes::new(meshes, &known);
        let mut handles = Vec::new();
        for object in scene.clone().take_objects() {
            let name = match self.name_for(&object) {
                Ok(name) => name,
                Err(e) => {
                    self.definition = before;
                    return Err(e);
                }
            };
            handles.push(Arc::make_mut(&mut self.definition).add(object, Some(name), time));
        }
        let built = self.build_next(&meshes, None);
        let found = meshes.found();
        match built.and_then(|next| self.install(next)) {
            Ok(()) => {
                Arc::make_mut(&mut self.meshes).extend(found);
                Ok(handles)
            }
            Err(e) => {
                self.definition = before;
                Err(e)
            }
        }
    }

    /// [`Self::add_scene`] from the text of a scene.
    pub fn add_text(&mut self, text: &str, format: Format, meshes: &dyn MeshSource) -> Result<Vec<Handle>, EditError> {
        self.add_scene(&Scene::parse(text, format)?, meshes)
    }

    /// Removes an object, and what cannot be without it: attachments, melting, freezing, drains of it alone. Returns what
    /// was removed, the object first.
    pub fn remove(&mut self, object: Handle) -> Result<Vec<Handle>, EditError> {
        self.definition.get(object).ok_or(EditError::Stale)?;
        if self.definition.dependents(object).is_empty() && self.deactivate(object) {
            Arc::make_mut(&mut self.definition).remove_deactivated(object);
            return Ok(vec![object]);
        }
        let definition = Arc::make_mut(&mut self.definition);
        let (mut removed, mut open) = (Vec::new(), vec![object]);
        while let Some(next) = open.pop() {
            if definition.get(next).is_some() {
                open.extend(definition.dependents(next));
                definition.remove(next);
                removed.push(next);
            }
        }
        self.bounds = None;
        Ok(removed)
    }

    /// Whether an object is there.
    pub fn contains(&self, object: Handle) -> bool {
        self.definition.get(object).is_some()
    }

    /// The object of a name.
    pub fn find(&self, name: &str) -> Result<Handle, EditError> {
        self.definition.find(name).ok_or_else(|| EditError::Unknown(name.to_owned()))
    }

    /// Name of an object; empty for attachments, drains, melting and freezing.
    pub fn name(&self, object: Handle) -> Result<&str, EditError> {
        self.definition.get(object).map(|entry| entry.name.as_str()).ok_or(EditError::Stale)
    }

    /// Kind of an object.
    pub fn kind(&self, object: Handle) -> Result<ObjectKind, EditError> {
        self.definition.get(object).map(|entry| entry.source.kind).ok_or(EditError::Stale)
    }

    /// All objects, in the order of their kinds.
    pub fn objects(&self) -> Vec<Handle> {
        self.definition.handles().collect()
    }

    /// Builds what was added and removed since the last step. Steps and queries by handle do this themselves; others, such
    /// as [`Self::state`] and [`Self::topology`], show the world without it.
    pub fn apply_edits(&mut self) -> Result<(), EditError> {
        if !self.definition.changed {
            return Ok(());
        }
        let done = match self.append_added() {
            Ok(true) => return Ok(()),
            Ok(false) => self.rebuild(),
            Err(e) => Err(e),
        };
        if done.is_err() {
            // What was there before can be built; what came since is given up.
            let definition = Arc::make_mut(&mut self.definition);
            definition.drop_unbuilt();
        }
        done
    }

    /// [`Self::apply_edits`], with the errors of a step.
    pub(super) fn apply_edits_in_step(&mut self) -> Result<(), StepError> {
        self.apply_edits().map_err(|e| match e {
            EditError::Step(e) => e,
            other => StepError::Edit(other.to_string()),
        })
    }

    /// A name that is free: the object's own, or one made for it.
    fn name_for(&self, object: &Object) -> Result<String, EditError> {
        if object.name().is_empty() {
            return Ok(self.definition.free_name(object.kind()).unwrap_or_default());
        }
        if self.definition.find(object.name()).is_some() {
            let what = format!("{:?} is taken by another object", object.name());
            return Err(SceneError::new(format!("{}.name", object.kind().name()), what).into());
        }
        Ok(object.name().to_owned())
    }

    /// Builds the world anew if objects were appended or have left gaps: a build from the definition alone gives the same
    /// model then.
    pub(super) fn close_gaps(&mut self) -> Result<(), StepError> {
        if !self.appended && self.gaps == 0 {
            return Ok(());
        }
        self.rebuild().map_err(|e| match e {
            EditError::Step(e) => e,
            other => StepError::Edit(other.to_string()),
        })
    }

    pub(super) fn rebuild(&mut self) -> Result<(), EditError> {
        self.rebuild_with(None)
    }

    /// Builds the world anew. `repoured`: the object that has another emitter from now on.
    pub(super) fn rebuild_with(&mut self, repoured: Option<Handle>) -> Result<(), EditError> {
        self.origin();
        self.check_edits();
        self.refit_bodies();
        let meshes = self.meshes.clone();
        let next = self.build_next(&*meshes, repoured)?;
        self.install(next)
    }

    /// Model and state of the objects there will be. With a GPU the state stays there: the host goes by its memory of it.
    fn build_next(&mut self, meshes: &dyn MeshSource, repoured: Option<Handle>) -> Result<Next, EditError> {
        #[cfg(feature = "gpu")]
        if self.gpu.is_some() {
            self.settle()?;
            self.read_attached()?;
            let memory = std::mem::take(self.state.memory());
            let built = self.build_from(&memory, meshes, repoured);
            *self.state.memory() = memory;
            return built;
        }
        self.build_from(self.current_state()?, meshes, repoured)
    }

    /// The same from a state of the objects there are.
    fn build_from(&self, state: &State, meshes: &dyn MeshSource, repoured: Option<Handle>) -> Result<Next, EditError> {
        let (definition, origins) = self.definition.compacted();
        let repoured = repoured.and_then(|handle| definition.get(handle)).map(|entry| entry.source);
        let past = Past {
            definition: &definition,
            origins: &origins,
            model: &self.model,
            state,
            layout: &self.objects,
            repoured,
        };
        let (mut model, mut state, layout) = build_with(&definition.scene, meshes, &self.target(), &past)?;
        carry(&past, &mut model, &mut state, &layout);
        change_softnesses(&definition, &mut model, &state, &layout);
        #[cfg(feature = "gpu")]
        let carried = self.gpu.is_some().then(|| device_carry(&past, &model, &state, &layout));
        Ok(Next {
            definition,
            model,
            state,
            layout,
            #[cfg(feature = "gpu")]
            carried,
        })
    }

    /// Goes on with another model.
    pub(super) fn install(&mut self, next: Next) -> Result<(), EditError> {
        #[cfg(feature = "gpu")]
        let carried = next.carried;
        let Next { definition, model, state, layout, .. } = next;
        #[cfg(feature = "gpu")]
        self.replace_backend(&model, &state, carried.as_ref())?;
        #[cfg(not(feature = "gpu"))]
        self.replace_backend(&model, &state)?;
        (self.state_layout, self.gaps, self.appended) = (None, 0, false);
        self.free_slots.clear();
        (self.first_slot, self.removals) = (usize::MAX, 0);
        #[cfg(feature = "gpu")]
        let on_device = carried.is_some();
        #[cfg(not(feature = "gpu"))]
        let on_device = false;
        self.state = if on_device { HostCopy::on_device(state) } else { HostCopy::new(state) };
        self.edited = false;
        (self.model, self.objects, self.definition) = (model, Arc::new(layout), Arc::new(definition));
        (self.fingerprint, self.parameters, self.bounds, self.index) = (None, None, None, None);
        (self.pairs, self.rigid_places) = (None, None);
        Ok(())
    }

    /// Where an object is in model and state, which are brought up to date; none for colliders and relations.
    pub(super) fn placed(&mut self, object: Handle) -> Result<Placed, EditError> {
        self.definition.get(object).ok_or(EditError::Stale)?;
        self.apply_edits()?;
        let source = self.source(object)?;
        let kind = source.kind.name();
        let placed = self.objects.find(source).copied();
        placed.ok_or_else(|| EditError::Unsuitable(format!("an object of kind {kind:?} has no particles")))
    }

    /// Kind and index of an object.
    pub(super) fn source(&self, object: Handle) -> Result<Source, EditError> {
        self.definition.get(object).map(|entry| entry.source).ok_or(EditError::Stale)
    }
}

/// Repeats the changes of softness that callers have made.
pub(super) fn change_softnesses(definition: &Definition, model: &mut Model, state: &State, layout: &Layout) {
    for change in &definition.softness {
        let object = definition.changed_object(change).and_then(|object| layout.find(object));
        if let Some(placed) = object.filter(|placed| change.copy < placed.objects().len()) {
            let number = (placed.from.objects + change.copy) as u32;
            change_softness(model, &state.rows, number, change.kind, change.softness);
        }
    }
}

/// A world that was built, to go on with.
pub(super) struct Next {
    pub definition: Definition,
    pub model: Model,
    pub state: State,
    pub layout: Layout,
    /// Where its parts are on the device, if they are to be taken from there.
    #[cfg(feature = "gpu")]
    pub carried: Option<DeviceCarry>,
}
