//! Puts WGSL modules together from the twins of the kernels, the passes of this backend and the glue between.

use crate::constraints::{ConstraintKind, wgsl};
use crate::contact::collider_contact::ColliderShape;
use crate::model::Model;
use crate::solver::gpu::model_packing::{NONE, Tables};
use crate::solver::gpu::shader_constants;
use crate::solver::gpu::wgsl_codegen;
use crate::solver::gpu::workgroup_memory::WorkgroupMemory;

const BINDINGS: &str = include_str!("bindings.wgsl");
const MOTION: &str = include_str!("motion_shared.wgsl");
const TOUCH: &str = include_str!("../../contact/gpu/collider_contacts.wgsl");
const RESTITUTION: &str = include_str!("../../contact/gpu/restitution_uniforms.wgsl");
const DEAL: &str = include_str!("../../contact/gpu/pack_contact_particles.wgsl");
const NEAR: &str = concat!(
    include_str!("../../neighbors/gpu/interleaved_lists.wgsl"),
    include_str!("../../contact/gpu/neighbor_bindings.wgsl")
);
const PREDICTING: &str = include_str!("../../integration/predict_row.wgsl");
const FINISHING: &str = include_str!("../../integration/finalize_row.wgsl");

/// One module's source: constants of the host, what all kernels share, then the parts in their order, each once.
///
/// A part may be given twice (two kinds of one file); WGSL would refuse to declare its functions again.
pub fn compose(parts: &[&str]) -> String {
    let mut seen: Vec<&str> = Vec::new();
    for part in wgsl::SHARED.iter().chain(parts) {
        if !seen.contains(part) {
            seen.push(part);
        }
    }
    shader_constants::wgsl() + &seen.join("\n")
}

/// A shader by what it is made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its entry point.
    pub entry: &'static str,
    /// Name for messages.
    pub label: String,
    what: What,
    traits: Traits,
}

/// What a model has that its shaders must know of: what is not there is not compiled in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traits {
    /// Particles hold on to each other.
    pub cohesion: bool,
    /// Bodies that contacts know of: rigid ones, and those with a shortest way out.
    pub bodies: bool,
    /// Convex colliders.
    pub hulls: bool,
    /// Colliders without inside, made of triangles.
    pub surfaces: bool,
    /// Colliders with distances on a grid.
    pub fields: bool,
}

impl Traits {
    /// Those of a model whose tables are written.
    pub fn of(model: &Model, tables: &Tables) -> Self {
        let any = |is: fn(&ColliderShape) -> bool| model.colliders.iter().any(|c| is(&c.shape));
        Self {
            cohesion: model.particle_contact.is_some_and(|m| m.cohesion > 0.0),
            bodies: tables.mass_splitting != NONE || tables.fields.0 != NONE,
            hulls: any(|s| matches!(s, ColliderShape::Convex(_))),
            surfaces: any(|s| matches!(s, ColliderShape::Surface(_))),
            fields: any(|s| matches!(s, ColliderShape::Field(_))),
        }
    }

    /// Contact with its colliders: without tables nothing is looked up.
    fn contact(&self) -> String {
        let Self { hulls, surfaces, fields, .. } = self;
        let whole = "const BRIEF: bool = false;\n";
        if !hulls && !surfaces && !fields {
            return [whole, wgsl::CONTACT, wgsl::CONTACT_PLAIN].join("\n");
        }
        let there = format!(
            "const HULLS: bool = {hulls};\nconst SURFACES: bool = {surfaces};\nconst FIELDS: bool = {fields};\n"
        );
        [&[whole, wgsl::CONTACT, &there], &wgsl::COLLIDE[..], &[wgsl::CONTACT_SHAPED]].concat().join("\n")
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    Predict,
    Finalize,
    Passes,
    Inflate,
    Constraint(ConstraintKind),
    Patches(PatchShader),
    Meets,
    Bounces,
    RestitutionScratch,
    Shapes,
    /// With what it is told about the liquids.
    Flow(String),
}

/// Which buffers a shader sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindGroupKind {
    /// Those of `bindings.wgsl`.
    Main,
    /// Some of them, and the lists of neighbors with their pushes.
    Meets,
    /// Parameters, and the lists.
    Sift,
    /// Velocities, and the lists.
    Bounces,
    /// Some of them, and bodies with their poses.
    Shapes,
    /// Velocities and colliders, and the lists of liquids.
    Flow,
}

