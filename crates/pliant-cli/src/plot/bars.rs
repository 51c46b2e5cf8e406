//! Histogram of the number of constraints per color, as in D2 Figs 7 and 8.

use super::canvas::{Area, Axes, DrawResult, GRAY, INK, chart, color, font, write};
use super::ticks::Ticks;
use crate::formatting;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// A histogram.
#[derive(Clone, Debug)]
pub struct Bars {
    /// Title.
    pub title: String,
    /// Second line, in a smaller font.
    pub subtitle: String,
    /// Size of each class.
    pub sizes: Vec<usize>,
    /// Whether the last class is averaged instead of colored.
    pub last_averaged: bool,
    /// Fill color of the bars.
    pub fill: BarFill,
}

/// Fill color of the bars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarFill {
    /// One color for all bars.
    One,
    /// The color of the class in the graph.
    ByClass,
}

/// Height of title and subtitle [pixels].
pub const HEAD: u32 = 52;

/// Draws the histogram, with its mean.
pub fn draw(area: &Area, bars: &Bars) -> DrawResult {
    let (width, _) = area.dim_in_pixel();
    write(area, &bars.title, (width as i32 / 2, 18), 16, HPos::Center)?;
    write(area, &bars.subtitle, (width as i32 / 2, 40), 13, HPos::Center)?;
    let (_, rest) = area.split_vertically(HEAD);
    let n = bars.sizes.len();
    let largest = bars.sizes.iter().copied().max().unwrap_or(0).max(1) as f64;
    // Space after the last bar, for the label of the mean.
    let end = n as f64 * 1.25 - 0.5;
    let x = Ticks::whole(-0.5..end, 16).until(n as f64 - 1.0, if bars.last_averaged { "averaged" } else { "" });
    let y = Ticks::whole(0.0..largest * 1.15, 6);
    let mut chart = chart(&rest, &Axes { x: &x, y: &y, x_label: "color", y_label: "constraints" })?;
    chart.draw_series(bars.sizes.iter().enumerate().map(|(i, &size)| {
        let fill = match bars.fill {
            _ if bars.last_averaged && i + 1 == n => GRAY,
            BarFill::One => color(0),
            BarFill::ByClass => color(i),
        };
        let i = i as f64;
        Rectangle::new([(i - 0.4, 0.0), (i + 0.4, size as f64)], fill.filled())
    }))?;
    let mean = bars.sizes.iter().sum::<usize>() as f64 / n.max(1) as f64;
    chart.draw_series([PathElement::new(vec![(-0.5, mean), (end, mean)], INK.stroke_width(1))])?;
    let style = font(12).pos(Pos::new(HPos::Right, VPos::Bottom));
    let label = if mean < 10.0 {
        format!("mean {mean:.1}")
    } else {
        format!("mean {}", formatting::grouped(mean.round() as usize))
    };
    chart.draw_series([Text::new(label, (end, mean), style)])?;
    Ok(())
}
