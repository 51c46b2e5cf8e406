//! A picture of everything the renderer draws: cloth, a mesh, a rope, balls and solids on the ground.
//!
//! `cargo run --release -p pliant-render --example draw_flag -- flag.png` writes the picture; with
//! `--video flag.mp4` (or `.gif`) after it also two seconds of waving, and prints the speed of both.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use glam::{Quat, Vec3};
use pliant_render::{
    Camera, Color, GifWriter, GroundDraw, MeshDraw, Mp4Writer, PALETTE, Picture, Renderer, SolidDraw, SphereDraw,
    TubeDraw, VideoWriter, write_png,
};

const SIZE: [u32; 2] = [1280, 720];
const FPS: f64 = 30.0;

type Mesh = (Vec<Vec3>, Vec<[u32; 3]>);

/// Triangles of a grid of (columns + 1)·(rows + 1) vertices.
fn grid(columns: u32, rows: u32, place: impl Fn(f32, f32) -> Vec3) -> Mesh {
    let mut positions = Vec::new();
    for r in 0..=rows {
        for c in 0..=columns {
            positions.push(place(c as f32 / columns as f32, r as f32 / rows as f32));
        }
    }
    let mut triangles = Vec::new();
    for r in 0..rows {
        for c in 0..columns {
            let at = |dr: u32, dc: u32| (r + dr) * (columns + 1) + c + dc;
            triangles.push([at(0, 0), at(1, 0), at(1, 1)]);
            triangles.push([at(0, 0), at(1, 1), at(0, 1)]);
        }
    }
    (positions, triangles)
}

/// A flag of 80×60 vertices that waves more toward its free end.
fn flag(time: f32) -> Mesh {
    grid(79, 59, |s, t| {
        let wave = (9.0 * s - 6.0 * time + 1.5 * t).sin() * 0.16 * s.sqrt()
            + (17.0 * s - 9.0 * time - 2.0 * t).sin() * 0.035 * s;
        Vec3::new(-1.25 + 1.75 * s, 2.35 - 1.15 * t - 0.12 * s * s, -0.35 + wave + 0.25 * s)
    })
}

fn torus(center: Vec3, major: f32, minor: f32) -> Mesh {
    grid(64, 32, |s, t| {
        let (u, v) = (s * std::f32::consts::TAU, t * std::f32::consts::TAU);
        let out = major + minor * v.cos();
        center + Vec3::new(out * u.cos(), minor * v.sin(), out * u.sin())
    })
}

/// A rope that lies in a loose coil.
fn rope(time: f32) -> Vec<Vec3> {
    (0..26)
        .map(|i| {
            let s = i as f32 / 25.0;
            let turn = 8.5 * s + 0.4 + 0.05 * time;
            let radius = 0.2 + 0.34 * s;
            Vec3::new(
                -0.55 + radius * turn.cos(),
                0.035 + 0.04 * (3.0 * turn).sin().max(0.0),
                0.85 + radius * turn.sin(),
            )
        })
        .collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let output = arguments.first().map_or("flag.png", String::as_str);
    let renderer = Renderer::new(SIZE[0], SIZE[1])?;
    let (torus_points, torus_triangles) = torus(Vec3::new(0.62, 0.16, 0.95), 0.34, 0.16);

    let draw = |time: f32| {
        let (cloth, cloth_triangles) = flag(time);
        let rope = rope(time);
        let camera = Camera::frame_bounds(Vec3::new(-1.3, 0.0, -0.8), Vec3::new(1.7, 2.25, 1.3), 16.0 / 9.0);
        let mut picture = Picture::new(camera);
        picture.ground = Some(GroundDraw::default());
        picture.meshes.push(MeshDraw::cloth(&cloth, &cloth_triangles, PALETTE[0]));
        picture.meshes.push(MeshDraw::new(&torus_points, &torus_triangles, PALETTE[2]));
        picture.tubes.push(TubeDraw { points: &rope, radius: 0.035, color: Color::srgb8(222, 204, 170) });
        let pole = Color::srgb8(120, 128, 138);
        picture.solids.push(SolidDraw::Capsule {
            a: Vec3::new(-1.28, 0.0, -0.35),
            b: Vec3::new(-1.28, 2.42, -0.35),
            radius: 0.03,
            color: pole,
        });
        picture.solids.push(SolidDraw::Capsule {
            a: Vec3::new(1.15, 0.2, -0.3),
            b: Vec3::new(1.65, 0.2, 0.25),
            radius: 0.2,
            color: PALETTE[3],
        });
        picture.solids.push(SolidDraw::Box {
            center: Vec3::new(0.25, 0.25, -0.15),
            half: Vec3::new(0.3, 0.25, 0.25),
            rotation: Quat::from_rotation_y(0.5),
            color: PALETTE[1],
        });
        for (i, (x, z, radius)) in
            [(0.2, -0.1, 0.16), (1.35, 0.95, 0.14), (1.6, 0.72, 0.1), (-0.35, 0.15, 0.12), (0.62, 0.95, 0.19)]
                .into_iter()
                .enumerate()
        {
            let floor = if i == 0 { 0.5 } else { 0.0 };
            let center = Vec3::new(x, floor + radius, z);
            picture.spheres.push(SphereDraw { center, radius, color: PALETTE[(i + 4) % 8] });
        }
        renderer.render(&picture)
    };

    let image = draw(0.0);
    std::fs::write(output, write_png(&image)?)?;
    println!("wrote {output}");
    if let [_, option, path] = &arguments[..]
        && option == "--video"
    {
        let mut video: Box<dyn VideoWriter> = if path.ends_with(".gif") {
            Box::new(GifWriter::create(path, SIZE[0], SIZE[1], FPS)?)
        } else {
            Box::new(Mp4Writer::create(path, SIZE[0], SIZE[1], FPS)?)
        };
        let start = Instant::now();
        let frames: Vec<_> = (0..60).map(|i| draw(i as f32 / FPS as f32)).collect();
        let drawn = start.elapsed().as_secs_f64();
        let start = Instant::now();
        for frame in &frames {
            video.push(frame)?;
        }
        video.finish()?;
        let written = start.elapsed().as_secs_f64();
        println!("wrote {path}: drawn at {:.1} frames/s, encoded at {:.1} frames/s", 60.0 / drawn, 60.0 / written);
    }
    Ok(())
}
