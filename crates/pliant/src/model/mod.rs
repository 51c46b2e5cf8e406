//! The fixed half of a simulation: constraints, their parameters and their order.
//!
//! Built once by `builder`; a step only reads it. Between steps a caller may change parameters through
//! [`crate::World`], which keeps it consistent, but never the topology.

mod contact_table;
mod memory;
pub mod partition_report;
pub(crate) mod rigid_edit;

use crate::aero::surfaces::AeroSurfaces;
use crate::collision::ContactTable;
use crate::constraints::ConstraintKind;
use crate::constraints::group::{Group, Incidence};
use crate::constraints::inflate::{Inflatable, Inflatables};
use crate::constraints::phantoms::Phantoms;
use crate::contact::attachment_filter::AttachmentFilter;
use crate::contact::collider::{BodyCollider, Collider};
use crate::contact::model::{ContactModel, ParticleContactSettings};
use crate::contact::phenomenon::ContactPhenomenon;
use crate::contact::restitution::RestitutionLaw;
use crate::environments::Environments;
use crate::error::Diverged;
use crate::fluid::model::FluidModel;
use crate::fluid::parameters::Fluid;
use crate::frame::Topology;
use crate::grip::Grip;
use crate::integration::momentum::{FreeIsland, MomentumModel};
use crate::integration::pins::MovedPins;
use crate::integration::predict::IntegrationModel;
use crate::integration::sleeping::SleepGroups;
use crate::math::RowData;
use crate::methods::ConstraintModel;
use crate::methods::vbd::ElasticModel;
use crate::methods::vbd::plan::ElasticBody;
use crate::rigid_body::bodies::RigidBodyModel;
use crate::rigid_body::phenomenon::BodyReactions;
use crate::scene::Method;
use crate::schedule::Stage;
use crate::schedule::passes::Schedule;
use crate::schedule::phenomenon::Phenomenon;
use crate::settings::Settings;
use crate::state::{Contact, State};
use crate::surface_contact::model::SurfaceModel;
use crate::surface_contact::phenomenon::SurfaceContactPhenomenon;
use crate::transitions::TransitionModel;
use crate::transitions::drain::Drain;
use crate::transitions::emitter::Emitter;
use crate::transitions::freeze::Freeze;
use crate::transitions::melt::Melt;
pub(crate) use memory::expected;
use std::ops::Range;

/// Skinned meshes (S20), for output only.
#[derive(Clone, Debug, Default)]
pub struct SkinnedMeshes {
    /// Output topology: particles, then the vertices of all skinned meshes.
    pub topology: Topology,
    /// The meshes, in the order of their vertices.
    pub all: Vec<SkinnedMesh>,
}

/// A mesh that follows one object.
#[derive(Clone, Debug)]
pub struct SkinnedMesh {
    /// Source of its motion.
    pub carrier: Carrier,
}

/// Source of the motion of a mesh.
#[derive(Clone, Debug)]
pub enum Carrier {
    /// Particles of its object.
    Particles {
        /// Particles and weights of each vertex, indexed from the object's first particle; shared by copies of an object.
        skin: std::sync::Arc<crate::shape_matching::Skin>,
        /// The object's first particle.
        first: usize,
    },
    /// A rigid body.
    Body {
        /// Vertices relative to its center of mass and axes [m]; shared by copies of an object.
        surface: std::sync::Arc<crate::mesh::TriMesh>,
        /// Index of the body.
        body: usize,
    },
}

impl SkinnedMesh {
    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        match &self.carrier {
            Carrier::Particles { skin, .. } => skin.len(),
            Carrier::Body { surface, .. } => surface.positions.len(),
        }
    }
}

/// Rows and bodies of a model that no object has yet: a body that is added to a world on a GPU takes some of them, and no
/// table has to be laid out again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Room {
    /// Inactive particles behind all others.
    pub rows: Range<usize>,
    /// Bodies.
    pub bodies: usize,
    /// Smallest and largest radius of the particles there were when the room was made [m].
    pub radii: [f32; 2],
}

