//! Video files, frame by frame. Files appear under their name only when finished.

mod gif;
mod mp4;
mod mp4_boxes;
mod palette;
mod part_file;
mod writer;
mod yuv;

pub use self::gif::GifWriter;
pub use self::mp4::Mp4Writer;
pub use self::writer::VideoWriter;
