//! Shading: from the visible surface of a sample to its color.

use glam::Vec3;

use crate::camera::View;
use crate::color::tone_map;
use crate::contact_shadow::ContactShadowMap;
use crate::geometry::{Geometry, Material};
use crate::ground::{GroundPoints, ground_points};
use crate::picture::{GroundDraw, Picture};
use crate::raster_grid::TILE_WIDTH;
use crate::shadow::{GroundShadow, ShadowMap};
use crate::spheres::ScreenSphere;
use crate::tile::{FIRST_OBJECT, GROUND, SAMPLE_POINTS, SKY, Tile};
use crate::triangle_setup::ScreenTriangle;

/// Input of shading, constant while a picture is drawn.
pub(crate) struct RenderScene<'a> {
    pub picture: &'a Picture<'a>,
    pub view: View,
    pub geometry: Geometry,
    pub spheres: Vec<(u32, ScreenSphere)>,
    pub triangles: Vec<ScreenTriangle>,
    pub shadow: Option<ShadowMap>,
    pub contact: Option<ContactShadowMap>,
    pub to_sun: Vec3,
}

/// A point to be shaded.
struct ShadingPoint {
    position: Vec3,
    /// Normal on the side of the camera.
    normal: Vec3,
    albedo: Vec3,
    translucency: f32,
}

