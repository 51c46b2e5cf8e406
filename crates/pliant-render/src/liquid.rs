//! Shading of liquids: absorption by thickness and a reflection of the sky.
//!
//! Rays are not refracted: that would need a second visibility query.

use glam::Vec3;

use crate::color::tone_map;
use crate::shade::RenderScene;
use crate::tile::{FIRST_OBJECT, LiquidLayer, SAMPLE_POINTS, SKY};

/// Minimum opacity, so that thin sheets and edges stay visible.
const MIN_OPACITY: f32 = 0.12;

/// Reflectance of water at normal incidence (Schlick 1994).
const NORMAL_REFLECTANCE: f32 = 0.02;

impl RenderScene<'_> {
    /// Color of a pixel with liquid; `behind` is its color without, tone mapped and linear.
    pub(crate) fn blend_liquid(&self, layer: &LiquidLayer, x: f32, y: f32, behind: Vec3) -> Vec3 {
        let (mut px, mut py, mut thickness, mut count) = (0.0, 0.0, 0.0, 0.0);
        let mut nearest = SKY;
        for (s, point) in SAMPLE_POINTS.iter().enumerate().filter(|(s, _)| layer.front[*s] != SKY) {
            nearest = layer.front[s];
            (px, py, count) = (px + point[0], py + point[1], count + 1.0);
            thickness += layer.thickness[s].max(0.0);
        }
        let color = self.liquid_color(nearest, x + px / count, y + py / count, thickness / count, behind);
        behind.lerp(tone_map(color), count * 0.25)
    }

    fn liquid_color(&self, id: u32, x: f32, y: f32, thickness: f32, behind: Vec3) -> Vec3 {
        let screen = &self.triangles[(id - FIRST_OBJECT) as usize - self.spheres.len()];
        let material = &self.geometry.materials[self.geometry.triangles[screen.source as usize].material as usize];
        let (position, normal) = self.surface_point(screen, x, y);
        let light = &self.picture.light;
        let to_eye = (self.view.eye - position).normalize_or(Vec3::Y);
        let lit = self.shadow.as_ref().map_or(1.0, |map| map.lit(position, normal));

        // Beer–Lambert absorption; channels missing in the color of the liquid are absorbed faster.
        let depth = thickness * self.view.ray(x, y).length() / material.attenuation_distance;
        let hue = (material.front / material.front.max_element().max(1e-3)).map(f32::sqrt);
        let transmittance = ((hue - 1.15) * depth).map(f32::exp);
        let opacity = 1.0 - (1.0 - MIN_OPACITY) * (-std::f32::consts::LN_2 * depth).exp();
        let facing_sun = (normal.dot(self.to_sun) * 0.5 + 0.5).powi(2);
        let ambient = light.below.0.lerp(light.above.0, normal.y * 0.5 + 0.5);
        let gray = Vec3::splat(material.front.element_sum() / 3.0);
        let own = material.front.lerp(gray, 0.15) * (ambient + light.sun.0 * (0.85 * facing_sun * (0.3 + 0.7 * lit)));
        let body = (behind * transmittance).lerp(own, opacity);

        let facing = normal.dot(to_eye).clamp(0.0, 1.0);
        let reflectance = NORMAL_REFLECTANCE + (1.0 - NORMAL_REFLECTANCE) * (1.0 - facing).powi(5) * 0.6;
        let half = (to_eye + self.to_sun).normalize_or(normal);
        let specular = normal.dot(half).max(0.0).powi(160) * lit;
        body.lerp(self.reflection(normal * (2.0 * facing) - to_eye), reflectance) + light.sun.0 * specular
    }

    /// Reflected color in a direction: the sky, and below the horizon the mean color of the ground.
    fn reflection(&self, direction: Vec3) -> Vec3 {
        let sky = self.sky(direction);
        let Some(ground) = self.picture.ground.as_ref().filter(|_| direction.y < 0.0) else { return sky };
        let light = &self.picture.light;
        let lit = light.above.0 + light.sun.0 * self.to_sun.y.max(0.0);
        sky.lerp(ground.color.mix(ground.alternate, 0.5).0 * lit, (-4.0 * direction.y).min(1.0))
    }
}
