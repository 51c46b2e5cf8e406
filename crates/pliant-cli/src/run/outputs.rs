//! Writes geometry, pictures and video of a run on a separate thread.
//!
//! A bounded channel carries frames in order. A second channel returns their buffers, so that a steady run allocates no
//! frames.

use super::output_settings::OutputSettings;
use super::video::{VideoEncoder, check_size};
use crate::args::{GeometryFormat, LiquidLook, RunArgs};
use crate::failure::Failure;
use crate::liquid::Liquids;
use crate::picture::{FrameContent, FrameRenderer};
use glam::Vec3;
use pliant::World;
use pliant::frame::{Frame, Topology};
use pliant::scene::Scene;
use pliant_foam::DiffuseParticle;
use pliant_io::{CacheFormat, CacheWriter, FoamFrame, SurfaceFrame, write_atomically, write_foam, write_surface};
use pliant_render::{Image, write_png};
use pliant_surface::SurfaceMesh;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::Instant;

/// Capacity of the queue of frames to write.
const QUEUE_CAPACITY: usize = 4;

/// Written files, for the summary.
#[derive(Debug, Default)]
pub struct WrittenOutputs {
    /// Names and patterns, the most important first.
    pub files: Vec<String>,
    /// Costs of surface reconstruction, if it ran.
    pub surfaces: Option<SurfaceTimes>,
}

/// Costs of surface reconstruction.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct SurfaceTimes {
    /// Number of frames with surfaces.
    pub frames: u64,
    /// Time per frame [ms].
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

/// A frame in the queue, with data that is not part of [`Frame`].
#[derive(Debug, Default)]
struct QueuedFrame {
    frame: Frame,
    /// Densities of liquids relative to rest, if pictures show them.
    densities: Vec<f32>,
    /// Spray, foam and bubbles.
    foam: Vec<DiffuseParticle>,
}

impl QueuedFrame {
    fn content<'a>(&'a self, surfaces: &'a [SurfaceMesh]) -> FrameContent<'a> {
        FrameContent { frame: &self.frame, densities: &self.densities, surfaces, foam: &self.foam }
    }

    fn write_foam(&self, folder: &Path) -> Result<(), Failure> {
        let path = folder.join(format!("foam_{:05}.ply", self.frame.index));
        let positions: Vec<Vec3> = self.foam.iter().map(|f| f.position).collect();
        let velocities: Vec<Vec3> = self.foam.iter().map(|f| f.velocity).collect();
        let ages: Vec<f32> = self.foam.iter().map(|f| f.age).collect();
        let kinds: Vec<u8> = self.foam.iter().map(|f| f.kind as u8).collect();
        let (positions, velocities, ages, kinds) = (&positions, &velocities, &ages, &kinds);
        Ok(write_foam(&path, &FoamFrame { time: self.frame.time, positions, velocities, ages, kinds })?)
    }
}

/// What the writer thread is sent.
enum Message {
    Frame(QueuedFrame),
    /// All before it is to be on disk; answers when it is.
    Flush(SyncSender<()>),
}

/// Sends frames to the writer thread.
///
/// Dropped without [`Self::finish`], it waits for the thread as well: what it was given is written or removed.
pub struct Outputs {
    frames: Option<SyncSender<Message>>,
    recycled: Receiver<QueuedFrame>,
    thread: Option<JoinHandle<Result<WrittenOutputs, Failure>>>,
    every: u64,
    still: u64,
    with_densities: bool,
}

impl Outputs {
    /// Opens files and starts the thread.
    pub fn start(settings: &OutputSettings, sim: &World, prepared: PreparedOutputs) -> Result<Self, Failure> {
        let args = settings.args;
        let writer = OutputWriter::new(settings, sim, prepared)?;
        let (frames, arriving) = sync_channel(QUEUE_CAPACITY);
        let (recycle, recycled) = channel();
        let thread = std::thread::Builder::new().name("pliant-outputs".into());
        let thread = thread
            .spawn(move || writer.run(arriving, recycle))
            .map_err(|e| Failure::resource(format!("cannot start a thread: {e}")))?;
        let with_densities = args.liquid == Some(LiquidLook::Density);
        let (frames, thread) = (Some(frames), Some(thread));
        Ok(Self { frames, recycled, thread, every: args.every, still: settings.still, with_densities })
    }

