//! Constant data of a simulation: topology, parameters and order of constraints.
//!
//! Created once by `builder`; a step only reads it. Between steps a caller may change parameters through
//! [`crate::Simulation`], which keeps them consistent, never the topology.

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

/// A closed surface with a volume constraint.
#[derive(Clone, Debug)]
pub struct Inflatable {
    /// Object it belongs to.
    pub object: u32,
    /// Particles of the surface.
    pub particles: Vec<u32>,
    /// Triangles, as particle indices.
    pub triangles: Vec<[u32; 3]>,
    /// For each element of `particles`, the start of its corners in `corners`; plus the end.
    pub offsets: Vec<u32>,
    /// The other two corners of each incident triangle, in order.
    pub corners: Vec<[u32; 2]>,
    /// Rest volume [m³].
    pub rest_volume: f32,
    /// Target volume over rest volume.
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

/// A collider.
#[derive(Clone, Debug)]
pub struct Collider {
    /// Name for messages.
    pub name: String,
    /// Shape in its local frame.
    pub solid: Solid,
    /// Friction with every particle.
    pub friction: Friction,
    /// Speed after an impact over speed before.
    pub restitution: f32,
    /// Decay rate of the tangential speed [1/s].
    pub rolling: f32,
    /// Pose over time.
    pub motion: Motion,
}

/// Kinematic particles, with zero inverse mass.
#[derive(Clone, Debug)]
pub struct MovedPins {
    /// Prescribed motion.
    pub motion: Motion,
    /// Particle indices.
    pub particles: Vec<u32>,
    /// Positions at time 0 [m].
    pub origins: Vec<Vec3>,
    /// Orientations that rotate with the motion (rods), counted from 0.
    pub orientations: Vec<u32>,
    /// Those orientations at time 0.
    pub turns: Vec<Quat>,
}

/// Triangles with aerodynamic forces.
#[derive(Clone, Debug, Default)]
pub struct AeroSurfaces {
    /// Triangles, as particle indices.
    pub triangles: Vec<[u32; 3]>,
    /// Coefficients of each triangle: an index into `airs`.
    pub air: Vec<u16>,
    /// Distinct coefficients.
    pub airs: Vec<Air<f32>>,
    /// Particles of any of these triangles.
    pub particles: Vec<u32>,
    /// For each element of `particles`, the start of its triangles in `incident`; plus the end.
    pub offsets: Vec<u32>,
    /// Triangle indices.
    pub incident: Vec<u32>,
}

/// Uniform wind with traveling gusts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wind {
    /// Mean velocity [m/s].
    pub velocity: Vec3,
    /// Strength of the gusts relative to the mean.
    pub gust: f32,
    /// Time between gusts [s].
    pub period: f32,
}

/// Solver settings from the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// PBD or XPBD.
    pub method: Method,
    /// BDF1 or BDF2.
    pub integrator: Integrator,
    /// Partition of constraints; never [`Partition::Auto`].
    pub partition: Partition,
    /// Whether all kinds were colored together.
    pub together: bool,
    /// Step [s].
    pub dt: f32,
    /// Substeps per step.
    pub substeps: u32,
    /// Iterations per substep.
    pub iterations: u32,
    /// Pre-stabilization passes per substep.
    pub stabilization: u32,
    /// Over-relaxation of Jacobi passes.
    pub omega: f32,
    /// Rotation extraction method of bodies.
    pub extraction: crate::rigid::Extraction,
    /// Slower particles do not move [m/s]; 0 disables sleeping.
    pub sleep_speed: f32,
    /// Acceleration of gravity [m/s²].
    pub gravity: Vec3,
    /// Wind.
    pub wind: Wind,
    /// Velocity damping by e^(−damping·t) [1/s].
    pub damping: f32,
    /// Distance beyond the particle's radius at which collider contacts are created [m].
    pub contact_margin: f32,
}

/// Particle contact settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParticleContactSettings {
    /// Friction between them.
    pub friction: crate::contact::collider_contact::Friction,
    /// Relaxation factor of every correction.
    pub omega: f32,
    /// Height scaling of masses in contacts: lower is heavier [1/m].
    pub stacking: f32,
    /// Whether contacts move rigid bodies as a whole (mass splitting).
    pub whole: bool,
    /// Speed after an impact over speed before.
    pub restitution: f32,
    /// Work of adhesion [J/m²].
    pub cohesion: f32,
    /// Rolling resistance: decay rate of the tangential speed [1/s].
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

