//! Pliant's software renderer and its picture and video files.
//!
//! [`Picture`] describes an image, [`Renderer`] draws it without a GPU or a display, and [`write_png`], [`Mp4Writer`] and
//! [`GifWriter`] store it. The crate does not depend on the engine: the caller passes slices of positions and triangles.
//! The exception is the feature `gpu`, whose `GpuRenderer` draws from the buffers of a simulation without a copy.
//!
//! Invariant: the same picture gives the same bytes for any number of threads.
//!
//! Units are meters, y points up, colors are linear light (see [`Color::srgb8`]).
//!
//! ```
//! use glam::Vec3;
//! use pliant_render::{Camera, GroundDraw, PALETTE, Picture, Renderer, SphereDraw};
//!
//! let camera = Camera::frame_bounds(Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 2.0, 1.0), 16.0 / 9.0);
//! let mut picture = Picture::new(camera);
//! picture.ground = Some(GroundDraw::default());
//! picture.spheres.push(SphereDraw { center: Vec3::Y, radius: 1.0, color: PALETTE[0] });
//! let image = Renderer::new(320, 180).unwrap().render(&picture);
//! let png = pliant_render::write_png(&image).unwrap();
//! assert_eq!(&png[1..4], b"PNG");
//! ```

#![forbid(unsafe_code)]

mod bins;
mod camera;
mod color;
mod contact_shadow;
mod curve;
mod error;
mod geometry;
#[cfg(feature = "gpu")]
mod gpu;
mod ground;
mod image;
mod liquid;
mod ortho;
mod picture;
mod raster_grid;
mod renderer;
mod shade;
mod shadow;
mod shapes;
mod spheres;
mod tessellation;
mod tile;
mod triangle_setup;
mod video;

pub use camera::Camera;
pub use color::{Color, PALETTE};
pub use curve::catmull_rom;
pub use error::{RenderError, VideoError};
#[cfg(feature = "gpu")]
pub use gpu::{GpuRenderError, GpuRenderer, GpuScene, MaterialAssignment, ObjectMaterial};
pub use image::{Image, write_png};
pub use picture::{
    EdgeLines, GroundDraw, Light, LiquidDraw, MeshColor, MeshDraw, Picture, Sky, SolidDraw, SphereDraw, TubeDraw,
};
pub use renderer::Renderer;
pub use video::{GifWriter, Mp4Writer, VideoWriter};
