//! What a dispatch is told: one uniform record for each family of shaders, at group 0, binding 9.
//!
//! The twin of each record is declared next to the family's shader under the same name; `tests/gpu/layout.rs` compares
//! them member by member.

use bytemuck::{Pod, Zeroable};

/// A record of any family as it is stored: its words, then zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uniform([u32; WORDS]);

impl Uniform {
    /// Bytes of every stored record.
    pub const BYTES: usize = size_of::<[u32; WORDS]>();

    /// Of a family's record.
    pub fn of<T: Pod>(record: &T) -> Self {
        const { assert!(size_of::<T>() <= Self::BYTES) };
        let mut words = [0; WORDS];
        bytemuck::bytes_of_mut(&mut words)[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(record));
        Self(words)
    }

    /// Its words.
    pub fn words(&self) -> &[u32] {
        &self.0
    }
}

const fn most(sizes: &[usize]) -> usize {
    let (mut most, mut k) = (0, 0);
    while k < sizes.len() {
        most = if sizes[k] > most { sizes[k] } else { most };
        k += 1;
    }
    most
}

macro_rules! records {
    ($($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $field:ident: $kind:ty,)+ })+) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
            #[repr(C)]
            pub struct $name { $($(#[$about])* pub $field: $kind,)+ }
        )+

        /// Words of the largest record.
        pub const WORDS: usize = most(&[$(size_of::<$name>()),+]) / size_of::<u32>();
    };
}