    /// Queues a frame of the simulation, if it is to be written; blocks while the queue is full.
    pub fn push(&mut self, index: u64, sim: &World, foam: &[DiffuseParticle]) -> Result<(), Failure> {
        if !index.is_multiple_of(self.every) && index != self.still {
            return Ok(());
        }
        let mut queued = self.recycled.try_recv().unwrap_or_default();
        sim.write_frame(&mut queued.frame);
        queued.frame.index = index;
        queued.foam.clear();
        queued.foam.extend_from_slice(foam);
        if self.with_densities {
            queued.densities = sim.densities();
        }
        // The receiver is dropped only if writing failed; `finish` returns that error.
        self.send(Message::Frame(queued))
    }

    fn send(&self, message: Message) -> Result<(), Failure> {
        let sent = self.frames.as_ref().is_some_and(|frames| frames.send(message).is_ok());
        if sent { Ok(()) } else { Err(Failure::new("the outputs have stopped")) }
    }

    /// Waits until all frames so far are on disk.
    pub fn flush(&self) -> Result<(), Failure> {
        let (done, wait) = sync_channel(1);
        self.send(Message::Flush(done))?;
        wait.recv().map_err(|_| Failure::new("the outputs have stopped"))
    }

    /// Waits until everything is written.
    pub fn finish(mut self) -> Result<WrittenOutputs, Failure> {
        drop(self.frames.take());
        let ended = self.thread.take().map(JoinHandle::join);
        match ended {
            Some(Ok(result)) => result,
            _ => Err(Failure::new("the thread that writes outputs has panicked")),
        }
    }
}

impl Drop for Outputs {
    fn drop(&mut self) {
        drop(self.frames.take());
        if let Some(thread) = self.thread.take() {
            // Only after another error, which is reported.
            let _ = thread.join();
        }
    }
}

/// What the outputs need and what may refuse them, before any file is written.
pub struct PreparedOutputs {
    renderer: FrameRenderer,
    liquids: Option<Liquids>,
    look: LiquidLook,
}

impl PreparedOutputs {
    /// Of a run with these options.
    pub fn new(args: &RunArgs, scene: &Scene, sim: &World) -> Result<Self, Failure> {
        check_size(args.video, &scene.output)?;
        let mut first = Frame::default();
        sim.write_frame(&mut first);
        let written = args.format.contains(&GeometryFormat::Surface);
        let look = args.liquid.unwrap_or(if written { LiquidLook::Surface } else { LiquidLook::Particles });
        let liquids = Liquids::of(scene, sim);
        let renderer = FrameRenderer::new(scene, sim, &first, liquids.as_ref().map(|l| (l, look)))?;
        Ok(Self { renderer, liquids, look })
    }
}

/// State of the writer thread.
struct OutputWriter {
    folder: PathBuf,
    caches: Vec<CacheWriter>,
    formats: Vec<CacheFormat>,
    renderer: FrameRenderer,
    /// Surface reconstruction, if surfaces are written or shown.
    surfaces: Option<SurfaceOutput>,
    /// Whether spray, foam and bubbles are written.
    foam: bool,
    video: Option<VideoEncoder>,
    pictures: bool,
    every: u64,
    still: u64,
    still_done: bool,
}

/// Surface reconstruction of liquids, and where the surfaces go.
struct SurfaceOutput {
    liquids: Liquids,
    written: bool,
    shown: bool,
    times: SurfaceTimes,
}

impl OutputWriter {
    fn new(settings: &OutputSettings, sim: &World, prepared: PreparedOutputs) -> Result<Self, Failure> {
        let PreparedOutputs { renderer, liquids, look } = prepared;
        let shape: &Topology = sim.topology();
        let formats: Vec<CacheFormat> = settings.args.format.iter().filter_map(|f| f.frames()).collect();
        let mut caches: Vec<CacheWriter> =
            formats.iter().map(|f| CacheWriter::create(settings.folder, *f, shape)).collect::<Result<_, _>>()?;
        if let Some(last) = settings.after {
            let written = || (0..=last).filter(|frame| frame.is_multiple_of(settings.args.every));
            let time = |frame: u64| frame as f64 * settings.timing.frame_seconds;
            caches.iter_mut().for_each(|cache| cache.resume(written().map(|frame| (frame, time(frame)))));
        }
        let written = settings.args.format.contains(&GeometryFormat::Surface);
        let shown = look == LiquidLook::Surface;
        let surfaces = liquids.filter(|_| written || shown);
        let surfaces =
            surfaces.map(|liquids| SurfaceOutput { liquids, written, shown, times: SurfaceTimes::default() });
        Ok(Self {
            folder: settings.folder.into(),
            caches,
            formats,
            renderer,
            surfaces,
            foam: settings.args.format.contains(&GeometryFormat::Foam),
            video: VideoEncoder::start(settings)?,
            pictures: settings.args.picture,
            every: settings.args.every,
            still: settings.still,
            still_done: settings.after.is_some_and(|last| last >= settings.still),
        })
    }

