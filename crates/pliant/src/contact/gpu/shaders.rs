//! WGSL of contact, and the modules of its passes.

use crate::contact::collider_shape::shader::HULL_SHAPE;
use crate::contact::gpu::neighbor_lists::PARTICLE_CONTACT_GROUP;
use crate::contact::gpu::tables::ContactTables;
use crate::contact::model::ContactModel;
use crate::runtime::gpu::program::{Bindings, ShaderPart, ShaderSource, binding};
use crate::schedule::gpu::SHARED_MOTION;

/// Collider shapes, and contact with friction.
pub const COLLIDER_CONTACT: &str =
    concat!(include_str!("../collider_shape.wgsl"), "\n", include_str!("../collider_contact.wgsl"));
/// Shapes of analytic colliders; uses [`COLLIDER_CONTACT`].
pub const ANALYTIC_COLLIDERS: &str = include_str!("../collider_contact_analytic.wgsl");
/// Replaces it if some colliders have tables; also uses [`COLLIDER_QUERIES`].
pub const TABLE_COLLIDERS: &str = include_str!("../collider_contact_tables.wgsl");
/// Queries of collider tables, which they read through the including module's `solid_vector` and `solid_words`.
pub const COLLIDER_QUERIES: [&str; 4] = [
    include_str!("../../geometry/triangle.wgsl"),
    include_str!("../../geometry/triangle_surface.wgsl"),
    include_str!("../../geometry/convex_hull.wgsl"),
    include_str!("../../geometry/sdf.wgsl"),
];
/// Contact between particles.
pub const PARTICLE_CONTACT: &str = include_str!("../particle_contact.wgsl");
/// Contact between cohesive particles; uses [`PARTICLE_CONTACT`].
pub const COHESION: &str = include_str!("../cohesion.wgsl");
/// Restitution and rolling resistance.
pub const RESTITUTION: &str = include_str!("../restitution.wgsl");

/// Collision groups and surfaces of objects; needs the constant of [`ContactFeatures::shape_constants`].
const OBJECT_CONTACTS: &str = include_str!("object_contacts.wgsl");
/// Collider contacts of one particle in the buffers.
pub const COLLIDER_CONTACTS: &str =
    concat!(include_str!("object_contacts.wgsl"), "\n", include_str!("collider_contacts.wgsl"));
/// Packed particles.
pub const PACKED_PARTICLES: &str = include_str!("pack_contact_particles.wgsl");

const NEIGHBOR_LISTS: &str = include_str!("neighbor_bindings.wgsl");
const RESTITUTION_UNIFORMS: &str = include_str!("restitution_uniforms.wgsl");

/// Particle contacts see rows, work, flags and constants beside the neighbor lists.
const PARTICLE_CONTACTS: Bindings = Bindings {
    shared: &[binding::ROWS, binding::WORK, binding::FLAGS, binding::CONSTANTS, binding::SUBSTEP, binding::UNIFORMS],
    own: Some(&PARTICLE_CONTACT_GROUP),
};
/// The filter changes only the lists.
const FILTER: Bindings = Bindings {
    shared: &[binding::PARAMS, binding::TOPOLOGY, binding::CONSTANTS, binding::SUBSTEP, binding::UNIFORMS],
    own: Some(&PARTICLE_CONTACT_GROUP),
};
/// Restitution between particles changes velocities.
const RESTITUTION_PARTICLES: Bindings = Bindings {
    shared: &[binding::ROWS, binding::MOTION, binding::WORK, binding::CONSTANTS, binding::SUBSTEP, binding::UNIFORMS],
    own: Some(&PARTICLE_CONTACT_GROUP),
};

/// Passes of other phenomena that look at contacts between particles.
const BESIDE_LISTS: Bindings = Bindings {
    shared: &[binding::ROWS, binding::MOTION, binding::FLAGS, binding::TOPOLOGY, binding::SUBSTEP, binding::UNIFORMS],
    own: Some(&PARTICLE_CONTACT_GROUP),
};

/// Features of a model that contact shaders depend on; code of absent features is not compiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContactFeatures {
    /// Cohesion between particles.
    pub cohesion: bool,
    /// Bodies that contacts take into account: rigid ones, and those with a depth field.
    pub bodies: bool,
    /// Shapes of colliders: a bit for every code of `collider_shape::shader`.
    pub shapes: u32,
    /// Collision groups, friction or restitution that objects or colliders have of their own.
    pub own_contacts: bool,
}

