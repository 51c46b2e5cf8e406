//! `pliant run`: steps a scene on this thread while another writes what was already simulated.
//!
//! Times in the summary are those of the steps alone: measuring, drawing and writing are not in them.

mod foam;
mod outputs;
mod stats;
mod summary;
mod video;

use crate::args::{Format, RunArgs};
use crate::scene_loader::{Loaded, Setting};
use crate::out;
use crate::progress::Progress;
use crate::failure::Failure;
use foam::Flecks;
use outputs::{Outputs, Plan};
use pliant::scene::Scene;
use pliant::{Diverged, Simulation, StepError};
use stats::{FrameTimes, Stats};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use summary::Summary;

pub fn run(args: &RunArgs) -> Result<(), Failure> {
    let loaded = Loaded::new(&args.scene, &settings(args), args.overrides.models.as_deref())?;
    refuse_dry(args, &loaded)?;
    let length = Length::of(&loaded.scene);
    let frames = length.frames(args.frames, args.seconds);
    let mut sim = loaded.simulation(args.threads, args.processor.backend()?)?;
    if !args.quiet {
        for note in &sim.model().notes {
            out::note(&format!("note: {note}"));
        }
    }
    let folder = args.out.clone().unwrap_or_else(|| PathBuf::from("out").join(&loaded.name));
    let still = loaded.scene.output.still.map_or(frames * 2 / 3, |t| length.frame_at(f64::from(t)).min(frames));
    let plan = Plan { args, name: &loaded.name, scene: &loaded.scene, length, still, folder: &folder };
    let outputs = Outputs::start(&plan, &sim)?;
    let foam = Flecks::new(args, &loaded.scene, &sim)?;
    let stats = Stats::create(&folder.join("stats.csv"), &sim, foam.as_ref().map(|f| f.tally))?;
    listen_for_interrupts()?;

    let progress = Progress::new(frames, "frame", args.quiet);
    let mut runner = Runner { sim: &mut sim, outputs, stats, foam, progress };
    let (end, times) = runner.frames(frames, &length);
    let Runner { outputs, mut stats, foam, progress, .. } = runner;
    progress.finish();
    // An output that failed is the cause of a run that ended early, so it is reported first.
    let written = outputs.finish()?;
    let end = end?;
    let mut summary = Summary::new(&loaded.name, &sim, &times, &folder);
    summary.residual = stats.take_residuals();
    summary.surfaces = written.surfaces;
    summary.foam = foam.map(|f| f.summary());
    summary.end(&end);
    let text = out::pretty(&summary)?;
    pliant_io::write_atomically(&folder.join("run.json"), |file| file.write_all(text.as_bytes()))?;
    if args.json {
        out::text(&text)?;
    } else if !args.quiet {
        out::text(&summary.human(&written, frames, &length, &args.scene))?;
    }
    match end {
        End::Done => Ok(()),
        End::Interrupted => Err(Failure::interrupted()),
        End::Diverged(error) => Err(error.into()),
    }
}

/// How a run ended.
#[derive(Debug)]
pub enum End {
    /// All frames are there.
    Done,
    /// The user stopped it.
    Interrupted,
    /// The simulation ran away.
    Diverged(Diverged),
}

/// How frames divide time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Length {
    /// Steps per frame: the nearest to 1/fps that is a whole number, at least one.
    pub steps_per_frame: u64,
    /// Simulated time of a frame [s].
    pub frame_seconds: f64,
    /// Length that the scene asks for [s].
    seconds: f64,
}

impl Length {
    /// As the scene says.
    pub fn of(scene: &Scene) -> Self {
        // By way of decimal digits, so that a step of 0.01 s is that and not the 0.0099999998 of an f32.
        let exact = |v: f32| v.to_string().parse::<f64>().unwrap_or(f64::from(v));
        let (dt, fps) = (exact(scene.solver.dt), exact(scene.output.fps));
        let steps_per_frame = (1.0 / (fps * dt)).round().max(1.0) as u64;
        Self { steps_per_frame, frame_seconds: steps_per_frame as f64 * dt, seconds: exact(scene.output.seconds) }
    }

    /// Frames of a run: so many, or so many seconds, or as the scene says.
    pub fn frames(&self, frames: Option<u64>, seconds: Option<f64>) -> u64 {
        frames.unwrap_or_else(|| self.frame_at(seconds.unwrap_or(self.seconds)).max(1))
    }

    fn frame_at(&self, time: f64) -> u64 {
        (time / self.frame_seconds).round() as u64
    }
}

/// Steps that a GPU gets at once, at most: enough to hide what a submission costs, few enough for an interrupt to
/// be heard.
const GPU_STEPS: u64 = 64;

struct Runner<'a> {
    sim: &'a mut Simulation,
    outputs: Outputs,
    stats: Stats,
    foam: Option<Flecks>,
    progress: Progress,
}

