//! Spray, foam and bubbles of a run, updated every frame, including frames that are not written.

use crate::args::{GeometryFormat, RunArgs};
use crate::failure::Failure;
use crate::formatting;
use crate::stderr;
use pliant::scene::Scene;
use pliant::{Threads, World};
use pliant_foam::{DiffuseParticle, Foam, FoamCounts};
use serde::Serialize;
use std::time::Instant;

/// Diffuse particles of a run and their statistics.
pub struct FoamOutput {
    foam: Foam,
    threads: Threads,
    /// Counts after the last frame.
    pub counts: FoamCounts,
    made: u64,
    left_out: u64,
    frames: u64,
    seconds: f64,
    quiet: bool,
}

/// The summary; its fields are keys of `run.json`.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FoamSummary {
    /// Time per frame [ms].
    ms_per_frame: f64,
    /// Total number of generated particles.
    made: u64,
    /// Number of particles rejected by output.foam.most.
    left_out: u64,
    /// Counts at the end of the run.
    spray: usize,
    foam: usize,
    bubbles: usize,
}

impl FoamOutput {
    /// `None` if foam was not requested, or for a scene without liquid.
    pub fn new(args: &RunArgs, scene: &Scene, sim: &World) -> Result<Option<Self>, Failure> {
        let asked = args.foam || args.format.contains(&GeometryFormat::Foam);
        let spec = scene.output.foam.or_else(|| asked.then(Default::default));
        let Some(foam) = spec.and_then(|spec| Foam::for_simulation(sim, &spec)) else { return Ok(None) };
        let threads =
            Threads::new(args.threads).map_err(|e| Failure::resource(format!("cannot start threads: {e}")))?;
        let (counts, quiet) = (FoamCounts::default(), args.quiet);
        Ok(Some(Self { foam, threads, counts, made: 0, left_out: 0, frames: 0, seconds: 0.0, quiet }))
    }

    /// Advances to the current time of the simulation.
    pub fn update(&mut self, sim: &World) {
        let start = Instant::now();
        self.counts = self.foam.update(&self.threads, sim);
        self.seconds += start.elapsed().as_secs_f64();
        self.frames += 1;
        if self.counts.rejected > 0 && self.left_out == 0 && !self.quiet {
            let most = self.foam.settings().most;
            let what = format!("note: at {:.2} s foam has reached output.foam.most, {most} particles", sim.time());
            stderr::note(&format!("{what}; from now on fewer are generated"));
        }
        self.made += self.counts.generated as u64;
        self.left_out += self.counts.rejected;
    }

    /// All diffuse particles.
    pub fn particles(&self) -> &[DiffuseParticle] {
        self.foam.particles()
    }

    /// Summary at the end of the run.
    pub fn summary(&self) -> FoamSummary {
        let FoamCounts { spray, foam, bubbles, .. } = self.counts;
        let ms_per_frame = self.seconds * 1e3 / self.frames.max(1) as f64;
        FoamSummary { ms_per_frame, made: self.made, left_out: self.left_out, spray, foam, bubbles }
    }
}

impl FoamSummary {
    /// One line of text.
    pub fn human(&self) -> String {
        let left_out = match self.left_out {
            0 => String::new(),
            n => format!(", {} rejected (output.foam.most)", formatting::grouped(n as usize)),
        };
        let made = formatting::grouped(self.made as usize);
        format!("foam: {:.2} ms per frame, {made} particles generated{left_out}\n", self.ms_per_frame)
    }
}
