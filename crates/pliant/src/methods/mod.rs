//! Solution methods of the solve stage: how constraints are solved in an iteration.
//!
//! A method is a folder here and a line in `METHODS`. It turns a partition into constraint passes (`Method::passes`)
//! and runs them on the CPU (`CpuMethod`). Contacts, density and shape matching are passes of their own, which run
//! after the constraint passes of an iteration whatever the method.

pub mod gauss_seidel;
pub mod jacobi;
pub mod vbd;

use crate::constraints::Scales;
use crate::constraints::group::{Group, Incidence};
use crate::constraints::phantoms::Phantoms;
use crate::contact::cpu::ContactScratch;
use crate::partition::Plan;
#[cfg(feature = "gpu")]
use crate::runtime::gpu::{
    program::{Command, ProgramWriter},
    shader_constants::NONE,
    tables::TableArena,
};
use crate::scene::{Integrator, Method as Projection, Partition};
use crate::schedule::passes::{Pass, Schedule};
use crate::schedule::substep::{CpuContext, Substep};
use crate::settings::Settings;
use crate::state::State;

/// All methods. The first that handles a scene's partition solves it; Gauss–Seidel, the last, takes all.
pub(crate) const METHODS: [&dyn Method; 2] = [&jacobi::Jacobi, &gauss_seidel::GaussSeidel];

/// The method that solves scenes with this partition.
pub(crate) fn method(partition: Partition) -> &'static dyn Method {
    let found = METHODS.into_iter().find(|m| m.handles(partition));
    found.unwrap_or(&gauss_seidel::GaussSeidel)
}

/// A partitioned set of constraints, from which a method makes its passes.
#[derive(Clone, Copy)]
pub(crate) struct PlanInput<'a> {
    /// The scene's choice.
    pub(crate) partition: Partition,
    /// Colors, patches and copies.
    pub(crate) plan: &'a Plan,
    /// Number of islands: patches that share nothing with others.
    pub(crate) islands: usize,
    /// Constraints by kind, in the order of the plan.
    pub(crate) groups: &'a [Group],
}

/// The part of a model that solution methods read.
#[derive(Clone, Copy)]
pub(crate) struct ConstraintModel<'a> {
    /// Iterations, projection (PBD or XPBD), relaxation.
    pub(crate) settings: &'a Settings,
    /// Constraints by kind.
    pub(crate) groups: &'a [Group],
    /// Copies of particles.
    pub(crate) phantoms: &'a Phantoms,
    /// Constraints of each row; empty unless the method reads them.
    pub(crate) incidence: &'a Incidence,
    /// Operations of patches.
    pub(crate) schedule: &'a Schedule,
}

/// A solution method.
pub(crate) trait Method: Sync {
    /// Whether it solves scenes with this partition.
    fn handles(&self, partition: Partition) -> bool;

    /// Whether its passes read the constraints of each row, [`ConstraintModel::incidence`].
    fn reads_incidence(&self) -> bool {
        false
    }

    /// Its constraint passes.
    fn passes(&self, input: &PlanInput<'_>) -> Schedule;

    /// Its state on the CPU.
    fn on_cpu(&self, model: &ConstraintModel<'_>, state: &State) -> Box<dyn CpuMethod>;

    /// Appends its tables for the GPU.
    #[cfg(feature = "gpu")]
    fn put_tables(&self, _: &ConstraintModel<'_>, _: &mut TableArena) -> MethodTables {
        MethodTables::default()
    }

    /// The dispatches of [`Pass::Method`] with this number.
    #[cfg(feature = "gpu")]
    fn encode(&self, pass: u32, gpu: &mut GpuSolve<'_>) -> Vec<Command>;
}

/// Tables of a method on the GPU.
#[cfg(feature = "gpu")]
#[derive(Clone, Debug)]
pub struct MethodTables {
    /// Offsets that only the method understands.
    pub offsets: Vec<u32>,
    /// First vector in `work` of the corrections of each group; empty where constraints are applied at once.
    pub corrections: Vec<u32>,
    /// Number of constraints on each row in `params`, by which masses are split, or [`NONE`].
    pub counts: u32,
}

#[cfg(feature = "gpu")]
impl Default for MethodTables {
    fn default() -> Self {
        Self { offsets: Vec::new(), corrections: Vec::new(), counts: NONE }
    }
}

/// Interface with which a method writes its dispatches.
#[cfg(feature = "gpu")]
pub(crate) struct GpuSolve<'a> {
    /// Number of constraint groups.
    pub(crate) groups: usize,
    /// Number of rows without copies.
    pub(crate) rows: usize,
    /// The method's tables.
    pub(crate) tables: &'a MethodTables,
    /// A dispatch over all constraints of a group by an entry point of `constraint.wgsl`.
    pub(crate) constraints: &'a dyn Fn(&mut ProgramWriter, usize, &'static str) -> Command,
    /// Collects shaders and uniform records.
    pub(crate) out: &'a mut ProgramWriter,
}

/// A solution method on the CPU, with its buffers.
pub(crate) trait CpuMethod: Send + Sync {
    /// Runs one constraint pass, or [`Pass::Islands`].
    fn run(&mut self, pass: &Pass, cx: &CpuContext<'_>, model: &ConstraintModel<'_>, data: SolveData<'_>);

    /// Moves times that it has measured itself to those of the groups [s].
    fn collect_times(&mut self, _cx: &CpuContext<'_>, _groups: &mut [f64]) {}

    /// Memory of its buffers [bytes].
    fn bytes(&self) -> u64;
}

/// Data that a constraint pass changes.
pub(crate) struct SolveData<'a> {
    /// Positions and multipliers.
    pub(crate) state: &'a mut State,
    /// Collider contacts, which islands solve with their constraints.
    pub(crate) contact: &'a mut ContactScratch,
    /// Time-step factors of compliance and multipliers.
    pub(crate) scales: Scales<f32>,
}

/// α̃/α and the multiplier factor of a substep (E11, E12).
pub(crate) fn scales(settings: &Settings, substep: &Substep) -> Scales<f32> {
    let second = settings.integrator == Integrator::Bdf2 && substep.index > 0;
    let inv_h2 = 1.0 / (substep.h * substep.h);
    Scales {
        inv_h2: if second { 9.0 / (4.0 * substep.h * substep.h) } else { inv_h2 },
        memory: if settings.method != Projection::Pbd { 1.0 } else { 0.0 },
    }
}
