//! Drawing area, colors, text and axes that all charts share.

use super::ticks::Ticks;
use crate::failure::Failure;
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::io;

/// A drawing area in pixels.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Result of drawing.
pub type DrawResult = Result<(), DrawingAreaErrorKind<io::Error>>;

/// A chart with its axes.
pub(super) type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Ticks, Ticks>>;

/// Text and axes.
pub(super) const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
/// Grid lines.
pub(super) const FAINT: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);
/// Averaged constraints and reference lines.
pub(super) const GRAY: RGBColor = RGBColor(0x77, 0x77, 0x77);

/// Okabe and Ito's colors for all kinds of color vision without yellow, which is hard to see on white, then colors
/// of Tol's muted scheme.
pub(super) const PALETTE: [RGBColor; 12] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x56, 0xb4, 0xe9),
    RGBColor(0x33, 0x22, 0x88),
    RGBColor(0x88, 0x22, 0x55),
    RGBColor(0x99, 0x99, 0x33),
    RGBColor(0x11, 0x77, 0x33),
    RGBColor(0x66, 0x11, 0x00),
    RGBColor(0x00, 0x00, 0x00),
];

/// Color of a class or series; colors repeat after twelve.
pub(super) fn color(number: usize) -> RGBColor {
    PALETTE[number % PALETTE.len()]
}

/// Draws a picture on white and returns it as an SVG file.
pub fn svg(size: (u32, u32), draw: impl FnOnce(&Area) -> DrawResult) -> Result<String, Failure> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
        let drawn = area.fill(&WHITE).and_then(|()| draw(&area)).and_then(|()| area.present());
        drawn.map_err(|e| Failure::new(format!("cannot draw the plot: {e}")))?;
    }
    Ok(text)
}

/// Font of a size in pixels.
pub(super) fn font(size: u32) -> TextStyle<'static> {
    // The backend takes the line height, 1.24 times the font size.
    ("sans-serif", f64::from(size) * 1.24).into_font().color(&INK)
}

/// Writes a line of text; `position` is its left end, center or right end.
pub(super) fn write(area: &Area, text: &str, position: (i32, i32), size: u32, side: HPos) -> DrawResult {
    let style = font(size).pos(Pos::new(side, VPos::Center));
    area.draw(&Text::new(text.to_owned(), position, style))
}

/// Writes a centered title, smaller if it is long.
pub fn title(area: &Area, text: &str) -> DrawResult {
    let (width, _) = area.dim_in_pixel();
    // Font metrics are not available: a letter is assumed to be 0.6 times as wide as high, more than the mean.
    let fits = f64::from(width) * 0.95 / (0.6 * text.chars().count().max(1) as f64);
    write(area, text, (width as i32 / 2, 24), (fits as u32).clamp(6, 18), HPos::Center)
}

/// Both axes of a chart.
pub(super) struct Axes<'a> {
    pub x: &'a Ticks,
    pub y: &'a Ticks,
    pub x_label: &'a str,
    pub y_label: &'a str,
}

/// Draws the axes and a faint grid.
pub(super) fn chart<'a, 'b>(area: &'a Area<'b>, axes: &Axes) -> Result<Chart<'a, 'b>, DrawingAreaErrorKind<io::Error>> {
    let mut chart = ChartBuilder::on(area)
        .margin(8)
        .margin_right(20)
        .x_label_area_size(48)
        .y_label_area_size(80)
        .build_cartesian_2d(axes.x.clone(), axes.y.clone())?;
    chart
        .configure_mesh()
        .bold_line_style(FAINT)
        .axis_style(INK)
        .x_desc(axes.x_label)
        .y_desc(axes.y_label)
        .x_label_formatter(&|v| axes.x.label(*v))
        .y_label_formatter(&|v| axes.y.label(*v))
        .label_style(font(12))
        .axis_desc_style(font(13))
        .draw()?;
    Ok(chart)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_one_svg_element_on_white() {
        let text = svg((40, 30), |area| write(area, "a < b & c", (20, 15), 12, HPos::Center)).unwrap();
        assert!(text.starts_with("<svg ") && text.trim_end().ends_with("</svg>"), "{text}");
        assert!(text.contains("width=\"40\"") && text.contains("#FFFFFF"), "{text}");
        assert!(text.contains("a &lt; b &amp; c"), "{text}");
    }

    #[test]
    fn neighboring_classes_differ() {
        for i in 0..30 {
            assert_ne!(color(i), color(i + 1));
        }
    }
}
