//! Line charts side by side, with one legend for all of them.

use super::canvas::{Area, Axes, DrawResult, GRAY, chart, color, svg, title as draw_title, write};
use super::ticks::Ticks;
use crate::failure::Failure;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

/// Scale of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisScale {
    /// Linear, from 0.
    Linear,
    /// Linear with integer ticks, from the minimum.
    Whole,
    /// Logarithmic; values that are not positive are omitted.
    Log,
}

/// Style of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeriesStyle {
    /// A line with a few dots.
    Line,
    /// A line with a dot at each point.
    Dots,
    /// A gray horizontal line at the first point, for reference.
    Level,
}

/// One line.
#[derive(Clone, Debug)]
pub struct Series {
    /// Name in the legend.
    pub label: String,
    /// Points in order.
    pub points: Vec<(f64, f64)>,
    /// Style.
    pub style: SeriesStyle,
}

/// One chart.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Label of the horizontal axis.
    pub x_label: String,
    /// Label of the vertical axis.
    pub y_label: String,
    /// Horizontal axis.
    pub x_scale: AxisScale,
    /// Vertical axis.
    pub y_scale: AxisScale,
    /// Series; the same in every panel, as they share a legend.
    pub series: Vec<Series>,
}

/// Width of one chart [pixels].
const WIDTH: u32 = 580;
/// Height of the charts.
const HEIGHT: u32 = 420;
/// Height of the title.
const TITLE: u32 = 44;
/// Radius of dots.
const DOT: i32 = 4;
/// Height of a line of the legend.
const LINE: u32 = 24;

/// Draws the charts; the text is a whole SVG file.
pub fn draw(title: &str, panels: &[Panel]) -> Result<String, Failure> {
    let width = WIDTH * panels.len().max(1) as u32;
    let labels: Vec<&str> = panels.first().into_iter().flat_map(|p| &p.series).map(|s| s.label.as_str()).collect();
    let entries = legend(&labels, width as i32);
    let lines = entries.last().map_or(0, |(_, line)| line + 1);
    let head = TITLE + LINE * lines;
    svg((width, head + HEIGHT), |area| {
        draw_title(area, title)?;
        for (i, ((x, line), label)) in entries.iter().zip(&labels).enumerate() {
            let y = (TITLE + LINE * line + LINE / 2) as i32;
            let series = &panels[0].series[i];
            area.draw(&PathElement::new(vec![(*x, y), (x + LEGEND_LINE, y)], stroke(series, i)))?;
            if series.style != SeriesStyle::Level {
                area.draw(&Circle::new((x + LEGEND_LINE / 2, y), DOT, color(i).filled()))?;
            }
            write(area, label, (x + LEGEND_LINE + 8, y), 14, HPos::Left)?;
        }
        let (_, rest) = area.split_vertically(head);
        let areas = rest.split_evenly((1, panels.len().max(1)));
        panels.iter().zip(&areas).try_for_each(|(panel, area)| draw_panel(area, panel))
    })
}

/// Length of the line in a legend entry [pixels].
const LEGEND_LINE: i32 = 28;

/// Horizontal position [pixels] and line of each legend entry, wrapped to the width of the picture.
fn legend(labels: &[&str], width: i32) -> Vec<(i32, u32)> {
    let (mut x, mut line) = (MARGIN, 0);
    let mut entries = Vec::new();
    for label in labels {
        // Font metrics are not available: 8 pixels exceed the mean width of a letter of this size.
        let entry = LEGEND_LINE + 8 + 8 * label.chars().count() as i32;
        if x + entry > width - 20 && x > MARGIN {
            (x, line) = (MARGIN, line + 1);
        }
        entries.push((x, line));
        x += entry + 24;
    }
    entries
}

/// Left margin of the charts, for the axis labels [pixels].
const MARGIN: i32 = 88;

fn stroke(series: &Series, number: usize) -> ShapeStyle {
    if series.style == SeriesStyle::Level { GRAY.stroke_width(2) } else { color(number).stroke_width(2) }
}

/// Dots of a series, by its style.
fn dots(series: &Series, points: &[(f64, f64)], number: usize, of: usize) -> Vec<(f64, f64)> {
    match series.style {
        SeriesStyle::Level => Vec::new(),
        SeriesStyle::Dots => points.to_vec(),
        // A single point would not be visible as a line.
        SeriesStyle::Line if points.len() <= of => points.to_vec(),
        SeriesStyle::Line => {
            // Every series has dots at different points, so that overlapping lines are distinct.
            let every = points.len().div_ceil(8).max(of);
            let first = every * number / of.max(1);
            points.iter().skip(first).step_by(every).copied().collect()
        }
    }
}

