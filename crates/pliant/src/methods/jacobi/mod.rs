//! Averaged Jacobi: all constraints from the same positions, corrections averaged per particle (S09).

pub(crate) mod cpu;
#[cfg(feature = "gpu")]
pub mod gpu;

use crate::constraints::group::BLOCK;
use crate::math::RowData;
use crate::memory::{nested, of};
use crate::methods::{ConstraintModel, CpuMethod, Method, PlanInput, SolveData};
#[cfg(feature = "gpu")]
use crate::methods::{GpuSolve, MethodTables};
#[cfg(feature = "gpu")]
use crate::runtime::gpu::{program::Command, tables::TableArena};
use crate::scene::Partition;
use crate::schedule::passes::{Pass, Schedule};
use crate::schedule::substep::CpuContext;
use crate::state::State;

/// [`Pass::Method`]: corrections are computed by constraint, then summed by particle.
pub(crate) const SCATTER: u32 = 0;
/// [`Pass::Method`]: each particle computes the corrections of all of its constraints.
pub(crate) const GATHER: u32 = 1;

/// Jacobi, by constraint or by particle.
pub(crate) struct Jacobi;

impl Method for Jacobi {
    fn handles(&self, partition: Partition) -> bool {
        matches!(partition, Partition::Jacobi | Partition::JacobiGather)
    }

    fn reads_incidence(&self) -> bool {
        true
    }

    fn passes(&self, input: &PlanInput<'_>) -> Schedule {
        let pass = if input.partition == Partition::Jacobi { SCATTER } else { GATHER };
        let iteration = if input.groups.is_empty() { Vec::new() } else { vec![Pass::Method(pass)] };
        Schedule { islands: input.islands, iteration, ..Schedule::default() }
    }

    fn on_cpu(&self, model: &ConstraintModel<'_>, state: &State) -> Box<dyn CpuMethod> {
        let gather = model.settings.partition == Partition::JacobiGather;
        Box::new(JacobiCpu {
            slots: model.groups.iter().map(|g| vec![[0.0; 4]; g.blocks() * g.layout().rows * BLOCK]).collect(),
            counts: model.incidence.offsets.windows(2).map(|w| (w[1] - w[0]) as f32).collect(),
            next: if gather { state.rows.clone() } else { Vec::new() },
        })
    }

    #[cfg(feature = "gpu")]
    fn put_tables(&self, model: &ConstraintModel<'_>, arena: &mut TableArena) -> MethodTables {
        gpu::put_tables(model, arena)
    }

    #[cfg(feature = "gpu")]
    fn encode(&self, _: u32, gpu: &mut GpuSolve<'_>) -> Vec<Command> {
        gpu::encode(gpu)
    }
}

/// Buffers of the passes.
pub(crate) struct JacobiCpu {
    /// Corrections by group.
    slots: Vec<Vec<RowData>>,
    /// Number of constraints on each row.
    counts: Vec<f32>,
    /// Second position buffer of the gathering pass.
    next: Vec<RowData>,
}

impl CpuMethod for JacobiCpu {
    fn run(&mut self, pass: &Pass, cx: &CpuContext<'_>, model: &ConstraintModel<'_>, data: SolveData<'_>) {
        match pass {
            Pass::Method(SCATTER) => cpu::scatter(cx, model, data.state, self, data.scales),
            Pass::Method(GATHER) => cpu::gather(cx, model, data.state, self, data.scales),
            other => unreachable!("{other:?} is no pass of Jacobi"),
        }
    }

    fn bytes(&self) -> u64 {
        nested(&self.slots) + of(&self.counts) + of(&self.next)
    }
}
