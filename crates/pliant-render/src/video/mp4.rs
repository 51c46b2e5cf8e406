//! H.264 in MP4, playable by browsers while it loads.

use std::io::Write;
use std::path::Path;

use openh264::OpenH264API;
use openh264::encoder::{
    BitRate, Encoder, EncoderConfig, FrameRate, IntraFramePeriod, Profile, QpRange, RateControlMode, VuiConfig,
};

use super::mp4_boxes::{Sample, Track, header};
use super::part_file::PartFile;
use super::writer::{VideoWriter, check_frame, check_rate};
use super::yuv::Planes;
use crate::error::VideoError;
use crate::image::Image;

/// Ticks per frame; the timescale is a thousandfold of the frame rate, so 29.97 is exact too.
const TICKS: u32 = 1000;

/// Writes an MP4 file.
///
/// Encoded frames (0.12 MB per second for the `flag` example at 1280×720) are buffered in memory, because the index at
/// the start of the file is known only at the end.
pub struct Mp4Writer {
    file: PartFile,
    encoder: Encoder,
    size: [u32; 2],
    timescale: u32,
    planes: Planes,
    samples: Vec<Sample>,
    data: Vec<u8>,
    sps: Vec<u8>,
    pps: Vec<u8>,
}

impl Mp4Writer {
    /// Whether a video can have this size [px].
    pub fn holds(width: u32, height: u32) -> bool {
        let even = width.is_multiple_of(2) && height.is_multiple_of(2);
        even && width.min(height) >= 16 && width.max(height) <= 3840 && width.min(height) <= 2160
    }

    /// Starts a video of even `width` and `height` at `fps` frames per second.
    ///
    /// # Errors
    /// Sizes H.264 cannot hold, a frame rate outside 0..=240, or a folder that cannot be written to.
    pub fn create(path: impl AsRef<Path>, width: u32, height: u32, fps: f64) -> Result<Self, VideoError> {
        if !Self::holds(width, height) {
            return Err(VideoError::Size { width, height });
        }
        check_rate(fps)?;
        let bits = (f64::from(width * height) * fps.min(60.0) * 0.2).max(400_000.0);
        let config = EncoderConfig::new()
            .profile(Profile::Baseline)
            .max_frame_rate(FrameRate::from_hz(fps as f32))
            // Quality first, bounded by the quantizer and not by the bit rate, and never a dropped frame.
            .rate_control_mode(RateControlMode::Bufferbased)
            .bitrate(BitRate::from_bps(bits as u32))
            .qp(QpRange::new(16, 26))
            // Both blur smooth gradients and slow edges, which dominate these pictures.
            .adaptive_quantization(false)
            .background_detection(false)
            .skip_frames(false)
            .intra_frame_period(IntraFramePeriod::from_num_frames((2.0 * fps).ceil() as u32))
            .num_threads(1)
            .vui(VuiConfig::bt709());
        let encoder = Encoder::with_api_config(OpenH264API::from_source(), config)
            .map_err(|e| VideoError::Encode { index: 0, message: e.to_string() })?;
        Ok(Self {
            file: PartFile::create(path.as_ref())?,
            encoder,
            size: [width, height],
            timescale: (fps * f64::from(TICKS)).round().max(1.0) as u32,
            planes: Planes::new(width, height),
            samples: Vec::new(),
            data: Vec::new(),
            sps: Vec::new(),
            pps: Vec::new(),
        })
    }

    /// Adds the next frame; see [`VideoWriter::push`].
    ///
    /// # Errors
    /// A frame of another size, or an error of the encoder.
    pub fn push(&mut self, frame: &Image) -> Result<(), VideoError> {
        let index = self.samples.len();
        check_frame(index, frame, self.size)?;
        self.planes.load(frame);
        let stream =
            self.encoder.encode(&self.planes).map_err(|e| VideoError::Encode { index, message: e.to_string() })?;
        let start = self.data.len();
        let mut key = false;
        for layer in (0..stream.num_layers()).filter_map(|l| stream.layer(l)) {
            for unit in (0..layer.nal_count()).filter_map(|n| layer.nal_unit(n)) {
                let unit = without_start_code(unit);
                match unit.first().map_or(0, |b| b & 31) {
                    0 => {}
                    7 => self.sps = unit.to_vec(),
                    8 => self.pps = unit.to_vec(),
                    kind => {
                        key |= kind == 5;
                        self.data.extend((unit.len() as u32).to_be_bytes());
                        self.data.extend(unit);
                    }
                }
            }
        }
        if self.data.len() == start {
            return Err(VideoError::Encode { index, message: "the encoder dropped the frame".into() });
        }
        self.samples.push(Sample { size: (self.data.len() - start) as u32, key });
        Ok(())
    }

    /// Completes the file; see [`VideoWriter::finish`].
    ///
    /// # Errors
    /// No frames, or an error of the file system.
    pub fn finish(mut self) -> Result<(), VideoError> {
        if self.samples.is_empty() {
            return Err(VideoError::NoFrames { path: self.file.path().to_owned() });
        }
        let index = header(&Track {
            width: self.size[0] as u16,
            height: self.size[1] as u16,
            timescale: self.timescale,
            ticks: TICKS,
            sps: &self.sps,
            pps: &self.pps,
            samples: &self.samples,
        });
        let written = self.file.write_all(&index).and_then(|()| self.file.write_all(&self.data));
        written.map_err(|source| self.file.error(source))?;
        self.file.commit()
    }
}

impl VideoWriter for Mp4Writer {
    fn push(&mut self, frame: &Image) -> Result<(), VideoError> {
        Self::push(self, frame)
    }

    fn finish(self: Box<Self>) -> Result<(), VideoError> {
        Self::finish(*self)
    }
}

/// The encoder separates units by 00 00 01 or 00 00 00 01; the container by lengths.
fn without_start_code(unit: &[u8]) -> &[u8] {
    let zeros = unit.iter().take_while(|b| **b == 0).count();
    if zeros >= 2 && unit.get(zeros) == Some(&1) { &unit[zeros + 1..] } else { unit }
}
