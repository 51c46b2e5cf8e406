//! What is under the pointer, found in the picture that is shown: at once, however long the simulation takes to answer.

use crate::session::{Ray, View};
use glam::Vec3;

/// What a ray meets first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Picked {
    /// Where [m].
    pub point: Vec3,
    /// How far from the eye [m].
    pub distance: f32,
    /// A point of the object in the frame; `None` is a collider or the ground.
    pub particle: Option<u32>,
}

/// What a ray meets first.
pub fn pick(view: &View, ray: &Ray) -> Option<Picked> {
    let mut best: Option<(f32, Option<u32>)> = None;
    let mut offer = |distance: f32, particle: Option<u32>| {
        if distance > 0.0 && best.is_none_or(|(nearest, _)| distance < nearest) {
            best = Some((distance, particle));
        }
    };
    let (shape, frame) = (&view.drawn, &view.frame);
    let at = |i: u32| frame.positions.get(i as usize).copied().unwrap_or(Vec3::NAN);
    for triangle in &shape.triangles {
        if let Some(distance) = meets_triangle(ray, triangle.map(at)) {
            offer(distance, Some(triangle[0]));
        }
    }
    for &[a, b] in &shape.lines {
        let radius = shape.radii.get(a as usize).copied().unwrap_or(0.0).max(0.004 * shape.size);
        if let Some(distance) = meets_capsule(ray, at(a), at(b), radius) {
            offer(distance, Some(a));
        }
    }
    for &i in shape.spheres.iter().chain(&shape.liquid).filter(|&&i| !frame.is_inactive(i as usize)) {
        if let Some(distance) = meets_sphere(ray, at(i), shape.radii[i as usize]) {
            offer(distance, Some(i));
        }
    }
    for (k, (mesh, pose)) in shape.colliders.iter().zip(&view.poses).enumerate() {
        // The back of a wall is not drawn.
        let is_wall = shape.walls.get(k).copied().unwrap_or(false);
        if is_wall && (pose.rotation * Vec3::Y).dot(ray.direction) > 0.0 {
            continue;
        }
        let local = Ray { origin: pose.inward(ray.origin), direction: pose.rotation.conjugate() * ray.direction };
        for triangle in &mesh.triangles {
            if let Some(distance) = meets_triangle(&local, triangle.map(|v| mesh.positions[v as usize])) {
                offer(distance, None);
            }
        }
    }
    if let Some(height) = shape.ground {
        offer((height - ray.origin.y) / ray.direction.y, None);
    }
    let (distance, particle) = best.filter(|(distance, _)| distance.is_finite())?;
    Some(Picked { point: ray.origin + ray.direction * distance, distance, particle })
}

/// Distance to a triangle, from either side (Möller and Trumbore).
fn meets_triangle(ray: &Ray, [a, b, c]: [Vec3; 3]) -> Option<f32> {
    let (ab, ac) = (b - a, c - a);
    let p = ray.direction.cross(ac);
    let det = ab.dot(p);
    if det.abs() < 1e-20 || !det.is_finite() {
        return None;
    }
    let from = ray.origin - a;
    let u = from.dot(p) / det;
    let q = from.cross(ab);
    let v = ray.direction.dot(q) / det;
    let inside = u >= 0.0 && v >= 0.0 && u + v <= 1.0;
    inside.then(|| ac.dot(q) / det)
}

fn meets_sphere(ray: &Ray, center: Vec3, radius: f32) -> Option<f32> {
    let to = center - ray.origin;
    let along = to.dot(ray.direction);
    let inside = radius * radius - (to - ray.direction * along).length_squared();
    (inside >= 0.0).then(|| along - inside.sqrt())
}

/// Distance to the point of the ray that is nearest to a segment, if it is within a radius.
fn meets_capsule(ray: &Ray, a: Vec3, b: Vec3, radius: f32) -> Option<f32> {
    let (axis, from) = (b - a, ray.origin - a);
    let (aa, ab, bb) = (axis.length_squared(), axis.dot(ray.direction), 1.0);
    let det = aa * bb - ab * ab;
    let along =
        if det > 1e-12 * aa { ((axis.dot(from) - ab * ray.direction.dot(from)) / det).clamp(0.0, 1.0) } else { 0.0 };
    meets_sphere(ray, a + axis * along, radius)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Drawn;
    use pliant::frame::Frame;
    use std::sync::Arc;

    fn view(drawn: Drawn, positions: &[[f32; 3]]) -> View {
        let positions = positions.iter().copied().map(Vec3::from).collect();
        View { drawn: Arc::new(drawn), frame: Arc::new(Frame { positions, ..Frame::default() }), ..View::default() }
    }

    const DOWN: Ray = Ray { origin: Vec3::new(0.2, 5.0, 0.2), direction: Vec3::NEG_Y };

    #[test]
    fn the_nearest_of_all_kinds_is_picked() {
        let drawn = || Drawn { ground: Some(0.0), size: 1.0, radii: vec![0.1; 3], ..Drawn::default() };
        let points = [[0.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 1.0, 0.0]];
        let ground = pick(&view(drawn(), &points), &DOWN).unwrap();
        assert_eq!((ground.particle, ground.point.y), (None, 0.0));
        let sheet = Drawn { triangles: vec![[0, 1, 2]], ..drawn() };
        let hit = pick(&view(sheet, &points), &DOWN).unwrap();
        assert!(hit.particle == Some(0) && (hit.point.y - 1.0).abs() < 1e-6);
        let rope = Drawn { lines: vec![[0, 2]], radii: vec![0.3; 3], ..drawn() };
        assert_eq!(pick(&view(rope, &points), &DOWN).unwrap().particle, Some(0));
        let grain = Drawn { spheres: vec![1], radii: vec![0.9; 3], ..drawn() };
        assert_eq!(pick(&view(grain, &points), &DOWN).unwrap().particle, Some(1));
    }

    #[test]
    fn positions_that_are_no_numbers_are_not_hit() {
        let drawn = Drawn {
            triangles: vec![[0, 1, 2]],
            spheres: vec![0],
            lines: vec![[0, 1]],
            radii: vec![0.1; 3],
            ..Drawn::default()
        };
        assert_eq!(pick(&view(drawn, &[[f32::NAN; 3]; 3]), &DOWN), None);
    }
}