/// The fixed half of a simulation.
#[derive(Clone, Debug)]
pub struct Model {
    /// Step settings.
    pub settings: Settings,
    /// Contact between particles; `None` where it is off.
    pub particle_contact: Option<ParticleContactSettings>,
    /// Contact between triangles; `None` where it is off.
    pub surfaces: Option<SurfaceModel>,
    /// Liquids, where there are any.
    pub fluid: Option<Fluid>,
    /// Rest positions of particles [m], if objects collide with themselves or are attached; else empty.
    pub rest: Vec<glam::Vec3>,
    /// Outward direction of each particle in its body at rest, zero where the body is one particle thick, and its depth
    /// below the surface [m], 0 for particles without a body; empty without bodies.
    pub fields: Vec<RowData>,
    /// Whether the particles of each object are loose.
    pub loose: Vec<bool>,
    /// Attached pairs, which do not collide.
    pub attachment_filter: AttachmentFilter,
    /// Collision groups and surfaces of objects; changed by `set_contact_table`.
    pub contact_table: ContactTable,
    /// The passes of a substep.
    pub schedule: Schedule,
    /// Constraints by kind.
    pub groups: Vec<Group>,
    /// Closed surfaces with pressure.
    pub inflatables: Vec<Inflatable>,
    /// Colliders of the scene.
    pub colliders: Vec<Collider>,
    /// Environments of a batch; a single one without tables otherwise.
    pub environments: Environments,
    /// Pinned particles, by pin.
    pub pins: Vec<MovedPins>,
    /// Triangles with aerodynamic forces.
    pub aero_surfaces: AeroSurfaces,
    /// Inverse quaternion mass 1/(4I) of each orientation [1/(kg·m²)].
    pub spin_inv_inertias: Vec<f32>,
    /// Copies of particles.
    pub phantoms: Phantoms,
    /// For Jacobi passes; empty otherwise.
    pub incidence: Incidence,
    /// Elastic bodies that vertex block descent solves.
    pub bodies: Vec<ElasticBody>,
    /// Objects that nothing fixes: their momentum is restored in substeps in which nothing touches them.
    pub free_islands: Vec<FreeIsland>,
    /// Rigid bodies with exact shapes.
    pub rigid_bodies: RigidBodyModel,
    /// Their pieces as particles see them, numbered after the colliders.
    pub body_colliders: Vec<BodyCollider>,
    /// Runs of particles for contacts: one per island, in order, then those of elastic bodies, then the rest in pieces.
    pub runs: Vec<Range<usize>>,
    /// Output topology of particles.
    pub topology: Topology,
    /// Skinned meshes, if there are any.
    pub skinned_meshes: Option<SkinnedMeshes>,
    /// Emitters of grains and liquids.
    pub emitters: Vec<Emitter>,
    /// Regions that remove particles.
    pub drains: Vec<Drain>,
    /// Bodies that turn into liquids.
    pub melts: Vec<Melt>,
    /// Liquids that turn into bodies.
    pub freezes: Vec<Freeze>,
    /// Grips of callers.
    pub grips: Vec<Grip>,
    /// Groups of objects that sleep together; present once an object of particles was put to sleep.
    pub sleep_groups: Option<SleepGroups>,
    /// Room for bodies to come.
    pub room: Room,
    /// Notes of the builder for the user, such as mesh repairs.
    pub notes: Vec<String>,
    /// Wall time of partitioning [s].
    pub partition_seconds: f64,
}

impl Model {
    /// Constraints of a kind.
    pub fn count(&self, kind: ConstraintKind) -> usize {
        self.groups.iter().filter(|g| g.kind == kind).map(|g| g.count).sum()
    }

    /// Whether a state's contacts are of this model's particles and colliders, in order.
    pub(crate) fn holds_contacts(&self, state: &State) -> bool {
        let known = |run: &Range<usize>, c: &Contact| {
            run.contains(&(c.particle as usize))
                && (c.collider as usize) < self.colliders.len() + self.body_colliders.len()
        };
        let mut runs = self.runs.iter().zip(&state.contacts);
        runs.all(|(run, contacts)| {
            contacts.iter().all(|c| known(run, c))
                && contacts.is_sorted_by(|a, b| (a.particle, a.collider) < (b.particle, b.collider))
        })
    }

