//! Builds model and state from all placed parts: numbers rows, then partitions, orders and packs constraints.

use crate::builder::BuildError;
use crate::builder::assembly::elastic_rows::{body_of, join, split};
use crate::builder::assembly::runs::runs;
use crate::builder::assembly::{Assembly, MOST};
use crate::builder::immersion::immerse;
use crate::builder::joint::joints;
use crate::builder::liquid::{fluid, notes, projection};
use crate::builder::packing;
use crate::builder::part::ORIENTATION;
use crate::builder::rigid_body::{between, body_colliders, collider_geometry};
use crate::builder::settings::{particle_contact, settings};
use crate::builder::surfaces::finish_aero_surfaces;
use crate::collision::{CollisionGroups, ContactTable, Friction};
use crate::constraints::ConstraintKind;
use crate::constraints::group::BLOCK;
use crate::constraints::group::Raw;
use crate::constraints::inflate::Inflatable;
use crate::contact::attachment_filter::AttachmentFilter;
use crate::error::SceneError;
use crate::integration::momentum::FreeIsland;
use crate::math::RowData;
use crate::methods::{PlanInput, method, vbd};
use crate::model::Model;
use crate::partition::Target;
use crate::partition::islands::{Islands, PatchCapacity, UnionFind, components};
use crate::partition::{Problem, plan};
use crate::rigid_body::bodies::{RigidBodies, RigidBodyModel};
use crate::rigid_body::joint::{drives, separated};
use crate::scene::{Integrator, Method, Partition, Quality, Scene};
use crate::settings::Settings;
use crate::shape_matching::ShapeMatch;
use crate::state::{Frozen, State};
use crate::surface_contact::build::SurfaceInputs;
use crate::surface_contact::leaks::leak;
use crate::surface_contact::model::SurfaceModel;
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Instant;

