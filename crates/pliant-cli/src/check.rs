//! `pliant check`: validates a scene and reports the built model.

use crate::args::{CheckArgs, RunArgs};
use crate::failure::Failure;
use crate::formatting;
use crate::gpu;
use crate::memory;
use crate::run::foam::FoamOutput;
use crate::run::outputs::PreparedOutputs;
use crate::run::timing::FrameTiming;
use crate::run::video::check_size;
use crate::scene_loader::{LoadedScene, Setting};
use crate::stdout;
use glam::Vec3;
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
    /// Maximum so far: while the scene was built and took two steps [bytes].
    peak_bytes: u64,
    /// Device memory [bytes].
    #[serde(skip_serializing_if = "Option::is_none")]
    device_bytes: Option<u64>,
    build_ms: f64,
    frames: u64,
    steps_per_frame: u64,
    /// Substeps of a step.
    substeps: u32,
    /// Largest speed after the first step.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_step: Option<FirstStep>,
    /// Expected time of a frame on this machine, from its second step [ms].
    #[serde(skip_serializing_if = "Option::is_none")]
    frame_ms: Option<f64>,
    seconds: f64,
    notes: Vec<String>,
}

/// What the trial step has shown.
#[derive(Clone, Serialize)]
struct FirstStep {
    /// Largest speed of a free particle or body [m/s].
    speed: f32,
    /// The object that it belongs to.
    object: String,
    /// Whether it was thrown: nothing in the scene makes things that fast within a step.
    thrown: bool,
}

pub fn check(args: &CheckArgs) -> Result<(), Failure> {
    let settings: Vec<Setting> = args.overrides.sets.iter().map(|s| Setting::set(s)).collect();
    let loaded = LoadedScene::new(&args.scene, &settings, &args.overrides)?;
    let run = RunArgs::default();
    check_size(run.video, &loaded.scene.output)?;
    let start = Instant::now();
    let before = memory::reset_peak();
    let mut sim = loaded.simulation(1, args.processor.backend()?)?;
    let build_ms = start.elapsed().as_secs_f64() * 1e3;
    let (first_step, step_ms) = try_steps(&mut sim)?;
    let peak_bytes = memory::peak() - before;
    // What a run would refuse is refused here.
    PreparedOutputs::new(&run, &loaded.scene, &sim)?;
    FoamOutput::new(&run, &loaded.scene, &sim)?;
    let thrown = first_step.as_ref().filter(|first| first.thrown).map(|first| {
        format!(
            "the first step throws {:?} at {:.0} m/s: look for objects that overlap, attachments far apart, or large \
             forces; a smaller --dt shows which",
            first.object, first.speed
        )
    });
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
        peak_bytes,
        device_bytes: gpu::device_bytes(&sim),
        build_ms,
        frames,
        steps_per_frame: timing.steps_per_frame,
        substeps: model.settings.substeps,
        first_step,
        frame_ms: step_ms.map(|ms| ms * timing.steps_per_frame as f64),
        seconds: frames as f64 * timing.frame_seconds,
        notes: model.notes.iter().cloned().chain(thrown).collect(),
    };
    if args.json { stdout::json(&findings) } else { stdout::text(&human(&findings, &args.scene)) }
}

/// Runs two steps, as the size of neighbor lists is known only then: what the first one does, and what the second one takes
/// [ms]. A scene that diverges in them is refused as a run of it is.
fn try_steps(sim: &mut World) -> Result<(Option<FirstStep>, Option<f64>), Failure> {
    let step = |sim: &mut World| -> Result<f64, Failure> {
        let start = Instant::now();
        sim.step()?;
        sim.sync()?;
        Ok(start.elapsed().as_secs_f64() * 1e3)
    };
    let before = fastest(sim).map_or(0.0, |(speed, _)| speed);
    step(sim)?;
    let first = fastest(sim).map(|(speed, object)| {
        let settings = &sim.model().settings;
        let expected = before + settings.gravity.length() * settings.dt;
        FirstStep { speed, object, thrown: speed - before > THROWN.max(20.0 * expected) }
    });
    Ok((first, Some(step(sim)?)))
}

/// Gain of speed in one step from which on something was thrown [m/s].
const THROWN: f32 = 50.0;

/// The fastest free particle or rigid body: its speed [m/s] and object.
fn fastest(sim: &World) -> Option<(f32, String)> {
    let (model, state) = (sim.model(), sim.state());
    let speed = |v: [f32; 4]| Vec3::from_slice(&v[..3]).length();
    let free = (0..state.particles).filter(|&i| state.rows[i][3] > 0.0);
    let particles = free.map(|i| (speed(state.velocities[i]), model.topology.objects[i]));
    let bodies = model.rigid_bodies.bodies.iter().zip(&state.rigid_bodies.bodies);
    let bodies = bodies.map(|(params, body)| (body.velocity.length() as f32, params.object));
    let (speed, object) = particles.chain(bodies).max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some((speed, model.topology.object_names[object as usize].clone()))
}

fn human(f: &CheckReport, spec: &str) -> String {
    let unstable = f.first_step.as_ref().is_some_and(|first| first.thrown);
    let mut text = format!("{}: valid{}\n", f.scene, if unstable { ", but unstable from its first step" } else { "" });
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
    let building = format!("{} while it is built", formatting::size(f.peak_bytes));
    rows.push(vec!["memory".into(), formatting::size(f.bytes), building]);
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
    if let Some(first) = &f.first_step {
        text.push_str(&format!("After the first step the fastest is {:?}, {:.3} m/s\n", first.object, first.speed));
    }
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
