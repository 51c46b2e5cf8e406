//! What a picture shows besides the surface: plain data, and its form on the device.

use crate::camera::View;
use crate::geometry::Material;
use crate::{Camera, Color, Light, PALETTE, Sky};
use bytemuck::{Pod, Zeroable};
use glam::Vec3;

/// Where a picture is taken from, and under what light.
#[derive(Clone, Copy, Debug)]
pub struct Shot {
    /// Where the picture is taken from.
    pub camera: Camera,
    /// The sun, which casts no shadows here, and the ambient light.
    pub light: Light,
    /// The background.
    pub sky: Sky,
}

impl Shot {
    /// A picture under the default sun and sky.
    pub fn new(camera: Camera) -> Self {
        Self { camera, light: Light::default(), sky: Sky::default() }
    }
}

/// What an object looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Color of its front.
    pub color: Color,
    /// Cloth: the back has a slightly different color and some sunlight shines through.
    pub two_sided: bool,
}

/// Who looks like what: particle `i` takes `looks[objects[i] % looks.len()]`, a triangle what its first particle
/// takes.
#[derive(Clone, Copy, Debug)]
pub struct Paint<'a> {
    /// Object number of each particle.
    pub objects: &'a [u32],
    /// What objects look like; empty means closed surfaces in the colors of [`PALETTE`].
    pub looks: &'a [Look],
}

impl Paint<'_> {
    /// Number of the look of each particle.
    pub(super) fn numbers(&self) -> Vec<u32> {
        let count = if self.looks.is_empty() { PALETTE.len() } else { self.looks.len() } as u32;
        self.objects.iter().map(|o| o % count).collect()
    }

    /// The looks, as the shader takes them.
    pub(super) fn records(&self) -> Vec<LookRecord> {
        let record = |material: Material| LookRecord {
            front: material.front.extend(material.translucency).to_array(),
            back: material.back.extend(0.0).to_array(),
        };
        if self.looks.is_empty() {
            return PALETTE.map(|c| record(Material::solid(c))).to_vec();
        }
        let material = |l: &Look| if l.two_sided { Material::sheet(l.color) } else { Material::solid(l.color) };
        self.looks.iter().map(material).map(record).collect()
    }
}

/// `Look` of `surface.wgsl`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct LookRecord {
    front: [f32; 4],
    back: [f32; 4],
}

/// `Shot` of `surface.wgsl`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct ShotRecord([[f32; 4]; 11]);

impl ShotRecord {
    pub fn new(shot: &Shot, width: u32, height: u32) -> Self {
        let view = View::new(&shot.camera, width, height);
        let lens = Vec3::new(0.5 * view.width / view.focal, 0.5 * view.height / view.focal, view.near);
        let (axes, light) = (view.basis, &shot.light);
        let vectors = [
            axes.right,
            axes.up,
            axes.forward,
            view.eye,
            lens,
            light.to_sun.normalize_or(Vec3::Y),
            light.sun.0,
            light.above.0,
            light.below.0,
            shot.sky.horizon.0,
            shot.sky.zenith.0,
        ];
        Self(vectors.map(|v| v.extend(0.0).to_array()))
    }
}
