//! The passes of a substep as data, derived once from the model.
//!
//! Each phenomenon declares its passes ([`crate::schedule::phenomenon`]); [`SUBSTEP`] is the order in which they run.
//! Constraint passes come from the solution method (`methods/`). Both solvers execute this list.

use crate::schedule::Stage;
use crate::schedule::phenomenon::{Field, Phenomenon};
use std::collections::BTreeSet;
use std::ops::Range;

/// One pass. Everything within a pass may run in parallel.
///
/// Passes up to [`Pass::Method`] are constraint passes: the solution method creates and runs them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Batches of one color, of one group or of several: Gauss–Seidel between passes, no row twice within.
    Batches(Vec<BatchId>),
    /// Patches that share no row, each run sequentially.
    Patches(Range<usize>),
    /// One half of the operations of patches.
    Half(Range<usize>, Half),
    /// Copies particles to their copies.
    Spread(Copies),
    /// Sets particles to the mean of their copies: the phantom constraints of a group, or of all seams.
    Join(Copies),
    /// One group, constraint by constraint.
    Serial {
        /// Group index.
        group: usize,
    },
    /// A pass that only the solution method understands, by the method's own number.
    Method(u32),

    /// Velocities at the start of the substep are saved for restitution.
    SaveVelocities,
    /// Aerodynamic forces.
    AeroForces,
    /// Positions are saved, from which triangles are kept from crossing.
    SavePositions,
    /// Momentum of free islands is saved.
    SaveMomentum,
    /// Unconstrained velocities and positions.
    Predict,
    /// Resets the strain of bodies from the last substep.
    BeginBodies,
    /// Resets the strain of bodies from stabilization.
    BeginBodySolve,
    /// Which particles belong to rigid bodies, and their share of the body's mass.
    BeginMassSplitting,
    /// Warm start by the last pressures, and neighbors within the kernel radius.
    FluidNeighbors,
    /// Particle pairs that may touch.
    ContactNeighbors,
    /// Particles that overlap at the start are separated without velocity.
    SeparateParticles,
    /// Colliders near each particle.
    ColliderBroadPhase,
    /// Particles inside colliders at the start are moved out without velocity.
    SeparateColliders,
    /// Colliders within the kernel radius of fluid particles.
    FluidBoundary,
    /// Vertices, edges and triangles that may touch.
    TrianglePairs,
    /// All iterations of the islands: patches that share nothing with others, with their collider contacts.
    Islands,

    /// Elastic bodies by vertex block descent, with their collider contacts.
    Elastic,
    /// Volume constraints of inflatables.
    Inflate,
    /// Density constraints of fluids.
    FluidDensity,
    /// Particle contacts.
    ParticleContacts,
    /// Contacts of triangles.
    TriangleContacts,
    /// Collider contacts.
    ColliderContacts,
    /// Shape matching of bodies.
    ShapeMatching,
    /// A step of rigid bodies with exact shapes.
    RigidBodies,

    /// Collider contacts once more after the last shape matching, which may have moved particles through a surface.
    SurfaceContacts,
    /// Motion is cut back where triangles would cross.
    LimitTriangles,
    /// Impulses of particles on rigid bodies.
    BodyReactions,
    /// Rest shapes of plastic bodies.
    Plasticity,
    /// Velocities from positions, sleeping, divergence check.
    Finalize,
    /// Particles in contact fall back to BDF1.
    ContactOrder,
    /// Momentum of free islands is restored.
    RestoreMomentum,
    /// Surface tension of fluids.
    SurfaceTension,
    /// Viscosity of fluids.
    Viscosity,
    /// Vorticity confinement of fluids.
    Vorticity,
    /// Pressures of the next substep, where they are found by velocities.
    Projection,
    /// Restitution and rolling resistance.
    Restitution,
}

/// Where a pass runs within a substep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Before the iterations.
    Before,
    /// In every iteration.
    Iteration,
    /// After the iterations.
    After,
}

