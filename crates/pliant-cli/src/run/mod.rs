//! `pliant run`: steps a scene on this thread while another thread writes the frames.
//!
//! Times in the summary are those of the steps, without measurements, rendering and output.

mod checkpoint;
mod end;
pub mod foam;
mod folder;
mod lock;
mod output_settings;
pub mod outputs;
mod stats;
mod summary;
pub mod timing;
pub mod video;

use crate::args::{GeometryFormat, RunArgs};
use crate::failure::{Exit, Failure};
use crate::interrupt::{self, interrupted};
use crate::progress::Progress;
use crate::scene_loader::{LoadedScene, Setting};
use crate::stderr;
use crate::stdout;
#[cfg(feature = "view")]
pub use checkpoint::snapshot_in;
use checkpoint::{Checkpoint, Checkpoints};
use end::RunEnd;
use foam::FoamOutput;
use folder::OutputFolder;
use output_settings::OutputSettings;
use outputs::{Outputs, PreparedOutputs};
use pliant::{StepError, World};
use stats::{FrameTimes, Stats};
use std::time::Instant;
use summary::Summary;
use timing::FrameTiming;
use video::check_size;

pub fn run(args: &RunArgs) -> Result<(), Failure> {
    interrupt::listen()?;
    let Some(folder) = &args.resume else { return run_from(args, None) };
    // Locked before it is read.
    let folder = OutputFolder::for_resumed_run(folder)?;
    let checkpoint = Checkpoint::read(folder.path())?;
    let args = checkpoint.options(args)?;
    run_from(&args, Some((&checkpoint, folder)))
}

/// Runs a scene from its beginning, or from a checkpoint.
fn run_from(args: &RunArgs, resumed: Option<(&Checkpoint, OutputFolder)>) -> Result<(), Failure> {
    let mut loaded = LoadedScene::new(&args.scene, &scene_settings(args), &args.overrides)?;
    loaded.quiet = args.quiet;
    refuse_liquid_options(args, &loaded)?;
    check_size(args.video, &loaded.scene.output)?;
    let backend = args.processor.backend()?;
    let timing = FrameTiming::of(&loaded.scene);
    let frames = timing.frames(args.frames, args.seconds);
    let (checkpoint, mut folder) = match resumed {
        Some((checkpoint, folder)) => (Some(checkpoint), folder),
        None => {
            let folder = OutputFolder::for_new_run(args.out.as_deref(), &loaded.name, args.force, args.quiet)?;
            (None, folder)
        }
    };
    let mut sim = loaded.simulation(args.threads, backend)?;
    if !args.quiet && checkpoint.is_none() {
        for note in &sim.model().notes {
            stderr::note(&format!("note: {note}"));
        }
    }
    let still = timing.still_frame(&loaded.scene, frames);
    let after = checkpoint.map(Checkpoint::frame);
    let foam = FoamOutput::new(args, &loaded.scene, &sim)?;
    if foam.is_some() && (args.checkpoint.is_some() || checkpoint.is_some()) {
        return Err(Failure::usage("a checkpoint does not keep spray, foam and bubbles")
            .help("run without --checkpoint, or without --foam and output.foam"));
    }
    // The camera of pictures follows from the first frame, so that outputs are prepared before the world is restored.
    let prepared = PreparedOutputs::new(args, &loaded.scene, &sim)?;
    if let Some(checkpoint) = checkpoint {
        checkpoint.restore(&mut sim)?;
    }
    folder.set_aside()?;
    let path = folder.path().to_path_buf();
    let statistics = path.join("stats.csv");
    let stats = match checkpoint {
        Some(checkpoint) => Stats::resume(&statistics, &sim, checkpoint.stats())?,
        None => Stats::create(&statistics, &sim, foam.as_ref().map(|f| f.counts))?,
    };
    let output_settings =
        OutputSettings { args, name: &loaded.name, scene: &loaded.scene, timing, still, folder: &path, after };
    let outputs = Outputs::start(&output_settings, &sim, prepared)?;
    if let Some(last) = after {
        folder.remove_frames_after(last);
    }
    let arguments = checkpoint.map_or_else(|| std::env::args().skip(1).collect(), Checkpoint::arguments);
    let checkpoints = match args.checkpoint {
        Some(interval) => Some(Checkpoints::new(&path, interval, arguments, sim.time())?),
        None => None,
    };
    interrupt::steps_run();

    let progress = Progress::new(frames, "frame", args.quiet);
    let mut runner = Runner { sim: &mut sim, folder, outputs, stats, foam, progress, checkpoints };
    let (end, times) = runner.frames(after, frames, &timing);
    let Runner { folder: _locked, outputs, mut stats, foam, progress, .. } = runner;
    progress.finish();
    // An error of the outputs ends the run, so it is reported first.
    let written = outputs.finish()?;
    let end = end?;
    let mut summary = Summary::new(&loaded.name, &sim, &times, &path);
    summary.residual = stats.take_residuals();
    summary.surfaces = written.surfaces;
    summary.foam = foam.map(|f| f.summary());
    summary.end(&end);
    let text = stdout::to_json(&summary)?;
    pliant_io::write_atomically(&path.join("run.json"), |file| file.write_all(text.as_bytes()))?;
    if args.json {
        stdout::text(&text)?;
    } else if !args.quiet {
        stdout::text(&summary.human(&written, frames, &timing, &args.scene))?;
    }
    match end {
        RunEnd::Done => Ok(()),
        RunEnd::Interrupted => Err(Failure::interrupted()),
        RunEnd::Diverged(failure) => Err(failure),
    }
}

