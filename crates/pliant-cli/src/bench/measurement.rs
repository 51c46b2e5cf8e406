//! What the benchmarks of both backends measure.

use pliant::schedule::stats::Residuals;
use pliant::{StepError, World};
use std::collections::BTreeMap;

/// Results of one benchmark, on either backend.
pub struct StepMeasurement {
    /// Wall time per step [s].
    pub wall: f64,
    /// CPU time of all threads of this process per step [s].
    pub cpu: f64,
    /// Time per step by stage [ms].
    pub stages: BTreeMap<&'static str, f64>,
    /// Million solves per second by kind of constraint.
    pub by_kind: BTreeMap<&'static str, f64>,
    /// After the warmup and the measured steps, averaged over the requested number of further steps.
    pub residual: Residuals,
    /// Hash of the state after the warmup and the measured steps.
    pub hash: u64,
}

/// Residuals over `moments` states, a step apart, the current one first: mean of the means and maximum of the maxima.
pub fn mean_residuals(sim: &mut World, moments: u32) -> Result<Residuals, StepError> {
    let mut all = sim.residuals();
    for _ in 1..moments {
        sim.step()?;
        sim.sync()?;
        for (kind, residual) in sim.residuals() {
            let sum = all.entry(kind).or_default();
            (sum.mean, sum.max) = (sum.mean + residual.mean, sum.max.max(residual.max));
        }
    }
    all.values_mut().for_each(|residual| residual.mean /= f64::from(moments));
    Ok(all)
}
