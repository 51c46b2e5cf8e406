//! Everything a run writes about its frames, on a thread of its own.
//!
//! Frames go through a channel that holds a few of them and arrive in order. Their memory comes back
//! through a second channel, so that a steady run allocates no frames.

use super::Length;
use super::stats::START;
use super::video::Encoder;
use crate::args::{Format, LiquidLook, RunArgs};
use crate::liquid::Liquids;
use crate::picture::{Moment, Painter};
use crate::failure::Failure;
use glam::Vec3;
use pliant::Simulation;
use pliant::frame::{Frame, Shape};
use pliant::scene::Scene;
use pliant_foam::Fleck;
use pliant_io::{CacheFormat, CacheWriter, FoamFrame, SurfaceFrame, write_atomically, write_foam, write_surface};
use pliant_render::{Image, write_png};
use pliant_surface::SurfaceMesh;
use serde::Serialize;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::Instant;

/// Frames that may wait to be written.
const WAITING: usize = 4;

/// What is to be written.
pub struct Plan<'a> {
    /// The command line.
    pub args: &'a RunArgs,
    /// Name of the scene.
    pub name: &'a str,
    /// The scene.
    pub scene: &'a Scene,
    /// How frames divide time.
    pub length: Length,
    /// Frame of the still picture.
    pub still: u64,
    /// Output folder.
    pub folder: &'a Path,
}

/// What was written, for the summary.
#[derive(Debug, Default)]
pub struct Written {
    /// Names and patterns, most interesting first.
    pub files: Vec<String>,
    /// How surfaces of liquids were made, where they were.
    pub surfaces: Option<SurfaceTimes>,
}

/// What surfaces of liquids took.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct SurfaceTimes {
    /// Frames that have surfaces.
    pub frames: u64,
    /// Time to make them, per frame [ms].
    pub ms_per_frame: f64,
    /// Triangles per frame.
    pub triangles_per_frame: f64,
}

impl SurfaceTimes {
    fn add(&mut self, start: Instant, meshes: &[SurfaceMesh]) {
        let before = self.frames as f64;
        self.frames += 1;
        let mean = |old: f64, new: f64| (old * before + new) / (before + 1.0);
        self.ms_per_frame = mean(self.ms_per_frame, start.elapsed().as_secs_f64() * 1e3);
        let triangles = meshes.iter().map(|m| m.triangles.len()).sum::<usize>();
        self.triangles_per_frame = mean(self.triangles_per_frame, triangles as f64);
    }
}

/// A frame on its way, with what cannot be told from it.
#[derive(Debug, Default)]
struct Parcel {
    frame: Frame,
    /// Densities of liquids, where they are to be shown.
    densities: Vec<f32>,
    /// Spray, foam and bubbles.
    flecks: Vec<Fleck>,
}

impl Parcel {
    fn moment<'a>(&'a self, surfaces: &'a [SurfaceMesh]) -> Moment<'a> {
        Moment { frame: &self.frame, densities: &self.densities, surfaces, flecks: &self.flecks }
    }

    fn write_foam(&self, folder: &Path) -> Result<(), Failure> {
        let path = folder.join(format!("foam_{:05}.ply", self.frame.index));
        let positions: Vec<Vec3> = self.flecks.iter().map(|f| f.position).collect();
        let velocities: Vec<Vec3> = self.flecks.iter().map(|f| f.velocity).collect();
        let ages: Vec<f32> = self.flecks.iter().map(|f| f.age).collect();
        let kinds: Vec<u8> = self.flecks.iter().map(|f| f.kind as u8).collect();
        let (positions, velocities, ages, kinds) = (&positions, &velocities, &ages, &kinds);
        Ok(write_foam(&path, &FoamFrame { time: self.frame.time, positions, velocities, ages, kinds })?)
    }
}

/// Hands frames to the thread that writes them.
pub struct Outputs {
    frames: SyncSender<Parcel>,
    used: Receiver<Parcel>,
    thread: JoinHandle<Result<Written, Failure>>,
    every: u64,
    still: u64,
    with_densities: bool,
}

impl Outputs {
    /// Makes the folder, removes the frames of an earlier run from it and starts the thread.
    pub fn start(plan: &Plan, sim: &Simulation) -> Result<Self, Failure> {
        let args = plan.args;
        fs::create_dir_all(plan.folder)
            .map_err(|e| Failure::io(&format!("cannot make folder {}", plan.folder.display()), &e))?;
        clear(plan.folder);
        let mut first = Frame::default();
        sim.write_frame(&mut first);
        let writer = Writer::new(plan, sim, &first)?;
        let (frames, arriving) = sync_channel(WAITING);
        let (give_back, used) = channel();
        let thread = std::thread::Builder::new().name("pliant-outputs".into());
        let thread = thread
            .spawn(move || writer.run(arriving, give_back))
            .map_err(|e| Failure::resource(format!("cannot start a thread: {e}")))?;
        let with_densities = args.liquid == Some(LiquidLook::Density);
        Ok(Self { frames, used, thread, every: args.every, still: plan.still, with_densities })
    }