    /// Whether contacts with colliders are passes of their own on a GPU: a collider has tables (a hull, a surface or a
    /// distance field), or bodies feel what particles do to them.
    pub fn has_tables(&self) -> bool {
        self.colliders.iter().any(|c| c.shape.table_bounds().is_some()) || !self.body_colliders.is_empty()
    }

    /// Whether a collider is a triangle surface, which has two sides and no inside.
    pub fn has_surface(&self) -> bool {
        self.contact().has_surface()
    }

    /// Whether any contact changes velocities after the solve stage.
    pub fn has_restitution(&self) -> bool {
        self.contact().has_restitution()
    }

    /// Restitution law of contacts with this coefficient and rolling resistance [1/s].
    pub fn restitution_law(&self, restitution: f32, rolling: f32) -> RestitutionLaw {
        self.contact().restitution_law(restitution, rolling)
    }

    /// The part that contact passes read.
    pub fn contact(&self) -> ContactModel<'_> {
        ContactModel {
            settings: &self.settings,
            colliders: &self.colliders,
            bodies: &self.body_colliders,
            environments: &self.environments,
            particle_contact: self.particle_contact,
            runs: &self.runs,
            topology: &self.topology,
            rest: &self.rest,
            fields: &self.fields,
            loose: &self.loose,
            attachment_filter: &self.attachment_filter,
            table: &self.contact_table,
            liquids: self.fluid.as_ref().map_or(&[], |fluid| &fluid.liquids),
            melts: &self.melts,
            freezes: &self.freezes,
        }
    }

    /// The part that fluid passes read.
    pub fn fluid_model(&self) -> FluidModel<'_> {
        FluidModel {
            settings: &self.settings,
            fluid: self.fluid.as_ref(),
            runs: &self.runs,
            colliders: &self.colliders,
            rigid_bodies: &self.rigid_bodies,
            body_colliders: &self.body_colliders,
            environments: &self.environments,
            pairs: self.contact_pairs(),
        }
    }

    /// The part that solution methods read.
    pub(crate) fn constraint_model(&self) -> ConstraintModel<'_> {
        ConstraintModel {
            settings: &self.settings,
            groups: &self.groups,
            phantoms: &self.phantoms,
            incidence: &self.incidence,
            schedule: &self.schedule,
        }
    }

    /// The part that vertex block descent reads.
    pub(crate) fn elastic(&self) -> ElasticModel<'_> {
        ElasticModel {
            settings: &self.settings,
            groups: &self.groups,
            bodies: &self.bodies,
            spin_inv_inertias: &self.spin_inv_inertias,
            pushed: self.particle_contact.is_some() || !self.grips.is_empty(),
            meets_triangles: self.surfaces.is_some(),
        }
    }

    /// Number of runs, the first ones, whose collider contacts are solved with their bodies.
    pub(crate) fn own_contacts(&self) -> usize {
        self.schedule.islands + self.bodies.iter().map(|body| body.runs.len()).sum::<usize>()
    }

    /// The part that restoring momentum reads.
    pub(crate) fn momentum(&self) -> MomentumModel<'_> {
        let (islands, rigid_bodies) = (&self.free_islands[..], &self.rigid_bodies);
        MomentumModel { settings: &self.settings, islands, grips: &self.grips, rigid_bodies }
    }

    /// Number of the free island of a particle.
    #[cfg(feature = "gpu")]
    pub(crate) fn free_island_of(&self, particle: u32) -> Option<usize> {
        self.free_islands.iter().position(|island| island.contains(particle))
    }

    /// Marks the islands that are solids without compliance, after the parameters of constraints have changed. Only where
    /// neither method nor iterations are chosen: scenes that choose them are tuned for the softness of too few iterations.
    pub(crate) fn find_rigid_islands(&mut self) {
        let rows = self.topology.objects.len();
        let (mut solid, mut soft) = (vec![false; rows], vec![self.settings.method != Method::Vbd; rows]);
        for group in &self.groups {
            let is_tet = group.kind == ConstraintKind::Volume;
            let place = group.layout().softness.filter(|_| is_tet || group.kind == ConstraintKind::Stretch);
            for (block, lane) in group.slots() {
                let rigid = place.is_some_and(|place| group.params_of(block, lane).nth(place) == Some(0.0));
                for row in group.rows_of(block, lane).map(|row| self.phantoms.seen(row) as usize) {
                    if row < rows {
                        solid[row] |= is_tet;
                        soft[row] |= !rigid;
                    }
                }
            }
        }
        for island in &mut self.free_islands {
            island.is_rigid = island.particles.iter().all(|&i| solid[i as usize] && !soft[i as usize]);
        }
    }

    /// The part that time integration reads.
    pub(crate) fn integration(&self) -> IntegrationModel<'_> {
        IntegrationModel { settings: &self.settings, pins: &self.pins, spin_inv_inertias: &self.spin_inv_inertias }
    }

    /// Adds the passes of all phenomena to the constraint passes of the solution method.
    pub(crate) fn add_passes(&mut self, state: &State) {
        let bodies = state.shapes.as_ref();
        let contact =
            ContactPhenomenon { model: self.contact(), bodies: bodies.is_some(), own_contacts: self.own_contacts() };
        let momentum = self.momentum();
        let (inflatables, elastic) = (Inflatables(&self.inflatables), self.elastic());
        let (integration, fluid, transitions) = (self.integration(), self.fluid_model(), self.transitions());
        let surfaces = SurfaceContactPhenomenon { acts: self.surfaces.is_some() };
        let reactions = BodyReactions { acts: !self.body_colliders.is_empty() && state.particles > 0 };
        let mut all: Vec<&dyn Phenomenon> = vec![
            &self.rigid_bodies,
            &reactions,
            &self.aero_surfaces,
            &integration,
            &contact,
            &surfaces,
            &fluid,
            &inflatables,
            &transitions,
            &elastic,
            &momentum,
        ];
        all.extend(bodies.map(|shapes| shapes as &dyn Phenomenon));
        self.schedule = self.schedule.clone().with(&all);
    }

    /// The part that transitions between steps read.
    pub fn transitions(&self) -> TransitionModel<'_> {
        TransitionModel {
            settings: &self.settings,
            emitters: &self.emitters,
            drains: &self.drains,
            melts: &self.melts,
            freezes: &self.freezes,
        }
    }

    /// The error of a particle that diverged in a stage at `position` [m] and `time` [s].
    pub(crate) fn diverged(&self, stage: Stage, particle: usize, position: [f32; 3], time: f64) -> Diverged {
        let object = self.topology.objects.get(particle).map_or(0, |&o| o as usize);
        let object = self.topology.object_names.get(object).cloned().unwrap_or_default();
        let copy = self.environments.are_separate().then(|| self.environments.of(particle));
        Diverged { stage: stage.name(), particle, object, copy, position, time }
    }

    /// The error of a rigid body that diverged.
    pub(crate) fn diverged_body(&self, stage: Stage, body: usize, position: [f32; 3], time: f64) -> Diverged {
        let spec = &self.rigid_bodies.bodies[body];
        let object = self.topology.object_names.get(spec.object as usize).cloned().unwrap_or_default();
        let copy = self.environments.are_separate().then_some(spec.environment as usize);
        Diverged { stage: stage.name(), particle: 0, object, copy, position, time }
    }

    /// Whether particles are emitted, drained, melted or frozen.
    pub fn changes(&self) -> bool {
        let still =
            self.emitters.is_empty() && self.drains.is_empty() && self.melts.is_empty() && self.freezes.is_empty();
        !still
    }

    /// Constraints of all kinds, inflatables included.
    pub fn constraints(&self) -> usize {
        self.groups.iter().map(|g| g.count).sum::<usize>() + self.inflatables.len()
    }
}