impl Assembly {
    /// Partitions, orders and packs everything.
    pub fn finish(mut self, scene: &Scene, target: &Target) -> Result<(Model, State), BuildError> {
        let particles = self.rows.len();
        self.rows.extend_from_slice(&self.orientations);
        self.velocities.resize(self.rows.len(), [0.0; 4]);
        if let Some((anchor, _)) = self.anchors.first().filter(|_| target.is_gpu()) {
            let what = "attaches particles to a rigid body, which works on the CPU only";
            return Err(SceneError::new(format!("attach[{}]", anchor.attachment), what).into());
        }
        let (mut settings, particle_contact) = (settings(scene, target), particle_contact(scene));
        let mut all = self.numbered(particles)?;
        let solid = self.rows.len();
        let elastic = self.elastic_rows(&mut settings, scene, &mut all);
        let (mut constraints, of_descent) = split(all, &elastic);
        // Classic PBD is chosen for its speed, and for the motion that its documents show.
        let free_islands = match settings.method {
            Method::Pbd => Vec::new(),
            _ => self.free_islands([&constraints, &of_descent], particles),
        };
        let body_of = body_of(&of_descent, &elastic);
        let clock = Instant::now();
        // Bodies that may collide with each other are no islands.
        let triangles = self.triangle_contact(scene, target);
        let apart = particle_contact.is_none()
            && !triangles
            && self.anchors.is_empty()
            && self.shapes.is_empty()
            && scene.liquid.is_empty();
        let islands = self.islands(scene, &settings, target, &constraints);
        let islands = if apart { islands } else { islands.dissolved() };
        let shapes = self.match_shapes()?;
        self.record_release_times(f64::from(settings.dt));
        let skinned_meshes = std::mem::take(&mut self.skinned_meshes).finish(&self.shape, MOST)?;
        if !self.fields.is_empty() {
            self.fields.resize(solid, [0.0; 4]);
        }
        // Contacts skip pairs that are close at rest.
        let whole = particle_contact.is_some() && (self.any_itself || !self.attachment_filter.is_empty());
        let rest_places = if whole { self.rest.clone() } else { Vec::new() };
        let surface_rest = if triangles { self.rest.clone() } else { Vec::new() };
        let rest = rest_of_rows(std::mem::take(&mut self.rest), [&constraints, &of_descent], solid);
        let (partition, solver) = (settings.partition, &scene.solver);
        let alone = apart && self.inflatables.is_empty();
        let problem = Problem { partition, solver, target, islands: &islands, rest: &rest, alone };
        let mut plan = plan(&problem, &mut constraints);
        let constraints = join(constraints, of_descent, &mut plan);
        let partition_seconds = clock.elapsed().as_secs_f64();
        let with_sets = constraints.into_iter().zip(&plan.sets);
        let groups: Vec<_> = with_sets.map(|((kind, raw), sets)| packing::group(kind, &raw, sets)).collect();
        let copies = plan.phantoms.owners.iter().map(|&owner| self.rows[owner as usize]);
        let rows: Vec<RowData> = self.rows.iter().copied().chain(copies).collect();
        let island_count = islands.runs.len();
        packing::check(&groups, &plan, island_count, rows.len(), partition.is_parallel())?;
        finish_aero_surfaces(&mut self.aero_surfaces, particles);
        // The spectra of viscous liquids are measured by run, and must not depend on another environment.
        let cut = !scene.liquid.is_empty() && self.environments.are_separate();
        let runs = runs(islands.runs, &body_of[..particles], cut.then_some(&self.environments));
        let free: Vec<bool> = self.rows.iter().enumerate().map(|(i, row)| self.is_free(i, row, particles)).collect();
        let bodies = vbd::plan::bodies(&groups, &rest, &free, &runs);
        let contacts = vec![Vec::new(); runs.len()];
        let method = method(partition);
        let incidence = if method.reads_incidence() { packing::incidence(&groups, solid) } else { Default::default() };
        let multipliers = groups.iter().map(|g| vec![0.0; g.blocks() * g.layout().multipliers * BLOCK]).collect();
        let (params, moving): (Vec<_>, Vec<_>) = std::mem::take(&mut self.rigid_bodies).into_iter().unzip();
        let (anchors, anchor_states): (Vec<_>, Vec<_>) = std::mem::take(&mut self.anchors).into_iter().unzip();
        let joints = joints(scene, &params, &self.shape)?;
        let joint_states = joints.iter().map(|j| j.state(&moving)).collect();
        let rigid_state = RigidBodies {
            bodies: moving,
            joints: joint_states,
            drives: drives(&joints),
            anchors: anchor_states,
            ..RigidBodies::default()
        };
        let rigid_bodies = RigidBodyModel {
            colliders: if params.is_empty() {
                Vec::new()
            } else {
                self.colliders.iter().map(collider_geometry).collect()
            },
            bodies: params,
            separated: separated(joints.iter()),
            anchors,
            joints,
            between: between(scene),
            collide: scene.contact.between.unwrap_or(true),
        };
        let body_colliders = body_colliders(scene, &rigid_bodies)?;
        self.environments.add_bodies(self.colliders.len(), body_colliders.len());
        let mut state = State {
            rows,
            multipliers,
            shapes,
            contacts,
            rigid_bodies: rigid_state,
            ..self.state(particles, &settings, !scene.liquid.is_empty())
        };
        // Inactive particles that will freeze have mass, too.
        for freeze in &self.freezes {
            self.rows[freeze.body.clone()].iter_mut().for_each(|row| row[3] = freeze.inv_mass);
        }
        let copies = self.environments.count();
        let mut fluid = fluid(scene, copies, self.fluid_volumes, self.liquids, (&self.rows, &self.shape.radii));
        if let Some(fluid) = &mut fluid {
            let (projects, note) = projection(scene, fluid, &settings, copies == 1);
            fluid.projects = projects;
            if projects {
                immerse(fluid, &self.body_surfaces, &rigid_bodies.bodies, &mut state, self.edited);
            }
            self.notes.extend(note);
            self.notes.extend(notes(fluid, settings.dt / settings.substeps as f32));
        }
        let mut model = Model {
            schedule: method.passes(&PlanInput { partition, plan: &plan, islands: island_count, groups: &groups }),
            particle_contact,
            surfaces: None,
            fluid,
            rest: rest_places,
            fields: self.fields,
            loose: self.loose,
            attachment_filter: AttachmentFilter::new(self.attachment_filter, particles),
            contact_table: ContactTable::default(),
            settings,
            groups,
            inflatables: self.inflatables,
            colliders: self.colliders,
            environments: self.environments,
            pins: self.pins,
            aero_surfaces: self.aero_surfaces,
            spin_inv_inertias: self.spin_inv_inertias,
            phantoms: plan.phantoms,
            incidence,
            bodies,
            free_islands,
            rigid_bodies,
            body_colliders,
            runs,
            topology: self.shape,
            skinned_meshes,
            emitters: self.emitters,
            drains: self.drains,
            melts: self.melts,
            freezes: self.freezes,
            grips: Vec::new(),
            sleep_groups: None,
            notes: self.notes,
            room: crate::model::Room::default(),
            partition_seconds,
        };
        let (objects, colliders) = self.contacts;
        model.set_contact_table(model.contact_table_of(objects, colliders));
        if triangles {
            model.surfaces = surfaces(&model, scene, &surface_rest);
        }
        model.find_rigid_islands();
        model.add_passes(&state);
        Ok((model, state))
    }

