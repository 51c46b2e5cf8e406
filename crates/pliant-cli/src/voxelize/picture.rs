//! Picture of the particles: whole on the left, cut open on the right.

use crate::failure::Failure;
use glam::Vec3;
use pliant::voxel::Particles;
use pliant_render::{Camera, Color, GroundDraw, PALETTE, Picture, Renderer, SphereDraw, write_png};
use std::path::Path;

const WIDTH: u32 = 1600;
const HEIGHT: u32 = 900;

/// Size of the longest side of a body in the picture [m]; the renderer's defaults are for scenes of meters.
const SIZE: f32 = 1.0;

/// Renders the particles and writes the picture atomically.
pub fn save(path: &Path, particles: &Particles) -> Result<(), Failure> {
    let image = Renderer::new(WIDTH, HEIGHT)?.render(&picture(particles));
    let bytes = write_png(&image)?;
    Ok(pliant_io::write_atomically(path, |file| file.write_all(&bytes))?)
}

fn picture(particles: &Particles) -> Picture<'static> {
    let start = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    let (low, high) =
        particles.positions.iter().zip(&particles.radii).fold(start, |(l, h), (&p, &r)| (l.min(p - r), h.max(p + r)));
    let size = high - low;
    let scale = SIZE / size.max_element();
    let half = size * (0.5 * scale);
    // Offset of each body, with a gap between them.
    let offset = Vec3::X * (half.x + 0.06 * SIZE);
    let reach = Vec3::new(offset.x + half.x, half.y, half.z);
    let direction = Vec3::new(0.25, 0.3, 1.0);
    let camera = Camera::frame_bounds_from(-reach, reach, WIDTH as f32 / HEIGHT as f32, direction);
    let mut picture = Picture::new(camera);
    picture.ground = Some(GroundDraw { height: -half.y, spacing: 0.2 * SIZE, fade: 12.0 * SIZE, ..Default::default() });
    for i in 0..particles.len() {
        let level = particles.levels[i] as usize;
        let color = color(level);
        let radius = particles.radii[i] * scale;
        let center = (particles.positions[i] - (low + high) * 0.5) * scale;
        // Single voxels are omitted below the surface, where they are not visible.
        if level > 0 || -particles.phi[i] < 8.0 * particles.radii[i] {
            picture.spheres.push(SphereDraw { center: center - offset, radius, color });
        }
        // Particles that extend behind the cut are drawn whole; otherwise there would be holes.
        if center.z < 0.99 * radius {
            picture.spheres.push(SphereDraw { center: center + offset, radius, color });
        }
    }
    picture
}

fn color(level: usize) -> Color {
    PALETTE[level % PALETTE.len()]
}
