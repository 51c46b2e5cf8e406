//! Summary of a run, as JSON and as text.

use super::end::RunEnd;
use super::foam::FoamSummary;
use super::outputs::{SurfaceTimes, WrittenOutputs};
use super::stats::FrameTimes;
use super::timing::FrameTiming;
use crate::formatting;
use crate::gpu;
use pliant::World;
use pliant::schedule::Stage;
use pliant::schedule::stats::{Counts, Residuals};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The summary; its fields are the keys of `run.json`.
#[derive(Debug, Serialize)]
pub struct Summary {
    scene: String,
    backend: &'static str,
    /// Name of the GPU, if one was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    adapter: Option<String>,
    solver: &'static str,
    /// None on a GPU.
    threads: Option<usize>,
    particles: usize,
    constraints: Counts,
    /// Completed frames.
    frames: u64,
    ms_per_frame: f64,
    /// Empty on a GPU.
    stages: BTreeMap<&'static str, f64>,
    /// Surface reconstruction, not part of the frame time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surfaces: Option<SurfaceTimes>,
    /// Spray, foam and bubbles of liquids.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub foam: Option<FoamSummary>,
    /// After the last completed frame.
    pub residual: Residuals,
    /// Hash of the final state; none if the simulation diverged.
    hash: Option<String>,
    out: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    interrupted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    diverged: Option<String>,
}

impl Summary {
    /// From the simulation after its last step.
    pub fn new(name: &str, sim: &World, times: &FrameTimes, folder: &Path) -> Self {
        let (adapter, on_cpu) = (gpu::adapter(sim), sim.backend() == "cpu");
        let stages = Stage::ALL.iter().zip(times.stages).filter(|_| on_cpu);
        let per_frame = 1.0 / times.frames.max(1) as f64;
        Self {
            scene: name.to_owned(),
            backend: sim.backend(),
            adapter,
            solver: sim.model().settings.partition.name(),
            threads: on_cpu.then(|| sim.threads()),
            particles: sim.particles(),
            constraints: sim.counts(),
            frames: times.frames,
            ms_per_frame: times.steps * per_frame,
            stages: stages.map(|(s, ms)| (s.name(), ms * per_frame)).collect(),
            surfaces: None,
            foam: None,
            residual: Residuals::new(),
            hash: Some(format!("{:016x}", sim.hash())),
            out: folder.display().to_string(),
            interrupted: false,
            diverged: None,
        }
    }

    /// Records how the run ended.
    pub fn end(&mut self, end: &RunEnd) {
        match end {
            RunEnd::Done => {}
            RunEnd::Interrupted => self.interrupted = true,
            RunEnd::Diverged(error) => {
                self.diverged = Some(error.message().to_owned());
                self.hash = None;
            }
        }
    }

    /// The summary as text, with the written files and suggested commands.
    pub fn human(&self, written: &WrittenOutputs, wanted: u64, timing: &FrameTiming, spec: &str) -> String {
        let head = if self.interrupted {
            format!("{}: interrupted, {} of {wanted} frames are finished", self.scene, self.frames)
        } else if self.diverged.is_some() {
            format!("{}: diverged after {} of {wanted} frames, which are kept", self.scene, self.frames)
        } else {
            format!("{}: {} frames", self.scene, self.frames)
        };
        let mut text = format!("{head}, {:.2} s of simulated time\n", self.frames as f64 * timing.frame_seconds);
        let device = formatting::device(self.adapter.as_deref(), self.threads);
        text.push_str(&format!(
            "{} particles, constraints: {}\n{:.2} ms per frame on {device}, solver {}\n",
            formatting::grouped(self.particles),
            formatting::counts(&self.constraints),
            self.ms_per_frame,
            self.solver
        ));
        if let Some(surfaces) = &self.surfaces {
            let triangles = formatting::grouped(surfaces.triangles_per_frame as usize);
            text.push_str(&format!("surfaces: {:.2} ms and {triangles} triangles per frame\n", surfaces.ms_per_frame));
        }
        if let Some(foam) = &self.foam {
            text.push_str(&foam.human());
        }
        text.push_str("\nLook at:\n");
        for file in &written.files {
            text.push_str(&format!("  {}\n", Path::new(&self.out).join(file).display()));
        }
        let try_next = if self.diverged.is_some() {
            format!("pliant run {spec} --substeps 4")
        } else if spec == "flags" {
            format!("{}, pliant scenes, pliant run --help", watching(spec))
        } else {
            format!("{}, pliant bench {spec}, pliant scenes", watching(spec))
        };
        text.push_str(&format!("\nTry next: {try_next}\n"));
        text
    }
}

/// The commands that show a scene while it runs. A build without a window says how to get one.
fn watching(spec: &str) -> String {
    if cfg!(feature = "view") {
        format!("pliant view {spec} (touch it in a window), pliant serve {spec} (in a browser)")
    } else {
        format!(
            "pliant serve {spec} (touch it in a browser; `pliant view` in a window needs a build with --features view)"
        )
    }
}