fn draw_panel(area: &Area, panel: &Panel) -> DrawResult {
    let points = |s: &Series| -> Vec<(f64, f64)> { s.points.iter().filter_map(|p| axis_point(panel, *p)).collect() };
    let mut lines: Vec<Vec<(f64, f64)>> = panel.series.iter().map(points).collect();
    let x = ticks(panel.x_scale, lines.iter().flatten().map(|p| p.0));
    let y = ticks(panel.y_scale, lines.iter().flatten().map(|p| p.1));
    let mut chart = chart(area, &Axes { x: &x, y: &y, x_label: &panel.x_label, y_label: &panel.y_label })?;
    for (i, (series, line)) in panel.series.iter().zip(&mut lines).enumerate() {
        if series.style == SeriesStyle::Level {
            let across = |p: &(f64, f64)| vec![(x.range.start, p.1), (x.range.end, p.1)];
            *line = line.first().map_or_else(Vec::new, across);
        }
        chart.draw_series([PathElement::new(line.clone(), stroke(series, i))])?;
    }
    for (i, (series, line)) in panel.series.iter().zip(&lines).enumerate() {
        let dots = dots(series, line, i, panel.series.len());
        chart.draw_series(dots.into_iter().map(|p| Circle::new(p, DOT, color(i).filled())))?;
    }
    if lines.iter().all(Vec::is_empty) {
        let (w, h) = area.dim_in_pixel();
        write(area, "nothing to show: all values are 0", (w as i32 / 2, h as i32 / 2), 14, HPos::Center)?;
    }
    Ok(())
}

/// A point in the units of the axes; `None` if it cannot be shown.
fn axis_point(panel: &Panel, (x, y): (f64, f64)) -> Option<(f64, f64)> {
    let y = if panel.y_scale == AxisScale::Log { y.log10() } else { y };
    (x.is_finite() && y.is_finite()).then_some((x, y))
}

fn ticks(scale: AxisScale, values: impl Iterator<Item = f64>) -> Ticks {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
    match scale {
        AxisScale::Linear => Ticks::linear(0.0..if high > 0.0 { high * 1.05 } else { 1.0 }, 6),
        AxisScale::Whole => Ticks::whole(low - 0.5..high + 0.5, 12),
        AxisScale::Log => Ticks::log(10_f64.powf(low)..10_f64.powf(high)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(y_scale: AxisScale, lines: &[&[(f64, f64)]]) -> Panel {
        let series = |(i, points): (usize, &&[(f64, f64)])| Series {
            label: format!("line {i}"),
            points: points.to_vec(),
            style: SeriesStyle::Line,
        };
        let series = lines.iter().enumerate().map(series).collect();
        Panel { x_label: "x".into(), y_label: "y".into(), x_scale: AxisScale::Linear, y_scale, series }
    }

    #[test]
    fn every_series_is_one_line_in_each_panel_and_one_in_the_legend() {
        let data: [&[(f64, f64)]; 2] = [&[(1.0, 0.1), (2.0, 0.01)], &[(1.0, 0.2), (2.0, 0.3)]];
        let text = draw("Two", &[panel(AxisScale::Log, &data), panel(AxisScale::Linear, &data)]).unwrap();
        for color in ["#0072B2", "#D55E00"] {
            let lines = text.split("<polyline ").filter(|e| e.contains(&format!("stroke=\"{color}\""))).count();
            assert_eq!(lines, 3, "{color}");
        }
        assert!(text.contains("line 0") && text.contains("line 1"));
    }

    #[test]
    fn zeros_on_a_logarithmic_axis_are_omitted_and_empty_charts_are_labeled() {
        let text = draw("Some", &[panel(AxisScale::Log, &[&[(0.0, 0.0), (1.0, 0.5), (2.0, f64::NAN)]])]).unwrap();
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        let text = draw("None", &[panel(AxisScale::Log, &[&[(0.0, 0.0)]])]).unwrap();
        assert!(text.contains("nothing to show"));
    }

    #[test]
    fn overlapping_lines_have_dots_at_different_points() {
        let points: Vec<(f64, f64)> = (0..60).map(|i| (f64::from(i), 1.0)).collect();
        let series = Series { label: String::new(), points: points.clone(), style: SeriesStyle::Line };
        let all: Vec<_> = (0..10).flat_map(|i| dots(&series, &points, i, 10)).map(|p| p.0 as u32).collect();
        let mut distinct = all.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(all.len(), distinct.len());
        assert!((0..10).all(|i| dots(&series, &points[..1], i, 10).len() == 1));
    }

    #[test]
    fn a_long_legend_wraps() {
        let labels = ["a solver with a long name"; 9];
        let entries = legend(&labels, 1120);
        assert!(entries.iter().any(|(_, line)| *line > 0));
        assert!(entries.iter().all(|(x, _)| *x + 36 + 8 * 25 <= 1120 - 20));
    }
}