/// The order of a substep. In an iteration the constraint passes come first.
///
/// Colliders have priority over constraints, contacts and density: their pass is the last that moves single particles.
/// Only the shape of bodies comes after it.
pub const SUBSTEP: [(Pass, Stage, When); 36] = {
    use Stage::{Contacts, Finalize, Neighbors, Predict, Solve, Stabilize};
    use When::{After, Before, Iteration};
    [
        (Pass::SavePositions, Predict, Before),
        (Pass::SaveVelocities, Predict, Before),
        (Pass::AeroForces, Predict, Before),
        (Pass::SaveMomentum, Predict, Before),
        (Pass::Predict, Predict, Before),
        (Pass::RigidBodies, Predict, Before),
        (Pass::BeginBodies, Predict, Before),
        (Pass::BeginMassSplitting, Neighbors, Before),
        (Pass::FluidNeighbors, Neighbors, Before),
        (Pass::ContactNeighbors, Neighbors, Before),
        (Pass::SeparateParticles, Stabilize, Before),
        (Pass::ColliderBroadPhase, Contacts, Before),
        (Pass::SeparateColliders, Stabilize, Before),
        (Pass::FluidBoundary, Contacts, Before),
        (Pass::TrianglePairs, Contacts, Before),
        (Pass::BeginBodySolve, Solve, Before),
        (Pass::Islands, Solve, Before),
        (Pass::Elastic, Solve, Iteration),
        (Pass::Inflate, Solve, Iteration),
        (Pass::FluidDensity, Solve, Iteration),
        (Pass::ParticleContacts, Solve, Iteration),
        (Pass::TriangleContacts, Solve, Iteration),
        (Pass::ColliderContacts, Solve, Iteration),
        (Pass::ShapeMatching, Solve, Iteration),
        (Pass::SurfaceContacts, Solve, After),
        (Pass::LimitTriangles, Solve, After),
        (Pass::BodyReactions, Finalize, After),
        (Pass::Plasticity, Finalize, After),
        (Pass::Finalize, Finalize, After),
        (Pass::ContactOrder, Finalize, After),
        (Pass::RestoreMomentum, Finalize, After),
        (Pass::SurfaceTension, Finalize, After),
        (Pass::Viscosity, Finalize, After),
        (Pass::Vorticity, Finalize, After),
        (Pass::Projection, Finalize, After),
        (Pass::Restitution, Finalize, After),
    ]
};

/// Iterations that are split in two halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halves {
    /// None.
    None,
    /// The last.
    Last,
    /// All.
    All,
}

/// Half of the operations of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// Operations before [`PatchOp::Seams`].
    First,
    /// Operations after it.
    Second,
}

impl Half {
    /// Operations of this half.
    pub fn of(self, jobs: &[PatchOp]) -> &[PatchOp] {
        let middle = jobs.iter().position(|job| *job == PatchOp::Seams).unwrap_or(jobs.len());
        match self {
            Self::First => &jobs[..middle],
            Self::Second => jobs.get(middle + 1..).unwrap_or_default(),
        }
    }
}

/// A range of particle copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copies {
    /// Group of the copies; `None` for those on the seams between patches, which all groups use.
    pub group: Option<usize>,
    /// Range of the phantoms' ties.
    pub ties: Range<usize>,
}

/// A batch by its indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchId {
    /// Group index.
    pub group: usize,
    /// Batch index within the group.
    pub batch: usize,
}

/// An operation of a patch, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatchOp {
    /// Batches of one group, in sequence.
    Batches {
        /// Group index.
        group: usize,
        /// Batch indices.
        batches: Range<usize>,
    },
    /// As [`Pass::Spread`], for the particles of the patch.
    Spread(Copies),
    /// As [`Pass::Join`], for the particles of the patch.
    Join(Copies),
    /// Split of an iteration: all patches reach this point before copies on seams are set to their mean, then continue.
    /// No effect if the iteration is not split.
    Seams,
}

/// The passes of a substep.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// Operations of each patch, run by one thread or workgroup.
    pub patches: Vec<Vec<PatchOp>>,
    /// The first patches are islands: bodies that fit in one patch. Each runs all of its iterations independently, with
    /// the contacts of its particles.
    pub islands: usize,
    /// Passes before the iterations, with their stages.
    pub before: Vec<(Pass, Stage)>,
    /// Passes of everything outside islands, repeated for every iteration.
    pub iteration: Vec<Pass>,
    /// Passes of the last iteration, if that is split in two halves; otherwise empty.
    pub last: Vec<Pass>,
    /// Passes after the iterations, with their stages.
    pub after: Vec<(Pass, Stage)>,
}

