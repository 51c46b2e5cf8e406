//! Animated GIF.

use std::path::Path;

use super::palette::quantize;
use super::part_file::PartFile;
use super::writer::{VideoWriter, check_frame, check_rate};
use crate::error::VideoError;
use crate::image::Image;

/// Width to which frames are reduced unless asked otherwise [px].
const DEFAULT_WIDTH: u32 = 640;
/// GIF counts hundredths of a second and many players slow down what is faster than this [frames/s].
const MAX_RATE: f64 = 30.0;

/// Writes a looping GIF animation with a palette per frame.
pub struct GifWriter {
    encoder: gif::Encoder<PartFile>,
    path: std::path::PathBuf,
    source: [u32; 2],
    target: [u32; 2],
    fps: f64,
    /// One of this many pushed frames is shown.
    stride: usize,
    pushed: usize,
}

impl GifWriter {
    /// Starts an animation of frames of `width`×`height`, reduced to at most 640 pixels wide.
    ///
    /// Above 30 frames per second, frames are dropped evenly; the playback speed is unchanged.
    ///
    /// # Errors
    /// An empty or oversized picture, a frame rate outside 0..=240, or a folder that cannot be written to.
    pub fn create(path: impl AsRef<Path>, width: u32, height: u32, fps: f64) -> Result<Self, VideoError> {
        Self::create_with_width(path, width, height, fps, DEFAULT_WIDTH)
    }

    /// Like [`Self::create`], reduced to at most `max_width` pixels wide.
    ///
    /// # Errors
    /// As [`Self::create`].
    pub fn create_with_width(
        path: impl AsRef<Path>,
        width: u32,
        height: u32,
        fps: f64,
        max_width: u32,
    ) -> Result<Self, VideoError> {
        check_rate(fps)?;
        let target_width = width.min(max_width.max(1));
        let target_height = (u64::from(height) * u64::from(target_width) + u64::from(width) / 2)
            .checked_div(u64::from(width))
            .map_or(0, |h| h.max(1));
        let size = |v: u64| u16::try_from(v).ok().filter(|v| *v > 0);
        let (Some(w), Some(h), true) = (size(u64::from(target_width)), size(target_height), height > 0) else {
            return Err(VideoError::Size { width, height });
        };
        let path = path.as_ref().to_owned();
        let file = PartFile::create(&path)?;
        let fail = |source| VideoError::Gif { path: path.clone(), source };
        let mut encoder = gif::Encoder::new(file, w, h, &[]).map_err(fail)?;
        encoder.set_repeat(gif::Repeat::Infinite).map_err(fail)?;
        let stride = (fps / MAX_RATE).ceil().max(1.0) as usize;
        let target = [u32::from(w), u32::from(h)];
        Ok(Self { encoder, path, source: [width, height], target, fps, stride, pushed: 0 })
    }

    /// Adds the next frame; see [`VideoWriter::push`].
    ///
    /// # Errors
    /// A frame of another size, or an error of the file system.
    pub fn push(&mut self, frame: &Image) -> Result<(), VideoError> {
        check_frame(self.pushed, frame, self.source)?;
        let index = self.pushed;
        self.pushed += 1;
        if !index.is_multiple_of(self.stride) {
            return Ok(());
        }
        let [width, height] = self.target;
        let reduced;
        let shown = if self.target == self.source {
            frame
        } else {
            reduced = frame.resized(width, height);
            &reduced
        };
        let indexed = quantize(&shown.pixels);
        let mut image = gif::Frame {
            width: width as u16,
            height: height as u16,
            buffer: indexed.pixels.into(),
            palette: Some(indexed.palette),
            ..gif::Frame::default()
        };
        // Differences of rounded times, so that rounding errors do not accumulate.
        let time = |i: usize| (i as f64 * 100.0 / self.fps).round() as u64;
        image.delay = u16::try_from(time(index + self.stride) - time(index)).unwrap_or(u16::MAX);
        let written = self.encoder.write_frame(&image);
        written.map_err(|source| VideoError::Gif { path: self.path.clone(), source })
    }

    /// Completes the file; see [`VideoWriter::finish`].
    ///
    /// # Errors
    /// No frames, or an error of the file system.
    pub fn finish(self) -> Result<(), VideoError> {
        if self.pushed == 0 {
            return Err(VideoError::NoFrames { path: self.path });
        }
        let path = self.path;
        let file = self.encoder.into_inner().map_err(|source| VideoError::Gif { path, source })?;
        file.commit()
    }
}

impl VideoWriter for GifWriter {
    fn push(&mut self, frame: &Image) -> Result<(), VideoError> {
        Self::push(self, frame)
    }

    fn finish(self: Box<Self>) -> Result<(), VideoError> {
        Self::finish(*self)
    }
}