fn source(entry: &'static str, what: What) -> Source {
    let label = match &what {
        What::Constraint(kind) => format!("{} {entry}", kind.name()),
        _ => entry.to_owned(),
    };
    Source { entry, label, what, traits: Traits::default() }
}

/// Predict, contacts, stabilize: "predict" or "pins".
pub fn predict(entry: &'static str) -> Source {
    source(entry, What::Predict)
}

/// Velocities, sleeping, check for divergence.
pub fn finalize() -> Source {
    source("finalize", What::Finalize)
}

/// A pass that is not about one kind.
pub fn passes(entry: &'static str) -> Source {
    source(entry, What::Passes)
}

/// Volumes of closed surfaces.
pub fn inflate() -> Source {
    source("inflate", What::Inflate)
}

/// A pass over contacts between particles: "count_contacts", "project" or "filter_contacts".
pub fn meets(entry: &'static str) -> Source {
    source(entry, What::Meets)
}

/// A pass over velocities: "save_velocities" or "restitution_colliders".
pub fn restitution(entry: &'static str) -> Source {
    source(entry, What::RestitutionScratch)
}

/// A pass over velocities of particles that touch: "count_restitution" or "restitution_particles".
pub fn bounces(entry: &'static str) -> Source {
    source(entry, What::Bounces)
}

/// A pass over bodies that keep their shape.
pub fn shapes(entry: &'static str) -> Source {
    source(entry, What::Shapes)
}

/// A pass over liquids: "density_multipliers", "advance", "skin", "surface_tension", "stabilize", "rest", "curl" or "confine_vorticity". `constants` is what it is
/// told about them.
pub fn flow(entry: &'static str, constants: String) -> Source {
    source(entry, What::Flow(constants))
}

/// A pass over constraints of one kind: "batch", "serial" or "jacobi".
pub fn constraint(kind: ConstraintKind, entry: &'static str) -> Source {
    source(entry, What::Constraint(kind))
}

/// What a shader of patches is made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchShader {
    /// Kinds of constraints.
    pub kinds: Vec<ConstraintKind>,
    /// Room in a workgroup's memory; what has none stays in its place.
    pub memory: WorkgroupMemory,
    /// Whether anybody reads multipliers; else nobody keeps them.
    pub multipliers: bool,
    /// Whether the pass does all of a substep.
    pub whole: bool,
}

/// Patches.
pub fn patches(shader: PatchShader) -> Source {
    source("patches", What::Patches(shader))
}

impl Source {
    /// The same for a model that has such things.
    pub fn with(self, traits: Traits) -> Self {
        Self { traits, ..self }
    }

    /// Which buffers it sees.
    pub fn bindings(&self) -> BindGroupKind {
        match self.what {
            What::Meets if self.entry == "filter_contacts" => BindGroupKind::Sift,
            What::Meets => BindGroupKind::Meets,
            What::Bounces => BindGroupKind::Bounces,
            What::Shapes => BindGroupKind::Shapes,
            What::Flow(_) => BindGroupKind::Flow,
            _ => BindGroupKind::Main,
        }
    }

