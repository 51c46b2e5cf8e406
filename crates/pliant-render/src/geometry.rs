//! Gathers all triangles and spheres of a picture, with vertex normals.

use glam::Vec3;
use rayon::prelude::*;

use crate::color::Color;
use crate::curve::tube;
use crate::picture::{
    EdgeLines, LiquidDraw, MeshColor, MeshDraw, Picture, SolidDraw, SphereDraw, is_valid_length, is_valid_point,
    palette_or_default,
};
use crate::shapes::{capsule, oriented_box};
use crate::tessellation::TessellatedMesh;

/// Material of a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Material {
    pub front: Vec3,
    pub back: Vec3,
    /// Transmitted share of sunlight.
    pub translucency: f32,
    pub edges: Option<EdgeLines>,
    /// Thickness of liquid that hides half of the background [m]; 0 for other materials.
    pub attenuation_distance: f32,
}

impl Material {
    pub fn solid(color: Color) -> Self {
        Self { front: color.0, back: color.0, translucency: 0.0, edges: None, attenuation_distance: 0.0 }
    }

    /// Cloth.
    pub fn sheet(color: Color) -> Self {
        // The back is lighter and grayer than the front.
        let gray = Vec3::splat(color.0.element_sum() / 3.0);
        Self { back: color.0.lerp(gray, 0.3) * 0.75 + 0.1, translucency: 0.35, ..Self::solid(color) }
    }

    fn of_mesh(mesh: &MeshDraw, color: Color) -> Self {
        let plain = if mesh.two_sided { Self::sheet(color) } else { Self::solid(color) };
        Self { edges: mesh.edges, ..plain }
    }
}

/// One triangle of the gathered list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangle {
    pub vertices: [u32; 3],
    pub material: u32,
}

/// All triangles and spheres of a picture without those that have NaN or out-of-range coordinates.
#[derive(Clone, Debug, Default)]
pub(crate) struct Geometry {
    pub positions: Vec<Vec3>,
    pub normals: Vec<Vec3>,
    /// Opaque triangles first, then those of liquids.
    pub triangles: Vec<Triangle>,
    /// Number of opaque triangles.
    pub opaque: usize,
    pub materials: Vec<Material>,
    /// Shadow casters first, then foam.
    pub spheres: Vec<SphereDraw>,
    /// Number of spheres that cast a shadow.
    pub casting: usize,
    /// Bounds of everything that casts a shadow; `min > max` when there is nothing.
    pub min: Vec3,
    pub max: Vec3,
}