impl Runner<'_> {
    /// Runs all frames; returns how it ended and the times of the frames that are finished.
    fn frames(&mut self, frames: u64, length: &Length) -> (Result<End, Failure>, FrameTimes) {
        let mut total = FrameTimes::default();
        if let Err(failure) = self.keep(0, &FrameTimes::default()) {
            return (Err(failure), total);
        }
        for frame in 1..=frames {
            match self.frame(length.steps_per_frame) {
                Ok(Some(times)) => {
                    total.add(&times);
                    if let Err(failure) = self.keep(frame, &times) {
                        return (Err(failure), total);
                    }
                }
                Ok(None) => return (Ok(End::Interrupted), total),
                Err(StepError::Diverged(error)) => return (Ok(End::Diverged(error)), total),
                #[cfg(feature = "gpu")]
                Err(error) => return (Err(error.into()), total),
            }
            // The last frame needs nothing more, so an interrupt that comes now changes nothing.
            if interrupted() && frame < frames {
                return (Ok(End::Interrupted), total);
            }
        }
        (Ok(End::Done), total)
    }

    /// One frame, and its state on the host; `None` if it was interrupted between two steps.
    fn frame(&mut self, steps: u64) -> Result<Option<FrameTimes>, StepError> {
        let at_once = if self.sim.backend() == "gpu" { GPU_STEPS } else { 1 };
        self.sim.take_times();
        let start = Instant::now();
        let mut done = 0;
        while done < steps {
            if done > 0 && interrupted() {
                // The summary looks at the state, which must not be the first to find out that a GPU is lost.
                self.sim.sync()?;
                return Ok(None);
            }
            let count = at_once.min(steps - done);
            self.sim.advance(count as u32)?;
            self.sim.wait()?;
            done += count;
        }
        let times = FrameTimes::new(start.elapsed(), &self.sim.take_times());
        self.sim.sync()?;
        Ok(Some(times))
    }

    fn keep(&mut self, frame: u64, times: &FrameTimes) -> Result<(), Failure> {
        if let Some(foam) = &mut self.foam {
            foam.follow(self.sim);
        }
        self.stats.write(frame, times, self.sim, self.foam.as_ref().map(|f| f.tally))?;
        self.outputs.push(frame, self.sim, self.foam.as_ref().map_or(&[], |f| f.flecks()))?;
        self.progress.at(frame);
        Ok(())
    }
}

/// Nothing is written, and nothing of an earlier run removed, if surfaces or foam are asked of a scene without liquids.
fn refuse_dry(args: &RunArgs, loaded: &Loaded) -> Result<(), Failure> {
    let asked = [
        ("--format surface", args.format.contains(&Format::Surface)),
        ("--format foam", args.format.contains(&Format::Foam)),
        ("--liquid", args.liquid.is_some()),
        ("--foam", args.foam),
    ];
    let Some((option, _)) = asked.into_iter().find(|(_, asked)| *asked && loaded.scene.liquid.is_empty()) else {
        return Ok(());
    };
    Err(Failure::usage(format!("{option} is about liquids, but scene {:?} has none", loaded.name))
        .help("add a [[liquid]], or leave the option out; `pliant run dam` has one"))
}

fn settings(args: &RunArgs) -> Vec<Setting> {
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

static INTERRUPTED: OnceLock<AtomicBool> = OnceLock::new();

fn interrupted() -> bool {
    INTERRUPTED.get().is_some_and(|flag| flag.load(Ordering::Relaxed))
}

/// The first interrupt asks the run to end after the current step, the second ends the process.
fn listen_for_interrupts() -> Result<(), Failure> {
    let flag = INTERRUPTED.get_or_init(AtomicBool::default);
    let listen = ctrlc::set_handler(|| {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        out::note("interrupted: closing files; press Ctrl-C again to stop at once");
    });
    listen.map_err(|e| Failure::resource(format!("cannot listen for Ctrl-C: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene(dt: f32, fps: f32, seconds: f32) -> Scene {
        let mut scene = Scene::default();
        (scene.solver.dt, scene.output.fps, scene.output.seconds) = (dt, fps, seconds);
        scene
    }

    #[test]
    fn a_frame_is_the_nearest_whole_number_of_steps() {
        // 1/(50·0.01) = 2; 1/(50·0.006) = 3.33; 1/(50·10) < 1.
        for (dt, steps) in [(0.01, 2), (0.006, 3), (10.0, 1)] {
            assert_eq!(Length::of(&scene(dt, 50.0, 5.0)).steps_per_frame, steps, "dt {dt}");
        }
    }

    #[test]
    fn a_run_has_the_frames_that_were_asked_for() {
        let length = Length::of(&scene(0.01, 50.0, 6.0));
        assert_eq!(length.frames(None, None), 300);
        assert_eq!(length.frames(Some(7), None), 7);
        assert_eq!(length.frames(None, Some(0.1)), 5);
        assert_eq!(length.frames(None, Some(1e-9)), 1);
    }
}
