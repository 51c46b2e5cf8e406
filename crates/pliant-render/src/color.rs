//! Colors in linear light, the palette, and conversion to sRGB bytes.

use std::sync::LazyLock;

use glam::Vec3;

/// A color in linear light: adding and averaging are physical. Display bytes come last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Color(pub Vec3);

impl Color {
    /// The color a display shows for these sRGB bytes.
    pub const fn srgb8(r: u8, g: u8, b: u8) -> Self {
        Self(Vec3::new(decode(r), decode(g), decode(b)))
    }

    /// This color as sRGB bytes, clamped to what a display can show.
    pub fn to_srgb8(self) -> [u8; 3] {
        display_bytes(self.0)
    }

    /// The color `t` of the way to `other`.
    pub fn mix(self, other: Self, t: f32) -> Self {
        Self(self.0.lerp(other.0, t))
    }
}

/// Eight object colors that differ from each other and from the default ground, also in grayscale.
pub const PALETTE: [Color; 8] = [
    Color::srgb8(226, 87, 76),   // coral
    Color::srgb8(52, 128, 184),  // blue
    Color::srgb8(242, 177, 52),  // amber
    Color::srgb8(64, 160, 120),  // green
    Color::srgb8(142, 98, 176),  // violet
    Color::srgb8(238, 130, 60),  // orange
    Color::srgb8(86, 190, 196),  // teal
    Color::srgb8(214, 110, 150), // rose
];

/// sRGB byte to linear light, as a polynomial because `powf` is not available in constants.
///
/// x(x(0.305306011x + 0.682171111) + 0.012522878) is within 0.002 of the standard's curve.
const fn decode(byte: u8) -> f32 {
    let x = byte as f32 / 255.0;
    x * (x * (x * 0.305_306 + 0.682_171_1) + 0.012_522_878)
}

const STEPS: usize = 4096;

/// The sRGB transfer curve, IEC 61966-2-1, tabulated: it runs three times per pixel.
static ENCODE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let encode = |i: usize| {
        let x = i as f32 / (STEPS - 1) as f32;
        let y = if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 };
        (y * 255.0 + 0.5) as u8
    };
    (0..STEPS).map(encode).collect()
});

/// Display bytes of linear light.
#[inline]
pub(crate) fn display_bytes(linear: Vec3) -> [u8; 3] {
    let table = &*ENCODE;
    let byte = |v: f32| {
        // `as` saturates and turns NaN into 0, so the clamped index is always in range.
        let step = (v * (STEPS - 1) as f32 + 0.5) as i32;
        table[step.clamp(0, STEPS as i32 - 1) as usize]
    };
    [byte(linear.x), byte(linear.y), byte(linear.z)]
}

/// Tone mapping: compresses light above 0.7 smoothly toward 1, so that highlights keep their hue.
#[inline]
pub(crate) fn tone_map(linear: Vec3) -> Vec3 {
    const KNEE: f32 = 0.7;
    if linear.max_element() <= KNEE {
        return linear;
    }
    let roll = |v: f32| {
        let over = (v - KNEE).max(0.0);
        v.min(KNEE) + (1.0 - KNEE) * over / (over + (1.0 - KNEE))
    };
    Vec3::new(roll(linear.x), roll(linear.y), roll(linear.z))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn srgb_bytes_round_trip_through_linear_light() {
        // The polynomial is within 0.002 of the curve. Near black the curve has a slope of 12.92·255 bytes
        // per unit, so up to 6 bytes may be lost there; from byte 32 on the slope is below 1500: 3 bytes.
        for byte in 0..=255u8 {
            let back = Color::srgb8(byte, byte, byte).to_srgb8()[0];
            let allowed = if byte < 32 { 6 } else { 3 };
            assert!(byte.abs_diff(back) <= allowed, "{byte} became {back}");
        }
    }

    #[test]
    fn tone_mapping_keeps_order_and_stays_displayable() {
        let mapped: Vec<f32> = (0..100).map(|i| tone_map(Vec3::splat(i as f32 * 0.1)).x).collect();
        assert!(mapped.windows(2).all(|w| w[0] < w[1]));
        assert!(mapped.iter().all(|&v| v < 1.0));
    }
}
