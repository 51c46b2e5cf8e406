//! Speed of a scene on a GPU: many steps per submission and one wait, as in a program that does not read back every step.

use super::measurement::{StepMeasurement, mean_residuals};
use crate::args::BenchArgs;
use crate::failure::Failure;
use crate::process::cpu_seconds;
use crate::statistics::median;
use pliant::model::Model;
use pliant::schedule::Stage;
use pliant::schedule::stats::PassTimes;
use pliant::{StepError, World};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Instant;

/// Fields of a GPU row; they are keys of the JSON.
#[derive(Debug, Serialize)]
pub struct GpuFacts {
    /// Name of the GPU.
    pub adapter: String,
    pub steps_per_submit: u32,
    /// Sequential dispatches of a step.
    pub passes: u64,
    pub us_per_pass: f64,
    /// Barriers of a step in the longest dependency chain within workgroups.
    pub chain: u64,
    /// Device memory [bytes].
    pub device_bytes: u64,
    /// Minimum memory traffic of a step [bytes], see [`bytes_per_step`].
    pub bytes_per_step: u64,
    pub floor_ms: f64,
    /// Host time to encode and submit a step [µs].
    pub encode_us_per_step: f64,
    /// Times of passes, the slowest first; with `--passes`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_pass: Vec<PassRow>,
}

/// Device time of all passes of one kind in a step.
#[derive(Debug, Serialize)]
pub struct PassRow {
    pub pass: String,
    pub count: u64,
    /// Mean workgroups of one.
    pub workgroups: f64,
    pub ms: f64,
}

/// Target duration of a sample [s]: much longer than a wait, much shorter than a watchdog timeout.
const SAMPLE_SECONDS: f64 = 0.05;
/// Maximum number of steps of a sample.
const MAX_STEPS: u32 = 200;
/// Maximum number of steps with stage timestamps: the device synchronizes after each stage, which is slower.
const MAX_PROFILED_STEPS: u32 = 20;
/// Steps whose passes are timed.
const PASS_STEPS: u32 = 5;
/// Cost of a dependent pass on the fastest GPUs measured [s].
const PASS_SECONDS: f64 = 2.2e-6;
/// Cost of a barrier within a workgroup, with one constraint per thread [s].
const BARRIER_SECONDS: f64 = 0.1e-6;

/// Measures a simulation on a GPU; `None` if it runs on the CPU.
pub fn measure(sim: &mut World, args: &BenchArgs) -> Result<Option<(StepMeasurement, GpuFacts)>, Failure> {
    let Some(shape) = sim.gpu().map(|gpu| gpu.stats(sim.model())) else { return Ok(None) };
    // As many steps as the CPU benchmark runs, so that the residuals are comparable.
    sim.advance(args.warmup.saturating_add(args.repeat))?;
    sim.sync()?;
    let hash = sim.hash();
    let residual = mean_residuals(sim, args.moments)?;
    let steps = match args.steps_per_submit {
        Some(steps) => steps,
        None => calibrate(sim)?,
    };
    let samples = (0..args.repeat).map(|_| sample_submission(sim, steps)).collect::<Result<Vec<_>, _>>()?;
    let stages = stages(sim, steps.min(MAX_PROFILED_STEPS))?;
    let by_pass = if args.passes { pass_rows(sim)? } else { Vec::new() };
    let wall = median(samples.iter().map(|s| s.wall));
    let settings = sim.model().settings;
    let substeps = u64::from(settings.substeps);
    let (passes, chain) = (shape.passes as u64 * substeps, shape.chain as u64 * substeps);
    let bytes_per_step = bytes_per_step(sim.model(), sim.particles());
    let facts = GpuFacts {
        adapter: crate::gpu::adapter(sim).unwrap_or_default(),
        steps_per_submit: steps,
        passes,
        us_per_pass: wall * 1e6 / passes.max(1) as f64,
        chain,
        device_bytes: shape.bytes,
        bytes_per_step,
        floor_ms: lower_bound(bytes_per_step, passes, chain, args.bandwidth * 1e9) * 1e3,
        encode_us_per_step: median(samples.iter().map(|s| s.encode)) * 1e6,
        by_pass,
    };
    let cpu = median(samples.iter().map(|s| s.cpu));
    Ok(Some((StepMeasurement { wall, cpu, stages, by_kind: BTreeMap::new(), residual, hash }, facts)))
}

/// Times per step of one submission [s].
struct SubmissionSample {
    wall: f64,
    cpu: f64,
    encode: f64,
}

fn sample_submission(sim: &mut World, steps: u32) -> Result<SubmissionSample, StepError> {
    sim.take_times();
    let (start, cpu) = (Instant::now(), cpu_seconds());
    sim.advance(steps)?;
    sim.wait()?;
    let (cpu, wall) = (cpu_seconds() - cpu, start.elapsed().as_secs_f64());
    let per_step = 1.0 / f64::from(steps);
    Ok(SubmissionSample { wall: wall * per_step, cpu: cpu * per_step, encode: sim.take_times().encode * per_step })
}

/// Number of steps of a sample that takes about [`SAMPLE_SECONDS`].
fn calibrate(sim: &mut World) -> Result<u32, StepError> {
    let mut steps = 1;
    loop {
        let wanted = fitting_steps(sample_submission(sim, steps)?.wall);
        // In a short submission the wait dominates, so the estimate is repeated with more steps.
        if wanted <= steps.saturating_mul(2) {
            return Ok(wanted);
        }
        steps = wanted.min(steps * 8);
    }
}

