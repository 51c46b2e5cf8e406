//! Spray, foam and bubbles of a run: followed at every frame, whichever frames are written.

use crate::args::{Format, RunArgs};
use crate::out;
use crate::failure::Failure;
use pliant::scene::Scene;
use pliant::{Simulation, Threads};
use pliant_foam::{Fleck, Foam, Tally};
use serde::Serialize;
use std::time::Instant;

/// The flecks of a run, and what became of them.
pub struct Flecks {
    foam: Foam,
    threads: Threads,
    /// After the last frame.
    pub tally: Tally,
    made: u64,
    left_out: u64,
    frames: u64,
    seconds: f64,
    quiet: bool,
}

/// The summary; its fields are keys of `run.json`.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FoamSummary {
    /// Time to follow the liquid, per frame [ms].
    ms_per_frame: f64,
    /// Flecks that were made in all.
    made: u64,
    /// Those that there was no room for.
    left_out: u64,
    /// At the end.
    spray: usize,
    foam: usize,
    bubbles: usize,
}

impl Flecks {
    /// None where nobody has asked for it, or there is no liquid.
    pub fn new(args: &RunArgs, scene: &Scene, sim: &Simulation) -> Result<Option<Self>, Failure> {
        let asked = args.foam || args.format.contains(&Format::Foam);
        let spec = scene.output.foam.or_else(|| asked.then(Default::default));
        let Some(foam) = spec.and_then(|spec| Foam::of(sim, &spec)) else { return Ok(None) };
        let threads =
            Threads::new(args.threads).map_err(|e| Failure::resource(format!("cannot start threads: {e}")))?;
        let (tally, quiet) = (Tally::default(), args.quiet);
        Ok(Some(Self { foam, threads, tally, made: 0, left_out: 0, frames: 0, seconds: 0.0, quiet }))
    }

    /// Goes on to the simulation's frame.
    pub fn follow(&mut self, sim: &Simulation) {
        let start = Instant::now();
        self.tally = self.foam.follow(&self.threads, sim);
        self.seconds += start.elapsed().as_secs_f64();
        self.frames += 1;
        if self.tally.refused > 0 && self.left_out == 0 && !self.quiet {
            let most = self.foam.settings().most;
            let what = format!("note: at {:.2} s foam has reached output.foam.most, {most} flecks", sim.time());
            out::note(&format!("{what}; from now on fewer are made"));
        }
        self.made += self.tally.born as u64;
        self.left_out += self.tally.refused;
    }

    /// All that there are.
    pub fn flecks(&self) -> &[Fleck] {
        self.foam.flecks()
    }

    /// At the end of the run.
    pub fn summary(&self) -> FoamSummary {
        let Tally { spray, foam, bubbles, .. } = self.tally;
        let ms_per_frame = self.seconds * 1e3 / self.frames.max(1) as f64;
        FoamSummary { ms_per_frame, made: self.made, left_out: self.left_out, spray, foam, bubbles }
    }
}

impl FoamSummary {
    /// A line for people.
    pub fn human(&self) -> String {
        let left_out = match self.left_out {
            0 => String::new(),
            n => format!(", {} left out for want of room (output.foam.most)", out::grouped(n as usize)),
        };
        let made = out::grouped(self.made as usize);
        format!("foam: {:.2} ms per frame, {made} flecks made{left_out}\n", self.ms_per_frame)
    }
}