/// Skinned meshes (S20). A step does not read them.
#[derive(Clone, Debug, Default)]
pub struct SkinnedMeshes {
    /// Topology for outputs: particles, then the vertices of all skinned meshes.
    pub topology: Topology,
    /// The meshes, in the order of their vertices.
    pub all: Vec<Coat>,
}

/// One mesh skinned to the particles of one object.
#[derive(Clone, Debug)]
pub struct Coat {
    /// Particles and weights of each vertex, counted from the object's first; shared by copies of an object.
    pub skin: std::sync::Arc<crate::rigid::Skin>,
    /// The object's first particle.
    pub first: usize,
}

/// Constant data of a simulation.
#[derive(Clone, Debug)]
pub struct Model {
    /// Solver settings.
    pub settings: Settings,
    /// Particle contact settings; `None` without particle contacts.
    pub particle_contact: Option<ParticleContactSettings>,
    /// Fluids, if any.
    pub fluid: Option<Fluid>,
    /// Rest positions of particles [m], if objects have self-collision or attachments; else empty.
    pub rest: Vec<glam::Vec3>,
    /// For each particle the outward direction in its body at rest, zero where the body is one particle thick, and its
    /// depth below the surface [m], 0 for particles without a body; empty without bodies.
    pub fields: Vec<RowData>,
    /// Whether the particles of each object are free.
    pub loose: Vec<bool>,
    /// Contact filter for attached particles.
    pub attachment_filter: AttachmentFilter,
    /// The passes of a substep.
    pub schedule: Schedule,
    /// Constraints by kind.
    pub groups: Vec<Group>,
    /// Inflatables.
    pub inflatables: Vec<Inflatable>,
    /// Colliders.
    pub colliders: Vec<Collider>,
    /// Kinematic particles.
    pub pins: Vec<MovedPins>,
    /// Triangles with aerodynamic forces.
    pub aero_surfaces: AeroSurfaces,
    /// Inverse quaternion mass 1/(4I) of each orientation [1/(kg·m²)].
    pub spin_weights: Vec<f32>,
    /// Copies of particles.
    pub phantoms: Phantoms,
    /// For Jacobi passes; empty otherwise.
    pub incidence: Incidence,
    /// Runs of particles for contacts: one per island, in order, then the rest in chunks.
    pub runs: Vec<Range<usize>>,
    /// Topology for outputs, without skinned meshes.
    pub topology: Topology,
    /// Skinned meshes, if any.
    pub skinned_meshes: Option<SkinnedMeshes>,
    /// Emitters.
    pub emitters: Vec<Emitter>,
    /// Drains.
    pub drains: Vec<Drain>,
    /// Melting bodies.
    pub melts: Vec<Melt>,
    /// Freezing fluids.
    pub freezes: Vec<Freeze>,
    /// Notes of the build for the user: repairs, omissions.
    pub notes: Vec<String>,
    /// Wall time of partitioning: islands, colors, copies and patches [s].
    pub partition_seconds: f64,
}

impl Model {
    /// Number of constraints of a kind.
    pub fn count(&self, kind: ConstraintKind) -> usize {
        self.groups.iter().filter(|g| g.kind == kind).map(|g| g.count).sum()
    }

    /// Whether a collider has tables: a hull, a surface or a distance field.
    pub fn has_tables(&self) -> bool {
        self.colliders.iter().any(|c| c.solid.bounds().is_some())
    }

    /// Whether a collider is a two-sided surface without an interior.
    pub fn has_surface(&self) -> bool {
        self.colliders.iter().any(|c| matches!(c.solid, Solid::Surface(_)))
    }

    /// Whether any contact has restitution or rolling resistance.
    pub fn has_restitution(&self) -> bool {
        let between = self.particle_contact.is_some_and(|m| m.restitution > 0.0 || m.rolling > 0.0);
        between || self.colliders.iter().any(|c| c.restitution > 0.0 || c.rolling > 0.0)
    }

    /// Restitution law for contacts with this restitution and rolling resistance [1/s].
    pub fn restitution_law(&self, restitution: f32, rolling: f32) -> RestitutionLaw {
        let s = &self.settings;
        RestitutionLaw::new(restitution, rolling, s.gravity, s.dt / s.substeps as f32)
    }

    /// Whether particles are emitted, drained, melted or frozen.
    pub fn changes(&self) -> bool {
        let still =
            self.emitters.is_empty() && self.drains.is_empty() && self.melts.is_empty() && self.freezes.is_empty();
        !still
    }

    /// Number of constraints of all kinds, including inflatables.
    pub fn constraints(&self) -> usize {
        self.groups.iter().map(|g| g.count).sum::<usize>() + self.inflatables.len()
    }
}
