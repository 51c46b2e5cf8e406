//! Rope geometry: the Catmull–Rom curve through the particles of a rope, and a tube around it.
//!
//! Reference: Catmull, Rom, "A class of local interpolating splines", 1974; uniform knots.

use crate::tessellation::TessellatedMesh;
use glam::Vec3;

/// Samples the uniform Catmull–Rom curve through `points`, `samples_per_segment` per segment.
///
/// The result has (n − 1)·s + 1 points; every s-th one is an input point, exactly. Between points
/// i and i+1, with tangents mᵢ = (pᵢ₊₁ − pᵢ₋₁)/2, the curve is the cubic Hermite segment, so position
/// and tangent are continuous. Ends are mirrored: p₋₁ = 2p₀ − p₁. Fewer than two points, or zero
/// samples, come back unchanged.
pub fn catmull_rom(points: &[Vec3], samples_per_segment: usize) -> Vec<Vec3> {
    let n = points.len();
    if n < 2 || samples_per_segment == 0 {
        return points.to_vec();
    }
    let before_first = points[0] * 2.0 - points[1];
    let after_last = points[n - 1] * 2.0 - points[n - 2];
    let mut curve = Vec::with_capacity((n - 1) * samples_per_segment + 1);
    for i in 0..n - 1 {
        let (p1, p2) = (points[i], points[i + 1]);
        let p0 = if i == 0 { before_first } else { points[i - 1] };
        let p3 = points.get(i + 2).copied().unwrap_or(after_last);
        curve.push(p1);
        for step in 1..samples_per_segment {
            let t = step as f32 / samples_per_segment as f32;
            curve.push(hermite(p1, p2, (p2 - p0) * 0.5, (p3 - p1) * 0.5, t));
        }
    }
    curve.push(points[n - 1]);
    curve
}

/// Cubic from `p1` to `p2` with end tangents `m1` and `m2`.
fn hermite(p1: Vec3, p2: Vec3, m1: Vec3, m2: Vec3, t: f32) -> Vec3 {
    let (t2, t3) = (t * t, t * t * t);
    p1 * (2.0 * t3 - 3.0 * t2 + 1.0) + m1 * (t3 - 2.0 * t2 + t) + p2 * (3.0 * t2 - 2.0 * t3) + m2 * (t3 - t2)
}

const SIDES: u32 = 14;
const SAMPLES: usize = 6;
/// Rings of each rounded end.
const CAP_RINGS: u32 = 3;

/// A tube with round ends along the Catmull–Rom curve through `points`.
pub(crate) fn tube(points: &[Vec3], radius: f32) -> TessellatedMesh {
    let mut curve = catmull_rom(points, SAMPLES);
    // Coincident samples have no direction and are merged.
    curve.dedup_by(|a, b| a.distance_squared(*b) < 1e-12 * radius * radius);
    let mut surface = TessellatedMesh::default();
    if curve.len() < 2 {
        return surface;
    }
    let last = curve.len() - 1;
    let mut tangent = (curve[1] - curve[0]).normalize_or(Vec3::Y);
    let mut side = tangent.any_orthonormal_vector();
    let cap = |ring: u32| (ring as f32 / CAP_RINGS as f32 * std::f32::consts::FRAC_PI_2).sin_cos();
    for ring in 0..CAP_RINGS {
        let (sin, cos) = cap(ring);
        push_ring(&mut surface, curve[0] - tangent * (radius * cos), tangent, side, radius * sin, -cos);
    }
    for i in 0..=last {
        let next = (curve[(i + 1).min(last)] - curve[i.saturating_sub(1)]).normalize_or(tangent);
        // Parallel transport of the side vector keeps the tube from twisting.
        side = (side - next * side.dot(next)).normalize_or(next.any_orthonormal_vector());
        tangent = next;
        push_ring(&mut surface, curve[i], tangent, side, radius, 0.0);
    }
    for ring in (0..CAP_RINGS).rev() {
        let (sin, cos) = cap(ring);
        push_ring(&mut surface, curve[last] + tangent * (radius * cos), tangent, side, radius * sin, cos);
    }
    let rings = surface.positions.len() as u32 / SIDES;
    for ring in 0..rings - 1 {
        for k in 0..SIDES {
            let next = (k + 1) % SIDES;
            let at = |r: u32, s: u32| (ring + r) * SIDES + s;
            surface.triangles.push([at(0, k), at(0, next), at(1, next)]);
            surface.triangles.push([at(0, k), at(1, next), at(1, k)]);
        }
    }
    surface
}