    /// Whether triangles collide. On a GPU they do not, which is noted; so is where objects may pass through each other without.
    fn triangle_contact(&mut self, scene: &Scene, target: &Target) -> bool {
        let wanted = scene.contact.triangles && !self.shape.triangles.is_empty();
        if wanted && target.is_gpu() {
            self.notes.push(String::from(
                "triangles do not collide on a GPU, only particles: with the CPU backend nothing passes through them",
            ));
        }
        // Who says that objects do not collide need not be told.
        if !wanted && self.environments.count() <= 1 && scene.contact.between != Some(false) {
            let own =
                |object: u32| self.contacts.0.get(object as usize).map_or(CollisionGroups::default(), |c| c.groups);
            let found = leak(&self.shape, &self.rest, |a, b| own(a).touches(own(b)));
            if let Some(names) = found.map(|pair| pair.map(|object| &self.shape.object_names[object as usize])) {
                self.notes.push(format!(
                    "the particles of \"{}\" and \"{}\" are too far apart to hold each other, which may pass through each other: \
                     contact.triangles = true prevents that on the CPU, or finer meshes and larger radii",
                    names[0], names[1]
                ));
            }
        }
        wanted && !target.is_gpu()
    }

    /// Constraints of all kinds present, orientations numbered after the particles.
    fn numbered(&mut self, particles: usize) -> Result<BTreeMap<ConstraintKind, Raw>, BuildError> {
        let mut constraints = std::mem::take(&mut self.constraints);
        constraints.retain(|_, raw| !raw.rows.is_empty());
        for raw in constraints.values_mut() {
            if raw.rows.len() > MOST {
                return Err(BuildError::TooLarge { what: "rows of one kind", found: raw.rows.len(), most: MOST });
            }
            for r in raw.rows.iter_mut().filter(|r| **r & ORIENTATION != 0) {
                *r = (*r & !ORIENTATION) + particles as u32;
            }
        }
        Ok(constraints)
    }

