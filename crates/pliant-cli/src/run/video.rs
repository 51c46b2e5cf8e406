//! Encodes pictures on a thread of its own, so that the next one is drawn meanwhile.

use super::outputs::Plan;
use crate::args::Video;
use crate::failure::Failure;
use pliant_render::{GifWriter, Image, Mp4Writer, VideoError, VideoWriter};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// Pictures that may wait to be encoded.
const WAITING: usize = 2;

/// Hands pictures to the thread that encodes them.
pub struct Encoder {
    name: String,
    images: SyncSender<Image>,
    thread: JoinHandle<Result<(), VideoError>>,
}

impl Encoder {
    /// Opens the video that the command line asks for and starts the thread; none for `--video none`.
    pub fn start(plan: &Plan) -> Result<Option<Self>, Failure> {
        let output = &plan.scene.output;
        // Slow motion where a second has more frames than a player shows, time lapse where it has hardly one.
        let fps = (1.0 / (plan.length.frame_seconds * plan.args.every as f64)).clamp(1.0, 240.0);
        let extension = match plan.args.video {
            Video::Mp4 => "mp4",
            Video::Gif => "gif",
            Video::None => return Ok(None),
        };
        let name = format!("{}.{extension}", plan.name);
        let path = plan.folder.join(&name);
        let writer: Box<dyn VideoWriter + Send> = match plan.args.video {
            Video::Gif => Box::new(GifWriter::create(path, output.width, output.height, fps)?),
            _ => Box::new(Mp4Writer::create(path, output.width, output.height, fps)?),
        };
        let (images, arriving) = sync_channel(WAITING);
        let thread = std::thread::Builder::new().name("pliant-video".into());
        let thread = thread
            .spawn(move || encode(writer, arriving))
            .map_err(|e| Failure::resource(format!("cannot start a thread: {e}")))?;
        Ok(Some(Self { name, images, thread }))
    }

    /// Adds a picture. Waits if too many are on their way; false if the encoder has failed, which `finish`
    /// explains.
    pub fn push(&self, image: Image) -> bool {
        self.images.send(image).is_ok()
    }

    /// Waits until the video is complete; its name.
    pub fn finish(self) -> Result<String, Failure> {
        drop(self.images);
        match self.thread.join() {
            Ok(result) => Ok(result.map(|()| self.name)?),
            Err(_) => Err(Failure::new("the thread that encodes the video has panicked")),
        }
    }
}

fn encode(mut writer: Box<dyn VideoWriter + Send>, images: Receiver<Image>) -> Result<(), VideoError> {
    for image in images {
        writer.push(&image)?;
    }
    writer.finish()
}
