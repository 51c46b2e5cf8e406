//! Parsers of option values that several commands share.

use std::path::{Path, PathBuf};

pub(super) fn positive(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| format!("{text:?} is not a number"))?;
    if value > 0.0 && value <= 1e6 { Ok(value) } else { Err("allowed is more than 0 and at most 1000000".into()) }
}

/// Simulated time between checkpoints [s], from "every=0.5s".
pub(super) fn checkpoint(text: &str) -> Result<f64, String> {
    let wrong = || format!("{text:?} is no interval: write every=1s for one each simulated second");
    let number = text.strip_prefix("every=").and_then(|t| t.strip_suffix('s')).ok_or_else(wrong)?;
    positive(number)
}

pub(super) fn threads(text: &str) -> Result<usize, String> {
    let value: usize = text.parse().map_err(|_| format!("{text:?} is not a whole number"))?;
    if value <= 1024 { Ok(value) } else { Err("allowed is 0 (one per core) to 1024".into()) }
}

pub(super) fn svg(text: &str) -> Result<PathBuf, String> {
    let path = Path::new(text);
    let is_svg = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("svg"));
    if is_svg { Ok(path.into()) } else { Err("a plot is an SVG file: give a name that ends in .svg".into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plots_are_svg_files() {
        for (name, fine) in [("a.svg", true), ("out/b.SVG", true), ("a.png", false), ("svg", false), ("", false)] {
            assert_eq!(svg(name).is_ok(), fine, "{name:?}");
        }
    }
}
