//! The rendered image and its PNG encoding.

use crate::error::RenderError;

/// An image of sRGB bytes, three per pixel, rows from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Width [px].
    pub width: u32,
    /// Height [px].
    pub height: u32,
    /// `width · height · 3` bytes.
    pub pixels: Vec<u8>,
}

impl Image {
    /// A black image.
    pub fn new(width: u32, height: u32) -> Self {
        Self { width, height, pixels: vec![0; width as usize * height as usize * 3] }
    }

    /// Red, green and blue of one pixel.
    ///
    /// # Panics
    /// If the pixel is outside the image.
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 3] {
        assert!(x < self.width && y < self.height, "pixel ({x}, {y}) is outside {}x{}", self.width, self.height);
        let at = (y as usize * self.width as usize + x as usize) * 3;
        [self.pixels[at], self.pixels[at + 1], self.pixels[at + 2]]
    }

    /// The image at another size by area averaging.
    pub fn resized(&self, width: u32, height: u32) -> Self {
        let mut out = Self::new(width, height);
        let columns: Vec<_> = (0..width).map(|x| span(x, width, self.width)).collect();
        for y in 0..height {
            let rows = span(y, height, self.height);
            for (x, columns) in columns.iter().enumerate() {
                let (mut sum, mut total) = ([0.0f32; 3], 0.0f32);
                for &(sy, wy) in &rows {
                    for &(sx, wx) in columns {
                        let at = (sy as usize * self.width as usize + sx as usize) * 3;
                        for (s, p) in sum.iter_mut().zip(&self.pixels[at..at + 3]) {
                            *s += f32::from(*p) * wx * wy;
                        }
                        total += wx * wy;
                    }
                }
                let at = (y as usize * width as usize + x) * 3;
                for (o, s) in out.pixels[at..at + 3].iter_mut().zip(sum) {
                    *o = (s / total + 0.5) as u8;
                }
            }
        }
        out
    }
}

/// Source pixels under pixel `i` of `count`, with the length of each that it covers.
fn span(i: u32, count: u32, source: u32) -> Vec<(u32, f32)> {
    let scale = source as f32 / count as f32;
    let (low, high) = (i as f32 * scale, (i + 1) as f32 * scale);
    let last = (high.ceil() as u32).clamp(1, source);
    let first = (low as u32).min(last - 1);
    (first..last).map(|s| (s, ((s + 1) as f32).min(high) - (s as f32).max(low))).collect()
}

/// Encodes an image as PNG.
///
/// # Errors
/// An image whose pixel count does not match its size, or without pixels.
pub fn write_png(image: &Image) -> Result<Vec<u8>, RenderError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, image.width, image.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&image.pixels)?;
    writer.finish()?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_png_reads_back_as_the_same_bytes() {
        let mut image = Image::new(37, 11);
        for (i, byte) in image.pixels.iter_mut().enumerate() {
            *byte = (i * 7 % 251) as u8;
        }
        let bytes = write_png(&image).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (37, 11));
        assert_eq!(pixels, image.pixels);
    }

    #[test]
    fn resizing_keeps_the_average_of_each_half() {
        let mut image = Image::new(4, 2);
        for y in 0..2 {
            for x in 0..4 {
                image.pixels[(y * 4 + x) * 3] = if x < 2 { 10 } else { 210 };
            }
        }
        let small = image.resized(2, 1);
        assert_eq!((small.pixel(0, 0)[0], small.pixel(1, 0)[0]), (10, 210));
        assert_eq!(image.resized(1, 1).pixel(0, 0)[0], 110);
    }
}