    /// Which rows vertex block descent solves; chooses the substeps that they need, if the scene gives none.
    fn elastic_rows(
        &mut self,
        settings: &mut Settings,
        scene: &Scene,
        all: &mut BTreeMap<ConstraintKind, Raw>,
    ) -> Vec<bool> {
        let none = vec![false; self.rows.len()];
        if settings.method != Method::Vbd || !settings.partition.is_parallel() {
            return none;
        }
        let inflated = self.inflatables.iter().map(Inflatable::run);
        let body = components(all, self.rows.len());
        let inv_masses: Vec<f32> = self.rows.iter().map(|row| row[3]).collect();
        vbd::plan::resolve_chains(all, &body, &inv_masses, settings.substep());
        let mut matched: Vec<u32> = self.shapes.iter().flat_map(|shape| shape.members.iter().copied()).collect();
        // Impulses of rigid bodies go on through multipliers.
        matched.extend(self.anchors.iter().map(|(anchor, _)| anchor.particle));
        let anchored: HashSet<u32> = self.anchors.iter().map(|(a, _)| body[a.particle as usize]).collect();
        let found = vbd::plan::elastic_rows(all, &body, inflated, matched.iter().copied());
        if !scene.gives_steps() && scene.solver.quality != Quality::Draft {
            let wanted = vbd::plan::sheet_substeps(all, &body, &found.rows, &inv_masses, settings.dt);
            let wanted = if scene.solver.quality == Quality::Accurate { 2 * wanted } else { wanted };
            settings.substeps = settings.substeps.max(wanted);
        }
        vbd::plan::resolve_attachments(all, &found.rows, &self.rows, settings.substep());
        let mut noted = HashSet::new();
        for (row, why) in found.refused {
            // Orientations come after particles of the same body.
            let Some(&object) = self.shape.objects.get(row as usize) else { continue };
            let why = if anchored.contains(&body[row as usize]) { "attachments to rigid bodies" } else { why };
            if noted.insert((object, why)) {
                let name = &self.shape.object_names[object as usize];
                self.notes.push(format!(
                    "{name:?} has {why}, so that its stiffness is approached by XPBD: without solver.substeps of 16 or \
                     more it is too soft"
                ));
            }
        }
        found.rows
    }

    /// Objects whose momentum nothing inside them can change: joined by constraints, inflatables or shapes, without fixed
    /// particles.
    fn free_islands(&self, constraints: [&BTreeMap<ConstraintKind, Raw>; 2], particles: usize) -> Vec<FreeIsland> {
        let mut joined = UnionFind::new(self.rows.len());
        for (kind, raw) in constraints.into_iter().flatten() {
            for members in raw.rows.chunks_exact(kind.layout().rows) {
                members.iter().for_each(|&r| joined.join(members[0], r));
            }
        }
        for run in self.inflatables.iter().map(Inflatable::run) {
            run.clone().for_each(|r| joined.join(run.start as u32, r as u32));
        }
        for shape in &self.shapes {
            shape.members.iter().for_each(|&r| joined.join(shape.members[0], r));
        }
        let mut islands: BTreeMap<u32, FreeIsland> = BTreeMap::new();
        let mut fixed = BTreeSet::new();
        let mut sizes = vec![0_u32; self.rows.len()];
        (0..sizes.len()).for_each(|row| sizes[joined.root(row as u32) as usize] += 1);
        for (row, data) in self.rows.iter().enumerate() {
            let root = joined.root(row as u32);
            // Grains and particles of liquids are free anyway.
            if sizes[root as usize] == 1 {
                continue;
            }
            let island = islands.entry(root).or_default();
            if row < particles {
                island.particles.push(row as u32);
            } else {
                island.has_orientations = true;
            }
            if !self.is_free(row, data, particles) {
                fixed.insert(root);
            }
        }
        // Bodies that melt or freeze exchange particles, and momentum with them.
        let changing = self.melts.iter().map(|m| m.body.clone()).chain(self.freezes.iter().map(|f| f.body.clone()));
        fixed.extend(changing.flatten().map(|row| joined.root(row as u32)).collect::<Vec<_>>());
        islands.retain(|root, island| island.particles.len() > 1 && !fixed.contains(root));
        islands.into_values().collect()
    }

    /// Whether a row can move. Orientations are numbered after the particles.
    fn is_free(&self, row: usize, data: &RowData, particles: usize) -> bool {
        if row < particles { data[3] > 0.0 } else { self.spin_inv_inertias[row - particles] > 0.0 }
    }

    /// Bodies without a common constraint, if the partition uses islands.
    fn islands(
        &self,
        scene: &Scene,
        settings: &Settings,
        target: &Target,
        all: &BTreeMap<ConstraintKind, Raw>,
    ) -> Islands {
        let (solid, partition) = (self.rows.len(), settings.partition);
        // The number of phantom copies is not known yet: where capacity is limited, split bodies are no islands.
        let splits = matches!(partition, Partition::Phantom | Partition::Hybrid);
        if !partition.is_parallel() || splits && target.rows < usize::MAX {
            return Islands::none(all, solid);
        }
        let tied: Vec<_> = self.inflatables.iter().map(Inflatable::run).collect();
        let limit = scene.solver.patch_particles.filter(|_| partition.is_patched());
        Islands::find(all, solid - self.orientations.len(), solid, &tied, PatchCapacity::on(target, limit))
    }

