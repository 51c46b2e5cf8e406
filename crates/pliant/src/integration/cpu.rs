//! Passes of time integration on the CPU.

use crate::integration::finalize::finalize;
use crate::integration::predict::{IntegrationModel, predict};
use crate::math::RowData;
use crate::schedule::passes::Pass;
use crate::schedule::substep::CpuContext;
use crate::state::State;

/// Contributions of other phenomena to integration.
pub(crate) struct Inputs<'a> {
    /// Force of the air on each particle [N]; empty without surfaces.
    pub(crate) aero_forces: &'a [RowData],
    /// Liquid of each particle, from 1; 0 for solids; empty without liquids.
    pub(crate) liquids: &'a [u32],
}

/// Runs a pass.
pub(crate) fn run(
    pass: &Pass,
    cx: &CpuContext<'_>,
    model: &IntegrationModel<'_>,
    state: &mut State,
    inputs: &Inputs<'_>,
) {
    let CpuContext { threads, substep, divergence, .. } = *cx;
    match pass {
        Pass::Predict => predict(threads, model, state, inputs.aero_forces, substep, divergence),
        Pass::Finalize => {
            finalize(threads, (model.settings, inputs.liquids), state, substep, divergence);
        }
        other => unreachable!("{other:?} is no pass of integration"),
    }
}
