//! Color quantization of a frame to 256 colors by recursive splitting.
//!
//! Reference: Heckbert, "Color image quantization for frame buffer display", 1982. Colors count by the
//! square root of their pixel count: with the count itself, sky and ground would use up the palette and small
//! objects would lose their hue.

/// Bits kept of each channel while counting.
const BITS: usize = 6;
const COLORS: usize = 256;

/// A frame as one byte per pixel.
pub(super) struct IndexedImage {
    /// Red, green and blue of each color in use.
    pub palette: Vec<u8>,
    pub pixels: Vec<u8>,
}

/// A color in use: its mean value and its weight.
#[derive(Clone, Copy)]
struct HistogramBin {
    bin: usize,
    color: [f32; 3],
    weight: f32,
}

/// Chooses a palette for RGB bytes and maps them to it.
pub(super) fn quantize(rgb: &[u8]) -> IndexedImage {
    let bin = |p: &[u8]| p.iter().fold(0, |bin, v| bin << BITS | usize::from(*v) >> (8 - BITS));
    let mut sums = vec![[0u32; 4]; 1 << (3 * BITS)];
    for p in rgb.chunks_exact(3) {
        let sum = &mut sums[bin(p)];
        for (s, v) in sum.iter_mut().zip(p) {
            *s += u32::from(*v);
        }
        sum[3] += 1;
    }
    let used = sums.iter().enumerate().filter(|(_, s)| s[3] > 0);
    let histogram_bin = |(bin, s): (usize, &[u32; 4])| {
        let count = s[3] as f32;
        HistogramBin { bin, color: [0, 1, 2].map(|i| s[i] as f32 / count), weight: count.sqrt() }
    };
    let mut bins: Vec<HistogramBin> = used.map(histogram_bin).collect();
    let boxes = split(&mut bins);

    let mut index = vec![0u8; sums.len()];
    let mut palette = Vec::with_capacity(boxes.len() * 3);
    for (i, range) in boxes.iter().enumerate() {
        let members = &bins[range.clone()];
        let total: f32 = members.iter().map(|s| s.weight).sum();
        for channel in 0..3 {
            let sum: f32 = members.iter().map(|s| s.color[channel] * s.weight).sum();
            palette.push((sum / total + 0.5) as u8);
        }
        members.iter().for_each(|s| index[s.bin] = i as u8);
    }
    IndexedImage { palette, pixels: rgb.chunks_exact(3).map(|p| index[bin(p)]).collect() }
}

/// Splits the box with the largest error at its mean along its longest side, until there are 256.
fn split(bins: &mut [HistogramBin]) -> Vec<std::ops::Range<usize>> {
    let mut boxes = vec![(0..bins.len(), box_error(bins))];
    while boxes.len() < COLORS {
        let widest = (0..boxes.len()).max_by(|&a, &b| boxes[a].1.error.total_cmp(&boxes[b].1.error));
        let Some(widest) = widest.filter(|&w| boxes[w].1.error > 0.0) else {
            break;
        };
        let (range, BoxError { channel, mean, .. }) = boxes[widest].clone();
        let members = &mut bins[range.clone()];
        members.sort_unstable_by(|a, b| a.color[channel].total_cmp(&b.color[channel]).then(a.bin.cmp(&b.bin)));
        let below = members.partition_point(|s| s.color[channel] < mean).clamp(1, members.len() - 1);
        let middle = range.start + below;
        boxes[widest] = (range.start..middle, box_error(&bins[range.start..middle]));
        boxes.push((middle..range.end, box_error(&bins[middle..range.end])));
    }
    boxes.into_iter().map(|(range, _)| range).collect()
}

/// How far the colors of a box are from its mean.
#[derive(Clone)]
struct BoxError {
    /// Channel that varies most, and its mean.
    channel: usize,
    mean: f32,
    /// Weighted sum of squares along that channel; 0 for a single color.
    error: f32,
}

fn box_error(bins: &[HistogramBin]) -> BoxError {
    let mut best = BoxError { channel: 0, mean: 0.0, error: 0.0 };
    if bins.len() < 2 {
        return best;
    }
    let total: f32 = bins.iter().map(|s| s.weight).sum();
    for channel in 0..3 {
        let mean = bins.iter().map(|s| s.color[channel] * s.weight).sum::<f32>() / total;
        let error = bins.iter().map(|s| (s.color[channel] - mean).powi(2) * s.weight).sum();
        if error > best.error {
            best = BoxError { channel, mean, error };
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colors_are_kept_exactly() {
        let rgb = [[250, 10, 20], [0, 0, 0], [90, 91, 92], [250, 10, 20]].concat();
        let indexed = quantize(&rgb);
        let back: Vec<u8> =
            indexed.pixels.iter().flat_map(|i| indexed.palette[usize::from(*i) * 3..][..3].to_vec()).collect();
        assert_eq!(back, rgb);
    }

    #[test]
    fn a_small_object_keeps_its_hue_beside_a_large_gradient() {
        let mut rgb: Vec<u8> = (0..60_000u32).flat_map(|i| [(i / 300) as u8; 3]).collect();
        rgb.extend((0..40).flat_map(|_| [180, 40, 200]));
        let indexed = quantize(&rgb);
        assert!(indexed.palette.len() <= 3 * COLORS);
        let last = usize::from(indexed.pixels[indexed.pixels.len() - 1]);
        assert_eq!(indexed.palette[last * 3..][..3], [180, 40, 200]);
    }
}