    /// Copies a frame of the simulation, if it is one to be written. Waits if too many are on their way.
    pub fn push(&mut self, index: u64, sim: &Simulation, flecks: &[Fleck]) -> Result<(), Failure> {
        if !index.is_multiple_of(self.every) && index != self.still {
            return Ok(());
        }
        let mut parcel = self.used.try_recv().unwrap_or_default();
        sim.write_frame(&mut parcel.frame);
        parcel.frame.index = index;
        parcel.flecks.clear();
        parcel.flecks.extend_from_slice(flecks);
        if self.with_densities {
            parcel.densities = sim.densities();
        }
        // The receiver is gone only if writing failed; `finish` knows why.
        self.frames.send(parcel).map_err(|_| Failure::new("the outputs have stopped"))
    }

    /// Waits until everything is written.
    pub fn finish(self) -> Result<Written, Failure> {
        drop(self.frames);
        self.thread.join().unwrap_or_else(|_| Err(Failure::new("the thread that writes outputs has panicked")))
    }
}

/// The half on the other thread.
struct Writer {
    folder: PathBuf,
    caches: Vec<CacheWriter>,
    formats: Vec<CacheFormat>,
    painter: Painter,
    /// Where surfaces are to be written or shown.
    surfaces: Option<Surfaces>,
    /// Whether spray, foam and bubbles are to be written.
    foam: bool,
    video: Option<Encoder>,
    pictures: bool,
    every: u64,
    still: u64,
    still_done: bool,
}

/// Surfaces of liquids, and what they are for.
struct Surfaces {
    liquids: Liquids,
    written: bool,
    shown: bool,
    times: SurfaceTimes,
}

impl Writer {
    fn new(plan: &Plan, sim: &Simulation, first: &Frame) -> Result<Self, Failure> {
        let shape: &Shape = sim.shape();
        let formats: Vec<CacheFormat> = plan.args.format.iter().filter_map(|f| cache_format(*f)).collect();
        let caches = formats.iter().map(|f| CacheWriter::create(plan.folder, *f, shape)).collect::<Result<_, _>>()?;
        let written = plan.args.format.contains(&Format::Surface);
        let look = plan.args.liquid.unwrap_or(if written { LiquidLook::Surface } else { LiquidLook::Particles });
        let liquids = Liquids::of(plan.scene, sim);
        let painter = Painter::new(plan.scene, sim, first, liquids.as_ref().map(|l| (l, look)))?;
        let shown = look == LiquidLook::Surface;
        let surfaces = liquids.filter(|_| written || shown);
        let surfaces = surfaces.map(|liquids| Surfaces { liquids, written, shown, times: SurfaceTimes::default() });
        Ok(Self {
            folder: plan.folder.into(),
            caches,
            formats,
            painter,
            surfaces,
            foam: plan.args.format.contains(&Format::Foam),
            video: Encoder::start(plan)?,
            pictures: plan.args.picture,
            every: plan.args.every,
            still: plan.still,
            still_done: false,
        })
    }

    fn run(mut self, parcels: Receiver<Parcel>, give_back: Sender<Parcel>) -> Result<Written, Failure> {
        let mut last: Option<Parcel> = None;
        for parcel in parcels {
            if !self.frame(&parcel)? {
                // The encoder knows why it stopped.
                break;
            }
            // The newest frame is kept: a run that ends early takes its still from it.
            if let Some(older) = last.replace(parcel) {
                let _ = give_back.send(older);
            }
        }
        if let Some(parcel) = last.filter(|_| !self.still_done) {
            let shown = self.surfaces.as_ref().is_some_and(|s| s.shown);
            let surfaces = if shown { self.make(&parcel.frame)? } else { Vec::new() };
            let image = self.painter.paint(&parcel.moment(&surfaces));
            self.png("still.png", &image)?;
        }
        let mut files = Vec::new();
        if let Some(video) = self.video {
            files.push(video.finish()?);
        }
        files.push("still.png".into());
        if self.pictures {
            files.push("frame_*.png".into());
        }
        for (cache, format) in self.caches.into_iter().zip(&self.formats) {
            cache.finish()?;
            files.push(if *format == CacheFormat::Vtu { "frames.pvd".into() } else { format!("frame_*.{format}") });
        }
        if let Some(Surfaces { liquids, written: true, .. }) = &self.surfaces {
            files.extend(liquids.kinds.iter().map(|k| format!("surface_{}_*.ply", k.name)));
        }
        if self.foam {
            files.push("foam_*.ply".into());
        }
        files.extend(["stats.csv".into(), "run.json".into()]);
        Ok(Written { files, surfaces: self.surfaces.map(|s| s.times) })
    }

