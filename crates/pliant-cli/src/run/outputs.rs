//! Everything a run writes about its frames, on a thread of its own.
//!
//! Frames go through a channel that holds a few of them and arrive in order. Their memory comes back
//! through a second channel, so that a steady run allocates no frames.

use super::Length;
use super::stats::START;
use super::video::Encoder;
use crate::args::{Format, RunArgs};
use crate::picture::Painter;
use crate::report::Failure;
use pliant::Simulation;
use pliant::frame::{Frame, Shape};
use pliant::scene::Scene;
use pliant_io::{CacheFormat, CacheWriter, write_atomically};
use pliant_render::{Image, write_png};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

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
}

/// Hands frames to the thread that writes them.
pub struct Outputs {
    frames: SyncSender<Frame>,
    used: Receiver<Frame>,
    thread: JoinHandle<Result<Written, Failure>>,
    every: u64,
    still: u64,
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
        Ok(Self { frames, used, thread, every: args.every, still: plan.still })
    }

    /// Copies a frame of the simulation, if it is one to be written. Waits if too many are on their way.
    pub fn push(&mut self, index: u64, sim: &Simulation) -> Result<(), Failure> {
        if !index.is_multiple_of(self.every) && index != self.still {
            return Ok(());
        }
        let mut frame = self.used.try_recv().unwrap_or_default();
        sim.write_frame(&mut frame);
        frame.index = index;
        // The receiver is gone only if writing failed; `finish` knows why.
        self.frames.send(frame).map_err(|_| Failure::new("the outputs have stopped"))
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
    video: Option<Encoder>,
    pictures: bool,
    every: u64,
    still: u64,
    still_done: bool,
}

impl Writer {
    fn new(plan: &Plan, sim: &Simulation, first: &Frame) -> Result<Self, Failure> {
        let shape: &Shape = sim.shape();
        let formats: Vec<CacheFormat> = plan.args.format.iter().filter_map(|f| cache_format(*f)).collect();
        let caches = formats.iter().map(|f| CacheWriter::create(plan.folder, *f, shape)).collect::<Result<_, _>>()?;
        Ok(Self {
            folder: plan.folder.into(),
            caches,
            formats,
            painter: Painter::new(plan.scene, sim, first)?,
            video: Encoder::start(plan)?,
            pictures: plan.args.picture,
            every: plan.args.every,
            still: plan.still,
            still_done: false,
        })
    }

    fn run(mut self, frames: Receiver<Frame>, give_back: Sender<Frame>) -> Result<Written, Failure> {
        let mut last: Option<Frame> = None;
        for frame in frames {
            if !self.frame(&frame)? {
                // The encoder knows why it stopped.
                break;
            }
            // The newest frame is kept: a run that ends early takes its still from it.
            if let Some(older) = last.replace(frame) {
                let _ = give_back.send(older);
            }
        }
        if let Some(frame) = last.filter(|_| !self.still_done) {
            let image = self.painter.paint(&frame);
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
        files.extend(["stats.csv".into(), "run.json".into()]);
        Ok(Written { files })
    }

    /// Writes one frame; false if the video cannot go on.
    fn frame(&mut self, frame: &Frame) -> Result<bool, Failure> {
        let (kept, still) = (frame.index.is_multiple_of(self.every), frame.index == self.still);
        if kept {
            for cache in &mut self.caches {
                cache.write(frame)?;
            }
        }
        if !(still || kept && (self.pictures || self.video.is_some())) {
            return Ok(true);
        }
        let image = self.painter.paint(frame);
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
        Format::None => None,
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

/// `frame_00042.ply` and its like.
fn is_frame(name: &str) -> bool {
    let Some((number, extension)) = name.strip_prefix("frame_").and_then(|n| n.split_once('.')) else { return false };
    let known = extension == "png" || CacheFormat::ALL.iter().any(|f| f.name() == extension);
    known && number.len() >= 5 && number.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::is_frame;

    #[test]
    fn only_names_of_ours_are_frames() {
        for name in ["frame_00000.ply", "frame_123456.vtu", "frame_00001.png"] {
            assert!(is_frame(name), "{name}");
        }
        for name in ["frame_1.ply", "frame_00000.txt", "frame_0000a.ply", "my_frame_00000.ply", "frame_.ply"] {
            assert!(!is_frame(name), "{name}");
        }
    }
}