    fn run(mut self, queue: Receiver<Message>, recycle: Sender<QueuedFrame>) -> Result<WrittenOutputs, Failure> {
        let mut last: Option<QueuedFrame> = None;
        for message in queue {
            let queued = match message {
                Message::Frame(queued) => queued,
                Message::Flush(done) => {
                    // Files are complete when `frame` returns.
                    let _ = done.send(());
                    continue;
                }
            };
            if !self.frame(&queued)? {
                // `finish` of the encoder returns its error.
                break;
            }
            // The newest frame is kept: a run that ends early takes its still picture from it.
            if let Some(older) = last.replace(queued) {
                let _ = recycle.send(older);
            }
        }
        if let Some(queued) = last.filter(|_| !self.still_done) {
            let shown = self.surfaces.as_ref().is_some_and(|s| s.shown);
            let surfaces = if shown { self.reconstruct(&queued.frame)? } else { Vec::new() };
            let image = self.renderer.render(&queued.content(&surfaces));
            self.write_picture("still.png", &image)?;
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
            files.push(format.index_file().map_or_else(|| format!("frame_*.{}", format.extension()), str::to_owned));
        }
        if let Some(SurfaceOutput { liquids, written: true, .. }) = &self.surfaces {
            files.extend(liquids.groups.iter().map(|g| format!("surface_{}_*.ply", g.name)));
        }
        if self.foam {
            files.push("foam_*.ply".into());
        }
        files.extend(["stats.csv".into(), "run.json".into()]);
        Ok(WrittenOutputs { files, surfaces: self.surfaces.map(|s| s.times) })
    }

    /// Reconstructs the surfaces of the liquids of a frame.
    fn reconstruct(&mut self, frame: &Frame) -> Result<Vec<SurfaceMesh>, Failure> {
        let Some(surfaces) = &mut self.surfaces else { return Ok(Vec::new()) };
        let start = Instant::now();
        let meshes = surfaces.liquids.surfaces(frame)?;
        surfaces.times.add(start, &meshes);
        Ok(meshes)
    }

    fn write_surfaces(&self, frame: &Frame, meshes: &[SurfaceMesh]) -> Result<(), Failure> {
        let groups = self.surfaces.iter().flat_map(|s| &s.liquids.groups);
        for (group, SurfaceMesh { positions, normals, triangles }) in groups.zip(meshes) {
            let path = self.folder.join(format!("surface_{}_{:05}.ply", group.name, frame.index));
            write_surface(&path, &SurfaceFrame { time: frame.time, positions, normals, triangles })?;
        }
        Ok(())
    }

    /// Writes one frame; false if the video encoder has failed.
    fn frame(&mut self, queued: &QueuedFrame) -> Result<bool, Failure> {
        let frame = &queued.frame;
        let (selected, still) = (frame.index.is_multiple_of(self.every), frame.index == self.still);
        let rendered = still || selected && (self.pictures || self.video.is_some());
        let (written, shown) =
            self.surfaces.as_ref().map_or((false, false), |s| (s.written && selected, s.shown && rendered));
        let surfaces = if written || shown { self.reconstruct(frame)? } else { Vec::new() };
        if selected {
            for cache in &mut self.caches {
                cache.write(frame)?;
            }
        }
        if written {
            self.write_surfaces(frame, &surfaces)?;
        }
        if selected && self.foam {
            queued.write_foam(&self.folder)?;
        }
        if !rendered {
            return Ok(true);
        }
        let image = self.renderer.render(&queued.content(&surfaces));
        if still {
            self.write_picture("still.png", &image)?;
            self.still_done = true;
        }
        if selected && self.pictures {
            self.write_picture(&format!("frame_{:05}.png", frame.index), &image)?;
        }
        Ok(self.video.as_ref().filter(|_| selected).is_none_or(|video| video.push(image)))
    }

    fn write_picture(&self, name: &str, image: &Image) -> Result<(), Failure> {
        let bytes = write_png(image)?;
        Ok(write_atomically(&self.folder.join(name), |file| file.write_all(&bytes))?)
    }
}