/// One ring of a tube; `lean` is the part of its normals that points along the tangent.
fn push_ring(surface: &mut TessellatedMesh, center: Vec3, tangent: Vec3, side: Vec3, radius: f32, lean: f32) {
    let other = tangent.cross(side);
    let out = (1.0 - lean * lean).max(0.0).sqrt();
    for k in 0..SIDES {
        let (sin, cos) = (k as f32 / SIDES as f32 * std::f32::consts::TAU).sin_cos();
        let direction = side * cos + other * sin;
        surface.positions.push(center + direction * radius);
        surface.normals.push(direction * out + tangent * lean);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zigzag() -> Vec<Vec3> {
        (0..6).map(|i| Vec3::new(i as f32, (i % 2) as f32, (i * i % 3) as f32 * 0.5)).collect()
    }

    #[test]
    fn s26_catmull_rom_passes_through_its_points() {
        let points = zigzag();
        for samples in [1, 2, 7] {
            let curve = catmull_rom(&points, samples);
            assert_eq!(curve.len(), (points.len() - 1) * samples + 1);
            for (i, p) in points.iter().enumerate() {
                assert_eq!(curve[i * samples], *p);
            }
        }
    }

    #[test]
    fn s26_catmull_rom_has_continuous_tangents() {
        // One-sided differences over h = 1/100 are off by h/2·|p''|; |p''| ≤ 6·|Δp| + 6·|m| < 20 here,
        // so both sides must be within 0.1 of (p₊ − p₋)/2, the tangent the definition gives.
        let points = zigzag();
        let samples = 100;
        let curve = catmull_rom(&points, samples);
        for i in 1..points.len() - 1 {
            let at = i * samples;
            let expected = (points[i + 1] - points[i - 1]) * 0.5;
            let left = (curve[at] - curve[at - 1]) * samples as f32;
            let right = (curve[at + 1] - curve[at]) * samples as f32;
            assert!(left.distance(expected) < 0.1, "left of point {i}: {left} against {expected}");
            assert!(right.distance(expected) < 0.1, "right of point {i}: {right} against {expected}");
        }
    }

    #[test]
    fn s26_catmull_rom_keeps_straight_lines_straight() {
        let points: Vec<Vec3> = (0..4).map(|i| Vec3::X * i as f32).collect();
        for (k, p) in catmull_rom(&points, 5).iter().enumerate() {
            assert!(p.distance(Vec3::X * (k as f32 / 5.0)) < 1e-6);
        }
    }

    #[test]
    fn tube_vertices_lie_on_the_radius_and_normals_point_out() {
        let points = [Vec3::ZERO, Vec3::Y, Vec3::Y * 2.0];
        let surface = tube(&points, 0.1);
        for (p, n) in surface.positions.iter().zip(&surface.normals) {
            let axis = Vec3::new(0.0, p.y.clamp(0.0, 2.0), 0.0);
            assert!((p.distance(axis) - 0.1).abs() < 1e-5);
            assert!((*p - axis).normalize().dot(*n) > 0.999);
        }
        for t in &surface.triangles {
            let [a, b, c] = t.map(|v| surface.positions[v as usize]);
            let facing = (b - a).cross(c - a);
            let out = (a + b + c) / 3.0 - Vec3::Y * ((a + b + c).y / 3.0).clamp(0.0, 2.0);
            assert!(facing.dot(out) >= -1e-9, "inward triangle {t:?}");
        }
    }
}