impl Geometry {
    pub fn gather(picture: &Picture) -> Self {
        let mut all = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY, ..Self::default() };
        for mesh in &picture.meshes {
            all.push_mesh(mesh);
        }
        // A rope or solid with an invalid coordinate is omitted as a whole.
        for rope in &picture.tubes {
            if rope.points.iter().all(|p| is_valid_point(*p)) && is_valid_length(rope.radius) {
                all.push_surface(&tube(rope.points, rope.radius), rope.color);
            }
        }
        all.spheres.clone_from(&picture.spheres);
        for solid in &picture.solids {
            match *solid {
                SolidDraw::Sphere { center, radius, color } => {
                    all.spheres.push(SphereDraw { center, radius, color });
                }
                SolidDraw::Capsule { a, b, radius, color } => {
                    if is_valid_point(a) && is_valid_point(b) && is_valid_length(radius) {
                        all.push_surface(&capsule(a, b, radius), color);
                    }
                }
                SolidDraw::Box { center, half, rotation, color } => {
                    if is_valid_point(center) && is_valid_point(half) && rotation.is_finite() {
                        all.push_surface(&oriented_box(center, half, rotation), color);
                    }
                }
            }
        }
        let fits = |s: &SphereDraw| is_valid_point(s.center) && is_valid_length(s.radius);
        all.spheres.retain(fits);
        // Liquids and foam cast no shadow, so the bounds exclude them.
        (all.opaque, all.casting) = (all.triangles.len(), all.spheres.len());
        all.find_bounds();
        all.spheres.extend(picture.foam.iter().filter(|s| fits(s)));
        for liquid in &picture.liquids {
            all.push_liquid(liquid);
        }
        all
    }

    fn push_mesh(&mut self, mesh: &MeshDraw) {
        let first_material = self.materials.len() as u32;
        let triangles = valid_triangles(mesh.positions, mesh.triangles);
        let normals = vertex_normals(mesh.positions, &triangles);
        match mesh.color {
            MeshColor::One(color) => {
                self.materials.push(Material::of_mesh(mesh, color));
                self.push(mesh.positions, &normals, &triangles, |_| first_material);
            }
            MeshColor::PerObject { objects, palette } => {
                let palette = palette_or_default(palette);
                self.materials.extend(palette.iter().map(|&c| Material::of_mesh(mesh, c)));
                let count = palette.len() as u32;
                let material = |v: u32| first_material + objects.get(v as usize).unwrap_or(&0) % count;
                self.push(mesh.positions, &normals, &triangles, material);
            }
        }
    }

    fn push_liquid(&mut self, liquid: &LiquidDraw) {
        if liquid.normals.len() != liquid.positions.len() || !is_valid_length(liquid.attenuation_distance) {
            return;
        }
        let material = self.materials.len() as u32;
        self.materials
            .push(Material { attenuation_distance: liquid.attenuation_distance, ..Material::solid(liquid.color) });
        let triangles = valid_triangles(liquid.positions, liquid.triangles);
        self.push(liquid.positions, liquid.normals, &triangles, |_| material);
    }

    fn push_surface(&mut self, surface: &TessellatedMesh, color: Color) {
        let material = self.materials.len() as u32;
        self.materials.push(Material::solid(color));
        let triangles = valid_triangles(&surface.positions, &surface.triangles);
        self.push(&surface.positions, &surface.normals, &triangles, |_| material);
    }

    /// `material` maps a triangle's first vertex, counted within the mesh, to its material.
    fn push(&mut self, positions: &[Vec3], normals: &[Vec3], triangles: &[[u32; 3]], material: impl Fn(u32) -> u32) {
        let base = self.positions.len() as u32;
        self.positions.extend_from_slice(positions);
        self.normals.extend_from_slice(normals);
        let shifted = triangles.iter().map(|t| Triangle { vertices: t.map(|v| v + base), material: material(t[0]) });
        self.triangles.extend(shifted);
    }

    fn find_bounds(&mut self) {
        let (min, max) = self
            .positions
            .par_iter()
            .filter(|p| is_valid_point(**p))
            .map(|p| (*p, *p))
            .reduce(|| (self.min, self.max), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        (self.min, self.max) = (min, max);
        for s in &self.spheres {
            self.min = self.min.min(s.center - s.radius);
            self.max = self.max.max(s.center + s.radius);
        }
    }
}

/// Triangles whose vertices exist and are in range.
fn valid_triangles(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let good: Vec<bool> = positions.par_iter().map(|p| is_valid_point(*p)).collect();
    let fits = |t: &[u32; 3]| t.iter().all(|&v| good.get(v as usize).copied().unwrap_or(false));
    triangles.iter().copied().filter(fits).collect()
}

/// Area-weighted vertex normals: the cross product of two edges is twice the area times the normal.
///
/// Faces and normalization run in parallel; the sum itself is serial, because its order must not
/// depend on the thread count.
fn vertex_normals(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    let face = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| positions[v as usize]);
        (b - a).cross(c - a)
    };
    let faces: Vec<Vec3> = triangles.par_iter().with_min_len(1024).map(face).collect();
    let mut normals = vec![Vec3::ZERO; positions.len()];
    for (t, n) in triangles.iter().zip(&faces) {
        for &v in t {
            normals[v as usize] += *n;
        }
    }
    normals.par_iter_mut().with_min_len(1024).for_each(|n| *n = n.normalize_or(Vec3::Y));
    normals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_are_weighted_by_area() {
        // Two faces meet at vertex 0: area 0.5 facing +z and area 2 facing +x. The sum of twice the
        // areas is (4, 0, 1).
        let positions = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Y * 2.0, Vec3::Z * 2.0];
        let normals = vertex_normals(&positions, &[[0, 1, 2], [0, 3, 4]]);
        assert!(normals[0].distance(Vec3::new(4.0, 0.0, 1.0).normalize()) < 1e-6);
        assert_eq!(normals[1], Vec3::Z);
    }

    #[test]
    fn triangles_with_missing_or_invalid_vertices_are_omitted() {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::NAN, Vec3::splat(f32::INFINITY)];
        let kept = valid_triangles(&positions, &[[0, 1, 2], [0, 1, 3], [0, 1, 4], [0, 1, 9]]);
        assert_eq!(kept, [[0, 1, 2]]);
    }
}
