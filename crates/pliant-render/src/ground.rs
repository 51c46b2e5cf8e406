//! The ground plane: its projection and its checker pattern.

use crate::camera::View;
use crate::picture::GroundDraw;

/// 1/depth of the ground as `plane·(x, y, 1)` in pixels; `None` when the camera is not above it.
///
/// The ray r(x, y) is affine in the pixel and meets the plane at depth (h − eye.y)/r.y, so its inverse is
/// affine too. Above the horizon it is negative, which no sample accepts.
pub(crate) fn screen_plane(ground: &GroundDraw, view: &View) -> Option<[f32; 3]> {
    let drop = ground.height - view.eye.y;
    if drop >= 0.0 || drop.is_nan() {
        return None;
    }
    let origin = view.ray(0.0, 0.0).y;
    Some([(view.ray(1.0, 0.0).y - origin) / drop, (view.ray(0.0, 1.0).y - origin) / drop, origin / drop])
}

/// Points of the ground under `N` pixels of a row, as a structure of arrays without calls and branches, so that the
/// compiler vectorizes them: the ground covers most of a typical picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroundPoints<const N: usize> {
    pub x: [f32; N],
    pub z: [f32; N],
    /// Share of the alternate color.
    pub share: [f32; N],
    /// Blend factor of the horizon color, from 0 to 1.
    pub haze: [f32; N],
}

/// The ground at screen points `xs` of the row `y`; only meaningful where its 1/depth is positive.
pub(crate) fn ground_points<const N: usize>(
    ground: &GroundDraw,
    view: &View,
    xs: &[f32; N],
    y: f32,
) -> GroundPoints<N> {
    let mut out = GroundPoints { x: [0.0; N], z: [0.0; N], share: [0.0; N], haze: [0.0; N] };
    let start = view.ray(0.0, y);
    let (across, upward) = (view.basis.right / view.focal, view.basis.up / view.focal);
    let drop = ground.height - view.eye.y;
    let (per_square, per_fade) = (1.0 / ground.spacing, 1.0 / (ground.fade * ground.fade));
    for (i, &x) in xs.iter().enumerate() {
        let ray = [start.x + across.x * x, start.y + across.y * x, start.z + across.z * x];
        // Clamped just below the horizon, so that the position is finite.
        let down = 1.0 / if ray[1] < -1e-6 { ray[1] } else { -1e-6 };
        let depth = drop * down;
        let (dx, dz) = (ray[0] * depth, ray[2] * depth);
        // The pixel's footprint on the ground, axis by axis, is the width the checker is averaged over.
        // With r the ray and s its change per pixel, the hit r·d(r) changes by d·(s − r·s.y/r.y).
        let (turn_x, turn_y) = (across.y * down, upward.y * down);
        let wide_x = ((across.x - ray[0] * turn_x).abs() + (upward.x - ray[0] * turn_y).abs()) * depth;
        let wide_z = ((across.z - ray[2] * turn_x).abs() + (upward.z - ray[2] * turn_y).abs()) * depth;
        out.x[i] = view.eye.x + dx;
        out.z[i] = view.eye.z + dz;
        let sign_x = checker_sign(out.x[i] * per_square, wide_x * per_square);
        let sign_z = checker_sign(out.z[i] * per_square, wide_z * per_square);
        out.share[i] = 0.5 - 0.5 * sign_x * sign_z;
        // Approximates 1 − exp(−d²) without a library call.
        let distance = (dx * dx + dz * dz) * per_fade;
        out.haze[i] = 1.0 - 1.0 / (1.0 + distance + 0.5 * distance * distance);
    }
    out
}

/// Average over `size` around `at` of a square wave that alternates between 1 and −1 every unit.
///
/// The integral of the square wave is a triangle wave, so the average is a difference of two of them.
/// The color of a checker square is the product of the signs along both axes.
#[inline]
fn checker_sign(at: f32, size: f32) -> f32 {
    let size = if size > 1e-3 { size } else { 1e-3 };
    (triangle_wave(at + size * 0.5) - triangle_wave(at - size * 0.5)) / size
}

/// Period 2, from 1 at even numbers down to 0 at odd ones.
///
/// Rounds by way of integers because `floor` is a library call on the baseline instruction set. Where the
/// cast would overflow, squares are far smaller than a pixel and the haze is complete.
#[inline]
fn triangle_wave(v: f32) -> f32 {
    let half = v.clamp(-1e9, 1e9) * 0.5;
    let part = half - (half as i32) as f32;
    let part = if part < 0.0 { part + 1.0 } else { part };
    (part - 0.5).abs() * 2.0
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    #[test]
    fn the_checker_alternates_up_close_and_is_gray_from_afar() {
        let checker = |x: f32, z: f32, size: f32| 0.5 - 0.5 * checker_sign(x, size) * checker_sign(z, size);
        assert!(checker(0.5, 0.5, 0.01) < 0.01);
        assert!(checker(1.5, 0.5, 0.01) > 0.99);
        assert!(checker(-0.5, 0.5, 0.01) > 0.99);
        assert!(checker(1.5, 1.5, 0.01) < 0.01);
        assert!((checker(3.7, 8.2, 40.0) - 0.5).abs() < 0.01);
    }

    #[test]
    fn ground_points_lie_on_the_plane_under_their_pixels() {
        let view = View::new(&crate::camera::Camera::look_at(Vec3::new(1.0, 2.0, 3.0), Vec3::ZERO), 64, 48);
        let ground = GroundDraw { height: 0.25, ..GroundDraw::default() };
        let points = ground_points(&ground, &view, &[10.5, 50.5], 40.5);
        for (i, x) in [10.5, 50.5].into_iter().enumerate() {
            let p = view.project(Vec3::new(points.x[i], 0.25, points.z[i]));
            assert!((p.x / p.z - x).abs() < 1e-3 && (p.y / p.z - 40.5).abs() < 1e-3);
        }
    }
}
