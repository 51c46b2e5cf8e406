//! The fixed half of a simulation: who is joined to whom, with what parameters, in what order.
//!
//! Made once by `build`; a step only reads it. Between steps a caller may change parameters
//! ([`crate::Simulation`] offers the ways that keep it consistent), never the topology.

use crate::aero::aerodynamics::Air;
use crate::constraints::ConstraintKind;
use crate::constraints::group::{Group, Incidence};
use crate::constraints::phantoms::Phantoms;
use crate::contact::attachment_filter::AttachmentFilter;
use crate::contact::collider_contact::{Friction, Solid};
use crate::contact::restitution::RestitutionLaw;
use crate::fluid::parameters::Fluid;
use crate::frame::Topology;
use crate::math::RowData;
use crate::motion::Motion;
use crate::scene::{Integrator, Method, Partition};
use crate::schedule::passes::Schedule;
use crate::transitions::drain::Drain;
use crate::transitions::emitter::Emitter;
use crate::transitions::freeze::Freeze;
use crate::transitions::melt::Melt;
use glam::{Quat, Vec3};
use std::ops::Range;

/// A closed surface whose volume is kept.
#[derive(Clone, Debug)]
pub struct Inflatable {
    /// Object it belongs to.
    pub object: u32,
    /// Particles of the surface.
    pub particles: Vec<u32>,
    /// Triangles, particle numbers.
    pub triangles: Vec<[u32; 3]>,
    /// For each particle of `particles`, where its corners start in `corners`; one more at the end.
    pub offsets: Vec<u32>,
    /// The other two corners of each incident triangle, in order.
    pub corners: Vec<[u32; 2]>,
    /// Rest volume [m³].
    pub rest_volume: f32,
    /// Wanted volume over rest volume.
    pub pressure: f32,
    /// Encoded softness (compliance in m³/Pa).
    pub softness: f32,
}

impl Inflatable {
    /// Its particles, which are consecutive.
    pub fn run(&self) -> Range<usize> {
        let first = self.particles.first().map_or(0, |&p| p as usize);
        first..first + self.particles.len()
    }
}

/// A solid of the environment.
#[derive(Clone, Debug)]
pub struct Collider {
    /// Name for messages.
    pub name: String,
    /// Topology in its own frame.
    pub solid: Solid,
    /// Friction with every particle.
    pub friction: Friction,
    /// Speed after a rebound over speed before.
    pub restitution: f32,
    /// Rate at which speed along it decays [1/s].
    pub rolling: f32,
    /// Where it stands at which time.
    pub motion: Motion,
}

/// Particles without mass freedom that follow a motion.
#[derive(Clone, Debug)]
pub struct MovedPins {
    /// Their way.
    pub motion: Motion,
    /// Particle numbers.
    pub particles: Vec<u32>,
    /// Positions at time 0 [m].
    pub origins: Vec<Vec3>,
    /// Orientations that turn along (rods), counted from 0.
    pub orientations: Vec<u32>,
    /// Those orientations at time 0.
    pub turns: Vec<Quat>,
}

/// Triangles that feel the air.
#[derive(Clone, Debug, Default)]
pub struct AeroSurfaces {
    /// Triangles, particle numbers.
    pub triangles: Vec<[u32; 3]>,
    /// Coefficients of each triangle: an index into `airs`.
    pub air: Vec<u16>,
    /// Distinct coefficients.
    pub airs: Vec<Air<f32>>,
    /// Particles that some triangle touches.
    pub particles: Vec<u32>,
    /// For each of `particles`, where its triangles start in `incident`; one more at the end.
    pub offsets: Vec<u32>,
    /// Triangle numbers.
    pub incident: Vec<u32>,
}

/// Uniform wind with gusts that travel along it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wind {
    /// Mean velocity [m/s].
    pub velocity: Vec3,
    /// Strength of the gusts relative to the mean.
    pub gust: f32,
    /// Time between gusts [s].
    pub period: f32,
}

/// Numbers a step needs from the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// PBD or XPBD.
    pub method: Method,
    /// BDF1 or BDF2.
    pub integrator: Integrator,
    /// How constraints were split; never [`Partition::Auto`].
    pub partition: Partition,
    /// Whether all kinds were colored together.
    pub together: bool,
    /// Step [s].
    pub dt: f32,
    /// Substeps per step.
    pub substeps: u32,
    /// Iterations per substep.
    pub iterations: u32,
    /// Passes of pre-stabilization per substep.
    pub stabilization: u32,
    /// Over-relaxation of Jacobi passes.
    pub omega: f32,
    /// How rotations of bodies are found.
    pub extraction: crate::rigid::Extraction,
    /// Slower particles stay where they are [m/s]; 0 never sleeps.
    pub sleep_speed: f32,
    /// Acceleration of gravity [m/s²].
    pub gravity: Vec3,
    /// Wind.
    pub wind: Wind,
    /// Velocity lost per second by a factor e^(−damping) [1/s].
    pub damping: f32,
    /// Distance from a collider at which a contact is watched [m], above the particle's radius.
    pub contact_margin: f32,
}

/// How particles touch each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParticleContactSettings {
    /// Friction between them.
    pub friction: crate::contact::collider_contact::Friction,
    /// Factor on every correction.
    pub omega: f32,
    /// How much heavier lower particles are in contacts [1/m].
    pub stacking: f32,
    /// Whether contacts push rigid bodies as a whole.
    pub whole: bool,
    /// Speed after a collision over speed before.
    pub restitution: f32,
    /// Work of adhesion [J/m²].
    pub cohesion: f32,
    /// Rate at which particles that touch lose their speed along each other [1/s].
    pub rolling: f32,
}

impl Default for ParticleContactSettings {
    fn default() -> Self {
        Self {
            friction: Friction { static_friction: 0.5, kinetic_friction: 0.4 },
            omega: 1.0,
            stacking: 0.0,
            whole: true,
            restitution: 0.0,
            cohesion: 0.0,
            rolling: 0.0,
        }
    }
}

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

    /// Whether a collider is a surface, which has two sides and no inside.
    pub fn has_surface(&self) -> bool {
        self.colliders.iter().any(|c| matches!(c.solid, Solid::Surface(_)))
    }

    /// Whether any contact changes velocities once positions are settled.
    pub fn has_restitution(&self) -> bool {
        let between = self.particle_contact.is_some_and(|m| m.restitution > 0.0 || m.rolling > 0.0);
        between || self.colliders.iter().any(|c| c.restitution > 0.0 || c.rolling > 0.0)
    }

    /// How contacts with this restitution and rolling resistance [1/s] bounce in its substeps.
    pub fn restitution_law(&self, restitution: f32, rolling: f32) -> RestitutionLaw {
        let s = &self.settings;
        RestitutionLaw::new(restitution, rolling, s.gravity, s.dt / s.substeps as f32)
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