/// Maximum number of steps per GPU submission: enough to hide its overhead, few enough to react to an interrupt.
const GPU_STEPS_PER_SUBMIT: u64 = 64;

struct Runner<'a> {
    sim: &'a mut World,
    outputs: Outputs,
    // After the outputs, which write into it until they are dropped.
    folder: OutputFolder,
    stats: Stats,
    foam: Option<FoamOutput>,
    progress: Progress,
    checkpoints: Option<Checkpoints>,
}

impl Runner<'_> {
    /// Runs all frames behind `after`, or from the first; returns how the run ended and the times of the completed frames.
    fn frames(
        &mut self,
        after: Option<u64>,
        frames: u64,
        timing: &FrameTiming,
    ) -> (Result<RunEnd, Failure>, FrameTimes) {
        let mut total = FrameTimes::default();
        if let Err(failure) = self.begin(after) {
            return (Err(failure), total);
        }
        for frame in after.unwrap_or(0) + 1..=frames {
            match self.frame(timing.steps_per_frame) {
                Ok(Some(times)) => {
                    let written = self.write_frame(frame, &times).and_then(|()| self.keep(frame, frame == frames));
                    match written {
                        Ok(()) => total.add(&times),
                        Err(failure) if failure.exit == Exit::Diverged => {
                            return (Ok(RunEnd::Diverged(failure)), total);
                        }
                        Err(failure) => return (Err(failure), total),
                    }
                }
                Ok(None) => return (Ok(RunEnd::Interrupted), total),
                Err(StepError::Diverged(error)) => return (Ok(RunEnd::Diverged(error.into())), total),
                Err(error) => return (Err(error.into()), total),
            }
            // After the last frame an interrupt has no effect.
            if interrupted() && frame < frames {
                return (Ok(RunEnd::Interrupted), total);
            }
        }
        (Ok(RunEnd::Done), total)
    }

    /// Writes the first frame, with which the run is accepted.
    fn begin(&mut self, after: Option<u64>) -> Result<(), Failure> {
        if after.is_none() {
            self.write_frame(0, &FrameTimes::default())?;
            self.outputs.flush()?;
        }
        self.folder.accept();
        Ok(())
    }

    /// Runs one frame and reads its state back; `None` if it was interrupted between two steps.
    fn frame(&mut self, steps: u64) -> Result<Option<FrameTimes>, StepError> {
        let per_submit = if self.sim.backend() == "gpu" { GPU_STEPS_PER_SUBMIT } else { 1 };
        self.sim.take_times();
        let start = Instant::now();
        let mut done = 0;
        while done < steps {
            if done > 0 && interrupted() {
                // The summary reads the state; a lost GPU has to be reported before.
                self.sim.sync()?;
                return Ok(None);
            }
            let count = per_submit.min(steps - done);
            self.sim.advance(count as u32)?;
            self.sim.wait()?;
            done += count;
        }
        let times = FrameTimes::new(start.elapsed(), &self.sim.take_times());
        self.sim.sync()?;
        Ok(Some(times))
    }

    /// Writes a checkpoint after a frame, if one is due.
    fn keep(&mut self, frame: u64, last: bool) -> Result<(), Failure> {
        let Some(checkpoints) = &mut self.checkpoints else { return Ok(()) };
        if !last && !checkpoints.is_due(self.sim.time()) {
            return Ok(());
        }
        self.outputs.flush()?;
        checkpoints.write(self.sim, frame, self.stats.length())
    }

    fn write_frame(&mut self, frame: u64, times: &FrameTimes) -> Result<(), Failure> {
        if let Some(foam) = &mut self.foam {
            foam.update(self.sim);
        }
        self.stats.write(frame, times, self.sim, self.foam.as_ref().map(|f| f.counts))?;
        self.outputs.push(frame, self.sim, self.foam.as_ref().map_or(&[], |f| f.particles()))?;
        self.progress.at(frame);
        Ok(())
    }
}

/// Refuses options for liquids on a scene without liquids, before any file is written or removed.
fn refuse_liquid_options(args: &RunArgs, loaded: &LoadedScene) -> Result<(), Failure> {
    let options = [
        ("--format surface", args.format.contains(&GeometryFormat::Surface)),
        ("--format foam", args.format.contains(&GeometryFormat::Foam)),
        ("--liquid", args.liquid.is_some()),
        ("--foam", args.foam),
    ];
    let Some((option, _)) = options.into_iter().find(|(_, given)| *given && loaded.scene.liquid.is_empty()) else {
        return Ok(());
    };
    Err(Failure::usage(format!("{option} is about liquids, but scene {:?} has none", loaded.name))
        .help("add a [[liquid]], or leave the option out; `pliant run dam` has one"))
}

fn scene_settings(args: &RunArgs) -> Vec<Setting> {
    let mut all: Vec<Setting> = args.overrides.sets.iter().map(|s| Setting::set(s)).collect();
    for (option, value) in [("method", &args.method), ("integrator", &args.integrator)] {
        all.extend(value.as_ref().map(|v| Setting::shortcut(option, &format!("solver.{option}"), v)));
    }
    all.extend(args.solver.iter().flat_map(|s| s.settings("solver")));
    for (option, value) in [("iterations", args.iterations), ("substeps", args.substeps)] {
        all.extend(value.map(|v| Setting::shortcut(option, &format!("solver.{option}"), v)));
    }
    all.extend(args.dt.map(|dt| Setting::shortcut("dt", "solver.dt", dt)));
    all
}
