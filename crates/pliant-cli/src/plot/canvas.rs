//! Drawing area, colors, text and axes that all charts share.

use super::ticks::Ticks;
use crate::failure::Failure;
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::io;

/// Somewhere to draw, in pixels.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// How drawing ends.
pub type DrawResult = Result<(), DrawingAreaErrorKind<io::Error>>;

/// A chart whose axes are ready.
pub(super) type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Ticks, Ticks>>;

/// Text and axes.
pub(super) const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
/// What stays in the background.
pub(super) const FAINT: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);
/// What belongs to no color.
pub(super) const GRAY: RGBColor = RGBColor(0x77, 0x77, 0x77);

/// Okabe and Ito's colors for all kinds of color vision, less the yellow that white swallows, then what is
/// left of Tol's muted ones.
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

/// The color of a class or series; they repeat after twelve.
pub(super) fn color(number: usize) -> RGBColor {
    PALETTE[number % PALETTE.len()]
}

/// Draws a picture on white; its text is a whole SVG file.
pub fn svg(size: (u32, u32), draw: impl FnOnce(&Area) -> DrawResult) -> Result<String, Failure> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
        let drawn = area.fill(&WHITE).and_then(|()| draw(&area)).and_then(|()| area.present());
        drawn.map_err(|e| Failure::new(format!("cannot draw the plot: {e}")))?;
    }
    Ok(text)
}

/// Letters of so many pixels.
pub(super) fn font(size: u32) -> TextStyle<'static> {
    // The backend takes sizes for the height of a line, which it holds to be 1.24 of that of the letters.
    ("sans-serif", f64::from(size) * 1.24).into_font().color(&INK)
}

/// Writes a line of text; `place` is where its left end, middle or right end goes.
pub(super) fn write(area: &Area, text: &str, place: (i32, i32), size: u32, side: HPos) -> DrawResult {
    let style = font(size).pos(Pos::new(side, VPos::Center));
    area.draw(&Text::new(text.to_owned(), place, style))
}

/// Writes the title of a picture into the middle of its first lines, smaller where it is long.
pub fn title(area: &Area, text: &str) -> DrawResult {
    let (width, _) = area.dim_in_pixel();
    // There are no fonts to ask: a letter is held to be 0.6 as wide as it is high, which few words are.
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

/// Draws axes with a faint grid, ready for what they are axes of.
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
