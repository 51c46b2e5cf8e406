//! Numbers over time: stage times, energy, residual.

use crate::session::{Sample, View, stage_names};
use egui::{Color32, FontId, Pos2, Rect, RichText, Sense, Shape, Stroke, Ui, pos2, vec2};

const COLORS: [Color32; 6] = [
    Color32::from_rgb(226, 87, 76),
    Color32::from_rgb(86, 156, 214),
    Color32::from_rgb(242, 177, 52),
    Color32::from_rgb(84, 180, 140),
    Color32::from_rgb(170, 126, 206),
    Color32::from_rgb(150, 160, 170),
];

/// A curve with its name.
struct Curve<'a> {
    name: &'a str,
    color: Color32,
    value: Box<dyn Fn(&Sample) -> f32 + 'a>,
}

pub fn show(ui: &mut Ui, view: &View) {
    let samples = &view.samples;
    if samples.len() < 2 {
        ui.weak("Numbers come while time runs.");
    }
    let stages = stage_names().into_iter().enumerate().map(|(k, name)| Curve {
        name,
        color: COLORS[k],
        value: Box::new(move |s: &Sample| s.stages[k]),
    });
    let mut times: Vec<_> = stages.collect();
    times.push(Curve { name: "whole step", color: Color32::WHITE, value: Box::new(|s| s.step) });
    graph(ui, "Time of a step [ms]", samples, &times);
    let energy = [
        ("kinetic", COLORS[0], (|s| s.kinetic) as fn(&Sample) -> f32),
        ("potential", COLORS[1], |s| s.potential),
        ("elastic", COLORS[2], |s| s.elastic),
        ("sum", Color32::WHITE, |s| s.kinetic + s.potential + s.elastic),
    ];
    let energy = energy.map(|(name, color, value)| Curve { name, color, value: Box::new(value) });
    graph(ui, "Energy [J]", samples, &energy);
    let residual = [Curve { name: "largest mean of a kind", color: COLORS[3], value: Box::new(|s| s.residual) }];
    graph(ui, "Residual of constraints", samples, &residual);
    if view.status.backend == "gpu" {
        ui.weak("On a GPU stages are not timed while the window is open.");
    }
}

fn graph(ui: &mut Ui, title: &str, samples: &[Sample], curves: &[Curve<'_>]) {
    ui.strong(title);
    let (area, painter) = ui.allocate_painter(vec2(ui.available_width(), 96.0), Sense::hover());
    let plot = area.rect;
    painter.rect_filled(plot, 3.0, Color32::from_rgb(20, 21, 24));
    let all = || samples.iter().flat_map(|s| curves.iter().map(|c| (c.value)(s))).filter(|v| v.is_finite());
    let low = all().fold(0.0f32, f32::min);
    let high = all().fold(low + 1e-12, f32::max);
    let (first, last) = match (samples.first(), samples.last()) {
        (Some(first), Some(last)) if last.time > first.time => (first.time, last.time),
        _ => (0.0, 1.0),
    };
    let inner = Rect::from_min_max(plot.min + vec2(4.0, 14.0), plot.max - vec2(4.0, 4.0));
    let at = |s: &Sample, value: f32| -> Pos2 {
        let x = ((s.time - first) / (last - first)) as f32;
        pos2(inner.left() + x * inner.width(), inner.bottom() - (value - low) / (high - low) * inner.height())
    };
    for curve in curves {
        let points: Vec<Pos2> =
            samples.iter().map(|s| at(s, (curve.value)(s))).filter(|p| p.x.is_finite() && p.y.is_finite()).collect();
        painter.add(Shape::line(points, Stroke::new(1.3, curve.color)));
    }
    let text = Color32::from_gray(170);
    let font = FontId::proportional(10.0);
    painter.text(plot.min + vec2(4.0, 1.0), egui::Align2::LEFT_TOP, number(high), font.clone(), text);
    let until = format!("{first:.1} to {last:.1} s");
    painter.text(plot.right_top() + vec2(-4.0, 1.0), egui::Align2::RIGHT_TOP, until, font, text);
    ui.horizontal_wrapped(|ui| {
        for curve in curves {
            let value = samples.last().map_or(String::new(), |s| number((curve.value)(s)));
            ui.label(RichText::new(format!("{} {value}", curve.name)).small().color(curve.color));
        }
    });
    ui.add_space(6.0);
}

/// A number of any magnitude in few characters.
fn number(value: f32) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        v if !(1e-3..1e5).contains(&v) => format!("{value:.1e}"),
        v if v < 1.0 => format!("{value:.3}"),
        v if v < 100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [0.0, 1.25e-7, 0.25, 3.13159, 1234.5, 4e7].map(number),
            ["0", "1.2e-7", "0.250", "3.1", "1234", "4.0e7"]
        );
    }
}