impl RenderScene<'_> {
    /// Shades one row of a tile; `put` takes the column and the color, tone mapped and linear.
    pub fn row(&self, tile: &Tile, row: u32, mut put: impl FnMut(u32, Vec3)) {
        const WIDTH: usize = TILE_WIDTH as usize;
        let y = (tile.y + row) as f32;
        let ground =
            self.picture.ground.as_ref().filter(|_| (0..tile.width).any(|x| tile.visible(x, row) == [GROUND; 4]));
        let centers: [f32; WIDTH] = std::array::from_fn(|i| tile.x as f32 + i as f32 + 0.5);
        let points = ground.map(|g| (g, ground_points(g, &self.view, &centers, y + 0.5)));
        let shadow = points.and_then(|(g, _)| self.shadow.as_ref().map(|map| map.on_ground(g.height)));
        for x in 0..tile.width {
            let visible = tile.visible(x, row);
            let color = match &points {
                Some((ground, points)) if visible == [GROUND; 4] => {
                    tone_map(self.light_ground(points, x as usize, ground, &shadow))
                }
                _ => self.pixel((tile.x + x) as f32, y, visible),
            };
            put(x, tile.liquid(x, row).map_or(color, |layer| self.blend_liquid(layer, (tile.x + x) as f32, y, color)));
        }
    }

    /// Color of a pixel from the object ids of its four samples, tone mapped and linear.
    fn pixel(&self, x: f32, y: f32, visible: [u32; 4]) -> Vec3 {
        if visible.iter().all(|&s| s == visible[0]) {
            return tone_map(self.color(visible[0], x + 0.5, y + 0.5));
        }
        let mut sum = Vec3::ZERO;
        for (first, &id) in visible.iter().enumerate() {
            if visible[..first].contains(&id) {
                continue;
            }
            // Each surface is shaded once, at the centroid of its samples.
            let (mut px, mut py, mut count) = (0.0, 0.0, 0.0);
            for (point, _) in SAMPLE_POINTS.iter().zip(visible).filter(|(_, s)| *s == id) {
                (px, py, count) = (px + point[0], py + point[1], count + 1.0);
            }
            // Averaged after tone mapping, so that a highlight does not dominate pixels at an edge.
            sum += tone_map(self.color(id, x + px / count, y + py / count)) * count;
        }
        sum * 0.25
    }

    fn color(&self, id: u32, x: f32, y: f32) -> Vec3 {
        match id {
            SKY => self.sky(self.view.ray(x, y)),
            GROUND => self.ground(x, y),
            _ => {
                let index = (id - FIRST_OBJECT) as usize;
                if index < self.spheres.len() {
                    self.sphere(index, x, y)
                } else {
                    self.triangle(&self.triangles[index - self.spheres.len()], x, y)
                }
            }
        }
    }

    pub(crate) fn sky(&self, ray: Vec3) -> Vec3 {
        let sky = &self.picture.sky;
        // The curve puts most of the gradient into the narrow band above the horizon that a picture shows.
        let rise = (ray.y / ray.length()).max(0.0);
        sky.horizon.0.lerp(sky.zenith.0, rise / (rise + 0.35) * 1.35)
    }

    fn ground(&self, x: f32, y: f32) -> Vec3 {
        match &self.picture.ground {
            Some(ground) => {
                let shadow = self.shadow.as_ref().map(|map| map.on_ground(ground.height));
                self.light_ground(&ground_points(ground, &self.view, &[x], y), 0, ground, &shadow)
            }
            None => Vec3::ZERO,
        }
    }

    fn light_ground<const N: usize>(
        &self,
        points: &GroundPoints<N>,
        i: usize,
        ground: &GroundDraw,
        shadow: &Option<GroundShadow>,
    ) -> Vec3 {
        let light = &self.picture.light;
        let horizon = self.picture.sky.horizon.0;
        let haze = points.haze[i];
        if haze > 0.999 {
            return horizon;
        }
        let (x, z) = (points.x[i], points.z[i]);
        let albedo = ground.color.0.lerp(ground.alternate.0, points.share[i]);
        let lit = shadow.as_ref().map_or(1.0, |map| map.lit(x, z));
        let occlusion = self.contact.as_ref().map_or(0.0, |map| map.occlusion(x, z));
        let ambient = light.above.0 * (1.0 - 0.75 * occlusion);
        let sun = light.sun.0 * (self.to_sun.y.max(0.0) * lit);
        (albedo * (ambient + sun)).lerp(horizon, haze)
    }

    fn sphere(&self, index: usize, x: f32, y: f32) -> Vec3 {
        let (source, sphere) = &self.spheres[index];
        let ray = self.view.ray(x, y);
        // The centroid of the covered samples can miss the outline; the closest point is used then.
        let depth = sphere.hit(ray, self.view.near).unwrap_or_else(|| ray.dot(sphere.center) / ray.length_squared());
        let from_eye = ray * depth;
        let albedo = self.geometry.spheres[*source as usize].color.0;
        if *source as usize >= self.geometry.casting {
            return self.foam_color(self.view.eye + from_eye, albedo);
        }
        self.light(&ShadingPoint {
            position: self.view.eye + from_eye,
            normal: (from_eye - sphere.center).normalize_or(Vec3::Y),
            albedo,
            translucency: 0.0,
        })
    }

    /// Isotropic shading of foam, without a dark side.
    fn foam_color(&self, position: Vec3, albedo: Vec3) -> Vec3 {
        let light = &self.picture.light;
        let lit = self.shadow.as_ref().map_or(1.0, |map| map.lit(position, self.to_sun));
        albedo * (light.above.0 + light.sun.0 * (0.7 * lit))
    }

    fn triangle(&self, screen: &ScreenTriangle, x: f32, y: f32) -> Vec3 {
        let triangle = &self.geometry.triangles[screen.source as usize];
        let material = &self.geometry.materials[triangle.material as usize];
        let (position, normal) = self.surface_point(screen, x, y);
        let (side, albedo) = if screen.front { (1.0, material.front) } else { (-1.0, material.back) };
        self.light(&ShadingPoint {
            position,
            normal: normal * side,
            albedo: with_edges(albedo, material, screen, x, y),
            translucency: material.translucency,
        })
    }

    /// Position and outward normal of a triangle at a screen point.
    pub(crate) fn surface_point(&self, screen: &ScreenTriangle, x: f32, y: f32) -> (Vec3, Vec3) {
        let vertices = self.geometry.triangles[screen.source as usize].vertices;
        // The shading point may lie outside of the triangle, where weights are negative.
        let over_depth = screen.weights_at(x, y).map(|w| w.max(0.0));
        let scale = 1.0 / (over_depth[0] + over_depth[1] + over_depth[2]).max(1e-30);
        let blend = |values: &[Vec3]| {
            let [a, b, c] = vertices.map(|v| values[v as usize]);
            (a * over_depth[0] + b * over_depth[1] + c * over_depth[2]) * scale
        };
        (blend(&self.geometry.positions), blend(&self.geometry.normals).normalize_or(Vec3::Y))
    }

    /// Hemisphere ambient light, sun with shadow, transmission through cloth, a specular highlight and a rim light.
    fn light(&self, at: &ShadingPoint) -> Vec3 {
        let light = &self.picture.light;
        let to_eye = (self.view.eye - at.position).normalize_or(Vec3::Y);
        let facing = at.normal.dot(to_eye).clamp(0.0, 1.0);
        let ambient = light.below.0.lerp(light.above.0, at.normal.y * 0.5 + 0.5);
        let cosine = at.normal.dot(self.to_sun);
        let needs_sun = cosine > 0.0 || at.translucency > 0.0;
        let lit = match &self.shadow {
            Some(map) if needs_sun => map.lit(at.position, at.normal * cosine.signum()),
            _ => 1.0,
        };
        let transmitted = at.translucency * (-cosine).max(0.0);
        let sun = light.sun.0 * (lit * (cosine.max(0.0) + transmitted));
        let half = (to_eye + self.to_sun).normalize_or(at.normal);
        let specular = at.normal.dot(half).max(0.0).powi(40) * 0.22 * lit * (cosine * 4.0).clamp(0.0, 1.0);
        let rim = (1.0 - facing).powi(4) * 0.18 * (0.6 + 0.4 * at.normal.y);
        at.albedo * (ambient + sun) + light.sun.0 * specular + light.above.0 * rim
    }
}

/// Blends edge lines over a surface color: a weight over its gradient is the distance to an edge [px].
fn with_edges(albedo: Vec3, material: &Material, screen: &ScreenTriangle, x: f32, y: f32) -> Vec3 {
    let Some(lines) = material.edges else {
        return albedo;
    };
    let values = screen.weights_at(x, y);
    let mut distance = f32::INFINITY;
    for (value, w) in values.iter().zip(&screen.weights) {
        distance = distance.min(value / w[0].hypot(w[1]).max(1e-30));
    }
    let cover = (0.5 * lines.width + 0.5 - distance).clamp(0.0, 1.0);
    albedo.lerp(lines.color.0, cover)
}
