//! Draws a wavy sheet of 300,000 triangles and prints the time per picture.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use glam::Vec3;
use pliant_render::{Camera, GroundDraw, MeshDraw, PALETTE, Picture, Renderer};

const SIDE: u32 = 387;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut positions = Vec::new();
    for j in 0..=SIDE {
        for i in 0..=SIDE {
            let (s, t) = (i as f32 / SIDE as f32 * 4.0, j as f32 / SIDE as f32 * 4.0);
            positions.push(Vec3::new(s - 2.0, 0.6 + 0.25 * (3.0 * s).sin() * (2.5 * t).cos(), t - 2.0));
        }
    }
    let mut triangles = Vec::new();
    for j in 0..SIDE {
        for i in 0..SIDE {
            let k = j * (SIDE + 1) + i;
            triangles.push([k, k + SIDE + 1, k + 1]);
            triangles.push([k + 1, k + SIDE + 1, k + SIDE + 2]);
        }
    }
    let bounds = [Vec3::new(-2.0, 0.0, -2.0), Vec3::new(2.0, 1.0, 2.0)];
    let mut picture = Picture::new(Camera::frame_bounds(bounds[0], bounds[1], 16.0 / 9.0));
    picture.ground = Some(GroundDraw::default());
    picture.meshes.push(MeshDraw::cloth(&positions, &triangles, PALETTE[6]));
    let renderer = Renderer::new(1280, 720)?;
    let start = Instant::now();
    let mut image = renderer.render(&picture);
    for _ in 1..10 {
        image = renderer.render(&picture);
    }
    println!("{} triangles: {:.3} s per picture", triangles.len(), start.elapsed().as_secs_f64() / 10.0);
    if let Some(path) = std::env::args().nth(1) {
        std::fs::write(path, pliant_render::write_png(&image)?)?;
    }
    Ok(())
}
