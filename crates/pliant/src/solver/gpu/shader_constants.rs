//! Numbers that host and shaders share: declared here once, and written as a header in front of every WGSL module.

use crate::constraints::group;
use crate::rigid::rotation::Extraction;

macro_rules! shader_constants {
    ($($(#[$doc:meta])* $name:ident = $value:expr;)+) => {
        $($(#[$doc])* pub const $name: u32 = $value;)+

        /// All of them by name.
        pub const ALL: &[(&str, u32)] = &[$((stringify!($name), $name)),+];
    };
}

shader_constants! {
    /// No row, particle, table or time.
    NONE = u32::MAX;
    /// Lanes of a block, as the model lays constraints out.
    BLOCK = group::BLOCK as u32;
    /// Threads of a workgroup in passes over rows or constraints.
    SIZE = 64;

    /// Word of `marks`: substeps done.
    SUBSTEPS = 0;
    /// Word of `marks`: lowest particle that diverged in predict, or [`NONE`].
    DIVERGED_PREDICT = 1;
    /// Word of `marks`: lowest particle that diverged in solve, or [`NONE`].
    DIVERGED_SOLVE = 2;
    /// Word of `marks`: 1 after a particle diverged, [`LISTS_FULL`] while neighbor lists are full; nothing moves until
    /// the host has seen to it.
    FROZEN = 3;
    /// Word of `marks`: 1 if workgroups waited for each other in vain.
    STUCK = 4;
    /// Word of `marks`: as [`DIVERGED_PREDICT`] within a pass that does whole substeps, until it is done.
    RUNNING_PREDICT = 5;
    /// Word of `marks`: as [`DIVERGED_SOLVE`] within such a pass.
    RUNNING_SOLVE = 6;
    /// Word of `marks`: workgroups of such a pass that are done.
    FINISHED = 7;
    /// Word of `marks`: height of the lowest particle in this substep, as an integer of the same order.
    LOWEST = 8;
    /// Word of `marks`: bits of the width of the spectrum of viscosity, where it exceeds the estimate.
    WIDEST = 9;
    /// Words of `marks` before its tables.
    MARKS = 12;
    /// Value of [`FROZEN`] while neighbor lists are full.
    LISTS_FULL = 2;

    /// Flag of a substep: BDF2 keeps history.
    KEEPS_HISTORY = 1;
    /// Flag of a substep: it is of second order.
    SECOND_ORDER = 2;
    /// Flag of a substep: there are aerodynamic forces.
    IN_THE_AIR = 4;
    /// Flag of a substep: contacts of rigid bodies start with their push of the substep before.
    GOES_ON = 8;

    /// Flag of stabilization: contacts between particles have moved the positions at the start of the substep.
    PARTED = 1;
    /// Flag of stabilization: contacts with colliders are found and stabilized.
    COLLIDERS = 2;
    /// Flag of predict and stabilization: the next contact pass corrects the positions at the start of the substep.
    PARTS_NEXT = 4;

    /// Flag of finalize: copies on seams are joined.
    JOINS = 1;
    /// Flag of finalize, particle contacts and pressure: contacts with colliders follow in the same pass.
    TOUCHES = 2;
    /// Flag of finalize: copies on seams have contacts of their own.
    SEAMS = 4;

    /// Flag of particle contacts: positions at the start of the substep are corrected.
    PARTS = 1;

    /// Flag of restitution: contacts between particles have written new velocities.
    BETWEEN = 1;
    /// Flag of restitution: colliders have restitution or rolling resistance.
    AGAINST = 2;

    /// Mode of patches: rows are those of the list.
    PLAIN = 0;
    /// Mode of patches: copies of seam particles start from the particles.
    SEAMS_FIRST = 1;
    /// Mode of patches: copies start from their mean, contacts included.
    SEAMS_LATER = 2;
    /// Mode of patches: patches run all iterations side by side and exchange their seams.
    SEAMS_TOGETHER = 3;
    /// Mode of patches: second half of an iteration, copies start from their mean after the first.
    SEAMS_BETWEEN = 4;
    /// Half of a patch: steps before the exchange of seams.
    FIRST_HALF = 1;
    /// Half of a patch: steps after it.
    SECOND_HALF = 2;

    /// Step of a patch: copies of split particles are written. Lower numbers are kinds of constraints.
    STEP_SPREAD = 101;
    /// Step of a patch: split particles become the mean of their copies.
    STEP_JOIN = 102;
    /// Step of a patch: seams are exchanged, with contacts if its second word says so.
    STEP_EXCHANGE = 103;
    /// Step of a patch: seams are exchanged between the halves of the last iteration.
    STEP_LAST_EXCHANGE = 104;
    /// Words of a patch in the directory.
    PATCH_WORDS = 13;
    /// Bits of a particle's number in what a pass of several substeps reports; the substep stands above.
    PARTICLE_BITS = 25;

    /// Words of a particle that has copies: its row, the first copy, their number, their share of the mass.
    TIE_WORDS = 4;
    /// Words of an inflatable body.
    INFLATABLE_WORDS = 9;
    /// Words of a triangle in the air: three corners and the number of its coefficients.
    AERO_TRIANGLE_WORDS = 4;

    /// Vectors of a moving collider in `fixtures`.
    COLLIDER_VECTORS = 6;
    /// Vectors of a pose in `fixtures`.
    POSE_VECTORS = 2;
    /// Shape of a collider: half-space.
    PLANE = 0;
    /// Shape of a collider: ball.
    SPHERE = 1;
    /// Shape of a collider: capsule.
    CAPSULE = 2;
    /// Shape of a collider: cuboid.
    BOX = 3;
    /// Shape of a collider: convex hull.
    HULL_SHAPE = 4;
    /// Shape of a collider: surface of triangles.
    SURFACE_SHAPE = 5;
    /// Shape of a collider: signed distance field.
    FIELD_SHAPE = 6;

    /// Vectors of a body of shape matching.
    BODY_VECTORS = 13;
    /// Vectors of the pose of such a body.
    BODY_POSE_VECTORS = 8;
    /// Vectors of the sums of a piece in `work`.
    SUMS_VECTORS = 4;
    /// Vectors of the goal of a body in `work`.
    GOAL_VECTORS = 4;
    /// Flag of a body: it is plastic.
    PLASTIC_BODY = 1;
    /// Flag of a body: it turns by its torque alone.
    RIGID_BODY = 2;
    /// How rotations are extracted: columns one after the other.
    GRAM_SCHMIDT = Extraction::GramSchmidt as u32;
    /// How rotations are extracted: polar decomposition.
    POLAR = Extraction::Polar as u32;
    /// How rotations are extracted: from the last orientation on.
    ITERATIVE = Extraction::Iterative as u32;

    /// Contact count of a rigid body: the most before this iteration.
    CONTACTS_BEFORE = 0;
    /// Contact count of a rigid body: those of this iteration.
    CONTACTS_NOW = 1;
    /// Contact count of a rigid body: those of the first iteration.
    CONTACTS_FIRST = 2;
    /// Contact counts of a rigid body.
    CONTACT_COUNTS = 3;
}

/// The header of every module.
pub fn wgsl() -> String {
    ALL.iter().map(|(name, value)| format!("const {name}: u32 = {value}u;\n")).collect()
}
