//! Camera, light and materials of a GPU picture, and their layout on the device.

use crate::camera::{Camera, View};
use crate::color::{Color, PALETTE};
use crate::geometry::Material;
use crate::picture::{Light, Sky};
use bytemuck::{Pod, Zeroable};
use glam::Vec3;

/// Camera and lighting of a picture.
#[derive(Clone, Copy, Debug)]
pub struct GpuScene {
    /// The camera.
    pub camera: Camera,
    /// Sun (without shadows) and ambient light.
    pub light: Light,
    /// The background.
    pub sky: Sky,
}

impl GpuScene {
    /// The default sun and sky.
    pub fn new(camera: Camera) -> Self {
        Self { camera, light: Light::default(), sky: Sky::default() }
    }
}

/// Material of an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObjectMaterial {
    /// Color of the front.
    pub color: Color,
    /// Cloth: the back has a slightly different color and transmits some sunlight.
    pub two_sided: bool,
}

/// Assignment of materials: particle `i` has `materials[objects[i] % materials.len()]`, a triangle that of its first
/// particle.
#[derive(Clone, Copy, Debug)]
pub struct MaterialAssignment<'a> {
    /// Object number of each particle.
    pub objects: &'a [u32],
    /// Materials of objects; empty means closed surfaces in the colors of [`PALETTE`].
    pub materials: &'a [ObjectMaterial],
}

impl MaterialAssignment<'_> {
    /// Material index of each particle.
    pub(super) fn indices(&self) -> Vec<u32> {
        let count = if self.materials.is_empty() { PALETTE.len() } else { self.materials.len() } as u32;
        self.objects.iter().map(|o| o % count).collect()
    }

    /// The materials in the layout of the shader.
    pub(super) fn uniforms(&self) -> Vec<MaterialUniform> {
        let uniform = |material: Material| MaterialUniform {
            front: material.front.extend(material.translucency).to_array(),
            back: material.back.extend(0.0).to_array(),
        };
        if self.materials.is_empty() {
            return PALETTE.map(|c| uniform(Material::solid(c))).to_vec();
        }
        let material =
            |l: &ObjectMaterial| if l.two_sided { Material::sheet(l.color) } else { Material::solid(l.color) };
        self.materials.iter().map(material).map(uniform).collect()
    }
}

/// `Material` of `surface.wgsl`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct MaterialUniform {
    front: [f32; 4],
    back: [f32; 4],
}

/// `SceneUniforms` of `surface.wgsl`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct SceneUniforms([[f32; 4]; 11]);

impl SceneUniforms {
    pub fn new(scene: &GpuScene, width: u32, height: u32) -> Self {
        let view = View::new(&scene.camera, width, height);
        let lens = Vec3::new(0.5 * view.width / view.focal, 0.5 * view.height / view.focal, view.near);
        let (axes, light) = (view.basis, &scene.light);
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
            scene.sky.horizon.0,
            scene.sky.zenith.0,
        ];
        Self(vectors.map(|v| v.extend(0.0).to_array()))
    }
}
