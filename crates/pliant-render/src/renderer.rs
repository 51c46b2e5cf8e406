//! The tiled software renderer: gather, project, bin into tiles, then fill and shade each tile independently.

use rayon::prelude::*;

use crate::bins::Bins;
use crate::camera::View;
use crate::color::display_bytes;
use crate::contact_shadow::ContactShadowMap;
use crate::error::RenderError;
use crate::geometry::Geometry;
use crate::ground::screen_plane;
use crate::image::Image;
use crate::picture::Picture;
use crate::raster_grid::{TILE_HEIGHT, TILE_WIDTH};
use crate::shade::RenderScene;
use crate::shadow::ShadowMap;
use crate::spheres::ScreenSphere;
use crate::tile::{FIRST_OBJECT, Tile};
use crate::triangle_setup::screen_triangles;

/// Maximum side of a picture [px]; see the fixed-point range in `triangle_setup`.
const MAX_SIDE: u32 = 4096;

/// Draws pictures of one size.
#[derive(Clone, Copy, Debug)]
pub struct Renderer {
    width: u32,
    height: u32,
}

impl Renderer {
    /// A renderer for `width`×`height` pixels.
    ///
    /// # Errors
    /// Sides of 0 or above 4096 pixels.
    pub fn new(width: u32, height: u32) -> Result<Self, RenderError> {
        if !(1..=MAX_SIDE).contains(&width) || !(1..=MAX_SIDE).contains(&height) {
            return Err(RenderError::Size { width, height });
        }
        Ok(Self { width, height })
    }

    /// Draws one picture on the current rayon thread pool.
    ///
    /// The bytes depend on the picture alone, not on the number of threads.
    pub fn render(&self, picture: &Picture) -> Image {
        let scene = self.prepare(picture);
        let (columns, rows) = (self.width.div_ceil(TILE_WIDTH), self.height.div_ceil(TILE_HEIGHT));
        let spheres = scene.spheres.iter().map(|(_, s)| Some(s.tiles(self.width, self.height)));
        let triangles = scene.triangles.iter().map(|t| t.tiles(self.width, self.height));
        let cells: Vec<_> = spheres.chain(triangles).collect();
        let bins = Bins::sort(columns, rows, &cells);
        let plane = picture.ground.as_ref().and_then(|g| screen_plane(g, &scene.view));

        let mut image = Image::new(self.width, self.height);
        let strip = (self.width * TILE_HEIGHT * 3) as usize;
        let strips = image.pixels.par_chunks_mut(strip).enumerate();
        strips.for_each_init(Tile::new, |tile, (row, pixels)| {
            for column in 0..columns {
                tile.start(column, row as u32, &scene.view);
                if let Some(plane) = plane {
                    tile.fill_ground(plane);
                }
                for &item in bins.cell(row * columns as usize + column as usize) {
                    let id = FIRST_OBJECT + item;
                    match scene.spheres.get(item as usize) {
                        Some((_, sphere)) => tile.fill_sphere(sphere, id, &scene.view),
                        None => {
                            let triangle = &scene.triangles[item as usize - scene.spheres.len()];
                            if (triangle.source as usize) < scene.geometry.opaque {
                                tile.fill_triangle(triangle, id);
                            } else {
                                tile.fill_liquid(triangle, id);
                            }
                        }
                    }
                }
                self.resolve(tile, &scene, pixels);
            }
        });
        image
    }

    fn prepare<'a>(&self, picture: &'a Picture<'a>) -> RenderScene<'a> {
        let view = View::new(&picture.camera, self.width, self.height);
        let geometry = Geometry::gather(picture);
        let triangles = screen_triangles(&geometry, &view);
        let in_view = |(i, s)| ScreenSphere::new(s, &view).map(|sphere| (i as u32, sphere));
        let spheres = geometry.spheres.iter().enumerate().filter_map(in_view).collect();
        let to_sun = picture.light.to_sun.normalize_or(glam::Vec3::Y);
        let shadow = ShadowMap::new(&geometry, to_sun);
        let contact = picture.ground.as_ref().and_then(|g| ContactShadowMap::new(&geometry, g.height));
        RenderScene { picture, view, geometry, spheres, triangles, shadow, contact, to_sun }
    }

    /// Shades a filled tile into its strip of the image.
    fn resolve(&self, tile: &Tile, scene: &RenderScene, strip: &mut [u8]) {
        for y in 0..tile.height {
            let start = ((y * self.width + tile.x) * 3) as usize;
            let pixels = &mut strip[start..start + tile.width as usize * 3];
            scene.row(tile, y, |x, color| {
                pixels[x as usize * 3..][..3].copy_from_slice(&display_bytes(color));
            });
        }
    }
}
