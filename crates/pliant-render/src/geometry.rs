//! Gathers everything made of triangles into one list, with smooth normals.

use glam::Vec3;
use rayon::prelude::*;

use crate::curve::{Surface, tube};
use crate::picture::{MeshColor, MeshDraw, Picture, SolidDraw, palette_or_default, usable, usable_length};
use crate::shapes::{capsule, oriented_box};
use crate::{Color, EdgeLines, LiquidDraw, SphereDraw};

/// How a surface reacts to light.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Material {
    pub front: Vec3,
    pub back: Vec3,
    /// Share of sunlight that reaches the far side.
    pub translucency: f32,
    pub edges: Option<EdgeLines>,
    /// Way through a liquid that hides half of what is behind [m]; 0 for what is no liquid.
    pub clarity: f32,
}

impl Material {
    pub fn solid(color: Color) -> Self {
        Self { front: color.0, back: color.0, translucency: 0.0, edges: None, clarity: 0.0 }
    }

    /// Cloth.
    pub fn sheet(color: Color) -> Self {
        // Lighter and grayer: tells the sides apart without looking like another object.
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

/// All triangles and balls of a picture. Only usable ones: no NaN comes past this point.
#[derive(Clone, Debug, Default)]
pub(crate) struct Geometry {
    pub positions: Vec<Vec3>,
    pub normals: Vec<Vec3>,
    /// Those of liquids come last.
    pub triangles: Vec<Triangle>,
    /// Number of triangles that hide what is behind them; the rest is liquid.
    pub opaque: usize,
    pub materials: Vec<Material>,
    /// Specks come last.
    pub spheres: Vec<SphereDraw>,
    /// Number of balls that cast a shadow; the rest are specks.
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
        // A rope or solid with an unusable number is left out as a whole: half of one would mislead.
        for rope in &picture.tubes {
            if rope.points.iter().all(|p| usable(*p)) && usable_length(rope.radius) {
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
                    if usable(a) && usable(b) && usable_length(radius) {
                        all.push_surface(&capsule(a, b, radius), color);
                    }
                }
                SolidDraw::Box { center, half, rotation, color } => {
                    if usable(center) && usable(half) && rotation.is_finite() {
                        all.push_surface(&oriented_box(center, half, rotation), color);
                    }
                }
            }
        }
        let fits = |s: &SphereDraw| usable(s.center) && usable_length(s.radius);
        all.spheres.retain(fits);
        // Liquids and specks cast no shadow, so bounds are known before they come.
        (all.opaque, all.casting) = (all.triangles.len(), all.spheres.len());
        all.find_bounds();
        all.spheres.extend(picture.specks.iter().filter(|s| fits(s)));
        for liquid in &picture.liquids {
            all.push_liquid(liquid);
        }
        all
    }

    fn push_mesh(&mut self, mesh: &MeshDraw) {
        let first_material = self.materials.len() as u32;
        let triangles = usable_triangles(mesh.positions, mesh.triangles);
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
        if liquid.normals.len() != liquid.positions.len() || !usable_length(liquid.clarity) {
            return;
        }
        let material = self.materials.len() as u32;
        self.materials.push(Material { clarity: liquid.clarity, ..Material::solid(liquid.color) });
        let triangles = usable_triangles(liquid.positions, liquid.triangles);
        self.push(liquid.positions, liquid.normals, &triangles, |_| material);
    }

    fn push_surface(&mut self, surface: &Surface, color: Color) {
        let material = self.materials.len() as u32;
        self.materials.push(Material::solid(color));
        let triangles = usable_triangles(&surface.positions, &surface.triangles);
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
            .filter(|p| usable(**p))
            .map(|p| (*p, *p))
            .reduce(|| (self.min, self.max), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        (self.min, self.max) = (min, max);
        for s in &self.spheres {
            self.min = self.min.min(s.center - s.radius);
            self.max = self.max.max(s.center + s.radius);
        }
    }
}

/// Triangles whose vertices exist and can be computed with.
fn usable_triangles(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let good: Vec<bool> = positions.par_iter().map(|p| usable(*p)).collect();
    let fits = |t: &[u32; 3]| t.iter().all(|&v| good.get(v as usize).copied().unwrap_or(false));
    triangles.iter().copied().filter(fits).collect()
}

/// Area-weighted vertex normals: the cross product of two edges is twice the area times the normal,
/// so summing it weights by area for free.
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
    fn triangles_with_missing_or_unusable_vertices_are_left_out() {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::NAN, Vec3::splat(f32::INFINITY)];
        let kept = usable_triangles(&positions, &[[0, 1, 2], [0, 1, 3], [0, 1, 4], [0, 1, 9]]);
        assert_eq!(kept, [[0, 1, 2]]);
    }
}