records! {
    /// Predict and stabilize (`predict.wgsl`).
    PredictUniforms {
        /// Flags: `PARTED`, `COLLIDERS`, `PARTS_NEXT`.
        mode: u32,
        /// First vector in `work` of the packed particles for the next contact pass.
        packed: u32,
        /// Factor on radii in a contact pass that corrects positions at the start of the substep.
        radius_scale: f32,
        /// Mass scaling by height, lower is heavier [1/m]; 0 for none.
        mass_scaling: f32,
        /// Share of the last substep's pressure that this one starts with.
        carry: f32,
        /// Number of kinematic rows.
        pin_count: u32,
        /// First word in `topology` of kinematic rows, each with the number of its pose.
        pin_rows: u32,
        /// First vector in `fixtures` of their places relative to the poses.
        pin_places: u32,
    }

    /// Finalize (`finalize.wgsl`).
    FinalizeUniforms {
        /// Flags: `JOINS`, `TOUCHES`, `SEAMS`.
        mode: u32,
        /// First row of the copies on seams that are joined.
        copies: u32,
    }

    /// Constraints of one kind, in batches, serial or Jacobi (`constraint.wgsl`).
    ConstraintUniforms {
        /// Number of constraints.
        count: u32,
        /// First word of their row numbers in `topology`.
        indices: u32,
        /// First of their numbers in `params`.
        params: u32,
        /// First of their multipliers in `lambda`.
        multipliers: u32,
        /// First vector in `work` of their Jacobi corrections.
        corrections: u32,
        /// 1 in the first iteration of a substep: multipliers start from zero.
        fresh: u32,
    }

    /// Patches (`patch.wgsl`).
    PatchUniforms {
        /// First word of the first patch in the directory.
        directory: u32,
        /// Number of patches.
        count: u32,
        /// Where rows come from: `PLAIN`, `SEAMS_FIRST` and so on.
        mode: u32,
        /// Which half of a patch runs, `FIRST_HALF` or `SECOND_HALF`, or 0 for all of it.
        half: u32,
        /// Iterations.
        iterations: u32,
        /// First row of the copies of seam particles that are read.
        copies_in: u32,
        /// First row of the copies of seam particles that are written.
        copies_out: u32,
        /// 1 in the first iteration of a substep: multipliers start from zero.
        fresh: u32,
        /// Substeps, one after the other, of a pass that does whole substeps.
        substeps: u32,
        /// First vector in `motion` of what copies on seams keep in such a pass: starts, then velocities.
        copy_motion: u32,
    }

    /// Passes that are not about one kind of constraint (`passes.wgsl`).
    SolverPassUniforms {
        /// Threads that have work: particles with copies, or particles in the air.
        count: u32,
        /// 1 where contacts with colliders are for particles in islands, 0 for those outside.
        in_islands: u32,
        /// Number of the first particle with copies.
        first_tie: u32,
        /// First vector in `work` of the packed particles for the next contact pass.
        packed: u32,
        /// 1 where masses of rigid bodies are shared by the contacts of the first iteration.
        first_contacts: u32,
        /// First word in `topology` of where the Jacobi entries of each row start.
        jacobi_starts: u32,
        /// First word in `topology` of the entries.
        jacobi_entries: u32,
        /// First vector in `work` of the corrections that entries number.
        jacobi_corrections: u32,
        /// First word in `topology` of the particles in the air, each with where its triangles start.
        aero_particles: u32,
        /// First word in `topology` of the numbers of their triangles.
        aero_incidence: u32,
        /// First word in `topology` of the triangles.
        aero_triangles: u32,
        /// First vector in `fixtures` of the coefficients of the air.
        aero_coefficients: u32,
    }

    /// Volumes of closed surfaces (`inflate.wgsl`).
    InflateUniforms {
        /// First word of the bodies in `topology`.
        bodies: u32,
        /// 1 in the first iteration of a substep: multipliers start from zero.
        fresh: u32,
    }

    /// Contacts between particles (`particle_contacts.wgsl`).
    ParticleContactUniforms {
        /// Flags: `PARTS`, `TOUCHES`.
        mode: u32,
        /// 1 in the first pass of a substep: pushes start from zero.
        fresh: u32,
        /// Static coefficient of friction.
        static_friction: f32,
        /// Kinetic coefficient of friction.
        kinetic_friction: f32,
        /// Over-relaxation.
        omega: f32,
        /// Share of the last change that contacts of rigid bodies add again.
        momentum: f32,
        /// First vector in `work` of the packed particles.
        packed_in: u32,
        /// First vector in `work` of those for the next pass, or `NONE`.
        packed_out: u32,
        /// First of the places at rest and objects in `params`.
        rest: u32,
        /// First word in `topology` of what each particle is attached to, or `NONE`.
        attachments: u32,
    }

    /// Restitution and rolling resistance (`restitution_colliders.wgsl`, `restitution_particles.wgsl`).
    RestitutionUniforms {
        /// Flags: `BETWEEN`, `AGAINST`.
        mode: u32,
        /// First vector in `work` of the velocities at the start of the substep.
        velocities_before: u32,
        /// First vector in `work` of the contacts that each particle shares its mass among.
        shares: u32,
        /// First vector in `work` of the velocities after contacts between particles.
        velocities_after: u32,
        /// First vector in `fixtures` of the laws of the colliders.
        collider_laws: u32,
        /// Restitution between particles.
        restitution: f32,
        /// Approach below which nothing rebounds [m/s].
        still: f32,
        /// Rolling resistance between particles, over a substep.
        drag: f32,
    }

    /// Bodies that keep their shape (`shape_matching.wgsl`).
    ShapeMatchingUniforms {
        /// Number of bodies.
        body_count: u32,
        /// First vector of the pieces of bodies.
        pieces: u32,
        /// Number of pieces.
        piece_count: u32,
        /// First vector of the members: rest offset and mass.
        members: u32,
        /// First vector of the rows of members, or `NONE` where the rows of each body follow each other.
        member_rows: u32,
        /// First vector of where the members of each row start.
        row_starts: u32,
        /// First vector of the numbers of those members.
        row_members: u32,
        /// First vector in `work` of the sums of pieces, then of the goals of bodies.
        sums: u32,
        /// First vector in `work` of the moves of members.
        moves: u32,
        /// How rotations are extracted.
        extraction: u32,
        /// 1 in the first iteration of a substep.
        fresh: u32,
        /// 1 where rows are those that stabilization between particles has moved.
        parted: u32,
        /// First vector in `fixtures` of the ways out of bodies at rest.
        rest_fields: u32,
    }

    /// Liquids (`fluid.wgsl`, `viscosity_sweeps.wgsl`).
    FluidUniforms {
        /// Flags: `TOUCHES`.
        mode: u32,
        /// 1 in the first iteration of a substep.
        fresh: u32,
        /// Number of the sweep of viscosity.
        sweep: u32,
        /// First vector in `work` of the steps of the sweep before.
        steps_in: u32,
        /// First vector in `work` of the steps of this sweep.
        steps_out: u32,
    }
}
