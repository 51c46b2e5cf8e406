//! WGSL modules: declarations that all share, then the parts of a shader; shaders of the solve stage.

use crate::constraints::ConstraintKind;
use crate::constraints::gpu::{CONSTRAINT_PASSES, SHARED_KERNELS, SURFACE_VOLUME, wgsl_codegen};
use crate::contact::gpu::shaders::{ANALYTIC_COLLIDERS, COLLIDER_CONTACT, COLLIDER_CONTACTS, ContactFeatures};
use crate::integration::gpu::{FINALIZE_ROW, INTEGRATORS, PREDICT_ROW};
use crate::runtime::gpu::program::{Bindings, ShaderPart, ShaderSource};
use crate::schedule::gpu::{BINDINGS, SHARED_MOTION};
use crate::solver::gpu::shader_constants;
use crate::solver::gpu::workgroup_memory::WorkgroupMemory;

/// One module's source: constants of the host, functions that all kernels share, then the parts in their order, each once.
///
/// A part may be given twice (two kinds of one file); WGSL would refuse to declare its functions again.
pub fn compose(parts: &[&str]) -> String {
    let mut seen: Vec<&str> = Vec::new();
    for part in SHARED_KERNELS.iter().chain(parts) {
        if !seen.contains(part) {
            seen.push(part);
        }
    }
    shader_constants::wgsl() + &seen.join("\n")
}

/// The module of a shader of a substep.
pub fn module(source: &ShaderSource) -> String {
    let parts: Vec<&str> = std::iter::once(BINDINGS).chain(source.parts.iter().map(AsRef::as_ref)).collect();
    compose(&parts)
}

fn shader(entry: &'static str, parts: &[&'static str]) -> ShaderSource {
    ShaderSource::new(entry, Bindings::SHARED, parts.iter().map(|&part| ShaderPart::from(part)).collect())
}

/// A pass over copies of particles: `spread_copies` or `join_copies`.
pub fn copies(entry: &'static str) -> ShaderSource {
    shader(entry, &[include_str!("copies.wgsl")])
}

/// Volumes of closed surfaces.
pub fn inflate() -> ShaderSource {
    shader("inflate", &[SURFACE_VOLUME, include_str!("inflate.wgsl")])
}

/// A pass over constraints of one kind: `batch`, `serial` or `jacobi`.
pub fn constraint(kind: ConstraintKind, entry: &'static str) -> ShaderSource {
    let parts = vec![kind.wgsl().into(), CONSTRAINT_PASSES.into(), wgsl_codegen::whole(kind).into()];
    ShaderSource { label: format!("{} {entry}", kind.name()), ..ShaderSource::new(entry, Bindings::SHARED, parts) }
}

/// Variant of a shader of patches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchShader {
    /// Kinds of constraints.
    pub kinds: Vec<ConstraintKind>,
    /// Colliders; those with tables are not handled by patches.
    pub contact: ContactFeatures,
    /// Room in workgroup memory; what has none stays in its buffer.
    pub memory: WorkgroupMemory,
    /// Whether multipliers are read by anything; else they are not stored.
    pub multipliers: bool,
    /// Whether the pass does all of a substep.
    pub whole: bool,
}

/// Patches.
pub fn patches(shader: &PatchShader) -> ShaderSource {
    let PatchShader { kinds, contact, memory, multipliers, whole } = shader;
    let sizes = [
        ("THREADS", memory.threads),
        ("ROOM", memory.rows.unwrap_or(0)),
        ("PLAN", memory.plan.unwrap_or(0)),
        ("LAMBDA", memory.lambda.unwrap_or(0)),
        ("PACKED", memory.packed.unwrap_or(0)),
    ];
    let sizes: String = sizes.iter().map(|(name, n)| format!("const {name}: u32 = {n}u;\n")).collect();
    let pick =
        |here: bool, local: &'static str, global: &'static str| ShaderPart::from(if here { local } else { global });
    let mut parts: Vec<ShaderPart> = kinds.iter().map(|k| k.wgsl().into()).collect();
    parts.extend([
        contact.shape_constants(true).into(),
        COLLIDER_CONTACT.into(),
        ANALYTIC_COLLIDERS.into(),
        pick(*whole, include_str!("motion_copies.wgsl"), SHARED_MOTION),
        COLLIDER_CONTACTS.into(),
        sizes.into(),
        pick(memory.rows.is_some(), include_str!("rows_workgroup.wgsl"), include_str!("rows_global.wgsl")),
        pick(memory.plan.is_some(), include_str!("plan_workgroup.wgsl"), include_str!("plan_global.wgsl")),
        pick(
            memory.lambda.is_some(),
            include_str!("multipliers_workgroup.wgsl"),
            include_str!("multipliers_global.wgsl"),
        ),
        pick(memory.packed.is_some(), include_str!("packed_workgroup.wgsl"), include_str!("packed_global.wgsl")),
        wgsl_codegen::patches(kinds, *multipliers, memory.packed.is_some()).into(),
        include_str!("patch.wgsl").into(),
    ]);
    if *whole {
        parts.extend([INTEGRATORS, PREDICT_ROW, FINALIZE_ROW, include_str!("patch_fused.wgsl")].map(ShaderPart::from));
    } else {
        parts.push(include_str!("patch_pass.wgsl").into());
    }
    ShaderSource::new("patches", Bindings::SHARED, parts)
}
