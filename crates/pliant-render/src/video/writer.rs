//! The interface of video writers, and the checks that all formats share.

use crate::error::VideoError;
use crate::image::Image;

/// Writes a video file frame by frame.
///
/// After any number of frames, `finish` gives a valid video. Dropping a writer without `finish` leaves no file.
pub trait VideoWriter {
    /// Adds the next frame.
    ///
    /// # Errors
    /// A frame of another size, or an error of the encoder or file system.
    fn push(&mut self, frame: &Image) -> Result<(), VideoError>;

    /// Completes the file and renames it to its final name.
    ///
    /// # Errors
    /// No frames, or an error of the file system.
    fn finish(self: Box<Self>) -> Result<(), VideoError>;
}

/// Checks the frame rate.
pub(super) fn check_rate(fps: f64) -> Result<(), VideoError> {
    if fps > 0.0 && fps <= 240.0 { Ok(()) } else { Err(VideoError::FrameRate { fps }) }
}

/// Checks that a frame has the size of the video.
pub(super) fn check_frame(index: usize, frame: &Image, size: [u32; 2]) -> Result<(), VideoError> {
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
