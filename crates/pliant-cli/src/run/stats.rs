//! `stats.csv`: times, energies, momenta, contacts and residuals, one line per frame.
//!
//! Each line is one write, so that the file is valid if the program is killed.

use crate::failure::Failure;
use pliant::World;
use pliant::schedule::Stage;
use pliant::schedule::stats::{Residuals, Times};
use pliant_foam::FoamCounts;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{ErrorKind, Seek, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Start of the header, which identifies a statistics file of this program.
pub const CSV_SIGNATURE: &str = "frame,time,step_ms,";

/// Wall times of one or more frames [ms].
#[derive(Clone, Copy, Debug, Default)]
pub struct FrameTimes {
    /// Number of frames.
    pub frames: u64,
    /// All steps.
    pub steps: f64,
    /// By stage.
    pub stages: [f64; Stage::ALL.len()],
}

impl FrameTimes {
    /// Times of one frame.
    pub fn new(steps: Duration, times: &Times) -> Self {
        Self { frames: 1, steps: steps.as_secs_f64() * 1e3, stages: times.stages.map(|s| s * 1e3) }
    }

    /// Adds more frames.
    pub fn add(&mut self, other: &Self) {
        self.frames += other.frames;
        self.steps += other.steps;
        for (sum, t) in self.stages.iter_mut().zip(other.stages) {
            *sum += t;
        }
    }
}

/// Writes `stats.csv`.
pub struct Stats {
    path: PathBuf,
    file: File,
    /// Names of the columns.
    header: String,
    kinds: Vec<&'static str>,
    residuals: Residuals,
    /// Kinds of elements of the bodies that descent solves.
    elements: Vec<&'static str>,
    /// Number of drained particles at the last frame; `None` without drains.
    drained: Option<u64>,
    /// Whether stages are timed; a GPU would have to synchronize after each stage.
    staged: bool,
    /// Bytes written so far.
    length: u64,
}

impl Stats {
    /// Creates the file and writes the header, with columns for spray, foam and bubbles if `foam` is given.
    pub fn create(path: &Path, sim: &World, foam: Option<FoamCounts>) -> Result<Self, Failure> {
        let file = File::create_new(path).map_err(|e| match e.kind() {
            ErrorKind::AlreadyExists => Failure::new(format!("{} is there, and is not of a run", path.display()))
                .help("move it away, or give another folder with --out"),
            _ => cannot_write(path, &e),
        })?;
        let mut stats = Self::new(path, file, sim, foam);
        let header = format!("{}\n", stats.header);
        stats.write_text(&header)?;
        Ok(stats)
    }

    /// Goes on with a file that an earlier run has written up to `length` bytes.
    pub fn resume(path: &Path, sim: &World, length: u64) -> Result<Self, Failure> {
        let found = fs::symlink_metadata(path).map_err(|e| cannot_write(path, &e))?;
        if !found.is_file() || found.len() < length {
            return Err(Failure::new(format!("{} is not what the run has written", path.display()))
                .help("run the scene from its beginning"));
        }
        let mut file = File::options().write(true).open(path).map_err(|e| cannot_write(path, &e))?;
        let kept = file.set_len(length).and_then(|()| file.seek(SeekFrom::End(0)));
        kept.map_err(|e| cannot_write(path, &e))?;
        Ok(Self { length, ..Self::new(path, file, sim, None) })
    }

    fn new(path: &Path, file: File, sim: &World, foam: Option<FoamCounts>) -> Self {
        let kinds: Vec<&'static str> = sim.residuals().into_keys().collect();
        let mut header = CSV_SIGNATURE.to_owned();
        header.push_str(&Stage::ALL.map(Stage::name).join(","));
        header.push_str(",kinetic,gravitational,elastic");
        for vector in ["linear", "angular", "center"] {
            let _ = write!(header, ",{vector}_x,{vector}_y,{vector}_z");
        }
        header.push_str(",contacts");
        let drained = (!sim.model().drains.is_empty()).then_some(sim.state().drained);
        if drained.is_some() {
            header.push_str(",drained");
        }
        for kind in &kinds {
            let _ = write!(header, ",residual_{kind}_mean,residual_{kind}_max");
        }
        let elements = elements(sim);
        for kind in &elements {
            let _ = write!(header, ",imbalance_{kind}");
        }
        if sim.model().fluid.is_some() {
            header.push_str(",pressure_mean,pressure_max,volume,mixing");
        }
        if foam.is_some() {
            header.push_str(",spray,foam,bubbles");
        }
        let (path, residuals, staged) = (path.into(), Residuals::new(), sim.backend() == "cpu");
        Self { path, file, header, kinds, residuals, elements, drained, staged, length: 0 }
    }

    /// Bytes written so far.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Adds the line of a frame.
    pub fn write(
        &mut self,
        frame: u64,
        times: &FrameTimes,
        sim: &World,
        foam: Option<FoamCounts>,
    ) -> Result<(), Failure> {
        let probe = sim.probe();
        let (residuals, liquids) = sim.measure();
        self.residuals = residuals;
        let mut line = format!("{frame},{:.6},{:.4}", sim.time(), times.steps);
        for stage in times.stages {
            let _ = if self.staged { write!(line, ",{stage:.4}") } else { write!(line, ",") };
        }
        let energies = [probe.kinetic, probe.gravitational, probe.elastic];
        for value in energies.into_iter().chain(probe.linear).chain(probe.angular).chain(probe.center) {
            let _ = write!(line, ",{value:.9e}");
        }
        let _ = write!(line, ",{}", probe.contacts);
        if let Some(before) = &mut self.drained {
            let now = sim.state().drained;
            let _ = write!(line, ",{}", now - std::mem::replace(before, now));
        }
        for kind in &self.kinds {
            let r = self.residuals.get(kind).copied().unwrap_or_default();
            let _ = write!(line, ",{:.6e},{:.6e}", r.mean, r.max);
        }
        let found = if self.elements.is_empty() { Default::default() } else { sim.imbalances() };
        for kind in &self.elements {
            let _ = match found.get(kind) {
                Some(i) => write!(line, ",{:.6e}", i.max),
                None => write!(line, ","),
            };
        }
        if let Some(l) = liquids {
            let _ = write!(line, ",{:.6e},{:.6e},{:.6e},{:.4}", l.pressure_mean, l.pressure_max, l.volume, l.mixing);
        }
        if let Some(FoamCounts { spray, foam, bubbles, .. }) = foam {
            let _ = write!(line, ",{spray},{foam},{bubbles}");
        }
        if let Some(column) = not_finite(&self.header, &line) {
            return Err(Failure::diverged(format!("the simulation diverged: {column} is not finite at frame {frame}")));
        }
        line.push('\n');
        self.write_text(&line)
    }

    /// Residuals of the last frame.
    pub fn take_residuals(&mut self) -> Residuals {
        std::mem::take(&mut self.residuals)
    }

    fn write_text(&mut self, text: &str) -> Result<(), Failure> {
        self.length += text.len() as u64;
        self.file.write_all(text.as_bytes()).map_err(|e| cannot_write(&self.path, &e))
    }
}

/// Kinds of elements of the bodies that descent solves.
fn elements(sim: &World) -> Vec<&'static str> {
    let kinds = sim.model().bodies.iter().flat_map(|body| body.elements.iter().map(|e| e.kind.name()));
    kinds.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
}

/// The column of the first cell that is infinite or no number.
fn not_finite<'a>(header: &'a str, line: &str) -> Option<&'a str> {
    let bad = |cell: &str| cell.contains("inf") || cell.contains("NaN");
    header.split(',').zip(line.split(',')).find(|(_, cell)| bad(cell)).map(|(name, _)| name)
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::io(&format!("cannot write {}", path.display()), error)
}
