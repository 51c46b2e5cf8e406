//! Gauss–Seidel: constraints in sequence, in parallel where they share no row (S06–S08, S12–S14).

pub(crate) mod batches;
pub(crate) mod patches;
pub(crate) mod phantoms;
mod schedule;

use crate::memory::nested;
#[cfg(feature = "gpu")]
use crate::methods::GpuSolve;
use crate::methods::{ConstraintModel, CpuMethod, Method, PlanInput, SolveData};
#[cfg(feature = "gpu")]
use crate::runtime::gpu::program::Command;
use crate::scene::Partition;
use crate::schedule::passes::{Pass, Schedule};
use crate::schedule::substep::CpuContext;
use crate::state::State;

/// Serial or in parallel over colors, phantoms and patches.
pub(crate) struct GaussSeidel;

impl Method for GaussSeidel {
    /// The last of all methods: it takes what no other does.
    fn handles(&self, _: Partition) -> bool {
        true
    }

    fn passes(&self, input: &PlanInput<'_>) -> Schedule {
        schedule::schedule(input)
    }

    fn on_cpu(&self, model: &ConstraintModel<'_>, _: &State) -> Box<dyn CpuMethod> {
        let patches = model.schedule.patches.len();
        Box::new(GaussSeidelCpu { patch_seconds: vec![vec![0.0; model.groups.len()]; patches] })
    }

    /// None: its passes have variants of their own, which `solver/gpu/program` fuses where it can.
    #[cfg(feature = "gpu")]
    fn encode(&self, _: u32, _: &mut GpuSolve<'_>) -> Vec<Command> {
        Vec::new()
    }
}

struct GaussSeidelCpu {
    /// Time spent on each group, by patch [s].
    patch_seconds: Vec<Vec<f64>>,
}

impl CpuMethod for GaussSeidelCpu {
    fn run(&mut self, pass: &Pass, cx: &CpuContext<'_>, model: &ConstraintModel<'_>, data: SolveData<'_>) {
        let SolveData { state, contact, scales } = data;
        let seconds = &mut self.patch_seconds;
        match pass {
            Pass::Islands => patches::run_islands(cx, model, state, (contact, seconds), scales),
            Pass::Batches(ids) => {
                for id in ids {
                    let g = &model.groups[id.group];
                    let lambda = &mut state.multipliers[id.group];
                    let batch = g.batches[id.batch];
                    batches::run_batch(cx.threads, cx.isa, scales, g, batch, &mut state.rows, lambda);
                }
            }
            Pass::Patches(range) => patches::run_tiling(cx, model, state, seconds, scales, (range, None)),
            Pass::Half(range, half) => patches::run_tiling(cx, model, state, seconds, scales, (range, Some(*half))),
            Pass::Spread(copies) => {
                phantoms::spread_all(cx.threads, &model.phantoms.ties[copies.ties.clone()], &mut state.rows);
            }
            Pass::Join(copies) => {
                phantoms::join_all(cx.threads, &model.phantoms.ties[copies.ties.clone()], &mut state.rows);
            }
            Pass::Serial { group } => {
                let lambda = &mut state.multipliers[*group];
                batches::run_serial(scales, &model.groups[*group], &mut state.rows, lambda);
            }
            other => unreachable!("{other:?} is no pass of Gauss–Seidel"),
        }
    }

    fn collect_times(&mut self, cx: &CpuContext<'_>, groups: &mut [f64]) {
        patches::collect_seconds(cx.threads, &mut self.patch_seconds, groups);
    }

    fn bytes(&self) -> u64 {
        nested(&self.patch_seconds)
    }
}
