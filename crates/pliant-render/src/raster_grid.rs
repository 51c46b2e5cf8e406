//! Tile size and fixed-point resolution that triangle setup, sphere setup and tiles share.

/// Width of a tile [px].
pub(crate) const TILE_WIDTH: u32 = 32;
/// Height of a tile [px].
pub(crate) const TILE_HEIGHT: u32 = 16;

/// Fixed-point steps per pixel. With the guard band of `triangle_setup` it keeps edge functions within a tile inside `i32`.
pub(crate) const SUBPIXEL_STEPS: i32 = 32;
