//! Display RGB to the video's planes: BT.709, limited range, color at half resolution.

use openh264::formats::YUVSource;
use rayon::prelude::*;

use crate::image::Image;

/// Luma and the two color-difference planes of a frame with even sides.
#[derive(Clone, Debug)]
pub(super) struct Planes {
    width: usize,
    height: usize,
    y: Vec<u8>,
    u: Vec<u8>,
    v: Vec<u8>,
}

impl Planes {
    pub fn new(width: u32, height: u32) -> Self {
        let (width, height) = (width as usize, height as usize);
        let quarter = vec![128; width * height / 4];
        Self { width, height, y: vec![16; width * height], u: quarter.clone(), v: quarter }
    }

    /// Converts a frame of the same size.
    pub fn load(&mut self, frame: &Image) {
        let width = self.width;
        let rows = self.y.par_chunks_mut(2 * width).zip(self.u.par_chunks_mut(width / 2));
        let rows = rows.zip(self.v.par_chunks_mut(width / 2)).zip(frame.pixels.par_chunks(6 * width));
        rows.for_each(|(((luma, u), v), pixels)| {
            let (top, bottom) = pixels.split_at(3 * width);
            for x in 0..width / 2 {
                let mut sum = [0i32; 3];
                for (row, line) in [top, bottom].into_iter().enumerate() {
                    for column in [2 * x, 2 * x + 1] {
                        let p = &line[column * 3..column * 3 + 3];
                        let rgb = [i32::from(p[0]), i32::from(p[1]), i32::from(p[2])];
                        luma[row * width + column] = luma_of(rgb);
                        sum = [sum[0] + rgb[0], sum[1] + rgb[1], sum[2] + rgb[2]];
                    }
                }
                [u[x], v[x]] = chroma_of(sum);
            }
        });
    }
}

/// Y' = 16 + 219/255·(0.2126 R' + 0.7152 G' + 0.0722 B'), in 16-bit fixed point.
fn luma_of([r, g, b]: [i32; 3]) -> u8 {
    ((11966 * r + 40254 * g + 4064 * b + (16 << 16) + (1 << 15)) >> 16) as u8
}

/// Cb = 128 + 224/255·(B' − Y')/1.8556 and Cr = 128 + 224/255·(R' − Y')/1.5748 of the sum of four pixels.
fn chroma_of([r, g, b]: [i32; 3]) -> [u8; 2] {
    let cb = (-6596 * r - 22189 * g + 28785 * b) / 4;
    let cr = (28784 * r - 26145 * g - 2639 * b) / 4;
    [cb, cr].map(|c| ((c + (128 << 16) + (1 << 15)) >> 16).clamp(0, 255) as u8)
}

impl YUVSource for Planes {
    fn dimensions(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    fn strides(&self) -> (usize, usize, usize) {
        (self.width, self.width / 2, self.width / 2)
    }

    fn y(&self) -> &[u8] {
        &self.y
    }

    fn u(&self) -> &[u8] {
        &self.u
    }

    fn v(&self) -> &[u8] {
        &self.v
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primaries_convert_to_the_values_of_the_standard() {
        // BT.709 limited range, rounded: white, black, red, green, blue as (Y, Cb, Cr).
        let table = [
            ([255, 255, 255], (235, 128, 128)),
            ([0, 0, 0], (16, 128, 128)),
            ([255, 0, 0], (63, 102, 240)),
            ([0, 255, 0], (173, 42, 26)),
            ([0, 0, 255], (32, 240, 118)),
        ];
        for (rgb, expected) in table {
            let [cb, cr] = chroma_of(rgb.map(|v| 4 * v));
            assert_eq!((luma_of(rgb), cb, cr), expected, "{rgb:?}");
        }
    }
}
