//! `pliant check`: validates a scene and reports the built model.

use crate::args::CheckArgs;
use crate::failure::Failure;
use crate::formatting;
use crate::gpu;
use crate::run::timing::FrameTiming;
use crate::scene_loader::{LoadedScene, Setting};
use crate::stdout;
use pliant::World;
use pliant::schedule::stats::{Counts, INFLATE};
use serde::Serialize;
use std::time::Instant;

#[derive(Serialize)]
struct CheckReport {
    scene: String,
    title: String,
    backend: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    adapter: Option<String>,
    solver: &'static str,
    particles: usize,
    constraints: Counts,
    /// Sequential batches of an iteration, by kind.
    batches: Counts,
    colliders: usize,
    bytes: u64,
    /// Device memory [bytes].
    #[serde(skip_serializing_if = "Option::is_none")]
    device_bytes: Option<u64>,
    build_ms: f64,
    frames: u64,
    steps_per_frame: u64,
    /// Substeps of a step.
    substeps: u32,
    /// Expected time of a frame on this machine, from its second step [ms].
    #[serde(skip_serializing_if = "Option::is_none")]
    frame_ms: Option<f64>,
    seconds: f64,
    notes: Vec<String>,
}

pub fn check(args: &CheckArgs) -> Result<(), Failure> {
    let settings: Vec<Setting> = args.overrides.sets.iter().map(|s| Setting::set(s)).collect();
    let loaded = LoadedScene::new(&args.scene, &settings, args.overrides.models.as_deref())?;
    let start = Instant::now();
    let mut sim = loaded.simulation(1, args.processor.backend()?)?;
    let build_ms = start.elapsed().as_secs_f64() * 1e3;
    let (step_ms, trouble) = time_steps(&mut sim);
    let model = sim.model();
    let mut batches = Counts::new();
    for group in &model.groups {
        *batches.entry(group.kind.name()).or_default() += group.batches.len();
    }
    if !model.inflatables.is_empty() {
        batches.insert(INFLATE, 1);
    }
    let timing = FrameTiming::of(&loaded.scene);
    let frames = timing.frames(None, None);
    let findings = CheckReport {
        scene: loaded.name.clone(),
        title: loaded.scene.title.clone(),
        backend: sim.backend(),
        adapter: gpu::adapter(&sim),
        solver: model.settings.partition.name(),
        particles: sim.particles(),
        constraints: sim.counts(),
        batches,
        colliders: model.colliders.len(),
        bytes: sim.bytes_expected(),
        device_bytes: gpu::device_bytes(&sim),
        build_ms,
        frames,
        steps_per_frame: timing.steps_per_frame,
        substeps: model.settings.substeps,
        frame_ms: step_ms.map(|ms| ms * timing.steps_per_frame as f64),
        seconds: frames as f64 * timing.frame_seconds,
        notes: model.notes.iter().cloned().chain(trouble).collect(),
    };
    if args.json { stdout::json(&findings) } else { stdout::text(&human(&findings, &args.scene)) }
}

/// Runs two steps, as the size of neighbor lists is known only then, and what a step takes [ms]; or the error of a step.
fn time_steps(sim: &mut World) -> (Option<f64>, Option<String>) {
    let mut step = || {
        let start = Instant::now();
        sim.step().and_then(|()| sim.sync()).map(|()| start.elapsed().as_secs_f64() * 1e3)
    };
    match step().and_then(|_| step()) {
        Ok(ms) => (Some(ms), None),
        Err(e) => (None, Some(format!("the first steps fail: {e}"))),
    }
}

fn human(f: &CheckReport, spec: &str) -> String {
    let mut text = format!("{}: valid\n", f.scene);
    if !f.title.is_empty() {
        text.push_str(&format!("{}\n", f.title));
    }
    let mut rows = vec![vec!["particles".to_owned(), formatting::grouped(f.particles)]];
    for (kind, n) in &f.constraints {
        let batches = f.batches.get(kind).copied().unwrap_or(0);
        rows.push(vec![
            (*kind).to_owned(),
            formatting::grouped(*n),
            format!("in {batches} {}", plural("batch", "batches", batches)),
        ]);
    }
    rows.push(vec!["colliders".into(), f.colliders.to_string()]);
    rows.push(vec!["memory".into(), formatting::size(f.bytes)]);
    if let Some((adapter, bytes)) = f.adapter.as_ref().zip(f.device_bytes) {
        rows.push(vec!["memory of the GPU".into(), formatting::size(bytes), format!("on {adapter}")]);
    }
    rows.push(vec!["built in".into(), format!("{:.0} ms", f.build_ms)]);
    text.push('\n');
    text.push_str(&formatting::table(&rows));
    let steps = plural("step", "steps", f.steps_per_frame as usize);
    text.push_str(&format!(
        "\nA run is {} frames of {} {steps}, {:.2} s in all, with solver {}\n",
        f.frames, f.steps_per_frame, f.seconds, f.solver
    ));
    if let Some(ms) = f.frame_ms {
        let substeps = plural("substep", "substeps", f.substeps as usize);
        text.push_str(&format!("A step has {} {substeps}; a frame takes about {ms:.1} ms here\n", f.substeps));
    }
    for note in &f.notes {
        text.push_str(&format!("note: {note}\n"));
    }
    text.push_str(&format!("\nNext: pliant run {spec}\n"));
    text
}

fn plural<'a>(one: &'a str, many: &'a str, n: usize) -> &'a str {
    if n == 1 { one } else { many }
}