    /// Surfaces of a frame's liquids.
    fn make(&mut self, frame: &Frame) -> Result<Vec<SurfaceMesh>, Failure> {
        let Some(surfaces) = &mut self.surfaces else { return Ok(Vec::new()) };
        let start = Instant::now();
        let meshes = surfaces.liquids.surfaces(frame)?;
        surfaces.times.add(start, &meshes);
        Ok(meshes)
    }

    fn write_surfaces(&self, frame: &Frame, meshes: &[SurfaceMesh]) -> Result<(), Failure> {
        let kinds = self.surfaces.iter().flat_map(|s| &s.liquids.kinds);
        for (kind, SurfaceMesh { positions, normals, triangles }) in kinds.zip(meshes) {
            let path = self.folder.join(format!("surface_{}_{:05}.ply", kind.name, frame.index));
            write_surface(&path, &SurfaceFrame { time: frame.time, positions, normals, triangles })?;
        }
        Ok(())
    }

    /// Writes one frame; false if the video cannot go on.
    fn frame(&mut self, parcel: &Parcel) -> Result<bool, Failure> {
        let frame = &parcel.frame;
        let (kept, still) = (frame.index.is_multiple_of(self.every), frame.index == self.still);
        let painted = still || kept && (self.pictures || self.video.is_some());
        let (written, shown) =
            self.surfaces.as_ref().map_or((false, false), |s| (s.written && kept, s.shown && painted));
        let surfaces = if written || shown { self.make(frame)? } else { Vec::new() };
        if kept {
            for cache in &mut self.caches {
                cache.write(frame)?;
            }
        }
        if written {
            self.write_surfaces(frame, &surfaces)?;
        }
        if kept && self.foam {
            parcel.write_foam(&self.folder)?;
        }
        if !painted {
            return Ok(true);
        }
        let image = self.painter.paint(&parcel.moment(&surfaces));
        if still {
            self.png("still.png", &image)?;
            self.still_done = true;
        }
        if kept && self.pictures {
            self.png(&format!("frame_{:05}.png", frame.index), &image)?;
        }
        Ok(self.video.as_ref().filter(|_| kept).is_none_or(|video| video.push(image)))
    }

    fn png(&self, name: &str, image: &Image) -> Result<(), Failure> {
        let bytes = write_png(image)?;
        Ok(write_atomically(&self.folder.join(name), |file| file.write_all(&bytes))?)
    }
}

fn cache_format(format: Format) -> Option<CacheFormat> {
    match format {
        Format::Ply => Some(CacheFormat::Ply),
        Format::Vtu => Some(CacheFormat::Vtu),
        Format::Npz => Some(CacheFormat::Npz),
        Format::Obj => Some(CacheFormat::Obj),
        Format::Surface | Format::Foam | Format::None => None,
    }
}

/// Removes the frames and the summary of an earlier run, which would pass for this run's.
///
/// Only in a folder that holds our statistics, and only names that we give. What cannot be removed stays.
fn clear(folder: &Path) {
    let stats = folder.join("stats.csv");
    let mut start = [0; START.len()];
    let ours = fs::metadata(&stats).is_ok_and(|m| m.is_file())
        && fs::File::open(&stats).and_then(|mut f| f.read_exact(&mut start)).is_ok()
        && start == START.as_bytes();
    if !ours {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(|n| n == "run.json" || n == "still.png" || n == "frames.pvd" || is_frame(n)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// `frame_00042.ply` and its like, `surface_water_00042.ply` and `foam_00042.ply`.
fn is_frame(name: &str) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let (number, known) = if let Some((_, number)) = stem.strip_prefix("surface_").and_then(|s| s.rsplit_once('_')) {
        (number, extension == "ply")
    } else if let Some(number) = stem.strip_prefix("foam_") {
        (number, extension == "ply")
    } else if let Some(number) = stem.strip_prefix("frame_") {
        (number, extension == "png" || CacheFormat::ALL.iter().any(|f| f.name() == extension))
    } else {
        return false;
    };
    known && number.len() >= 5 && number.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::is_frame;

    #[test]
    fn only_names_of_ours_are_frames() {
        let ours = ["frame_00000.ply", "frame_123456.vtu", "frame_00001.png", "surface_sea_water_00001.ply"];
        for name in ours.into_iter().chain(["foam_00001.ply"]) {
            assert!(is_frame(name), "{name}");
        }
        let others = ["frame_1.ply", "frame_00000.txt", "frame_0000a.ply", "my_frame_00000.ply", "frame_.ply"];
        for name in others.into_iter().chain([
            "surface_00001.ply",
            "surface_water_1.ply",
            "surface_water_00001.png",
            "foam_1.ply",
        ]) {
            assert!(!is_frame(name), "{name}");
        }
    }
}