    /// Shape-matched bodies, relative to their rest shape.
    fn match_shapes(&self) -> Result<Option<ShapeMatch>, BuildError> {
        if self.shapes.is_empty() {
            return Ok(None);
        }
        let rest: Vec<RowData> = self.rest.iter().zip(&self.rows).map(|(p, row)| [p.x, p.y, p.z, row[3]]).collect();
        let mut shapes = ShapeMatch::new(&self.shapes, &rest).map_err(|e| SceneError::new("body", e.to_string()))?;
        if !self.freezes.is_empty() {
            // These particles are inactive at the start.
            self.freezes.iter().flat_map(|f| f.body.clone()).for_each(|row| shapes.leave(row));
            shapes.set_masses(&rest);
        }
        Ok(Some(shapes))
    }

    /// Records the release times of emitted particles for output, with steps of `dt` [s].
    fn record_release_times(&mut self, dt: f64) {
        let particles = self.shape.objects.len();
        self.shape.enters.resize(if self.emitters.is_empty() { 0 } else { particles }, 0.0);
        for emitter in &self.emitters {
            let times = (0..emitter.places.len()).map(|k| emitter.step_of(k, dt));
            self.shape.enters[emitter.first..].iter_mut().zip(times).for_each(|(enters, time)| *enters = time);
        }
    }

    /// The initial state, except for rows, multipliers and shapes. `wet`: there are liquids.
    fn state(&mut self, particles: usize, settings: &Settings, wet: bool) -> State {
        let second = settings.integrator == Integrator::Bdf2;
        let history = |rows: &Vec<RowData>| if second { rows.clone() } else { Vec::new() };
        let wet = if wet { particles } else { 0 };
        State {
            particles,
            previous: self.rows.clone(),
            older: history(&self.rows),
            older_velocities: history(&self.velocities),
            velocities: std::mem::take(&mut self.velocities),
            radii: self.shape.radii.clone(),
            phases: std::mem::take(&mut self.phases),
            emitted: vec![0; self.emitters.len()],
            returned: vec![Default::default(); self.emitters.len()],
            melted: vec![0; self.melts.len()],
            frozen: vec![Frozen::default(); self.freezes.len()],
            first_order: vec![false; if second { particles } else { 0 }],
            inflate_multipliers: vec![0.0; self.inflatables.len()],
            pressures: vec![0.0; wet],
            carried: vec![[0.0; 4]; wet],
            ..State::default()
        }
    }
}

/// Surfaces of a model whose triangles collide.
fn surfaces(model: &Model, scene: &Scene, rest: &[Vec3]) -> Option<SurfaceModel> {
    let (friction, contact) = (&scene.contact.friction, model.contact());
    let mass = |body: u32| model.rigid_bodies.bodies[body as usize].shape.mass.mass as f32;
    let inputs = SurfaceInputs {
        topology: &model.topology,
        rest,
        environments: &model.environments,
        attachments: &model.attachment_filter,
        shapes: contact.shapes().collect(),
        masses: model.body_colliders.iter().map(|p| mass(p.body)).collect(),
        friction: Friction { static_friction: friction.static_friction, kinetic_friction: friction.kinetic_friction },
        recovery_speed: scene.contact.recovery_speed,
    };
    SurfaceModel::new(&inputs)
}

/// Rest positions of all rows: an orientation is at the center of its segment.
fn rest_of_rows(mut rest: Vec<Vec3>, constraints: [&BTreeMap<ConstraintKind, Raw>; 2], rows: usize) -> Vec<Vec3> {
    rest.resize(rows, Vec3::ZERO);
    for raw in constraints.iter().filter_map(|all| all.get(&ConstraintKind::StretchShear)) {
        raw.rows.chunks_exact(3).for_each(|r| rest[r[2] as usize] = rest[r[0] as usize]);
    }
    rest
}

/// Particles per run outside islands.
pub(crate) const RUN: usize = 4096;
