//! Errors of drawing and storing pictures.

use std::path::PathBuf;

use thiserror::Error;

/// A picture that cannot be drawn or stored.
#[derive(Debug, Error)]
pub enum RenderError {
    /// The image would be empty, or larger than the rasterizer's fixed-point range.
    #[error("picture size {width}x{height} is outside 1x1..=4096x4096")]
    Size {
        /// Requested width [px].
        width: u32,
        /// Requested height [px].
        height: u32,
    },
    /// The PNG encoder failed.
    #[error("cannot encode PNG: {0}")]
    Png(#[from] png::EncodingError),
}

/// A video that cannot be written.
#[derive(Debug, Error)]
pub enum VideoError {
    /// H.264 stores color at half resolution, so both sides must be even.
    #[error("video size {width}x{height} must be even and within 16x16..=3840x2160")]
    Size {
        /// Requested width [px].
        width: u32,
        /// Requested height [px].
        height: u32,
    },
    /// A frame rate outside the supported range.
    #[error("video frame rate is {fps} frames/s, but it must be above 0 and at most 240")]
    FrameRate {
        /// Requested frames per second.
        fps: f64,
    },
    /// A frame whose size differs from the video's.
    #[error("frame {index} is {width}x{height}, but the video is {expected_width}x{expected_height}")]
    FrameSize {
        /// Zero-based number of the frame.
        index: usize,
        /// Width of the frame [px].
        width: u32,
        /// Height of the frame [px].
        height: u32,
        /// Width of the video [px].
        expected_width: u32,
        /// Height of the video [px].
        expected_height: u32,
    },
    /// `finish` without any frame: there is no valid empty video.
    #[error("{} has no frames\nhelp: push at least one frame before finishing", path.display())]
    NoFrames {
        /// Path of the video.
        path: PathBuf,
    },
    /// The encoder failed on a frame.
    #[error("cannot encode frame {index} as H.264: {message}")]
    Encode {
        /// Zero-based number of the frame.
        index: usize,
        /// Message of the encoder.
        message: String,
    },
    /// The GIF encoder failed.
    #[error("cannot write {}: {source}", path.display())]
    Gif {
        /// The file being written.
        path: PathBuf,
        /// The encoder's reason.
        source: gif::EncodingError,
    },
    /// The file system reported an error.
    #[error("cannot write {}: {source}", path.display())]
    Io {
        /// The file being written.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
}