impl Schedule {
    /// Adds the passes of all phenomena to the constraint passes of a solution method, in the order of [`SUBSTEP`].
    ///
    /// # Panics
    /// If a pass reads what no earlier pass writes and no phenomenon keeps, or is not in [`SUBSTEP`].
    #[must_use]
    pub fn with(mut self, phenomena: &[&dyn Phenomenon]) -> Self {
        let declared: Vec<_> = phenomena.iter().flat_map(|p| p.passes().into_iter().map(|d| (p.name(), d))).collect();
        let mut known: BTreeSet<Field> = phenomena.iter().flat_map(|p| p.kept().iter().copied()).collect();
        for (pass, stage, when) in SUBSTEP {
            if pass == Pass::Islands && self.islands > 0 {
                self.before.push((pass, stage));
                continue;
            }
            let Some((name, found)) = declared.iter().find(|(_, d)| d.pass == pass) else { continue };
            let missing = found.reads.iter().find(|field| !known.contains(field));
            assert!(missing.is_none(), "{name}: pass {pass:?} reads {missing:?}, which nothing has written");
            known.extend(found.writes);
            match when {
                When::Before => self.before.push((pass, stage)),
                When::Iteration => {
                    let lists = [Some(&mut self.iteration), (!self.last.is_empty()).then_some(&mut self.last)];
                    lists.into_iter().flatten().for_each(|list| list.push(pass.clone()));
                }
                When::After => self.after.push((pass, stage)),
            }
        }
        let unordered = declared.iter().find(|(_, d)| SUBSTEP.iter().all(|(pass, ..)| *pass != d.pass));
        assert!(unordered.is_none(), "{unordered:?} has no place in SUBSTEP");
        self
    }

    /// The passes of an iteration.
    pub fn passes(&self, last: bool) -> &[Pass] {
        if last && !self.last.is_empty() { &self.last } else { &self.iteration }
    }

    /// Iterations in which patches are split in two halves.
    pub fn halves(&self) -> Halves {
        if self.iteration.iter().any(|pass| matches!(pass, Pass::Half(..))) {
            Halves::All
        } else if self.last.is_empty() {
            Halves::None
        } else {
            Halves::Last
        }
    }

    /// Patches of each pass that runs them in parallel, without islands.
    pub fn tilings(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.iteration.iter().filter_map(|pass| match pass {
            Pass::Patches(range) | Pass::Half(range, Half::First) => Some(range.clone()),
            _ => None,
        })
    }

    /// Number of constraint passes in an iteration: barriers between kernels, without contacts and volumes. Islands
    /// count as one.
    pub fn constraint_passes(&self) -> usize {
        self.iteration.iter().filter(|pass| pass.is_constraint_pass()).count() + usize::from(self.islands > 0)
    }
}

impl Pass {
    /// Whether the solution method creates and runs it.
    pub fn is_constraint_pass(&self) -> bool {
        SUBSTEP.iter().all(|(pass, ..)| pass != self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::phenomenon::PassInfo;

    struct Declares(Vec<PassInfo>);

    impl Phenomenon for Declares {
        fn name(&self) -> &'static str {
            "test"
        }
        fn passes(&self) -> Vec<PassInfo> {
            self.0.clone()
        }
        fn kept(&self) -> &'static [Field] {
            &[Field::Positions]
        }
    }

    fn pass(pass: Pass, reads: &'static [Field], writes: &'static [Field]) -> PassInfo {
        PassInfo { pass, reads, writes }
    }

    #[test]
    fn passes_of_all_phenomena_run_in_the_order_of_the_substep() {
        let late = Declares(vec![
            pass(Pass::Restitution, &[Field::SavedVelocities], &[]),
            pass(Pass::ShapeMatching, &[Field::Positions], &[]),
            pass(Pass::SaveVelocities, &[], &[Field::SavedVelocities]),
        ]);
        let contact = Declares(vec![pass(Pass::ColliderContacts, &[Field::Positions], &[])]);
        let start = Schedule { iteration: vec![Pass::Serial { group: 0 }], ..Schedule::default() };
        let schedule = start.with(&[&late, &contact]);
        assert_eq!(schedule.before, [(Pass::SaveVelocities, Stage::Predict)]);
        assert_eq!(schedule.iteration, [Pass::Serial { group: 0 }, Pass::ColliderContacts, Pass::ShapeMatching]);
        assert_eq!(schedule.after, [(Pass::Restitution, Stage::Finalize)]);
        assert_eq!(schedule.constraint_passes(), 1);
    }

    #[test]
    #[should_panic(expected = "reads Some(SavedVelocities), which nothing has written")]
    fn a_pass_that_reads_what_nothing_has_written_is_refused() {
        let _ = Schedule::default().with(&[&Declares(vec![pass(Pass::Restitution, &[Field::SavedVelocities], &[])])]);
    }

    #[test]
    #[should_panic(expected = "has no place in SUBSTEP")]
    fn a_pass_without_a_place_in_the_substep_is_refused() {
        let _ = Schedule::default().with(&[&Declares(vec![pass(Pass::Method(0), &[], &[])])]);
    }
}