impl ContactFeatures {
    /// Those of a model whose tables are written.
    pub fn of(model: &ContactModel<'_>, tables: &ContactTables) -> Self {
        Self {
            cohesion: model.particle_contact.is_some_and(|m| m.cohesion > 0.0),
            bodies: tables.mass_splitting.is_some() || tables.particles.is_some_and(|p| p.fields.is_some()),
            shapes: model.shapes().fold(0, |all, shape| all | 1 << shape.shader_record().0),
            own_contacts: tables.object_contacts.is_some(),
        }
    }

    /// Constants that `COLLIDER_CONTACT` needs; `brief` for kernels bound by instruction fetch.
    pub fn shape_constants(&self, brief: bool) -> String {
        let Self { shapes, own_contacts, .. } = self;
        format!(
            "const BRIEF: bool = {brief};\nconst SHAPES: u32 = {shapes}u;\nconst OWN_CONTACTS: bool = {own_contacts};\n"
        )
    }

    /// Parts for contact with these colliders: without tables nothing is looked up.
    pub fn collider_contact(&self) -> Vec<ShaderPart> {
        let mut parts: Vec<ShaderPart> = vec![self.shape_constants(false).into(), COLLIDER_CONTACT.into()];
        if self.shapes >> HULL_SHAPE == 0 {
            parts.push(ANALYTIC_COLLIDERS.into());
            return parts;
        }
        parts.extend(COLLIDER_QUERIES.map(ShaderPart::from));
        parts.push(TABLE_COLLIDERS.into());
        parts
    }

    /// Parts that move particles out of colliders: [`Self::collider_contact`] on the buffers.
    pub fn collider_contacts(&self) -> Vec<ShaderPart> {
        let mut parts = self.collider_contact();
        parts.extend([SHARED_MOTION, COLLIDER_CONTACTS].map(ShaderPart::from));
        parts
    }

    fn shader(&self, entry: &'static str, bindings: Bindings, more: &[&'static str]) -> ShaderSource {
        let mut parts = self.collider_contacts();
        parts.extend(more.iter().map(|&part| ShaderPart::from(part)));
        ShaderSource::new(entry, bindings, parts)
    }

    /// A pass over all particles: `collider_contacts` or `pack_particles`.
    pub fn contact_pass(&self, entry: &'static str) -> ShaderSource {
        self.shader(entry, Bindings::SHARED, &[PACKED_PARTICLES, include_str!("contact_passes.wgsl")])
    }

    /// A pass over contacts between particles: `count_contacts`, `project_contacts` or `filter_contacts`.
    pub fn particle_contacts(&self, entry: &'static str) -> ShaderSource {
        let Self { cohesion, bodies, .. } = self;
        let bindings = if entry == "filter_contacts" { FILTER } else { PARTICLE_CONTACTS };
        let mut source = self.shader(entry, bindings, &[PARTICLE_CONTACT, COHESION, PACKED_PARTICLES]);
        source.parts.push(NEIGHBOR_LISTS.into());
        source.parts.push(format!("const COHESIVE: bool = {cohesion};\nconst BODIES: bool = {bodies};\n").into());
        source.parts.push(include_str!("particle_contacts.wgsl").into());
        source
    }

    /// A pass over velocities: `save_velocities` or `restitution_colliders`.
    pub fn restitution_colliders(&self, entry: &'static str) -> ShaderSource {
        let parts = [RESTITUTION, RESTITUTION_UNIFORMS, include_str!("restitution_colliders.wgsl")];
        self.shader(entry, Bindings::SHARED, &parts)
    }

    /// A pass over velocities of particles in contact: `count_restitution` or `restitution_particles`.
    pub fn restitution_particles(&self, entry: &'static str) -> ShaderSource {
        let mut parts = vec![ShaderPart::from(format!("const OWN_CONTACTS: bool = {};\n", self.own_contacts))];
        let kernels = [RESTITUTION, OBJECT_CONTACTS, NEIGHBOR_LISTS, RESTITUTION_UNIFORMS];
        parts.extend(kernels.map(ShaderPart::from));
        parts.push(include_str!("restitution_particles.wgsl").into());
        ShaderSource::new(entry, RESTITUTION_PARTICLES, parts)
    }

    /// A pass of another phenomenon that sees the lists of contacts between particles.
    pub fn beside_lists(&self, entry: &'static str, more: &[&'static str]) -> ShaderSource {
        let parts = std::iter::once(&NEIGHBOR_LISTS).chain(more).map(|&part| ShaderPart::from(part)).collect();
        ShaderSource::new(entry, BESIDE_LISTS, parts)
    }

    /// Without shapes that have tables, whose contacts are passes of their own.
    pub fn analytic(&self) -> Self {
        Self { shapes: self.shapes & ((1 << HULL_SHAPE) - 1), ..*self }
    }
}
