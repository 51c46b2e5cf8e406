//! Positions in 16 bits per coordinate, relative to the box around their chunk.

use crate::drawing::Chunk;
use glam::Vec3;
use pliant::frame::Frame;
use std::sync::Arc;

/// First word of a frame.
pub const FRAME: u32 = 2;

/// Largest coordinate; the next number marks points that are not drawn.
const MOST: f32 = 65_534.0;
const HIDDEN: u16 = u16::MAX;

/// A chunk as it is sent: number, corner, size of the box, and three numbers per point, padded to words.
#[derive(Clone, Debug)]
pub struct EncodedChunk {
    /// Frame in which it last changed.
    pub changed: u64,
    /// The bytes.
    pub bytes: Arc<[u8]>,
}

/// Encodes chunk `number` of a frame. Points that are inactive or not finite are hidden.
pub fn encode_chunk(number: usize, chunk: &Chunk, frame: &Frame) -> Vec<u8> {
    let points = chunk.start..chunk.start + chunk.count;
    let shown = |i: usize| frame.positions[i].is_finite() && !frame.is_inactive(i);
    let (low, high) = points
        .clone()
        .filter(|&i| shown(i))
        .map(|i| frame.positions[i])
        .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
    let (low, size) = if low.x <= high.x { (low, high - low) } else { (Vec3::ZERO, Vec3::ZERO) };
    let scale = Vec3::select(size.cmpgt(Vec3::ZERO), Vec3::splat(MOST) / size, Vec3::ZERO);
    let mut bytes = Vec::with_capacity(28 + 6 * chunk.count + 2);
    bytes.extend((number as u32).to_le_bytes());
    for v in low.to_array().into_iter().chain(size.to_array()) {
        bytes.extend(v.to_le_bytes());
    }
    for i in points {
        let q = ((frame.positions[i] - low) * scale).round();
        let word = |v: f32| if shown(i) { v.clamp(0.0, MOST) as u16 } else { HIDDEN };
        for v in q.to_array() {
            bytes.extend(word(v).to_le_bytes());
        }
    }
    if bytes.len() % 4 != 0 {
        bytes.extend([0, 0]);
    }
    bytes
}

/// Header of a frame, before its chunks and the poses of colliders.
pub struct FrameHeader {
    /// Drawing that it belongs to.
    pub version: u32,
    /// Number of the frame.
    pub frame: u64,
    /// Whether time runs.
    pub playing: bool,
    /// Simulated time [s].
    pub time: f64,
}

/// A frame as it is sent.
pub fn frame_message(header: &FrameHeader, chunks: &[Arc<[u8]>], poses: &[f32]) -> Vec<u8> {
    let length = chunks.iter().map(|c| c.len()).sum::<usize>() + 4 * poses.len() + 32;
    let mut bytes = Vec::with_capacity(length);
    for word in [FRAME, header.version, header.frame as u32, u32::from(header.playing)] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(header.time.to_le_bytes());
    for word in [chunks.len() as u32, (poses.len() / 7) as u32] {
        bytes.extend(word.to_le_bytes());
    }
    chunks.iter().for_each(|c| bytes.extend_from_slice(c));
    poses.iter().for_each(|v| bytes.extend(v.to_le_bytes()));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions of an encoded chunk.
    fn decode(bytes: &[u8]) -> Vec<Option<Vec3>> {
        let float = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let vector = |at| Vec3::new(float(at), float(at + 4), float(at + 8));
        let (low, size) = (vector(4), vector(16));
        let word = |at: usize| u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap());
        (28..bytes.len() - 5)
            .step_by(6)
            .map(|at| [word(at), word(at + 2), word(at + 4)])
            .map(|q| (q[0] != HIDDEN).then(|| low + size * Vec3::from(q.map(f32::from)) / MOST))
            .collect()
    }

    #[test]
    fn positions_survive_to_half_a_step_of_the_grid() {
        let positions: Vec<Vec3> =
            (0..101).map(|k| Vec3::new(k as f32 * 0.37 - 20.0, (k * k % 17) as f32 * 0.1, 3.0)).collect();
        let frame = Frame { positions: positions.clone(), ..Frame::default() };
        let bytes = encode_chunk(7, &Chunk { start: 1, count: 99, object: 0 }, &frame);
        assert_eq!(bytes.len() % 4, 0);
        assert_eq!(bytes[..4], 7_u32.to_le_bytes());
        let back = decode(&bytes);
        assert_eq!(back.len(), 99);
        for (a, b) in positions[1..100].iter().zip(back) {
            // Half a step of 37 m / 65,534.
            assert!(a.distance(b.unwrap()) < 3e-4, "{a} {b:?}");
        }
    }

    #[test]
    fn hidden_points_are_marked() {
        let positions = vec![Vec3::ZERO, Vec3::splat(f32::NAN), Vec3::ONE, Vec3::splat(2.0)];
        let frame = Frame { positions, inactive: vec![false, false, true, false], ..Frame::default() };
        let back = decode(&encode_chunk(0, &Chunk { start: 0, count: 4, object: 0 }, &frame));
        assert_eq!(back.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false, false, true]);
        assert!(back[3].unwrap().distance(Vec3::splat(2.0)) < 1e-6);
        // Nothing to show.
        let frame = Frame { positions: vec![Vec3::ZERO], inactive: vec![true], ..Frame::default() };
        assert_eq!(decode(&encode_chunk(0, &Chunk { start: 0, count: 1, object: 0 }, &frame)), [None]);
    }
}
