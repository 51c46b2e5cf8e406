//! The fixed half of a simulation: who is joined to whom, with what parameters, in what order.
//!
//! Made once by `build`; a step only reads it. Between steps a caller may change parameters
//! ([`crate::Simulation`] offers the ways that keep it consistent), never the topology.

mod memory;
pub mod partition_report;

use crate::aero::surfaces::AeroSurfaces;
use crate::constraints::ConstraintKind;
use crate::constraints::group::{Group, Incidence};
use crate::constraints::inflate::{Inflatable, Inflatables};
use crate::constraints::phantoms::Phantoms;
use crate::contact::attachment_filter::AttachmentFilter;
use crate::contact::collider::Collider;
use crate::contact::model::{ContactModel, ParticleContactSettings};
use crate::contact::phenomenon::ContactPhenomenon;
use crate::contact::restitution::RestitutionLaw;
use crate::error::Diverged;
use crate::fluid::model::FluidModel;
use crate::fluid::parameters::Fluid;
use crate::frame::Topology;
use crate::integration::pins::MovedPins;
use crate::integration::predict::IntegrationModel;
use crate::math::RowData;
use crate::methods::ConstraintModel;
use crate::schedule::Stage;
use crate::schedule::passes::Schedule;
use crate::schedule::phenomenon::Phenomenon;
use crate::settings::Settings;
use crate::state::State;
use crate::transitions::TransitionModel;
use crate::transitions::drain::Drain;
use crate::transitions::emitter::Emitter;
use crate::transitions::freeze::Freeze;
use crate::transitions::melt::Melt;
pub(crate) use memory::expected;
use std::ops::Range;

/// Meshes that follow particles (S20). Nothing of a step reads them.
#[derive(Clone, Debug, Default)]
pub struct SkinnedMeshes {
    /// What outputs see: particles, and behind them the vertices of all coats.
    pub topology: Topology,
    /// The meshes, in the order of their vertices.
    pub all: Vec<Coat>,
}

/// One mesh that follows the particles of one object.
#[derive(Clone, Debug)]
pub struct Coat {
    /// Which particles carry each vertex, counted from the object's first; copies of an object share it.
    pub skin: std::sync::Arc<crate::rigid::Skin>,
    /// The object's first particle.
    pub first: usize,
}

/// The fixed half of a simulation.
#[derive(Clone, Debug)]
pub struct Model {
    /// Numbers a step needs.
    pub settings: Settings,
    /// How particles touch each other; `None` where they do not.
    pub particle_contact: Option<ParticleContactSettings>,
    /// Liquids, where there are any.
    pub fluid: Option<Fluid>,
    /// Rest places of particles [m], where objects touch themselves or are attached to others; else empty.
    pub rest: Vec<glam::Vec3>,
    /// For each particle the shortest way out of its body at rest, zero where that is one particle thick, and its depth below
    /// the surface [m], 0 where it is of none; empty without bodies.
    pub fields: Vec<RowData>,
    /// Whether the particles of each object are loose.
    pub loose: Vec<bool>,
    /// Who is attached to what.
    pub attachment_filter: AttachmentFilter,
    /// The passes of a substep.
    pub schedule: Schedule,
    /// Constraints by kind.
    pub groups: Vec<Group>,
    /// Closed surfaces with pressure.
    pub inflatables: Vec<Inflatable>,
    /// Solids of the environment.
    pub colliders: Vec<Collider>,
    /// Particles moved by hand.
    pub pins: Vec<MovedPins>,
    /// Triangles in the wind.
    pub aero_surfaces: AeroSurfaces,
    /// Inverse quaternion mass 1/(4I) of each orientation [1/(kg·m²)].
    pub spin_weights: Vec<f32>,
    /// Copies of particles.
    pub phantoms: Phantoms,
    /// For Jacobi passes; empty otherwise.
    pub incidence: Incidence,
    /// Runs of particles for contacts: one per island, in order, then the rest in pieces.
    pub runs: Vec<Range<usize>>,
    /// What outputs see of particles.
    pub topology: Topology,
    /// Meshes that follow particles, where there are any.
    pub skinned_meshes: Option<SkinnedMeshes>,
    /// Grains that are not there from the start.
    pub emitters: Vec<Emitter>,
    /// Regions that take particles away.
    pub drains: Vec<Drain>,
    /// Bodies that turn into liquids.
    pub melts: Vec<Melt>,
    /// Liquids that turn into bodies.
    pub freezes: Vec<Freeze>,
    /// Remarks of the build for the user: repairs, things left out.
    pub notes: Vec<String>,
    /// Wall time that islands, colors, copies and patches took [s].
    pub partition_seconds: f64,
}

impl Model {
    /// Constraints of a kind.
    pub fn count(&self, kind: ConstraintKind) -> usize {
        self.groups.iter().filter(|g| g.kind == kind).map(|g| g.count).sum()
    }

    /// Whether a collider has tables: a hull, a surface or a distance field.
    pub fn has_tables(&self) -> bool {
        self.colliders.iter().any(|c| c.solid.bounds().is_some())
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
            particle_contact: self.particle_contact,
            runs: &self.runs,
            topology: &self.topology,
            rest: &self.rest,
            fields: &self.fields,
            loose: &self.loose,
            attachment_filter: &self.attachment_filter,
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

    /// The part that time integration reads.
    pub(crate) fn integration(&self) -> IntegrationModel<'_> {
        IntegrationModel { settings: &self.settings, pins: &self.pins, spin_weights: &self.spin_weights }
    }

    /// Adds the passes of all phenomena to the constraint passes of the solution method.
    pub(crate) fn add_passes(&mut self, state: &State) {
        let (bodies, islands) = (state.shapes.as_ref(), self.schedule.islands);
        let contact = ContactPhenomenon { model: self.contact(), bodies: bodies.is_some(), islands };
        let inflatables = Inflatables(&self.inflatables);
        let (integration, fluid, transitions) = (self.integration(), self.fluid_model(), self.transitions());
        let mut all: Vec<&dyn Phenomenon> =
            vec![&self.aero_surfaces, &integration, &contact, &fluid, &inflatables, &transitions];
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
        Diverged { stage: stage.name(), particle, object, position, time }
    }

    /// Whether particles come into the world, leave it, or turn into others.
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
