//! Liquids: what is behind them, dimmed by how much liquid there is, under a surface that mirrors the sky.
//!
//! Rays go straight on through the surface: refraction would need more than one look into the scene.

use glam::Vec3;

use crate::color::tone_map;
use crate::shade::Scene;
use crate::tile::{FIRST_OBJECT, Layer, SAMPLE_POINTS, SKY};

/// Share of its own color that even the thinnest liquid has: without it, sheets and edges would vanish.
const FILM: f32 = 0.12;

/// Reflectance of water seen head-on (Schlick 1994).
const HEAD_ON: f32 = 0.02;

impl Scene<'_> {
    /// A pixel seen through liquid; `behind` is what it would be without, ready for display but linear.
    pub(crate) fn through(&self, layer: &Layer, x: f32, y: f32, behind: Vec3) -> Vec3 {
        let (mut px, mut py, mut thickness, mut count) = (0.0, 0.0, 0.0, 0.0);
        let mut nearest = SKY;
        for (s, point) in SAMPLE_POINTS.iter().enumerate().filter(|(s, _)| layer.front[*s] != SKY) {
            nearest = layer.front[s];
            (px, py, count) = (px + point[0], py + point[1], count + 1.0);
            thickness += layer.thickness[s].max(0.0);
        }
        let color = self.liquid(nearest, x + px / count, y + py / count, thickness / count, behind);
        behind.lerp(tone_map(color), count * 0.25)
    }

    fn liquid(&self, id: u32, x: f32, y: f32, thickness: f32, behind: Vec3) -> Vec3 {
        let screen = &self.triangles[(id - FIRST_OBJECT) as usize - self.spheres.len()];
        let material = &self.geometry.materials[self.geometry.triangles[screen.source as usize].material as usize];
        let (position, normal) = self.place(screen, x, y);
        let light = &self.picture.light;
        let to_eye = (self.view.eye - position).normalize_or(Vec3::Y);
        let lit = self.shadow.as_ref().map_or(1.0, |map| map.lit(position, normal));

        // Channels that the liquid has less of fade sooner (Beer and Lambert).
        let way = thickness * self.view.ray(x, y).length() / material.clarity;
        let hue = (material.front / material.front.max_element().max(1e-3)).map(f32::sqrt);
        let passes = ((hue - 1.15) * way).map(f32::exp);
        let cloudy = 1.0 - (1.0 - FILM) * (-std::f32::consts::LN_2 * way).exp();
        let facing_sun = (normal.dot(self.to_sun) * 0.5 + 0.5).powi(2);
        let ambient = light.below.0.lerp(light.above.0, normal.y * 0.5 + 0.5);
        let gray = Vec3::splat(material.front.element_sum() / 3.0);
        let own = material.front.lerp(gray, 0.15) * (ambient + light.sun.0 * (0.85 * facing_sun * (0.3 + 0.7 * lit)));
        let body = (behind * passes).lerp(own, cloudy);

        let facing = normal.dot(to_eye).clamp(0.0, 1.0);
        let mirrors = HEAD_ON + (1.0 - HEAD_ON) * (1.0 - facing).powi(5) * 0.6;
        let half = (to_eye + self.to_sun).normalize_or(normal);
        let glint = normal.dot(half).max(0.0).powi(160) * lit;
        body.lerp(self.mirrored(normal * (2.0 * facing) - to_eye), mirrors) + light.sun.0 * glint
    }

    /// What a mirror shows in a direction: the sky, and below the horizon the ground's mean.
    fn mirrored(&self, direction: Vec3) -> Vec3 {
        let sky = self.sky(direction);
        let Some(ground) = self.picture.ground.as_ref().filter(|_| direction.y < 0.0) else { return sky };
        let light = &self.picture.light;
        let lit = light.above.0 + light.sun.0 * self.to_sun.y.max(0.0);
        sky.lerp(ground.color.mix(ground.alternate, 0.5).0 * lit, (-4.0 * direction.y).min(1.0))
    }
}