/// Number of steps of a sample, from the duration of a step [s].
fn fitting_steps(step: f64) -> u32 {
    (SAMPLE_SECONDS / step.max(1e-9)).round().clamp(1.0, f64::from(MAX_STEPS)) as u32
}

/// Device time per step by stage [ms]; empty without timestamps.
fn stages(sim: &mut World, steps: u32) -> Result<BTreeMap<&'static str, f64>, StepError> {
    if !sim.set_profiling(true) {
        return Ok(BTreeMap::new());
    }
    sim.take_times();
    sim.advance(steps)?;
    sim.wait()?;
    let times = sim.take_times();
    sim.set_profiling(false);
    let ms = |stage: Stage| (stage.name(), times.stage(stage) * 1e3 / f64::from(steps));
    // Contacts are part of predict, or of stabilize with particle contacts.
    let mut all = vec![Stage::Predict, Stage::Solve, Stage::Finalize];
    if sim.model().particle_contact.is_some() || sim.model().fluid.is_some() {
        all.push(Stage::Neighbors);
    }
    if sim.model().particle_contact.is_some() {
        all.push(Stage::Stabilize);
    }
    Ok(all.into_iter().map(ms).collect())
}

/// Device time of the passes of a step by name, the slowest first; empty without timestamps.
fn pass_rows(sim: &mut World) -> Result<Vec<PassRow>, StepError> {
    if !sim.set_pass_profiling(true) {
        return Ok(Vec::new());
    }
    sim.take_times();
    sim.advance(PASS_STEPS)?;
    let times = sim.take_times();
    sim.set_pass_profiling(false);
    let row = |(pass, times): (String, PassTimes)| PassRow {
        pass,
        count: times.count / u64::from(PASS_STEPS),
        workgroups: times.workgroups as f64 / times.count as f64,
        ms: times.seconds * 1e3 / f64::from(PASS_STEPS),
    };
    let mut rows: Vec<_> = times.passes.into_iter().map(row).collect();
    rows.sort_by(|a, b| b.ms.total_cmp(&a.ms));
    Ok(rows)
}

/// The table of passes.
fn pass_table(rows: &[PassRow]) -> Vec<Vec<String>> {
    let head = ["pass", "per step", "workgroups", "ms/step", "µs each"].map(str::to_owned).to_vec();
    let row = |r: &PassRow| {
        vec![
            r.pass.clone(),
            r.count.to_string(),
            format!("{:.0}", r.workgroups),
            format!("{:.4}", r.ms),
            format!("{:.2}", r.ms * 1e3 / r.count.max(1) as f64),
        ]
    };
    std::iter::once(head).chain(rows.iter().map(row)).collect()
}

/// Memory traffic of a step with a perfect cache between the passes of an iteration [bytes]: 16-bit row indices and
/// parameters read, multipliers and all rows read and written.
fn bytes_per_step(model: &Model, particles: usize) -> u64 {
    let constraints = model.groups.iter().map(|group| {
        let layout = group.layout();
        group.count * (4 * (layout.rows.div_ceil(2) + layout.params) + 8 * layout.multipliers)
    });
    let iteration = constraints.sum::<usize>() + 32 * particles;
    iteration as u64 * u64::from(model.settings.iterations) * u64::from(model.settings.substeps)
}

/// Lower bound of the time for any schedule of these passes [s].
fn lower_bound(bytes: u64, passes: u64, chain: u64, bandwidth: f64) -> f64 {
    (bytes as f64 / bandwidth).max(passes as f64 * PASS_SECONDS + chain as f64 * BARRIER_SECONDS)
}

/// The text output of a row.
pub fn human(facts: &GpuFacts) -> String {
    use crate::formatting::{grouped, size};
    let mut text = format!(
        "  {} passes of {:.2} us, chain of {} barriers, {} moved; floor {:.3} ms; {} on the device\n  \
         submissions of {}, encoding takes {:.1} us per step; contacts and stabilize are part of predict\n",
        grouped(facts.passes as usize),
        facts.us_per_pass,
        grouped(facts.chain as usize),
        size(facts.bytes_per_step),
        facts.floor_ms,
        size(facts.device_bytes),
        crate::formatting::steps(facts.steps_per_submit),
        facts.encode_us_per_step,
    );
    if !facts.by_pass.is_empty() {
        text.push_str(&crate::formatting::table(&pass_table(&facts.by_pass)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_floor_is_memory_or_latency_whichever_is_longer() {
        // 1 GB at 1000 GB/s is 1 ms; 100 passes and 1000 barriers are 220 + 100 us.
        assert!((lower_bound(1_000_000_000, 100, 1000, 1e12) - 1e-3).abs() < 1e-12);
        assert!((lower_bound(1_000, 100, 1000, 1e12) - 320e-6).abs() < 1e-12);
    }

    #[test]
    fn a_sample_has_one_to_two_hundred_steps() {
        for (step, steps) in [(1e-3, 50), (1.0, 1), (1e-6, 200), (0.0, 200)] {
            assert_eq!(fitting_steps(step), steps, "{step} s");
        }
    }
}
