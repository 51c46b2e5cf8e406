//! Charts and graphs as SVG, for reports and browsers.
//!
//! Does not depend on the simulation: the input is plain numbers. Invariant: every label lies within the picture, and
//! color is never the only carrier of a meaning where numbers fit.

pub mod bars;
mod canvas;
pub mod graph;
pub mod lines;
mod ticks;

pub use canvas::{DrawResult, svg, title};

use crate::failure::Failure;
use std::path::Path;

/// Writes a picture or another text atomically.
pub fn save(path: &Path, text: &str) -> Result<(), Failure> {
    Ok(pliant_io::write_atomically(path, |file| file.write_all(text.as_bytes()))?)
}