    /// The module.
    pub fn text(&self) -> String {
        let contact = self.traits.contact();
        // Whoever has tables to look up touches colliders in passes of its own.
        let plain = Traits::default().contact();
        match &self.what {
            What::Predict => {
                let predict = include_str!("../../integration/predict.wgsl");
                compose(&[wgsl::INTEGRATE, &contact, BINDINGS, MOTION, DEAL, TOUCH, PREDICTING, predict])
            }
            What::Finalize => {
                let finalize = include_str!("../../integration/finalize.wgsl");
                compose(&[wgsl::INTEGRATE, &plain, BINDINGS, MOTION, TOUCH, FINISHING, finalize])
            }
            What::Passes => {
                compose(&[&contact, wgsl::AERO, BINDINGS, MOTION, DEAL, TOUCH, include_str!("passes.wgsl")])
            }
            What::Inflate => compose(&[wgsl::INFLATE, BINDINGS, include_str!("inflate.wgsl")]),
            What::Meets => {
                let Traits { cohesion, bodies, .. } = self.traits;
                let there = format!("const COHESIVE: bool = {cohesion};\nconst BODIES: bool = {bodies};\n");
                let meets = include_str!("../../contact/gpu/particle_contacts.wgsl");
                compose(&[
                    wgsl::PARTICLE_CONTACT,
                    wgsl::COHESION,
                    &contact,
                    BINDINGS,
                    MOTION,
                    DEAL,
                    TOUCH,
                    NEAR,
                    &there,
                    meets,
                ])
            }
            What::Bounces => {
                let particles = include_str!("../../contact/gpu/restitution_particles.wgsl");
                compose(&[wgsl::RESTITUTION, BINDINGS, NEAR, RESTITUTION, particles])
            }
            What::RestitutionScratch => compose(&[
                wgsl::RESTITUTION,
                &contact,
                BINDINGS,
                MOTION,
                TOUCH,
                RESTITUTION,
                include_str!("../../contact/gpu/restitution_colliders.wgsl"),
            ]),
            What::Flow(constants) => {
                let mut parts: Vec<&str> = wgsl::FLUID.to_vec();
                let passes =
                    [include_str!("../../fluid/gpu/fluid.wgsl"), include_str!("../../fluid/gpu/viscosity_sweeps.wgsl")];
                parts.extend([contact.as_str(), BINDINGS, MOTION, TOUCH, constants]);
                parts.extend(passes);
                compose(&parts)
            }
            What::Shapes => {
                let uniforms = include_str!("../../rigid/shape_matching_uniforms.wgsl");
                let passes = include_str!("../../rigid/shape_matching.wgsl");
                compose(&[wgsl::ROTATION, wgsl::PLASTIC, BINDINGS, uniforms, passes])
            }
            What::Constraint(kind) => {
                compose(&[kind.wgsl(), BINDINGS, include_str!("constraint.wgsl"), &wgsl_codegen::whole(*kind)])
            }
            What::Patches(PatchShader { kinds, memory, multipliers, whole }) => {
                let sizes = [
                    ("THREADS", memory.threads),
                    ("ROOM", memory.rows.unwrap_or(0)),
                    ("PLAN", memory.plan.unwrap_or(0)),
                    ("LAMBDA", memory.lambda.unwrap_or(0)),
                    ("PACKED", memory.packed.unwrap_or(0)),
                ];
                let sizes: String = sizes.iter().map(|(name, n)| format!("const {name}: u32 = {n}u;\n")).collect();
                let pick = |here: bool, local: &'static str, global: &'static str| if here { local } else { global };
                let glue = wgsl_codegen::patches(kinds, *multipliers, memory.packed.is_some());
                let mut parts: Vec<&str> = kinds.iter().map(|k| k.wgsl()).collect();
                parts.extend([
                    "const BRIEF: bool = true;\n",
                    wgsl::CONTACT,
                    wgsl::CONTACT_PLAIN,
                    BINDINGS,
                    if *whole { include_str!("motion_copies.wgsl") } else { MOTION },
                    TOUCH,
                    &sizes,
                    pick(memory.rows.is_some(), include_str!("rows_workgroup.wgsl"), include_str!("rows_global.wgsl")),
                    pick(memory.plan.is_some(), include_str!("plan_workgroup.wgsl"), include_str!("plan_global.wgsl")),
                    pick(
                        memory.lambda.is_some(),
                        include_str!("multipliers_workgroup.wgsl"),
                        include_str!("multipliers_global.wgsl"),
                    ),
                    pick(
                        memory.packed.is_some(),
                        include_str!("packed_workgroup.wgsl"),
                        include_str!("packed_global.wgsl"),
                    ),
                    &glue,
                    include_str!("patch.wgsl"),
                ]);
                if *whole {
                    parts.extend([wgsl::INTEGRATE, PREDICTING, FINISHING, include_str!("patch_fused.wgsl")]);
                } else {
                    parts.push(include_str!("patch_pass.wgsl"));
                }
                compose(&parts)
            }
        }
    }
}
