//! Encodes pictures on a separate thread while the next one is rendered.

use super::output_settings::OutputSettings;
use crate::args::Video;
use crate::failure::Failure;
use pliant::scene::Output;
use pliant_render::{GifWriter, Image, Mp4Writer, VideoError, VideoWriter};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// Capacity of the queue of pictures to encode.
const QUEUE_CAPACITY: usize = 2;

/// Sends pictures to the encoder thread.
///
/// Dropped, it waits for the thread, which completes the video with what it has got: a thread that is left behind would be
/// cut off with the process, and leave its temporary file.
pub struct VideoEncoder {
    name: String,
    images: Option<SyncSender<Image>>,
    thread: Option<JoinHandle<Result<(), VideoError>>>,
}

/// Refuses pictures that a video cannot hold, before anything is written.
pub fn check_size(video: Video, output: &Output) -> Result<(), Failure> {
    let (width, height) = (output.width, output.height);
    if video != Video::Mp4 || Mp4Writer::holds(width, height) {
        return Ok(());
    }
    Err(Failure::scene(format!(
        "output.width and output.height are {width}x{height}, but an MP4 video has at most 3840x2160"
    ))
    .help("make the pictures smaller, or run with --video gif or --video none"))
}

impl VideoEncoder {
    /// Opens the requested video and starts the thread; `None` for `--video none`.
    pub fn start(settings: &OutputSettings) -> Result<Option<Self>, Failure> {
        let output = &settings.scene.output;
        // Clamped to what players support: slow motion above, time lapse below.
        let fps = (1.0 / (settings.timing.frame_seconds * settings.args.every as f64)).clamp(1.0, 240.0);
        let extension = match settings.args.video {
            Video::Mp4 => "mp4",
            Video::Gif => "gif",
            Video::None => return Ok(None),
        };
        // An encoder cannot go on with a file: what a resumed run adds is a video of its own.
        let part = settings.after.map_or(String::new(), |frame| format!("_from_{:05}", frame + 1));
        let name = format!("{}{part}.{extension}", settings.name);
        let path = settings.folder.join(&name);
        let writer: Box<dyn VideoWriter + Send> = match settings.args.video {
            Video::Gif => Box::new(GifWriter::create(path, output.width, output.height, fps)?),
            _ => Box::new(Mp4Writer::create(path, output.width, output.height, fps)?),
        };
        let (images, arriving) = sync_channel(QUEUE_CAPACITY);
        let thread = std::thread::Builder::new().name("pliant-video".into());
        let thread = thread
            .spawn(move || encode(writer, arriving))
            .map_err(|e| Failure::resource(format!("cannot start a thread: {e}")))?;
        Ok(Some(Self { name, images: Some(images), thread: Some(thread) }))
    }

    /// Adds a picture; blocks while the queue is full. False if the encoder has failed, in which case `finish` returns the
    /// error.
    pub fn push(&self, image: Image) -> bool {
        self.images.as_ref().is_some_and(|images| images.send(image).is_ok())
    }

    /// Waits until the video is complete and returns its name.
    pub fn finish(mut self) -> Result<String, Failure> {
        self.wait()?;
        Ok(std::mem::take(&mut self.name))
    }

    fn wait(&mut self) -> Result<(), Failure> {
        drop(self.images.take());
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(result)) => Ok(result?),
            Some(Err(_)) => Err(Failure::new("the thread that encodes the video has panicked")),
            None => Ok(()),
        }
    }
}

impl Drop for VideoEncoder {
    fn drop(&mut self) {
        // Only after another error, which is reported.
        let _ = self.wait();
    }
}

fn encode(mut writer: Box<dyn VideoWriter + Send>, images: Receiver<Image>) -> Result<(), VideoError> {
    for image in images {
        writer.push(&image)?;
    }
    writer.finish()
}
