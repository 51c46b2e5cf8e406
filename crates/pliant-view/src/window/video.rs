//! A video of the window's picture in real time, encoded on a thread of its own.

use pliant_render::{Image, Mp4Writer, VideoError};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::Instant;

/// Pictures per second.
const RATE: f64 = 30.0;

/// Most pictures that one drawing stands for: a window that was hidden does not fill the video with its last picture.
const MOST_REPEATED: u64 = 60;

/// A video that is being written.
pub struct Video {
    path: PathBuf,
    size: (u32, u32),
    begun: Instant,
    /// Pictures so far, and those that were left out while the window was hidden.
    written: u64,
    skipped: u64,
    images: SyncSender<(Image, u64)>,
    thread: JoinHandle<Result<(), VideoError>>,
}

impl Video {
    /// Begins a video of pictures of a size.
    pub fn begin(path: &Path, size: (u32, u32)) -> Result<Self, String> {
        // The encoder takes whole blocks of 2 × 2 pixels.
        let size = ((size.0 & !1).max(16), (size.1 & !1).max(16));
        let writer = Mp4Writer::create(path, size.0, size.1, RATE).map_err(|e| e.to_string())?;
        let (images, arriving) = sync_channel(3);
        let thread = std::thread::Builder::new().name("pliant-video".into());
        let thread = thread.spawn(move || encode(writer, arriving)).map_err(|e| e.to_string())?;
        Ok(Self { path: path.to_owned(), size, begun: Instant::now(), written: 0, skipped: 0, images, thread })
    }

    /// How many pictures are due.
    pub fn due(&self) -> u64 {
        let wanted = (self.begun.elapsed().as_secs_f64() * RATE) as u64 + 1;
        wanted.saturating_sub(self.written + self.skipped)
    }

    /// Adds a picture that stands for several. Where the encoder is busy it is left out, and the next one stands for it.
    pub fn add(&mut self, image: &Image, count: u64) -> Result<(), String> {
        let count = count.min(MOST_REPEATED);
        self.skipped += self.due().saturating_sub(count);
        match self.images.try_send((fitted(image, self.size), count)) {
            Ok(()) => {
                self.written += count;
                Ok(())
            }
            Err(TrySendError::Full(_)) => Ok(()),
            Err(TrySendError::Disconnected(_)) => Err("the encoder has failed".to_owned()),
        }
    }

    /// Length so far [s].
    pub fn seconds(&self) -> f64 {
        self.written as f64 / RATE
    }

    /// Completes the file.
    pub fn end(self) -> Result<PathBuf, String> {
        drop(self.images);
        match self.thread.join() {
            Ok(done) => done.map(|()| self.path).map_err(|e| e.to_string()),
            Err(_) => Err("the thread that encodes the video has panicked".to_owned()),
        }
    }
}

fn encode(mut writer: Mp4Writer, images: Receiver<(Image, u64)>) -> Result<(), VideoError> {
    for (image, count) in images {
        for _ in 0..count {
            writer.push(&image)?;
        }
    }
    writer.finish()
}

/// A picture in the size of the video: the window may have another one by now.
fn fitted(image: &Image, (width, height): (u32, u32)) -> Image {
    if image.width.abs_diff(width) > 1 || image.height.abs_diff(height) > 1 {
        return image.resized(width, height);
    }
    let mut cut = Image::new(width, height);
    for y in 0..height.min(image.height) as usize {
        let columns = 3 * width.min(image.width) as usize;
        let (to, from) = (y * 3 * width as usize, y * 3 * image.width as usize);
        cut.pixels[to..to + columns].copy_from_slice(&image.pixels[from..from + columns]);
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_video_of_odd_and_changing_sizes_is_written() {
        let folder = std::env::temp_dir().join(format!("pliant-view-video-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a.mp4");
        let mut video = Video::begin(&path, (65, 49)).unwrap();
        assert_eq!(video.due(), 1);
        for size in [(65, 49), (80, 30), (1, 1)] {
            video.add(&Image::new(size.0, size.1), 1).unwrap();
        }
        assert_eq!(video.end().unwrap(), path);
        assert!(std::fs::metadata(&path).unwrap().len() > 100);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
