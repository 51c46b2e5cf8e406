//! Video files, frame by frame. Files appear under their name only when finished.

mod mp4_boxes;
mod gif;
mod mp4;
mod palette;
mod part_file;
mod yuv;

pub use self::gif::GifWriter;
pub use self::mp4::Mp4Writer;

use crate::error::VideoError;
use crate::image::Image;

/// Something that takes frames and ends as a file.
///
/// Stopping early is fine: whatever was pushed before `finish` is a valid video. Dropping a writer
/// without finishing it leaves nothing behind.
pub trait VideoWriter {
    /// Adds the next frame.
    ///
    /// # Errors
    /// A frame of another size, or an encoder or file system that refuses.
    fn push(&mut self, frame: &Image) -> Result<(), VideoError>;

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// No frames, or a file system that refuses.
    fn finish(self: Box<Self>) -> Result<(), VideoError>;
}

/// Checks what every format needs of its frame rate.
fn check_rate(fps: f64) -> Result<(), VideoError> {
    if fps > 0.0 && fps <= 240.0 { Ok(()) } else { Err(VideoError::FrameRate { fps }) }
}

/// Checks that a frame fits the video it is pushed to.
fn check_frame(index: usize, frame: &Image, size: [u32; 2]) -> Result<(), VideoError> {
    let pixels = frame.width as usize * frame.height as usize * 3;
    if [frame.width, frame.height] == size && frame.pixels.len() == pixels {
        return Ok(());
    }
    Err(VideoError::FrameSize {
        index,
        width: frame.width,
        height: frame.height,
        expected_width: size[0],
        expected_height: size[1],
    })
}
